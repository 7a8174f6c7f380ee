"""Transcribed list prices: dated by the version of the price list, the same facts as the history by version."""

import csv
import io
from datetime import UTC, datetime

import pytest

from ingest.core.errors import PayloadRejected
from ingest.prices import price_points
from ingest.prices.price_points import SOURCE

HEADER = (
    "provider,instance_type,region,pricing_model,operating_system,accelerator_id,accelerator_count,"
    "usd_per_instance_hour,observed_on,official_source,note"
)
AWS = "https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonEC2"
AZURE_LINE = (
    "azure,Standard_ND96isr_H100_v5,eastus,spot,linux,nvidia-h100-sxm-80gb,8,18.169536,2026-09-16,"
    "https://prices.azure.com/api/retail/prices,meter ND96isrH100v5 Spot"
)


def aws_line(version="20240205184227", day="2024-01-01", price="98.32", url_version=None):
    url = f"{AWS}/{url_version or version}/index.json"
    return (
        f"aws,p5.48xlarge,us-east-1,on_demand,linux,nvidia-h100-sxm-80gb,8,{price},{day},{url},"
        f"price list version {version}"
    )


def parse(*lines, header=HEADER, end="\n"):
    payload = end.join([header, *lines, ""]).encode()
    return SOURCE.parse([("points.csv", io.BytesIO(payload))], key="points")


def test_a_line_is_dated_by_its_day():
    (row,) = parse(AZURE_LINE).rows
    assert (row.observed_at, row.observed_precision) == (datetime(2026, 9, 16, tzinfo=UTC), "day")
    assert (row.provider_published, row.instance_type, row.region, row.pricing_model) == (
        "azure",
        "Standard_ND96isr_H100_v5",
        "eastus",
        "spot",
    )
    assert (row.price, row.price_published, row.price_unit, row.currency) == (
        18.169536,
        "18.169536",
        "instance_hour",
        "USD",
    )
    assert (row.accelerator_count, row.member, row.record) == (8, "points.csv", "line 2")
    assert row.source_url == "https://prices.azure.com/api/retail/prices"


def test_a_version_of_the_price_list_dates_it_exactly():
    (row,) = parse(aws_line()).rows
    # not 2024-01-01, a month too early
    assert (row.observed_at, row.observed_precision) == (
        datetime(2024, 2, 5, 18, 42, 27, tzinfo=UTC),
        "exact",
    )


def test_a_price_seen_twice_at_different_times_is_two_observations():
    parsed = parse(aws_line(), aws_line("20250703204906", "2025-06-01", "55.04"))
    assert [r.price for r in parsed.rows] == [98.32, 55.04]
    assert len({r.offer_id for r in parsed.rows}) == 1


@pytest.mark.parametrize(
    ("line", "word"),
    [
        (aws_line("20240205184227", "2023-01-01"), "2023-01"),  # version and month do not fit
        (aws_line("20240205184227", "2024-03-01"), "2024-03"),
        (aws_line("20241399184227"), "20241399184227"),
        (aws_line(url_version="20250203145209"), "20250203145209"),
        (aws_line(price="0"), "'0'"),
        (aws_line(price="98,32"), "number of cells"),
        (aws_line(price="n/a"), "n/a"),
        (aws_line(day="January"), "January"),
        (AZURE_LINE.replace(",8,", ",,"), "accelerator_count"),
        (AZURE_LINE.replace("azure,", "oci,", 1), "oci"),
        (AZURE_LINE.replace(",linux,", ",suse,"), "suse"),
        (AZURE_LINE.replace(",spot,", ",reserved,"), "reserved"),
        (AZURE_LINE.rsplit(",", 2)[0], "number of cells"),
    ],
)
def test_a_bad_line_is_named_and_its_neighbours_survive(line, word):
    parsed = parse(AZURE_LINE.replace("eastus", "westus"), line, AZURE_LINE)
    assert len(parsed.rows) == 2
    (reject,) = parsed.rejects
    assert reject.record == "line 3" and word in reject.problem


def test_line_ends_and_a_byte_order_mark_do_not_matter():
    assert parse(AZURE_LINE, end="\r\n").rows == parse(AZURE_LINE).rows
    assert parse(AZURE_LINE, header="\ufeff" + HEADER).rows == parse(AZURE_LINE).rows


@pytest.mark.parametrize("payload", [b"", b"a,b\n1,2\n", b"\xff\xfe", b"<html></html>"])
def test_another_table_is_refused(payload):
    with pytest.raises(PayloadRejected):
        SOURCE.parse([("", io.BytesIO(payload))], key="points")


def test_nothing_is_fetched():
    assert list(SOURCE.plan({})) == [] and SOURCE.rank == 1


# ---------------------------------------------------------------- the real files


@pytest.fixture(scope="module")
def real(price_data):
    path = price_data.parents[1] / "facts" / "hyperscaler_price_points.csv"
    with path.open("rb") as f:
        return path.read_text("utf-8").splitlines(), price_points.parse([("", f)], key="points")


def test_every_line_of_the_real_file_is_an_offer(real):
    lines, parsed = real
    assert parsed.records_in == len(parsed.rows) == len(lines) - 1 == 78
    for row in parsed.rows:
        cells = next(csv.reader([lines[int(row.record.removeprefix("line ")) - 1]]))
        assert (cells[0], cells[1], cells[2], cells[7]) == (
            row.provider_published,
            row.instance_type,
            row.region,
            row.price_published,
        )


def test_the_history_by_price_list_version_holds_the_same_facts(real, price_data):
    """So it is no source of its own: 26 prices of us-east-1, the same version, type, price and count."""
    _, parsed = real
    history = price_data / "history" / "aws_us_east_1_ondemand_by_price_list_version.csv"
    with history.open(encoding="utf-8", newline="") as f:
        theirs = {
            (r["price_list_version"], r["instance_type"], float(r["price_usd_per_instance_hr"]), float(r["accelerator_count"]))
            for r in csv.DictReader(f)
        }  # fmt: skip
    ours = {
        (f"{r.observed_at:%Y%m%d%H%M%S}", r.instance_type, r.price, r.accelerator_count)
        for r in parsed.rows
        if r.observed_precision == "exact"
    }
    assert ours == theirs and len(ours) == 26
    assert all(r.region == "us-east-1" for r in parsed.rows if r.observed_precision == "exact")


def test_the_cut_of_june_2025(real):
    _, parsed = real
    for instance_type, before, after in (("p5.48xlarge", 98.32, 55.04), ("p4d.24xlarge", 32.7726, 21.957642)):
        prices = {
            r.observed_at: r.price
            for r in parsed.rows
            if r.instance_type == instance_type
            and r.region == "us-east-1"
            and r.observed_precision == "exact"
        }
        cut = datetime(2025, 6, 1, tzinfo=UTC)
        assert {p for at, p in prices.items() if at < cut} == {before}
        assert {p for at, p in prices.items() if at >= cut} == {after}
