"""Lambda's page and API."""

import csv
import io
import json
import re

import pytest
from price_pages import (
    LAMBDA_CLUSTERS,
    LAMBDA_TABS,
    document,
    lambda_api,
    lambda_page,
    lambda_table,
)

from ingest.core.errors import LayoutChanged, PayloadRejected
from ingest.prices.lambda_cloud import SOURCE, SOURCE_API


def read(html):
    return SOURCE.parse([("", io.BytesIO(html))], key="pricing")


def read_api(body):
    return SOURCE_API.parse([("", io.BytesIO(body))], key="instance-types")


@pytest.fixture(scope="module")
def page():
    return read(lambda_page())


def test_each_plan_and_size_is_one_offer_though_a_script_says_all_again(page):
    body = lambda_page().decode()
    # every price stands twice in the bytes: once for people, once escaped in a script
    assert body.count("$3.99") == 2
    assert len(page.rows) == sum(len(rows) for rows in LAMBDA_TABS.values())
    assert page.duplicates == 0


def test_sizes_of_one_plan_stay_apart(page):
    """A single GPU costs more an hour than one of eight: taken for each other they would be 7.5 % off."""
    h100 = {
        r.instance_type: (r.price, r.price_unit, r.accelerator_count)
        for r in page.rows
        if "h100_sxm" in r.instance_type
    }
    assert h100 == {
        "gpu_8x_h100_sxm5": (3.99, "accelerator_hour", 8),
        "gpu_4x_h100_sxm5": (4.09, "accelerator_hour", 4),
        "gpu_2x_h100_sxm5": (4.19, "accelerator_hour", 2),
        "gpu_1x_h100_sxm5": (4.29, "accelerator_hour", 1),
    }
    assert len({r.offer_id for r in page.rows}) == len(page.rows)


def test_the_single_gpu_prices_are_those_that_people_read_from_the_page(page, price_data):
    offers = json.loads((price_data / "curated/gpu_offerings_2026-05-24.json").read_text())
    people = {
        (o["gpu_model"], o["vram_gb"]): o["price_usd_hour"] for o in offers if o["provider_id"] == "lambda"
    }
    ours = {
        (r.accelerator_published, r.accelerator_memory_gb): r.price
        for r in page.rows
        if r.accelerator_count == 1
    }
    assert len(people) == 9 and ours == people


def test_names_sizes_and_prices_are_those_of_a_catalog_made_from_the_api(page, price_data):
    with (price_data / "skypilot/lambda_vms_excerpt.csv").open() as file:
        catalog = {row["InstanceType"]: row for row in csv.DictReader(file) if row["AcceleratorCount"]}
    both = [r for r in page.rows if r.instance_type in catalog]
    assert len(both) == 9
    for row in both:
        known = catalog[row.instance_type]
        assert row.price * row.accelerator_count == pytest.approx(float(known["Price"]))
        assert (row.vcpus, row.memory_gb) == (float(known["vCPUs"]), float(known["MemoryGiB"]))
        assert row.accelerator_count == float(known["AcceleratorCount"])


@pytest.mark.parametrize(
    ("tab", "line", "name"),
    [  # one API name stands for two boards by count
        ("8x", ("NVIDIA A100 SXM", "40 GB"), "gpu_8x_a100"),
        ("1x", ("NVIDIA A100 PCIe", "40 GB"), "gpu_1x_a100"),
        ("1x", ("NVIDIA A100 SXM", "40 GB"), "gpu_1x_a100_sxm4"),
        ("8x", ("NVIDIA A100 SXM", "80 GB"), "gpu_8x_a100_80gb_sxm4"),
        # without a certain name the page's words stay
        ("8x", ("NVIDIA B300 SXM6", "268 GB"), "8x NVIDIA B300 SXM6 268 GB"),
        ("8x", ("NVIDIA B300 SXM6", "TBA"), "8x NVIDIA B300 SXM6 TBA"),
    ],
)
def test_names_are_those_of_the_api_where_certain(tab, line, name):
    tabs = {other: rows for other, rows in LAMBDA_TABS.items() if other != tab}
    found = read(lambda_page({**tabs, tab: [(*line, "240", "2900 GiB", "22 TiB", "$8.99")]}))
    assert [r.instance_type for r in found.rows if r.price == 8.99] == [name]


