"""The replayed upstreams answer every request of every source's plan with a readable payload."""

from __future__ import annotations

import io
from dataclasses import replace
from urllib.parse import urlsplit

import pytest
import replay_server as replay
from replay_world import price_sources
from urllib3.util import Retry

from ingest.core.errors import AccelmartError, FetchFailed, LayoutChanged
from ingest.core.fetch import plan_of, run_fetch
from ingest.core.http import HttpClient
from ingest.core.landing import Landing
from ingest.core.payloads import members_of
from ingest.registry import REFERENCE_SOURCES

SOURCES = {**price_sources(), **REFERENCE_SOURCES}
FETCHES = {name: plan_of(source, dict.fromkeys(source.needs, "x"))[0] for name, source in SOURCES.items()}
FETCHED = [name for name, fetches in FETCHES.items() if fetches]
PAGES = [name for name in FETCHED if FETCHES[name][0].is_page]


@pytest.fixture
def client(upstreams) -> HttpClient:
    return HttpClient(mirror=upstreams.url, retry=Retry(1), min_interval_seconds=0)


@pytest.mark.parametrize("name", FETCHED)
def test_the_replay_answers_every_source(upstreams, client, tmp_path, name):
    source, landing = SOURCES[name], Landing(tmp_path)
    fetches, reason = plan_of(source, upstreams.keys)
    assert reason is None, f"{name} wants a key this world does not know: {source.needs}"
    rows = 0
    for fetch in fetches:
        payload = run_fetch(landing, source, fetch, client)
        with members_of(landing, source, payload) as members:
            rows += len(source.parse(members, key=fetch.key).rows)
        assert run_fetch(landing, source, fetch, client).outcome == "unchanged"
    assert rows


@pytest.mark.parametrize("name", [name for name in FETCHED if SOURCES[name].needs])
def test_a_wrong_key_is_refused_and_not_shown(upstreams, client, tmp_path, name):
    source = SOURCES[name]
    fetches, _ = plan_of(source, dict.fromkeys(source.needs, "wrong-key-0123456789"))
    with pytest.raises(AccelmartError, match=r"answered 401 .*it wants credentials") as failed:
        run_fetch(Landing(tmp_path), source, fetches[0], client)
    assert "wrong-key" not in str(failed.value)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("name", PAGES)
def test_a_changed_page_is_reported_as_a_layout_change(upstreams, client, tmp_path, name):
    source = SOURCES[name]
    (fetch, *_), _ = plan_of(source, upstreams.keys)
    page = urlsplit(fetch.first.url)
    upstreams.fault(page.netloc, page.path, replay.changed_layout())
    try:
        with pytest.raises(LayoutChanged) as changed:
            run_fetch(Landing(tmp_path), source, fetch, client)
    finally:
        upstreams.heal()
    assert changed.value.url == fetch.first.url and changed.value.saved.startswith(str(tmp_path))


@pytest.mark.parametrize("name", FETCHED)
def test_html_and_broken_responses_are_never_accepted(upstreams, client, tmp_path, name):
    source, landing = SOURCES[name], Landing(tmp_path)
    (fetch, *_), _ = plan_of(source, upstreams.keys)
    host = fetch.first.url.removeprefix("https://").partition("/")[0]
    faults = [
        *(replay.html_instead(), replay.not_json(), replay.server_error(), replay.dropped()),
        # half a table or page is readable, so length or compression must reveal the truncation
        *(replay.truncated_gzip(), replay.reset_mid_body()),
        replay.altered(lambda asked, reply: replace(reply, body=b"")),
    ]
    if not fetch.is_page and fetch.content_type not in ("text/csv", "text/x-rst"):
        faults.append(
            replay.altered(lambda asked, reply: replace(reply, body=reply.body[: len(reply.body) // 2]))
        )
    for fault in faults:
        upstreams.fault(host, "/", fault)
        try:
            with pytest.raises(AccelmartError):
                run_fetch(landing, source, fetch, client)
            assert landing.latest(source.name, fetch.key) is None, fault.name
        finally:
            upstreams.heal()


@pytest.mark.parametrize("name", ["azure-retail-prices", "gcp-billing-catalog", "scaleway"])
def test_endless_paging_stops_at_the_limit_of_the_plan(upstreams, client, tmp_path, name):
    source = SOURCES[name]
    (fetch, *_), _ = plan_of(source, upstreams.keys)
    host = fetch.first.url.removeprefix("https://").partition("/")[0]
    upstreams.fault(host, "/", replay.endless_paging())
    before = len(upstreams.asked(host))
    try:
        with pytest.raises(FetchFailed, match="its paging does not end"):
            run_fetch(Landing(tmp_path), source, fetch, client)
    finally:
        upstreams.heal()
    assert len(upstreams.asked(host)) - before == fetch.max_requests
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_aws_lists_in_both_layouts_have_equal_prices(upstreams, client):
    """The generated CSV of regions with a real JSON list must have the same prices."""
    source = SOURCES["aws-price-list"]
    for region in ("us-west-2", "eu-west-1"):
        prices = []
        for form in ("csv", "json"):
            url = f"https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonEC2/current/{region}/index.{form}"
            with client.download(url, limit_bytes=1 << 24) as got:
                parsed = source.parse([("", io.BytesIO(got.body.read()))], key=region)
            prices.append(sorted((row.instance_type, row.operating_system, row.price) for row in parsed.rows))
        assert prices[0] == prices[1] and prices[0]
