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


def test_columns_are_told_apart_by_their_head_not_by_their_place():
    header = (*NEBIUS_HEADER[:3], NEBIUS_HEADER[4], NEBIUS_HEADER[3])
    rows = [(*row[:3], row[4], row[3]) for row in NEBIUS_GPUS]
    swapped, plain = read((TITLE, header, rows)), read()
    assert {(r.instance_type, r.pricing_model, r.price) for r in swapped.rows} == {
        (r.instance_type, r.pricing_model, r.price) for r in plain.rows
    }


def test_dashes_requests_and_floors_are_left_out():
    found = read()
    assert found.left_out == {
        "no price is published": 2,
        "price on request": 2,
        "only a lowest price is published (from, starting at)": 4,
    }
    assert not [r for r in found.rows if "L40S" in r.instance_type]


def test_the_escaped_copy_in_the_script_is_not_counted():
    assert nebius_page().count(b"$3.85") == 2
    assert read().records_in == 2 * len(NEBIUS_GPUS) and read().duplicates == 0


def test_a_price_announced_for_a_day_holds_from_that_day_and_the_old_one_is_not_taken():
    """Without a clock nobody can tell whether 3.85 still holds; 4.50 holds from 1 October 2026."""
    found = read(
        (TITLE, NEBIUS_ANNOUNCED_HEADER, NEBIUS_ANNOUNCED),
        ("Preemptible instances", NEBIUS_SPOT_HEADER, NEBIUS_SPOT),
    )
    rows = {r.instance_type: r for r in found.rows}
    assert {item: r.price for item, r in rows.items()} == {
        "NVIDIA HGX B300": 9.5,
        "NVIDIA HGX B200": 8.5,
        "NVIDIA HGX H200": 5.4,
        "NVIDIA HGX H100": 4.5,
    }
    assert {(r.observed_at, r.observed_precision, r.pricing_model) for r in found.rows} == {
        (OCTOBER, "day", "on_demand")
    }
    assert len(found.rejects) == 4
    assert "'$3.85' stands beside '$4.50' (GPU-hour (Effective October 1, 2026))" in str(found.rejects[3])
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
def test_two_columns_that_cannot_be_told_apart_give_no_price(words):
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


def test_a_broken_line_is_named_and_its_neighbours_survive():
    found = read(
        (
            TITLE,
            NEBIUS_HEADER,
            [("NVIDIA HGX B100", "16", "$1"), ("NVIDIA X", "1", "1", "2.15", "$0"), *NEBIUS_GPUS],
        )
    )
    assert len(found.rows) == 10
    assert [("3 cells" in str(r), "no currency" in str(r)) for r in found.rejects] == [
        (True, False),
        (True, False),
        (False, True),
        (False, False),
    ]


def test_without_the_table_or_its_class_the_layout_has_changed():
    with pytest.raises(LayoutChanged, match="GPU-hour"):
        read(
            (
                "NVIDIA GPU Instances",
                ("Item", "vCPUs", "Price per month"),
                [("NVIDIA HGX H100", "16", "$2,000")],
            )
        )
    with pytest.raises(LayoutChanged, match="pc-highlight-table-block"):
        body = nebius_page().replace(b"pc-highlight-table-block", b"table")
        SOURCE.parse([("", io.BytesIO(body))], key="pricing")
