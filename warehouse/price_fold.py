"""Fold one month of a source's polls into runs: equal consecutive prices of an offer become one row."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields
from datetime import datetime
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import jinja2
import pyarrow as pa

from ingest.core.source import Source
from ingest.prices.offers import PriceOffer
from warehouse.files import written_whole
from warehouse.home import DBT_PROJECT_DIR
from warehouse.raw import (
    EXCHANGE_RATES,
    PRICE_OFFERS,
    PRICE_RECONCILIATION,
    PRICE_REJECTS,
    RawPart,
)

PRICE_RUNS = "price_runs"
PRICE_POLLS = "price_polls"
BUNDLE_TABLES = (PRICE_RUNS, PRICE_POLLS, PRICE_REJECTS, PRICE_RECONCILIATION, EXCHANGE_RATES)
_ROWS_MAX = 10**9  # of one part
# of an offer, what is kept with a run beside its terms: its identity, the source's words, the evidence
OFFER_TERMS = ("price", "upfront", "term_hours", "accelerator_count")
_OF_RUN = ("source", "offer_id", "observed_at")
OFFER_EVIDENCE = ("payload_key", "payload_url", "payload_sha256", "licence", "parser_version")


@dataclass(frozen=True)
class Bundle:
    """What the polls of one month said: one Parquet file for each of `BUNDLE_TABLES` it has rows of."""

    root: Path
    stem: str

    def path(self, table: str) -> Path:
        """The bundle's file of a table."""
        return self.root / "price_months" / table / f"{self.stem}.parquet"

    @property
    def is_there(self) -> bool:
        """Whether it was written whole: its polls are written last."""
        return self.path(PRICE_POLLS).exists()

    @property
    def files(self) -> dict[str, Path]:
        """Table → file, of the tables it has."""
        return {t: self.path(t) for t in BUNDLE_TABLES if self.path(t).exists()}


@dataclass(frozen=True)
class Observation:
    """A part, and when it was observed: its undated rows by a poll, its dated rows at a moment of their own."""

    stream: str
    at: datetime
    part: RawPart
    is_dated: bool


@dataclass(frozen=True)
class Month:
    """What was observed in a month, oldest first, and the parts that were never observed before."""

    name: str
    observations: list[Observation]
    new_parts: list[RawPart]


@cache
def _fold_sql(runs: str, row: str) -> str:
    """The macro of the dbt project, so that the rule stands in one place."""
    text = (DBT_PROJECT_DIR / "macros" / "price_runs.sql").read_text(encoding="utf-8")
    # SQL for a database of our own, no page: nothing to escape
    module = jinja2.Environment(autoescape=False).from_string(text).module  # noqa: S701
    return str(module.price_run_bounds(runs, row))  # type: ignore[attr-defined]


def write_bundle(bundle: Bundle, source: Source, month: Month, threads: int) -> None:
    """Fold one month: polls numbered in order of time, equal consecutive prices of an offer joined."""
    with duckdb.connect(config={"threads": threads}) as db:
        db.execute("set timezone = 'UTC'")
        _load(
            db, "polls", _numbered(month.observations), "stream varchar, polled_at timestamptz, poll bigint"
        )
        parts = list({o.part.stem: o.part for o in month.observations}.values())
        offers = [p for p in parts if p.record_table == PRICE_OFFERS]
        if offers:
            _write_runs(db, bundle, source, month, offers)
        rates = [p for p in parts if p.record_table == EXCHANGE_RATES]
        for table, of_table in (
            (EXCHANGE_RATES, rates),
            (PRICE_REJECTS, month.new_parts),
            (PRICE_RECONCILIATION, month.new_parts),
        ):
            if of_table:
                files = _quoted([str(p.path(table)) for p in of_table])
                _copy(db, f"select * from read_parquet({files}, union_by_name = true)", bundle.path(table))
        _copy(
            db,
            f"""
            select '{source.name}' as source, '{month.name}' as month,
                {source.polls_to_close}::bigint as polls_to_close, stream, poll, polled_at
            from polls
            order by stream, poll
            """,
            bundle.path(PRICE_POLLS),
        )


def _numbered(observations: list[Observation]) -> list[tuple[str, datetime, int]]:
    out = []
    for stream, seen in groupby(sorted({(o.stream, o.at) for o in observations}), key=lambda pair: pair[0]):
        out += [(stream, at, number) for number, (_, at) in enumerate(seen, start=1)]
    return out


def _load(db: duckdb.DuckDBPyConnection, table: str, rows: list[tuple[Any, ...]], columns: str) -> None:
    names = [c.split()[0] for c in columns.split(", ")]
    frame = pa.table({n: [r[i] for r in rows] for i, n in enumerate(names)})  # noqa: F841  (DuckDB reads it by name)
    db.execute(f"create or replace temp table {table} ({columns})")
    db.execute(f"insert into {table} select * from frame")


