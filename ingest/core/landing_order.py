"""Names of manifest records: their order, and which of them have a time that cannot be right."""

from __future__ import annotations

import re
from bisect import bisect_right
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


def split_by_time(names: Iterable[str], now: datetime) -> tuple[list[str], list[str]]:
    """Separate records whose time cannot be right.

    Times must follow the sequence of writing. Where they do not, the smallest number of records is taken for wrong, so
    that one fetch with a wrong clock does not set aside all others; of equally many, those written earlier.

    Args:
        names: of records of one key.
        now: present time, aware.

    Returns:
        (names in their sequence, names of records ahead of `now` or out of sequence by more than a minute).
    """
    ordered = in_sequence(names)
    times = {name: at for name in ordered if (at := _time_of(name)) is not None}
    possible = [name for name in ordered if name in times and times[name] <= now + CLOCK_TOLERANCE]
    in_order = _longest_in_order([times[name] for name in possible])
    right = set()
    for number, name in enumerate(possible):
        # the records before and after it whose times follow the sequence
        split = bisect_right(in_order, number)
        before, after = in_order[max(split - 1, 0) : split], in_order[split : split + 1]
        if all(times[possible[n]] <= times[name] + CLOCK_TOLERANCE for n in before) and all(
            times[name] <= times[possible[n]] + CLOCK_TOLERANCE for n in after
        ):
            right.add(name)
    wrong = [name for name in ordered if name in times and name not in right]
    return [name for name in ordered if name not in times or name in right], wrong


def _longest_in_order(times: list[datetime]) -> list[int]:
    """Return positions of the longest run of times that never decrease; of equally long ones, the one written last."""
    lengths: list[int] = []
    last_times: list[datetime] = []  # the earliest time that a run of this length can end with
    for at in times:
        length = bisect_right(last_times, at)
        last_times[length : length + 1] = [at]
        lengths.append(length + 1)
    run: list[int] = []
    wanted = len(last_times)
    for position in range(len(times) - 1, -1, -1):
        if lengths[position] == wanted and (not run or times[position] <= times[run[-1]]):
            run.append(position)
            wanted -= 1
    return run[::-1]


def _time_of(name: str) -> datetime | None:
    try:
        return datetime.fromisoformat(place(name)[1])
    except ValueError:
        return None
