"""Specifications and electricity grids in the raw layer: the last good payload of every page and file, parsed once."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path

from ingest.core.landing import Landing
from ingest.core.payload import Payload
from ingest.core.source import Source
from ingest.core.trees import read_tarball
from ingest.fetch.release import TREE_CONTENT_TYPE
from ingest.mlperf.registry import MLPERF_INFERENCE, MLPERF_SOURCES, MLPERF_TRAINING
from ingest.registry import REFERENCE_SOURCES
from ingest.specs import mlperf_systems
from warehouse.holds import Holds
from warehouse.list_parts import NO_HOLDS, Parse, landed_parts, parts_of, shipped_parts
from warehouse.raw import SPEC_FAMILY, RawPart, list_part, provenance_of, write_files

SPEC_TABLES = SPEC_FAMILY.tables


def spec_parts(
    landing: Landing, raw: Path, snapshot: Path, holds: Holds = NO_HOLDS
) -> tuple[list[RawPart], list[str]]:
    """The parts a build uses: of every source and key the last good payload, and what is shipped with the code.

    Args:
        landing: the landing zone.
        raw: root of the raw layer; what is not parsed yet is written to it.
        snapshot: root of the parts shipped.
        holds: payloads later than a hold, and what is withdrawn, are left out.

    Returns:
        (parts, what could not be read and why).
    """
    shipped = shipped_parts(snapshot, SPEC_FAMILY, lambda stem: _is_withdrawn(stem, holds))
    return parts_of(shipped, _landed(landing, raw, holds, shipped=frozenset(p.stem for p in shipped)))


def _landed(
    landing: Landing, raw: Path, holds: Holds, *, shipped: Collection[str]
) -> Iterator[tuple[RawPart, Parse]]:
    """The parts of what was landed, each with what parses it; of MLPerf's archives those that are not shipped."""
    yield from landed_parts(landing, raw, SPEC_FAMILY, REFERENCE_SOURCES, holds)
    for payload, owner in _archives(landing, holds):
        # both suites have a round v5.1: the owner's name distinguishes them
        key = f"{owner.name}-{payload.key}"
        part = list_part(raw, SPEC_FAMILY, mlperf_systems.SOURCE, key, payload.sha256)
        if part.stem not in shipped:
            yield part, partial(_parse_archive, part, landing, owner, payload)


def _is_withdrawn(stem: str, holds: Holds) -> bool:
    """Whether a part's source is withdrawn, or the MLPerf round whose archive it was read from."""
    source, key, *_ = stem.split("__")
    if source == mlperf_systems.SOURCE.name:
        owner, _, release = key.rpartition("-")
        if holds.is_withdrawn(owner, release):
            return True
    return holds.is_withdrawn(source)


def _archives(landing: Landing, holds: Holds) -> Iterator[tuple[Payload, Source]]:
    """The last good archive of every MLPerf round: it was landed for the results and describes the systems too."""
    if holds.is_withdrawn(mlperf_systems.SOURCE.name):
        return
    held = holds.hold_of(mlperf_systems.SOURCE.name)
    for owner in (MLPERF_SOURCES[MLPERF_INFERENCE], MLPERF_SOURCES[MLPERF_TRAINING]):
        for key in landing.keys(owner.name):
            good = [
                p
                for p in landing.history(owner.name, key)
                if p.outcome != "quarantined"
                and holds.admits(owner.name, key, p)
                and (held is None or p.sha256 in held.payloads)
            ]
            archives = [p for p in good if p.content_type == TREE_CONTENT_TYPE]
            if archives:
                yield archives[-1], owner


def _parse_archive(part: RawPart, landing: Landing, owner: Source, payload: Payload) -> None:
    key = owner.address(payload.key).removesuffix(".git").rpartition("/")[2]
    with landing.open(payload) as tar:
        tree = read_tarball(
            tar, mlperf_systems.PATTERNS, owner.tree_limits, name=f"{owner.name} {payload.key}"
        )
        files = ((path, BytesIO(content)) for path, content in tree)
        (parsed,) = mlperf_systems.SOURCE.parts(files, key=key)
    provenance = replace(
        provenance_of(mlperf_systems.SOURCE, payload),
        # both suites have a round v5.1: the repository's name distinguishes them
        payload_key=key,
    )
    write_files(part, parsed, provenance)
