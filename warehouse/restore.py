"""Restore a backup. Every hash is checked before existing data are changed."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import shutil
import tarfile
import zlib
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from tempfile import mkdtemp
from typing import IO, Any

from ingest.core.errors import AccelmartError
from warehouse.backup import (
    FORMAT,
    FORMAT_VERSION,
    INTERRUPTED,
    MANIFEST,
    SET_ASIDE,
    SWAP,
    Backup,
    BackupError,
    Entry,
    maintenance,
)
from warehouse.disk import disk_full, full_path, is_disk_full
from warehouse.files import replace_by_copy, written_whole
from warehouse.home import Home
from warehouse.locks import exclusive
from warehouse.outputs import repair
from warehouse.restore_swap import FILES, finish_restore, finish_swap

_BLOCK_BYTES = 1 << 20
_MANIFEST_LIMIT_BYTES = 1 << 30
_UNREADABLE = (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile, UnicodeDecodeError)


class RestoreRefusedError(AccelmartError):
    """The restore was refused; nothing was changed."""


@dataclass(frozen=True)
class Restored:
    """Result of a restore.

    Args:
        backup: the restored backup.
        root: the data root.
        set_aside: folder with the data that were replaced; None if the data root was empty.
        problems: one message for each output that could not be made.
    """

    backup: Backup
    root: Path
    set_aside: Path | None
    problems: list[str]


def restore(archive: Path, root: Path, *, force: bool = False) -> Restored:
    """Restore a backup. Every hash is checked before existing data are changed.

    Args:
        archive: a file written by `backup`.
        root: the data root to fill.
        force: move existing data into a folder below the data root.

    Raises:
        RestoreRefusedError: the root is not empty, or the archive is damaged or not a backup; nothing was changed.
        BackupError: another backup, restore or prune is running, or a file cannot be written.
        DiskFullError: the disk is full; nothing was changed.
        BuildRunningError: a build is running there.
    """
    if not archive.is_file():
        raise RestoreRefusedError(f"{archive} does not exist. Give the file that `accelmart backup` wrote")
    root = root.absolute()
    home = Home(root, str(root / "landing"))
    is_interrupted = any(root.glob(f"{INTERRUPTED}*"))
    if not is_interrupted:
        _refuse_if_occupied(root, force=force)
    with maintenance(home), exclusive(home, 0):
        if is_interrupted:
            finish_restore(home)
            _refuse_if_occupied(root, force=force)
        staging = Path(mkdtemp(prefix=INTERRUPTED, dir=root))
        try:
            made = _unpacked(archive, staging / FILES)
            set_aside = _swapped(root, staging)
        except OSError as e:
            if is_disk_full(e):
                shutil.rmtree(staging, ignore_errors=True)
                raise disk_full(full_path(e) or root, archive.stat().st_size) from e
            raise BackupError(
                f"{archive} was not restored: {e}. The data in {root} are unchanged; check its disk, then try again"
            ) from e
        finally:
            shutil.rmtree(staging, ignore_errors=True)
        problems = repair(home)
    return Restored(made, root, set_aside, problems)


def _refuse_if_occupied(root: Path, *, force: bool) -> None:
    occupied = _contents(root)
    if occupied and not force:
        raise RestoreRefusedError(
            f"{root} is not empty ({', '.join(p.name for p in occupied[:3])}{', …' if len(occupied) > 3 else ''}). "
            f"Give another --to, or --force to move the existing data into {SET_ASIDE}…"
        )


def _contents(root: Path) -> list[Path]:
    """Return what a restore would replace: everything but locks and the remains of an earlier restore."""
    if not root.exists():
        return []
    if not root.is_dir():
        raise RestoreRefusedError(f"{root} is not a folder. Give another --to")
    ignored = (INTERRUPTED, SET_ASIDE, "lost+found")
    return [p for p in sorted(root.iterdir()) if not p.name.startswith(ignored) and p.suffix != ".lock"]


def _unpacked(archive: Path, staging: Path) -> Backup:
    """Unpack an archive into a folder and return its manifest.

    Raises:
        RestoreRefusedError: a file is missing, unexpected or differs from its hash in the manifest.
    """
    sha256_of: dict[str, str] = {}
    manifest = b""
    try:
        with tarfile.open(archive, "r:*") as tar:
            for member in tar:
                if member.islnk():
                    continue  # created from the manifest below
                source = tar.extractfile(member)
                if source is None:
                    raise _damaged(archive, f"{member.name} is not a file")
                if member.name == MANIFEST:
                    manifest = source.read(_MANIFEST_LIMIT_BYTES)
                else:
                    sha256_of[member.name] = _write(source, staging / _safe(archive, member.name))
    except _UNREADABLE as e:
        raise _damaged(archive, f"it cannot be read completely: {e}") from e
    made = _manifest(archive, manifest)
    expected = {f.path: f.sha256 for f in made.files if not f.link_to}
    wrong = sorted(
        {p for p, sha in expected.items() if sha256_of.get(p) != sha} | (sha256_of.keys() - expected.keys())
    )
    if wrong:
        raise _damaged(archive, f"{len(wrong)} files differ from its manifest: {', '.join(wrong[:5])}")
    for link in (f for f in made.files if f.link_to):
        if expected.get(link.link_to) != link.sha256:
            raise _damaged(
                archive,
                f"{link.path} and {link.link_to} must be equal, but their hashes in the manifest differ",
            )
        replace_by_copy(staging / link.link_to, staging / _safe(archive, link.path))
    return made


def _manifest(archive: Path, data: bytes) -> Backup:
    try:
        body: dict[str, Any] = json.loads(data)
        if body["format"] != FORMAT or body["format_version"] > FORMAT_VERSION:
            raise _damaged(
                archive,
                f"it is {body['format']} {body['format_version']}; this accelmart reads {FORMAT_VERSION}",
            )
        return Backup(
            archive,
            datetime.fromisoformat(body["made_at"]),
            str(body["code_version"]),
            body["generation_id"],
            list(body["left_out"]),
            [Entry(**f) for f in body["files"]],
        )
    except (ValueError, KeyError, TypeError) as e:
        raise _damaged(
            archive, "it has no valid manifest: it is truncated or not a backup of accelmart"
        ) from e


def _damaged(archive: Path, problem: str) -> RestoreRefusedError:
    return RestoreRefusedError(
        f"{archive} is not restored: {problem}. Nothing was changed; use another backup"
    )


def _safe(archive: Path, name: str) -> Path:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.parts or "\0" in name:
        raise _damaged(archive, f"it has a file outside the data root, {name!r}")
    return Path(path)


def _write(source: IO[bytes], target: Path) -> str:
    target.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with target.open("xb") as out:
        while block := source.read(_BLOCK_BYTES):
            digest.update(block)
            out.write(block)
        out.flush()
        os.fsync(out.fileno())
    return digest.hexdigest()


def _swapped(root: Path, staging: Path) -> Path | None:
    """Replace the contents of `root` by the staged files. Return the folder of the replaced ones, if any.

    The plan is written first: `finish_restore` finishes a swap that was killed. After an error all is undone.
    """
    occupied = [path.name for path in _contents(root)]
    aside = f"{SET_ASIDE}{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}" if occupied else ""
    with written_whole(staging / SWAP) as temporary:
        temporary.write_text(json.dumps({"replaced": occupied, "aside": aside}), encoding="utf-8")
    finish_swap(root, staging)
    return root / aside if aside else None
