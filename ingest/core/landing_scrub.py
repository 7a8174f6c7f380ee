"""Compare the stored objects of a landing zone with their sha256."""

from __future__ import annotations

from collections.abc import Iterator
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


def scrub(landing: Landing) -> Iterator[Damage]:
    """Read every object to its end and yield those that are not as they were stored; nothing is changed."""
    # the newest record of each object: of a payload that was quarantined once and good at another time, both
    records = {(p.sha256, p.outcome == "quarantined"): p for p in landing.history()}
    for (sha256, is_quarantined), payload in sorted(records.items(), key=lambda item: item[0]):
        problem = landing.problem_of(payload)
        # what was quarantined is removed in time
        if problem and not (is_quarantined and problem == MISSING):
            newest = landing.latest(payload.source, payload.key)
            is_in_force = not is_quarantined and newest is not None and newest.sha256 == sha256
            yield Damage(payload, problem, is_in_force)
