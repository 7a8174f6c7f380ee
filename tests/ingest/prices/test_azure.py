"""Azure Retail Prices: which meters are offers, per what, and how the pages are walked."""

import io
import json
from datetime import datetime
from urllib.parse import parse_qs, urlsplit

import pytest

from ingest.core.errors import PayloadRejected
from ingest.core.fetch_plan import Request
from ingest.prices import azure
from ingest.prices.offers import resolve_periods

METER = {
    "currencyCode": "USD",
    "tierMinimumUnits": 0.0,
    "retailPrice": 98.32,
    "unitPrice": 98.32,
    "armRegionName": "eastus",
    "effectiveStartDate": "2023-08-01T00:00:00Z",
    "meterName": "ND96isrH100v5",
    "productName": "Virtual Machines NDsr H100 v5 Series",
    "skuName": "ND96isrH100v5",
    "serviceName": "Virtual Machines",
    "unitOfMeasure": "1 Hour",
    "type": "Consumption",
    "isPrimaryMeterRegion": True,
    "armSkuName": "Standard_ND96isr_H100_v5",
    "savingsPlan": [{"unitPrice": 60.1, "retailPrice": 60.1, "term": "1 Year"}],
}
WINDOWS = METER | {"productName": "Virtual Machines NDsr H100 v5 Series Windows", "retailPrice": 102.736}
RESERVED = METER | {"type": "Reservation", "reservationTerm": "1 Year", "retailPrice": 500000.0}


def page(*items, link=None):
    envelope = {"BillingCurrency": "USD", "CustomerEntityId": "Default", "CustomerEntityType": "Retail"}
    return json.dumps(envelope | {"Items": items, "NextPageLink": link, "Count": len(items)}).encode()


def parse(*items, link=None):
    return azure.parse([("", io.BytesIO(page(*items, link=link)))], key="nd")


def parse_files(folder, *names):
    paths = [folder / "azure" / name for name in names]
    parsed = azure.parse([(p.name, io.BytesIO(p.read_bytes())) for p in paths], key="nd")
    assert parsed.is_balanced
    return parsed


EAST = "retail_prices_h100_eastus_2026-09-16.json"


def test_the_plan_asks_the_four_gpu_families_in_the_case_the_api_wants():
    filters = {f.key: parse_qs(urlsplit(f.first.url).query)["$filter"][0] for f in azure.plan({})}
    assert list(filters) == ["nc", "nd", "nv", "ng"]
    assert all(f"contains(armSkuName, 'Standard_{key.upper()}')" in words for key, words in filters.items())
    assert not [fetch.key for fetch in azure.plan({}) if "|" in fetch.first.url]  # answered by 400


BASE = "https://prices.azure.com/api/retail/prices?$filter=x"


def test_the_chain_follows_the_link_until_there_is_none():
    link = "https://prices.azure.com:443/api/x?%24skip=1000"
    second = azure.follow(azure.plan({})[0].first, page(METER, link=link))
    assert second.member == "page-0002.json" and second.url.endswith("skip=1000")
    assert azure.follow(second, page(METER)) is None


@pytest.mark.parametrize(
    ("link", "problem"),
    [
        ("https://prices.azure.com.example.org/api?$skip=3000", "not https"),
        ("http://prices.azure.com/api/retail/prices?$skip=3000", "not https"),
        ("https://prices.azure.com:8443/api/retail/prices?$skip=3000", "not https"),
        ("https://prices.azure.com@evil.example/?$skip=3000", "not https"),
        ("https://prices.azure.com:x/?$skip=3000", "not https"),
        (f"{BASE}&$skip=2000", "endless"),
    ],
)
def test_a_link_that_does_not_lead_on_is_refused(link, problem):
    with pytest.raises(PayloadRejected, match=problem):
        azure.follow(Request(url=f"{BASE}&$skip=2000", member="page-0003.json"), page(METER, link=link))


def test_a_sweep_that_breaks_off_is_warned_of():
    parsed = parse(METER, link=f"{BASE}&$skip=1000")
    assert len(parsed.rows) == 1 and "links to more pages" in str(parsed.warnings[0])


