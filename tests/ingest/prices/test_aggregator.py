"""Daily statistics over several sellers: a price level, no offer."""

import csv
import io
from datetime import UTC, datetime

import pytest

from ingest.core.errors import PayloadRejected
from ingest.prices import aggregator
from ingest.prices.aggregator import MIXED, PROVIDER, SOURCE

HEADER = (
    "date,timestamp_utc,gpu_type,socket_type,offers_total,offers_available,price_min,price_p25,price_median,"
    "price_p75,price_max,price_mean,providers"
)
LINE = (
    "2025-10-19,2025-10-19T21:01:58.727366+00:00,H100_80GB,SXM5,32,20,1.0,1.9,1.99,2.4,3.29,2.1,runpod|nebius"
)


def parse(*lines, header=HEADER):
    payload = "\n".join([header, *lines, ""]).encode()
    return SOURCE.parse([("", io.BytesIO(payload))], key="daily")


def test_a_day_of_a_model_is_one_row_with_its_median():
    (row,) = parse(LINE).rows
    assert (row.price, row.price_published, row.price_unit, row.currency) == (
        1.99,
        "1.99",
        "accelerator_hour",
        "USD",
    )
    assert (row.price_min, row.price_max, row.n_observed) == (1.0, 3.29, 32)
    assert (row.instance_type, row.accelerator_published, row.accelerator_memory_gb) == (
        "H100_80GB SXM5",
        "H100_80GB SXM5",
        80,
    )
    assert row.observed_at == datetime(2025, 10, 19, 21, 1, 58, 727366, tzinfo=UTC)
    assert (row.observed_precision, row.record) == ("exact", "line 2")


def test_it_is_nobody_s_offer_and_on_demand_is_not_told_from_spot():
    (row,) = parse(LINE).rows
    assert (row.provider_published, row.pricing_model, row.purchase_option) == (
        PROVIDER,
        "marketplace",
        MIXED,
    )
    assert SOURCE.rank == 4 and list(SOURCE.plan({})) == [] and "Piotr Mazurek" in SOURCE.licence_note


def test_days_of_a_model_are_one_offer_through_time():
    rows = parse(LINE, LINE.replace("2025-10-19", "2025-10-20").replace("1.99", "2.05")).rows
    assert [r.price for r in rows] == [1.99, 2.05] and len({r.offer_id for r in rows}) == 1


def test_a_model_without_socket():
    (row,) = parse(LINE.replace("H100_80GB,SXM5", "B200_180GB,")).rows
    assert (row.instance_type, row.accelerator_memory_gb) == ("B200_180GB", 180)


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        (",1.99,", ",0,", "not all are prices"),
        (",1.99,", ",,", "price_median"),
        (",1.99,", ",2.9,", "not in order"),
        (",1.0,", ",-1,", "not all are prices"),
        (",32,", ",0,", "offers_total"),
        ("+00:00", "", "no time zone"),
        ("2025-10-19T21:01:58.727366+00:00", "yesterday", "yesterday"),
        (",SXM5,", ",", "number of cells"),
    ],
)
def test_a_statistic_that_contradicts_itself_is_refused_alone(old, new, word):
    parsed = parse(LINE.replace("H100", "H200"), LINE.replace(old, new, 1), LINE)
    assert len(parsed.rows) == 2
    (reject,) = parsed.rejects
    assert reject.record == "line 3" and word in reject.problem


@pytest.mark.parametrize("payload", [b"", b"date,price\n", b"\xff", b"<html>"])
def test_another_table_is_refused(payload):
    with pytest.raises(PayloadRejected):
        SOURCE.parse([("", io.BytesIO(payload))], key="daily")


def test_every_line_of_the_real_file_is_a_row(price_data):
    path = price_data / "history" / "aggregator_daily_2025-10_2025-11.csv"
    with path.open("rb") as f:
        parsed = aggregator.parse([("", f)], key="daily")
    with path.open(encoding="utf-8", newline="") as f:
        lines = list(csv.DictReader(f))
    assert parsed.records_in == len(parsed.rows) == len(lines) == 203
    for row in parsed.rows:
        line = lines[int(row.record.removeprefix("line ")) - 2]
        assert f"{row.observed_at:%Y-%m-%d}" == line["date"] and row.price == float(line["price_median"])
        # per GPU, not per instance: 8 × would be beyond anything asked for these parts
        assert 0.5 < row.price_min <= float(line["price_mean"]) <= row.price_max < 12
    assert len({r.offer_id for r in parsed.rows}) == 7
