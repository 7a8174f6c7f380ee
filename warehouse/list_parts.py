"""Lists without a fold in the raw layer: the last good payload of every key, parsed once. Prices are folded instead."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import pyarrow.parquet as pq

from ingest.core.errors import AccelmartError
from ingest.core.landing import Landing
from ingest.core.payload import Payload
from ingest.core.source import Source
from ingest.fetch.plan import members_of
from ingest.prices.dated import is_dated, moment_of
from ingest.registry import SERVING_SOURCES
from warehouse.holds import Holds
from warehouse.raw import SERVING_FAMILY, Family, RawPart, list_part, provenance_of, write_files

NO_HOLDS = Holds()
Parse = Callable[[], None]


def serving_parts(
    landing: Landing, raw: Path, snapshot: Path, holds: Holds = NO_HOLDS
) -> tuple[list[RawPart], list[str]]:
    """Return the parts of measured serving that a build uses; see `parts_of`."""
    shipped = shipped_parts(
        snapshot, SERVING_FAMILY, lambda stem: holds.is_withdrawn(stem.partition("__")[0])
    )
    return parts_of(shipped, landed_parts(landing, raw, SERVING_FAMILY, SERVING_SOURCES, holds))


def parts_of(
    shipped: Iterable[RawPart], landed: Iterable[tuple[RawPart, Parse]]
) -> tuple[list[RawPart], list[str]]:
    """Return the parts a build uses: of every source and key the last good payload, and what is shipped with the code.

    Args:
        shipped: parts of the bundled snapshot.
        landed: parts of what was landed, each with what parses it.

    Returns:
        (parts by file name, what could not be read and why).
    """
    parts = {p.stem: p for p in shipped}
    problems = []
    for part, parse in landed:
        try:
            if not part.is_there:
                parse()
        except AccelmartError as e:
            problems.append(str(e))
        except (OSError, MemoryError):
            raise
        except Exception as e:  # noqa: BLE001  # a parser meets any bytes: its failure is this payload's alone
            problems.append(f"{part.stem}: its parser fails ({type(e).__name__}: {e}); look at the payload")
        else:
            parts[part.stem] = part
    return [parts[stem] for stem in sorted(parts)], problems


def shipped_parts(snapshot: Path, family: Family, is_withdrawn: Callable[[str], bool]) -> list[RawPart]:
    """Return the parts of a family in the snapshot, without those whose file name is withdrawn."""
    stems = sorted(p.stem for p in (snapshot / family.reconciliation).glob("*.parquet"))
    return [_shipped(snapshot, family, stem) for stem in stems if not is_withdrawn(stem)]


def _shipped(snapshot: Path, family: Family, stem: str) -> RawPart:
    _, key, sha256, _ = stem.split("__")
    return RawPart(snapshot, family, stem, key, sha256)


def landed_parts(
    landing: Landing, raw: Path, family: Family, sources: Mapping[str, Source], holds: Holds
) -> Iterator[tuple[RawPart, Parse]]:
    """Yield the part of the payload in force of every source and key, with what parses it."""
    for source in sources.values():
        for key in landing.keys(source.name):
            payload = _in_force(landing, holds, source.name, key)
            if payload is not None:
                part = list_part(raw, family, source, payload.key, payload.sha256)
                yield part, partial(_parse, part, landing, source, payload)


def _in_force(landing: Landing, holds: Holds, source: str, key: str) -> Payload | None:
    """The last good payload of a key; while its source is held, the last one that the hold admits."""
    if holds.is_withdrawn(source):
        return None
    if holds.hold_of(source) is None:
        return landing.latest(source, key)
    good = [p for p in landing.history(source, key) if p.outcome != "quarantined"]
    return next((p for p in reversed(good) if holds.admits(source, None, p)), None)


def _parse(part: RawPart, landing: Landing, source: Source, payload: Payload) -> None:
    with members_of(landing, source, payload) as members:
        (parsed,) = source.parts(members, key=payload.key)
    provenance = provenance_of(source, payload)
    if is_dated(payload.key):
        # an archived table is as old as it says, whenever the file came here
        provenance = replace(provenance, fetched_at=moment_of(payload.key)[0])
    write_files(part, parsed, provenance)


def shippable(parts: Iterable[RawPart], sources: Mapping[str, Source]) -> list[RawPart]:
    """Return those whose facts may be shipped with the code."""
    return [p for p in parts if sources[p.stem.partition("__")[0]].ships]


def record_count(part: RawPart) -> int:
    """Return the rows of a part."""
    return int(pq.read_metadata(part.path(part.record_table)).num_rows)
