"""The history of prices: what every poll of every price list said, folded month by month into runs.

A payload is parsed once, however often it is polled. What one month's polls of a source said is one bundle of
Parquet files, named by a hash of exactly those polls and payloads: a new day writes its own month's bundle
anew, an observation that comes late writes the month it belongs to, and no other month is read again.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from functools import cache, cached_property
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import jinja2
import pyarrow as pa
import pyarrow.parquet as pq

from ingest.errors import AccelmartError, PayloadRejected
from ingest.fetch.plan import members_of
from ingest.landing import Landing, Payload
from ingest.mlperf.records import Parsed
from ingest.prices.dated import is_dated, moment_of, stream_of
from ingest.prices.offers import PriceOffer
from ingest.prices.source import PriceSource
from warehouse.files import written_whole
from warehouse.home import DBT_PROJECT_DIR
from warehouse.raw import (
    EXCHANGE_RATES,
    PRICE_OFFERS,
    PRICE_RECONCILIATION,
    PRICE_REJECTS,
    Provenance,
    account_of,
    rejects_of,
    write_table,
)

# Raise it when a month's bundle would come out otherwise for the same polls and payloads.
FOLD_VERSION = 2
PRICE_RUNS, PRICE_POLLS, PRICE_POLL_INDEX = "price_runs", "price_polls", "price_poll_index"
BUNDLE_TABLES = (PRICE_RUNS, PRICE_POLLS, PRICE_REJECTS, PRICE_RECONCILIATION, EXCHANGE_RATES)
_DIALECT = "prices"
_ROWS_MAX = 10**9  # of one part
# of an offer, what is kept with a run beside its terms: its identity, the source's words, the evidence
_TERMS = ("price", "upfront", "term_hours", "accelerator_count")
_OF_RUN = ("source", "offer_id", "observed_at")
_EVIDENCE = ("payload_key", "payload_url", "payload_sha256", "licence", "parser_version")


@dataclass(frozen=True, kw_only=True)
class Poll:
    """A price list was asked, and this is what was in force then."""

    source: str
    key: str
    polled_at: datetime
    payload_sha256: str


@dataclass(frozen=True)
class _Line:
    """A good record of the landing zone's manifest, and where it stands."""

    source: str
    folder: str
    name: str
    key: str
    fetched_at: datetime
    sha256: str


_LINE_SCHEMA = pa.schema(
    [
        pa.field(f.name, pa.timestamp("us", "UTC") if f.name == "fetched_at" else pa.string(), nullable=False)
        for f in fields(_Line)
    ]
)


@dataclass(frozen=True)
class PricePart:
    """One parsed payload of a price source on disk.

    Args:
        root: of the raw layer or the snapshot it lies in.
        source: the price source.
        key: it was landed under.
        sha256: of the payload.
    """

    root: Path
    source: PriceSource
    key: str
    sha256: str

    @property
    def stem(self) -> str:
        """File name: the cache key, readable."""
        key = re.sub(r"[^a-z0-9@._-]+", "-", self.key)
        return f"{self.source.name}__{key}__{self.sha256[:16]}__p{self.source.parser_version}"

    def path(self, table: str) -> Path:
        """The part's file of a raw table."""
        return self.root / table / f"{self.stem}.parquet"

    @property
    def files(self) -> dict[str, Path]:
        """Table → file."""
        tables = (self.record_table, PRICE_REJECTS, PRICE_RECONCILIATION)
        return {table: self.path(table) for table in tables}

    @property
    def is_there(self) -> bool:
        """Whether it was parsed: its account is written last."""
        return self.path(PRICE_RECONCILIATION).exists()

    @property
    def record_table(self) -> str:
        """Offers or exchange rates."""
        return PRICE_OFFERS if self.path(PRICE_OFFERS).exists() else EXCHANGE_RATES


def write_price_part(part: PricePart, parsed: Parsed[Any], provenance: Provenance) -> None:
    """Write a parsed payload: its rows, its rejects, and last its account."""
    is_offers = not parsed.rows or isinstance(parsed.rows[0], PriceOffer)
    if strange := {r.source for r in parsed.rows if is_offers} - {part.source.name}:
        raise AssertionError(f"{part.source.name} gives offers of {', '.join(sorted(strange))}")
    rows = _dated(parsed.rows, part.key) if is_offers and is_dated(part.key) else parsed.rows
    write_table(part.path(PRICE_OFFERS if is_offers else EXCHANGE_RATES), _table(is_offers), rows, provenance)
    write_table(part.path(PRICE_REJECTS), PRICE_REJECTS, rejects_of(parsed, "", _DIALECT), provenance)
    account = account_of(parsed, "", _DIALECT)
    write_table(part.path(PRICE_RECONCILIATION), PRICE_RECONCILIATION, [account], provenance)


