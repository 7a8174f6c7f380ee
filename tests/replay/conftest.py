"""Connect to the replay server directly, without the proxy of this machine."""

import pytest


@pytest.fixture(autouse=True)
def _this_machine_without_a_proxy(monkeypatch):
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1,localhost")
