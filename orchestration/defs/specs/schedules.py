"""Schedule of specifications and electricity grids."""

from ingest.registry import REFERENCE_SOURCES
from orchestration.schedules import schedules_of

SCHEDULES = schedules_of(REFERENCE_SOURCES.values())
