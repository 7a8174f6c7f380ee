"""What robots.txt says to us (RFC 9309), asked once per host and client.

Rules are read by Protego: urllib.robotparser takes the first rule that fits instead of the longest and knows no
wildcards, so that a file that begins with ``Allow: /`` would forbid nothing (checked 2026-11-21, Python 3.11).
"""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import urlsplit, urlunsplit

from protego import Protego

from accelmart.http import LATER, HttpClient, NoAnswer, StatusRefused
from accelmart.urls import public_url
from ingest.core.errors import FetchFailed

AGENT = "accelmart"

_LIMIT_BYTES = 512 << 10  # RFC 9309: at least 500 KiB have to be read, more need not
_LONGEST_DELAY_SECONDS = 300.0
_FORBIDS_ALL = Protego.parse("User-agent: *\nDisallow: /")


def require_allowed(client: HttpClient, url: str) -> None:
    """Return when robots.txt lets us have a page; a Crawl-delay slows the client down for that host.

    No robots.txt allows everything; one that is refused (401, 403) forbids everything.

    Args:
        client: asks for robots.txt, and is about to ask for the page.
        url: of the page.

    Raises:
        FetchFailed: the page is not for us, robots.txt cannot be had just now, or the host wants longer pauses than
            we make.
    """
    shown, parts = public_url(url), urlsplit(url)
    origin = urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], "", "", ""))
    rules = _rules_of(client, origin)
    if not rules.can_fetch(url, AGENT):
        raise FetchFailed(
            url=shown,
            problem=f"{origin}/robots.txt does not allow {AGENT} to fetch it",
            remedy="respect it: take the source out, ask its operator, or enter its prices by hand with their link",
        )
    delay = rules.crawl_delay(AGENT)
    if delay is None:
        return
    if delay > _LONGEST_DELAY_SECONDS:
        raise FetchFailed(
            url=shown,
            problem=f"{origin}/robots.txt asks for {delay:g} s between two requests, and we wait "
            f"{_LONGEST_DELAY_SECONDS:g} s at most",
            remedy="take the source out, or enter its prices by hand with their link",
        )
    client.slow_down(parts.hostname or "", delay)


@lru_cache
def _rules_of(client: HttpClient, origin: str) -> Protego:
    try:
        with client.download(f"{origin}/robots.txt", limit_bytes=_LIMIT_BYTES) as answer:
            return Protego.parse(answer.body.read().decode("utf-8-sig", "replace"))
    except StatusRefused as refused:
        if refused.status in {401, 403}:
            return _FORBIDS_ALL
        if refused.status < 500 and not refused.may_pass:
            return Protego.parse("")
        raise _not_now(refused) from None
    except FetchFailed as failed:
        raise _not_now(failed) from None


def _not_now(failed: FetchFailed) -> FetchFailed:
    kind = NoAnswer if isinstance(failed, NoAnswer) else FetchFailed
    return kind(
        url=failed.url,
        problem=f"without its robots.txt nothing is fetched from there: {failed.problem}",
        remedy=LATER,
    )
