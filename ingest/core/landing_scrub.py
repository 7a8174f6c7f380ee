"""Verify the stored objects of a landing zone against their sha256, a part at a time."""

from __future__ import annotations

import time
from dataclasses import dataclass

from ingest.core.landing import MISSING, Landing
from ingest.core.payload import Payload


@dataclass(frozen=True)
class Damage:
    """A payload whose stored object is missing or damaged.

    Args:
        payload: its newest record.
        problem: what is wrong with the object.
        is_in_force: it is the newest good payload of its key, so that a fetch can bring it again.
    """

    payload: Payload
    problem: str
    is_in_force: bool


@dataclass(frozen=True)
class Scrub:
    """What a part of a landing zone was found to be.

    Args:
        checked: number of objects read.
        bytes: their uncompressed size.
        damages: those that are not as they were stored.
        next: where to go on; empty at the end.
    """

    checked: int
    bytes: int
    damages: list[Damage]
    next: str


def scrub(landing: Landing, *, after: str = "", seconds: float | None = None) -> Scrub:
    """Read objects to their end, in the order of their hashes.

    Args:
        landing: the landing zone; it is not changed.
        after: where to go on: `Scrub.next` of the call before.
        seconds: no further object is begun after this time; None is all.
    """
    # the newest record of each object: of a payload that was quarantined once and good at another time, both
    records = {(p.sha256, p.outcome == "quarantined"): p for p in landing.history()}
    started, checked, size, last = time.monotonic(), 0, 0, after
    damages: list[Damage] = []
    for sha256, is_quarantined in sorted(records):
        if (here := f"{sha256} {int(is_quarantined)}") <= after:
            continue
        if seconds is not None and checked and time.monotonic() - started > seconds:
            return Scrub(checked, size, damages, last)
        payload = records[sha256, is_quarantined]
        problem = landing.problem_of(payload)
        # what was quarantined is removed in time
        if problem and not (is_quarantined and problem == MISSING):
            newest = landing.latest(payload.source, payload.key)
            is_in_force = not is_quarantined and newest is not None and newest.sha256 == sha256
            damages.append(Damage(payload, problem, is_in_force))
        checked, size, last = checked + 1, size + payload.bytes, here
    return Scrub(checked, size, damages, "")
