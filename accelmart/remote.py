"""A warehouse that `accelmart publish` wrote: read its pointer, download its file once, keep it by its hash.

``latest.json`` at the published place names the newest generation: ``generation_id``, ``built_at`` and, under
``database``, ``path`` below that place, ``sha256`` and ``bytes``, and ``gzip``, the path of the same file compressed,
which is downloaded if it is stated. The pointer is replaced when everything it names is there.

https:// needs nothing further; s3://, gs:// and others are read through fsspec (extra ``object-stores``). Downloads are
in ``ACCELMART_CACHE``, default ``~/.cache/accelmart``: one file a URL, named by its SHA-256.

A server is not trusted: it may send us on to public https addresses only, every transfer has a deadline, and no file is
larger than is stated and than there is room for.
"""

from __future__ import annotations

import hashlib
import ipaddress
import json
import os
import re
import shutil
import socket
import tempfile
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from gzip import BadGzipFile, GzipFile
from io import BytesIO
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from accelmart.errors import NotPublishedError, PullError

# names in a data root, and at a place that `accelmart publish` writes to
FILE_NAME, POINTER = "accelmart.duckdb", "latest.json"

_BLOCK_BYTES = 1 << 20
_LONGEST_POINTER = 1 << 20
_MOST_BYTES = 64 << 30  # of a warehouse, which today has a two-thousandth of it
_UNSTATED_BYTES = 256 << 20  # a file without a pointer has the time that this size takes
_TIMEOUT_S = 30
# for a pointer, and for the beginning of a file; a file has as many more as it takes at the slowest pace
_PATIENCE_S, _SLOWEST_BYTES_PER_S = 60, 100_000
_ATTEMPTS, _WAIT_S = 3, 0.2
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Pointer:
    """What a published place names as its newest generation.

    Args:
        base: URL or folder of the place, without a slash at its end.
        generation_id: id; ids sort by the time of the build.
        path: of the warehouse file, below the place.
        sha256: of that file, in hexadecimal.
        bytes: size of that file.
        gzip: path of that file compressed, below the place; empty if there is none.
    """

    base: str
    generation_id: str
    path: str
    sha256: str
    bytes: int
    gzip: str = ""

    @property
    def address(self) -> str:
        """URL or path of what is downloaded."""
        return f"{self.base}/{self.gzip or self.path}"

    @property
    def local_path(self) -> Path:
        """Path of the warehouse file where the place is a folder."""
        return Path(self.base) / self.path


@dataclass(frozen=True)
class Pulled:
    """A downloaded warehouse.

    Args:
        path: the local file.
        generation_id: of the warehouse.
        bytes: size of the file.
        is_new: whether it was downloaded now; False if the file was that generation's already.
    """

    path: Path
    generation_id: str
    bytes: int
    is_new: bool


def read_pointer(base: str) -> Pointer:
    """Return what a published place names as its newest generation.

    Args:
        base: URL or folder of the place, or of its ``latest.json``.

    Raises:
        NotPublishedError: there is no ``latest.json``.
        PullError: it cannot be read, or is none.
    """
    base = base.rstrip("/").removesuffix(f"/{POINTER}")
    text = BytesIO()
    with _opened(f"{base}/{POINTER}", _LONGEST_POINTER) as (file, _):
        _copy(file, text, _LONGEST_POINTER)
    try:
        stated = json.loads(text.getvalue())
        file_ = stated["database"]
        pointer = Pointer(
            base,
            str(stated["generation_id"]),
            _below(file_["path"]),
            str(file_["sha256"]),
            int(file_["bytes"]),
            _below(file_["gzip"]) if file_.get("gzip") else "",
        )
        if not _SHA256.fullmatch(pointer.sha256):
            raise ValueError(f"sha256 {pointer.sha256!r} cannot be used")
        if not 0 < pointer.bytes <= _MOST_BYTES:
            raise ValueError(f"a warehouse of {pointer.bytes:,} bytes is not believed")
    except (ValueError, KeyError, TypeError) as e:
        raise PullError(
            f"{base}/{POINTER} is no pointer of a published warehouse ({type(e).__name__}: {e}). "
            "Give the URL that `accelmart publish --to` wrote to"
        ) from e
    return pointer


