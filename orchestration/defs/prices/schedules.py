"""Schedules of price lists and exchange rates."""

from ingest.prices.registry import PRICE_SOURCES
from orchestration.schedules import schedules_of

SCHEDULES = schedules_of(PRICE_SOURCES.values())
