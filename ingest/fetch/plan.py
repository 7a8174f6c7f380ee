"""Carry out fetch plans: requests and chains of requests into the landing zone.

What is fetched and how it is read is a matter of each source.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import BinaryIO, cast

from ingest.core.errors import FetchFailed, LayoutChanged, PayloadRejected
from ingest.core.fetch_plan import Fetch, Request
from ingest.core.http import HttpClient
from ingest.core.http_landing import fetch_to_landing
from ingest.core.landing import Landing
from ingest.core.payload import Payload
from ingest.core.robots import require_allowed
from ingest.core.source import Source
from ingest.core.trees import pack
from ingest.core.urls import public_url
from ingest.fetch.payloads import HEAD_BYTES, PACKED_CONTENT_TYPE, Judge, refuse_html, rejecting_failures

OFF_VARIABLE = "ACCELMART_SOURCES_OFF"

_TO_FIX = ". To fix: "


def plan_of(source: Source, environment: Mapping[str, str]) -> tuple[list[Fetch], str | None]:
    """What to fetch of a source, or why nothing.

    Args:
        source: a registered source of a list.
        environment: for keys; white space around them is taken off, an empty one is none.

    Returns:
        The fetches and None, or none and the reason to tell.

    Raises:
        ValueError: two fetches of the plan have one key.
    """
    given = {name: value.strip() for name, value in environment.items() if value.strip()}
    if source.name in given.get(OFF_VARIABLE, "").replace(",", " ").split():
        return [], f"{source.title} is switched off ({OFF_VARIABLE})"
    if missing := [name for name in source.needs if name not in given]:
        if source.needs_because:
            return [], f"{source.title} is not asked: {source.needs_because}"
        return [], f"{source.title} is not asked without a key: set {' and '.join(missing)}"
    fetches = list(source.plan(given))
    if not fetches:
        return [], f"{source.title} is not fetched: its payloads are landed from files"
    keys = [fetch.key for fetch in fetches]
    if twice := sorted({key for key in keys if keys.count(key) > 1}):
        raise ValueError(f"the plan of {source.name} fetches {', '.join(twice)} twice")
    return fetches, None


def run_fetch(
    landing: Landing,
    source: Source,
    fetch: Fetch,
    client: HttpClient,
    judge: Judge | None = None,
    *,
    fetched_at: datetime | None = None,
) -> Payload:
    """Bring one unit of a plan into the landing zone.

    Args:
        landing: where to.
        source: whose plan it is; it judges what comes.
        fetch: one of its plan.
        client: to fetch with.
        judge: of this unit, if the parts of the payload are wanted; it has none where upstream had nothing new.
        fetched_at: aware time; default now.

    Returns:
        The manifest record, ``landed`` or ``unchanged``.

    Raises:
        FetchFailed: the source did not give all of it, or robots.txt is against it: nothing is stored.
        LayoutChanged: the payload lacks what its parser looks for; it is quarantined at `saved`.
        PayloadRejected: the payload is quarantined for another reason; the message says where.
    """
    judge = judge or Judge(source, fetch.key, is_page=fetch.is_page)
    if fetch.follow is not None:
        payload = _land_chain(landing, source, fetch, client, judge, fetched_at)
    else:
        _ask_robots(client, fetch, fetch.first)
        payload = fetch_to_landing(
            landing,
            source.name,
            fetch.key,
            fetch.first.url,
            client=client,
            licence=source.licence,
            limit_bytes=source.limit_bytes,
            check=judge,
            content_type=fetch.content_type,
            headers=fetch.first.headers,
            json=fetch.first.json,
            fetched_at=fetched_at,
        )
    if payload.outcome != "quarantined":
        return payload
    saved = landing.address(payload)
    if isinstance(judge.rejected, LayoutChanged):
        url = judge.rejected.url if fetch.follow is not None else payload.url
        raise LayoutChanged(
            url=public_url(url),
            expected=judge.rejected.expected,
            title=judge.rejected.title,
            saved=saved,
        )
    problem, _, remedy = (payload.reason or "").partition(_TO_FIX)
    raise PayloadRejected(
        payload=f"{source.name} {fetch.key} from {payload.url}",
        problem=f"{problem}; the payload is kept as {saved} and not used",
        remedy=remedy,
    )


def _ask_robots(client: HttpClient, fetch: Fetch, request: Request) -> None:
    if fetch.is_page:
        require_allowed(client, request.url)


def _land_chain(
    landing: Landing,
    source: Source,
    fetch: Fetch,
    client: HttpClient,
    judge: Judge,
    fetched_at: datetime | None,
) -> Payload:
    with tempfile.TemporaryFile() as file:
        # answers go through a temporary file one by one; a failed one raises, and nothing has been stored
        report = pack(_answers(source, fetch, client, judge), file)
        return landing.store(
            cast(BinaryIO, file),
            source=source.name,
            key=fetch.key,
            url=fetch.first.url,
            content_type=PACKED_CONTENT_TYPE,
            licence=source.licence,
            limit_bytes=report.bytes,  # the answers are within their limit; headers and padding come on top
            check=judge,
            http_status=200,
            details={"requests": report.members},
            fetched_at=fetched_at,
        )


def _answers(source: Source, fetch: Fetch, client: HttpClient, judge: Judge) -> Iterator[tuple[str, bytes]]:
    """Yield the answers of a chain as (member, bytes); stop at the first invalid one and report it to the judge."""
    assert fetch.follow is not None
    request: Request | None = fetch.first
    asked: set[tuple[str, str]] = set()
    unread = source.limit_bytes
    while request is not None:
        identity = (request.url, json.dumps(request.json, sort_keys=True))
        if identity in asked:
            raise _endless(request, f"answer {len(asked)} leads back to a request that was made already")
        if len(asked) >= fetch.max_requests:
            raise _endless(
                request, f"after {len(asked)} requests, the most that is believed, it still has more"
            )
        asked.add(identity)
        _ask_robots(client, fetch, request)
        with client.download(
            request.url, limit_bytes=unread, headers=request.headers, json=request.json
        ) as answer:
            data = answer.body.read()
        name = request.member or f"{len(asked):04d}"
        unread -= len(data)
        last, request = request, None
        try:
            if unread < 0:
                raise PayloadRejected(
                    payload=name,
                    problem=f"the answers are larger than their limit of {source.limit_bytes} bytes; the last of "
                    f"{len(asked)} is cut short here",
                    remedy="look at the payload; if it is right, raise the limit of this source",
                )
            if not fetch.is_page:
                refuse_html(data[:HEAD_BYTES], name)
            with rejecting_failures(name):
                request = fetch.follow(last, data)
        except PayloadRejected as rejected:
            judge.rejected = rejected
        yield name, data


def _endless(request: Request, problem: str) -> FetchFailed:
    return FetchFailed(
        url=public_url(request.url),
        problem=f"its paging does not end: {problem}",
        remedy="look at its next-page links; if there really is more, raise max_requests of this fetch",
    )
