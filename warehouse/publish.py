"""Publishing: the audited file is renamed over the published one; the last generations stay for rollback.

DuckDB takes one writer process, and a second `connect` inside a process that still holds the old file open
gets the old database: readers that live long must close first, or open a generation by its own path.
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
    """There is no published warehouse here."""


class NothingToRollBackToError(AccelmartError):
    """There is no such earlier generation."""


@dataclass(frozen=True)
class Generation:
    """What a warehouse file says of itself (its table ``ops_generation``)."""

    generation_id: str
    built_at: datetime
    input_fingerprint: str
    path: Path


def open_as_it_is(path: Path) -> duckdb.DuckDBPyConnection:
    """Open the warehouse file that has this name now, read-only.

    `duckdb.connect(path)` gives every caller of a process the file that the first one opened, even if another file has
    been published under that name since. Attaching looks the name up anew.

    Raises:
        duckdb.Error: no database file, or one that is open for writing.
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
    """Open a warehouse file read-only and read what it is.

    Raises:
        NoWarehouseError: no file, or not a warehouse.
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
    """The kept generations, oldest first (their names begin with the time they were built)."""
    return [read_generation(path) for path in sorted(home.generations.glob("*.duckdb"))]


def publish(build: Path, home: Home, *, keep: int = GENERATIONS_KEPT) -> Generation:
    """Rename an audited, closed build over the published warehouse and keep it as a generation.

    Args:
        build: the new file; it is gone from there afterwards.
        home: where it goes.
        keep: how many generations stay, at least 1.

    Raises:
        NotPublishableError: a write-ahead log lies beside the file, it does not name its generation, or it was
            compared with another generation than the one published now.
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
    # The link is the publication: everything after it can be made good by `keep_published`.
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
    """Files of generations older than the last `keep`, the published one excepted."""
    old = sorted(home.generations.glob("*.duckdb"))[:-keep]
    return [p for p in old if not (home.published.exists() and p.samefile(home.published))]


def _check_comparison(build: Path, published: Path) -> None:
    """Its change log and its checks hold against the generation it follows, and no other."""
    try:
        current = read_generation(published)
    except NoWarehouseError:
        return  # what is unreadable is replaced
    with open_as_it_is(build) as db:
        row = db.execute("select previous_generation_id from ops_generation").fetchone()
    if row != (current.generation_id,):
        raise NotPublishableError(
            f"{build} was compared with generation {row[0] if row else None}, but {current.generation_id} was "
            "published meanwhile: build again"
        )


def keep_published(home: Home) -> None:
    """See that the published file stands among the generations, as after a crash in mid-publication."""
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
        to: its id; None is the one before the published one.

    Raises:
        NoWarehouseError: nothing is published.
        NothingToRollBackToError: there is no such generation; the message lists those there are.
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
