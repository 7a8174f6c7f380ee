"""Crusoe's page: one GPU table among lookalikes."""

from functools import partial

import pytest
from price_pages import CRUSOE_GPUS, crusoe_item, crusoe_page, crusoe_section, document, read_page

from ingest.core.errors import LayoutChanged
from ingest.prices.crusoe import SOURCE

read = partial(read_page, SOURCE)


def test_prices_are_per_gpu_hour_and_names_those_of_the_api():
    found = read(crusoe_page())
    assert {(r.instance_type, r.price, r.accelerator_memory_gb) for r in found.rows} == {
        ("H200-SXM-141GB", 4.29, 141), ("H100-SXM-80GB", 3.9, 80), ("A100-SXM-80GB", 2.3, 80),
        ("A100-PCIe-80GB", 2.0, 80), ("L40S-48GB", 1.5, 48), ("MI300X-192GB", 3.45, 192),
    }  # fmt: skip
    assert {(r.pricing_model, r.price_unit) for r in found.rows} == {("on_demand", "accelerator_hour")}
    assert found.exclusions == {"price on request": 12}


def test_columns_are_told_apart_by_their_head_not_by_their_place():
    gpus = [(*row[:3], "$2.10/GPU-hr" if row[0] == "NVIDIA H100" else row[4], row[3]) for row in CRUSOE_GPUS]
    found = read(crusoe_page(gpus, columns=("GPU model", "Current spot", "On-demand")))
    assert [r.price for r in found.rows if r.pricing_model == "spot"] == [2.1] and len(found.rows) == 7
    gpus = [(*row, "$1.00/GPU-hr") for row in CRUSOE_GPUS]
    reserved = read(crusoe_page(gpus, ("GPU model", "On-demand", "Current spot", "Reserved")))
    assert reserved.exclusions["a price column of other terms"] == 9 and len(reserved.rows) == 6


def test_a_tag_that_is_not_known_stays_part_of_the_name():
    gpus = [*CRUSOE_GPUS, ("NVIDIA A100", "80GB", "NVL", "$1.90/GPU-hr", "Contact sales")]
    assert read(crusoe_page(gpus)).rows[-1].instance_type == "NVIDIA A100 80GB NVL"


def test_a_line_with_another_number_of_cells_is_rejected():
    items = [crusoe_item(h, (m, f), cells) for h, m, f, *cells in CRUSOE_GPUS]
    items[2] = crusoe_item("NVIDIA H200", ("141GB", "HGX"), ["$4.29/GPU-hr"])
    found = read(document(crusoe_section(("GPU model", "On-demand", "Current spot"), items)))
    assert len(found.rows) == 5 and "1 price cells" in str(found.rejects[0])


def test_without_the_gpu_table_the_layout_has_changed():
    with pytest.raises(LayoutChanged, match="GPU model"):
        read(crusoe_page(columns=("Accelerator", "On-demand", "Current spot")))
