"""A poll with the time of a wrong clock never becomes a day of prices."""

from datetime import UTC, datetime

from ingest.core.landing import Landing
from ingest.registry import LIST_SOURCES
from warehouse.price_history import PriceHistory


def test_a_poll_of_2030_is_no_poll_once_the_clock_is_right(tmp_path):
    clock = [datetime(2030, 1, 1, tzinfo=UTC)]
    landing = Landing(tmp_path / "landing", now=lambda: clock[0])
    source = LIST_SOURCES["aws-price-list"]

    def store(body):
        landing.store(
            body,
            source=source.name,
            key="us-east-1",
            url="https://a.example/b",
            content_type="application/json",
            licence="x",
            limit_bytes=100,
        )

    def years():
        history = PriceHistory(source, landing, tmp_path / "raw", tmp_path / "snapshot")
        return [poll.polled_at.year for poll in history.polls()]

    store(b"{}")
    assert years() == [2030]  # while the machine believes it
    clock[0] = datetime(2026, 11, 22, tzinfo=UTC)
    assert years() == []
    store(b"[]")
    assert years() == [2026]
