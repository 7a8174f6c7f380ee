"""How long a server that does not answer is left alone."""

from datetime import UTC, datetime, timedelta

from orchestration.incidents import Incidents


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