def _copy(db: duckdb.DuckDBPyConnection, query: str, target: Path) -> None:
    with written_whole(target) as temporary:
        db.execute(f"copy ({query}) to {_quoted([str(temporary)])[1:-1]} (format parquet, compression zstd)")


def _quoted(files: list[str]) -> str:
    return "[" + ", ".join("'" + f.replace("'", "''") + "'" for f in files) + "]"


def _write_runs(
    db: duckdb.DuckDBPyConnection,
    bundle: Bundle,
    source: Source,
    month: Month,
    parts: list[RawPart],
) -> None:
    blocks = _blocks(month, {p.stem: i for i, p in enumerate(parts)})
    _load(
        db,
        "blocks",
        [(i, *block) for i, block in enumerate(blocks)],
        "block bigint, stream varchar, first_poll bigint, last_poll bigint, polled_at timestamptz, "
        "part bigint, is_dated boolean",
    )
    # a part is identified by its place in this list, a row by its block and place in the file: cheaper than names
    offers = f"read_parquet({_quoted([str(p.path(PRICE_OFFERS)) for p in parts])}, file_row_number = true)"
    observed = f"""
        select b.stream, b.first_poll, b.last_poll, b.block * {_ROWS_MAX} + o.file_row_number as place, o.offer_id,
            {", ".join(f"o.{t}" for t in OFFER_TERMS)}, {source.polls_to_close}::bigint as polls_to_close
        from {offers} as o
        inner join blocks as b on b.part = o.file_index
        """
    if source.has_dated_rows or any(block.is_dated for block in blocks):
        # an undated row replaces a dated one of the same list; a later list replaces an earlier one
        observed += """
            and case
                when b.is_dated then o.observed_at = b.polled_at
                else o.observed_at is null or o.observed_at <= b.polled_at
            end
        qualify row_number() over (
            partition by b.stream, o.offer_id, b.first_poll
            order by b.block desc, o.observed_at desc nulls first, o.file_row_number
        ) = 1
        """
    db.execute(f"create or replace temp view observed as {observed}")
    kept = kept_with_a_run()
    _copy(
        db,
        f"""
        with runs as ({_fold_sql("observed", "place")})
        select '{source.name}' as source, '{month.name}' as month, {source.rank}::bigint as source_rank,
            runs.stream, runs.offer_id, {", ".join(f"runs.{t}" for t in OFFER_TERMS)},
            runs.first_poll, runs.last_poll,
            blocks.polled_at as first_seen_at, closed.polled_at as last_seen_at,
            {", ".join(f"o.{name}" for name in (*kept, *OFFER_EVIDENCE))}
        from runs
        inner join blocks on blocks.block = runs.first_row // {_ROWS_MAX}
        inner join {offers} as o
            on o.file_index = blocks.part and o.file_row_number = runs.first_row % {_ROWS_MAX}
        inner join polls as closed on closed.stream = runs.stream and closed.poll = runs.last_poll
        """,
        bundle.path(PRICE_RUNS),
    )


def kept_with_a_run() -> list[str]:
    """Columns of an offer that a run keeps beside its terms."""
    return [f.name for f in fields(PriceOffer) if f.name not in (*OFFER_TERMS, *_OF_RUN)]


class _Block(NamedTuple):
    """A list in consecutive polls of its stream, or the rows it dates to one moment."""

    stream: str
    first_poll: int
    last_poll: int
    polled_at: datetime
    part: int
    is_dated: bool


def _blocks(month: Month, number: dict[str, int]) -> list[_Block]:
    """Return when the parts were seen, in order of time; of several for one moment, the one that wins is last.

    One list polled again and again without a change is one run of all its offers.
    """
    poll_of = {(stream, at): poll for stream, at, poll in _numbered(month.observations)}
    observations_at = Counter((o.stream, o.at) for o in month.observations)
    blocks: list[_Block] = []
    last_of: dict[str, int] = {}  # stream → its last block, where that may go on
    for o in month.observations:
        if o.part.stem not in number:
            continue
        poll, part = poll_of[o.stream, o.at], number[o.part.stem]
        last = last_of.pop(o.stream, None)
        is_alone = observations_at[o.stream, o.at] == 1 and not o.is_dated
        if is_alone and last is not None and blocks[last].part == part and blocks[last].last_poll == poll - 1:
            blocks[last] = blocks[last]._replace(last_poll=poll)
        else:
            last = len(blocks)
            blocks.append(_Block(o.stream, poll, poll, o.at, part, o.is_dated))
        if is_alone:
            last_of[o.stream] = last
    return blocks