def _below(path: Any) -> str:
    """Return a path that stays below the published place, or raise ValueError."""
    if {"", ".", ".."} & set(str(path).split("/")) or "\\" in str(path):
        raise ValueError(f"path {path!r} cannot be used")
    return str(path)


def cached(url: str) -> Path:
    """Return the local copy of a published warehouse, downloaded if the cache does not have that content.

    Args:
        url: of a published place, or of one ``.duckdb`` file (its ETag decides whether it is downloaded again).

    Raises:
        NotPublishedError: there is no warehouse at the URL.
        PullError: it cannot be read, or its content is not what the pointer states; a copy of an earlier download is
            named by its path.
    """
    folder, url = _cache(), url.rstrip("/")
    record = folder / f"url-{hashlib.sha256(url.encode()).hexdigest()[:16]}.json"
    known = _read_record(record)
    try:
        if url.endswith(".duckdb"):
            path, etag = _single_file(url, known, folder)
        else:
            path, etag = _download_pointed(url, lambda p: folder / f"{p.sha256}.duckdb").path, ""
    except PullError as e:
        earlier = folder / known.get("file", "-")
        if earlier.is_file():
            raise PullError(f"{e}. An earlier download can be read: {earlier}") from e
        raise
    stated = json.dumps({"url": url, "file": path.name, "etag": etag})
    if stated != json.dumps(known):
        _write_whole(record, stated.encode())
    _remove_superseded(folder, str(known.get("file", "")))
    return path


def pull(url: str, target: Path) -> Pulled:
    """Download a published warehouse to a file, which is replaced atomically once the hash is that of the pointer.

    Args:
        url: of a published place: https://, s3://, gs://, a folder.
        target: the file.

    Raises:
        NotPublishedError: nothing is published at the URL.
        PullError: the URL cannot be read, or the content is not what the pointer states; the target is unchanged.
    """
    if (target.parent / "published.json").exists():
        raise PullError(
            f"{target.parent} builds a warehouse of its own, which a download would replace: set ACCELMART_HOME to "
            "another folder"
        )
    return _download_pointed(url, lambda _: target)


def _download_pointed(url: str, place: Any) -> Pulled:
    pointer = read_pointer(url)
    for is_last in (False, True):
        target: Path = place(pointer)
        if target.exists() and target.stat().st_size == pointer.bytes and sha256_of(target) == pointer.sha256:
            return Pulled(target, pointer.generation_id, pointer.bytes, False)
        try:
            _download(pointer, target)
            break
        except NotPublishedError:
            # a publication that ended meanwhile removed the generation: its own is named by then
            newer = read_pointer(url)
            if is_last or newer == pointer:
                raise
            pointer = newer
    return Pulled(target, pointer.generation_id, pointer.bytes, True)


def _download(pointer: Pointer, target: Path) -> None:
    """Write the file of a pointer, whole or not at all; a transfer that is cut off is tried again."""
    for attempt in range(1, _ATTEMPTS + 1):
        with _opened(pointer.address, pointer.bytes) as (file, _), _aside(target) as (temporary, out):
            _require_room(pointer.bytes, _room(target.parent), pointer.address)
            digest, size = _copy(GzipFile(fileobj=file) if pointer.gzip else file, out, pointer.bytes)
            if (digest, size) == (pointer.sha256, pointer.bytes):
                _flush(out)
                temporary.replace(target)
                return
        if attempt < _ATTEMPTS:
            time.sleep(_WAIT_S * attempt)
    raise PullError(
        f"{pointer.address} is not what {POINTER} states: {size:,} bytes of SHA-256 {digest[:16]}…, stated are "
        f"{pointer.bytes:,} of {pointer.sha256[:16]}…. Nothing was kept; try again, or tell who publishes it"
    )


