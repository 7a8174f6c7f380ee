"""The registry of sources of electricity grids."""

from __future__ import annotations

from ingest.core.source import Source
from ingest.energy import codecarbon

GRID_SOURCES: dict[str, Source] = {codecarbon.SOURCE.name: codecarbon.SOURCE}
