"""Disk space: how much a build needs, and the message when a disk is full."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile

from ingest.core.errors import AccelmartError
from warehouse.storage.files import DISK_FULL_ERRORS
from warehouse.storage.home import Home

# the file being built, which has the internal tables too, is about three times the published one, of which two copies
# are made; spill files of dbt and DuckDB come to that
_LEAST_BYTES, _PUBLISHED_FILES = 512 << 20, 5
# of DuckDB and SQLite, and of a limit on the size of a file
_PHRASES = ("No space left on device", "database or disk is full", "Disk quota exceeded", "File too large")


class DiskFullError(AccelmartError):
    """A disk is full; what is published is unchanged."""


def build_needs(home: Home) -> int:
    """Return the free bytes that a build needs."""
    published = home.published.stat().st_size if home.published.exists() else 0
    return max(_LEAST_BYTES, _PUBLISHED_FILES * published)


def require_room(home: Home) -> None:
    """Raise DiskFullError if five times the published file does not fit: programs would end in mid-file."""
    size = home.published.stat().st_size if home.published.exists() else 0
    if shutil.disk_usage(home.root).free < _PUBLISHED_FILES * size:
        raise disk_full(home.root, build_needs(home))


def is_disk_full(error: BaseException) -> bool:
    """Whether an error, or one that caused it, is that of a full disk, quota or permitted file size."""
    return any(
        (isinstance(e, OSError) and e.errno in DISK_FULL_ERRORS) or any(p in str(e) for p in _PHRASES)
        for e in _chain(error)
    )


def refusal_of(folder: Path) -> OSError | None:
    """Return the error of a folder in which a file cannot be written; None if it can."""
    try:
        with TemporaryFile(dir=folder) as file:
            file.write(bytes(4096))
    except OSError as e:
        e.filename = str(folder)
        return e
    return None


def full_path(error: BaseException) -> Path | None:
    """Return the path that could not be written, if the error names it."""
    names = [e.filename for e in _chain(error) if isinstance(e, OSError) and e.errno in DISK_FULL_ERRORS]
    return next((Path(name) for name in names if isinstance(name, str)), None)


def disk_full(place: Path, needed_bytes: int | None = None) -> DiskFullError:
    """Return the error of a full disk.

    Args:
        place: a path on the disk; it need not exist.
        needed_bytes: what the command needs; None if that is not known.
    """
    existing = next(p for p in (place.absolute(), *place.absolute().parents) if p.exists())
    free = shutil.disk_usage(existing).free
    needed = f", at least {needed_bytes / 2**20:,.0f} MiB are needed" if needed_bytes else ""
    return DiskFullError(
        f"the disk, the quota or the permitted file size is used up at {existing}: {free / 2**20:,.0f} MiB are free on "
        f"the disk{needed}. What is published is unchanged. Free space (`accelmart prune --dry-run` lists what can be "
        "removed) or use a larger disk, then repeat the command"
    )


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    following: BaseException | None = error
    while following is not None and id(following) not in seen:
        seen.add(id(following))
        yield following
        following = following.__cause__ or following.__context__
