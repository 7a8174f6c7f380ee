"""Which parts a build uses: of what is landed, bundled, and in the user's own files.

Of MLPerf, specifications and measured serving the newest sound part of each round or key and dialect; below it the
bundled one. Of prices every sound list, with the times it was in force. The operator's holds go on top.
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
from warehouse.holds import Holds, read_holds
from warehouse.home import SNAPSHOT_DIR, Home
from warehouse.isolation import Isolated
from warehouse.parsing import Landed, RawLayer
from warehouse.price_files import own_parts
from warehouse.price_observations import Observed, observe
from warehouse.raw import RawPart, read_parts

INFERENCE_SOURCES = (MLPERF_INFERENCE, MLPERF_COLLECTION)
TRAINING_SOURCES = (MLPERF_TRAINING, MLPERF_TRAINING_COLLECTION)


@dataclass(frozen=True)
class Active:
    """What a build of the present landing zone consists of.

    Attributes:
        parts: of everything but prices.
        prices: when each price list was observed, by source.
        isolated: landed payloads that are not used, and why.
        holds: of the operator.
        last_fetched: source → when it was last fetched with success, as far as it was landed.
    """

    parts: list[RawPart]
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
    live: list[RawPart] = []
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
            chosen, problems = _choose(source, of_key, layer, Holds() if is_of_prices else holds)
            live += [] if is_of_prices else chosen
            for item in problems:
                isolated.setdefault((item.name, item.payload_sha256), item)
    below = [p for p in shipped if p.provenance.source not in PRICE_SOURCES and _is_admitted(p, holds)]
    parts = [p for p in in_force(below, live) if p.provenance.source in wanted]
    problems_of_wanted = [i for i in isolated.values() if i.source in wanted]
    return Active(parts, prices, problems_of_wanted, holds, last_fetched)


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
) -> tuple[list[RawPart], list[Isolated]]:
    """Choose, of each round, the parts of the newest payload; where a check fails, those of the payloads before it.

    Returns:
        (parts, payloads that are newer and not used).
    """
    chosen: list[RawPart] = []
    isolated: list[Isolated] = []
    subjects = {(p.provenance.source, p.account.release) for one in of_key for p in one.parts}
    for of, release in sorted(subjects) or [(source.name, "")]:
        by_dialect: dict[str, RawPart] = {}
        for one in of_key:
            of_round = release or (one.payload.key if source.has_releases else "")
            is_held = of != source.name and not holds.admits(of, None, one.payload)
            if is_held or not holds.admits(source.name, of_round or None, one.payload):
                continue
            parts = [p for p in one.parts if (p.provenance.source, p.account.release) == (of, release)]
            open_parts = [p for p in parts if p.account.dialect not in by_dialect]
            unsound = [p for p in open_parts if not layer.is_sound(p)]
            problems = [p.account.isolated_because or "" for p in unsound] or [one.problem]
            isolated += [_isolated_payload(of, of_round, one, problem) for problem in problems if problem]
            by_dialect |= {p.account.dialect: p for p in open_parts if p not in unsound}
            if not any(problems):
                break
        chosen += by_dialect.values()
    return chosen, isolated


def _isolated_payload(source: str, release: str, landed: Landed, problem: str) -> Isolated:
    return Isolated(
        source=source,
        payload_key=landed.payload.key,
        release=release,
        payload_sha256=landed.payload.sha256,
        fetched_at=landed.fetched_at[-1].astimezone(UTC).isoformat(timespec="seconds"),
        problem=problem,
    )


def in_force(bundled: Iterable[RawPart], live: Iterable[RawPart]) -> list[RawPart]:
    """The parts a build uses: of each source, round or key, and dialect the newest live one, else the bundled one.

    A part of which no record could be read does not take the place of a good one: both stay, the good one
    for its rows, the other for its rejects.
    """
    chosen: dict[tuple[str, str, str], list[RawPart]] = {}
    by_age = [sorted(parts, key=lambda p: p.provenance.fetched_at) for parts in (bundled, live)]
    for part in (part for parts in by_age for part in parts):
        account, provenance = part.account, part.provenance
        key = account.release or provenance.payload_key, account.dialect, provenance.source
        good = [p for p in chosen.get(key, []) if p.account.rows_out]
        chosen[key] = [part] if part.account.rows_out else [*good, part]
    return [part for key in sorted(chosen) for part in chosen[key]]


def known_rounds(home: Home, *sources: str) -> set[str]:
    """Return the MLPerf rounds of some sources that are bundled, parsed or landed."""
    parts = [p for root in (SNAPSHOT_DIR, home.raw) for source in sources for p in read_parts(root, source)]
    landing = Landing(home.landing_url)
    by_round = [s for s in sources if s in MLPERF_SOURCES and MLPERF_SOURCES[s].has_releases]
    landed = {payload.key for source in by_round for payload in landing.newest(source)}
    return ({p.account.release for p in parts} | landed) - {""}
