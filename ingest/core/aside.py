"""Temporary files and folders: their writer holds a lock on each, which shows those that a killed process left.

The kernel frees the lock when its holder dies, whichever container or user it ran in. Where a filesystem has no locks,
nothing counts as left.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def held(path: Path) -> Iterator[Path]:
    """Hold the lock on a temporary file, which is made, or on a folder that is there; neither is removed.

    Args:
        path: of the file or folder. The file is written by its path, and not replaced meanwhile.
    """
    making = 0 if path.is_dir() else os.O_CREAT | os.O_EXCL
    handle = os.open(path, os.O_RDONLY | making, 0o666)
    try:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_SH)
        yield path
    finally:
        os.close(handle)


def is_left(path: Path) -> bool:
    """Whether nobody holds a temporary file or folder: the process that made it was killed."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(handle)
    return True
