"""Checks on one parsed payload before a build uses it. A payload that fails is isolated: it stays in the landing zone,
its round or price list stays at its last good payload, and everything else is published.

The checks compare a payload with itself and with the sound one before it, never with the published warehouse, so that
the same landing zone always gives the same warehouse. They run once, when the payload is parsed; what fails stands in
the account of the part (`warehouse.inputs.raw.Account.isolated_because`). An operator accepts isolated payloads with
`accelmart accept` or `accelmart build --accept-changes`: rows of ``overrides/accepted.csv``.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from ingest.core.records import Parsed
from ingest.core.source import Part
from ingest.energy.grids import MOST_CHANGE, MOST_CHANGE_OF_PLACE, GridIntensity
from ingest.mlperf.records import InferenceResult
from ingest.prices.dated import is_dated
from ingest.prices.offers import PriceOffer
from warehouse.decisions.override_forms import ACCEPTED
from warehouse.decisions.overrides import convert_records, read_decisions, replace_rows
from warehouse.inputs.raw import (
    GRID_INTENSITIES,
    INFERENCE_FAMILY,
    PRICE_OFFERS,
    RESULTS,
    TRAINING_FAMILY,
    RawPart,
    family_of,
    table_of,
)
from warehouse.storage.files import read_derived, written_whole
from warehouse.storage.home import DBT_PROJECT_DIR, Home
from warehouse.storage.parquet import arrow_fields, write_records

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


def problems_of(part: Part, key: str, previous: RawPart | None) -> list[str]:
    """Return the failed checks of a part.

    Args:
        part: as parsed.
        key: its payload is landed under.
        previous: the sound part before it of the same stream, landed or bundled; None for the first.

    Returns:
        One sentence a failed check; empty for a sound part. Of a check that raises, the exception: it concerns this
        payload, and every other is published.
    """
    try:
        if family_of(part.dialect) in MLPERF_FAMILIES:
            return [*_account_problems(part.parsed, previous), *_row_problems(part)]
        # a list that dates itself may hold another part of the sellers
        if table_of(part.dialect) == PRICE_OFFERS and not is_dated(key):
            return _sellers_gone(part.parsed.rows, previous)
        return _grids_moved(part.parsed.rows, previous) if table_of(part.dialect) == GRID_INTENSITIES else []
    except Exception as e:  # noqa: BLE001  # a check runs on what upstream wrote: anything can happen
        return [f"its check fails ({type(e).__name__}: {e})"]


def _account_problems(parsed: Parsed[Any], previous: RawPart | None) -> Iterable[str]:
    rows, rejects, records_in = len(parsed.rows), len(parsed.rejects), parsed.records_in
    if not parsed.is_balanced:
        yield f"{records_in} records in, but another number out: the parser lost records"
    if rows and rejects > records_in * REJECTED_PCT / 100:
        yield f"{rejects} of {records_in} records cannot be read: its form has changed"
    if previous and previous.account.rows_out > rows > 0:
        lost = previous.account.rows_out - rows
        if lost > max(LOST_FLOOR, previous.account.rows_out * LOST_PCT / 100):
            yield f"{lost} of {previous.account.rows_out} rows of the payload before it are gone"


def _row_problems(part: Part) -> Iterable[str]:
    rows, table = part.parsed.rows, table_of(part.dialect)
    key = family_of(part.dialect).records[table].key
    if doubled := len(rows) - len({tuple(getattr(row, name) for name in key) for row in rows}):
        yield f"{doubled} rows repeat the key of another row ({', '.join(key)})"
    if table == RESULTS:
        contradicted, stated = _counts_against_names(rows)
        if contradicted >= CONTRADICTED_FLOOR and contradicted > stated * CONTRADICTED_PCT / 100:
            yield (
                f"the stated number of accelerators contradicts the system's name in {contradicted} of "
                f"{stated} systems"
            )


def _counts_against_names(rows: Sequence[InferenceResult]) -> tuple[int, int]:
    """Return (systems whose stated accelerators differ from the count in their name, systems that state both)."""
    patterns = str(DBT_PROJECT_DIR / "seeds" / "accelerator_count_patterns.csv")
    (found,) = _query(
        rows,
        InferenceResult,
        """
        with patterns as (select * from read_csv($patterns, header = true, all_varchar = true)),
        systems as (
            select distinct submitter, division, platform, accelerator_name_published, number_of_nodes,
                accelerators_per_node, total_accelerators_published
            from given
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
    return int(found[0]), int(found[1])


def _sellers_gone(rows: Sequence[PriceOffer], previous: RawPart | None) -> list[str]:
    """Name the sellers that lost nearly all of many offers."""
    if previous is None:
        return []
    sellers = pq.read_table(previous.path(PRICE_OFFERS), columns=["provider_published"]).column(0).to_pylist()
    before, now = Counter(sellers), Counter(row.provider_published for row in rows)
    return [
        f"{n - now[seller]} of {n} offers of {seller} are gone since the poll before"
        for seller, n in sorted(before.items())
        if n >= SELLER_FLOOR and now[seller] <= n * (100 - SELLER_GONE_PCT) / 100
    ]


def _grids_moved(rows: Sequence[GridIntensity], previous: RawPart | None) -> list[str]:
    """Say which carbon intensities, all or single ones, moved further from those before than annual averages do."""
    if previous is None:
        return []
    moved = _query(
        rows,
        GridIntensity,
        """
        select given.place_published, given.kg_co2e_per_kwh / before.kg_co2e_per_kwh as factor
        from given
        inner join read_parquet($before) as before using (level, country)
        where (given.us_state, given.provider_published, given.region)
            is not distinct from (before.us_state, before.provider_published, before.region)
        """,
        {"before": str(previous.path(GRID_INTENSITIES))},
    )
    middle = median([factor for _, factor in moved] or [1])
    if not 1 / MOST_CHANGE <= middle <= MOST_CHANGE:
        return [f"its carbon intensities are {middle:.3g} times those of the payload before it"]
    return [
        f"the carbon intensity of {place} is {factor:.3g} times that of the payload before it"
        for place, factor in moved
        if not 1 / MOST_CHANGE_OF_PLACE <= factor <= MOST_CHANGE_OF_PLACE
    ]


def _query(rows: Sequence[Any], record: type[Any], query: str, parameters: dict[str, str]) -> list[Any]:
    """Return the result of a query over records, which it knows as the table ``given``."""
    with duckdb.connect() as db:
        db.register("given", pa.Table.from_pylist([*map(vars, rows)], pa.schema(arrow_fields(record))))
        rows_out: list[Any] = db.execute(query, parameters).fetchall()
        return rows_out


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
    """Use these payloads from the next build on. The caller holds `warehouse.storage.locks.exclusive`."""
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
