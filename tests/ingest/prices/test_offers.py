"""What all price parsers share: the currency that a record states, and the days between which a price holds."""

import io
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from made import make_offer
from source_samples import KIND, SAMPLES, changed

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


@pytest.mark.parametrize(
    ("source", "fields"),
    [
        ("azure-retail-prices", ["currencyCode"]),
        ("runpod", ["currency"]),
        ("scaleway", [(1, "currency")]),
        ("vast", ["currency_code"]),
        ("lambda-api", [(*KIND, "priceCurrency")]),
        ("skypilot-catalog", ["Currency"]),
        ("gpuhunt-catalog", ["currency"]),
        ("verda", ["priceCurrency", ("priceSpecification", "priceCurrency")]),
    ],
)
def test_a_stated_currency_is_never_ignored(source, fields):
    sample = SAMPLES[source]
    record = changed(sample.records[1], dict.fromkeys(fields, "CHF"))
    files = sample.build([sample.records[0], record, sample.records[2]])
    parsed = PRICE_SOURCES[source].rows([(n, io.BytesIO(b)) for n, b in files.items()], key=sample.key)
    said = [{row.currency for row in parsed.rows if mark in row.record} for mark in sample.marks]
    usual = {"EUR"} if source == "scaleway" else {"USD"}
    assert said == [usual, {"CHF"}, usual] and not parsed.rejects


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
