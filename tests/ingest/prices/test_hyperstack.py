"""Hyperstack's page: on demand and spot, reservations without a term."""

from functools import partial

import pytest
from price_pages import hyperstack_page, read_page

from ingest.core.errors import LayoutChanged
from ingest.prices.hyperstack import SOURCE

read = partial(read_page, SOURCE)


def test_on_demand_and_spot_are_per_gpu_in_the_pages_words():
    """PCIe, PCIe with bridge ("NVLink") and SXM are three prices under three names; none is turned into another."""
    found = read(hyperstack_page())
    prices = {(r.instance_type, r.pricing_model): r.price for r in found.rows}
    assert {name: p for (name, model), p in prices.items() if "H100" in name and model == "on_demand"} == {
        "NVIDIA H100 SXM": 3.2,
        "NVIDIA H100 NVLink": 2.6,
        "NVIDIA H100": 2.5,
    }
    assert {name: p for (name, model), p in prices.items() if model == "spot"} == {
        "NVIDIA H100 PCIe": 2.0,
        "NVIDIA A100": 1.08,
        "NVIDIA L40": 0.8,
    }
    assert {r.accelerator_memory_gb for r in found.rows if r.instance_type == "NVIDIA A6000"} == {48}
    # what one GPU may have at most is no instance
    assert {(r.price_unit, r.vcpus, r.accelerator_count) for r in found.rows} == {
        ("accelerator_hour", None, None)
    }
    assert found.exclusions == {"reservation without a stated term": 2}


def test_without_its_tables_or_heads_the_layout_has_changed():
    with pytest.raises(LayoutChanged, match="On-Demand GPU Pricing"):
        read(hyperstack_page().replace(b"On-Demand GPU</span>", b"GPU</span>"))
    with pytest.raises(LayoutChanged, match="'Pricing Per Hour'"):
        read(hyperstack_page().replace(b"Pricing Per Hour", b"Pricing Per Month"))
