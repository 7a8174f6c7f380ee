"""Atomic file replacement."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkstemp


def sync_directory(folder: Path) -> None:
    """Make a rename in `folder` survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def written_whole(target: Path) -> Iterator[Path]:
    """Yield a temporary path that replaces `target` when the block succeeds and is removed when it raises."""
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        with temporary.open("rb") as f:
            os.fsync(f.fileno())
        temporary.chmod(0o644)
        temporary.replace(target)
        sync_directory(target.parent)
    finally:
        temporary.unlink(missing_ok=True)


def link_or_copy(source: Path, target: Path) -> None:
    """Make `target`, which is not there, a hard link to `source`, or a copy if the filesystem has no hard links."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except OSError:
        target.write_bytes(source.read_bytes())


def replace_by_link(source: Path, target: Path) -> None:
    """Replace `target` atomically by a hard link to `source`, or by a copy if the filesystem has no hard links."""
    with written_whole(target) as temporary:
        temporary.unlink()
        link_or_copy(source, temporary)


def link_whole(source: Path, target: Path) -> None:
    """Replace `target` atomically by a symbolic link to `source`.

    Raises:
        OSError: the filesystem has no symbolic links, or `target` is a folder.
    """
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        temporary.symlink_to(source, target_is_directory=True)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
    sync_directory(target.parent)
