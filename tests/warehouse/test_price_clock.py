"""A poll with the time of a wrong clock never becomes a day of prices."""

from datetime import UTC, datetime

from ingest.core.landing import Landing
from ingest.registry import LIST_SOURCES
from warehouse.home import Home
from warehouse.parsing import RawLayer
from warehouse.price_observations import polls_of


def test_a_poll_of_a_wrong_clock_is_no_poll(tmp_path):
    home = Home(tmp_path, str(tmp_path / "landing"))
    source = LIST_SOURCES["aws-price-list"]

    def store(body, **clock):
        Landing(home.landing_url, **clock).store(
            body,
            source=source.name,
            key="us-east-1",
            url="https://a.example/b",
            content_type="application/json",
            licence="x",
            limit_bytes=100,
        )

    def years():
        landed = RawLayer(home, []).landed(source)
        return [poll.polled_at.year for poll in polls_of(source, landed, tmp_path / "snapshot")]

    store(b"{}", now=lambda: datetime(2999, 1, 1, tzinfo=UTC))
    assert years() == []
    store(b"[]")
    assert years() == [datetime.now(UTC).year]