def test_clusters_under_contract_and_their_dashes_are_left_out(page):
    assert page.left_out == {
        "cluster under contract, another product": sum(map(len, LAMBDA_CLUSTERS.values()))
    }
    assert not [r for r in page.rows if r.price in (9.86, 8.87, 6.16)]


def test_a_dash_is_no_price_and_a_broken_line_takes_no_other_with_it():
    plan, *specs, _ = LAMBDA_TABS["8x"][0]
    rows = [(plan, *specs, "—"), (plan, *specs, "$0.00"), *LAMBDA_TABS["8x"][1:]]
    found = read(lambda_page({**LAMBDA_TABS, "8x": rows}))
    assert found.left_out["no price is published"] == 1
    assert ["$0.00" in str(r) for r in found.rejects] == [True]
    assert len(found.rows) == 21


def test_a_table_repeated_is_a_duplicate_and_one_that_contradicts_is_rejected():
    rows = LAMBDA_TABS["1x"]
    assert read(lambda_page({**LAMBDA_TABS, " 1x ": rows})).duplicates == len(rows)
    other = [(*rows[0][:-1], "$7.99"), *rows[1:]]
    found = read(lambda_page({**LAMBDA_TABS, " 1x ": other}))
    assert not [r for r in found.rows if r.instance_type == "gpu_1x_b200_sxm6"]
    assert sorted(re.search(r"\$6.99, \$7.99", str(r)) is not None for r in found.rejects) == [True, True]


def test_without_its_tab_a_table_does_not_say_how_many_gpus():
    found = read(lambda_page({**LAMBDA_TABS, "eight": LAMBDA_TABS["8x"]}))
    assert len(found.rows) == 22 and len(found.rejects) == 5
    assert "how many GPUs" in str(found.rejects[0])
    untabbed = document("<h2>Instances pricing</h2>" + lambda_table(LAMBDA_TABS["8x"]))
    with pytest.raises(LayoutChanged, match="how many GPUs"):
        read(untabbed)


@pytest.mark.parametrize(
    "page", [lambda_page(tabs={}), lambda_page().replace(b"Instances pricing", b"Instances")]
)
def test_the_table_or_its_heading_missing_is_a_changed_layout(page):
    with pytest.raises(LayoutChanged):
        read(page)


# ---------------------------------------------------------------- API


def test_the_api_prices_instances_in_cents():
    found = read_api(lambda_api())
    rows = {r.instance_type: r for r in found.rows}
    assert found.left_out == {"no accelerator": 1} and not found.rejects
    eight = rows["gpu_8x_h100_sxm5"]
    assert (eight.price, eight.price_unit, eight.price_published) == (31.92, "instance_hour", "3192")
    assert (eight.accelerator_count, eight.accelerator_memory_gb, eight.accelerator_published) == (
        8,
        80,
        "H100 (80 GB SXM5)",
    )
    assert (eight.region, eight.is_available) == (None, True)
    assert rows["gpu_1x_h100_sxm5"].is_available is False


def test_page_and_api_tell_one_price(page):
    per_gpu = {r.instance_type: r.price / r.accelerator_count for r in read_api(lambda_api()).rows}
    ours = {r.instance_type: r.price for r in page.rows if r.instance_type in per_gpu}
    assert ours == pytest.approx(per_gpu) and len(ours) == 4


def test_the_words_of_an_error_are_shown():
    with pytest.raises(PayloadRejected, match="invalid-api-key"):
        read_api(b'{"error": {"code": "global/invalid-api-key", "message": "API key was invalid"}}')
