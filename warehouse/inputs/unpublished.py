"""Payloads that are landed but not published, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from ingest.core.landing import Landing
from ingest.mlperf.registry import MLPERF_SOURCES
from ingest.registry import SOURCES
from warehouse.decisions.holds import holds_or_problem
from warehouse.inputs.isolation import read_isolated
from warehouse.publication.outcome import last_outcome, shortened
from warehouse.publication.pointer import publication
from warehouse.storage.database import read_rows
from warehouse.storage.home import Home

WAITING = "landed since the last build: accelmart build"


@dataclass(frozen=True)
class Unpublished:
    """A payload that is landed but not in the published warehouse.

    Args:
        source: source of the payload.
        key: landing key of the payload.
        fetched_at: time of the fetch, UTC.
        reason: why it is not published.
    """

    source: str
    key: str
    fetched_at: datetime
    reason: str

    @property
    def line(self) -> str:
        """Return a message of one line."""
        return shortened(
            f"not published: {self.source} {self.key} of {self.fetched_at:%Y-%m-%d}: {self.reason}"
        )


def unpublished(home: Home) -> Iterator[Unpublished]:
    """Yield the newest landed payload of each key that is not in the published warehouse, with the reason.

    Raises:
        NoWarehouseError: the published warehouse does not exist.
        AccelmartError: the published warehouse cannot be read.
    """
    isolated = {(i.source, i.payload_sha256): i.problem for i in read_isolated(home)}
    holds, _ = holds_or_problem(home)
    published, landing = _published_payloads(home), Landing(home.landing_url)
    last = last_outcome(home)
    failed = last is not None and last.status == "failed"
    for source in SOURCES:
        for newest in landing.newest(source):
            payload = landing.latest(source, key := newest.key)
            if payload is None or (source, payload.sha256) in published:
                continue
            release = key if source in MLPERF_SOURCES and MLPERF_SOURCES[source].has_releases else None
            if problem := isolated.get((source, payload.sha256)):
                reason = f"isolated, {problem}"
            elif holds.is_withdrawn(source, release):
                reason = "excluded by the operator"
            elif holds.hold_of(source, release):
                reason = "frozen by the operator"
            elif failed and last and payload.fetched_at.isoformat() <= last.at:
                reason = "the last build failed"
            else:
                reason = WAITING
            yield Unpublished(source, key, payload.fetched_at, reason)


def _published_payloads(home: Home) -> set[tuple[str, str]]:
    path = publication(home).generation.path
    rows = read_rows(path, "select distinct source, payload_sha256 from ops_reconciliation")
    return {(str(source), str(sha256)) for source, sha256 in rows}
