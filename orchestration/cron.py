"""Cron expressions, read as Dagster reads those of its schedules: by its own time windows, which are public."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import dagster as dg

_MONDAY = datetime(2026, 1, 5, tzinfo=UTC)
_WINDOWS = 400


def is_cron(text: str) -> bool:
    """Return whether Dagster accepts an expression (minute hour day month weekday) as a schedule."""
    import dagster as dg  # slow to load: only where a schedule is set

    try:
        _definition(text)
    except dg.DagsterInvalidDefinitionError:
        return False
    return True


@lru_cache
def longest_pause(cron: str) -> timedelta:
    """Return the longest time between two ticks of a valid expression, over 400 ticks from Monday 2026-01-05."""
    return max(islice(_pauses(cron), _WINDOWS))


def _pauses(cron: str) -> Iterator[timedelta]:
    definition, end = _definition(cron), _MONDAY
    # windows past the present are within no bounds
    while window := definition.get_next_partition_window(end, respect_bounds=False):
        yield window.end - window.start
        end = window.end


def _definition(cron: str) -> dg.TimeWindowPartitionsDefinition:
    import dagster as dg

    return dg.TimeWindowPartitionsDefinition(
        cron_schedule=cron, start=_MONDAY, fmt="%Y-%m-%dT%H:%M", timezone="UTC"
    )
