"""When each parsed price list was in force: the observations of every source, as tables for dbt.

A payload is parsed once, however often it is fetched. Its undated rows were observed whenever it was fetched, its dated
rows at the moments they state. The rule that makes intervals of observations is SQL: `int_price__joined`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from ingest.core.source import Source
from ingest.prices.dated import is_dated, moment_of, stream_of
from warehouse.parquet import write_rows
from warehouse.parsing import Landed
from warehouse.raw import EXCHANGE_RATES, PRICE_OFFERS, RawPart

PRICE_OBSERVATIONS, PRICE_POLLS = "price_observations", "price_polls"
_POLL_INDEX = "price_poll_index"
"""Folder of the snapshot: when the undated lists in it were fetched, one file a source."""
_MOMENT = pa.timestamp("us", "UTC")
_OBSERVATIONS = pa.schema(
    [
        ("source", pa.string()),
        ("source_rank", pa.int64()),
        ("stream", pa.string()),
        ("payload_key", pa.string()),
        ("payload_sha256", pa.string()),
        ("observation", pa.int64()),
        ("first_poll", pa.int64()),
        ("last_poll", pa.int64()),
        ("observed_at", _MOMENT),
        ("is_dated", pa.bool_()),
        ("has_dated_rows", pa.bool_()),
    ]
)
_POLLS = pa.schema(
    [
        ("source", pa.string()),
        ("stream", pa.string()),
        ("poll", pa.int64()),
        ("polled_at", _MOMENT),
        ("polls_to_close", pa.int64()),
    ]
)
_POLL_INDEX_SCHEMA = pa.schema(
    [("key", pa.string()), ("polled_at", _MOMENT), ("payload_sha256", pa.string())]
)


@dataclass(frozen=True)
class Observation:
    """A part, and when it was observed: its undated rows by a fetch, its dated rows at a moment of their own."""

    stream: str
    at: datetime
    part: RawPart
    is_dated: bool


@dataclass(frozen=True)
class Observed:
    """What is known of one source's prices.

    Attributes:
        source: the price source.
        observations: in order of time; of several for one moment of a stream, the one that wins is last.
    """

    source: Source
    observations: Sequence[Observation]

    @property
    def parts(self) -> list[RawPart]:
        """The parts that were observed, each once."""
        return list({o.part.stem: o.part for o in self.observations}.values())


class Poll(NamedTuple):
    """A price list was fetched, and this is what was in force then."""

    key: str
    polled_at: datetime
    payload_sha256: str


def observe(
    source: Source,
    bundled: Iterable[RawPart],
    landed: Sequence[Landed],
    is_sound: Callable[[RawPart], bool],
    snapshot: Path,
) -> Observed:
    """Return when each parsed list of a source was in force.

    Args:
        source: the price source.
        bundled: parts of the snapshot and of the user's own files.
        landed: what was landed of the source.
        is_sound: whether a landed part may be used.
        snapshot: root of the parts shipped with the code, which says when undated ones were fetched.
    """
    parts = {p.payload: p for p in sorted(bundled, key=lambda p: p.provenance.parser_version)}
    parts |= {p.payload: p for one in landed for p in one.parts if is_sound(p)}
    polls = polls_of(source, landed, snapshot)
    seen = []
    only_dated = set()
    for payload, part in parts.items():
        if is_dated(payload[0]) or source.has_dated_rows:
            times, has_undated = _observed_times(part)
            seen += [Observation(stream_of(payload[0]), at, part, True) for at in times]
            if not has_undated:
                only_dated.add(part.stem)
    for poll in polls:
        part_polled = parts.get((poll.key, poll.payload_sha256))
        # a list that dates itself is not made younger by asking for it again
        if part_polled and part_polled.stem not in only_dated:
            seen.append(Observation(stream_of(poll.key), poll.polled_at, part_polled, False))
    # of two payloads for one moment, the one that was seen last wins
    times_seen = [(p.payload, p.provenance.fetched_at) for p in parts.values()]
    times_seen += [((one.payload.key, one.payload.sha256), max(one.fetched_at)) for one in landed]
    times_seen += [((poll.key, poll.payload_sha256), poll.polled_at) for poll in polls]
    last_seen = dict(sorted(times_seen, key=lambda pair: pair[1]))
    order = sorted(
        seen, key=lambda o: (o.at, o.stream, last_seen[o.part.payload], o.part.stem, not o.is_dated)
    )
    return Observed(source, order)


def polls_of(source: Source, landed: Iterable[Landed], snapshot: Path) -> list[Poll]:
    """Return every good poll, landed here or bundled, oldest first; undated keys only."""
    paths = sorted((snapshot / _POLL_INDEX).glob(f"{source.name}__*.parquet"))
    polls = {
        (p.key, p.polled_at): p
        for path in paths
        for p in (Poll(**row) for row in pq.read_table(path).to_pylist())
    }
    for one in landed:
        if not is_dated(one.payload.key):
            polls |= {
                (one.payload.key, at): Poll(one.payload.key, at, one.payload.sha256) for at in one.fetched_at
            }
    return sorted(polls.values(), key=lambda p: (p.polled_at, p.key))


def write_poll_index(folder: Path, source: Source, polls: Sequence[Poll]) -> Path | None:
    """Keep polls with parts that are shipped; return the file, None where there is no poll."""
    if not polls:
        return None
    path = folder / _POLL_INDEX / f"{source.name}__polls.parquet"
    write_rows(path, [p._asdict() for p in polls], _POLL_INDEX_SCHEMA)
    return path


def _observed_times(part: RawPart) -> tuple[list[datetime], bool]:
    """Return the moments that a part's rows name, and whether it has rows that name none."""
    key = part.provenance.payload_key
    if part.record_table == EXCHANGE_RATES:
        return [moment_of(key)[0]], False
    column = pq.read_table(part.path(PRICE_OFFERS), columns=["observed_at"]).column("observed_at")
    times = set(column.unique().to_pylist())
    if not times and is_dated(key):
        times = {moment_of(key)[0]}  # a list without a price is an observation too
    return sorted(at for at in times if at), None in times or not times


