"""Intervals of prices: the runs of all months joined, month after month.

A month closes intervals (another price was seen, or the offer was withdrawn) and leaves the others open. What it closed
never changes again; the next month needs only its own runs, the open intervals, and the last price of withdrawn offers.
"""

from __future__ import annotations

from collections.abc import Mapping

import duckdb
import pyarrow as pa

from ingest.core.source import Source
from ingest.prices.offers import PriceOffer
from warehouse.price_fold import (
    OFFER_EVIDENCE,
    PRICE_CLOSED,
    PRICE_OPEN,
    PRICE_RUNS,
    PRICE_WITHDRAWN,
    Bundle,
    Month,
    copy_to_parquet,
    kept_with_a_run,
    load_rows,
    numbered_polls,
    quoted,
)
from warehouse.price_runs import OFFER_TERMS, run_bounds
from warehouse.raw import Provenance, arrow_fields

_NARROW = f"stream, offer_id, {', '.join(OFFER_TERMS)}, first_poll, last_poll"
_POLLS = ("first_poll", "last_poll", "polls_to_close")
_BEFORE = tuple(f"{term}_before" for term in ("price", "upfront", "term_hours"))
_BOUNDS = {
    "valid_from": "timestamptz",
    "valid_to": "timestamptz",
    "last_seen_at": "timestamptz",
    "first_missed_at": "timestamptz",
    "ended_because": "varchar",
    **dict.fromkeys(_BEFORE, "double"),
}
_ARROW = {"timestamptz": pa.timestamp("us", "UTC"), "varchar": pa.string(), "double": pa.float64()}


def intervals_schema() -> pa.Schema:
    """Return the columns of closed and open intervals, in the order in which a month's files have them."""
    offer = {f.name: f for f in arrow_fields(PriceOffer)}
    evidence = {f.name: f for f in arrow_fields(Provenance)}
    return pa.schema(
        [
            ("source", pa.string()),
            ("source_rank", pa.int64()),
            ("stream", pa.string()),
            *((name, offer[name].type) for name in ("offer_id", *OFFER_TERMS)),
            *((name, pa.int64()) for name in _POLLS),
            *((name, _ARROW[kind]) for name, kind in _BOUNDS.items()),
            *((name, offer[name].type) for name in kept_with_a_run()),
            *((name, evidence[name].type) for name in OFFER_EVIDENCE),
        ]
    )


def write_intervals(
    db: duckdb.DuckDBPyConnection,
    source: Source,
    bundle: Bundle,
    before: Bundle | None,
    month: Month,
    polls_before: Mapping[str, int],
) -> None:
    """Write what a month closes, what it leaves open, and which offers are withdrawn at its end.

    Args:
        db: a connection; temporary relations in it are replaced.
        source: the price source.
        bundle: of the month, its runs written.
        before: bundle of the month before, its intervals written; None for the first month with an offer.
        month: its observations.
        polls_before: number of polls of each stream in all months before this one.
    """
    _load_polls(db, month, polls_before)
    _view_runs(db, source, bundle, before)
    _join(db, source)
    copy_to_parquet(db, "select * from intervals where ended_because is null", bundle.path(PRICE_OPEN))
    copy_to_parquet(
        db,
        f"select {_NARROW} from bounds where ended_because is not null and next_first_poll is null",
        bundle.path(PRICE_WITHDRAWN),
    )
    copy_to_parquet(db, "select * from intervals where ended_because is not null", bundle.path(PRICE_CLOSED))


def _load_polls(db: duckdb.DuckDBPyConnection, month: Month, polls_before: Mapping[str, int]) -> None:
    """Load the month's polls, numbered through all months, and how many polls each stream has had."""
    polls = [
        (stream, at, polls_before.get(stream, 0) + number)
        for stream, at, number in numbered_polls(month.observations)
    ]
    load_rows(db, "polls", polls, "stream varchar, polled_at timestamptz, poll bigint")
    last_polls = {**polls_before, **{stream: poll for stream, _, poll in polls}}
    streams = [(stream, polls_before.get(stream, 0), last) for stream, last in last_polls.items()]
    load_rows(db, "streams", streams, "stream varchar, polls_before bigint, last_poll bigint")


