"""The lock of a data root. The kernel frees it when its holder dies; within a process it can be nested."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from ingest.core.errors import AccelmartError
from warehouse.home import Home


class BuildRunningError(AccelmartError):
    """Another build holds the lock."""


@contextmanager
def exclusive(home: Home, wait_s: float) -> Iterator[None]:
    """Hold the build lock: one build, publication or rollback at a time.

    Args:
        home: the installation.
        wait_s: seconds to wait for another holder.

    Raises:
        BuildRunningError: another build runs for longer than `wait_s`.
    """
    home.root.mkdir(parents=True, exist_ok=True)
    lock = FileLock(home.build_lock, is_singleton=True)
    try:
        lock.acquire(timeout=wait_s)
    except Timeout as e:
        raise BuildRunningError(
            f"another build is running (lock {home.build_lock}). Wait for it, or call again with --wait SECONDS"
        ) from e
    try:
        yield
    finally:
        lock.release()


def holder_of(lock: Path) -> int | None:
    """Return the id of the process that holds a lock; None if none does, or where the kernel does not tell."""
    table = Path("/proc/locks")
    for line in table.read_text(encoding="ascii").splitlines() if table.exists() and lock.exists() else ():
        _, kind, _, _, pid, place, *_ = line.split()
        if kind == "FLOCK" and place.rpartition(":")[2] == str(lock.stat().st_ino):
            return int(pid)
    return None
