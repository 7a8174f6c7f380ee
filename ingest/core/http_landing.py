"""Download a URL into the landing store: a conditional request where the stored payload can be reused."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from ingest.core.http import HttpClient
from ingest.core.landing import Landing
from ingest.core.payload import Check, Payload
from ingest.core.urls import public_url


def fetch_to_landing(
    landing: Landing,
    source: str,
    key: str,
    url: str,
    *,
    client: HttpClient,
    licence: str,
    limit_bytes: int,
    check: Check | None = None,
    content_type: str | None = None,
    headers: Mapping[str, str] | None = None,
    json: Any = None,
    details: dict[str, Any] | None = None,
    fetched_at: datetime | None = None,
) -> Payload:
    """Fetch one URL into the landing zone, asking only for what is new.

    Args:
        landing: where to.
        source: upstream name.
        key: what of the upstream.
        url: http or https.
        client: to fetch with.
        licence: of the data.
        limit_bytes: decoded size; more is quarantined.
        check: raises `PayloadRejected` for a payload that must not come into force.
        content_type: instead of what the server says.
        headers: to add to the request.
        json: body of a POST, which is always answered in full; None is a GET.
        details: JSON-serialisable facts to keep.
        fetched_at: aware time; default now.

    Returns:
        The new manifest record; its `outcome` says whether the payload came into force.

    Raises:
        FetchFailed: when the source does not give it; the last good payload stays in force.
    """
    previous = reusable(landing, source, key, url)
    with client.download(
        url, limit_bytes=limit_bytes, previous=previous, headers=headers, json=json
    ) as answer:
        if answer.status == 304 and previous is not None:
            return landing.unchanged(
                previous,
                etag=answer.etag,
                last_modified=answer.last_modified,
                details=details,
                fetched_at=fetched_at,
            )
        return landing.store(
            answer.body,
            source=source,
            key=key,
            url=url,
            content_type=content_type or answer.content_type or "application/octet-stream",
            licence=licence,
            limit_bytes=limit_bytes,
            check=check,
            http_status=answer.status,
            etag=answer.etag,
            last_modified=answer.last_modified,
            details=details,
            fetched_at=fetched_at,
        )


def reusable(landing: Landing, source: str, key: str, url: str) -> Payload | None:
    """The payload in force, if a "not modified" would be true of it.

    Args:
        landing: to look in.
        source: upstream name.
        key: what of the upstream.
        url: that is about to be asked.

    Returns:
        None when there is none, it came from another URL (whose validators mean nothing here), or its object is
        damaged and has to be fetched in full.
    """
    last = landing.latest(source, key)
    if last is None or last.url != public_url(url) or not (last.etag or last.last_modified):
        return None
    return last if landing.intact(last) else None
