"""Verda's page: schema.org offers."""

import io
from datetime import UTC, datetime

import pytest
from price_pages import VERDA_OFFERS, document, verda_offer, verda_page

from ingest.core.errors import LayoutChanged
from ingest.prices.offers import resolve_periods
from ingest.prices.verda import SOURCE

GOOD = [verda_offer(i, *offer) for i, offer in enumerate(VERDA_OFFERS, 1)]


def read(offers=GOOD):
    return SOURCE.parse([("", io.BytesIO(verda_page(offers)))], key="pricing")


def hourly(name, how, price, **more):
    return verda_offer(99, f"{name} {how}", f"Hourly {how} instance price", price, **more)


def test_offers_are_per_instance_on_demand_and_spot():
    rows = {(r.instance_type, r.pricing_model): r for r in read().rows}
    b300 = rows["1x B300 SXM6 268GB", "on_demand"]
    assert (b300.price, b300.price_published, b300.price_unit, b300.currency) == (
        7.5,
        "7.5",
        "instance_hour",
        "USD",
    )
    assert (b300.accelerator_published, b300.accelerator_memory_gb, b300.accelerator_count) == (
        "B300 SXM6 268GB",
        268,
        1,
    )
    assert rows["1x B200 SXM6 180GB", "spot"].price == 3.055
    assert (b300.provider_published, b300.record) == (
        "verda",
        "https://verda.com/pricing#offer-3 (1x B300 SXM6 268GB on-demand)",
    )


def test_spot_is_half_of_on_demand_on_the_day_of_these_prices():
    rows = {(r.instance_type, r.pricing_model): r.price for r in read().rows}
    pairs = [
        (p, rows[name, "spot"])
        for (name, model), p in rows.items()
        if model == "on_demand" and (name, "spot") in rows
    ]
    assert len(pairs) == 7 and all(spot == pytest.approx(price / 2) for price, spot in pairs)


def test_a_name_that_stands_twice_counts_once_while_the_prices_agree():
    assert read().duplicates == 2
    found = read([*GOOD, hourly("1x H100 SXM5 80GB", "on-demand", 3.35)])
    assert [r.pricing_model for r in found.rows if "H100" in r.instance_type] == ["spot"]
    assert len(found.rejects) == 3 and "3.25, 3.35" in str(found.rejects[0])


def test_confidential_computing_is_another_offer():
    rows = {
        r.instance_type: r.price
        for r in read().rows
        if r.pricing_model == "on_demand" and "B200" in r.instance_type
    }
    assert rows == {"1x B200 SXM6 180GB": 6.11, "1x B200 CC SXM6 180GB": 6.232}


def test_an_instance_of_eight_keeps_its_price_and_its_count():
    row = read([*GOOD, hourly("8x H200 SXM5 141GB", "on-demand", 32)]).rows[-1]
    assert (row.price, row.accelerator_count, row.instance_type) == (32, 8, "8x H200 SXM5 141GB")


def test_the_dynamic_price_is_beside_the_fixed_one_and_is_no_spot_price():
    found = read([*GOOD, hourly("1x L40S 48GB", "dynamic", 0.9), hourly("1x L40S 48GB", "fixed", 1.37)])
    l40s = {(r.pricing_model, r.purchase_option): r.price for r in found.rows if "L40S" in r.instance_type}
    assert l40s == {("on_demand", "dynamic"): 0.9, ("on_demand", None): 1.37}


def test_other_products_are_left_out():
    assert read().left_out == {
        "CPU instance": 2,
        "instant cluster, another product": 2,
        "serverless container, another product": 3,
        "storage": 1,
    }
    assert not {1.79, 3.58, 68.96, 0.048} & {r.price for r in read().rows}


def test_the_rounded_table_is_not_read():
    found = read([*GOOD, hourly("1x A100 SXM4 80GB", "on-demand", 1.718)])
    assert 1.718 in {r.price for r in found.rows} and found.records_in == len(GOOD) + 1


def test_without_offers_the_layout_has_changed():
    for body in (
        document(
            "<table><tr><th>Hardware</th><th>Price</th></tr><tr><td>1x H100</td><td>$3.25</td></tr></table>"
        ),
        document('<script type="application/ld+json">{"@graph": [{"@type": "WebSite"}]}</script>'),
        document('<script type="application/ld+json">{broken</script>'),
    ):
        with pytest.raises(LayoutChanged, match=r"schema\.org offers"):
            SOURCE.parse([("", io.BytesIO(body))], key="pricing")
    with pytest.raises(LayoutChanged, match="6 to 200 prices where 5"):
        read(GOOD[:5])


def test_a_price_holds_between_the_days_that_schema_org_states():
    over = hourly("1x X1", "on-demand", 2.0) | {"priceValidUntil": "2026-10-31"}
    last_day = hourly("1x X2", "on-demand", 2.5) | {"priceValidUntil": "2026-11-25"}
    next_year = hourly("1x X3", "on-demand", 3.0)
    next_year["priceSpecification"]["validFrom"] = "2027-01-01"
    parsed = read(
        [*GOOD, over, last_day, next_year, hourly("1x X4", "on-demand", 3.5) | {"validFrom": "soon"}]
    )
    assert "validFrom is 'soon'" in str(parsed.rejects[-1])
    found = resolve_periods(parsed, datetime(2026, 11, 25, 12, tzinfo=UTC), "pricing")
    assert {r.instance_type: r.purchase_option for r in found.rows if " X" in r.instance_type} == {
        "1x X1": "ended, until 2026-11-01",
        "1x X2": None,
        "1x X3": "announced, from 2027-01-01",
    }