def write_observations(observed: Iterable[Observed], folder: Path) -> None:
    """Write the observations and the polls of all sources.

    Args:
        observed: of each source.
        folder: the raw tables of a build; ``price_observations`` and ``price_polls`` are written below it.
    """
    observed = list(observed)
    for table, rows_of, shape in (
        (PRICE_OBSERVATIONS, _observation_rows, _OBSERVATIONS),
        (PRICE_POLLS, _poll_rows, _POLLS),
    ):
        write_rows(folder / table / f"{table}.parquet", [row for o in observed for row in rows_of(o)], shape)


def _poll_rows(observed: Observed) -> Iterator[dict[str, Any]]:
    for stream, at, poll in numbered_polls(observed.observations):
        yield {
            "source": observed.source.name,
            "stream": stream,
            "poll": poll,
            "polled_at": at,
            "polls_to_close": observed.source.polls_to_close,
        }


def _observation_rows(observed: Observed) -> Iterator[dict[str, Any]]:
    blocks = _blocks(observed.observations)
    has_dated_rows = observed.source.has_dated_rows or any(block.is_dated for block in blocks)
    for number, block in enumerate(blocks):
        yield {
            "source": observed.source.name,
            "source_rank": observed.source.rank,
            "stream": block.stream,
            "payload_key": block.part.provenance.payload_key,
            "payload_sha256": block.part.provenance.payload_sha256,
            "observation": number,
            "first_poll": block.first_poll,
            "last_poll": block.last_poll,
            "observed_at": block.at,
            "is_dated": block.is_dated,
            "has_dated_rows": has_dated_rows,
        }


def numbered_polls(observations: Iterable[Observation]) -> list[tuple[str, datetime, int]]:
    """Return (stream, time, number among those of the stream) of every poll, in order of stream and time."""
    out = []
    for stream, seen in groupby(sorted({(o.stream, o.at) for o in observations}), key=lambda pair: pair[0]):
        out += [(stream, at, number) for number, (_, at) in enumerate(seen, start=1)]
    return out


class _Block(NamedTuple):
    """A list in consecutive polls of its stream, or the rows it dates to one moment."""

    stream: str
    first_poll: int
    last_poll: int
    at: datetime
    part: RawPart
    is_dated: bool


def _blocks(observations: Sequence[Observation]) -> list[_Block]:
    """Return when the lists of offers were observed; a list fetched again without a change is one block."""
    poll_of = {(stream, at): poll for stream, at, poll in numbered_polls(observations)}
    observations_at = Counter((o.stream, o.at) for o in observations)
    blocks: list[_Block] = []
    last_of: dict[str, int] = {}  # stream → its last block, where that may go on
    for o in observations:
        if o.part.record_table != PRICE_OFFERS:
            continue
        poll = poll_of[o.stream, o.at]
        last = last_of.pop(o.stream, None)
        is_alone = observations_at[o.stream, o.at] == 1 and not o.is_dated
        if (
            is_alone
            and last is not None
            and blocks[last].part == o.part
            and blocks[last].last_poll == poll - 1
        ):
            blocks[last] = blocks[last]._replace(last_poll=poll)
        else:
            last = len(blocks)
            blocks.append(_Block(o.stream, poll, poll, o.at, o.part, o.is_dated))
        if is_alone:
            last_of[o.stream] = last
    return blocks
