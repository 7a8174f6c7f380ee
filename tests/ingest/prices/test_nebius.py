"""Nebius' page: preemptible beside on demand, floors, and prices announced with a date."""

from datetime import UTC, datetime

import pytest
from price_pages import (
    NEBIUS_ANNOUNCED,
    NEBIUS_ANNOUNCED_HEADER,
    NEBIUS_GPUS,
    NEBIUS_HEADER,
    nebius_page,
    read_page,
)

from ingest.core.errors import LayoutChanged
from ingest.prices.nebius import SOURCE
from ingest.prices.offers import resolve_periods

TITLE = "NVIDIA GPU Instances"
SPOT = ("Item", "vCPUs", "RAM, GB", "Preemptible, GPU-hour"), [("NVIDIA HGX H200", "16", "200", "from $0.79")]


def read(*tables):
    return read_page(SOURCE, nebius_page(tables) if tables else nebius_page())


def prices(found, item="NVIDIA HGX H100"):
    return {r.pricing_model: r.price for r in found.rows if r.instance_type == item}


def test_preemptible_and_on_demand_are_two_offers_per_gpu_wherever_their_columns_stand():
    found = read()
    assert prices(found) == {"spot": 2.15, "on_demand": 3.85}
    # the share of one GPU (16 vCPUs, 200 GB) is no instance
    assert {(r.price_unit, r.vcpus, r.memory_gb, r.accelerator_count) for r in found.rows} == {
        ("accelerator_hour", None, None, None)
    }
    assert found.exclusions == {
        "no price is published": 1,
        "price on request": 1,
        "only a lowest price is published (from, starting at)": 2,
    }
    header = (*NEBIUS_HEADER[:3], NEBIUS_HEADER[4], NEBIUS_HEADER[3])
    swapped = read((TITLE, header, [(*row[:3], row[4], row[3]) for row in NEBIUS_GPUS]))
    assert {(r.instance_type, r.pricing_model, r.price) for r in swapped.rows} == {
        (r.instance_type, r.pricing_model, r.price) for r in found.rows
    }


@pytest.mark.parametrize(
    ("day", "in_force", "other"),
    [
        (datetime(2026, 9, 30, tzinfo=UTC), (7.85, 7.15, 4.5, 3.85), "announced, from 2026-10-01"),
        (datetime(2026, 10, 1, tzinfo=UTC), (9.5, 8.5, 5.4, 4.5), "superseded"),
    ],
)
def test_a_price_announced_for_a_day_holds_from_that_day(day, in_force, other):
    found = read((TITLE, NEBIUS_ANNOUNCED_HEADER, NEBIUS_ANNOUNCED), ("Preemptible instances", *SPOT))
    assert not found.rejects and {r.pricing_model for r in found.rows} == {"on_demand"}
    rows = resolve_periods(found, day, "pricing").rows
    items = [f"NVIDIA HGX {part}" for part in ("B300", "B200", "H200", "H100")]
    assert {r.instance_type: r.price for r in rows if not r.purchase_option} == dict(
        zip(items, in_force, strict=True)
    )
    assert [r.purchase_option for r in rows if r.purchase_option] == [other] * 4
    # the same offer as the standing one
    standing = {r.instance_type: r.offer_id for r in read().rows if r.pricing_model == "on_demand"}
    assert all(standing[r.instance_type] == r.offer_id for r in rows if not r.purchase_option)


def test_an_announcement_that_changes_nothing_is_merged():
    found = read((TITLE, NEBIUS_ANNOUNCED_HEADER, [(*row[:4], row[3]) for row in NEBIUS_ANNOUNCED]))
    assert (len(found.rows), found.merged, found.rejects) == (4, 4, [])


@pytest.mark.parametrize(
    ("words", "is_trusted"),
    [("GPU-hour (Effective October 1, 2026)", False), ("Reserved 3 months, GPU-hour", True)],
)
def test_a_third_column_belongs_to_neither_and_a_dated_one_leaves_none_certain(words, is_trusted):
    """Preemptible, on demand and a dated column that does not say which: nothing undated can be trusted."""
    rows = [(*row[:3], "$9.99", *row[3:]) for row in NEBIUS_GPUS if row[3].startswith("$")]
    steady = ("Others", NEBIUS_HEADER, [(f"NVIDIA N{i}", "1", "1", "$1.00", "$2.00") for i in range(3)])
    found = read((TITLE, (*NEBIUS_HEADER[:3], words, *NEBIUS_HEADER[3:]), rows), steady)
    assert found.exclusions == {"a price column of other terms": len(rows)}
    assert prices(found) == ({"spot": 2.15, "on_demand": 3.85} if is_trusted else {})
    assert len(found.rejects) == (0 if is_trusted else 2 * len(rows))


@pytest.mark.parametrize("words", ["Effective February 30, 2026", "as of October 1, 2026"])
def test_ambiguous_columns_give_no_price(words):
    header = (*NEBIUS_ANNOUNCED_HEADER[:4], f"GPU-hour ({words})")
    steady = ("NVIDIA HGX A100", "16", "200", "$1.99", "$1.99")
    found = read((TITLE, header, [*NEBIUS_ANNOUNCED, steady]))
    assert {r.instance_type for r in found.rows} == {"NVIDIA HGX A100"}
    assert len(found.rejects) == 8


@pytest.mark.parametrize("words", [b"pc-highlight-table-block", b"GPU-hour"])
def test_without_the_table_or_its_class_the_layout_has_changed(words):
    with pytest.raises(LayoutChanged):
        read_page(SOURCE, nebius_page().replace(words, b"table"))
