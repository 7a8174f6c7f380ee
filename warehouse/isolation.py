"""Checks on one parsed payload before a build uses it. A payload that fails is isolated: it stays in the landing zone,
its round or price list stays at its last good payload, and everything else is published.

The checks compare a payload with itself and with the sound one before it, never with the published warehouse, so that
the same landing zone always gives the same warehouse. They run once, when the payload is parsed; what fails stands in
the account of the part (`warehouse.raw.Account.isolated_because`). An operator accepts isolated payloads with
`accelmart accept` or `accelmart build --accept-changes`: rows of ``overrides/accepted.csv``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

import duckdb

from ingest.energy.grids import MOST_CHANGE, MOST_CHANGE_OF_PLACE
from ingest.prices.dated import is_dated
from warehouse.files import read_derived, written_whole
from warehouse.home import DBT_PROJECT_DIR, Home
from warehouse.override_forms import ACCEPTED
from warehouse.overrides import convert_records, read_decisions, replace_rows
from warehouse.parquet import write_records
from warehouse.raw import GRID_INTENSITIES, INFERENCE_FAMILY, PRICE_OFFERS, RESULTS, TRAINING_FAMILY, RawPart

TABLE = "isolated_payloads"

LOST_PCT = 2.0
LOST_FLOOR = 1
"""MLCommons withdraws single results after publication; a payload that lost a larger share lost something else."""
REJECTED_PCT = 50.0
"""A payload most of whose records cannot be read has changed its form."""
CONTRADICTED_PCT = 10.0
CONTRADICTED_FLOOR = 3
"""In v5.1 3 of 84 systems with a count in their name state another total, in v6.0 3 of 85 (a last node not full)."""
SELLER_FLOOR = 20
SELLER_GONE_PCT = 90.0
"""A seller that loses nearly all of many offers from one poll to the next has changed its list, not its prices."""

MLPERF_FAMILIES = (INFERENCE_FAMILY, TRAINING_FAMILY)
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


def problems_of(part: RawPart, previous: RawPart | None) -> list[str]:
    """Failed checks of a part whose rows are written.

    Args:
        part: as parsed.
        previous: the sound part before it of the same stream, landed or bundled; None for the first.

    Returns:
        One sentence a failed check; empty for a sound part. Of a check that raises, the exception: it concerns this
        payload, and every other is published.
    """
    try:
        if part.family in MLPERF_FAMILIES:
            return [*_account_problems(part, previous), *_row_problems(part)]
        if part.record_table == GRID_INTENSITIES:
            return _grids_moved(part, previous)
        return _sellers_gone(part, previous) if part.record_table == PRICE_OFFERS else []
    except Exception as e:  # noqa: BLE001  # a check runs on what upstream wrote: anything can happen
        return [f"its check fails ({type(e).__name__}: {e})"]


def _account_problems(part: RawPart, previous: RawPart | None) -> Iterable[str]:
    account = part.account
    if not account.is_balanced:
        yield f"{account.records_in} records in, but another number out: the parser lost records"
    if account.rows_out and account.rejects > account.records_in * REJECTED_PCT / 100:
        yield f"{account.rejects} of {account.records_in} records cannot be read: its form has changed"
    if previous and previous.account.rows_out > account.rows_out > 0:
        lost = previous.account.rows_out - account.rows_out
        if lost > max(LOST_FLOOR, previous.account.rows_out * LOST_PCT / 100):
            yield f"{lost} of {previous.account.rows_out} rows of the payload before it are gone"


def _row_problems(part: RawPart) -> Iterable[str]:
    if not part.account.rows_out:
        return
    table = part.record_table
    key = ", ".join(part.family.records[table].key)
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


def _sellers_gone(part: RawPart, previous: RawPart | None) -> list[str]:
    """Name the sellers that lost nearly all of many offers; a list that dates itself may hold another part of them."""
    if previous is None or is_dated(part.provenance.payload_key):
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
            {
                "before": str(previous.path(PRICE_OFFERS)),
                "now": str(part.path(PRICE_OFFERS)),
                "floor": SELLER_FLOOR,
                "gone_pct": SELLER_GONE_PCT,
            },
        ).fetchall()
    return [
        f"{before - now} of {before} offers of {seller} are gone since the poll before"
        for seller, before, now in rows
    ]


def _grids_moved(part: RawPart, previous: RawPart | None) -> list[str]:
    """Say which carbon intensities, all or single ones, moved further from those before than annual averages do."""
    if previous is None:
        return []
    with duckdb.connect() as db:
        moved = db.execute(
            """
            select now.place_published, now.kg_co2e_per_kwh / before.kg_co2e_per_kwh as factor
            from read_parquet($now) as now
            inner join read_parquet($before) as before using (level, country)
            where (now.us_state, now.provider_published, now.region)
                is not distinct from (before.us_state, before.provider_published, before.region)
            """,
            {"now": str(part.path(GRID_INTENSITIES)), "before": str(previous.path(GRID_INTENSITIES))},
        ).fetchall()
    middle = median([factor for _, factor in moved] or [1])
    if not 1 / MOST_CHANGE <= middle <= MOST_CHANGE:
        return [f"its carbon intensities are {middle:.3g} times those of the payload before it"]
    return [
        f"the carbon intensity of {place} is {factor:.3g} times that of the payload before it"
        for place, factor in moved
        if not 1 / MOST_CHANGE_OF_PLACE <= factor <= MOST_CHANGE_OF_PLACE
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
    return read_derived(home.root / "isolated.json", list[Isolated], [])


def write_isolated(home: Home, isolated: Iterable[Isolated], target: Path) -> None:
    """Write what a build leaves out: raw table ``isolated_payloads``, and a list for the status and the operator."""
    items = sorted(isolated, key=lambda i: (i.name, i.payload_sha256))
    with written_whole(home.root / "isolated.json") as temporary:
        temporary.write_text(json.dumps([asdict(item) for item in items], indent=1), encoding="utf-8")
    write_records(target, items, Isolated)


def accepted_payloads(home: Home) -> frozenset[str]:
    """Return the hashes of payloads that an operator accepted although checks fail.

    Raises:
        OverridesRejected, RecordDamaged: the file has errors.
    """
    return frozenset(row.cells["payload_sha256"] for row in read_decisions(home, ACCEPTED))


def accept_payloads(home: Home, isolated: Iterable[Isolated]) -> None:
    """Use these payloads from the next build on. The caller holds `warehouse.locks.exclusive`."""
    at = datetime.now(UTC).isoformat(timespec="seconds")
    names = ("payload_sha256", "source", "payload_key", "release")
    rows = {
        item.payload_sha256: {
            **{n: getattr(item, n) for n in names},
            "accepted_at": at,
            "note": " ".join(item.problem.split()),
        }
        for item in isolated
    }
    convert_records(home)
    replace_rows(home, ACCEPTED, add=rows.values())
