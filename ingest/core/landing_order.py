"""Names of manifest records: their order, and which of them have a time that cannot be right."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta

TIME_FORMAT = "%Y%m%dT%H%M%S.%fZ"
# time of the fetch, start of the payload's sha256, place in the order of writing (none where the caller gave the time)
_RECORD_NAME = re.compile(r"(\d{8}T\d{6}\.\d{6}Z)-[0-9a-f]{12}(?:-s(\d+))?(?:-\d+)?\.json")
# clocks of machines that share a landing zone differ a little
_CLOCK_TOLERANCE = timedelta(minutes=1)


def place(name: str) -> tuple[int, str]:
    """Return the place of a record among those of its key: its number in the sequence (0: none), then its time."""
    match = _RECORD_NAME.fullmatch(name)
    return (int(match[2] or 0), match[1]) if match else (0, name.partition("-")[0])


def in_sequence(names: Iterable[str]) -> list[str]:
    """Return the names of records of one key in the order they were written in."""
    return sorted((n for n in names if n.endswith(".json")), key=lambda n: (place(n), n))


def split_by_time(names: Iterable[str], now: datetime) -> tuple[list[str], list[str]]:
    """Separate records whose time cannot be right.

    Args:
        names: of records of one key.
        now: present time, aware.

    Returns:
        (names in their sequence, names of records ahead of `now` or later than a record written after them).
    """
    latest_possible = now + _CLOCK_TOLERANCE
    right: list[str] = []
    wrong: list[str] = []
    for name in reversed(in_sequence(names)):
        at = _time_of(name)
        if at is not None and at > latest_possible:
            wrong.append(name)
            continue
        right.append(name)
        if at is not None:
            # what was written before this record cannot be later
            latest_possible = min(latest_possible, at + _CLOCK_TOLERANCE)
    return right[::-1], wrong


def _time_of(name: str) -> datetime | None:
    try:
        return datetime.fromisoformat(place(name)[1])
    except ValueError:
        return None
