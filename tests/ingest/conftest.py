"""Fixtures shared by the tests of `ingest`."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from local_server import LocalServer
from replay_server import ReplayServer

from ingest.core.landing import Landing


@pytest.fixture(autouse=True)
def _this_machine_without_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1,localhost")


@pytest.fixture
def server() -> Iterator[LocalServer]:
    local = LocalServer()
    thread = threading.Thread(target=local.httpd.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield local
    local.httpd.shutdown()
    local.httpd.server_close()
    thread.join()


@pytest.fixture
def upstream() -> Iterator[ReplayServer]:
    with ReplayServer() as replayed:
        yield replayed


@pytest.fixture
def landing(tmp_path) -> Landing:
    return Landing(tmp_path / "landing")
