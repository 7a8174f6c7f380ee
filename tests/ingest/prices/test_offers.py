"""What all price parsers share: the currency that a record states, and the days between which a price holds."""

import io
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from made import make_offer
from price_pages import verda_offer
from test_azure import METER, page
from test_gpuhunt_catalog import P5, table, zipped
from test_runpod import H100
from test_skypilot import H100 as GPU_INFO
from test_skypilot import HEADER
from test_vast import OFFER
from test_verda import GOOD, verda_page

from ingest.core.records import Parsed
from ingest.prices import offers
from ingest.prices.offers import (
    PER_ACCELERATOR_HOUR,
    TimedOffer,
    currency_of,
    read_moment,
    resolve_periods,
    settled,
)
from ingest.registry import PRICE_SOURCES

NOVEMBER = datetime(2026, 11, 25, 12, tzinfo=UTC)
SCALEWAY = {"gpu": 2, "hourly_price": 6.0, "ncpus": 32, "ram": 274877906944}
LAMBDA = {
    "price_cents_per_hour": 658,
    "description": "2x H100 (80 GB SXM5)",
    "specs": {"vcpus": 26, "memory_gib": 225, "gpus": 2},
}


def as_members(body):
    if isinstance(body, dict) and all(isinstance(content, bytes) for content in body.values()):
        return [(name, io.BytesIO(content)) for name, content in body.items()]
    return [("", io.BytesIO(body if isinstance(body, bytes) else json.dumps(body).encode()))]


def skypilot_line(**more):
    names = [*HEADER.split(","), *more]
    cells = ["g8", "H100", "8", "128", "1600", "23.60", "eu-north1", GPU_INFO, "10.00", *more.values()]
    return f"{','.join(names)}\r\n{','.join(cells)}".encode()


# source → (key, payload with a currency (None: without), the currency of its list)
PAYLOADS = {
    "azure-retail-prices": ("nd", lambda c: page(METER | ({"currencyCode": c} if c else {})), "USD"),
    "runpod": ("gpu-types", lambda c: {"data": {"gpuTypes": [H100 | ({"currency": c} if c else {})]}}, "USD"),
    "scaleway": ("fr-par-1", lambda c: {"servers": {"H100-SXM-2-80G": SCALEWAY | ({"currency": c} if c else {})}}, "EUR"),
    "vast": ("bundles", lambda c: {"offers": [OFFER | ({"currency_code": c} if c else {})]}, "USD"),
    "lambda-api": (
        "instance-types",
        lambda c: {"data": {"gpu_2x_h100_sxm5": {"instance_type": LAMBDA | ({"priceCurrency": c} if c else {})}}},
        "USD",
    ),
    "skypilot-catalog": ("nebius", lambda c: skypilot_line(**({"Currency": c} if c else {})), "USD"),
    "gpuhunt-catalog": (
        "aws",
        lambda c: {
            "version": b"20261120-1",
            "catalog.zip": zipped(table(P5 | {"currency": c or ""}, columns=(*P5, "currency"))),
        },
        "USD",
    ),
    "verda": (
        "pricing",
        lambda c: verda_page(
            [*GOOD, verda_offer(99, "1x X9 on-demand", "Hourly on-demand instance price", 2.5, currency=c or "USD")]
        ),
        "USD",
    ),
}  # fmt: skip


def rows_of(source, currency):
    key, payload, _ = PAYLOADS[source]
    parsed = PRICE_SOURCES[source].rows(as_members(payload(currency)), key=key)
    assert parsed.is_balanced
    return parsed


@pytest.mark.parametrize("source", PAYLOADS)
def test_a_stated_currency_is_never_ignored(source):
    *_, usual = PAYLOADS[source]
    assert {row.currency for row in rows_of(source, None).rows} == {usual}
    for code in ("EUR", "CHF", "INR"):
        found = rows_of(source, code)
        assert code in {row.currency for row in found.rows} and not found.rejects
    found = rows_of(source, "dollars")
    assert "dollars" in str(found.rejects[0]) and "DOL" not in {row.currency for row in found.rows}


def test_the_innermost_statement_counts_and_two_in_one_record_are_none():
    assert currency_of("USD", {"currency": "€"}, {"currency": "GBP"}) == "EUR"
    assert currency_of("USD", {"price": 1}, {"billing_currency": "gbp"}) == "GBP"
    assert currency_of("USD", {"currency": None, "currencyConversionRate": 1.1}, None, []) == "USD"
    for broken in ({"currency": "EUR", "Currency Code": "USD"}, {"currency": ["EUR"]}, {"currency": 978}):
        with pytest.raises(ValueError, match="the currency is"):
            currency_of("USD", broken)


def test_the_band_of_prices_is_one_in_both_languages():
    project = yaml.safe_load(Path("dbt_project/dbt_project.yml").read_text(encoding="utf-8"))
    assert tuple(project["vars"]["price_per_accelerator_hour"]) == PER_ACCELERATOR_HOUR


@pytest.mark.parametrize(
    "change", [{}, {"price": -1.0, "upfront": 5.0}, {"upfront": -1.0}, {"price": float("inf")}]
)
def test_what_can_be_no_price_is_refused(change):
    with pytest.raises(ValueError, match="is no price"):
        make_offer(**({"price": 0.0, "term_hours": 8760.0} | change))
    assert make_offer(0.0, upfront=5.0, term_hours=8760.0).n_observed == 1


def timed(price, starts=None, ends=None):
    return TimedOffer(
        source="s", provider_published="p", instance_type="t", region=None, pricing_model="on_demand", price=price,
        price_published=str(price), price_unit="instance_hour", currency="USD", source_url="u", member="",
        record=str(price), starts_at=starts, ends_at=ends,
    )  # fmt: skip


def test_a_bare_last_day_is_a_day_of_the_price():
    assert read_moment("2026-11-25", "ends", is_end=True) == datetime(2026, 11, 26, tzinfo=UTC)
    assert read_moment("2026-11-25T10:00:00+02:00", "ends", is_end=True) == datetime(
        2026, 11, 25, 8, tzinfo=UTC
    )
    assert read_moment("", "ends") is read_moment(None, "ends") is None


DAYS = st.none() | st.integers(-3, 3).map(lambda days: NOVEMBER + timedelta(days=days))


@given(st.lists(st.tuples(st.integers(1, 9), DAYS, DAYS), max_size=6))
def test_at_most_one_price_is_in_force_and_none_is_lost(steps):
    rows = [timed(float(price), starts, ends) for price, starts, ends in steps]
    parsed = settled(Parsed(rows=list(rows), records_in=len(rows)), "s")
    found = resolve_periods(parsed, NOVEMBER, "s")
    assert found.is_balanced and found.records_in == len(rows)
    in_force = [row for row in found.rows if row.purchase_option is None]
    assert len(in_force) <= 1
    started = [
        row
        for row in parsed.rows
        if (row.starts_at is None or row.starts_at.date() <= NOVEMBER.date())
        and (row.ends_at is None or row.ends_at > NOVEMBER)
    ]
    if in_force:
        earliest = datetime.min.replace(tzinfo=UTC)
        newest = max(row.starts_at or earliest for row in started)
        assert in_force[0].price in {row.price for row in started if (row.starts_at or earliest) == newest}
    words = {row.purchase_option.split(", ")[0] for row in found.rows if row.purchase_option}
    assert words <= {offers.ANNOUNCED, offers.ENDED, offers.SUPERSEDED}
