"""Atomic file replacement."""

from __future__ import annotations

import errno
import hashlib
import logging
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

from ingest.core.aside import held
from ingest.core.stored_json import RecordDamaged, record_of

T = TypeVar("T")
log = logging.getLogger(__name__)

# the disk, the quota or the permitted file size is used up
DISK_FULL_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def read_derived(path: Path, kind: Any, default: T) -> T:
    """Read a JSON file that a build writes again.

    Args:
        path: the file.
        kind: the type of its value, see `ingest.core.stored_json.record_of`.
        default: the value if there is no file, or if it is damaged, which is logged.
    """
    try:
        record: T = record_of(kind, path.read_bytes(), path, "it is not used; the next build writes it again")
    except FileNotFoundError:
        return default
    except RecordDamaged as e:
        log.warning("%s", e)
        return default
    return record


def read_yaml(path: Path) -> Any:
    """Return the document of a YAML file, with libyaml where it is there: ten times as fast as Python alone.

    Raises:
        OSError, yaml.YAMLError: the file cannot be read.
    """
    import yaml  # what only looks whether anything is new needs none

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load(path.read_bytes(), Loader=loader)  # noqa: S506  a safe loader, either of the two


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sync_path(path: Path) -> None:
    """Make the content of a file, or the names in a folder, survive a power cut."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def written_whole(target: Path, *, is_read_only: bool = False) -> Iterator[Path]:
    """Yield a temporary path that replaces `target` when the block succeeds and is removed when it raises.

    Args:
        target: the file to write or replace. Its permissions follow the umask.
        is_read_only: without write permissions.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.{uuid4().hex}.tmp")
    try:
        with held(temporary):
            yield temporary
            sync_path(temporary)
            if is_read_only:
                remove_write_permission(temporary)
            temporary.replace(target)
            sync_path(target.parent)
    finally:
        temporary.unlink(missing_ok=True)


def remove_write_permission(file: Path) -> None:
    """Remove the write permissions of a file, if it has any."""
    if (mode := file.stat().st_mode) & 0o222:
        file.chmod(mode & 0o555)


def replace_by_copy(source: Path, target: Path) -> None:
    """Replace `target` atomically by a copy of `source` with its own inode."""
    with written_whole(target) as temporary:
        shutil.copyfile(source, temporary)


def link_or_copy(source: Path, target: Path) -> None:
    """Make `target` a hard link to `source`, or a copy if the filesystem has no hard links.

    Raises:
        FileExistsError: `target` is there. It may be a link to another file, which must not be written.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except FileExistsError:
        raise
    except OSError:
        target.write_bytes(source.read_bytes())


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
    sync_path(target.parent)


def remove_path(path: Path) -> None:
    """Remove a file, or a folder with all that is in it; it may be gone already."""
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
