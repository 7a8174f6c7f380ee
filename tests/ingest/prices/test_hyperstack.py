"""Hyperstack's page: on demand and spot, reservations without a term."""

import io
import json

import pytest
from price_pages import HYPERSTACK_ON_DEMAND, HYPERSTACK_RESERVED, hyperstack_page

from ingest.core.errors import LayoutChanged
from ingest.prices.hyperstack import SOURCE


def read(html):
    return SOURCE.parse([("", io.BytesIO(html))], key="pricing")


def prices(found, model):
    return {r.instance_type: r.price for r in found.rows if r.pricing_model == model}


def test_on_demand_and_spot_are_per_gpu_in_the_pages_words():
    """PCIe, PCIe with bridge ("NVLink") and SXM are three prices under three names; none is turned into another."""
    found = read(hyperstack_page())
    on_demand = prices(found, "on_demand")
    assert len(on_demand) == len(HYPERSTACK_ON_DEMAND)
    assert {name: p for name, p in on_demand.items() if "H100" in name} == {
        "NVIDIA H100 SXM": 3.2, "NVIDIA H100 NVLink": 2.6, "NVIDIA H100": 2.5,
    }  # fmt: skip
    assert prices(found, "spot") == {
        "NVIDIA H100 PCIe": 2.0, "NVIDIA RTX Pro 6000 SE": 1.48, "NVIDIA A100": 1.08, "NVIDIA L40": 0.8, "NVIDIA A6000": 0.4,
    }  # fmt: skip
    # what one GPU may have at most is no instance
    assert {(r.price_unit, r.vcpus, r.accelerator_count) for r in found.rows} == {
        ("accelerator_hour", None, None)
    }


def test_a_reservation_that_names_no_term_is_no_offer():
    found = read(hyperstack_page())
    assert found.left_out == {"reservation without a stated term": len(HYPERSTACK_RESERVED)}
    assert not {2.79, 2.72, 1.82} & {r.price for r in found.rows}


def test_models_are_those_that_people_read_from_the_page(price_data):
    """The page writes "NVIDIA A6000"; people wrote "RTX". Memory agrees where names do."""
    offers = json.loads((price_data / "curated/gpu_offerings_2026-05-24.json").read_text())
    people = {o["gpu_model"]: o["vram_gb"] for o in offers if o["provider_id"] == "hyperstack"}
    ours = {
        r.instance_type: r.accelerator_memory_gb
        for r in read(hyperstack_page()).rows
        if r.pricing_model == "on_demand"
    }
    same = people.keys() & ours.keys()
    assert len(same) == 7 and all(people[name] == ours[name] for name in same)


def test_without_its_tables_or_heads_the_layout_has_changed():
    with pytest.raises(LayoutChanged, match="On-Demand GPU Pricing"):
        read(hyperstack_page().replace(b"On-Demand GPU</span>", b"GPU</span>"))
    with pytest.raises(LayoutChanged, match="'Pricing Per Hour'"):
        read(hyperstack_page().replace(b"Pricing Per Hour", b"Pricing Per Month"))