def _single_file(url: str, known: dict[str, str], folder: Path) -> tuple[Path, str]:
    earlier = folder / known.get("file", "-")
    is_whole = earlier.is_file() and sha256_of(earlier) == earlier.stem
    with _opened(url, _UNSTATED_BYTES, known.get("etag", "") if is_whole else "") as (file, etag):
        if file is None:
            return earlier, etag
        with _aside(folder / FILE_NAME) as (temporary, out):
            room = _room(folder)
            digest, size = _copy(file, out, room)
            _require_room(size, room, url)
            _flush(out)
            target = folder / f"{digest}.duckdb"
            temporary.replace(target)
    return target, etag


# --- reading -----------------------------------------------------------------------------------------------------


@contextmanager
def _opened(address: str, size: int, etag: str = "") -> Iterator[tuple[Any, str]]:
    """Open a URL or path for reading; yield the file, None if it still has that ETag, and its ETag.

    Args:
        address: URL or path.
        size: bytes that it may have; they say how long reading it over HTTP may take.
        etag: of what the caller holds.

    Raises:
        NotPublishedError: there is nothing at that address.
        PullError: it cannot be read; the message names the cause.
    """
    scheme = address.partition("://")[0].lower() if "://" in address else ""
    opener = {"": _open_local, "http": _open_http, "https": _open_http}.get(scheme, _open_fsspec)
    try:
        with opener(address, size, etag) as answer:
            yield answer
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError) as e:
        if isinstance(e, NotPublishedError):
            raise
        raise NotPublishedError(
            f"there is nothing at {address}. Give the URL that `accelmart publish --to` wrote to"
        ) from e
    except (OSError, EOFError, ImportError, ValueError) as e:
        raise PullError(f"{address} cannot be read: {_cause(e)}") from e
    except Exception as e:
        # libraries of object stores have errors of their own, for keys, buckets and networks
        if type(e).__module__.split(".")[0] in ("accelmart", "builtins"):
            raise
        raise PullError(f"{address} cannot be read: {_cause(e)}") from e


