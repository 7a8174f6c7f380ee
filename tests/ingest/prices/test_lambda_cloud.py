"""Lambda's page and API."""

import csv
from functools import partial

import pytest
from price_pages import LAMBDA_TABS, document, lambda_api, lambda_page, lambda_table, read_page

from ingest.core.errors import LayoutChanged
from ingest.prices.lambda_cloud import SOURCE, SOURCE_API

read, read_api = partial(read_page, SOURCE), partial(read_page, SOURCE_API)


@pytest.fixture(scope="module")
def page():
    return read(lambda_page())


def test_each_plan_and_size_is_one_offer_though_a_script_says_all_again(page):
    """A single GPU costs more an hour than one of eight: taken for each other they would be 7.5 % off."""
    assert lambda_page().count(b"$3.99") == 2
    assert len(page.rows) == sum(map(len, LAMBDA_TABS.values())) and page.duplicates == 0
    h100 = {
        (r.instance_type, r.price, r.accelerator_count) for r in page.rows if "h100_sxm" in r.instance_type
    }
    assert h100 == {
        ("gpu_8x_h100_sxm5", 3.99, 8),
        ("gpu_4x_h100_sxm5", 4.09, 4),
        ("gpu_2x_h100_sxm5", 4.19, 2),
        ("gpu_1x_h100_sxm5", 4.29, 1),
    }
    assert {r.price_unit for r in page.rows} == {"accelerator_hour"}
    assert page.exclusions == {"cluster under contract, another product": 2}


def test_names_sizes_and_prices_are_those_of_a_catalog_made_from_the_api(page, price_data):
    with (price_data / "skypilot/lambda_vms_excerpt.csv").open() as file:
        catalog = {row["InstanceType"]: row for row in csv.DictReader(file) if row["AcceleratorCount"]}
    both = [r for r in page.rows if r.instance_type in catalog]
    assert len(both) == 5
    for row in both:
        known = catalog[row.instance_type]
        assert row.price * row.accelerator_count == pytest.approx(float(known["Price"]))
        assert (row.vcpus, row.memory_gb) == (float(known["vCPUs"]), float(known["MemoryGiB"]))
        assert row.accelerator_count == float(known["AcceleratorCount"])


@pytest.mark.parametrize(
    ("tab", "line", "name"),
    [  # one API name stands for two boards by count
        ("8x", ("NVIDIA A100 SXM", "40 GB"), "gpu_8x_a100"),
        *((f"{n}x", ("NVIDIA A100 PCIe", "40 GB"), f"gpu_{n}x_a100") for n in (1, 2, 4)),
        ("1x", ("NVIDIA H100 PCIe", "80 GB"), "gpu_1x_h100_pcie"),
        ("1x", ("NVIDIA A100 SXM", "40 GB"), "gpu_1x_a100_sxm4"),
        ("8x", ("NVIDIA A100 SXM", "80 GB"), "gpu_8x_a100_80gb_sxm4"),
        # without a certain name the page's words stay
        ("8x", ("NVIDIA B300 SXM6", "268 GB"), "8x NVIDIA B300 SXM6 268 GB"),
    ],
)
def test_names_are_those_of_the_api_where_certain(tab, line, name):
    tabs = {other: rows for other, rows in LAMBDA_TABS.items() if other != tab}
    found = read(lambda_page({**tabs, tab: [(*line, "240", "2900 GiB", "22 TiB", "$8.99")]}))
    assert [r.instance_type for r in found.rows if r.price == 8.99] == [name]


def test_a_dash_is_no_price_and_a_broken_line_takes_no_other_with_it():
    plan, *specs, _ = LAMBDA_TABS["8x"][0]
    rows = [(plan, *specs, "—"), (plan, *specs, "$0.00"), *LAMBDA_TABS["8x"][1:]]
    found = read(lambda_page({**LAMBDA_TABS, "8x": rows}))
    assert found.exclusions["no price is published"] == 1
    assert ["$0.00" in str(r) for r in found.rejects] == [True]
    assert len(found.rows) == 12


def test_without_its_tab_a_table_does_not_say_how_many_gpus():
    found = read(lambda_page({**LAMBDA_TABS, "eight": LAMBDA_TABS["8x"]}))
    assert len(found.rows) == 13 and len(found.rejects) == 5
    assert "how many GPUs" in str(found.rejects[0])
    with pytest.raises(LayoutChanged, match="how many GPUs"):
        read(document("<h2>Instances pricing</h2>" + lambda_table(LAMBDA_TABS["8x"])))


