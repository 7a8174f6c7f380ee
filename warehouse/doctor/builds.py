"""Check builds, the published file and its generations, the bundled snapshot, and the operator's holds."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from ingest.core.errors import AccelmartError
from warehouse.database import lock_message
from warehouse.doctor.finding import Finding
from warehouse.doctor.storage import holder_of
from warehouse.holds import read_holds
from warehouse.home import Home
from warehouse.outcome import last_outcome, shortened, unpublished
from warehouse.output_state import PUBLISHED, behind
from warehouse.publish import (
    NoWarehouseError,
    damaged_generations,
    is_intact,
    publication,
    read_record,
)
from warehouse.query import query


def held(home: Home) -> Iterator[Finding]:
    """List what the operator holds or withdraws, as a reminder; it is not a problem."""
    try:
        items = read_holds(home).items
    except AccelmartError as e:
        yield Finding("holds", "fail", str(e), "correct the file")
        return
    for item in items:
        yield Finding("holds", "ok", f"{item.describe()}; `accelmart release` ends it")


def builds(home: Home) -> Iterator[Finding]:
    """Find folders of killed builds."""
    folders = [p.name for p in sorted(home.builds.glob("*"))]
    is_running = home.build_lock.exists() and holder_of(home.build_lock) is not None
    if folders and not is_running:
        yield Finding(
            "builds",
            "warn",
            f"{len(folders)} ended without publishing: {', '.join(folders[:3])}",
            "the next build or `accelmart prune` removes them; the cause is in the run: `accelmart ui`",
        )
    else:
        yield Finding("builds", "ok", "one is running" if folders else "all builds ended cleanly")


def last_build(home: Home) -> Iterator[Finding]:
    """Report the outcome of the last build, payloads that are landed but not published, and unmapped names."""
    last = last_outcome(home)
    if last is not None and last.status == "failed":
        problem = last.problems[0] if last.problems else "no problem was recorded"
        yield Finding(
            "last build",
            "fail",
            f"failed at {last.at}: {shortened(problem)}",
            "`accelmart status` shows the whole message",
        )
    elif last is not None:
        yield Finding("last build", "ok", f"published {last.generation_id} at {last.at}")
    try:
        landed = list(unpublished(home))
        _, rows = query(publication(home).generation.path, "select count(*) from ops_unmapped")
    except AccelmartError:
        return  # reported by `published`
    for item in landed:
        # only an isolated payload needs action: others are held by the operator or published by the next build
        is_isolated = item.reason.startswith("isolated")
        yield Finding(
            "not published",
            "warn" if is_isolated else "ok",
            f"{item.source} {item.key}: {shortened(item.reason)}",
            "check the payload, or accept it: `accelmart build --accept-changes`" if is_isolated else "",
        )
    if rows[0][0]:
        yield Finding(
            "unmapped names",
            "warn",
            f"{rows[0][0]} names are published as unmapped",
            "`accelmart status --unmapped` prints the seed line that maps each name",
        )


def published(home: Home) -> Iterator[Finding]:
    """Check the published file, its kept copy, the other generations and the pin.

    The contents of both files are compared with the recorded SHA-256, and every table of the published file is read:
    DuckDB verifies the checksum of every block.
    """
    if not home.published.exists() and read_record(home) is None:
        yield Finding(
            "published",
            "warn",
            f"{home.published} does not exist",
            "`accelmart build` makes it and needs no network",
        )
        return
    yield _published_file(home)
    if home.published.with_name(home.published.name + ".wal").exists():
        yield Finding(
            "published",
            "warn",
            "the published file has a write-ahead log: another program wrote to it",
            f"`accelmart build` puts the kept copy back; read with: duckdb -readonly {home.published}",
        )
    if damaged := damaged_generations(home, is_read=True):
        record = read_record(home)
        current = record["generation_id"] if record is not None else None
        yield Finding(
            "generations",
            "fail",
            f"damaged: {', '.join(damaged)}",
            f"`accelmart rollback --to {current}` copies the published file"
            if damaged == [current] and is_intact(home.published, publication(home).generation)
            else "`accelmart prune` removes them; they are only needed for a rollback",
        )


def _published_file(home: Home) -> Finding:
    earlier = (
        "`accelmart rollback` publishes the previous generation, `accelmart build --force` makes a new one"
    )
    try:
        current = publication(home)
        generation = current.generation
        if current.is_recorded and not is_intact(home.published, generation):
            is_kept = is_intact(generation.path, generation)
            return Finding(
                "published",
                "fail",
                f"{home.published} is changed or damaged: it differs from generation {generation.generation_id}",
                f"`accelmart rollback --to {generation.generation_id}` puts the kept copy back"
                if is_kept
                else earlier,
            )
        tables = _read_whole(home.published)
    except NoWarehouseError as e:
        return Finding("published", "fail", str(e), earlier)
    except duckdb.Error as e:
        if message := lock_message(home.published, e):
            return Finding(
                "published",
                "fail",
                message,
                f"close it there, or `accelmart rollback --to {generation.generation_id}` replaces the file at once",
            )
        return Finding("published", "fail", f"{home.published} is damaged: {str(e)[:300]}", earlier)
    age = (datetime.now(UTC) - generation.built_at).total_seconds() / 86400
    pinned = "; pinned until `accelmart rollback --unpin`" if current.is_pinned else ""
    return Finding(
        "published",
        "warn" if current.is_pinned else "ok",
        f"{generation.generation_id}, {age:,.1f} days old, {tables} tables readable{pinned}",
        "end the pin when it is no longer needed: `accelmart rollback --unpin`" if current.is_pinned else "",
    )


def outputs(home: Home) -> Iterator[Finding]:
    """Compare the generation of exports, report and pages with the published one."""
    late = [output for output in behind(home) if output.name != PUBLISHED]
    if late:
        shown = ", ".join(f"{o.name} ({o.generation_id or 'of no generation'})" for o in late)
        yield Finding(
            "outputs",
            "fail",
            f"not of the published generation: {shown}",
            "`accelmart build` writes them again",
        )
    elif read_record(home) is not None:
        yield Finding("outputs", "ok", "exports, report and docs are of the published generation")


def _read_whole(path: Path) -> int:
    with duckdb.connect(str(path), read_only=True) as db:
        tables = db.execute("select database_name, schema_name, table_name from duckdb_tables()").fetchall()
        for names in tables:
            quoted = ".".join('"' + n.replace('"', '""') + '"' for n in names)
            db.execute(f"select bit_xor(hash(t)) from {quoted} as t").fetchall()  # noqa: S608
    return len(tables)


def snapshot(folder: Path) -> Iterator[Finding]:
    """Check that the bundled snapshot can be read."""
    files = sorted(folder.rglob("*.parquet"))
    remedy = "check out the code again, or reinstall it"
    if not files:
        yield Finding("snapshot", "fail", f"{folder} has no Parquet files", remedy)
        return
    for path in files:
        try:
            pq.read_table(path)
        except (OSError, pa.ArrowException) as e:
            yield Finding("snapshot", "fail", f"{path} cannot be read: {e}", remedy)
            return
    yield Finding("snapshot", "ok", f"{len(files)} files")
