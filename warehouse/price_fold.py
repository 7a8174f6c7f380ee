"""Fold one month of a source's polls into runs: equal consecutive prices of an offer become one row."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import duckdb
import pyarrow as pa

from ingest.core.source import Source
from ingest.prices.offers import PriceOffer
from warehouse.fold_engine import FoldEngine
from warehouse.parquet import copy_to_parquet, load_rows, quoted
from warehouse.price_runs import OFFER_TERMS
from warehouse.raw import (
    EXCHANGE_RATES,
    PRICE_OFFERS,
    PRICE_RECONCILIATION,
    PRICE_REJECTS,
    Provenance,
    RawPart,
    arrow_fields,
)

PRICE_RUNS = "price_runs"
PRICE_POLLS = "price_polls"
PRICE_CLOSED, PRICE_OPEN, PRICE_WITHDRAWN = (
    "price_intervals",
    "price_open_intervals",
    "price_withdrawn_offers",
)
_OF_MONTH = (PRICE_RUNS, PRICE_POLLS, PRICE_REJECTS, PRICE_RECONCILIATION, EXCHANGE_RATES)
_OF_ALL_MONTHS = (PRICE_CLOSED, PRICE_OPEN, PRICE_WITHDRAWN)
BUNDLE_TABLES = (*_OF_MONTH, PRICE_CLOSED, PRICE_OPEN)
"""Tables that a build reads."""
MONTHS_FOLDER = "price_months"
"""Folder of the raw layer that holds the bundles."""
FOLD_EXCHANGE = "price_fold.tmp"
"""Folder of the raw layer for what a fold writes for a while."""
MEMORY_MB = 600
"""Memory that DuckDB may use while it folds, the same as in a build (dbt_project/profiles.yml)."""
_ROWS_MAX = 10**9  # of one part
# of an offer, what is kept with a run beside its terms: its identity, the source's words, the evidence
_OF_RUN = ("source", "offer_id", "observed_at")
OFFER_EVIDENCE = ("payload_key", "payload_url", "payload_sha256", "licence", "parser_version")


@dataclass(frozen=True)
class Bundle:
    """What the polls of one month contain, and what they add to the months before: one Parquet file for each table.

    Attributes:
        root: of the raw layer.
        stem: file name of the tables of this month alone; it depends on the polls of the month.
        joined_stem: file name of the tables of intervals; it depends on the polls of this month and all before.
        is_last: whether no month follows. Only then are its open intervals those of the source.
    """

    root: Path
    stem: str
    joined_stem: str
    is_last: bool = True

    def path(self, table: str) -> Path:
        """Return the bundle's file of a table."""
        stem = self.joined_stem if table in _OF_ALL_MONTHS else self.stem
        return self.root / MONTHS_FOLDER / table / f"{stem}.parquet"

    @property
    def is_there(self) -> bool:
        """Whether the tables of the month were written completely: its polls are written last."""
        return self.path(PRICE_POLLS).exists()

    @property
    def has_intervals(self) -> bool:
        """Whether the intervals that the month closed are written."""
        return self.path(PRICE_CLOSED).exists()

    @property
    def has_open(self) -> bool:
        """Whether what the month left open is written: open intervals after withdrawn offers."""
        return self.path(PRICE_OPEN).exists()

    @property
    def files(self) -> dict[str, Path]:
        """Table → file, of the tables that a build reads and that the bundle has."""
        tables = BUNDLE_TABLES if self.is_last else BUNDLE_TABLES[:-1]
        return {t: self.path(t) for t in tables if self.path(t).exists()}

    def written(self) -> list[Path]:
        """Return the files of all tables that the bundle has, those too that a build does not read."""
        return [p for t in (*_OF_MONTH, *_OF_ALL_MONTHS) if (p := self.path(t)).exists()]

    def forget_older(self, source: str, month: str, *, intervals: bool) -> None:
        """Remove the files that those of this bundle replace.

        Args:
            source: name of the source.
            month: name of the month, such as 2026-01.
            intervals: the tables of intervals; else those of the month alone.
        """
        for table in _OF_ALL_MONTHS if intervals else _OF_MONTH:
            current = self.path(table)
            for old in current.parent.glob(f"{source}__{month}__*.parquet"):
                if old != current:
                    old.unlink(missing_ok=True)


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


