"""Together's page: one section of three, two tables that must agree, terms shorter than a year."""

import io

import pytest
from price_pages import TOGETHER_GPUS, TOGETHER_TERMS, together_page

from ingest.core.errors import LayoutChanged
from ingest.prices.together import SOURCE


def read(html):
    return SOURCE.parse([("", io.BytesIO(html))], key="pricing")


def offers(found, hardware):
    return {(r.pricing_model, r.purchase_option): r.price for r in found.rows if r.instance_type == hardware}


def test_each_commitment_is_an_offer_per_gpu_hour():
    found = read(together_page())
    assert offers(found, "NVIDIA HGX H100") == {
        ("on_demand", None): 3.99,
        ("on_demand", "reserved 7-30 days"): 3.69,
        ("on_demand", "reserved 31-90 days"): 3.45,
        ("on_demand", "reserved 91-180 days"): 3.19,
    }
    assert {r.price_unit for r in found.rows} == {"accelerator_hour"}
    assert {r.purchase_option: r.term_hours for r in found.rows} == {
        None: None,
        "reserved 7-30 days": 7 * 24,
        "reserved 31-90 days": 31 * 24,
        "reserved 91-180 days": 91 * 24,
    }


def test_no_term_shorter_than_a_year_is_a_reservation_of_a_year():
    assert {r.pricing_model for r in read(together_page()).rows} == {"on_demand"}
    gpus = [("HGX H100", "$3.99", "$3.69", "$3.45", "$3.19", "$2.50", "$2.00")]
    terms = ("1-6 days", "1 week+", "6 months+", "12 months", "3 years+")
    assert offers(read(together_page(gpus, terms)), "NVIDIA HGX H100") == {
        ("on_demand", None): 3.99,
        ("on_demand", "reserved 1-6 days"): 3.69,
        ("on_demand", "reserved 1 week+"): 3.45,
        ("on_demand", "reserved 6 months+"): 3.19,
        ("reserved_1y", "reserved 12 months"): 2.5,
        ("reserved_3y", "reserved 3 years+"): 2.0,
    }
    terms = {
        r.pricing_model: r.term_hours
        for r in read(together_page(gpus, terms)).rows
        if "res" in r.pricing_model
    }
    assert terms == {"reserved_1y": 8760, "reserved_3y": 26280}


def test_a_preemptible_column_is_spot():
    page = together_page().replace(b"31-90 days", b"Preemptible")
    assert offers(read(page), "NVIDIA HGX H100")["spot", None] == 3.45


def test_dedicated_inference_on_the_same_boards_and_tokens_are_not_read():
    body = together_page()
    assert b"$8.99" in body and b"$0.88" in body and b"$0.04" in body
    assert not {8.99, 0.88, 0.04} & {r.price for r in read(body).rows}


def test_the_hidden_copy_is_a_witness():
    found = read(together_page())
    assert found.duplicates == 3  # the on-demand prices of three boards
    stale = [(h, "$9.99" if h == "HGX H100" else p) for h, p, *_ in TOGETHER_GPUS]
    found = read(together_page(hidden=stale))
    assert ("on_demand", None) not in offers(found, "NVIDIA HGX H100")
    assert len(found.rejects) == 2 and "$9.99, $3.99" in str(found.rejects[0])
    assert offers(found, "NVIDIA HGX H200")["on_demand", None] == 5.99


def test_dashes_and_requests_are_left_out_a_spanning_one_once():
    found = read(together_page())
    assert found.left_out == {"no price is published": 4, "price on request": 5}
    assert not offers(found, "NVIDIA GB200 NVL72")


def test_one_price_for_several_terms_is_rejected():
    found = read(together_page([*TOGETHER_GPUS, ("HGX B100", "$5.00", "$4.00")]))
    assert offers(found, "NVIDIA HGX B100") == {("on_demand", None): 5.0}
    assert ["for several terms" in str(r) for r in found.rejects] == [True]


def test_a_short_row_is_rejected_and_its_neighbours_survive():
    found = read(together_page([*TOGETHER_GPUS, ("HGX B100", "$5.00", "$4.00", "$3.00")]))
    assert ["cells of its header" in str(r) for r in found.rejects] == [True]
    assert len(found.rows) == 12 + 1  # the hidden copy still says what it costs on demand


@pytest.mark.parametrize("words", [b'id="gpu-clusters"', b"per GPU per hour", b"Hardware"])
def test_without_its_anchors_the_layout_has_changed(words):
    with pytest.raises(LayoutChanged):
        read(together_page().replace(words, b"other"))


def test_a_column_of_unknown_terms_is_not_taken_for_on_demand():
    page = together_page(
        terms=(*TOGETHER_TERMS[:3], "Custom"), gpus=[("HGX H100", "$3.99", "$3", "$3", "$3", "$1")]
    )
    found = read(page)
    assert found.left_out == {"a price column of other terms": 1} and 1.0 not in {r.price for r in found.rows}
