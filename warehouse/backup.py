"""Backups: what of an installation cannot be made again, in one tar with a hash for every file.

Taken while builds and refreshes go on. Everything they write is either added once and never changed (landing, raw) or
renamed into place whole (generations, the published file), so that no build has to wait: a generation is read through a
handle that was opened before the first byte is copied, a database of Dagster through SQLite's own online backup.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import sqlite3
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

import yaml
from filelock import FileLock, Timeout

from ingest.core.errors import AccelmartError
from ingest.core.urls import public_url
from warehouse.files import written_whole
from warehouse.home import Home
from warehouse.publish import NoWarehouseError, read_generation

FORMAT, FORMAT_VERSION = "accelmart-backup", 1
MANIFEST = "MANIFEST.json"
POSTGRES_DUMP = "dagster/postgres.dump"
SET_ASIDE = "before-restore-"
# each made again by the next build, fetch or command
_DERIVED = frozenset({"builds", "repositories", "dbt"})
# gathered on their own, wherever they lie
_OWN_WAY = frozenset({"landing", "dagster", "generations", "accelmart.duckdb", "raw"})
_FOLDED = frozenset({"price_months"})
_SQLITE_HEAD = b"SQLite format 3\0"


class BackupError(AccelmartError):
    """The backup was not made, or is none; what was there before is untouched."""


@dataclass(frozen=True)
class Entry:
    """One file of a backup.

    Args:
        path: below the data root, with forward slashes.
        bytes: its size.
        sha256: of its content.
        link_to: the entry that is the same file (the published one is one of its generations); else empty.
    """

    path: str
    bytes: int
    sha256: str
    link_to: str = ""


@dataclass(frozen=True)
class Backup:
    """What a backup holds.

    Args:
        path: of the archive.
        made_at: aware, UTC.
        code_version: of accelmart, when it was made.
        generation_id: the published generation; None where nothing was published.
        left_out: what is not in it and has to be saved by other means, each with how.
        files: its entries.
    """

    path: Path
    made_at: datetime
    code_version: str
    generation_id: str | None
    left_out: list[str]
    files: list[Entry]

    @property
    def bytes(self) -> int:
        """Bytes of all its files, each counted once."""
        return sum(f.bytes for f in self.files if not f.link_to)


@contextmanager
def maintenance(home: Home) -> Iterator[None]:
    """One backup, restore or pruning at a time. The kernel frees the lock when its holder dies.

    Raises:
        BackupError: another one is running, or the data root cannot be written.
    """
    try:
        home.root.mkdir(parents=True, exist_ok=True)
        lock = FileLock(home.maintenance_lock)
        lock.acquire(timeout=0)
    except Timeout as e:
        raise BackupError(
            f"another backup, restore or prune is running (lock {home.maintenance_lock}). Wait for it, then call again"
        ) from e
    except OSError as e:
        raise BackupError(
            f"{home.root} cannot be written ({e.strerror}). Run as the user the data belong to"
        ) from e
    try:
        yield
    finally:
        lock.release()


def backup(home: Home, dagster_home: Path, target: Path) -> Backup:
    """Write one archive, whole or not at all.

    Args:
        home: the installation.
        dagster_home: Dagster's folder.
        target: the archive to write, compressed if its name ends in ``.gz`` or ``.tgz``; or a folder that exists, where
            it is named by the time.

    Returns:
        What is in it.

    Raises:
        BackupError: there is nothing to save, the target lies in the data root, or something cannot be read or written.
    """
    made_at = datetime.now(UTC)
    target = target.absolute()
    if target.is_dir():
        target = target / f"{FORMAT}-{made_at:%Y%m%dT%H%M%SZ}.tar.gz"
    if target.resolve().is_relative_to(home.root):
        raise BackupError(
            f"{target} lies in the data root {home.root}: what destroys the data would destroy their backup. "
            "Give a place outside, best on another disk"
        )
    if not home.root.is_dir():
        raise BackupError(f"{home.root} does not exist: there is nothing to save. Check ACCELMART_HOME")
    mode = "w:gz" if target.suffix in (".gz", ".tgz") else "w"
    # generations and Parquet are compressed already: more effort costs time and saves little
    effort = {"compresslevel": 1} if mode == "w:gz" else {}
    try:
        with (
            maintenance(home),
            written_whole(target) as temporary,
            tarfile.open(temporary, mode, format=tarfile.PAX_FORMAT, dereference=True, **effort) as tar,  # type: ignore[call-overload]
        ):
            job = _Job(tar, home, dagster_home)
            done = Backup(target, made_at, version("accelmart"), job.run(), job.left_out, job.entries)
            body = {
                "format": FORMAT,
                "format_version": FORMAT_VERSION,
                **asdict(done),
                "path": "",
                "made_at": made_at.isoformat(),
            }
            # last, so that an archive cut short has none
            _add_bytes(tar, MANIFEST, (json.dumps(body, indent=1) + "\n").encode())
    except (OSError, sqlite3.Error, yaml.YAMLError) as e:
        raise BackupError(
            f"the backup {target} was not written: {e}. Look at the place named and its disk, then call again"
        ) from e
    return done


@dataclass
class _Job:
    tar: tarfile.TarFile
    home: Home
    dagster_home: Path
    entries: list[Entry] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def run(self) -> str | None:
        """Add everything; the id of the published generation."""
        with ExitStack() as stack:
            generation = self._generations(stack)
            self._dagster()
            self._landing()
            self._raw()
            for path in _files_below(self.home.root, skip=_DERIVED | _OWN_WAY):
                self._add_if_there(path.relative_to(self.home.root).as_posix(), path)
        return generation

    def _generations(self, stack: ExitStack) -> str | None:
        # opened all at once: a publication meanwhile may unlink them, it cannot take them from us
        kept: dict[str, IO[bytes]] = {}
        for path in sorted(self.home.generations.glob("*.duckdb")):
            with suppress(FileNotFoundError):  # superseded since it was listed
                kept[f"generations/{path.name}"] = stack.enter_context(path.open("rb"))
        published = None
        if self.home.published.exists():
            published = stack.enter_context(self.home.published.open("rb"))
        added = {name: self._add_open(name, file) for name, file in kept.items()}
        if published is None:
            return None
        name = self.home.published.name
        # usually the same file as one of them; after a copy by other means only the same content
        sha256 = hashlib.file_digest(published, "sha256").hexdigest()
        same = next((e for e in added.values() if e.sha256 == sha256), None)
        if same is None:
            published.seek(0)
            self._add_open(name, published)
        else:
            info = tarfile.TarInfo(name)
            info.type, info.linkname = tarfile.LNKTYPE, same.path
            self.tar.addfile(info)
            self.entries.append(Entry(name, same.bytes, same.sha256, link_to=same.path))
        try:
            return read_generation(self.home.published).generation_id
        except NoWarehouseError as e:
            self.left_out.append(f"a published warehouse: {e}")
            return None

    def _dagster(self) -> None:
        if _is_on_postgres(self.dagster_home):
            self._postgres()
        with TemporaryDirectory(prefix="accelmart-backup-") as folder:
            copy = Path(folder) / "copy.db"
            for path in _files_below(self.dagster_home):
                name = f"dagster/{path.relative_to(self.dagster_home).as_posix()}"
                if path.name.endswith((".db-wal", ".db-shm", ".db-journal", ".pid", ".sock")):
                    continue  # in the copy of their database; or of a process
                if _is_sqlite(path):
                    copy.unlink(missing_ok=True)
                    _copy_sqlite(path, copy)
                    self._add(name, copy)
                else:
                    self._add(name, path)

    def _postgres(self) -> None:
        """Dagster's storage by PostgreSQL's own tool, which reads PGHOST, PGUSER and so on as dagster.yaml does."""
        by_hand = "save it with `pg_dump --format=custom`, and bring it back with `pg_restore --clean`"
        tool = shutil.which("pg_dump")
        if tool is None:
            self.left_out.append(
                f"Dagster's storage in PostgreSQL (pg_dump is not installed here): {by_hand}"
            )
            return
        with TemporaryDirectory(prefix="accelmart-backup-") as folder:
            dump = Path(folder) / "postgres.dump"
            done = subprocess.run(
                [tool, "--format=custom", "--no-password", f"--file={dump}"],
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                raise BackupError(f"pg_dump of Dagster's storage failed: {public_url(done.stderr.strip())}")
            self._add(POSTGRES_DUMP, dump)

    def _landing(self) -> None:
        folder = self.home.local_landing
        if folder is None:
            self.left_out.append(
                f"the landing zone {public_url(self.home.landing_url)}: it lies on a remote filesystem. "
                "Save it there, with its versioning or replication"
            )
            return
        # an object is written before the record that names it: in this order every record finds its object
        for part in ("manifest", ""):
            for path in _files_below(folder / part, skip=frozenset({"tmp"} | ({"manifest"} - {part}))):
                self._add(f"landing/{path.relative_to(folder).as_posix()}", path)

    def _raw(self) -> None:
        """Parsed parts; never an account without the rows it accounts for.

        A part is there when its account is, which is written last: so the accounts are saved first. The folded months
        are left out: they are replaced while a refresh runs, and the next build folds them again from the parts.
        """
        for is_turn_of_accounts in (True, False):
            for path in list(_files_below(self.home.raw, skip=_FOLDED)):
                if path.parent.name.endswith("reconciliation") is is_turn_of_accounts:
                    self._add_if_there(path.relative_to(self.home.root).as_posix(), path)

    def _add_if_there(self, name: str, path: Path) -> None:
        """For what can be made again: it may have been replaced since it was listed."""
        with suppress(FileNotFoundError):
            self._add(name, path)

    def _add(self, name: str, path: Path) -> None:
        with path.open("rb") as file:
            self._add_open(name, file)

    def _add_open(self, name: str, file: IO[bytes]) -> Entry:
        info = self.tar.gettarinfo(arcname=name, fileobj=file)
        info.uid = info.gid = 0
        info.uname = info.gname = ""
        reader = _Hashed(file)
        # exactly as many bytes as the file had when it was opened: a log may grow meanwhile
        self.tar.addfile(info, reader)  # type: ignore[arg-type]
        entry = Entry(name, info.size, reader.digest.hexdigest())
        self.entries.append(entry)
        return entry


class _Hashed:
    """Reads a file and hashes what was read."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self.digest = file, hashlib.sha256()

    def read(self, size: int) -> bytes:
        data = self._file.read(size)
        self.digest.update(data)
        return data


