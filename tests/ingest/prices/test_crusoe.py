"""Crusoe's page: one GPU table among lookalikes."""

import io

import pytest
from price_pages import CRUSOE_GPUS, crusoe_item, crusoe_page, crusoe_section, document

from ingest.core.errors import LayoutChanged
from ingest.prices.crusoe import SOURCE


def read(html):
    return SOURCE.parse([("", io.BytesIO(html))], key="pricing")


def test_prices_are_per_gpu_hour_and_names_those_of_the_api():
    found = read(crusoe_page())
    assert {(r.instance_type, r.price, r.pricing_model, r.price_unit) for r in found.rows} == {
        ("H200-SXM-141GB", 4.29, "on_demand", "accelerator_hour"),
        ("H100-SXM-80GB", 3.9, "on_demand", "accelerator_hour"),
        ("A100-SXM-80GB", 2.3, "on_demand", "accelerator_hour"),
        ("A100-PCIe-80GB", 2.0, "on_demand", "accelerator_hour"),
        ("L40S-48GB", 1.5, "on_demand", "accelerator_hour"),
        ("MI300X-192GB", 3.45, "on_demand", "accelerator_hour"),
    }
    assert {r.accelerator_memory_gb for r in found.rows} == {141, 80, 48, 192}


def test_contact_sales_and_the_same_chips_as_a_managed_product_are_no_offers():
    assert crusoe_page().count(b"NVIDIA H100") == 2
    found = read(crusoe_page())
    assert found.left_out == {"price on request": 12}
    assert [r.price for r in found.rows if "H100" in r.instance_type] == [3.9]


def test_columns_are_told_apart_by_their_head_not_by_their_place():
    gpus = [(*row[:3], "$2.10/GPU-hr" if row[0] == "NVIDIA H100" else row[4], row[3]) for row in CRUSOE_GPUS]
    found = read(crusoe_page(gpus, columns=("GPU model", "Current spot", "On-demand")))
    assert [r.price for r in found.rows if r.pricing_model == "spot"] == [2.1] and len(found.rows) == 7
    reserved = read(
        crusoe_page(
            [(*row, "$1.00/GPU-hr") for row in CRUSOE_GPUS],
            ("GPU model", "On-demand", "Current spot", "Reserved"),
        )
    )
    assert reserved.left_out["a price column of other terms"] == 9 and len(reserved.rows) == 6


def test_tags_are_part_of_a_name():
    """The A100 lines share a heading; a line with a tag that is not known keeps the page's words."""
    gpus = [*CRUSOE_GPUS, ("NVIDIA A100", "80GB", "NVL", "$1.90/GPU-hr", "Contact sales")]
    assert read(crusoe_page(gpus)).rows[-1].instance_type == "NVIDIA A100 80GB NVL"


def test_a_line_with_another_number_of_cells_is_rejected():
    items = [crusoe_item(h, (m, f), cells) for h, m, f, *cells in CRUSOE_GPUS]
    items[2] = crusoe_item("NVIDIA H200", ("141GB", "HGX"), ["$4.29/GPU-hr"])
    found = read(
        document(crusoe_section("GPU instances pricing", ("GPU model", "On-demand", "Current spot"), items))
    )
    assert len(found.rows) == 5 and "1 price cells" in str(found.rejects[0])


def test_without_the_gpu_table_the_layout_has_changed():
    with pytest.raises(LayoutChanged, match="GPU model"):
        read(crusoe_page(columns=("Accelerator", "On-demand", "Current spot")))
    with pytest.raises(LayoutChanged, match="3 to 60 prices where 0"):
        read(crusoe_page([(*row[:3], "Contact sales", "Contact sales") for row in CRUSOE_GPUS]))
