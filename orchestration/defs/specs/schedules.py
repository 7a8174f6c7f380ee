"""Schedule of specifications."""

from ingest.specs.registry import SPEC_SOURCES
from orchestration.schedules import schedules_of

SCHEDULES = schedules_of(SPEC_SOURCES.values())
