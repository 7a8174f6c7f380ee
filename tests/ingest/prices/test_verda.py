"""Verda's page: schema.org offers."""

from datetime import UTC, datetime

import pytest
from price_pages import VERDA_PAGE, document, read_page, verda_offer, verda_page

from ingest.core.errors import LayoutChanged
from ingest.prices.verda import SOURCE


def read(*more):
    return read_page(SOURCE, verda_page([*VERDA_PAGE, *more]))


def hourly(name, how, price):
    return verda_offer(99, f"{name} {how}", f"Hourly {how} instance price", price)


def test_offers_are_per_instance_on_demand_and_spot():
    found = read()
    rows = {(r.instance_type, r.pricing_model): r for r in found.rows}
    b300 = rows["1x B300 SXM6 268GB", "on_demand"]
    assert (b300.price, b300.price_published, b300.price_unit) == (7.5, "7.5", "instance_hour")
    assert (b300.accelerator_published, b300.accelerator_memory_gb) == ("B300 SXM6 268GB", 268)
    assert b300.record == "https://verda.com/pricing#offer-1 (1x B300 SXM6 268GB on-demand)"
    assert {at: r.price for at, r in rows.items() if "B200" in at[0]} == {
        ("1x B200 SXM6 180GB", "on_demand"): 6.11,
        ("1x B200 SXM6 180GB", "spot"): 3.055,
        ("1x B200 CC SXM6 180GB", "on_demand"): 6.232,  # confidential computing is another offer
    }
    assert found.exclusions == {
        "CPU instance": 1,
        "instant cluster, another product": 1,
        "serverless container, another product": 1,
        "storage": 1,
    }


def test_a_name_that_stands_twice_counts_once_while_the_prices_agree():
    assert read().duplicates == 1
    found = read(hourly("1x H100 SXM5 80GB", "on-demand", 3.35))
    assert [r.pricing_model for r in found.rows if "H100" in r.instance_type] == ["spot"]
    assert len(found.rejects) == 3


def test_counts_and_dynamic_prices_are_kept_apart():
    found = read(
        hourly("1x L40S 48GB", "dynamic", 0.9),
        hourly("1x L40S 48GB", "fixed", 1.37),
        hourly("8x H200 SXM5 141GB", "on-demand", 32.125),  # the table that people see rounds
    )
    assert [(r.instance_type, r.purchase_option, r.price, r.accelerator_count) for r in found.rows[-3:]] == [
        ("1x L40S 48GB", "dynamic", 0.9, 1),
        ("1x L40S 48GB", None, 1.37, 1),
        ("8x H200 SXM5 141GB", None, 32.125, 8),
    ]


@pytest.mark.parametrize(
    "page",
    [verda_page(VERDA_PAGE[:5]), document('<script type="application/ld+json">{broken</script>')],
)
def test_without_its_offers_the_layout_has_changed(page):
    with pytest.raises(LayoutChanged, match="6 to 200 prices where"):
        read_page(SOURCE, page)


def test_a_broken_script_does_not_hide_the_offers_of_another():
    broken = b'<script type="application/ld+json">{broken</script>'
    assert read_page(SOURCE, broken + verda_page()).rows == read().rows


def test_a_price_holds_between_the_days_that_schema_org_states():
    last_day = hourly("1x X1", "on-demand", 2.0) | {"priceValidUntil": "2026-10-31"}
    next_year = hourly("1x X2", "on-demand", 3.0)
    next_year["priceSpecification"]["validFrom"] = "2027-01-01"
    assert [row.period for row in read(last_day, next_year).rows[-2:]] == [
        (None, datetime(2026, 11, 1, tzinfo=UTC)),
        (datetime(2027, 1, 1, tzinfo=UTC), None),
    ]
