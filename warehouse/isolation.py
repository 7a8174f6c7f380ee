"""Checks on one parsed payload before a build uses it. A payload that fails is isolated: it stays in the landing zone,
its round or price list stays at its last good payload, and everything else is published.

The checks compare a payload with itself and with the payload before it, never with the published warehouse, so that the
same landing zone always gives the same warehouse. An operator accepts isolated payloads with
``accelmart build --accept-changes``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pyarrow as pa

from ingest.mlperf.registry import TRAINING_COLLECTION
from ingest.prices.dated import is_dated
from warehouse.files import read_derived, written_whole
from warehouse.home import DBT_PROJECT_DIR, Home
from warehouse.parquet import write_rows
from warehouse.raw import RESULTS, RawPart

TABLE = "isolated_payloads"
CHECKS_VERSION = 2
"""Part of the cache key of a verdict: raise it when a check changes."""

LOST_PCT = 2.0
"""MLCommons withdraws single results after publication; a payload that lost a larger share lost something else."""
DUPLICATES_PCT = 2.0
"""A summary or a tree holds each result once; more copies than this share of its records are a file written twice."""
REJECTED_PCT = 50.0
"""A payload most of whose records cannot be read has changed its form."""
CONTRADICTED_PCT = 10.0
CONTRADICTED_FLOOR = 3
"""In v5.1 3 of 84 systems with a count in their name state another total, in v6.0 3 of 85 (a last node not full)."""
SELLER_FLOOR = 20
SELLER_GONE_PCT = 90.0
"""A seller that loses nearly all of many offers from one poll to the next has changed its list, not its prices."""

# MLCommons' collections list each entry under its version and again under "all"
_COLLECTIONS = ("collection", TRAINING_COLLECTION)
_REMEDY = "look at the payload; a later one takes its place, or accept it: accelmart build --accept-changes"


@dataclass(frozen=True, kw_only=True)
class Isolated:
    """A payload that is landed and not used.

    Args:
        source: of the payload.
        payload_key: it was landed under.
        release: MLPerf round; empty for others.
        payload_sha256: hash of the payload.
        fetched_at: when it was landed, UTC, ISO 8601.
        problem: failed checks, in words.
        remedy: what to do.
    """

    source: str
    payload_key: str
    release: str
    payload_sha256: str
    fetched_at: str
    problem: str
    remedy: str = _REMEDY

    @property
    def name(self) -> str:
        """Source and round or key, for messages."""
        return f"{self.source} {self.release or self.payload_key}".strip()


SCHEMA = pa.schema([(name, pa.string()) for name in Isolated.__dataclass_fields__])


def problems_found(check: Callable[[], list[str]]) -> list[str]:
    """Run the check of one payload.

    Args:
        check: returns the problems of the payload.

    Returns:
        Its problems; of a check that raises, the exception: it concerns this payload, and every other is published.
    """
    try:
        return check()
    except Exception as e:  # noqa: BLE001  # a check runs on what upstream wrote: anything can happen
        return [f"its check fails ({type(e).__name__}: {e})"]


def problems_of_part(part: RawPart, previous: RawPart | None, cache: Path) -> list[str]:
    """Failed checks of one round of an MLPerf payload.

    Args:
        part: as parsed.
        previous: the same round and dialect of the payload before it, or of the snapshot.
        cache: folder for verdicts, one file each.

    Returns:
        One sentence a failed check; empty for a sound part.
    """
    before = previous.stem if previous else "none"
    verdict = cache / f"{part.stem}__after__{before}__c{CHECKS_VERSION}.json"
    if (known := read_derived(verdict, list, None)) is not None:
        return known
    problems = [*_account_problems(part, previous), *_row_problems(part)]
    with written_whole(verdict) as temporary:
        temporary.write_text(json.dumps(problems), encoding="utf-8")
    return problems


def _account_problems(part: RawPart, previous: RawPart | None) -> Iterable[str]:
    account = part.account
    if not account.is_balanced:
        yield f"{account.records_in} records in, but another number out: the parser lost records"
    if account.duplicates > account.records_in * DUPLICATES_PCT / 100 and account.dialect not in _COLLECTIONS:
        yield f"{account.duplicates} of {account.records_in} records are copies of others: doubled rows"
    if account.rows_out and account.rejects > account.records_in * REJECTED_PCT / 100:
        yield f"{account.rejects} of {account.records_in} records cannot be read: its form has changed"
    if previous and previous.account.rows_out > account.rows_out > 0:
        lost = previous.account.rows_out - account.rows_out
        if lost > previous.account.rows_out * LOST_PCT / 100:
            yield f"{lost} of {previous.account.rows_out} rows of the payload before it are gone"


def _row_problems(part: RawPart) -> Iterable[str]:
    if not part.account.rows_out:
        return
    table, key = part.record_table, ", ".join(part.row_key)
    with duckdb.connect() as db:
        db.read_parquet(str(part.path(table))).create_view("part")
        (doubled,) = _one(db, f"select count(*) - count(distinct ({key})) from part")  # noqa: S608
        if doubled:
            yield f"{doubled} rows repeat the key of another row ({key})"
        if table == RESULTS:
            contradicted, stated = _counts_against_names(db)
            if contradicted >= CONTRADICTED_FLOOR and contradicted > stated * CONTRADICTED_PCT / 100:
                yield (
                    f"the stated number of accelerators contradicts the system's name in {contradicted} of "
                    f"{stated} systems"
                )


def _counts_against_names(db: duckdb.DuckDBPyConnection) -> tuple[int, int]:
    """(systems whose stated accelerators differ from the count in their name, systems that state both)."""
    patterns = str(DBT_PROJECT_DIR / "seeds" / "accelerator_count_patterns.csv")
    contradicted, stated = _one(
        db,
        """
        with patterns as (select * from read_csv($patterns, header = true, all_varchar = true)),
        systems as (
            select distinct submitter, division, platform, accelerator_name_published, number_of_nodes,
                accelerators_per_node, total_accelerators_published
            from part
            where accelerator_name_published is not null
        ),
        named as (
            select systems.*,
                try_cast(regexp_extract(
                    case patterns.field when 'platform' then platform else accelerator_name_published end,
                    patterns.pattern, 1, 'i') as bigint) as named
            from systems
            inner join patterns on patterns.field in ('platform', 'accelerator_name_published')
                and regexp_matches(
                    case patterns.field when 'platform' then platform else accelerator_name_published end,
                    patterns.pattern, 'i')
        ),
        stated as (
            select coalesce(total_accelerators_published, number_of_nodes::hugeint * accelerators_per_node) as total,
                list(named) as counts
            from named
            where named > 0
            group by submitter, division, platform, accelerator_name_published, total
        )
        select count(*) filter (not list_contains(counts, total)), count(*) from stated where total > 0
        """,
        {"patterns": patterns},
    )
    return int(contradicted), int(stated)


def problems_of_list(offers: Path, previous: Path | None, key: str) -> list[str]:
    """Failed checks of one poll of a price list against the poll before it.

    Args:
        offers: Parquet file of the offers of the poll.
        previous: the same of the poll before; None for the first.
        key: of the payload. Lists that date themselves are not compared: each may hold another part of the offers.

    Returns:
        One sentence a seller that lost nearly all of many offers.
    """
    if previous is None or is_dated(key):
        return []
    with duckdb.connect() as db:
        rows = db.execute(
            """
            with before as (
                select provider_published, count(*) as n from read_parquet($before) group by all
            ),
            now as (select provider_published, count(*) as n from read_parquet($now) group by all)
            select before.provider_published, before.n, coalesce(now.n, 0)
            from before left join now using (provider_published)
            where before.n >= $floor and coalesce(now.n, 0) <= before.n * (100 - $gone_pct) / 100
            order by all
            """,
            {"before": str(previous), "now": str(offers), "floor": SELLER_FLOOR, "gone_pct": SELLER_GONE_PCT},
        ).fetchall()
    return [
        f"{before - now} of {before} offers of {seller} are gone since the poll before"
        for seller, before, now in rows
    ]


def _one(
    db: duckdb.DuckDBPyConnection, query: str, parameters: dict[str, str] | None = None
) -> tuple[int, ...]:
    row = db.execute(query, parameters or {}).fetchone()
    assert row is not None
    return tuple(row)


# --- what is isolated, and what an operator accepted -------------------------------------------------------------


def read_isolated(home: Home) -> list[Isolated]:
    """Payloads that are left out; empty before the first build, and if the list is damaged."""
    return read_derived(home.root / "isolated.json", lambda items: [Isolated(**item) for item in items], [])


def record_isolated(home: Home, isolated: Iterable[Isolated]) -> list[dict[str, object]]:
    """Record what is left out of the warehouse: for the status, and to be accepted by an operator. Return its rows."""
    rows = [asdict(item) for item in sorted(isolated, key=lambda i: (i.name, i.payload_sha256))]
    with written_whole(home.root / "isolated.json") as temporary:
        temporary.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return rows


def write_isolated(home: Home, isolated: Iterable[Isolated], target: Path) -> None:
    """Record what a build leaves out, and write it as raw table ``isolated_payloads`` of the build."""
    write_rows(target, record_isolated(home, isolated), SCHEMA)


def accepted_payloads(home: Home) -> frozenset[str]:
    """Hashes of payloads that an operator accepted although checks fail."""
    path = home.accepted_payloads
    return frozenset(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else frozenset()


def accept_payloads(home: Home, isolated: Iterable[Isolated]) -> None:
    """Use these payloads from the next build on."""
    accepted = sorted(accepted_payloads(home) | {item.payload_sha256 for item in isolated})
    with written_whole(home.accepted_payloads) as temporary:
        temporary.write_text(json.dumps(accepted, indent=1), encoding="utf-8")


def isolated_payload(
    *, source: str, key: str, release: str, sha256: str, fetched_at: datetime, problems: Iterable[str]
) -> Isolated:
    """Describe a payload that failed checks."""
    return Isolated(
        source=source,
        payload_key=key,
        release=release,
        payload_sha256=sha256,
        fetched_at=fetched_at.astimezone(UTC).isoformat(timespec="seconds"),
        problem="; ".join(problems),
    )
