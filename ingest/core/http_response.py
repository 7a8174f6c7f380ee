"""What an HTTP server answered: a download, or a refusal with its status and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import BinaryIO

import requests

from ingest.core.errors import FetchFailed
from ingest.core.http_request import CONTACT_VARIABLE
from ingest.core.urls import CHECK_URL

TRY_LATER = "try again later; until then the last good payload stays in force"


@dataclass(frozen=True)
class Download:
    """One answer.

    Attributes:
        url: as asked for, without credentials.
        status: 200 or 203, or 304 when upstream has nothing new (then `body` is empty).
        body: decoded, open at its start; closed when the download's context ends.
        bytes: size of `body`.
        is_over_limit: there was more; `body` holds one byte more than the limit.
        content_type: media type without parameters, or None.
        etag: validator for the next request, or None.
        last_modified: validator for the next request, or None.
    """

    url: str
    status: int
    body: BinaryIO
    bytes: int
    is_over_limit: bool
    content_type: str | None
    etag: str | None
    last_modified: str | None


class StatusRefused(FetchFailed):
    """The server answered, with a status that no retry helps.

    Args:
        url: that was asked for, without credentials.
        problem: what happened.
        remedy: what to do.
        status: of the answer.
        limits: the rate-limit headers of the answer, by lower-case name.
    """

    def __init__(
        self, *, url: str, problem: str, remedy: str, status: int, limits: Mapping[str, str] | None = None
    ) -> None:
        self.status = status
        self.limits = dict(limits or {})
        super().__init__(url=url, problem=problem, remedy=remedy)


class TriesUsedUp(FetchFailed):
    """The server answered with a passing trouble (429, 5xx), and did so at every try.

    Args:
        url: that was asked for, without credentials.
        problem: what happened.
        remedy: what to do.
        status: of the last answer.
        limits: the rate-limit headers of that answer, by lower-case name.
    """

    def __init__(
        self, *, url: str, problem: str, remedy: str, status: int, limits: Mapping[str, str]
    ) -> None:
        self.status = status
        self.limits = dict(limits)
        super().__init__(url=url, problem=problem, remedy=remedy)


class TryAgain(Exception):
    """A signal to the retry loop, never seen outside."""

    def __init__(self, problem: str, answer: requests.Response | None = None) -> None:
        super().__init__(problem)
        self.status = answer.status_code if answer is not None else None
        self.limits = rate_limit_headers(answer.headers) if answer is not None else {}

    @property
    def retry_after(self) -> str | None:
        """The Retry-After header as sent, or None."""
        return self.limits.get("retry-after")


def status_failure(shown: str, response: requests.Response) -> StatusRefused:
    """The error for a status that no retry helps, with what to do about it."""
    status = response.status_code
    if status in {401, 407}:
        remedy = "it wants credentials: give them, or take the source out"
    elif status == 403 and response.headers.get("X-RateLimit-Remaining") == "0":
        remedy = "the rate limit of this host is used up: fetch less often, or authenticate"
    elif status in {403, 451}:
        remedy = (
            f"it refuses this client: check the source's terms and robots.txt, and set {CONTACT_VARIABLE}"
        )
    elif status in {404, 410}:
        remedy = CHECK_URL
    else:
        remedy = "look at the request: the source does not accept it as it is"
    return StatusRefused(
        url=shown,
        problem=f"the server answered {status} {response.reason or ''}".rstrip(),
        remedy=remedy,
        status=status,
        limits=rate_limit_headers(response.headers),
    )


def rate_limit_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers about rate limits, by lower-case name."""
    # no others: an upstream may repeat a key in them
    lower = {name.lower(): value for name, value in headers.items()}
    return {name: value for name, value in lower.items() if name.startswith(("retry-after", "x-ratelimit-"))}
