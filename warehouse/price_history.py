"""The history of prices: every price list that was fetched or shipped, parsed once, and when it was observed."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import cached_property, partial
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ingest.core.errors import AccelmartError, PayloadRejected
from ingest.core.landing import Landing
from ingest.core.payload import Payload
from ingest.core.records import Parsed
from ingest.core.source import Source
from ingest.fetch.plan import members_of
from ingest.prices.dated import is_dated, stream_of
from warehouse.files import read_derived, written_whole
from warehouse.isolation import Isolated, isolated_payload, problems_found, problems_of_list
from warehouse.parquet import read_rows
from warehouse.price_files import PriceFile
from warehouse.price_observations import Observation, Observed
from warehouse.price_parts import observed_times, price_part, write_price_part
from warehouse.raw import PRICE_OFFERS, PRICE_RECONCILIATION, RawPart, provenance_of

PRICE_POLL_INDEX = "price_poll_index"


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


def _lines_of(rows: list[dict[str, Any]]) -> list[_Line]:
    for row in rows:
        row["fetched_at"] = datetime.fromisoformat(row["fetched_at"])
    return [_Line(**row) for row in rows]


@dataclass(frozen=True)
class PriceHistory:
    """Everything that is known of one source's prices, landed here or shipped with the code.

    Args:
        source: the price source.
        landing: the landing zone.
        raw: root of the raw layer; written to.
        snapshot: root of the parts shipped with the code; only read.
        files: the user's own files, read where they lie.
        until: leave out what was landed later, as for a held source; None is everything.
        accepted: hashes of payloads that an operator accepted although checks fail.
    """

    source: Source
    landing: Landing
    raw: Path
    snapshot: Path
    files: Sequence[PriceFile] = ()
    until: datetime | None = None
    accepted: frozenset[str] = frozenset()

    def parse(self) -> tuple[list[str], list[str]]:
        """Parse every good payload that is not parsed yet, those later than `until` too: a later build may use them.

        Returns:
            (stems of the parts written now, what could not be read and why: a stored payload is damaged, or
            its parser has become stricter).
        """
        written, problems = [], []
        for file in self.files:
            if not (part := file.part(self.raw)).is_there:
                file.parse(self.raw)
                written.append(part.stem)
        before = {stream_of(part.key): part for part, _ in self._shipped_parts()}
        for part, line in self._parts_of(self._landed):
            stream = stream_of(part.key)
            if not part.is_there:
                try:
                    payload, parsed = self._parsed(line)
                except AccelmartError as e:
                    problems.append(str(e))
                    continue
                # a part that is complete was checked, whenever this process is killed
                check = partial(self._check, part, before.get(stream), line)
                try:
                    write_price_part(part, self.source, parsed, provenance_of(self.source, payload), check)
                except (OSError, MemoryError):
                    raise
                except Exception as e:  # noqa: BLE001  # such as a number that no column holds
                    problems.append(f"{part.stem} cannot be written ({type(e).__name__}: {e})")
                    continue
                written.append(part.stem)
            if not self._is_isolated(part):
                before[stream] = part
        return written, problems

    def _check(self, part: RawPart, before: RawPart | None, line: _Line) -> None:
        """Keep a record of a payload that fails checks against the one before it; `parts` leaves it out."""
        if PRICE_OFFERS not in (part.record_table, before.record_table if before else PRICE_OFFERS):
            return
        previous = before.path(PRICE_OFFERS) if before else None
        problems = problems_found(partial(problems_of_list, part.path(PRICE_OFFERS), previous, part.key))
        if problems:
            item = isolated_payload(
                source=line.source,
                key=line.key,
                release="",
                sha256=line.sha256,
                fetched_at=line.fetched_at,
                problems=problems,
            )
            with written_whole(self._record_of(part)) as temporary:
                temporary.write_text(json.dumps(asdict(item)), encoding="utf-8")

    def _record_of(self, part: RawPart) -> Path:
        return self.raw / "isolated_lists" / f"{part.stem}.json"

    def _is_isolated(self, part: RawPart) -> bool:
        return part.sha256 not in self.accepted and self._record_of(part).exists()

    def isolated(self) -> list[Isolated]:
        """Landed payloads that fail checks and are not used, of those the newest of each key."""
        newest = {part.key: part for part, _ in self._live_parts()}
        return [
            Isolated(**json.loads(self._record_of(part).read_text(encoding="utf-8")))
            for part in newest.values()
            if self._is_isolated(part)
        ]

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
                return payload, self.source.rows(members, key=payload.key)
            except (AccelmartError, OSError, MemoryError):
                raise
            except Exception as e:  # the current parser reads payloads of all years and may raise anything
                raise PayloadRejected(
                    payload=f"{line.source} {line.key} of {line.fetched_at:%Y-%m-%d %H:%M} UTC",
                    problem=f"its parser fails on it ({type(e).__name__}: {e})",
                    remedy="look at the payload, and mend the parser in ingest/prices",
                ) from e

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

    def parts(self) -> list[RawPart]:
        """Every parsed part: of this installation, and of the snapshot where this one has none of that payload."""
        parts = {(p.key, p.sha256): p for p, _ in self._shipped_parts()}
        live = (p for p, _ in self._live_parts() if p.is_there and not self._is_isolated(p))
        parts |= {(p.key, p.sha256): p for p in live}
        return sorted(parts.values(), key=lambda p: p.stem)

    @cached_property
    def _manifest(self) -> list[_Line]:
        """The good records of the landing zone that are used."""
        return [line for line in self._landed if self.until is None or line.fetched_at <= self.until]

    @cached_property
    def _landed(self) -> list[_Line]:
        """The good records of the landing zone. A month's records are read once and kept in one file."""
        months: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for folder, names in self.landing.record_names(self.source.name).items():
            for name in names:
                months[f"{name[:4]}-{name[4:6]}"].append((folder, name))
        return [line for month, names in sorted(months.items()) for line in self._lines(month, names)]

    def _lines(self, month: str, names: list[tuple[str, str]]) -> list[_Line]:
        digest = hashlib.sha256("\n".join(f"{f}/{n}" for f, n in sorted(names)).encode()).hexdigest()[:16]
        path = self.raw / "price_manifest" / f"{self.source.name}__{month}__{digest}.json"
        if (kept := read_derived(path, _lines_of, None)) is not None:
            return kept
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
        rows = [asdict(line) | {"fetched_at": line.fetched_at.isoformat()} for line in lines]
        with written_whole(path) as temporary:
            temporary.write_text(json.dumps(rows), encoding="utf-8")
        for old in path.parent.glob(f"{self.source.name}__{month}__*"):
            if old != path:
                old.unlink(missing_ok=True)
        return lines

    def _live_parts(self) -> list[tuple[RawPart, _Line]]:
        return self._parts_of(self._manifest)

    def _parts_of(self, lines: list[_Line]) -> list[tuple[RawPart, _Line]]:
        parts: dict[str, tuple[RawPart, _Line]] = {}
        for line in lines:
            part = price_part(self.raw, self.source, line.key, line.sha256)
            parts.setdefault(part.stem, (part, line))
        return list(parts.values())

    def _shipped_parts(self) -> list[tuple[RawPart, datetime]]:
        """The parts of the snapshot and of files, and when they were had, those of the newest parser last."""
        columns = ["parser_version", "payload_key", "payload_sha256", "fetched_at"]
        versions = []
        for path in sorted((self.snapshot / PRICE_RECONCILIATION).glob(f"{self.source.name}__*.parquet")):
            (row,) = read_rows(path, columns)
            version, key, sha256, fetched_at = (row[c] for c in columns)
            part = price_part(self.snapshot, self.source, key, sha256)
            if part.stem != path.stem:
                # a part of an older parser stays as it is: it cannot be parsed again without its payload
                part = replace(part, stem=path.stem)
            versions.append((version, part, fetched_at))
        versions += [(self.source.parser_version, file.part(self.raw), file.at) for file in self.files]
        return [(part, at) for _, part, at in sorted(versions, key=lambda v: v[0]) if part.is_there]

    def observed(self) -> Observed:
        """Return when each part was observed, oldest first. To be called after `parse`."""
        parts = {(p.key, p.sha256): p for p in self.parts()}
        seen = []
        only_dated = set()
        for part in parts.values():
            if is_dated(part.key) or self.source.has_dated_rows:
                times, has_undated = observed_times(part)
                seen += [Observation(stream_of(part.key), at, part, True) for at in times]
                if not has_undated:
                    only_dated.add(part.stem)
        for poll in self.polls():
            part_polled = parts.get((poll.key, poll.payload_sha256))
            # a list that dates itself is not made younger by asking for it again
            if part_polled and part_polled.stem not in only_dated:
                seen.append(Observation(stream_of(poll.key), poll.polled_at, part_polled, False))
        last_seen = self._last_seen()
        return Observed(
            self.source,
            sorted(
                seen,
                key=lambda o: (
                    o.at,
                    o.stream,
                    last_seen[o.part.key, o.part.sha256],
                    o.part.stem,
                    not o.is_dated,
                ),
            ),
        )

    def _last_seen(self) -> dict[tuple[str, str], datetime]:
        """Return when each payload (key, hash) was last seen: of two for one moment, the later one wins."""
        times = [((part.key, part.sha256), at) for part, at in self._shipped_parts()]
        times += [((line.key, line.sha256), line.fetched_at) for line in self._manifest]
        times += [((poll.key, poll.payload_sha256), poll.polled_at) for poll in self.polls()]
        last: dict[tuple[str, str], datetime] = {}
        for payload, at in times:
            last[payload] = max(at, last.get(payload, at))
        return last


def _poll_rows(root: Path, source: str) -> Iterator[dict[str, Any]]:
    for path in sorted((root / PRICE_POLL_INDEX).glob(f"{source}__*.parquet")):
        yield from read_rows(path)


def write_poll_index(root: Path, source: str, polls: Iterable[Poll]) -> Path | None:
    """Keep polls with parts that are shipped: one file a source; none where there is no poll."""
    rows = [asdict(poll) for poll in polls]
    if not rows:
        return None
    path = root / PRICE_POLL_INDEX / f"{source}__polls.parquet"
    with written_whole(path) as temporary:
        pq.write_table(pa.Table.from_pylist(rows), temporary, compression="zstd")
    return path
