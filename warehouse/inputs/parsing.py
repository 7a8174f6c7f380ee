"""Parsing landed payloads into the raw layer: once, where they land.

What has no parts yet is parsed again from the landing zone before a build: a parser has a new version, the raw layer
was removed, or a process was killed between a payload and its parts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from ingest.core.errors import AccelmartError, PayloadRejected
from ingest.core.landing import Landing
from ingest.core.names import as_key
from ingest.core.payload import Payload
from ingest.core.payloads import parse_payload
from ingest.core.source import Part, Source
from ingest.prices.dated import is_dated, moment_of
from ingest.prices.offers import PriceOffer, resolve_periods
from warehouse.inputs.isolation import accepted_payloads, problems_of
from warehouse.inputs.raw import (
    PRICE_OFFERS,
    Provenance,
    RawPart,
    provenance_of,
    read_parts,
    stream_of_part,
    table_of,
    write_part,
)
from warehouse.storage.home import SNAPSHOT_DIR, Home


@dataclass(frozen=True)
class Landed:
    """One content of a landing key, however often it was fetched.

    Attributes:
        payload: the record of its first fetch.
        fetched_at: when it was fetched, oldest first.
        parts: what it gives; empty where it cannot be read.
        problem: why it cannot be read; empty where it can.
    """

    payload: Payload
    fetched_at: Sequence[datetime]
    parts: Sequence[RawPart] = ()
    problem: str = ""

    def until(self, moment: datetime | None) -> Landed | None:
        """Return what was known of it at a moment; None if it came later. Without a moment: all of it."""
        times = [at for at in self.fetched_at if moment is None or at <= moment]
        return replace(self, fetched_at=times) if times else None


def write_parts(home: Home, source: Source, payload: Payload, parts: Sequence[Part]) -> None:
    """Write the parts of a payload that was landed just now, if they are not there.

    Args:
        home: the installation.
        source: whose payload it is.
        payload: the first record of its bytes, which counts here and whenever they are parsed again.
        parts: what its parser gave.

    Raises:
        PayloadRejected: they cannot be written.
    """
    layer = RawLayer(home, [*read_parts(SNAPSHOT_DIR, source.name), *read_parts(home.raw, source.name)])
    if not layer.parts_of(source, payload):
        layer.write(source, payload, parts)


class RawLayer:
    """The parsed parts of an installation, and those that are bundled.

    Args:
        home: the installation.
        parts: those that are there.
    """

    def __init__(self, home: Home, parts: Iterable[RawPart]) -> None:
        self._home = home
        self._accepted = accepted_payloads(home)
        self._parsed: dict[str, list[RawPart]] = defaultdict(list)  # by the hash of their payload
        self._of_stream: dict[tuple[str, ...], list[RawPart]] = defaultdict(list)
        for part in parts:
            self._add(part)

    def _add(self, part: RawPart) -> None:
        if part.root == self._home.raw:
            self._parsed[part.provenance.payload_sha256].append(part)
        if self.is_sound(part):
            self._of_stream[part.stream].append(part)

    def _before(self, part: Part, provenance: Provenance) -> RawPart | None:
        """Return the sound part of the same stream that was fetched last before a part; what is bundled is older."""
        known = [
            (p.root == self._home.raw, p.provenance.fetched_at, p.stem, p)
            for p in self._of_stream[stream_of_part(provenance, part.release, part.dialect)]
        ]
        return max((k for k in known if not k[0] or k[1] < provenance.fetched_at), default=(None,))[-1]

    def is_sound(self, part: RawPart) -> bool:
        """Whether a build may use a part: no check fails, or an operator accepted its payload."""
        return part.account.isolated_because is None or part.provenance.payload_sha256 in self._accepted

    def parts_of(self, source: Source, payload: Payload) -> list[RawPart]:
        """Return the parts of a payload by the present parser; none if one is missing."""
        of_hash = self._parsed[payload.sha256]
        parts = [p for p in of_hash if p.provenance.parser_version == source.parser_version]
        names = source.name, payload.key
        own = [p for p in parts if (p.provenance.source, p.provenance.payload_key) == names]
        if not own or len(own) < own[0].account.parts_in_payload:
            return []
        return [*own, *(p for p in parts if p.provenance.source in source.also_gives)]

    def landed(self, source: Source) -> list[Landed]:
        """Return what was landed of a source, by the time of its first fetch. What has no parts yet is parsed."""
        records: Mapping[tuple[str, str], list[Payload]] = defaultdict(list)
        for payload in Landing(self._home.landing_url).history(source.name):
            if payload.outcome != "quarantined":
                records[payload.key, payload.sha256].append(payload)
        return [self._landed(source, same) for same in records.values()]

    def _landed(self, source: Source, records: list[Payload]) -> Landed:
        payload, times = records[0], [p.fetched_at for p in records]
        try:
            as_key(payload.key)  # it may have been landed before keys had a form
            if parts := self.parts_of(source, payload):
                return Landed(payload, times, parts)
            parsed = parse_payload(Landing(self._home.landing_url), source, payload)
            parts = self.write(source, payload, parsed)
        except AccelmartError as e:
            return Landed(payload, times, problem=str(e))
        return Landed(payload, times, parts)

    def write(self, source: Source, payload: Payload, parts: Sequence[Part]) -> list[RawPart]:
        """Write the parts of a payload, each checked against the sound one before it of its stream.

        Raises:
            PayloadRejected: they cannot be written, such as a number that no column holds.
        """
        evidence = provenance_of(source, payload)
        n_own = sum(not part.source for part in parts)
        # those of other sources first: the payload counts as parsed when its own parts are there
        others_first = sorted(parts, key=lambda p: not p.source)
        written = []
        try:
            for part in others_first:
                provenance = replace(
                    evidence, source=part.source or source.name, payload_key=part.key or payload.key
                )
                part = settle_prices(part, provenance)
                problems = problems_of(part, provenance.payload_key, self._before(part, provenance))
                new = write_part(self._home.raw, part, provenance, parts_in_payload=n_own, problems=problems)
                self._add(new)
                written.append(new)
        except (OSError, MemoryError):
            raise
        except Exception as e:
            raise PayloadRejected(
                payload=f"{source.name} {payload.key} of {payload.fetched_at:%Y-%m-%d %H:%M} UTC",
                problem=f"its rows cannot be written ({type(e).__name__}: {e})",
                remedy="look at the payload; if it is right, mend the source's parser",
            ) from e
        return written


def settle_prices(part: Part, provenance: Provenance) -> Part:
    """Settle which of an offer's prices holds at the time of a price list; other parts stay as they are.

    Args:
        part: as its parser gives it.
        provenance: of the list. A dated key says when its prices held, else they hold when it was fetched.

    Raises:
        AssertionError: the parser gives offers under the name of another source.
    """
    if table_of(part.dialect) != PRICE_OFFERS:
        return part
    source, key = provenance.source, provenance.payload_key
    if strange := {r.source for r in part.parsed.rows} - {source}:
        raise AssertionError(f"{source} gives offers of {', '.join(sorted(strange))}")
    at, precision = moment_of(key) if is_dated(key) else (provenance.fetched_at, None)
    parsed = resolve_periods(part.parsed, at, f"{source} {key}")
    if precision:
        parsed = replace(parsed, rows=[_dated(r, at, precision) for r in parsed.rows])
    return replace(part, parsed=parsed)


def _dated(row: PriceOffer, at: datetime, precision: str) -> PriceOffer:
    return row if row.observed_at else replace(row, observed_at=at, observed_precision=precision)
