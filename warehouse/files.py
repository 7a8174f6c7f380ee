"""Files that are either there whole or not at all."""

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
    """A temporary path beside `target` that becomes it when the block ends well, and vanishes when not."""
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


def replace_by_link(source: Path, target: Path) -> None:
    """Let `target` be the same file as `source`, atomically; a copy where the filesystem has no hard links."""
    with written_whole(target) as temporary:
        temporary.unlink()
        try:
            os.link(source, temporary)
        except OSError:
            temporary.write_bytes(source.read_bytes())


def link_whole(source: Path, target: Path) -> None:
    """Let `target` be a symbolic link to `source`, in one step.

    Raises:
        OSError: there are no such links here, or a folder stands in the way.
    """
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        temporary.symlink_to(source, target_is_directory=True)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
    sync_directory(target.parent)
