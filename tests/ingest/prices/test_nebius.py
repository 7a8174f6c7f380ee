"""Nebius' page: preemptible beside on demand, floors, and prices announced with a date."""

import io
from datetime import UTC, datetime

import pytest
from price_pages import (
    NEBIUS_ANNOUNCED,
    NEBIUS_ANNOUNCED_HEADER,
    NEBIUS_GPUS,
    NEBIUS_HEADER,
    NEBIUS_SPOT,
    NEBIUS_SPOT_HEADER,
    nebius_page,
)

from ingest.core.errors import LayoutChanged
from ingest.prices.nebius import SOURCE
from ingest.prices.offers import resolve_periods

TITLE = "NVIDIA GPU Instances"
OCTOBER = datetime(2026, 10, 1, tzinfo=UTC)


def read(*tables):
    return SOURCE.parse([("", io.BytesIO(nebius_page(tables) if tables else nebius_page()))], key="pricing")


def prices(found, item):
    return {r.pricing_model: r.price for r in found.rows if r.instance_type == item}


def test_preemptible_and_on_demand_are_two_offers_per_gpu():
    found = read()
    assert prices(found, "NVIDIA HGX H100") == {"spot": 2.15, "on_demand": 3.85}
    assert {r.price_unit for r in found.rows} == {"accelerator_hour"}
    # the share of one GPU (16 vCPUs, 200 GB) is no instance
    assert {(r.vcpus, r.memory_gb, r.accelerator_count) for r in found.rows} == {(None, None, None)}
    assert "VAT" in SOURCE.licence_note


def test_dashes_requests_and_floors_are_left_out_wherever_columns_stand():
    header = (*NEBIUS_HEADER[:3], NEBIUS_HEADER[4], NEBIUS_HEADER[3])
    swapped, plain = read((TITLE, header, [(*row[:3], row[4], row[3]) for row in NEBIUS_GPUS])), read()
    assert {(r.instance_type, r.pricing_model, r.price) for r in swapped.rows} == {
        (r.instance_type, r.pricing_model, r.price) for r in plain.rows
    }
    assert plain.left_out == {
        "no price is published": 2,
        "price on request": 2,
        "only a lowest price is published (from, starting at)": 4,
    }


@pytest.mark.parametrize(
    ("day", "in_force", "other"),
    [
        (datetime(2026, 9, 30, tzinfo=UTC), (7.85, 7.15, 4.5, 3.85), "announced, from 2026-10-01"),
        (OCTOBER, (9.5, 8.5, 5.4, 4.5), "superseded"),
    ],
)
def test_a_price_announced_for_a_day_holds_from_that_day(day, in_force, other):
    found = read(
        (TITLE, NEBIUS_ANNOUNCED_HEADER, NEBIUS_ANNOUNCED),
        ("Preemptible instances", NEBIUS_SPOT_HEADER, NEBIUS_SPOT),
    )
    assert not found.rejects and {r.pricing_model for r in found.rows} == {"on_demand"}
    rows = resolve_periods(found, day, "pricing").rows
    items = [f"NVIDIA HGX {part}" for part in ("B300", "B200", "H200", "H100")]
    assert {r.instance_type: r.price for r in rows if not r.purchase_option} == dict(
        zip(items, in_force, strict=True)
    )
    assert [r.purchase_option for r in rows if r.purchase_option] == [other] * 4
    assert found.left_out["only a lowest price is published (from, starting at)"] == 2


def test_an_announced_price_is_the_same_offer_as_the_standing_one():
    announced = read((TITLE, NEBIUS_ANNOUNCED_HEADER, NEBIUS_ANNOUNCED))
    standing = {r.instance_type: r.offer_id for r in read().rows if r.pricing_model == "on_demand"}
    assert all(standing[r.instance_type] == r.offer_id for r in announced.rows)


def test_an_announcement_that_changes_nothing_is_merged():
    rows = [(*row[:4], row[3]) for row in NEBIUS_ANNOUNCED]
    found = read((TITLE, NEBIUS_ANNOUNCED_HEADER, rows))
    assert (len(found.rows), found.merged, found.rejects) == (4, 4, [])
    assert {r.observed_at for r in found.rows} == {None}


def test_a_dated_column_beside_two_kinds_belongs_to_neither():
    """Preemptible, on demand and a dated column that does not say which: nothing undated can be trusted."""
    header = (*NEBIUS_HEADER, "GPU-hour (Effective October 1, 2026)")
    rows = [(*row, "$9.99") for row in NEBIUS_GPUS if row[3].startswith("$")]
    steady = ("Others", NEBIUS_HEADER, [(f"NVIDIA N{i}", "1", "1", "$1.00", "$2.00") for i in range(3)])
    found = read((TITLE, header, rows), steady)
    assert {r.instance_type for r in found.rows} == {"NVIDIA N0", "NVIDIA N1", "NVIDIA N2"}
    assert found.left_out == {"a price column of other terms": len(rows)}
    assert len(found.rejects) == 2 * len(rows)


@pytest.mark.parametrize(
    "words", ["Effective Foo 1, 2026", "Effective February 30, 2026", "as of October 1, 2026"]
)
def test_ambiguous_columns_give_no_price(words):
    header = (*NEBIUS_ANNOUNCED_HEADER[:4], f"GPU-hour ({words})")
    with_steady = [*NEBIUS_ANNOUNCED, ("NVIDIA HGX A100", "16", "200", "$1.99", "$1.99")]
    found = read((TITLE, header, with_steady))
    assert {r.instance_type for r in found.rows} == {"NVIDIA HGX A100"}
    assert len(found.rejects) == 8


def test_a_reserved_column_is_not_taken_for_on_demand():
    header = (*NEBIUS_HEADER, "Reserved 3 months, GPU-hour")
    found = read((TITLE, header, [(*row, "$1.11") for row in NEBIUS_GPUS]))
    assert found.left_out["a price column of other terms"] == len(NEBIUS_GPUS)
    assert prices(found, "NVIDIA HGX H100") == {"spot": 2.15, "on_demand": 3.85}


@pytest.mark.parametrize("words", [b"pc-highlight-table-block", b"GPU-hour"])
def test_without_the_table_or_its_class_the_layout_has_changed(words):
    with pytest.raises(LayoutChanged):
        SOURCE.parse([("", io.BytesIO(nebius_page().replace(words, b"table")))], key="pricing")