@dataclass(frozen=True)
class Folded:
    """A bundle of the first observations of a month: what they contain need not be read again.

    Attributes:
        bundle: the bundle, completely written.
        n_observations: number of its observations. All others of the month are of a later time.
    """

    bundle: Bundle
    n_observations: int


def write_bundle(
    db: duckdb.DuckDBPyConnection,
    engine: FoldEngine,
    bundle: Bundle,
    source: Source,
    month: Month,
    folded: Folded | None,
) -> None:
    """Fold one month: polls numbered in order of time, equal consecutive prices of an offer joined.

    Args:
        db: a connection; temporary relations in it are replaced.
        engine: joins the prices.
        bundle: to be written.
        source: the price source.
        month: its observations.
        folded: a bundle of the first of them; None if there is none.
    """
    load_rows(
        db,
        "polls",
        numbered_polls(month.observations),
        "stream varchar, polled_at timestamptz, poll bigint",
    )
    parts = list({o.part.stem: o.part for o in month.observations}.values())
    if any(p.record_table == PRICE_OFFERS for p in parts):
        _write_runs(db, engine, bundle, source, month, folded)
    rates = [p for p in parts if p.record_table == EXCHANGE_RATES]
    for table, of_table in (
        (EXCHANGE_RATES, rates),
        (PRICE_REJECTS, month.new_parts),
        (PRICE_RECONCILIATION, month.new_parts),
    ):
        if of_table:
            files = quoted([str(p.path(table)) for p in of_table])
            copy_to_parquet(
                db, f"select * from read_parquet({files}, union_by_name = true)", bundle.path(table)
            )
    copy_to_parquet(
        db,
        f"""
        select '{source.name}' as source, '{month.name}' as month,
            {source.polls_to_close}::bigint as polls_to_close, stream, poll, polled_at
        from polls
        order by stream, poll
        """,
        bundle.path(PRICE_POLLS),
    )


@contextmanager
def fold_database(root: Path, threads: int) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a DuckDB database in memory that keeps to `MEMORY_MB`; what does not fit is written to disk for a while.

    Args:
        root: of the raw layer.
        threads: of DuckDB.
    """
    config = {
        "threads": threads,
        "memory_limit": f"{MEMORY_MB}MB",
        "temp_directory": str(root / FOLD_EXCHANGE),
        "preserve_insertion_order": False,
    }
    with duckdb.connect(config=config) as db:
        db.execute("set global timezone = 'UTC'")
        yield db


def sweep_exchange(root: Path) -> None:
    """Remove what killed folds left of a while. The caller holds `warehouse.locks.raw_layer`.

    Args:
        root: of the raw layer.
    """
    shutil.rmtree(root / FOLD_EXCHANGE, ignore_errors=True)


def numbered_polls(observations: list[Observation]) -> list[tuple[str, datetime, int]]:
    """Return (stream, time, number among those of the stream) of every poll, in order of stream and time."""
    out = []
    for stream, seen in groupby(sorted({(o.stream, o.at) for o in observations}), key=lambda pair: pair[0]):
        out += [(stream, at, number) for number, (_, at) in enumerate(seen, start=1)]
    return out


def _write_runs(
    db: duckdb.DuckDBPyConnection,
    engine: FoldEngine,
    bundle: Bundle,
    source: Source,
    month: Month,
    folded: Folded | None,
) -> None:
    """Write the runs of a month: those folded before and the observations since then, joined."""
    start = folded.n_observations if folded else 0
    since = {o.part.stem: o.part for o in month.observations[start:]}
    parts = [p for p in since.values() if p.record_table == PRICE_OFFERS]
    if folded and not (parts and folded.bundle.path(PRICE_RUNS).exists()):
        _write_runs(db, engine, bundle, source, month, None)
        return
    _observe(db, source, parts, _blocks(month, start, {p.stem: i for i, p in enumerate(parts)}))
    evidence = ", ".join((*kept_with_a_run(), *OFFER_EVIDENCE))
    terms = ", ".join(OFFER_TERMS)
    first = f"""
        select runs.*, blocks.polled_at as first_seen_at, {evidence}
        from runs
        inner join blocks on blocks.block = runs.first_row // {_ROWS_MAX}
        inner join {_offers(parts)} as o
            on o.file_index = blocks.part and o.file_row_number = runs.first_row % {_ROWS_MAX}
        """
    if folded:
        # a number below those of all observations since
        runs = quoted([str(folded.bundle.path(PRICE_RUNS))])
        db.execute(f"""
            create or replace temp view folded as
            select *, first_poll * {_ROWS_MAX} + file_row_number - {10**18} as place,
                {source.polls_to_close}::bigint as polls_to_close
            from read_parquet({runs}, file_row_number = true)
            """)
        columns = f"stream, first_poll, last_poll, place, offer_id, {terms}, polls_to_close"
        db.execute(f"""
            create or replace temp view pieces as
            select {columns} from folded union all select {columns} from observed
            """)
        first += f"""
            union all
            select runs.*, folded.first_seen_at, {evidence}
            from runs
            inner join folded on folded.place = runs.first_row
            """
    with engine.runs(db, "pieces" if folded else "observed", "place") as runs_found:
        copy_to_parquet(
            db,
            f"""
            with runs as ({runs_found}), first as ({first})
            select '{source.name}' as source, '{month.name}' as month, {source.rank}::bigint as source_rank,
                first.stream, offer_id, {terms}, first_poll, last_poll,
                first_seen_at, closed.polled_at as last_seen_at, {evidence}
            from first
            inner join polls as closed on closed.stream = first.stream and closed.poll = first.last_poll
            """,
            bundle.path(PRICE_RUNS),
        )


def _offers(parts: list[RawPart]) -> str:
    """Return the offers of parts as SQL; a part is identified by its place in the list: cheaper than its name."""
    return f"read_parquet({quoted([str(p.path(PRICE_OFFERS)) for p in parts])}, file_row_number = true)"


def _observe(
    db: duckdb.DuckDBPyConnection, source: Source, parts: list[RawPart], blocks: list[_Block]
) -> None:
    """Create the relation `observed`: each offer of each block, identified by its block and its place in the file."""
    load_rows(
        db,
        "blocks",
        [(i, *block) for i, block in enumerate(blocks)],
        "block bigint, stream varchar, first_poll bigint, last_poll bigint, polled_at timestamptz, "
        "part bigint, is_dated boolean",
    )
    observed = f"""
        select b.stream, b.first_poll, b.last_poll, b.block * {_ROWS_MAX} + o.file_row_number as place, o.offer_id,
            {", ".join(f"o.{t}" for t in OFFER_TERMS)}, {source.polls_to_close}::bigint as polls_to_close
        from {_offers(parts)} as o
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


