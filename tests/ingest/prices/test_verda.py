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
    assert (b300.price, b300.price_published, b300.price_unit) == (7.5, "7.5", "instance_hour")
    assert (b300.accelerator_published, b300.accelerator_memory_gb) == ("B300 SXM6 268GB", 268)
    assert b300.record == "https://verda.com/pricing#offer-3 (1x B300 SXM6 268GB on-demand)"
    # confidential computing is another offer
    assert {n: r.price for (n, model), r in rows.items() if "B200" in n and model == "on_demand"} == {
        "1x B200 SXM6 180GB": 6.11, "1x B200 CC SXM6 180GB": 6.232,
    }  # fmt: skip
    # on the day of these prices spot was half of on demand
    pairs = [
        (r.price, rows[n, "spot"].price) for (n, m), r in rows.items() if m != "spot" and (n, "spot") in rows
    ]
    assert len(pairs) == 7 and all(spot == pytest.approx(price / 2) for price, spot in pairs)


def test_a_name_that_stands_twice_counts_once_while_the_prices_agree():
    assert read().duplicates == 2
    found = read([*GOOD, hourly("1x H100 SXM5 80GB", "on-demand", 3.35)])
    assert [r.pricing_model for r in found.rows if "H100" in r.instance_type] == ["spot"]
    assert len(found.rejects) == 3 and "3.25, 3.35" in str(found.rejects[0])


def test_counts_and_dynamic_prices_are_kept_apart():
    found = read([
        *GOOD, hourly("1x L40S 48GB", "dynamic", 0.9), hourly("1x L40S 48GB", "fixed", 1.37),
        hourly("8x H200 SXM5 141GB", "on-demand", 32.125),  # the table that people see rounds
    ])  # fmt: skip
    assert [(r.instance_type, r.purchase_option, r.price, r.accelerator_count) for r in found.rows[-3:]] == [
        ("1x L40S 48GB", "dynamic", 0.9, 1), ("1x L40S 48GB", None, 1.37, 1), ("8x H200 SXM5 141GB", None, 32.125, 8),
    ]  # fmt: skip


def test_other_products_are_left_out():
    assert read().left_out == {
        "CPU instance": 2,
        "instant cluster, another product": 2,
        "serverless container, another product": 3,
        "storage": 1,
    }


def test_without_offers_the_layout_has_changed():
    for script in ('{"@graph": [{"@type": "WebSite"}]}', "{broken"):
        body = document(f'<script type="application/ld+json">{script}</script>')
        with pytest.raises(LayoutChanged, match="6 to 200 prices where 0"):
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
