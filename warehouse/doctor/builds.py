"""Check builds, the published file and its generations, the bundled snapshot, and the operator's holds."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from ingest.core.errors import AccelmartError
from warehouse.doctor.finding import Finding
from warehouse.doctor.storage import holder_of
from warehouse.holds import read_holds
from warehouse.home import Home
from warehouse.outcome import last_outcome, shortened, unpublished
from warehouse.publish import NoWarehouseError, read_generation
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
        _, rows = query(home.published, "select count(*) from ops_unmapped")
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
    """Check that the published file exists and is readable: DuckDB verifies the checksum of every block it reads."""
    rollback = (
        "`accelmart rollback` publishes the previous generation, `accelmart build --force` makes a new one"
    )
    if not home.published.exists():
        yield Finding(
            "published",
            "warn",
            f"{home.published} does not exist",
            "`accelmart build` makes it and needs no network",
        )
        return
    try:
        generation = read_generation(home.published)
        tables = _read_whole(home.published)
    except NoWarehouseError as e:
        yield Finding("published", "fail", str(e), rollback)
        return
    except duckdb.Error as e:
        yield Finding("published", "fail", f"{home.published} is damaged: {str(e)[:300]}", rollback)
        return
    if home.published.with_name(home.published.name + ".wal").exists():
        yield Finding(
            "published",
            "warn",
            "the published file has a write-ahead log: another program wrote to it",
            "open it read-only (duckdb -readonly); `accelmart build --force` rebuilds it",
        )
    age = (datetime.now(UTC) - generation.built_at).total_seconds() / 86400
    yield Finding(
        "published", "ok", f"{generation.generation_id}, {age:,.1f} days old, {tables} tables readable"
    )
    broken = []
    for path in sorted(home.generations.glob("*.duckdb")):
        try:
            read_generation(path)
        except NoWarehouseError:
            broken.append(path.name)
    if broken:
        yield Finding(
            "generations",
            "fail",
            f"cannot be opened: {', '.join(broken)}",
            "remove them; they are only needed for a rollback",
        )


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
