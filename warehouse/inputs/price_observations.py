"""When each parsed price list was in force: the observations of every source, as tables for dbt.

A payload is parsed once, however often it is fetched. Its undated rows were observed whenever it was fetched, its dated
rows at the moments they state. The rule that makes intervals of observations is SQL: `int_price__joined`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as pq

from ingest.core.source import Source
from ingest.prices.dated import is_dated, moment_of, stream_of
from warehouse.inputs.parsing import Landed
from warehouse.inputs.raw import EXCHANGE_RATES, PRICE_OFFERS, RawPart
from warehouse.storage.parquet import write_records

PRICE_OBSERVATIONS, PRICE_POLLS = "price_observations", "price_polls"
_POLL_INDEX = "price_poll_index"
"""Folder of the snapshot: when the undated lists in it were fetched, one file a source."""


class PriceObservation(NamedTuple):
    """A row of the raw table ``price_observations``.

    A list in consecutive polls of its stream, or the rows that it dates to one moment.
    """

    source: str
    source_rank: int
    stream: str
    payload_key: str
    payload_sha256: str
    observation: int
    first_poll: int
    last_poll: int
    observed_at: datetime
    is_dated: bool
    has_dated_rows: bool


class PricePoll(NamedTuple):
    """A row of the raw table ``price_polls``: a stream was observed at a time."""

    source: str
    stream: str
    poll: int
    polled_at: datetime
    polls_to_close: int


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
    polled = {(poll.key, poll.payload_sha256) for poll in polls}
    seen = []
    only_dated = set()
    for payload, part in parts.items():
        if is_dated(payload[0]) or source.has_dated_rows:
            times, has_undated = _observed_times(part)
            if not times and payload not in polled:
                times = [part.provenance.fetched_at]  # a file whose lines are all rejected: they are listed
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
    write_records(path, polls, Poll)
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
    lists, polls = [], []
    for of_source in observed:
        lists += list_observations(of_source)
        polls += number_polls(of_source)
    write_records(folder / PRICE_OBSERVATIONS / f"{PRICE_OBSERVATIONS}.parquet", lists, PriceObservation)
    write_records(folder / PRICE_POLLS / f"{PRICE_POLLS}.parquet", polls, PricePoll)


def number_polls(observed: Observed) -> list[PricePoll]:
    """Return every poll with its number among those of its stream, in order of stream and time."""
    source, times = observed.source, sorted({(o.stream, o.at) for o in observed.observations})
    return [
        PricePoll(source.name, stream, number, at, source.polls_to_close)
        for stream, seen in groupby(times, key=itemgetter(0))
        for number, (_, at) in enumerate(seen, start=1)
    ]


def list_observations(observed: Observed) -> list[PriceObservation]:
    """Return when the lists of offers were observed; a list fetched again without a change is one observation."""
    source = observed.source
    lists = [o for o in observed.observations if o.part.record_table == PRICE_OFFERS]
    has_dated_rows = source.has_dated_rows or any(o.is_dated for o in lists)
    poll_of = {(poll.stream, poll.polled_at): poll.poll for poll in number_polls(observed)}
    observations_at = Counter((o.stream, o.at) for o in observed.observations)
    rows: list[PriceObservation] = []
    last_of: dict[str, int] = {}  # stream → its last observation, where that may go on
    for o in lists:
        poll = poll_of[o.stream, o.at]
        number = last_of.pop(o.stream, None)
        is_alone = observations_at[o.stream, o.at] == 1 and not o.is_dated
        last = rows[number] if is_alone and number is not None else None
        if last and (last.payload_key, last.payload_sha256, last.last_poll) == (*o.part.payload, poll - 1):
            rows[last.observation] = last._replace(last_poll=poll)
        else:
            number = len(rows)
            of_list = (source.name, source.rank, o.stream, *o.part.payload)
            rows.append(PriceObservation(*of_list, number, poll, poll, o.at, o.is_dated, has_dated_rows))
        if is_alone and number is not None:
            last_of[o.stream] = number
    return rows