def _view_runs(db: duckdb.DuckDBPyConnection, source: Source, bundle: Bundle, before: Bundle | None) -> None:
    """Create the relations `runs`, of the month, and `open_intervals` and `withdrawn_offers`, of the month before."""
    newest = bundle if bundle.path(PRICE_RUNS).exists() else None
    empty = {name: f"null::{kind} as {name}" for name, kind in _BOUNDS.items()}
    own = {
        **empty,
        "valid_from": "first_seen_at as valid_from",
        "last_seen_at": "last_seen_at",
    }
    month = f"""
        select source, source_rank, runs.stream, offer_id, {", ".join(OFFER_TERMS)},
            first_poll + polls_before as first_poll, runs.last_poll + polls_before as last_poll,
            {source.polls_to_close}::bigint as polls_to_close, {", ".join(own.values())},
            {", ".join((*kept_with_a_run(), *OFFER_EVIDENCE))}
        from {_rows_of(newest, PRICE_RUNS)} as runs
        inner join streams using (stream)
        """
    opened = f"select * from {_rows_of(before, PRICE_OPEN)}"
    withdrawn = f"select * from {_rows_of(before, PRICE_WITHDRAWN)}"
    if newest is None:
        # nothing was offered in the whole month, which may withdraw what was offered before
        month = f"{opened} limit 0"
    if before is None:
        opened, withdrawn = f"select * from ({month}) limit 0", f"select {_NARROW} from ({month}) limit 0"
    for name, query in (("runs", month), ("open_intervals", opened), ("withdrawn_offers", withdrawn)):
        db.execute(f"create or replace temp view {name} as {query}")


def _rows_of(bundle: Bundle | None, table: str) -> str:
    return f"read_parquet({quoted([str(bundle.path(table))])})" if bundle else ""


def _join(db: duckdb.DuckDBPyConnection, source: Source) -> None:
    """Make `bounds`, of all intervals that the month knows, and `intervals`, without those that ended before it."""
    # an offer that was withdrawn begins anew, whatever its price: its last one is the price before
    pieces = " union all ".join(
        f"select {_NARROW} from {name}" for name in ("withdrawn_offers", "open_intervals", "runs")
    )
    db.execute(f"""
        create or replace temp view pieces as
        select *, {source.polls_to_close}::bigint as polls_to_close from ({pieces})
        """)
    lags = ", ".join(f"lag({name.removesuffix('_before')}) over offer as {name}" for name in _BEFORE)
    db.execute(f"""
        create or replace temp table bounds as
        with folded as ({run_bounds("pieces", "first_poll")}),
        neighbours as (
            select folded.*, lead(first_poll) over offer as next_first_poll,
                lag(first_poll) over offer is null as is_first, {lags}
            from folded
            window offer as (partition by stream, offer_id order by first_poll)
        )
        select neighbours.*,
            case
                when {source.polls_to_close} > 0
                    and coalesce(next_first_poll - 1, streams.last_poll) - neighbours.last_poll
                        >= {source.polls_to_close}
                    then 'withdrawn'
                when next_first_poll is not null then 'price changed'
            end as ended_because
        from neighbours
        inner join streams using (stream)
        """)
    before = ", ".join(
        f"case when bounds.is_first then known.{name} else bounds.{name} end as {name}" for name in _BEFORE
    )
    db.execute(f"""
        create or replace temp table intervals as
        with known as (select * from open_intervals union all by name select * from runs),
        dated as (
            select known.* replace (
                bounds.last_poll as last_poll,
                coalesce(seen.polled_at, known.last_seen_at) as last_seen_at,
                coalesce(
                    missed.polled_at, case when bounds.last_poll = known.last_poll then known.first_missed_at end
                ) as first_missed_at,
                bounds.ended_because as ended_because,
                {before}
            ),
                next.polled_at as next_seen_at
            from bounds
            inner join known using (stream, offer_id, first_poll)
            left join polls as seen on bounds.stream = seen.stream and bounds.last_poll = seen.poll
            left join polls as missed on bounds.stream = missed.stream and bounds.last_poll + 1 = missed.poll
            left join polls as next on bounds.stream = next.stream and bounds.next_first_poll = next.poll
        )
        select * exclude (next_seen_at) replace (
            case ended_because
                when 'withdrawn' then first_missed_at
                when 'price changed' then next_seen_at
            end as valid_to
        )
        from dated
        """)
