"""Publish an audited build: keep it as a generation, record it as the published one, copy it to where readers look.

Replacing the record (``published.json``) is the publication. The published file is a copy of the kept generation
``generations/<id>.duckdb``, with its own inode, so that a program that writes to the published file leaves the
generation unchanged. Both are read-only and have the time of the build as modification time: another size, mode or
time shows without reading the file that it was changed. `warehouse.outputs` repairs an interrupted publication.

DuckDB allows one writing process. A second `connect` in a process that still has the old file open returns the old
database: long-running readers must close it first, or open a generation by its own path.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb

from accelmart.generation import GenerationId, as_generation_id
from accelmart.opening import is_of_version, open_file, problem_of
from ingest.core.errors import AccelmartError
from ingest.core.stored_json import record_of
from warehouse.database import stated_generation
from warehouse.files import remove_write_permission, sha256_of, sync_path, written_whole
from warehouse.home import GENERATIONS_TO_KEEP, Home

log = logging.getLogger(__name__)
_RECORD = ".record.json"
_CHECKSUM = "sha256_of_this_record"
_RECORDED = {"generation_id", "built_at", "input_fingerprint", "sha256", "bytes"}


class NotPublishableError(AccelmartError):
    """The file is not a closed, audited build."""


class NoWarehouseError(AccelmartError):
    """The published warehouse does not exist or cannot be read."""


class PinnedError(AccelmartError):
    """The published generation is pinned: nothing else may be published."""


@dataclass(frozen=True)
class Generation:
    """One published build, as recorded in its table ``ops_generation``.

    Args:
        generation_id: id; ids sort by the time of the build.
        built_at: time of the build, UTC.
        input_fingerprint: hash of the inputs.
        path: file of the generation.
        sha256: SHA-256 of the file in hexadecimal; empty if it is not recorded.
        bytes: size of the file; 0 if it is not recorded.
    """

    generation_id: GenerationId
    built_at: datetime
    input_fingerprint: str
    path: Path
    sha256: str = ""
    bytes: int = 0

    @property
    def modified_ns(self) -> int:
        """Modification time of its files in nanoseconds since 1970: the microsecond of the build."""
        return round(self.built_at.timestamp() * 10**6) * 1000


@dataclass(frozen=True)
class Publication:
    """What is published.

    Args:
        generation: the published generation; its path is the kept copy, or the published file where that is a copy
            which was downloaded (`accelmart pull`), for readers alone.
        is_pinned: whether the operator keeps it published until `unpin`.
    """

    generation: Generation
    is_pinned: bool = False


# --- reading a file ----------------------------------------------------------------------------------------------


def read_generation(path: Path) -> Generation:
    """Return the generation of a warehouse file.

    Raises:
        NoWarehouseError: the file does not exist, is open for writing or is not a warehouse: what it states is no
            generation, or a public table is a view.
    """
    if not path.exists():
        raise NoWarehouseError(f"{path} does not exist. To make it: `make warehouse` or `accelmart build`")
    try:
        with open_file(path) as db:
            return Generation(*stated_generation(db), path)
    except (duckdb.Error, ValueError, OverflowError) as e:
        if isinstance(e, duckdb.Error) and not is_of_version(e):
            raise NoWarehouseError(problem_of(path, e)) from e
        raise NoWarehouseError(
            f"{path} is not an accelmart warehouse ({e}). To replace it: `accelmart build --force`"
        ) from e


def is_unchanged(path: Path, generation: Generation) -> bool:
    """Whether size, mode and modification time of a file are those that are recorded; the content is not read."""
    try:
        info = path.stat()
    except OSError:
        return False
    is_same = (info.st_size, info.st_mtime_ns) == (generation.bytes, generation.modified_ns)
    return not generation.sha256 or (is_same and not info.st_mode & 0o222)


def is_intact(path: Path, generation: Generation) -> bool:
    """Whether the content of a file has the SHA-256 that is recorded."""
    try:
        return not generation.sha256 or sha256_of(path) == generation.sha256
    except OSError:
        return False


# --- records -----------------------------------------------------------------------------------------------------


def kept_path(home: Home, generation_id: GenerationId) -> Path:
    """Return the path of a generation's kept copy."""
    return home.generations / f"{generation_id}.duckdb"


