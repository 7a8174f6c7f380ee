"""How often a source is asked: said once here, used by schedules and by freshness."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True)
class Cadence:
    """A group of sources that are asked together.

    Args:
        name: of the group; ``ACCELMART_SCHEDULES`` states another cron expression for it, or ``off``.
        title: for people.
        cron: minute hour day month weekday, UTC; empty: not by the clock.
        period: the longest time between two fetches when all goes well.
    """

    name: str
    title: str
    cron: str
    period: timedelta


# odd minutes: the whole world asks at full hours
MARKETPLACES = Cadence(
    "marketplaces", "marketplaces, whose prices move by the hour", "17 * * * *", timedelta(hours=1)
)
PRICES = Cadence("prices", "price lists and catalogs", "23 5 * * *", timedelta(days=1))
# the ECB publishes around 16:00 CET
EXCHANGE_RATES = Cadence("exchange_rates", "exchange rates", "37 15 * * *", timedelta(days=1))
SPECIFICATIONS = Cadence(
    "specifications", "specifications of accelerators, and electricity grids", "41 4 * * 1", timedelta(days=7)
)
SERVING = Cadence("serving", "measured serving outside of MLPerf", "11 6 * * 2", timedelta(days=7))
# two rounds a year; they are discovered, and corrections to them too
ROUNDS = Cadence("rounds", "MLPerf rounds, as they appear", "", timedelta(days=183))

SCHEDULED = (MARKETPLACES, PRICES, EXCHANGE_RATES, SPECIFICATIONS, SERVING)
