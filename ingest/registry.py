"""Every source by name, each registered in the package of its subject."""

from __future__ import annotations

from ingest.core.source import Source
from ingest.mlperf.registry import MLPERF_SOURCES
from ingest.prices.registry import PRICE_SOURCES
from ingest.specs.registry import SPEC_SOURCES

LIST_SOURCES: dict[str, Source] = {**PRICE_SOURCES, **SPEC_SOURCES}
"""Sources that publish a list: of prices or of specifications."""

SOURCES: dict[str, Source] = {**MLPERF_SOURCES, **LIST_SOURCES}
