"""What to fetch from a source: requests, alone or in a chain, one unit for each key; and the files that come of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

Members = Iterable[tuple[str, BinaryIO]]
"""The files of a payload as (name, open binary file), one at a time; a payload of one file has one member."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """One HTTP request.

    Args:
        url: absolute; a query parameter named like a secret (``key``, ``token``) is hidden wherever the URL is shown
            or kept.
        json: body of a POST; None is a GET.
        headers: to add; the place for bearer keys. Never shown or kept.
        member: name of the answer inside the payload, for a chain of requests.
    """

    url: str = field(repr=False)
    json: Any = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    member: str = ""

    def __post_init__(self) -> None:
        """Refuse a member that could not be read from the tar again."""
        parts = self.member.split("/")
        if not self.member.isprintable() or "\\" in self.member or parts[0] == ".git" or ".." in parts:
            raise ValueError(f"{self.member!r} cannot be the name of a file in a payload")


@dataclass(frozen=True, kw_only=True)
class Fetch:
    """One unit of a refresh: one key of the landing zone, brought by one request or by a chain of them.

    A single request is conditional (ETag) and streamed; its answer is the payload. The answers of a chain are
    kept together as one tar, each under its request's `member`.

    Args:
        key: what of the source, such as a region; lower case.
        first: the request to begin with.
        follow: gives the next request from the last one and its answer, None when that was all. Its presence
            makes the fetch a chain. Raises `PayloadRejected` for an answer that is none.
        max_requests: a longer chain never ends: it is refused as a whole.
        content_type: media type to record, instead of the server's word.
    """

    key: str
    first: Request
    follow: Callable[[Request, bytes], Request | None] | None = None
    max_requests: int = 1
    content_type: str | None = None


def one_request_each(
    urls: Mapping[str, str], content_type: str | None = None
) -> Callable[[Mapping[str, str]], Sequence[Fetch]]:
    """Return a plan of one request a key, which needs nothing of the environment.

    Args:
        urls: URL by key.
        content_type: see `Fetch`.
    """
    fetches = [Fetch(key=key, first=Request(url=url), content_type=content_type) for key, url in urls.items()]
    return lambda environment: fetches


def bearer(environment: Mapping[str, str], variable: str) -> dict[str, str]:
    """Return the headers of a request with the bearer key of a variable; none without a key."""
    key = environment.get(variable, "").strip()
    return {"Authorization": f"Bearer {key}"} if key else {}


def nothing_to_fetch(environment: Mapping[str, str]) -> Sequence[Fetch]:
    """The plan of a source that is not fetched: its payloads are landed from files."""
    return ()
