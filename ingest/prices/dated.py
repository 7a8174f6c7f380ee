"""Dated payloads: what a landing key says about when its prices held.

A price list is polled under a key such as ``us-east-1``; a price holds when the list was fetched. An archived
list, or one that somebody collected on a day, is landed as ``<key>@<date>``: its prices held on that date, whenever
the file came here.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from ingest.core.errors import AccelmartError

_FORMS = (
    (re.compile(r"\d{14}"), "%Y%m%d%H%M%S", "exact"),
    (re.compile(r"\d{4}-\d{2}-\d{2}"), "%Y-%m-%d", "day"),
    (re.compile(r"\d{4}-\d{2}"), "%Y-%m", "month"),
    (re.compile(r"\d{4}"), "%Y", "year"),
)


def is_dated(key: str) -> bool:
    """Whether payloads under this key date themselves."""
    return "@" in key


def stream_of(key: str) -> str:
    """What of the source a key is about, whenever: the part before the date."""
    return key.partition("@")[0]


def moment_of(key: str) -> tuple[datetime, str]:
    """When a dated payload's prices held.

    Args:
        key: ``<stream>@<date>``; date as 20240205184227 (UTC), 2026-03-06, 2026-03 or 2026.

    Returns:
        (the earliest moment the date can mean, its precision: exact, day, month or year).

    Raises:
        AccelmartError: it is no date.
    """
    word = key.partition("@")[2]
    for form, strptime, precision in _FORMS:
        if form.fullmatch(word):
            try:
                return datetime.strptime(word, strptime).replace(tzinfo=UTC), precision
            except ValueError:
                break
    raise AccelmartError(
        f"{key!r}: {word!r} is no date. Write it as 20240205184227, 2026-03-06, 2026-03 or 2026"
    )
