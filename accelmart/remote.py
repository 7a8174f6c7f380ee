"""A warehouse that `accelmart publish` wrote: read its pointer, download its file once, keep it by its hash.

``latest.json`` at the published place names the newest generation: ``generation_id``, ``built_at`` and, under
``database``, ``path`` below that place, ``sha256`` and ``bytes``, and ``gzip``, the path of the same file compressed,
which is downloaded if it is stated. The pointer is replaced when everything it names is there.

https:// needs nothing further; s3://, gs:// and others are read through fsspec (extra ``object-stores``). Downloads are
in ``ACCELMART_CACHE``, default ``~/.cache/accelmart``: a folder a URL, and in it one file, named by its SHA-256.

A server is not trusted: sources are fetched by the same client, from public https addresses and those that
``ACCELMART_PRIVATE_HOSTS`` names. Time and size of a transfer have limits that no server can raise, and no file is
larger than is stated and than there is room for.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from gzip import BadGzipFile, GzipFile
from io import BytesIO
from pathlib import Path
from typing import IO, Any

from accelmart.errors import FetchFailed, NotPublishedError, PullError, ReaderError
from accelmart.generation import GenerationId, as_generation_id
from accelmart.hosts import PRIVATE_HOSTS_VARIABLE, parse_private_hosts
from accelmart.http import HttpClient, StatusRefused, retry_policy
from accelmart.urls import public_url

# names in a data root, and at a place that `accelmart publish` writes to
FILE_NAME, POINTER = "accelmart.duckdb", "latest.json"

_BLOCK_BYTES = 1 << 20
_LONGEST_POINTER = 1 << 20
_MOST_BYTES = 8 << 30  # of a warehouse, which today has a three-hundredth of it
# in all, with redirects, waits and further tries
_POINTER_SECONDS, _FILE_SECONDS = 60, 3600
_RETRY = {"total": 2, "backoff_factor": 0.2, "backoff_jitter": 0.2, "retry_after_max": 10}
_SHA256 = re.compile(r"[0-9a-f]{64}")
# names that begin with no dot, one below the other
_PATH, _LONGEST_PATH = re.compile(r"[\w-][\w.-]*(/[\w-][\w.-]*)*", re.ASCII), 300


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
    generation_id: GenerationId
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
    generation_id: GenerationId
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
    shown = public_url(f"{base}/{POINTER}")
    with _opened(f"{base}/{POINTER}", _LONGEST_POINTER, _POINTER_SECONDS) as file:
        _copy(file, text, _LONGEST_POINTER, shown)
    try:
        stated = json.loads(text.getvalue())
        file_ = stated["database"]
        pointer = Pointer(
            base,
            as_generation_id(stated["generation_id"]),
            _below(file_["path"]),
            str(file_["sha256"]),
            int(file_["bytes"]),
            _below(file_["gzip"]) if file_.get("gzip") else "",
        )
        if not _SHA256.fullmatch(pointer.sha256):
            raise ValueError(f"sha256 {pointer.sha256!r} cannot be used")
        if not 0 < pointer.bytes <= _MOST_BYTES:
            raise ValueError(f"a warehouse of {pointer.bytes:,} bytes is not believed")
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as e:
        raise PullError(
            f"{shown} is no pointer of a published warehouse ({_cause(e)[:200]}). "
            "Give the URL that `accelmart publish --to` wrote to"
        ) from e
    return pointer


def _below(path: Any) -> str:
    """Return a path that stays below the published place, or raise ValueError."""
    if not isinstance(path, str) or len(path) > _LONGEST_PATH or not _PATH.fullmatch(path):
        raise ValueError(f"path {path!r} cannot be used")
    return path


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
    """Write the file of a pointer, whole or not at all."""
    shown = public_url(pointer.address)
    try:
        with _aside(target) as (temporary, out):
            room = shutil.disk_usage(target.parent).free
            if 2 * pointer.bytes > room:  # as it comes, and as a file
                raise PullError(
                    f"{shown} has {pointer.bytes:,} bytes, which have to fit twice, and there is room for {room:,}. "
                    "Nothing was kept"
                )
            with _opened(pointer.address, pointer.bytes, _FILE_SECONDS, target.parent) as file:
                whole = GzipFile(fileobj=file) if pointer.gzip and file.read(2) == b"\x1f\x8b" else file
                file.seek(0)
                digest, size = _copy(whole, out, pointer.bytes, shown)
            if (digest, size) != (pointer.sha256, pointer.bytes):
                raise PullError(
                    f"{shown} is not what {POINTER} states: {size:,} bytes of SHA-256 {digest[:16]}…, stated "
                    f"are {pointer.bytes:,} of {pointer.sha256[:16]}…. Nothing was kept; try again, or tell who "
                    "publishes it"
                )
            out.flush()
            os.fsync(out.fileno())
            temporary.replace(target)
    except ReaderError:
        raise
    except OSError as e:
        raise PullError(
            f"{e.filename or target} cannot be written ({e.strerror or e}). What is there is unchanged. Check room, "
            "owner and mount, or set ACCELMART_HOME"
        ) from e


# --- reading -----------------------------------------------------------------------------------------------------


@contextmanager
def _opened(address: str, most_bytes: int, seconds: float, folder: Path | None = None) -> Iterator[IO[bytes]]:
    """Open a URL or path for reading.

    Args:
        address: URL or path.
        most_bytes: that are read from a URL; it may end one byte later.
        seconds: that a server has in all.
        folder: for what a server sends, until it is read; None is the system's.

    Raises:
        NotPublishedError: there is nothing at that address.
        PullError: it cannot be read; the message names the cause.
    """
    scheme, shown = address.partition("://")[0].lower() if "://" in address else "", public_url(address)
    with ExitStack() as stack:
        try:
            if scheme in ("http", "https"):
                client = HttpClient(
                    total_timeout_seconds=seconds,
                    retry=retry_policy(**_RETRY),
                    min_interval_seconds=0,
                    private_hosts=parse_private_hosts(os.environ.get(PRIVATE_HOSTS_VARIABLE, "")),
                )
                answer = client.download(address, limit_bytes=most_bytes, folder=folder)
                file: Any = stack.enter_context(answer).body
            elif scheme:
                file = stack.enter_context(_open_fsspec(address))
            elif Path(address).is_file():
                file = stack.enter_context(Path(address).open("rb"))
            else:
                raise FileNotFoundError(address)  # or a pipe, which would be waited for
        except Exception as e:
            # libraries of object stores have errors of their own, for keys, buckets and networks
            is_missing = isinstance(e, StatusRefused) and e.status in (404, 410)
            if is_missing or isinstance(e, FileNotFoundError | IsADirectoryError | NotADirectoryError):
                raise NotPublishedError(
                    f"there is nothing at {shown}. Give the URL that `accelmart publish --to` wrote to"
                ) from e
            raise PullError(f"{shown} cannot be read: {_cause(e)}") from e
        yield file


def _cause(error: BaseException) -> str:
    if isinstance(error, FetchFailed):
        return f"{error.problem}. To fix: {error.remedy}"
    text = public_url(" ".join(str(error).split()))
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _open_fsspec(address: str) -> Any:
    if "::" in address:  # the check of addresses would not see the other one
        raise ValueError("one URL leads to another")
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


def _copy(file: Any, out: IO[bytes], most: int, shown: str) -> tuple[str, int]:
    """Copy a file; return SHA-256 and size. Stop behind `most` bytes, so that a wrong file cannot fill the disk."""
    digest, size = hashlib.sha256(), 0
    while size <= most:
        try:
            block = file.read(_BLOCK_BYTES)
        except (EOFError, BadGzipFile, zlib.error):
            break  # cut off or damaged: size and hash show it
        except Exception as e:  # of an object store or a disk
            raise PullError(f"{shown} cannot be read: {_cause(e)}") from e
        if not block:
            break
        out.write(block)
        digest.update(block)
        size += len(block)
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
