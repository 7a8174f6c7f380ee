"""CoreWeave's page: two regions, two layouts of each row, a price per GPU to check against."""

from functools import partial

import pytest
from price_pages import COREWEAVE_GPUS, coreweave_page, coreweave_row, read_page

from ingest.core.errors import LayoutChanged
from ingest.prices.coreweave import SOURCE

read = partial(read_page, SOURCE)
B200 = next(row for row in COREWEAVE_GPUS if row[0] == "nvidia-b200")


def changed(of="nvidia-b200", **cells):
    """The page with cells of one product changed."""
    names = (
        "product",
        "model",
        "count",
        "vram",
        "vcpus",
        "ram",
        "storage",
        "on_demand",
        "north",
        "europe",
        "per_gpu",
    )
    return coreweave_page(
        [
            tuple((dict(zip(names, row, strict=True)) | cells).values()) if row[0] == of else row
            for row in COREWEAVE_GPUS
        ]
    )


def prices(found, product, model="on_demand"):
    return {r.region: r.price for r in found.rows if (r.instance_type, r.pricing_model) == (product, model)}


def test_prices_are_of_whole_instances_on_demand_the_same_and_spot_each_regions_own():
    found = read(coreweave_page())
    row = next(r for r in found.rows if r.instance_type == "hgx-h100")
    assert (row.price, row.price_unit, row.accelerator_count) == (49.24, "instance_hour", 8)
    assert (row.accelerator_memory_gb, row.vcpus, row.memory_gb) == (80, 128, 2048)
    assert row.accelerator_published == "NVIDIA HGX H100"
    assert prices(found, "nvidia-b200") == {"NORTH AMERICA": 68.8, "EUROPE": 68.8}
    assert prices(found, "nvidia-b200", "spot") == {"NORTH AMERICA": 34.11, "EUROPE": 34.87}
    assert not prices(found, "nvidia-gb300-nvl72") | prices(found, "nvidia-b300")
    assert prices(found, "nvidia-b300", "spot") == {"NORTH AMERICA": 35.84, "EUROPE": 36.7}
    assert found.exclusions == {"price on request": 4, "no price is published": 6, "CPU instance": 1}


def test_a_footnoted_count_is_four_and_never_41():
    for page in (coreweave_page(), coreweave_page().replace(b"4^1", b"4<sup>1</sup>")):
        assert {r.accelerator_count for r in read(page).rows} == {1, 4, 8}


@pytest.mark.parametrize(("per_gpu", "is_kept"), [("$8.68", True), ("$8.70", False)])
def test_price_by_count_agrees_with_the_price_of_one_gpu_within_a_hundredth(per_gpu, is_kept):
    """68.80 / 8 = 8.60; 8.68 is 0.9 % off, 8.70 is 1.1 % off."""
    found = read(changed(per_gpu=per_gpu))
    assert ("NORTH AMERICA" in prices(found, "nvidia-b200")) is is_kept
    assert [per_gpu in str(r) for r in found.rejects] == ([] if is_kept else [True])
    assert prices(found, "nvidia-b200", "spot")["NORTH AMERICA"] == 34.11


@pytest.mark.parametrize("copies", [("$68.80", "$34.50"), ("$70.00", "$34.11")])
def test_copies_within_a_region_must_agree(copies):
    row = coreweave_row("nvidia-new", *B200[1:8], "$34.11", "$8.60", copies=copies)
    found = read(coreweave_page(extra_rows=[row]))
    assert ["contradict" in str(reject) for reject in found.rejects] == [True]
    assert len([r for r in found.rows if r.instance_type == "nvidia-new"]) == 1


@pytest.mark.parametrize(
    ("of", "cells", "says"),
    [
        ("nvidia-b200", {"count": "eight"}, "GPU count reads"),
        ("nvidia-b200", {"product": ""}, "data-product"),
        ("nvidia-gb200-nvl72", {"count": "72", "per_gpu": ""}, "4 GPUs, the page states 72"),
    ],
)
def test_a_broken_row_is_named_and_its_neighbours_survive(of, cells, says):
    found, whole = read(changed(of, **cells)), read(coreweave_page())
    assert [says in str(r) for r in found.rejects] == [True, True]  # one a region
    assert [r.price for r in found.rows] == [r.price for r in whole.rows if r.instance_type != of]


def test_the_rows_missing_are_a_changed_layout():
    with pytest.raises(LayoutChanged, match="4 to 120 prices"):
        read(coreweave_page().replace(b"table-grid", b"grid"))
