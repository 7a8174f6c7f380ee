"""Schedule of measured serving."""

from ingest.registry import SERVING_SOURCES
from orchestration.schedules import schedules_of

SCHEDULES = schedules_of(SERVING_SOURCES.values())
