"""Restore a backup: every hash is checked before anything that is there is touched."""

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
    MANIFEST,
    SET_ASIDE,
    Backup,
    BackupError,
    Entry,
    maintenance,
)
from warehouse.build import exclusive
from warehouse.files import replace_by_link, sync_directory
from warehouse.home import Home

_BLOCK_BYTES = 1 << 20
_MANIFEST_LIMIT_BYTES = 1 << 30
_UNREADABLE = (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile, UnicodeDecodeError)


class RestoreRefusedError(AccelmartError):
    """The restore was not begun; nothing was changed."""


@dataclass(frozen=True)
class Restored:
    """What a restore did.

    Args:
        backup: what was restored.
        root: the data root.
        set_aside: where what was there before is; None if nothing was.
    """

    backup: Backup
    root: Path
    set_aside: Path | None


def restore(archive: Path, root: Path, *, force: bool = False) -> Restored:
    """Bring a backup back. Every hash is checked before anything that is there is touched.

    Args:
        archive: from `backup`.
        root: the data root to fill.
        force: move what is there aside, into a folder below it.

    Raises:
        RestoreRefusedError: the root is not empty, or the archive is damaged or no backup; nothing was changed.
        BackupError: another backup, restore or prune is running, or the disk does not take it.
        BuildRunningError: a build is running there.
    """
    if not archive.is_file():
        raise RestoreRefusedError(f"{archive} does not exist. Give the file that `accelmart backup` wrote")
    root = root.absolute()
    home = Home(root, str(root / "landing"))
    occupied = _contents(root)
    if occupied and not force:
        raise RestoreRefusedError(
            f"{root} is not empty ({', '.join(p.name for p in occupied[:3])}{', …' if len(occupied) > 3 else ''}). "
            f"Give another --to, or --force: what is there is then moved aside into {SET_ASIDE}…"
        )
    with maintenance(home), exclusive(home, 0):
        staging = Path(mkdtemp(prefix=".restore-", dir=root))
        try:
            made = _unpacked(archive, staging)
            set_aside = _swapped(root, staging)
        except OSError as e:
            raise BackupError(
                f"{archive} was not restored: {e}. What was in {root} is as it was; look at its disk, then call again"
            ) from e
        finally:
            shutil.rmtree(staging, ignore_errors=True)
    return Restored(made, root, set_aside)


def _contents(root: Path) -> list[Path]:
    """What a restore would replace: not the locks, nor the remains of an earlier restore."""
    if not root.exists():
        return []
    if not root.is_dir():
        raise RestoreRefusedError(f"{root} is not a folder. Give another --to")
    passed_over = (".restore-", SET_ASIDE, "lost+found")
    return [p for p in sorted(root.iterdir()) if not p.name.startswith(passed_over) and p.suffix != ".lock"]


def _unpacked(archive: Path, staging: Path) -> Backup:
    """The files of an archive in a folder, each with the hash its manifest tells; or a refusal."""
    found: dict[str, str] = {}
    manifest = b""
    try:
        with tarfile.open(archive, "r:*") as tar:
            for member in tar:
                if member.islnk():
                    continue  # made from the manifest
                source = tar.extractfile(member)
                if source is None:
                    raise _damaged(archive, f"{member.name} is no file")
                if member.name == MANIFEST:
                    manifest = source.read(_MANIFEST_LIMIT_BYTES)
                else:
                    found[member.name] = _write(source, staging / _safe(archive, member.name))
    except _UNREADABLE as e:
        raise _damaged(archive, f"it cannot be read to its end: {e}") from e
    made = _manifest(archive, manifest)
    expected = {f.path: f.sha256 for f in made.files if not f.link_to}
    wrong = sorted(
        {p for p, sha in expected.items() if found.get(p) != sha} | (found.keys() - expected.keys())
    )
    if wrong:
        raise _damaged(archive, f"{len(wrong)} files are not what its manifest says: {', '.join(wrong[:5])}")
    for link in (f for f in made.files if f.link_to):
        if expected.get(link.link_to) != link.sha256:
            raise _damaged(archive, f"{link.path} is said to be {link.link_to}, which is another file")
        replace_by_link(staging / link.link_to, staging / _safe(archive, link.path))
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
        raise _damaged(archive, "it has no manifest: it was cut short, or is no backup of accelmart") from e


def _damaged(archive: Path, problem: str) -> RestoreRefusedError:
    return RestoreRefusedError(
        f"{archive} is not restored: {problem}. Nothing was changed; take another backup"
    )


def _safe(archive: Path, name: str) -> Path:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.parts or "\0" in name:
        raise _damaged(archive, f"it holds a file outside of the data root, {name!r}")
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
    """Put what was staged in the place of what is there. By renames within `root`, which may be a mount point."""
    occupied = _contents(root)
    aside = root / f"{SET_ASIDE}{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}" if occupied else None
    moved: list[tuple[Path, Path]] = []
    try:
        if aside is not None:
            aside.mkdir()
            for path in occupied:
                moved.append((path, path.rename(aside / path.name)))
        for path in sorted(staging.iterdir()):
            moved.append((path, path.rename(root / path.name)))
    except OSError:
        for before, now in reversed(moved):
            now.rename(before)
        raise
    sync_directory(root)
    return aside