# of January 2026: tabs are numbered by island. Prices of that capture, and of November 2024 where it was cut
JANUARY = {
    "8x": [
        ("NVIDIA B200 SXM6", "180 GB", "208", "2900 GiB", "22 TiB SSD", "$4.99"),
        ("NVIDIA H100 SXM", "80 GB", "208", "1800 GiB", "22 TiB SSD", "$2.99"),
        ("NVIDIA A100 SXM", "80 GB", "240", "1800 GiB", "19.5 TiB SSD", "$1.79"),
        ("NVIDIA A100 SXM", "40 GB", "124", "1800 GiB", "5.8 TiB SSD", "$1.29"),
        ("NVIDIA Tesla V100", "16 GB", "88", "448 GiB", "5.8 TiB SSD", "$0.55"),
    ],
    "4x": [("NVIDIA H100 SXM", "80 GB", "104", "900 GiB", "11 TiB SSD", "$3.09")],
    "1x": [("NVIDIA H100 SXM", "80 GB", "26", "225 GiB", "2.75 TiB SSD", "$3.29")],
}
TABS = "<div role=tablist>{}</div>".format(
    "".join(
        f"<button role=tab aria-controls=p-{i} id=t-{i}>{size}</button>" for i, size in enumerate(JANUARY)
    )
)
PANELS = "".join(
    f"<div role=tabpanel id=p-{i} aria-labelledby=t-{i}>{lambda_table(rows)}</div>"
    for i, rows in enumerate(JANUARY.values())
)
OTHER = "<div><div role=tablist><button role=tab aria-controls=p-0 id=t-0>2x</button></div>{}</div>"


@pytest.mark.parametrize(
    "html",
    [
        lambda_page(JANUARY, islands=("0", "0")),
        # containers, with another island around, before and behind; tabs below their panels; tabs inside of a panel
        document(OTHER.format("") + f"<h2>Instances pricing</h2><div>{TABS}{PANELS}</div>" + OTHER.format("")),
        document(OTHER.format("") + f"<h2>Instances pricing</h2><div><p>{PANELS}</p>{TABS}</div>"),
        document(f"<h2>Instances pricing</h2><div>{TABS}<div>{PANELS.replace('<table', OTHER.format('') + '<table', 1)}</div></div>"),
    ],
    ids=["islands", "containers", "tabs below", "tabs inside"],
)  # fmt: skip
def test_an_id_that_repeats_is_looked_up_around_its_panel(html):
    found = read(html)
    assert {(r.accelerator_count, r.accelerator_published, r.accelerator_memory_gb): r.price for r in found.rows} == {
        (8, "NVIDIA B200 SXM6", 180): 4.99, (8, "NVIDIA H100 SXM", 80): 2.99, (8, "NVIDIA A100 SXM", 80): 1.79,
        (8, "NVIDIA A100 SXM", 40): 1.29, (8, "NVIDIA Tesla V100", 16): 0.55, (4, "NVIDIA H100 SXM", 80): 3.09,
        (1, "NVIDIA H100 SXM", 80): 3.29,
    }  # fmt: skip
    assert len(found.rows) == 7 and not found.rejects


def test_a_tab_of_another_island_says_no_size():
    other = OTHER.format("".join(f"<button role=tab aria-controls=p-{i}>8x</button>" for i in range(3)))
    tabs = TABS.replace("aria-controls", "data-controls").replace(" id=", " data-id=")
    with pytest.raises(LayoutChanged, match="how many GPUs"):
        read(document(f"{other}<h2>Instances pricing</h2><div>{tabs}{PANELS}</div>"))


def test_its_heading_missing_is_a_changed_layout():
    with pytest.raises(LayoutChanged):
        read(lambda_page().replace(b"Instances pricing", b"Instances"))


def test_the_api_prices_instances_in_cents():
    found = read_api(lambda_api())
    rows = {r.instance_type: r for r in found.rows}
    assert found.exclusions == {"no accelerator": 1} and not found.rejects
    eight = rows["gpu_8x_h100_sxm5"]
    assert (eight.price, eight.price_unit, eight.price_published) == (31.92, "instance_hour", "3192")
    said = eight.accelerator_count, eight.accelerator_memory_gb, eight.accelerator_published
    assert said == (8, 80, "H100 (80 GB SXM5)")
    assert (eight.region, eight.is_available) == (None, True)
    assert rows["gpu_1x_h100_sxm5"].is_available is False
