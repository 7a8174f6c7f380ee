"""A warehouse that `accelmart publish` wrote: read its pointer, download its file once, keep it by its hash.

``latest.json`` at the published place names the newest generation: ``generation_id``, ``built_at`` and, under
``database``, ``path`` below that place, ``sha256`` and ``bytes``, and ``gzip``, the path of the same file compressed,
which is downloaded if it is stated. The pointer is replaced when everything it names is there.

https:// needs nothing further; s3://, gs:// and others are read through fsspec (extra ``object-stores``). Downloads are
in ``ACCELMART_CACHE``, default ``~/.cache/accelmart``: a folder a URL, and in it one file, named by its SHA-256.

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
from http.client import HTTPException
from io import BytesIO
from multiprocessing import TimeoutError as NotInTimeError
from multiprocessing.pool import ThreadPool
from pathlib import Path
from typing import IO, Any
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from accelmart.errors import NotPublishedError, PullError, ReaderError

# names in a data root, and at a place that `accelmart publish` writes to
FILE_NAME, POINTER = "accelmart.duckdb", "latest.json"

_BLOCK_BYTES = 1 << 20
_LONGEST_POINTER = 1 << 20
_MOST_BYTES = 64 << 30  # of a warehouse, which today has a two-thousandth of it
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
    with _opened(f"{base}/{POINTER}", _LONGEST_POINTER) as file:
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
        url: of a published place.

    Raises:
        NotPublishedError: there is no warehouse at the URL.
        PullError: it cannot be read, or its content is not what the pointer states; a copy of an earlier download is
            named by its path.
    """
    folder = _cache() / hashlib.sha256(url.rstrip("/").encode()).hexdigest()[:16]
    try:
        # named by its content: a process that has the earlier one open goes on reading it
        path = _download_pointed(url, lambda pointer: folder / f"{pointer.sha256}.duckdb").path
    except PullError as e:
        for earlier in folder.glob("*.duckdb"):
            raise PullError(f"{e}. An earlier download can be read: {earlier}") from e
        raise
    for superseded in set(folder.glob("*.duckdb")) - {path}:
        superseded.unlink(missing_ok=True)
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
        with _opened(pointer.address, pointer.bytes) as file, _aside(target) as (temporary, out):
            room = shutil.disk_usage(target.parent).free
            if pointer.bytes > room:
                raise PullError(
                    f"{pointer.address} has {pointer.bytes:,} bytes, and there is room for {room:,}. Nothing was kept"
                )
            digest, size = _copy(GzipFile(fileobj=file) if pointer.gzip else file, out, pointer.bytes)
            if (digest, size) == (pointer.sha256, pointer.bytes):
                out.flush()
                os.fsync(out.fileno())
                temporary.replace(target)
                return
        if attempt < _ATTEMPTS:
            time.sleep(_WAIT_S * attempt)
    raise PullError(
        f"{pointer.address} is not what {POINTER} states: {size:,} bytes of SHA-256 {digest[:16]}…, stated are "
        f"{pointer.bytes:,} of {pointer.sha256[:16]}…. Nothing was kept; try again, or tell who publishes it"
    )


# --- reading -----------------------------------------------------------------------------------------------------


@contextmanager
def _opened(address: str, size: int) -> Iterator[Any]:
    """Open a URL or path for reading.

    Args:
        address: URL or path.
        size: bytes that it may have; they say how long reading it over HTTP may take.

    Raises:
        NotPublishedError: there is nothing at that address.
        PullError: it cannot be read; the message names the cause.
    """
    scheme = address.partition("://")[0].lower() if "://" in address else ""
    try:
        if scheme in ("http", "https"):
            opened: Any = _open_http(address, size)
        else:
            opened = _open_fsspec(address) if scheme else Path(address).open("rb")  # noqa: SIM115  closed below
        with opened as file:
            yield file
    except ReaderError:
        raise
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError) as e:
        raise NotPublishedError(
            f"there is nothing at {address}. Give the URL that `accelmart publish --to` wrote to"
        ) from e
    except (
        Exception
    ) as e:  # libraries of object stores have errors of their own, for keys, buckets and networks
        raise PullError(f"{address} cannot be read: {_cause(e)}") from e


def _cause(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


class _PublicRedirects(HTTPRedirectHandler):
    def redirect_request(self, req: Any, fp: Any, code: Any, msg: Any, headers: Any, newurl: str) -> Any:
        if urlsplit(newurl)[:2] != urlsplit(req.full_url)[:2]:
            _require_public(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


@contextmanager
def _open_http(address: str, size: int) -> Iterator[Any]:
    deadline = time.monotonic() + _PATIENCE_S + size / _SLOWEST_BYTES_PER_S
    request = Request(address, headers={"User-Agent": "accelmart"})  # noqa: S310  http and https only
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            with ThreadPool(1) as pool:  # a server that drips its headers would hold up `open` for ever
                opening = pool.apply_async(build_opener(_PublicRedirects).open, (request, None, _TIMEOUT_S))
                answer = opening.get(_PATIENCE_S)
            break
        except NotInTimeError as e:
            raise OSError(f"no answer in {_PATIENCE_S} s") from e
        except URLError as e:  # of which an HTTPError has a code
            code = getattr(e, "code", 500)
            if code in (404, 410):
                raise FileNotFoundError(address) from e
            if code < 500 or attempt == _ATTEMPTS:
                raise OSError(f"HTTP {code} {e.reason}" if hasattr(e, "code") else f"{e.reason}") from e
        time.sleep(_WAIT_S * attempt)
    with answer:
        yield _InTime(answer, deadline)


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


def _open_fsspec(address: str) -> Any:
    try:
        from fsspec.core import url_to_fs

        files, path = url_to_fs(address, use_listings_cache=False)
    except ImportError as e:
        raise ImportError(
            f"{e}. Object stores need: pip install 'accelmart[object-stores]'; https:// needs nothing further"
        ) from e
    return files.open(path, "rb")


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
    digest, size = hashlib.sha256(), 0
    try:
        while block := file.read(_BLOCK_BYTES):
            out.write(block)
            digest.update(block)
            size += len(block)
            if size > most:
                break
    except (ConnectionError, HTTPException, EOFError, BadGzipFile, zlib.error):
        pass  # cut off or damaged: size and hash show it
    return digest.hexdigest(), size


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