def publication(home: Home) -> Publication:
    """Return what readers see: what a build of this root published, or a copy that was downloaded.

    Raises:
        NoWarehouseError: nothing is published, or the copy cannot be read.
    """
    return read_record(home) or Publication(read_generation(home.published))


def own_publication(home: Home) -> Publication:
    """Return what a build of this root published.

    Raises:
        NoWarehouseError: nothing; the published file may be a copy that was downloaded, which is for readers alone.
    """
    if record := read_record(home):
        return record
    raise NoWarehouseError(
        f"{home.root} has no build of its own"
        + (f": {home.published.name} in it is a downloaded copy" if home.published.exists() else "")
        + ". To make one: `make warehouse` or `accelmart build`"
    )


def published_copy(home: Home) -> Generation | None:
    """Return the published generation with the path of its kept copy; None if there is none or the copy was changed.

    The published file is not opened: another process may have locked or changed it, and it may be a stranger's.
    """
    record = read_record(home)
    return record.generation if record and is_unchanged(record.generation.path, record.generation) else None


def predecessor(home: Home) -> Generation | None:
    """Return the generation that the next build is compared with: the published one, from its kept copy.

    If that copy is damaged, the newest undamaged one before it; None if there is none.
    """
    current, record = published_copy(home), read_record(home)
    if current is not None or record is None:
        return current
    earlier = [g for g in generations(home) if g.generation_id < record.generation.generation_id]
    return next((g for g in reversed(earlier) if is_intact(g.path, g)), None)


def generations(home: Home) -> list[Generation]:
    """Return the kept generations that were published, oldest first, without those that are visibly damaged."""
    return [generation for generation, has_size in _kept(home) if has_size]


def damaged_generations(home: Home, *, is_read: bool = False) -> list[GenerationId]:
    """Return the ids of kept generations that are damaged, oldest first.

    Args:
        home: the installation.
        is_read: also compare the SHA-256 of each file; otherwise only its size.
    """
    return [
        generation.generation_id
        for generation, has_size in _kept(home)
        if not has_size or (is_read and not is_intact(generation.path, generation))
    ]


def _kept(home: Home) -> Iterator[tuple[Generation, bool]]:
    """Yield each kept generation, and whether its file has the recorded size.

    A file without a record was never published, and the next publication removes it.
    """
    for path in sorted(home.generations.glob(f"*{_RECORD}")):
        if stored := _read_record(home, path):
            generation = stored.generation
            with suppress(FileNotFoundError):  # removed meanwhile
                yield generation, generation.path.stat().st_size == generation.bytes


def _generation_of(home: Home, stored: dict[str, Any]) -> Generation:
    generation_id = as_generation_id(stored["generation_id"])
    return Generation(
        generation_id,
        datetime.fromisoformat(stored["built_at"]),
        str(stored["input_fingerprint"]),
        kept_path(home, generation_id),
        str(stored["sha256"]),
        int(stored["bytes"]),
    )


def _read_record(home: Home, path: Path) -> Publication | None:
    try:
        return parse_record(home, path.read_bytes())
    except OSError:
        return None


def parse_record(home: Home, content: bytes) -> Publication | None:
    """Return a record of a data root from the content of its file; None if it is damaged or of an earlier version."""
    try:
        stored = record_of(dict[str, Any], content, home.publication, "it is written again")
        if stored.keys() >= _RECORDED and stored.pop(_CHECKSUM) == _checksum(stored):
            return Publication(_generation_of(home, stored), is_pinned=bool(stored.get("is_pinned")))
    except (ValueError, KeyError, TypeError, OverflowError):
        pass
    return None


