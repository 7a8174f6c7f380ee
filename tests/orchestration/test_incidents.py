"""How long a server that does not answer is left alone."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from warehouse.store import StoreError

from orchestration.defs.warehouse.sensors import _no_answer_of_store
from orchestration.incidents import Incidents
from orchestration.notify import alert_book, read_alert_book
from warehouse.home import Home


def test_the_wait_doubles_up_to_an_hour_and_the_beginning_stays(monkeypatch):
    monkeypatch.setenv("ACCELMART_RETRY_DELAY", "60")
    incidents = Incidents()
    waits = []
    for number in range(9):
        began = datetime.now(UTC)
        assert incidents.failed("server", f"error {number}") is (number == 0)
        waits.append(round((incidents["server"].next_try - began) / timedelta(minutes=1)))
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    now = incidents["server"]
    assert (now.tries, now.words) == (9, "error 8") and began - now.since < timedelta(minutes=1)
    assert incidents.waits("server") is now and incidents.waits("another") is None
    incidents.answered("server")
    assert not incidents and incidents.waits("server") is None


def test_a_store_that_does_not_answer_is_one_incident(monkeypatch, tmp_path):
    """The first tick fails, the next ones give the incident as reason, and it is over when the store answers."""
    home = Home(tmp_path / "home", "x", store_url="nosuch://store")
    home.root.mkdir()
    monkeypatch.setenv("ACCELMART_RETRY_DELAY", "60")
    with pytest.raises(StoreError, match=r"nosuch://store"):
        _no_answer_of_store(home)
    reason = _no_answer_of_store(home)
    assert reason.startswith("no answer since") and "1 tries" in reason and "nosuch://store" in reason
    monkeypatch.setenv("ACCELMART_RETRY_DELAY", "0")
    with alert_book(home) as book:
        now = datetime.now(UTC)
        book.incidents["store"] = replace(book.incidents["store"], next_try=now)
    assert "2 tries" in _no_answer_of_store(home)
    assert _no_answer_of_store(replace(home, store_url=str(tmp_path / "store"))) is None
    assert read_alert_book(home).incidents == {}
    assert _no_answer_of_store(Home(tmp_path / "alone", "x")) is None
