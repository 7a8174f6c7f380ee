"""The lock of a data root: one build, publication, rollback, decision or pruning at a time.

It is the only one. The kernel frees it when its holder dies; within a process it can be nested. Landing and raw files
and what dbt parsed need none: each is written aside and renamed, under a name of its own content.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from ingest.core.errors import AccelmartError
from warehouse.storage.home import Home

WAIT_S = 900
"""Seconds that a command which is no build waits for one that is running."""


class BuildRunningError(AccelmartError):
    """Another build holds the lock."""


@contextmanager
def exclusive(home: Home, wait_s: float) -> Iterator[None]:
    """Hold the build lock.

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
            f"another build is running (lock {home.build_lock}). Wait until it ends; build, refresh and prune "
            "do so with --wait SECONDS"
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
