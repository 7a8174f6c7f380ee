"""Intervals of prices: the runs of all months joined.

A month closes intervals (another price was seen, or the offer was withdrawn) and leaves the others open. What it closed
never changes again; the next month needs only its own runs, the open intervals, and the last price of withdrawn offers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import duckdb
import pyarrow as pa

from ingest.core.source import Source
from warehouse.fold_engine import FoldEngine
from warehouse.parquet import copy_to_parquet, load_rows, quoted
from warehouse.price_fold import (
    OFFER_EVIDENCE,
    PRICE_CLOSED,
    PRICE_OPEN,
    PRICE_RUNS,
    PRICE_WITHDRAWN,
    Bundle,
    Month,
    kept_with_a_run,
    numbered_polls,
    schema_of_offers,
)
from warehouse.price_runs import OFFER_TERMS

_NARROW = f"stream, offer_id, {', '.join(OFFER_TERMS)}, first_poll, last_poll"
_RECENT = 2  # months before the last one
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
    bounds = {name: _ARROW[kind] for name, kind in _BOUNDS.items()}
    return schema_of_offers(("source",), dict.fromkeys(_POLLS, pa.int64()) | bounds)


def spans(bundles: Sequence[Bundle]) -> Iterator[range]:
    """Yield which months to join, oldest first: a span begins where open intervals are known, and leaves some open.

    Many missing months, as after a change of the rules, are one span: joining them one by one would cost three times as
    much. The last months are spans of their own, so that late observations find open intervals of the month before.

    Args:
        bundles: of all months from the first with an offer, oldest first.
    """
    last = len(bundles) - 1
    missing = [i for i, bundle in enumerate(bundles) if not bundle.has_intervals]
    if not missing and (not bundles or bundles[last].has_open):
        return
    first = min(missing, default=last)
    start = next((i for i in range(first, 0, -1) if bundles[i - 1].has_open), 0)
    for end in range(start, last + 1):
        if end == first - 1 or end >= last - _RECENT:
            yield range(start, end + 1)
            start = end + 1


def write_intervals(
    db: duckdb.DuckDBPyConnection,
    engine: FoldEngine,
    source: Source,
    span: Sequence[tuple[Bundle, Month]],
    before: Bundle | None,
    polls_before: Mapping[str, int],
) -> None:
    """Write what each month of a span closes, what its last month leaves open, and which offers are withdrawn then.

    Args:
        db: a connection; temporary relations in it are replaced.
        engine: joins the runs.
        source: the price source.
        span: bundles and observations of consecutive months, their runs written; see `spans`.
        before: bundle of the month before, its open intervals written; None for the first month with an offer.
        polls_before: number of polls of each stream in all months before the span.
    """
    _load_polls(db, [month for _, month in span], polls_before)
    _view_runs(db, source, [bundle for bundle, _ in span if bundle.path(PRICE_RUNS).exists()], before)
    _join(db, engine, source)
    last, _ = span[-1]
    if not last.has_open:
        withdrawn = (
            f"select {_NARROW} from bounds where ended_because is not null and next_first_poll is null"
        )
        copy_to_parquet(db, withdrawn, last.path(PRICE_WITHDRAWN))
        opened = "select * exclude (ended_in) from intervals where ended_because is null"
        copy_to_parquet(db, opened, last.path(PRICE_OPEN))
    for bundle, month in span:
        if not bundle.has_intervals:
            closed = f"select * exclude (ended_in) from intervals where ended_in = '{month.name}'"
            copy_to_parquet(db, closed, bundle.path(PRICE_CLOSED))
        bundle.forget_older(source.name, month.name, intervals=True)


def _load_polls(
    db: duckdb.DuckDBPyConnection, months: Iterable[Month], polls_before: Mapping[str, int]
) -> None:
    """Load the polls of the months, numbered through all months, and how many polls each stream had before each."""
    polls, before = [], []
    last_polls = Counter(polls_before)
    for month in months:
        before += [(month.name, stream, n) for stream, n in last_polls.items()]
        of_month = numbered_polls(month.observations)
        before += [(month.name, stream, 0) for stream in {s for s, *_ in of_month} - last_polls.keys()]
        polls += [(month.name, stream, at, last_polls[stream] + number) for stream, at, number in of_month]
        last_polls.update(stream for stream, *_ in of_month)
    load_rows(db, "polls", polls, "month varchar, stream varchar, polled_at timestamptz, poll bigint")
    load_rows(db, "polls_before", before, "month varchar, stream varchar, n bigint")
    load_rows(db, "streams", list(last_polls.items()), "stream varchar, last_poll bigint")


def _view_runs(
    db: duckdb.DuckDBPyConnection, source: Source, bundles: Sequence[Bundle], before: Bundle | None
) -> None:
    """Create the relations `runs`, of the span, and `open_intervals` and `withdrawn_offers`, of the month before."""
    own = {name: f"null::{kind} as {name}" for name, kind in _BOUNDS.items()}
    own |= {"valid_from": "first_seen_at as valid_from", "last_seen_at": "last_seen_at"}
    month = f"""
        select source, source_rank, runs.stream, offer_id, {", ".join(OFFER_TERMS)},
            first_poll + n as first_poll, last_poll + n as last_poll,
            {source.polls_to_close}::bigint as polls_to_close, {", ".join(own.values())},
            {", ".join((*kept_with_a_run(), *OFFER_EVIDENCE))}
        from {_rows_of(bundles, PRICE_RUNS)} as runs
        inner join polls_before using (month, stream)
        """
    opened = (
        f"select * from {_rows_of([before], PRICE_OPEN)}" if before else f"select * from ({month}) limit 0"
    )
    withdrawn = (
        f"select * from {_rows_of([before], PRICE_WITHDRAWN)}"
        if before
        else f"select {_NARROW} from ({month}) limit 0"
    )
    if not bundles:
        # nothing was offered in the whole span, which may withdraw what was offered before
        month = f"{opened} limit 0"
    for name, query in (("runs", month), ("open_intervals", opened), ("withdrawn_offers", withdrawn)):
        db.execute(f"create or replace temp view {name} as {query}")


def _rows_of(bundles: Sequence[Bundle], table: str) -> str:
    return f"read_parquet({quoted([str(bundle.path(table)) for bundle in bundles])})"


def _join(db: duckdb.DuckDBPyConnection, engine: FoldEngine, source: Source) -> None:
    """Make `bounds`, of all intervals known in the span, and `intervals`, without those that ended before it."""
    # an offer that was withdrawn begins again, whatever its price: its last one is the price before
    pieces = " union all ".join(
        f"select {_NARROW} from {name}" for name in ("withdrawn_offers", "open_intervals", "runs")
    )
    db.execute(f"""
        create or replace temp view pieces as
        select *, {source.polls_to_close}::bigint as polls_to_close from ({pieces})
        """)
    lags = ", ".join(f"lag({name.removesuffix('_before')}) over offer as {name}" for name in _BEFORE)
    with engine.runs(db, "pieces", "first_poll") as runs_found:
        db.execute(f"""
            create or replace temp table bounds as
            with folded as ({runs_found}),
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
                end as ended_because,
                case ended_because
                    when 'withdrawn' then neighbours.last_poll + {source.polls_to_close}
                    when 'price changed' then next_first_poll
                end as ended_with
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
                next.polled_at as next_seen_at,
                ended.month as ended_in
            from bounds
            inner join known using (stream, offer_id, first_poll)
            left join polls as seen on bounds.stream = seen.stream and bounds.last_poll = seen.poll
            left join polls as missed on bounds.stream = missed.stream and bounds.last_poll + 1 = missed.poll
            left join polls as next on bounds.stream = next.stream and bounds.next_first_poll = next.poll
            left join polls as ended on bounds.stream = ended.stream and bounds.ended_with = ended.poll
        )
        select * exclude (next_seen_at) replace (
            case ended_because
                when 'withdrawn' then first_missed_at
                when 'price changed' then next_seen_at
            end as valid_to
        )
        from dated
        """)
