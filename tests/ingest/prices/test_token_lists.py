"""Public lists of token prices: each given file against the rows that are made of it, read a second time here."""

import csv
import io
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.core.errors import AccelmartError, PayloadRejected
from ingest.prices.token_lists import TOKEN_SOURCES, parse

FILES = {
    "models-dev": ("prices@2026-07-02", "modelsdev_intervals_2025-06_2026-07.csv"),
    "model-price-hub": ("prices@2026-08-19", "modelpricehub_intervals_2026-07-16_2026-08-19.csv"),
    "genai-prices": ("prices@2026-08-21", "genai_prices_changes_2026-07-26_2026-08-21.csv"),
    "openrouter-endpoints": ("prices@2026-08-08", "openrouter_endpoint_intervals_2026-07_08.csv"),
}


@pytest.fixture(scope="module")
def read(token_data):
    def of(name):
        key, file = FILES[name]
        content = (token_data / "open_weight" / file).read_bytes()
        lines = list(csv.DictReader(io.StringIO(content.decode())))
        return parse([("", io.BytesIO(content))], key=key), lines

    return of


def prices(row):
    return row.usd_per_input_mtok, row.usd_per_output_mtok, row.usd_per_cached_input_mtok


def usd(line, *columns):
    i, o, cached = (line[column] for column in columns)
    return float(i), float(o), float(cached) if float(cached or 0) else None


def test_every_price_of_models_dev_is_a_row(read):
    parsed, lines = read("models-dev")
    day = timedelta(days=1)
    expected = [
        (
            line["provider"],
            line["model"],
            line["listed_from"],
            max(line["listed_from"], str(date.fromisoformat(line["listed_until"]) - day))
            if line["listed_until"]
            else "2026-07-02",
            *usd(line, "usd_per_input_mtok", "usd_per_output_mtok", "usd_per_cached_input_mtok"),
        )
        for line in lines
    ]
    paid = [row for row in expected if row[4] and row[5]]
    held = [
        (r.provider_published, r.model_published, r.first_seen, r.last_seen, *prices(r)) for r in parsed.rows
    ]
    assert held == paid and len(lines) == 2251 == len(paid) + parsed.exclusions["a price of zero"]


def test_model_price_hub_is_two_series_with_hours_of_the_day(read):
    parsed, lines = read("model-price-hub")
    dollars = [line for line in lines if line["currency"] == "USD"]
    expected = {
        (
            f"{line['collector_generation']} collector", line["vendor"], line["channel"], line["model"],
            line["time_window"] or "list", line["first_seen"], line["last_seen"],
            *usd(line, "per_input_mtok", "per_output_mtok", "per_cached_input_mtok"),
        )
        for line in dollars
        if float(line["per_input_mtok"]) and float(line["per_output_mtok"])
    }  # fmt: skip
    of_channel = {(r[0], r[1] if r[2] == "official" else r[2], *r[3:]) for r in expected}
    held = {
        (
            r.series,
            r.provider_published,
            r.model_published,
            r.price_kind.replace("_", "-"),
            r.first_seen,
            r.last_seen,
            *prices(r),
        )
        for r in parsed.rows
    }
    assert held == of_channel
    assert parsed.records_in == len(lines) == 1780 and parsed.exclusions["a price in CNY"] == 347
    deepseek = {
        (r.model_published, r.price_kind): prices(r)[:2]
        for r in parsed.rows
        if r.provider_published == "deepseek" and r.series == "new collector" and r.price_kind != "list"
    }
    assert deepseek == {
        ("deepseek-v4-flash", "off_peak"): (0.22, 0.66),
        ("deepseek-v4-flash", "peak"): (0.44, 1.32),
        ("deepseek-v4-pro", "off_peak"): (0.66, 1.98),
        ("deepseek-v4-pro", "peak"): (1.32, 3.96),
    }
    stale = {
        r.model_published for r in parsed.rows if r.provider_published == "deepseek" and r.exclusion_reason
    }
    assert {"deepseek-r1", "deepseek-v3"} <= stale


def test_changed_meters_of_a_model_are_one_price(read):
    parsed, lines = read("genai-prices")
    assert (parsed.records_in, len(parsed.rows), parsed.merged) == (len(lines), 11, 22) == (37, 11, 22)
    assert parsed.exclusions == {"a change of the price of cached input alone": 4}
    held = {(r.provider_published, r.model_published): prices(r) for r in parsed.rows}
    assert held["zai", "GLM-5.3"] == (1.4, 4.4, 0.26) and held["fireworks", "kimi-k3"] == (3, 15, 0.3)


def test_prices_of_endpoints_are_discounted(read):
    parsed, lines = read("openrouter-endpoints")
    columns = "usd_per_input_mtok", "usd_per_output_mtok", "usd_per_cached_input_mtok"
    expected = [
        (
            line["model"],
            line["provider"],
            line["first_seen"],
            line["last_seen"],
            float(line["discount"]) * 100,
            *usd(line, *columns),
        )
        for line in lines
        if float(line["usd_per_input_mtok"]) and float(line["usd_per_output_mtok"])
    ]
    held = [
        (r.model_published, r.provider_published, r.first_seen, r.last_seen, r.discount_pct, *prices(r))
        for r in parsed.rows
    ]
    assert held == expected and len(lines) == 987 and {r.price_kind for r in parsed.rows} == {"discounted"}


ENDPOINTS = (
    "provider,model,region,quantization,endpoint_id,usd_per_input_mtok,usd_per_output_mtok,usd_per_cached_input_mtok,"
    "discount,first_seen,last_seen\n"
)


@settings(max_examples=50, deadline=None)
@given(st.floats() | st.text("0123456789.-e%", max_size=6))
def test_a_discount_is_a_share_below_one_or_the_line_is_rejected(discount):
    lines = (f"p,m,,fp8,e,1,2,,{share},2026-07-01,2026-07-02\n" for share in (discount, 0.1))
    parsed = parse([("", io.BytesIO((ENDPOINTS + "".join(lines)).encode()))], key="prices@2026-08-08")
    assert len(parsed.rows) + len(parsed.rejects) == 2
    assert all(0 <= row.discount_pct < 100 for row in parsed.rows) and parsed.rows[-1].discount_pct == 10


LINE = "provider,model,usd_per_input_mtok,usd_per_output_mtok,usd_per_cached_input_mtok,listed_from,listed_until\n"


def test_a_bad_line_is_named_and_its_neighbours_survive():
    body = LINE + "p,a,1,2,,2026-01-01,\np,b,x,2,,2026-01-01,\np,c,1,2,,someday,\np,d,3,4,,2026-01-01,\n"
    parsed = parse([("", io.BytesIO(body.encode()))], key="prices@2026-07-02")
    assert [r.model_published for r in parsed.rows] == ["a", "d"]
    assert [r.record for r in parsed.rejects] == ["line 3", "line 4"] and all(
        r.remedy for r in parsed.rejects
    )


@pytest.mark.parametrize(
    ("key", "body"), [("prices@2026-07-02", "a,b\n1,2\n"), ("prices@2026-07-02", LINE), ("prices", LINE)]
)
def test_a_file_that_is_no_list_is_refused(key, body):
    with pytest.raises((PayloadRejected, AccelmartError)):
        parse([("", io.BytesIO(body.encode()))], key=key)


def test_each_list_is_registered():
    assert TOKEN_SOURCES.keys() == FILES.keys()