def _table(is_offers: bool) -> str:
    return PRICE_OFFERS if is_offers else EXCHANGE_RATES


def _dated(rows: Iterable[PriceOffer], key: str) -> list[PriceOffer]:
    at, precision = moment_of(key)
    return [r if r.observed_at else replace(r, observed_at=at, observed_precision=precision) for r in rows]


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
class _Observation:
    """A part, and when it was observed: its undated rows by a poll, its dated rows at a moment of their own."""

    stream: str
    at: datetime
    part: PricePart
    is_dated: bool


@dataclass(frozen=True)
class _Month:
    """What was observed in a month, oldest first, and the parts that were never observed before."""

    name: str
    observations: list[_Observation]
    new_parts: list[PricePart]


@dataclass(frozen=True)
class PriceHistory:
    """Everything that is known of one source's prices, landed here or shipped with the code.

    Args:
        source: the price source.
        landing: the landing zone.
        raw: root of the raw layer; written to.
        snapshot: root of the parts shipped with the code; only read.
    """

    source: PriceSource
    landing: Landing
    raw: Path
    snapshot: Path

    def parse(self) -> tuple[list[str], list[str]]:
        """Parse every good payload that is not parsed yet.

        Returns:
            (stems of the parts written now, what could not be read and why: a stored payload is damaged, or
            its parser has become stricter).
        """
        written, problems = [], []
        for part, line in self._live_parts():
            if part.is_there:
                continue
            try:
                payload, parsed = self._parsed(line)
            except AccelmartError as e:
                problems.append(str(e))
                continue
            write_price_part(part, parsed, provenance_of(self.source, payload))
            written.append(part.stem)
        return written, problems

    def _parsed(self, line: _Line) -> tuple[Payload, Parsed[Any]]:
        loaded = self.landing.load_records(line.source, line.folder, [line.name])
        if line.name not in loaded:
            raise PayloadRejected(
                payload=f"{line.source} {line.key} of {line.fetched_at:%Y-%m-%d %H:%M} UTC",
                problem=f"its manifest record {line.folder}/{line.name} cannot be read any more",
                remedy="restore the landing zone from a backup",
            )
        payload = loaded[line.name]
        with members_of(self.landing, self.source, payload) as members:
            try:
                return payload, self.source.parse(members, key=payload.key)
            except (AccelmartError, OSError, MemoryError):
                raise
            except Exception as e:  # the parser of today reads what came years ago: anything can happen
                raise PayloadRejected(
                    payload=f"{line.source} {line.key} of {line.fetched_at:%Y-%m-%d %H:%M} UTC",
                    problem=f"its parser fails on it ({type(e).__name__}: {e})",
                    remedy="look at the payload, and mend the parser in ingest/prices",
                ) from e

    def bundles(self) -> list[Bundle]:
        """The bundles of all months, written where they are not there yet. To be called after `parse`."""
        months = self._months()
        missing = [(bundle, month) for bundle, month in months if not bundle.is_there]
        if missing:
            # many small queries: a month to each core is faster than all cores to each month
            cores = os.cpu_count() or 1
            workers = min(cores, len(missing))

            def write(bundle: Bundle, month: _Month) -> None:
                _write_bundle(bundle, self.source, month, threads=max(1, cores // workers))
                self._forget(month.name, bundle.stem)

            with ThreadPoolExecutor(workers) as pool:
                list(pool.map(write, *zip(*missing, strict=True)))
        return [bundle for bundle, _ in months]

    def stems(self) -> list[str]:
        """Names of the bundles of all months: what a build depends on."""
        return [bundle.stem for bundle, _ in self._months()]

    def polls(self) -> list[Poll]:
        """Every good poll, of this installation and of the snapshot, oldest first; undated keys only."""
        shipped = [Poll(**row) for row in _poll_rows(self.snapshot, self.source.name)]
        live = [
            Poll(source=line.source, key=line.key, polled_at=line.fetched_at, payload_sha256=line.sha256)
            for line in self._manifest
            if not is_dated(line.key)
        ]
        unique = {(p.key, p.polled_at): p for p in (*shipped, *live)}
        return sorted(unique.values(), key=lambda p: (p.polled_at, p.key))

    def parts(self) -> list[PricePart]:
        """Every parsed part: of this installation, and of the snapshot where this one has none of that payload."""
        found = {(p.key, p.sha256): p for p, _ in self._shipped_parts()}
        found |= {(p.key, p.sha256): p for p, _ in self._live_parts() if p.is_there}
        return sorted(found.values(), key=lambda p: p.stem)

    @cached_property
    def _manifest(self) -> list[_Line]:
        """The good records of the landing zone. A month's records are read once and kept in one file."""
        months: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for folder, names in self.landing.record_names(self.source.name).items():
            for name in names:
                months[f"{name[:4]}-{name[4:6]}"].append((folder, name))
        return [line for month, names in sorted(months.items()) for line in self._lines(month, names)]

    def _lines(self, month: str, names: list[tuple[str, str]]) -> list[_Line]:
        digest = hashlib.sha256("\n".join(f"{f}/{n}" for f, n in sorted(names)).encode()).hexdigest()[:16]
        path = self.raw / "price_manifest" / f"{self.source.name}__{month}__{digest}.parquet"
        if path.exists():
            rows = pq.read_table(path).to_pylist()
            return [_Line(**{**row, "fetched_at": row["fetched_at"].astimezone(UTC)}) for row in rows]
        by_folder = {f: [n for _, n in same] for f, same in groupby(sorted(names), key=lambda pair: pair[0])}
        loaded = [
            (folder, name, payload)
            for folder, of_folder in by_folder.items()
            for name, payload in self.landing.load_records(self.source.name, folder, of_folder).items()
        ]
        lines = [
            _Line(self.source.name, folder, name, payload.key, payload.fetched_at, payload.sha256)
            for folder, name, payload in loaded
            if payload.outcome != "quarantined"
        ]
        if len(loaded) < len(names):
            return lines  # one is unreadable: what is restored later shall be seen
        with written_whole(path) as temporary:
            pq.write_table(pa.Table.from_pylist([asdict(line) for line in lines], _LINE_SCHEMA), temporary)
        for old in path.parent.glob(f"{self.source.name}__{month}__*.parquet"):
            if old != path:
                old.unlink(missing_ok=True)
        return lines

    def _live_parts(self) -> list[tuple[PricePart, _Line]]:
        parts: dict[str, tuple[PricePart, _Line]] = {}
        for line in self._manifest:
            part = PricePart(self.raw, self.source, line.key, line.sha256)
            parts.setdefault(part.stem, (part, line))
        return list(parts.values())

    def _shipped_parts(self) -> list[tuple[PricePart, datetime]]:
        """The snapshot's parts and when they were fetched, those of the newest parser last."""
        columns = ["parser_version", "payload_key", "payload_sha256", "fetched_at"]
        found = []
        for path in sorted((self.snapshot / PRICE_RECONCILIATION).glob(f"{self.source.name}__*.parquet")):
            (row,) = pq.read_table(path, columns=columns).to_pylist()
            version, key, sha256, fetched_at = (row[c] for c in columns)
            part = PricePart(self.snapshot, self.source, key, sha256)
            if part.stem != path.stem:
                # a part of an older parser cannot be parsed anew without its payload: it stays what it is
                part = _OlderPart(self.snapshot, self.source, key, sha256, path.stem)
            found.append((version, part, fetched_at.astimezone(UTC)))
        return [(part, at) for _, part, at in sorted(found, key=lambda f: f[0])]

    def _months(self) -> list[tuple[Bundle, _Month]]:
        parts = {(p.key, p.sha256): p for p in self.parts()}
        seen = []
        only_dated = set()
        for part in parts.values():
            if is_dated(part.key) or self.source.has_dated_rows:
                times, has_undated = _observed_times(part)
                seen += [_Observation(stream_of(part.key), at, part, True) for at in times]
                if not has_undated:
                    only_dated.add(part.stem)
        for poll in self.polls():
            part_polled = parts.get((poll.key, poll.payload_sha256))
            # a list that dates itself is not made younger by asking for it again
            if part_polled and part_polled.stem not in only_dated:
                seen.append(_Observation(stream_of(poll.key), poll.polled_at, part_polled, False))
        last_said = self._last_said()
        months: dict[str, _Month] = {}
        accounted = set()
        for observation in sorted(
            seen,
            key=lambda o: (o.at, o.stream, last_said[o.part.key, o.part.sha256], o.part.stem, not o.is_dated),
        ):
            month = months.setdefault(name := f"{observation.at:%Y-%m}", _Month(name, [], []))
            month.observations.append(observation)
            if observation.part.stem not in accounted:
                accounted.add(observation.part.stem)
                month.new_parts.append(observation.part)
        return [(Bundle(self.raw, self._stem(m)), m) for m in months.values()]

    def _last_said(self) -> dict[tuple[str, str], datetime]:
        """When a payload (key, hash) came last: where two speak of one moment, the later one is believed."""
        said = [((part.key, part.sha256), at) for part, at in self._shipped_parts()]
        said += [((line.key, line.sha256), line.fetched_at) for line in self._manifest]
        said += [((poll.key, poll.payload_sha256), poll.polled_at) for poll in self.polls()]
        last: dict[tuple[str, str], datetime] = {}
        for payload, at in said:
            last[payload] = max(at, last.get(payload, at))
        return last

    def _stem(self, month: _Month) -> str:
        words = [f"fold {FOLD_VERSION}", f"close {self.source.polls_to_close}", f"rank {self.source.rank}"]
        words += [f"{o.stream} {o.at.isoformat()} {o.is_dated} {o.part.stem}" for o in month.observations]
        words += [f"new {p.stem}" for p in month.new_parts]
        digest = hashlib.sha256("\n".join(words).encode()).hexdigest()[:16]
        return f"{self.source.name}__{month.name}__{digest}"

    def _forget(self, month: str, stem: str) -> None:
        """Remove the bundles this month's new one takes the place of."""
        for table in BUNDLE_TABLES:
            for old in (self.raw / "price_months" / table).glob(f"{self.source.name}__{month}__*.parquet"):
                if old.stem != stem:
                    old.unlink(missing_ok=True)


@dataclass(frozen=True)
class _OlderPart(PricePart):
    """A part shipped by an older version of its parser."""

    name: str = ""

    @property
    def stem(self) -> str:
        return self.name


def provenance_of(source: PriceSource, payload: Payload) -> Provenance:
    """Where the rows of a stored payload come from."""
    return Provenance(
        source=source.name,
        payload_key=payload.key,
        payload_url=payload.url if payload.url.startswith(("http://", "https://")) else source.home_url,
        payload_sha256=payload.sha256,
        payload_bytes=payload.bytes,
        licence=payload.licence,
        fetched_at=payload.fetched_at,
        parser_version=source.parser_version,
    )


def _poll_rows(root: Path, source: str) -> Iterator[dict[str, Any]]:
    for path in sorted((root / PRICE_POLL_INDEX).glob(f"{source}__*.parquet")):
        for row in pq.read_table(path).to_pylist():
            yield {**row, "polled_at": row["polled_at"].astimezone(UTC)}


def write_poll_index(root: Path, source: str, polls: Iterable[Poll]) -> Path | None:
    """Keep polls with parts that are shipped: one file a source; none where there is no poll."""
    rows = [{f.name: getattr(p, f.name) for f in fields(Poll)} for p in polls]
    if not rows:
        return None
    path = root / PRICE_POLL_INDEX / f"{source}__polls.parquet"
    with written_whole(path) as temporary:
        pq.write_table(pa.Table.from_pylist(rows), temporary, compression="zstd")
    return path


def _observed_times(part: PricePart) -> tuple[list[datetime], bool]:
    """The moments a part's rows name themselves, and whether it has rows that name none."""
    if part.record_table == EXCHANGE_RATES:
        return [moment_of(part.key)[0]], False
    column = pq.read_table(part.path(PRICE_OFFERS), columns=["observed_at"]).column("observed_at")
    times = sorted(at.astimezone(UTC) for at in column.unique().to_pylist() if at is not None)
    if not len(column) and is_dated(part.key):
        times = [moment_of(part.key)[0]]  # nothing of it was a price, and that is an observation too
    return times, column.null_count > 0 or (not len(column) and not is_dated(part.key))


@cache
def _fold_sql(runs: str, row: str) -> str:
    """The macro of the dbt project, so that the rule stands in one place."""
    text = (DBT_PROJECT_DIR / "macros" / "price_runs.sql").read_text(encoding="utf-8")
    # SQL for a database of our own, no page: nothing to escape
    module = jinja2.Environment(autoescape=False).from_string(text).module  # noqa: S701
    return str(module.price_run_bounds(runs, row))  # type: ignore[attr-defined]


def _write_bundle(bundle: Bundle, source: PriceSource, month: _Month, threads: int) -> None:
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


def _numbered(observations: list[_Observation]) -> list[tuple[str, datetime, int]]:
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
    source: PriceSource,
    month: _Month,
    parts: list[PricePart],
) -> None:
    blocks = _blocks(month, {p.stem: i for i, p in enumerate(parts)})
    _load(
        db,
        "blocks",
        [(i, *block) for i, block in enumerate(blocks)],
        "block bigint, stream varchar, first_poll bigint, last_poll bigint, polled_at timestamptz, "
        "part bigint, is_dated boolean",
    )
    # parts are told apart by their place in this list, rows by their block and place in the file: cheaper than names
    offers = f"read_parquet({_quoted([str(p.path(PRICE_OFFERS)) for p in parts])}, file_row_number = true)"
    observed = f"""
        select b.stream, b.first_poll, b.last_poll, b.block * {_ROWS_MAX} + o.file_row_number as place, o.offer_id,
            {", ".join(f"o.{t}" for t in _TERMS)}, {source.polls_to_close}::bigint as polls_to_close
        from {offers} as o
        inner join blocks as b on b.part = o.file_index
        """
    if source.has_dated_rows or any(block.is_dated for block in blocks):
        # what the list says of the day beats what it dated before; a later list beats an earlier one
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
    kept = [f.name for f in fields(PriceOffer) if f.name not in (*_TERMS, *_OF_RUN)]
    _copy(
        db,
        f"""
        with runs as ({_fold_sql("observed", "place")})
        select '{source.name}' as source, '{month.name}' as month, {source.rank}::bigint as source_rank,
            runs.stream, runs.offer_id, {", ".join(f"runs.{t}" for t in _TERMS)},
            runs.first_poll, runs.last_poll,
            blocks.polled_at as first_seen_at, closed.polled_at as last_seen_at,
            {", ".join(f"o.{name}" for name in (*kept, *_EVIDENCE))}
        from runs
        inner join blocks on blocks.block = runs.first_row // {_ROWS_MAX}
        inner join {offers} as o
            on o.file_index = blocks.part and o.file_row_number = runs.first_row % {_ROWS_MAX}
        inner join polls as closed on closed.stream = runs.stream and closed.poll = runs.last_poll
        """,
        bundle.path(PRICE_RUNS),
    )


class _Block(NamedTuple):
    """A list in consecutive polls of its stream, or what it says of one moment."""

    stream: str
    first_poll: int
    last_poll: int
    polled_at: datetime
    part: int
    is_dated: bool


def _blocks(month: _Month, number: dict[str, int]) -> list[_Block]:
    """When the parts were seen, in order of time; where several speak of one moment, the last word comes last.

    One list polled again and again without a change is one run of all its offers.
    """
    poll_of = {(stream, at): poll for stream, at, poll in _numbered(month.observations)}
    voices = Counter((o.stream, o.at) for o in month.observations)
    blocks: list[_Block] = []
    last_of: dict[str, int] = {}  # stream → its last block, where that may go on
    for o in month.observations:
        if o.part.stem not in number:
            continue
        poll, part = poll_of[o.stream, o.at], number[o.part.stem]
        last = last_of.pop(o.stream, None)
        is_alone = voices[o.stream, o.at] == 1 and not o.is_dated
        if is_alone and last is not None and blocks[last].part == part and blocks[last].last_poll == poll - 1:
            blocks[last] = blocks[last]._replace(last_poll=poll)
        else:
            last = len(blocks)
            blocks.append(_Block(o.stream, poll, poll, o.at, part, o.is_dated))
        if is_alone:
            last_of[o.stream] = last
    return blocks
