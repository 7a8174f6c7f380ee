"""Generations: the builds that were published, each kept as a read-only file ``generations/<id>.duckdb``.

Beside each file stand its record (``<id>.record.json``: SHA-256 and size), its warnings and its report. The SHA-256 in
the record is the only evidence that a file is undamaged. A file without a record was never published.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import duckdb

from accelmart.generation import GenerationId, as_generation_id
from accelmart.opening import is_of_version, open_file, problem_of
from ingest.core.errors import AccelmartError
from ingest.core.stored_json import record_of
from warehouse.storage.database import stated_generation
from warehouse.storage.files import sha256_of, written_whole
from warehouse.storage.home import Home

_RECORD = ".record.json"


class NotPublishableError(AccelmartError):
    """The file is not a closed, audited build."""


class NoWarehouseError(AccelmartError):
    """The published warehouse does not exist or cannot be read."""


@dataclass(frozen=True)
class Generation:
    """One published build.

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


@dataclass(frozen=True)
class Publication:
    """What is published.

    Args:
        generation: the published generation; its path is the kept file, or the published file where that is a copy
            which was downloaded (`accelmart pull`), for readers alone.
        is_pinned: whether the operator keeps it published until `unpin`.
    """

    generation: Generation
    is_pinned: bool = False


@dataclass(frozen=True)
class _Record:
    """Content of a record and of the pointer."""

    generation_id: str
    built_at: datetime
    input_fingerprint: str
    sha256: str
    bytes: int
    is_pinned: bool = False


def read_generation(path: Path) -> Generation:
    """Return the generation that a warehouse file states in its table ``ops_generation``.

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


def is_intact(path: Path, generation: Generation) -> bool:
    """Whether a file has the SHA-256 of a generation; always, where none is recorded (a downloaded copy)."""
    return not generation.sha256 or sha256_if_readable(path) == generation.sha256


def sha256_if_readable(path: Path) -> str | None:
    """Return the SHA-256 of a file; None if it is missing or cannot be read."""
    try:
        return sha256_of(path)
    except OSError:
        return None


# --- kept files --------------------------------------------------------------------------------------------------


def kept_path(home: Home, generation_id: GenerationId) -> Path:
    """Return the path of a generation's kept file."""
    return home.generations / f"{generation_id}.duckdb"


def as_kept(home: Home, generation: Generation, file: Path) -> Generation:
    """Return a generation with the path of its kept file, and SHA-256 and size of a file of it."""
    path = kept_path(home, generation.generation_id)
    return replace(generation, path=path, sha256=sha256_of(file), bytes=file.stat().st_size)


def record_path(generation: Generation) -> Path:
    """Return the path of a kept generation's record."""
    return generation.path.with_suffix(_RECORD)


@contextmanager
def written_record(path: Path, generation: Generation, *, is_pinned: bool = False) -> Iterator[None]:
    """Write a generation's record aside; at the end of the block it replaces the file of that name."""
    record = {
        name: getattr(generation, name) for name in ("generation_id", "input_fingerprint", "sha256", "bytes")
    }
    record |= {"built_at": generation.built_at.isoformat(), "is_pinned": is_pinned}
    with written_whole(path) as temporary:
        temporary.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        yield


def read_record(home: Home, path: Path) -> Publication | None:
    """Return what a record or the pointer names; None if the file is missing or damaged."""
    try:
        stored: _Record = record_of(_Record, path.read_bytes(), path, "accelmart build")
        generation_id = as_generation_id(stored.generation_id)
    except (OSError, ValueError):
        return None
    if stored.built_at.tzinfo is None:
        return None
    return Publication(
        Generation(
            generation_id,
            stored.built_at,
            stored.input_fingerprint,
            kept_path(home, generation_id),
            stored.sha256,
            stored.bytes,
        ),
        stored.is_pinned,
    )


def generations(home: Home) -> list[Generation]:
    """Return the kept generations, oldest first; their files are not read."""
    records = [(path, read_record(home, path)) for path in sorted(home.generations.glob(f"*{_RECORD}"))]
    kept = [
        record.generation for path, record in records if record and path == record_path(record.generation)
    ]
    return [generation for generation in kept if generation.path.exists()]


def damaged_generations(home: Home) -> list[GenerationId]:
    """Return the ids of kept generations whose file has another SHA-256 than recorded, oldest first."""
    return [g.generation_id for g in generations(home) if not is_intact(g.path, g)]


def superseded_generations(home: Home, keep: int, published: GenerationId | None) -> list[Path]:
    """Return the files of generations older than the last `keep`, and of those never published; not the published one.

    The caller holds `warehouse.storage.locks.exclusive`.
    """
    kept = {g.path for g in generations(home)[-keep:]}
    return [p for p in sorted(home.generations.glob("*.duckdb")) if p not in kept and p.stem != published]


def remove_generation(path: Path) -> None:
    """Remove a kept generation with its record, warnings and report."""
    for file in path.parent.glob(f"{path.stem}.*"):
        file.unlink(missing_ok=True)
