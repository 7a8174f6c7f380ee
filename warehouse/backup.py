"""Backups: one tar archive of what no build can make again, and of what is published, with the SHA-256 of every file.

It is unpacked by `tar` into an empty folder and checked by `sha256sum` (docs/operations.md); a build does the rest.
In it are the landing zone, the operator's and the user's decisions, and the published generation with its pointer.
Builds and fetches may run meanwhile: they write files once or rename whole files into place.
"""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from accelmart.generation import GenerationId
from ingest.core.errors import AccelmartError
from warehouse.files import written_whole
from warehouse.home import Home
from warehouse.publish import parse_record

CHECKSUMS = "SHA256SUMS"
_UNREADABLE = (OSError, tarfile.TarError, ValueError)


class BackupError(AccelmartError):
    """A backup failed; nothing was changed."""


@dataclass(frozen=True)
class Saved:
    """What a backup holds.

    Args:
        files: number of files.
        generation_id: of the published generation; None if nothing is published.
    """

    files: int
    generation_id: GenerationId | None


def backup(home: Home, target: Path) -> Saved:
    """Write an archive aside and rename it to `target`. After an error no archive is left.

    Raises:
        BackupError: the target is in the data root, or a file is damaged or cannot be read or written.
    """
    target, sums = target.absolute(), dict[str, str]()
    if not home.root.is_dir() or target.is_dir() or target.resolve().is_relative_to(home.root):
        raise BackupError(f"{target}: give a file outside of the data root {home.root}, which must exist")
    for left in target.parent.glob(f".{target.name}.*.tmp"):  # of a killed backup
        left.unlink(missing_ok=True)
    try:
        pointer = home.publication.read_bytes() if home.publication.exists() else b""
        record = parse_record(home, pointer)
        if pointer and record is None:
            raise BackupError(f"{home.publication} is damaged. To repair it: accelmart build")
        with ExitStack() as stack:
            # opened before the first is copied: what a publication removes meanwhile stays readable
            kept = sorted(home.generations.glob(f"{record.generation.generation_id}.*")) if record else []
            opened = [(f"generations/{p.name}", stack.enter_context(p.open("rb"))) for p in kept]
            temporary = stack.enter_context(written_whole(target))
            tar = stack.enter_context(tarfile.open(temporary, "w"))
            for name, file in opened:
                sums[name] = _add(tar, name, file)
            if record:
                sums[home.publication.name] = _add(tar, home.publication.name, io.BytesIO(pointer))
                if sums.get(f"generations/{record.generation.path.name}") != record.generation.sha256:
                    raise BackupError("the published generation is damaged. What to do: accelmart doctor")
            for name, path in _files_to_save(home):
                with path.open("rb") as file:
                    sums[name] = _add(tar, name, file)
            # last, so that an archive that was cut off has none
            lines = "".join(f"{sha256}  {name}\n" for name, sha256 in sums.items())
            _add(tar, CHECKSUMS, io.BytesIO(lines.encode()))
    except _UNREADABLE as e:
        raise BackupError(f"{target} was not written ({e}). Correct the cause, then try again") from e
    return Saved(len(sums), record.generation.generation_id if record else None)


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
