"""Carry out fetch plans: requests and chains of requests into the landing zone, and payloads back out of it.

What is fetched and how it is read is a matter of each source.
"""

from __future__ import annotations

import io
import json
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import BinaryIO, cast

from ingest.core import payload_checks
from ingest.core.errors import FetchFailed, LayoutChanged, PayloadRejected
from ingest.core.fetch_plan import Fetch, Members, Request
from ingest.core.http import HttpClient
from ingest.core.http_landing import fetch_to_landing
from ingest.core.http_mirror import redirect_target
from ingest.core.landing import Landing
from ingest.core.payload import Payload
from ingest.core.robots import require_allowed
from ingest.core.source import Source
from ingest.core.trees import TreeLimits, pack, read_tarball
from ingest.core.urls import public_url

CHAIN_CONTENT_TYPE = "application/x-tar"

OFF_VARIABLE = "ACCELMART_SOURCES_OFF"

_HEAD_BYTES = 4096
_ROOM_BYTES = 64 << 20  # headers and padding of the members of a tar
_TO_FIX = ". To fix: "
# what a parser may stumble over in bytes nobody foresaw: the bytes are worth more than a traceback without them
_STUMBLES = (
    *(ArithmeticError, AssertionError, AttributeError, EOFError, LookupError, RecursionError, TypeError),
    *(ValueError, zlib.error),
)


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
    *,
    fetched_at: datetime | None = None,
) -> Payload:
    """Bring one unit of a plan into the landing zone.

    Args:
        landing: where to.
        source: whose plan it is; it judges what comes.
        fetch: one of its plan.
        client: to fetch with.
        fetched_at: aware time; default now.

    Returns:
        The manifest record, ``landed`` or ``unchanged``.

    Raises:
        FetchFailed: the source did not give all of it, or robots.txt is against it: nothing is stored.
        LayoutChanged: the payload lacks what its parser looks for; it is quarantined at `saved`.
        PayloadRejected: the payload is quarantined for another reason; the message says where.
    """
    judge = _Judge(source, fetch)
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


@contextmanager
def members_of(landing: Landing, source: Source, payload: Payload) -> Iterator[Members]:
    """The files of a stored payload, for `Source.parse`.

    Args:
        landing: where it is.
        source: whose payload it is; its limits bound an archive, its patterns say which files of a tree are read.
        payload: a record of this landing zone.

    Yields:
        (name, open binary file), one at a time and once: the members of a chain or tree, or the payload itself under
        the name "", which is streamed and may be larger than memory.

    Raises:
        PayloadRejected: the stored object is missing or damaged.
    """
    with landing.open(payload) as file:
        yield _members(
            file, source, payload.content_type == CHAIN_CONTENT_TYPE, f"{source.name} {payload.key}"
        )


class _Judge:
    """The check of one fetch; keeps what it found, as an object rather than a sentence."""

    def __init__(self, source: Source, fetch: Fetch) -> None:
        self._source, self._fetch = source, fetch
        self.rejected: PayloadRejected | None = None  # by a chain already, or by this check

    def __call__(self, file: BinaryIO) -> None:
        try:
            self._judge(file)
        except PayloadRejected as rejected:
            self.rejected = rejected
            raise

    def _judge(self, file: BinaryIO) -> None:
        if self.rejected is not None:
            raise self.rejected
        name = f"{self._source.name} {self._fetch.key}"
        is_chain = self._fetch.follow is not None
        if not is_chain and not self._fetch.is_page:
            refuse_html(file.read(_HEAD_BYTES), name)
            file.seek(0)
        try:
            if self._source.check is not None:
                self._source.check(file)
            else:
                self._has_rows(_members(file, self._source, is_chain, name), name)
        except PayloadRejected:
            raise
        except _STUMBLES as error:
            raise _stumbled(name, error) from error

    def _has_rows(self, members: Members, name: str) -> None:
        parsed = self._source.rows(members, key=self._fetch.key)
        if parsed.rows:
            return
        first = "".join(f", the first at {r.record} ({r.problem})" for r in parsed.rejects[:1])
        others = f", {sum(parsed.left_out.values())} out of scope" if parsed.left_out else ""
        raise PayloadRejected(
            payload=name,
            problem=f"not one price is in it: {parsed.records_in} records, {len(parsed.rejects)} rejected"
            f"{others}{first}",
            remedy="look at the payload; if the source has changed, mend its parser or its plan",
        )


def refuse_html(head: bytes, name: str) -> None:
    """Refuse a page for people where data is expected: usually an error, login or maintenance page.

    Args:
        head: the first bytes of an answer.
        name: for messages.

    Raises:
        PayloadRejected: it begins like HTML.
    """
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b"<"):  # XML passes; latin-1 because half a character at the end is no error here
        payload_checks.text("latin-1", html=False, name=name)(
            io.BytesIO(start[:_HEAD_BYTES].replace(b"\0", b" "))
        )


def _ask_robots(client: HttpClient, fetch: Fetch, request: Request) -> None:
    if fetch.is_page:
        require_allowed(client, request.url)


def _land_chain(
    landing: Landing,
    source: Source,
    fetch: Fetch,
    client: HttpClient,
    judge: _Judge,
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
            content_type=CHAIN_CONTENT_TYPE,
            licence=source.licence,
            limit_bytes=report.bytes,  # the answers are within their limit; headers and padding come on top
            check=judge,
            http_status=200,
            details={"requests": report.members},
            fetched_at=fetched_at,
        )


def _answers(source: Source, fetch: Fetch, client: HttpClient, judge: _Judge) -> Iterator[tuple[str, bytes]]:
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
                refuse_html(data[:_HEAD_BYTES], name)
            request = fetch.follow(last, data)
        except PayloadRejected as rejected:
            judge.rejected = rejected
        except _STUMBLES as error:
            judge.rejected = _stumbled(name, error)
        yield name, data
        if request is not None:
            redirect_target(last.url, request.url)  # the next page is as safe as this one


def _stumbled(name: str, error: Exception) -> PayloadRejected:
    return PayloadRejected(
        payload=name,
        problem=f"its parser fails on it ({type(error).__name__}: {error})",
        remedy="look at the payload; if it is right, mend the source's parser",
    )


def _endless(request: Request, problem: str) -> FetchFailed:
    return FetchFailed(
        url=public_url(request.url),
        problem=f"its paging does not end: {problem}",
        remedy="look at its next-page links; if there really is more, raise max_requests of this fetch",
    )


def _members(file: BinaryIO, source: Source, is_chain: bool, name: str) -> Members:
    if not is_chain:
        return [("", file)]
    if source.patterns:
        tree = read_tarball(file, source.patterns, source.tree_limits, name=name)
        return ((path, io.BytesIO(content)) for path, content in tree)
    limits = TreeLimits(
        max_member_bytes=source.limit_bytes, max_total_bytes=2 * source.limit_bytes + _ROOM_BYTES
    )
    return _unpacked(file, limits, name)


def _unpacked(file: BinaryIO, limits: TreeLimits, name: str) -> Iterator[tuple[str, BinaryIO]]:
    members = read_tarball(file, ["**"], limits, name=name)
    for path, data in members:
        yield path, io.BytesIO(data)
    if members.members_refused:  # a plan that names its members badly must not lose them
        refused = ", ".join(f"{path}: {reason}" for path, reason in members.members_refused[:3])
        raise PayloadRejected(
            payload=name, problem=f"not all of it can be read ({refused})", remedy="mend its plan"
        )
