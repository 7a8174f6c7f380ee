"""Publish an audited build by renaming it over the published file; keep the last generations for rollback.

DuckDB allows one writing process. A second `connect` in a process that still has the old file open returns the old
database: long-running readers must close it first, or open a generation by its own path.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import duckdb

from ingest.core.errors import AccelmartError
from warehouse.files import replace_by_link, sync_directory
from warehouse.home import Home

GENERATIONS_KEPT = 3


class NotPublishableError(AccelmartError):
    """The file is not a closed, audited build."""


class NoWarehouseError(AccelmartError):
    """The published warehouse does not exist or cannot be read."""


class NothingToRollBackToError(AccelmartError):
    """The generation to roll back to does not exist."""


@dataclass(frozen=True)
class Generation:
    """One published build, as recorded in its table ``ops_generation``."""

    generation_id: str
    built_at: datetime
    input_fingerprint: str
    path: Path


def open_as_it_is(path: Path) -> duckdb.DuckDBPyConnection:
    """Open the file that is at this path now, read-only.

    `duckdb.connect(path)` returns the file that the process opened first, even if another file has been published at
    that path since. Attaching resolves the path again.

    Raises:
        duckdb.Error: the path is not a database file, or the file is open for writing.
    """
    db = duckdb.connect()
    try:
        quoted = str(path).replace("'", "''")
        db.execute(f"attach '{quoted}' as warehouse (read_only)")
        db.execute("use warehouse")
    except BaseException:
        db.close()
        raise
    return db


def read_generation(path: Path) -> Generation:
    """Return the generation of a warehouse file.

    Raises:
        NoWarehouseError: the file does not exist or is not a warehouse.
    """
    if not path.exists():
        raise NoWarehouseError(f"{path} does not exist. To make it: `make warehouse` or `accelmart build`")
    try:
        with open_as_it_is(path) as db:
            row = db.execute(
                "select generation_id, built_at, input_fingerprint from ops_generation"
            ).fetchone()
    except duckdb.Error as e:
        raise NoWarehouseError(
            f"{path} is not an accelmart warehouse ({e}). To replace it: `accelmart build --force`"
        ) from e
    if row is None:
        raise NoWarehouseError(
            f"{path} does not name its generation. To replace it: `accelmart build --force`"
        )
    return Generation(row[0], row[1], row[2], path)


def generations(home: Home) -> list[Generation]:
    """Return the kept generations, oldest first (file names begin with the build time)."""
    return [read_generation(path) for path in sorted(home.generations.glob("*.duckdb"))]


def publish(build: Path, home: Home, *, keep: int = GENERATIONS_KEPT) -> Generation:
    """Rename an audited, closed build over the published warehouse and keep it as a generation.

    Args:
        build: the new file; it is moved.
        home: the installation.
        keep: how many generations stay, at least 1.

    Raises:
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
    _check_comparison(build, home.published)
    with build.open("rb") as f:
        os.fsync(f.fileno())
    # This link publishes the build; `keep_published` repairs an interruption after it.
    replace_by_link(build, home.published)
    keep_published(home)
    build.unlink(missing_ok=True)
    for old in superseded_generations(home, keep):
        old.unlink()
    sync_directory(home.generations)
    return Generation(
        generation.generation_id, generation.built_at, generation.input_fingerprint, home.published
    )


def superseded_generations(home: Home, keep: int) -> list[Path]:
    """Return the files of generations older than the last `keep`, except the published one."""
    old = sorted(home.generations.glob("*.duckdb"))[:-keep]
    return [p for p in old if not (home.published.exists() and p.samefile(home.published))]


def _check_comparison(build: Path, published: Path) -> None:
    """Raise NotPublishableError unless the build was compared with the published generation."""
    try:
        current = read_generation(published)
    except NoWarehouseError:
        return  # an unreadable file is replaced
    with open_as_it_is(build) as db:
        row = db.execute("select previous_generation_id from ops_generation").fetchone()
    if row != (current.generation_id,):
        raise NotPublishableError(
            f"{build} was compared with generation {row[0] if row else None}, but {current.generation_id} was "
            "published meanwhile: build again"
        )


def keep_published(home: Home) -> None:
    """Add the published file to the generations if it is missing there, as after a crash during publication."""
    home.generations.mkdir(parents=True, exist_ok=True)
    try:
        published = read_generation(home.published)
    except NoWarehouseError:
        return
    kept = home.generations / f"{published.generation_id}.duckdb"
    if not kept.exists():
        replace_by_link(home.published, kept)


def rollback(home: Home, to: str | None = None) -> Generation:
    """Publish an earlier generation again.

    Args:
        home: the installation.
        to: id of the generation; None is the one before the published one.

    Raises:
        NoWarehouseError: nothing is published.
        NothingToRollBackToError: the generation does not exist; the message lists those that do.
    """
    current = read_generation(home.published)
    kept = generations(home)
    known = ", ".join(g.generation_id for g in kept) or "none"
    if to is None:
        earlier = [g for g in kept if g.generation_id < current.generation_id]
        if not earlier:
            raise NothingToRollBackToError(
                f"{current.generation_id} is the oldest generation kept. Kept: {known}"
            )
        chosen = earlier[-1]
    else:
        named = [g for g in kept if g.generation_id == to]
        if not named:
            raise NothingToRollBackToError(f"there is no generation {to}. Kept: {known}")
        chosen = named[0]
    replace_by_link(chosen.path, home.published)
    return Generation(chosen.generation_id, chosen.built_at, chosen.input_fingerprint, home.published)
