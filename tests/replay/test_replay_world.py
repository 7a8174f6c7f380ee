"""The replayed upstreams answer every request of every source's plan with a readable payload."""

from __future__ import annotations

import io

import pytest
from replay_world import price_sources
from urllib3.util import Retry

from ingest.core.fetch import plan_of, run_fetch
from ingest.core.http import HttpClient
from ingest.core.landing import Landing
from ingest.core.payloads import members_of
from ingest.registry import REFERENCE_SOURCES

SOURCES = {**price_sources(), **REFERENCE_SOURCES}
FETCHES = {name: plan_of(source, dict.fromkeys(source.needs, "x"))[0] for name, source in SOURCES.items()}
FETCHED = [name for name, fetches in FETCHES.items() if fetches]


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
