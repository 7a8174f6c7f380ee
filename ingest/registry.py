"""Every source by name, each registered in the package of its subject."""

from __future__ import annotations

from ingest.core.source import Source
from ingest.energy.registry import GRID_SOURCES
from ingest.mlperf.registry import MLPERF_SOURCES
from ingest.prices.registry import PRICE_SOURCES
from ingest.specs.registry import SPEC_SOURCES

REFERENCE_SOURCES: dict[str, Source] = {**SPEC_SOURCES, **GRID_SOURCES}
"""Sources of reference values, accelerators' and electricity grids': of each key the last good payload is in force."""

LIST_SOURCES: dict[str, Source] = {**PRICE_SOURCES, **REFERENCE_SOURCES}
"""Sources that publish a list: of prices or of reference values."""

SOURCES: dict[str, Source] = {**MLPERF_SOURCES, **LIST_SOURCES}