def _cause(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


@contextmanager
def _open_local(address: str, size: int, etag: str) -> Iterator[tuple[Any, str]]:
    with Path(address).open("rb") as file:
        yield file, ""


@contextmanager
def _open_http(address: str, size: int, etag: str) -> Iterator[tuple[Any, str]]:
    from http.client import HTTPException
    from multiprocessing import TimeoutError as NotInTimeError
    from multiprocessing.pool import ThreadPool
    from urllib.error import HTTPError, URLError
    from urllib.request import HTTPRedirectHandler, Request, build_opener

    class PublicRedirects(HTTPRedirectHandler):
        def redirect_request(self, req: Any, fp: Any, code: Any, msg: Any, headers: Any, newurl: str) -> Any:
            if urlsplit(newurl)[:2] != urlsplit(req.full_url)[:2]:
                _require_public(newurl)
            return super().redirect_request(req, fp, code, msg, headers, newurl)

    headers = {"User-Agent": "accelmart", **({"If-None-Match": etag} if etag else {})}
    deadline = time.monotonic() + _PATIENCE_S + size / _SLOWEST_BYTES_PER_S
    for attempt in range(1, _ATTEMPTS + 1):
        request = Request(address, headers=headers)  # noqa: S310  http and https only
        try:
            with ThreadPool(1) as pool:  # a server that drips its headers would hold up `open` for ever
                opening = pool.apply_async(build_opener(PublicRedirects).open, (request, None, _TIMEOUT_S))
                answer = opening.get(_PATIENCE_S)
            break
        except NotInTimeError as e:
            raise OSError(f"no answer in {_PATIENCE_S} s") from e
        except HTTPError as e:
            if e.code == 304:
                yield None, etag
                return
            if e.code in (404, 410):
                raise FileNotFoundError(address) from e
            if e.code < 500 or attempt == _ATTEMPTS:
                raise OSError(f"HTTP {e.code} {e.reason}") from e
        except URLError as e:
            if attempt == _ATTEMPTS:
                raise OSError(f"{e.reason}") from e
        except HTTPException as e:
            raise OSError(_cause(e)) from e
        time.sleep(_WAIT_S * attempt)
    with answer:
        yield _InTime(answer, deadline), answer.headers.get("ETag") or ""


class _InTime:
    """An answer that is read until a deadline, block by block as it comes."""

    def __init__(self, answer: Any, deadline: float) -> None:
        self._answer, self._deadline = answer, deadline

    def read(self, size: int) -> bytes:
        if time.monotonic() > self._deadline:
            raise OSError("the server is too slow: not finished in time")
        block: bytes = self._answer.read1(size)
        return block


def _require_public(url: str) -> None:
    """Raise OSError for an address that no server may send us to: of this machine or network, or without TLS."""
    parts = urlsplit(url)
    try:
        answers = socket.getaddrinfo(parts.hostname, parts.port, type=socket.SOCK_STREAM)
    except socket.gaierror:
        answers = []  # behind a proxy names are the proxy's to resolve
    for *_, (host, *_) in answers:
        address = ipaddress.ip_address(host)
        if isinstance(address, ipaddress.IPv6Address):
            address = address.ipv4_mapped or address.sixtofour or address
        if not address.is_global or address.is_multicast:
            raise OSError(f"it redirects to {url}, which is no public address")
    if parts.scheme != "https":
        raise OSError(f"it redirects to {url}, which is no https address")


@contextmanager
def _open_fsspec(address: str, size: int, etag: str) -> Iterator[tuple[Any, str]]:
    try:
        from fsspec.core import url_to_fs

        files, path = url_to_fs(address, use_listings_cache=False)
    except ImportError as e:
        raise ImportError(
            f"{e}. Object stores need: pip install 'accelmart[object-stores]'; https:// needs nothing further"
        ) from e
    current = str(files.info(path).get("ETag") or "")
    if etag and current == etag:
        yield None, etag
        return
    with files.open(path, "rb") as file:
        yield file, current


def _room(folder: Path) -> int:
    """Return how large a file may become in a folder."""
    return min(_MOST_BYTES, shutil.disk_usage(folder).free)


def _require_room(size: int, room: int, address: str) -> None:
    if size > room:
        raise PullError(
            f"{address} has {size:,} bytes or more, and there is room for {room:,}. Nothing was kept"
        )


# --- writing -----------------------------------------------------------------------------------------------------


@contextmanager
def _aside(target: Path) -> Iterator[tuple[Path, IO[bytes]]]:
    """Yield a temporary file in the folder of `target`; it is removed unless it was renamed."""
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as out:
            yield temporary, out
    finally:
        temporary.unlink(missing_ok=True)


def _copy(file: Any, out: IO[bytes], most: int) -> tuple[str, int]:
    """Copy a file; return SHA-256 and size. Stop behind `most` bytes, so that a wrong file cannot fill the disk."""
    from http.client import HTTPException

    digest, size = hashlib.sha256(), 0
    try:
        while block := file.read(_BLOCK_BYTES):
            out.write(block)
            digest.update(block)
            size += len(block)
            if size > most:
                break
    except (HTTPException, EOFError, BadGzipFile, zlib.error):
        pass  # cut off or damaged: size and hash show it
    return digest.hexdigest(), size


def _flush(out: IO[bytes]) -> None:
    out.flush()
    os.fsync(out.fileno())


def _write_whole(target: Path, content: bytes) -> None:
    with _aside(target) as (temporary, out):
        out.write(content)
        _flush(out)
        temporary.replace(target)


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# --- the cache ---------------------------------------------------------------------------------------------------


def _cache() -> Path:
    if named := os.environ.get("ACCELMART_CACHE"):
        return Path(named).resolve()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache").resolve() / "accelmart"


def _read_record(record: Path) -> dict[str, str]:
    try:
        stated = json.loads(record.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stated if isinstance(stated, dict) else {}


def _remove_superseded(folder: Path, name: str) -> None:
    """Remove a downloaded file that no URL stands for any more; processes that have it open go on reading it."""
    if not _SHA256.fullmatch(name.removesuffix(".duckdb")):
        return
    if all(_read_record(record).get("file") != name for record in folder.glob("url-*.json")):
        (folder / name).unlink(missing_ok=True)
