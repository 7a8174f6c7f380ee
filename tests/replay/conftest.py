"""The replay server is asked directly, whatever proxy this machine has."""

import pytest


@pytest.fixture(autouse=True)
def _this_machine_without_a_proxy(monkeypatch):
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1,localhost")
