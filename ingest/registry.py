"""Every source by name, each registered in the package of its subject."""

from __future__ import annotations

from ingest.core.source import Source
from ingest.energy import mlenergy
from ingest.mlperf.registry import MLPERF_SOURCES
from ingest.prices.registry import PRICE_SOURCES
from ingest.serving import inferencex
from ingest.specs.registry import SPEC_SOURCES

SERVING_SOURCES: dict[str, Source] = {s.name: s for s in (mlenergy.SOURCE, inferencex.SOURCE)}
"""Sources of measured serving outside of MLPerf."""

LIST_SOURCES: dict[str, Source] = {**PRICE_SOURCES, **SPEC_SOURCES, **SERVING_SOURCES}
"""Sources that publish a list: of prices, of specifications or of measured serving."""

SOURCES: dict[str, Source] = {**MLPERF_SOURCES, **LIST_SOURCES}
