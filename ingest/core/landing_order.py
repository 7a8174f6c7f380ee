"""Names of manifest records: their order, and which of them are dated ahead of the clock."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta

TIME_FORMAT = "%Y%m%dT%H%M%S.%fZ"
# time of the fetch, start of the payload's sha256, place in the order of writing (none where the caller gave the time)
_RECORD_NAME = re.compile(r"(\d{8}T\d{6}\.\d{6}Z)-[0-9a-f]{12}(?:-s(\d+))?(?:-\d+)?\.json")

# clocks of machines that share a landing zone differ a little
CLOCK_TOLERANCE = timedelta(minutes=1)


def place(name: str) -> tuple[int, str]:
    """Return the place of a record among those of its key: its number in the sequence (0: none), then its time."""
    match = _RECORD_NAME.fullmatch(name)
    return (int(match[2] or 0), match[1]) if match else (0, name.partition("-")[0])


def in_sequence(names: Iterable[str]) -> list[str]:
    """Return the names of records of one key in the order they were written in."""
    return sorted((n for n in names if n.endswith(".json")), key=lambda n: (place(n), n))


def is_ahead(name: str, now: datetime) -> bool:
    """Whether a record is dated ahead of the present time, by more than clocks differ."""
    return place(name)[1] > f"{now + CLOCK_TOLERANCE:{TIME_FORMAT}}"
