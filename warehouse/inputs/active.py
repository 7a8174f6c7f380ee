"""Which parts a build uses: of what is landed, bundled, and in the user's own files.

Of specifications and measured serving the newest sound part of each key; below it the bundled one. Of MLPerf that of
each round and form of its results (a summary, a collection, a tree), and the results of the sound payloads before it:
what the newest lacks is withdrawn. Of prices every sound list, with the times it was in force. The operator's holds go
on top.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

from ingest.core.landing import Landing
from ingest.core.source import Source
from ingest.mlperf.registry import (
    MLPERF_COLLECTION,
    MLPERF_INFERENCE,
    MLPERF_SOURCES,
    MLPERF_TRAINING,
    MLPERF_TRAINING_COLLECTION,
)
from ingest.mlperf.releases import round_of_repository
from ingest.prices.collected import OWN_PRICES
from ingest.prices.registry import PRICE_SOURCES
from ingest.registry import SOURCES
from warehouse.decisions.holds import Holds, read_holds
from warehouse.inputs.isolation import Isolated
from warehouse.inputs.parsing import Landed, RawLayer
from warehouse.inputs.price_files import own_parts
from warehouse.inputs.price_observations import Observed, observe
from warehouse.inputs.raw import EARLIER_TABLES, RawPart, preference_of, read_parts
from warehouse.storage.home import SNAPSHOT_DIR, Home

INFERENCE_SOURCES = (MLPERF_INFERENCE, MLPERF_COLLECTION)
TRAINING_SOURCES = (MLPERF_TRAINING, MLPERF_TRAINING_COLLECTION)


@dataclass(frozen=True)
class Active:
    """What a build of the present landing zone consists of.

    Attributes:
        parts: of everything but prices.
        earlier: sound parts of MLPerf results that are older than those in force.
        prices: when each price list was observed, by source.
        isolated: landed payloads that are not used, and why.
        holds: of the operator.
        last_fetched: source → when it was last fetched with success, as far as it was landed.
    """

    parts: list[RawPart]
    earlier: list[RawPart]
    prices: list[Observed]
    isolated: list[Isolated]
    holds: Holds
    last_fetched: dict[str, datetime]

    @property
    def all_parts(self) -> list[RawPart]:
        """Those of prices too."""
        return [*self.parts, *(part for observed in self.prices for part in observed.parts)]


def select_active(
    home: Home, sources: Iterable[str] = tuple(SOURCES), *, snapshot: Path = SNAPSHOT_DIR
) -> Active:
    """Select what a build uses. What is landed and has no parts yet is parsed.

    Args:
        home: the installation.
        sources: names of the sources; default: all.
        snapshot: root of the parts shipped with the code.
    """
    holds = read_holds(home)
    shipped = read_parts(snapshot)
    layer = RawLayer(home, [*shipped, *read_parts(home.raw)])
    live: list[tuple[datetime, RawPart]] = []
    older: list[RawPart] = []
    prices: list[Observed] = []
    isolated: dict[tuple[str, str], Isolated] = {}
    last_fetched: dict[str, datetime] = {}
    wanted = {name for name in sources if not holds.is_withdrawn(name)}
    for source in SOURCES.values():
        if source.name not in wanted and not wanted.intersection(source.also_gives):
            continue
        landed = layer.landed(source)
        is_of_prices = source.name in PRICE_SOURCES
        if is_of_prices:
            hold = holds.hold_of(source.name)
            landed = [seen for one in landed if (seen := one.until(hold.as_of if hold else None))]
            own = own_parts(home) if source is OWN_PRICES else []
            bundled = [p for p in shipped if p.provenance.source == source.name]
            prices.append(observe(source, [*bundled, *own], landed, layer.is_sound, snapshot))
        for name, one in product((source.name, *source.also_gives), landed):
            last_fetched[name] = max(one.fetched_at[-1], last_fetched.get(name, one.fetched_at[-1]))
        for of_key in _by_key_and_form(landed):
            # prices are held at a time, everything else at its payloads
            chosen, before, problems = _choose(source, of_key, layer, Holds() if is_of_prices else holds)
            live += [] if is_of_prices else chosen
            older += before
            for item in problems:
                isolated.setdefault((item.name, item.payload_sha256), item)
    below = [p for p in shipped if p.provenance.source not in PRICE_SOURCES and _is_admitted(p, holds)]
    below.sort(key=lambda p: p.provenance.fetched_at)
    by_age = [*below, *(part for _, part in sorted(live, key=lambda fetched: fetched[0]))]
    parts = newest_parts(p for p in by_age if p.provenance.source in wanted)
    streams = {p.stream for p in parts if p.record_table in EARLIER_TABLES}
    # what is landed can be bundled too: one file of a name is enough
    by_stem = {p.stem: p for p in (*by_age, *older) if p.stream in streams}
    earlier = [p for stem, p in by_stem.items() if stem not in {part.stem for part in parts}]
    problems_of_wanted = [i for i in isolated.values() if i.source in wanted]
    return Active(parts, earlier, prices, problems_of_wanted, holds, last_fetched)


def _by_key_and_form(landed: Iterable[Landed]) -> list[list[Landed]]:
    """Group by key and form (a file, or a tree), the last fetched first."""
    groups: dict[tuple[str, str], list[Landed]] = defaultdict(list)
    for one in sorted(landed, key=lambda one: one.fetched_at[-1], reverse=True):
        groups[one.payload.key, one.payload.content_type].append(one)
    return list(groups.values())


def _is_admitted(part: RawPart, holds: Holds) -> bool:
    """Whether a bundled part is not withdrawn; system descriptions go with the round they were read from."""
    owner = round_of_repository(part.provenance.payload_key)
    return not (
        holds.is_withdrawn(part.provenance.source, part.account.release)
        or (owner is not None and holds.is_withdrawn(*owner))
    )


def _choose(
    source: Source, of_key: list[Landed], layer: RawLayer, holds: Holds
) -> tuple[list[tuple[datetime, RawPart]], list[RawPart], list[Isolated]]:
    """Choose, of each round, the parts of the newest payload; where a check fails, those of the payloads before it.

    Returns:
        (when a part was last fetched, and the part; sound parts of the payloads before; payloads that are newer and
        not used).
    """
    chosen: list[tuple[datetime, RawPart]] = []
    older: list[RawPart] = []
    isolated: list[Isolated] = []
    subjects = {(p.provenance.source, p.account.release) for one in of_key for p in one.parts}
    for of, release in sorted(subjects) or [(source.name, "")]:
        dialects: set[str] = set()
        is_whole = False
        for one in of_key:
            of_round = release or (one.payload.key if source.has_releases else "")
            is_held = of != source.name and not holds.admits(of, None, one.payload)
            if is_held or not holds.admits(source.name, of_round or None, one.payload):
                continue
            parts = [p for p in one.parts if (p.provenance.source, p.account.release) == (of, release)]
            open_parts = [p for p in parts if p.account.dialect not in dialects and not is_whole]
            sound = [p for p in parts if layer.is_sound(p)]
            older += [p for p in sound if p not in open_parts]
            if is_whole:
                continue
            unsound = [p for p in open_parts if p not in sound]
            problems = [p.account.isolated_because or "" for p in unsound] or [one.problem]
            isolated += [_isolated_payload(of, of_round, one, problem) for problem in problems if problem]
            newest = [p for p in open_parts if p in sound]
            chosen += [(one.fetched_at[-1], p) for p in newest]
            dialects |= {p.account.dialect for p in newest}
            is_whole = not any(problems)
    return chosen, older, isolated


def _isolated_payload(source: str, release: str, landed: Landed, problem: str) -> Isolated:
    return Isolated(
        source=source,
        payload_key=landed.payload.key,
        release=release,
        payload_sha256=landed.payload.sha256,
        fetched_at=landed.fetched_at[-1].astimezone(UTC).isoformat(timespec="seconds"),
        problem=problem,
    )


def newest_parts(by_age: Iterable[RawPart]) -> list[RawPart]:
    """Select the newest part of each source, round or key, and form.

    A part of which no record could be read does not take the place of a good one: both stay, the good one
    for its rows, the other for its rejects.

    Args:
        by_age: sound parts, the oldest first.
    """
    streams: dict[tuple[str, str, str], list[RawPart]] = defaultdict(list)
    for part in by_age:
        streams[part.stream if part.record_table in EARLIER_TABLES else _key_and_dialect(part)].append(part)
    parts = []
    for _, of_stream in sorted(streams.items()):
        good = [p for p in of_stream if p.account.rows_out]
        newest = [p for p in good if p.payload == good[-1].payload]
        # one payload can hold a round's summary twice, as JSON and as a table
        parts += sorted(newest, key=lambda p: preference_of(p.account.dialect))[:1]
        parts += [p for p in of_stream if not p.account.rows_out and p.payload == of_stream[-1].payload]
    return parts


def _key_and_dialect(part: RawPart) -> tuple[str, str, str]:
    return part.provenance.source, part.account.release or part.provenance.payload_key, part.account.dialect


def known_rounds(home: Home, *sources: str) -> set[str]:
    """Return the MLPerf rounds of some sources that are bundled, parsed or landed."""
    parts = [p for root in (SNAPSHOT_DIR, home.raw) for source in sources for p in read_parts(root, source)]
    landing = Landing(home.landing_url)
    by_round = [s for s in sources if s in MLPERF_SOURCES and MLPERF_SOURCES[s].has_releases]
    landed = {payload.key for source in by_round for payload in landing.newest(source)}
    return ({p.account.release for p in parts} | landed) - {""}