SPOT = {"meterName": "ND96isrH100v5 Spot", "skuName": "ND96isrH100v5 Spot"}
LOW = {"meterName": "ND96isrH100v5 Low Priority"}


@pytest.mark.parametrize(
    ("meter", "expected"),
    [
        (METER, {"operating_system": "linux", "pricing_model": "on_demand", "price": 98.32, "price_unit": "instance_hour",
                 "region": "eastus", "currency": "USD", "accelerator_count": None, "upfront": 0.0, "term_hours": None}),
        # Linux and Windows share the meter's name: the end of the product's tells
        (WINDOWS, {"operating_system": "windows", "price": 102.736}),
        # the published record: 25,007 USD for a year of E64 v4, unitOfMeasure "1 Hour"; here on a GPU size
        (RESERVED | {"retailPrice": 25007.0},
         {"pricing_model": "reserved_1y", "price": 0.0, "upfront": 25007.0, "term_hours": 8760, "price_published": "25007.0"}),
        (RESERVED | {"reservationTerm": "3 Years", "retailPrice": 48000},
         {"pricing_model": "reserved_3y", "price": 0.0, "upfront": 48000.0, "term_hours": 26280}),
        (RESERVED | {"retailPrice": 4000.0}, {"upfront": 4000.0}),  # a small size: half a dollar an hour
        (METER | SPOT, {"pricing_model": "spot", "variant": None}),
        (METER | LOW, {"pricing_model": "spot", "variant": "low_priority"}),
        (WINDOWS | LOW, {"pricing_model": "spot", "variant": "low_priority", "operating_system": "windows"}),
        (METER | {"armSkuName": "Standard_NCC40ads_H100_v5"}, {"instance_type": "Standard_NCC40ads_H100_v5"}),
    ],
)  # fmt: skip
def test_what_a_meter_offers(meter, expected):
    (row,) = parse(meter).rows
    assert {name: getattr(row, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"type": "DevTestConsumption"}, "price for test subscriptions"),
        ({"isPrimaryMeterRegion": False}, "not the primary meter"),
        ({"armSkuName": "Standard_NP40s"}, "no GPU size"),  # FPGA
        ({"armSkuName": "NVasv4_Type1", "productName": "NVasv4 Series Dedicated Host"}, "dedicated host"),
        ({"productName": "NC Series Cloud Services"}, "not a virtual machine"),
        ({"serviceName": "Azure Machine Learning"}, "not a virtual machine"),
        ({"type": "Reservation", "reservationTerm": "5 Years"}, "five-year reservation"),
        # as Microsoft writes it ("D14 v2/DS14 v2 - Expired", 2026-08-22), and with terms before it
        *(
            ({"meterName": f"ND96isr H100 v5{words}", "retailPrice": 21.75}, reason)
            for words, reason in (
                (" - Expired", "expired meter"),
                (" Spot Expired", "expired meter"),
                (" Low Priority expired", "expired meter"),
                (" Free", "free meter"),
                (" Spot Free", "free meter"),
            )
        ),
        ({"skuName": "ND96isr H100 v5 Expired", "retailPrice": 21.75}, "expired meter"),
    ],
)
def test_what_is_no_offer_of_ours_is_left_out_by_reason(change, reason):
    parsed = parse(METER, METER | change)
    assert len(parsed.rows) == 1 and parsed.exclusions == {reason: 1} and not parsed.rejects


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (SPOT | {"skuName": "ND96isrH100v5 Low Priority"}, "contradict"),
        ({"meterName": "ND96isrH100v5 Reserved"}, "is 'Consumption'"),
        ({"meterName": "ND96isr H100 v5 Trial"}, "the words 'trial'"),
        (RESERVED | SPOT, "no price of the whole term"),
        ({"productName": "Virtual Machines NDsr H100 v5 Series RHEL"}, "does not say which operating system"),
        (
            {"productName": "Virtual Machines NDsr H100 v5 Series Win Server"},
            "does not say which operating system",
        ),
    ],
)
def test_words_that_contradict_or_are_not_known_decide_nothing(change, problem):
    parsed = parse(METER, METER | change)
    assert [row.price for row in parsed.rows] == [98.32]
    assert [problem in reject.problem for reject in parsed.rejects] == [True]