def kept_with_a_run() -> list[str]:
    """Columns of an offer that a run keeps beside its terms."""
    return [f.name for f in fields(PriceOffer) if f.name not in (*OFFER_TERMS, *_OF_RUN)]


def schema_of_offers(place: Iterable[str], times: Mapping[str, pa.DataType]) -> pa.Schema:
    """Return the columns of a table of runs or intervals: an offer and its terms, their time, and their evidence.

    Args:
        place: names of the text columns that come first.
        times: name → type of the columns that say when the terms held.
    """
    offer = {f.name: f for f in arrow_fields(PriceOffer)}
    evidence = {f.name: f for f in arrow_fields(Provenance)}
    return pa.schema(
        [
            *((name, pa.string()) for name in place),
            ("source_rank", pa.int64()),
            ("stream", pa.string()),
            *((name, offer[name].type) for name in ("offer_id", *OFFER_TERMS)),
            *times.items(),
            *((name, offer[name].type) for name in kept_with_a_run()),
            *((name, evidence[name].type) for name in OFFER_EVIDENCE),
        ]
    )


class _Block(NamedTuple):
    """A list in consecutive polls of its stream, or the rows it dates to one moment."""

    stream: str
    first_poll: int
    last_poll: int
    polled_at: datetime
    part: int
    is_dated: bool


def _blocks(month: Month, start: int, number: dict[str, int]) -> list[_Block]:
    """Return when the parts were seen from an observation on, in order of time.

    Of several parts for one moment, the one that wins is last.

    One list polled again and again without a change is one run of all its offers.
    """
    poll_of = {(stream, at): poll for stream, at, poll in numbered_polls(month.observations)}
    observations_at = Counter((o.stream, o.at) for o in month.observations)
    blocks: list[_Block] = []
    last_of: dict[str, int] = {}  # stream → its last block, where that may go on
    for o in month.observations[start:]:
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
