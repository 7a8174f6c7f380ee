"""What a price source is: a fetch plan and a pure parser, with the licence of what comes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ingest.cadence import PRICES, Cadence
from ingest.landing import Check
from ingest.mlperf.records import Parsed
from ingest.prices.offers import ExchangeRate, Members, PriceOffer


@dataclass(frozen=True, kw_only=True)
class Request:
    """One HTTP request.

    Args:
        url: absolute; a secret may stand in a query value whose name says so (``key``, ``token``): it is hidden
            wherever the URL is shown or kept.
        json: body of a POST; None is a GET.
        headers: to add; the place for bearer keys. Never shown or kept.
        member: name of the answer inside the payload, for a chain of requests.
    """

    url: str = field(repr=False)
    json: Any = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    member: str = ""


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
        is_page: a page for people: robots.txt is asked first.
    """

    key: str
    first: Request
    follow: Callable[[Request, bytes], Request | None] | None = None
    max_requests: int = 1
    content_type: str | None = None
    is_page: bool = False


@dataclass(frozen=True, kw_only=True)
class PriceSource:
    """One price list.

    Args:
        name: on the command line, in marts, in file names: lower-case letters, digits, ``-``.
        title: what it is, for people.
        home_url: where a person looks at it.
        licence: licence or terms of what comes.
        licence_note: what must be said with figures from it; it goes into NOTICE when facts are shipped.
        limit_bytes: a larger answer (or chain of answers) is quarantined.
        parser_version: raise it whenever the same bytes would give other rows.
        plan: what to fetch, given the environment (for keys). Pure. Empty for what comes with the code only.
        parse: rows of a payload: its files, and the key it was landed under. Pure: no network, no clock.
        check: judges a landed file before it comes into force; None: it must parse and give at least one row.
        needs: environment variables without which the source is not asked.
        optional: environment variables it uses when they are there.
        polls_to_close: an offer not seen in so many polls in a row is withdrawn; 0: absence says nothing.
        has_dated_rows: rows of a polled list may name the moment they are of (`PriceOffer.observed_at`).
        ships: its facts may be shipped with the code (NOTICE says whose they are).
        cadence: how often it is asked.
        rank: among sources that tell one price equally recently: 1 the seller's own list, 2 a catalog made
            from it by program, 3 collected by people, 4 aggregated.
    """

    name: str
    title: str
    home_url: str
    licence: str
    licence_note: str = ""
    limit_bytes: int = 64 << 20
    parser_version: int = 1
    plan: Callable[[Mapping[str, str]], Sequence[Fetch]]
    parse: Callable[..., Parsed[PriceOffer] | Parsed[ExchangeRate]]  # parse(members: Members, *, key: str)
    check: Check | None = None
    needs: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    polls_to_close: int = 3
    cadence: Cadence = PRICES
    has_dated_rows: bool = False
    rank: int = 1
    ships: bool = False


def nothing_to_fetch(environment: Mapping[str, str]) -> Sequence[Fetch]:
    """The plan of a source that is not fetched: its payloads are landed from files."""
    return ()


__all__ = ["Fetch", "Members", "PriceSource", "Request", "nothing_to_fetch"]