def _files_below(folder: Path, skip: frozenset[str] = frozenset()) -> Iterator[Path]:
    """Files of a folder but for locks, temporary ones and what a restore set aside; `skip` are names at its top."""
    for place, folders, names in os.walk(folder):
        is_top = Path(place) == folder
        folders[:] = sorted(
            d
            for d in folders
            if not d.startswith(".restore-") and not (is_top and (d in skip or d.startswith(SET_ASIDE)))
        )
        for name in sorted(names):
            is_temporary = name.startswith(".") and name.endswith(".tmp")
            path = Path(place) / name
            if name.endswith(".lock") or is_temporary or (is_top and name in skip) or not path.is_file():
                continue
            yield path


def _add_bytes(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    tar.addfile(info, io.BytesIO(data))


def _is_sqlite(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_SQLITE_HEAD)) == _SQLITE_HEAD


def _copy_sqlite(source: Path, target: Path) -> None:
    """SQLite's online backup: consistent whatever is being written."""
    # closing is what `with` on a connection does not do
    reading, writing = sqlite3.connect(source), sqlite3.connect(target)
    try:
        reading.backup(writing)
    finally:
        reading.close()
        writing.close()


def _is_on_postgres(dagster_home: Path) -> bool:
    settings = dagster_home / "dagster.yaml"
    if not settings.exists():
        return False
    found = yaml.safe_load(settings.read_text(encoding="utf-8")) or {}
    return isinstance(found, dict) and "postgres" in (found.get("storage") or {})
