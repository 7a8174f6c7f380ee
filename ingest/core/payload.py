"""A payload as fetched: its identity, origin and outcome."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

Outcome = Literal["landed", "unchanged", "quarantined"]


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """Where a payload comes from, as its download shows.

    Attributes:
        source: the upstream, e.g. ``mlperf_inference``.
        key: what of the upstream, e.g. ``v5.1``.
        url: where it came from; the manifest has it without credentials.
        licence: of the upstream data.
        content_type: media type.
        http_status: where HTTP was involved.
        etag: for the next conditional request.
        last_modified: for the next conditional request.
        details: JSON-serialisable facts of the source, e.g. the commit.
    """

    source: str
    key: str
    url: str
    licence: str
    content_type: str
    http_status: int | None = None
    etag: str | None = None
    last_modified: str | None = None
    details: dict[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, kw_only=True)
class Payload(Evidence):
    """One manifest record: the request, its time and the payload received.

    Attributes:
        sha256: of the uncompressed bytes kept (for a payload over its limit: of the part that was kept).
        fetched_at: aware, UTC.
        outcome: ``landed`` (new content), ``unchanged`` (the same as the last good one) or ``quarantined``.
        reason: why it was quarantined, and what to do; else None.
        bytes: uncompressed size of what was kept.
    """

    sha256: str
    fetched_at: datetime
    outcome: Outcome
    reason: str | None
    bytes: int

    @property
    def title(self) -> str:
        """Return source, key and time of the fetch, for messages."""
        return f"{self.source} {self.key} of {self.fetched_at:%Y-%m-%d %H:%M} UTC"
