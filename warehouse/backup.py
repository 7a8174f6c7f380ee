"""Backups: one tar archive of what no build can make again, and of what is published, with the SHA-256 of every file.

In it are the landing zone, the operator's and the user's decisions, and the published generation with its pointer.
Builds and fetches may run meanwhile: they write files once or rename whole files into place.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import tarfile
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from ingest.core.errors import AccelmartError
from warehouse.files import sha256_of, sync_path, written_whole
from warehouse.home import Home

MANIFEST, FORMAT = "MANIFEST.json", "accelmart-backup 2"
# folders of a restore in the data root: its files while they are extracted, and once they are checked
UNCHECKED, CHECKED = ".restore.part", ".restore"
_ALLOWED = {"dagster", "lost+found", "build.lock"}
_UNREADABLE = (OSError, EOFError, tarfile.TarError, LookupError, ValueError, TypeError)


class BackupError(AccelmartError):
    """A backup or a restore failed; nothing was changed."""


def backup(home: Home, target: Path) -> dict[str, Any]:
    """Write an archive aside and rename it to `target`; return its manifest. After an error no archive is left.

    Raises:
        BackupError: the target is in the data root, or a file is damaged or cannot be read or written.
    """
    target, files = target.absolute(), {}
    if not home.root.is_dir() or target.is_dir() or target.resolve().is_relative_to(home.root):
        raise BackupError(f"{target}: give a file outside of the data root {home.root}, which must exist")
    for left in target.parent.glob(f".{target.name}.*.tmp"):  # of a killed backup
        left.unlink(missing_ok=True)
    try:
        pointer = home.publication.read_bytes() if home.publication.exists() else b"{}"
        record: dict[str, str] = json.loads(pointer)
        with ExitStack() as stack:
            # opened before the first is copied: what a publication removes meanwhile stays readable
            kept = sorted(home.generations.glob(f"{record.get('generation_id')}.*"))
            opened = [(f"generations/{p.name}", stack.enter_context(p.open("rb"))) for p in kept]
            temporary = stack.enter_context(written_whole(target))
            tar = stack.enter_context(tarfile.open(temporary, "w"))
            for name, file in opened:
                files[name] = _add(tar, name, file)
            if record:
                files[home.publication.name] = _add(tar, home.publication.name, io.BytesIO(pointer))
            if record and files.get(f"generations/{record['generation_id']}.duckdb") != record["sha256"]:
                raise BackupError("the published generation is damaged. What to do: accelmart doctor")
            for name, path in _files_to_save(home):
                with path.open("rb") as file:
                    files[name] = _add(tar, name, file)
            made_at = datetime.now(UTC).isoformat(timespec="seconds")
            manifest = {"format": FORMAT, "made_at": made_at, "published": record, "files": files}
            # last, so that an archive that was cut off has none
            _add(tar, MANIFEST, io.BytesIO(json.dumps(manifest, indent=1).encode()))
    except _UNREADABLE as e:
        raise BackupError(f"{target} was not written ({e}). Correct the cause, then try again") from e
    return manifest


def _files_to_save(home: Home) -> Iterator[tuple[str, Path]]:
    """Yield name and path of each file; records before payloads, which are written before their records."""
    decisions = (home.holds, home.accepted_payloads, home.scenarios, *home.overrides.rglob("*"))
    yield from ((p.relative_to(home.root).as_posix(), p) for p in decisions if p.is_file())
    if landing := home.local_landing:
        for part in ("manifest", "objects", "quarantine"):
            paths = [p for p in (landing / part).rglob("*") if p.is_file()]
            yield from ((f"landing/{p.relative_to(landing).as_posix()}", p) for p in paths)


def _add(tar: tarfile.TarFile, name: str, file: IO[bytes]) -> str:
    """Add an open file to the archive and return its SHA-256."""
    sha256 = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
    info = tarfile.TarInfo(name)
    info.size = file.seek(0, os.SEEK_END)
    file.seek(0)
    tar.addfile(info, file)
    return sha256


def restore(archive: Path, home: Home) -> dict[str, Any]:
    """Restore an archive into an empty data root and return its manifest; all hashes are checked before.

    The caller holds `warehouse.locks.exclusive`, and calls `warehouse.outputs.repair` afterwards.

    Raises:
        BackupError: the data root is not empty, or the archive is damaged or of another format.
    """
    if finish_restore(home):
        raise BackupError(f"an interrupted restore of {home.root} was finished. Next: accelmart build")
    if occupied := sorted({p.name for p in home.root.iterdir()} - _ALLOWED):
        raise BackupError(f"{home.root} is not empty ({', '.join(occupied[:3])}): give another --to")
    staging = home.root / UNCHECKED
    try:
        manifest = _extract(archive, staging)
        os.sync()
        staging.rename(home.root / CHECKED)
        finish_restore(home)
    except _UNREADABLE as e:
        raise BackupError(
            f"{archive} was not restored: no whole backup of this version ({e}). "
            "One of an earlier version is a copy of a data root: unpack it with tar"
        ) from e
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return manifest


def _extract(archive: Path, folder: Path) -> dict[str, Any]:
    with tarfile.open(archive, "r:") as tar:
        manifest: dict[str, Any] = json.load(tar.extractfile(MANIFEST))  # type: ignore[arg-type]
        if manifest["format"] != FORMAT:
            raise ValueError(f"its format is {manifest['format']}")
        members = [member for member in tar if member.isreg() and member.name != MANIFEST]
        if sorted(m.name for m in members) != sorted(manifest["files"]):
            raise ValueError("its files are not those of its manifest")
        tar.extractall(folder, members, filter="data")
    for name, sha256 in manifest["files"].items():
        if sha256_of(folder / name) != sha256:
            raise ValueError(f"{name} is not as it was saved")
    return manifest


def finish_restore(home: Home) -> bool:
    """Move the checked files of a restore into place, also of a killed one; the caller holds the lock of builds."""
    shutil.rmtree(home.root / UNCHECKED, ignore_errors=True)
    if not (checked := home.root / CHECKED).is_dir():
        return False
    for path in checked.iterdir():
        path.rename(home.root / path.name)
    sync_path(home.root)
    checked.rmdir()
    return True
