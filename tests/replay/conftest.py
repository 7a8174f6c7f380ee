"""Connect to the replay server directly, without the proxy of this machine; a data root that fetches from it."""

import logging
from functools import partial

import pytest
from replay_world import KEYS, world
from urllib3.util import Retry

from orchestration import http_clients, settings


@pytest.fixture(autouse=True)
def _this_machine_without_a_proxy(monkeypatch):
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1,localhost")


@pytest.fixture(scope="module")
def upstreams(price_data):
    with world(price_data) as server:
        yield server


@pytest.fixture
def home(tmp_path, upstreams, monkeypatch):
    """An empty data root with every key, which fetches from the replayed upstreams without waiting."""
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    variables = {
        "ACCELMART_HOME": str(tmp_path / "home"),
        "ACCELMART_MIRROR": upstreams.url,
        **KEYS,
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    quick = partial(http_clients.http_client, retry=Retry(0))
    monkeypatch.setattr(http_clients, "http_client", quick)
    log = logging.getLogger("ingest.core.landing")  # which `refresh --check` makes quiet
    level = log.level
    yield settings.home()
    log.setLevel(level)
    upstreams.heal()
