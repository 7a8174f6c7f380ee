"""Together's page: one section of three, two tables that must agree, terms shorter than a year."""

from functools import partial

import pytest
from price_pages import TOGETHER_GPUS, TOGETHER_TERMS, read_page, together_page

from ingest.core.errors import LayoutChanged
from ingest.prices.together import SOURCE

read = partial(read_page, SOURCE)


def offers(found, hardware="NVIDIA HGX H100"):
    return {
        (r.pricing_model, r.purchase_option, r.term_hours): r.price
        for r in found.rows
        if r.instance_type == hardware
    }


def test_each_commitment_is_an_offer_per_gpu_hour_and_no_year_while_shorter():
    found = read(together_page())
    assert offers(found) == {
        ("on_demand", None, None): 3.99,
        ("on_demand", "reserved 7-30 days", 7 * 24): 3.69,
        ("on_demand", "reserved 31-90 days", 31 * 24): 3.45,
        ("on_demand", "reserved 91-180 days", 91 * 24): 3.19,
    }
    assert {r.price_unit for r in found.rows} == {"accelerator_hour"}
    # the hidden copy says the on-demand prices of three boards again; a cell across all terms is one
    assert found.duplicates == 3 and len(found.rows) == 12
    assert found.exclusions == {"no price is published": 4, "price on request": 5}
    gpus = [("HGX H100", "$3.99", "$3.69", "$3.45", "$3.19", "$2.50", "$2.00")]
    found = read(together_page(gpus, ("1-6 days", "1 week+", "Preemptible", "12 months", "3 years+")))
    assert offers(found) == {
        ("on_demand", None, None): 3.99,
        ("on_demand", "reserved 1-6 days", 24): 3.69,
        ("on_demand", "reserved 1 week+", 168): 3.45,
        ("spot", None, None): 3.19,
        ("reserved_1y", "reserved 12 months", 8760): 2.5,
        ("reserved_3y", "reserved 3 years+", 26280): 2.0,
    }


def test_a_hidden_copy_that_contradicts_leaves_no_price():
    found = read(together_page(hidden=[(h, "$9.99" if h == "HGX H100" else p) for h, p, *_ in TOGETHER_GPUS]))
    assert ("on_demand", None, None) not in offers(found) and len(found.rejects) == 2
    assert offers(found, "NVIDIA HGX H200")["on_demand", None, None] == 5.99


@pytest.mark.parametrize(
    ("cells", "problem"),
    [(("$4.00",), "for several terms"), (("$4.00", "$3.00"), "cells of its header")],
)
def test_a_row_without_a_price_for_each_term_is_rejected(cells, problem):
    found = read(together_page([*TOGETHER_GPUS, ("HGX B100", "$5.00", *cells)]))
    assert offers(found, "NVIDIA HGX B100") == {("on_demand", None, None): 5.0}
    assert [problem in str(r) for r in found.rejects] == [True] and len(found.rows) == 13


@pytest.mark.parametrize("words", [b'id="gpu-clusters"', b"per GPU per hour", b"Hardware"])
def test_without_its_anchors_the_layout_has_changed(words):
    with pytest.raises(LayoutChanged):
        read(together_page().replace(words, b"other"))


def test_a_column_of_unknown_terms_is_not_taken_for_on_demand():
    gpus = [("HGX H100", "$3.99", "$3", "$3", "$3", "$1")]
    found = read(together_page(gpus, (*TOGETHER_TERMS[:3], "Custom")))
    assert found.exclusions == {"a price column of other terms": 1} and 1.0 not in offers(found).values()