@pytest.mark.parametrize(
    ("linux", "windows"),
    [
        ("Virtual Machines NCCadsv5 Srs", "Virtual Machines NCCadsv5 Srs Win"),  # westeurope, 2026-08-20
        ("Virtual Machines NCldsxlRTX6kv6 Lnx", "Virtual Machines NCldsxlRTX6kv6 Wndws"),
        ("NCads A100 v4 Series Linux", "NCads A100 v4 Series Windows"),
        ("Virtual Machines NC Promo Series", "Virtual Machines NC Promo Series Windows"),
    ],
)
def test_a_system_is_read_in_every_form_that_products_use(linux, windows):
    prices = {linux: 8.9, windows: 10.74}
    parsed = parse(*(METER | {"productName": name, "retailPrice": price} for name, price in prices.items()))
    assert {row.operating_system: row.price for row in parsed.rows} == {"linux": 8.9, "windows": 10.74}
    (alone,) = parse(METER | {"productName": windows}).rows
    assert alone.operating_system == "windows" and not parsed.rejects


STEPS = [
    METER | {"retailPrice": 120.0, "effectiveStartDate": "2021-01-01T00:00:00Z", "effectiveEndDate": "2023-07-31T23:59:59Z"},
    METER,
    METER | {"retailPrice": 80.0, "effectiveStartDate": "2026-12-01T00:00:00Z"},
    METER | {"retailPrice": 70.0, "effectiveStartDate": "2027-06-01T00:00:00Z"},
]  # fmt: skip


@pytest.mark.parametrize(
    ("day", "options"),
    [
        ("2020-01-01", {120.0: "announced, from 2021-01-01", 98.32: "announced, from 2023-08-01"}),
        ("2026-11-30", {120.0: "ended, until 2023-07-31", 98.32: None, 80.0: "announced, from 2026-12-01"}),
        (
            "2026-12-01",
            {98.32: "superseded, from 2023-08-01", 80.0: None, 70.0: "announced, from 2027-06-01"},
        ),
    ],
)
def test_in_force_is_the_price_that_starts_last_not_after_the_day_of_the_fetch(day, options):
    parsed = parse(*STEPS[::-1], WINDOWS)
    found = resolve_periods(parsed, datetime.fromisoformat(f"{day}T10:00:00+00:00"), "nd")
    linux = {row.price: row.purchase_option for row in found.rows if row.operating_system == "linux"}
    assert len(found.rows) == 5 and found.is_balanced and not found.rejects
    assert linux | options == linux
    in_force = [row for row in found.rows if row.operating_system == "linux" and not row.purchase_option]
    assert len(in_force) == (day > "2021")
    # the price in force is the offer that it is where no other is announced
    assert {row.offer_id for row in in_force} <= {row.offer_id for row in parse(METER).rows}


def test_what_a_person_opens_shows_the_size_in_its_region():
    (row,) = parse(METER).rows
    query = parse_qs(urlsplit(row.source_url).query)["$filter"][0]
    assert "armSkuName eq 'Standard_ND96isr_H100_v5'" in query and "armRegionName eq 'eastus'" in query


def test_all_four_meters_of_one_size_in_one_region(price_data):
    parsed = parse_files(price_data, EAST)
    assert [(r.pricing_model, r.variant, r.operating_system, r.price) for r in parsed.rows] == [
        ("on_demand", None, "linux", 98.32),
        ("on_demand", None, "windows", 102.736),
        ("spot", None, "linux", 18.169536),
        ("spot", "low_priority", "windows", 41.094),  # there is none under the Linux product
    ]
    others = parse_files(price_data, "full_key_records.json")
    assert not others.rows and others.exclusions == {"no GPU size": 3}
    fixture = parse_files(price_data, "fixture_westeurope_trimmed.json")
    assert len(fixture.rows) == 5 and "1 Month" in fixture.rejects[0].problem
