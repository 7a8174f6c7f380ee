"""Every source by name, each registered in the package of its subject."""

from __future__ import annotations

from ingest.core.source import Source
from ingest.energy import mlenergy
from ingest.energy.registry import GRID_SOURCES
from ingest.mlperf import described_systems
from ingest.mlperf.registry import MLPERF_SOURCES
from ingest.prices.registry import PRICE_SOURCES
from ingest.prices.token_lists import TOKEN_SOURCES
from ingest.serving import inferencex, inferencex_points
from ingest.specs.registry import SPEC_SOURCES

REFERENCE_SOURCES: dict[str, Source] = {
    **SPEC_SOURCES,
    described_systems.SOURCE.name: described_systems.SOURCE,
    **GRID_SOURCES,
    **TOKEN_SOURCES,
}
"""Reference values of accelerators and grids, and token prices: of each key the last good payload is in force."""

SERVING_SOURCES: dict[str, Source] = {
    s.name: s for s in (mlenergy.SOURCE, inferencex.SOURCE, inferencex_points.SOURCE)
}
"""Sources of measured serving outside of MLPerf."""

LIST_SOURCES: dict[str, Source] = {**PRICE_SOURCES, **REFERENCE_SOURCES, **SERVING_SOURCES}
"""Sources that publish a list: of prices, of reference values or of measured serving."""

SOURCES: dict[str, Source] = {**MLPERF_SOURCES, **LIST_SOURCES}
