"""robots.txt: what it allows, what it forbids, and what its absence means, over real sockets."""

from __future__ import annotations

from time import monotonic

import pytest
import replay_server as replay
from replay_server import Reply
from urllib3.util import Retry

from accelmart.http import HttpClient, NoAnswer
from ingest.core.errors import FetchFailed
from ingest.core.robots import require_allowed

HOST = "https://www.cloud.test"
ROBOTS = f"{HOST}/robots.txt"


@pytest.fixture
def client(upstream) -> HttpClient:
    return make_client(upstream)


def make_client(upstream, min_interval_seconds=0) -> HttpClient:
    return HttpClient(mirror=upstream.url, retry=Retry(1), min_interval_seconds=min_interval_seconds)


def says(upstream, text: str) -> None:
    upstream.on(ROBOTS, Reply(text.encode(), content_type="text/plain"))


def allows(client, path: str) -> bool:
    try:
        require_allowed(client, HOST + path)
    except FetchFailed as failed:
        assert (
            failed.url == HOST + path and f"{ROBOTS} does not allow accelmart to fetch it" in failed.problem
        )
        return False
    return True


@pytest.mark.parametrize(
    ("text", "path", "is_allowed"),
    [
        ("", "/pricing", True),
        ("User-agent: *\nDisallow:", "/pricing", True),
        ("User-agent: Accelmart\nDisallow: /pricing", "/pricing", False),
        ("User-agent: otherbot\nDisallow: /", "/pricing", True),
        # our own group counts instead of everybody's, whichever comes first
        (
            "User-agent: *\nDisallow: /\n\nUser-agent: accelmart\nAllow: /pricing\nDisallow: /x",
            "/pricing",
            True,
        ),
        # RFC 9309 2.2.2: the longest rule, not the first one
        ("User-agent: *\nDisallow: /\nAllow: /pricing", "/pricing", True),
        ("\ufeffUser-agent: *\r\nDisallow: /pricing\r\n", "/pricing", False),
        # a site that answers every address with its own page has no rules
        ("<!doctype html><html><body>Disallow: everything?</body></html>", "/pricing", True),
    ],
)
def test_rules(upstream, client, text, path, is_allowed):
    says(upstream, text)
    assert allows(client, path) is is_allowed


@pytest.mark.parametrize(("status", "is_allowed"), [(404, True), (410, True), (401, False), (403, False)])
def test_a_refused_robots_txt(upstream, client, status, is_allowed):
    upstream.fault("www.cloud.test", "/robots.txt", replay.refusal(status))
    assert allows(client, "/pricing") is is_allowed


@pytest.mark.parametrize(
    ("fault", "has_answer"),
    [(replay.server_error(503), True), (replay.refusal(501), True), (replay.dropped(), False)],
    ids=["503", "501", "dropped"],
)
def test_without_robots_txt_nothing_is_fetched_now_and_later_asked_again(upstream, client, fault, has_answer):
    says(upstream, "")
    upstream.fault("www.cloud.test", "/robots.txt", fault)
    with pytest.raises(FetchFailed, match=r"without its robots\.txt nothing is fetched") as failed:
        require_allowed(client, f"{HOST}/pricing")
    assert isinstance(failed.value, NoAnswer) is not has_answer
    upstream.heal()
    assert allows(client, "/pricing")


def test_it_is_asked_once_per_host_and_client(upstream, client):
    says(upstream, "User-agent: *\nDisallow: /x")
    upstream.on("https://other.cloud.test/robots.txt", Reply(b"User-agent: *\nDisallow: /pricing"))
    assert [allows(client, path) for path in ("/pricing", "/x", "/y")] == [True, False, True]
    with pytest.raises(FetchFailed, match=r"other\.cloud\.test"):
        require_allowed(client, "https://other.cloud.test/pricing")
    assert len(upstream.asked("www.cloud.test")) == len(upstream.asked("other.cloud.test")) == 1
    assert allows(make_client(upstream), "/pricing")
    assert len(upstream.asked("www.cloud.test")) == 2


@pytest.mark.parametrize(("said", "interval", "pause"), [("0.4", 0, 0.4), ("0.1", 0.4, 0.4)])
def test_a_crawl_delay_slows_us_down_and_does_not_hurry_us(upstream, said, interval, pause):
    says(upstream, f"User-agent: *\nCrawl-delay: {said}")
    upstream.on(f"{HOST}/pricing", replay.page("<html>"))
    client = make_client(upstream, interval)
    require_allowed(client, f"{HOST}/pricing")
    started = monotonic()
    for _ in range(3):
        with client.download(f"{HOST}/pricing", limit_bytes=100):
            pass
    assert monotonic() - started >= 2 * pause


def test_a_crawl_delay_of_hours_is_no_invitation(upstream, client):
    says(upstream, "User-agent: *\nCrawl-delay: 86400")
    with pytest.raises(FetchFailed, match="asks for 86400 s between two requests"):
        require_allowed(client, f"{HOST}/pricing")


def test_an_endless_robots_txt_is_read_to_its_limit(upstream, client):
    says(upstream, "User-agent: *\nDisallow: /pricing\n" + "#" * 2_000_000)
    assert not allows(client, "/pricing")