def _checksum(record: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()


def read_record(home: Home) -> Publication | None:
    """Return what is recorded as published; None if there is no record, or if it is damaged."""
    return _read_record(home, home.publication)


def write_publication(home: Home, generation: Generation, *, is_pinned: bool = False) -> None:
    """Publish a kept generation: replace the record of what is published. The caller holds the lock of builds.

    Args:
        home: the installation.
        generation: kept, with SHA-256 and size.
        is_pinned: whether nothing else may be published until the pin is removed.
    """
    with _written_json(generation.path.with_suffix(_RECORD), generation):
        _write_json(home.publication, generation, is_pinned=is_pinned)


def _write_json(path: Path, generation: Generation, **more: Any) -> None:
    with _written_json(path, generation, **more):
        pass


@contextmanager
def _written_json(path: Path, generation: Generation, **more: Any) -> Iterator[None]:
    """Write a record aside; at the end of the block it gets its name."""
    record = {
        "generation_id": generation.generation_id,
        "built_at": generation.built_at.isoformat(),
        "input_fingerprint": generation.input_fingerprint,
        "sha256": generation.sha256,
        "bytes": generation.bytes,
        **more,
    }
    record[_CHECKSUM] = _checksum(record)
    with written_whole(path) as temporary:
        temporary.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        yield


# --- publication -------------------------------------------------------------------------------------------------


def publish(
    build: Path,
    home: Home,
    *,
    keep: int = GENERATIONS_TO_KEEP,
    before: Callable[[Generation], None] = lambda generation: None,
) -> Generation:
    """Keep an audited, closed build as a generation and publish it.

    Args:
        build: the new file; it is moved.
        home: the installation.
        keep: how many generations stay, at least 1.
        before: called with the kept generation before it is published: writes what belongs to the generation.

    Raises:
        PinnedError: the published generation is pinned.
        NotPublishableError: the file has a write-ahead log or no generation id, or it was compared with a generation
            other than the published one.
    """
    wal = build.with_name(build.name + ".wal")
    if wal.exists():
        raise NotPublishableError(
            f"{build} still has a write-ahead log: close its connections, then build again"
        )
    try:
        generation = read_generation(build)
    except NoWarehouseError as e:
        raise NotPublishableError(str(e)) from e
    keep_published(home)
    refuse_if_pinned(home)
    _check_comparison(build, home)
    kept = as_kept(home, generation, build)
    home.generations.mkdir(parents=True, exist_ok=True)
    make_read_only(build, kept)
    with build.open("rb") as f:
        os.fsync(f.fileno())
    build.replace(kept.path)
    sync_path(home.generations)
    before(kept)
    publish_kept(home, kept)
    for old in superseded_generations(home, keep):
        remove_generation(old)
    sync_path(home.generations)
    return replace(kept, path=home.published)


def as_kept(home: Home, generation: Generation, file: Path) -> Generation:
    """Return a generation with the path of its kept copy, and SHA-256 and size of a file of it."""
    return replace(
        generation,
        path=kept_path(home, generation.generation_id),
        sha256=sha256_of(file),
        bytes=file.stat().st_size,
    )


def make_read_only(file: Path, generation: Generation) -> None:
    """Remove the write permission of a generation's file and set its modification time to the time of the build."""
    os.utime(file, ns=(generation.modified_ns, generation.modified_ns))
    remove_write_permission(file)


@contextmanager
def _copied(source: Path, target: Path, generation: Generation) -> Iterator[None]:
    """Copy a file of a generation aside; at the end of the block the copy replaces the target."""
    with written_whole(target, is_read_only=True) as temporary:
        shutil.copyfile(source, temporary)
        sync_path(temporary)
        os.utime(temporary, ns=(generation.modified_ns, generation.modified_ns))
        yield


def publish_kept(home: Home, generation: Generation, *, is_pinned: bool = False) -> None:
    """Publish a kept generation: replace what is recorded as published, and then the published file.

    All that needs room is written before: on a full disk, record and file stay as they were. The caller holds the lock
    of builds.

    Args:
        home: the installation.
        generation: kept, with SHA-256 and size.
        is_pinned: whether nothing else may be published until the pin is removed.
    """
    with _copied(generation.path, home.published, generation):
        write_publication(home, generation, is_pinned=is_pinned)
    _remove_log(home)


def place(home: Home, generation: Generation) -> None:
    """Replace the published file by a copy of the kept generation."""
    with _copied(generation.path, home.published, generation):
        pass
    _remove_log(home)


def _remove_log(home: Home) -> None:
    # DuckDB would apply a write-ahead log of the file before to this one
    home.published.with_name(home.published.name + ".wal").unlink(missing_ok=True)


def refuse_if_pinned(home: Home) -> None:
    """Raise PinnedError if the published generation is pinned."""
    record = read_record(home)
    if record is not None and record.is_pinned:
        raise PinnedError(
            f"generation {record.generation.generation_id} is pinned: nothing else is built or published. "
            "To end that: accelmart rollback --unpin"
        )


def superseded_generations(home: Home, keep: int) -> list[Path]:
    """Return the files of generations older than the last `keep`, and of those never published; not the published one.

    The caller holds `warehouse.locks.exclusive`.
    """
    record = read_record(home)
    files = sorted(home.generations.glob("*.duckdb"))
    kept = [generation.path for generation, _ in _kept(home)][-keep:]
    return [p for p in files if p not in kept and (record is None or p != record.generation.path)]


def remove_generation(path: Path) -> None:
    """Remove a kept generation with its record, report, warnings and versions."""
    for file in path.parent.glob(f"{path.stem}.*"):
        file.unlink(missing_ok=True)


def _check_comparison(build: Path, home: Home) -> None:
    """Raise NotPublishableError unless the build was compared with its predecessor."""
    current = predecessor(home)
    if current is None:
        return  # there is nothing to compare with
    with open_file(build) as db:
        row = db.execute("select previous_generation_id from ops_generation").fetchone()
    if row != (current.generation_id,):
        raise NotPublishableError(
            f"{build} was compared with generation {row[0] if row else None}, but {current.generation_id} was "
            "published meanwhile: build again"
        )


# --- repair ------------------------------------------------------------------------------------------------------


def keep_published(home: Home, *, is_read: bool = False) -> None:
    """Make the published file and its kept generation equal again, whichever of them is undamaged.

    If both are damaged, the kept copy is removed, and the next build is compared with the generation before. Where the
    record of what is published is lost, a kept generation is recorded. A root without one has built nothing: its
    published file is a copy for readers, and stays as it is. The caller holds `warehouse.locks.exclusive`.

    Args:
        home: the installation.
        is_read: compare the SHA-256 of both files; otherwise size, mode and modification time.
    """
    record = read_record(home) or _record_again(home)
    if record is None:
        return
    generation = record.generation
    if not _repaired(generation.path, generation, is_read=is_read):
        if not is_intact(home.published, generation):
            remove_generation(generation.path)
            return
        with _copied(home.published, generation.path, generation):
            pass
    if _read_record(home, generation.path.with_suffix(_RECORD)) is None:
        _write_json(generation.path.with_suffix(_RECORD), generation)
    wal = home.published.with_name(home.published.name + ".wal")
    if wal.exists() or not _repaired(home.published, generation, is_read=is_read):
        place(home, generation)


def _repaired(path: Path, generation: Generation, *, is_read: bool) -> bool:
    """Whether a file is the generation's; one with the right content gets the right mode and time."""
    if is_unchanged(path, generation) and not is_read:
        return True
    if not is_intact(path, generation):
        return False
    if not is_unchanged(path, generation):
        make_read_only(path, generation)
    return True


def _record_again(home: Home) -> Publication | None:
    """Record what is published from the kept generations: the one whose file is published, or the newest; no pin."""
    kept = [generation for generation, _ in _kept(home)]
    if not kept:
        return None
    log.warning("%s is lost or damaged: it is written again, without a pin", home.publication)
    same = [g for g in kept if is_intact(home.published, g)] or [g for g in kept if is_intact(g.path, g)]
    write_publication(home, (same or kept)[-1])
    return Publication((same or kept)[-1])
