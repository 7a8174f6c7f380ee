"""Vast.ai: medians over machines from two real payloads, worked out here a second way, and nothing of any host."""

from __future__ import annotations

import io
import json
from collections import defaultdict
from datetime import UTC, datetime
from statistics import median

import pytest

from ingest.prices.vast import GPU_NAMES, LIMIT, parse, plan

OFFER = {
    "id": 700001, "gpu_name": "H100 SXM", "gpu_ram": 81559, "num_gpus": 8, "dph_total": 16.0, "hosting_type": 0,
    "machine_id": 9001, "host_id": 424242, "public_ipaddr": "192.0.2.77", "rentable": True, "rented": False,
    "is_bid": False, "resource_type": "gpu", "min_bid": 0.01, "dph_base": 15.9, "geolocation": "France, FR",
    "hostname": "rig.example",
}  # fmt: skip
ARCHIVES = ("bundles_2026-03-06.json", "bundles_fixture_2026-07-18.json")


def read(*offers, member=""):
    return parse([(member, io.BytesIO(json.dumps({"offers": list(offers)}).encode()))], key="bundles")


def machines(*prices, **more):
    return [OFFER | {"machine_id": i, "num_gpus": 1, "dph_total": p} | more for i, p in enumerate(prices)]


@pytest.fixture(params=ARCHIVES)
def payload(request, price_data):
    return (price_data / "vast" / request.param).read_bytes()


def offers_of(payload):
    """Every offer by its place in the payload, read a second way."""
    document = json.loads(payload)
    lists = document.get("offers_by_model") or {None: document["offers"]}
    return {
        f"offers_by_model[{model!r}][{i}]" if model else f"offers[{i}]": offer
        for model, offers in lists.items()
        for i, offer in enumerate(offers)
    }


def test_medians_of_the_real_payloads_worked_out_a_second_way(payload):
    offers = offers_of(payload)
    asks = defaultdict(lambda: defaultdict(list))
    for offer in offers.values():
        # one 4090 says 23028 MB, the others 24564: one class
        memory = (
            4 if offer["gpu_name"] == "RTX 4090" and offer["gpu_ram"] < 25000 else offer["gpu_ram"] // 6000
        )
        group = (offer["gpu_name"], memory, offer["hosting_type"])
        asks[group][offer["machine_id"]].append(offer["dph_total"] / offer["num_gpus"])
    expected = sorted(
        (len(of), round(median(min(slices) for slices in of.values()), 9)) for of in asks.values()
    )
    parsed = parse([("", io.BytesIO(payload))], key="bundles")
    assert sorted((row.n_observed, round(row.price, 9)) for row in parsed.rows) == expected
    assert parsed.records_in == len(parsed.rows) + parsed.merged and parsed.rejects == []
    for row in parsed.rows:  # each goes back to the offers in the middle
        found = [offers[at] for at in row.record.split(" and ")]
        assert sum(o["dph_total"] / o["num_gpus"] for o in found) / len(found) == pytest.approx(row.price)
        assert row.price_published.startswith(str(found[0]["dph_total"]))
        assert row.price_min <= row.price <= row.price_max


def test_the_archive_says_when_and_which_answers_were_cut_off(price_data):
    payload = (price_data / "vast" / ARCHIVES[0]).read_bytes()
    parsed = parse([("", io.BytesIO(payload))], key="bundles")
    assert {row.observed_at for row in parsed.rows} == {datetime(2026, 3, 6, 15, 0, 18, 25854, UTC)}
    assert [r.record for r in parsed.warnings] == [
        "offers_by_model['RTX 4090']",
        "offers_by_model['Tesla V100']",
    ]
    rows = {(row.instance_type, row.variant): row.n_observed for row in parsed.rows}
    # four modified cards of 49140 MB are not 4090s
    assert (rows["H100 SXM", "datacenter"], rows["RTX 4090 49140", "community"]) == (3, 4)
    assert (rows["A100 PCIE 40960", "community"], rows["A100 PCIE 81920", "community"]) == (2, 19)


def test_slices_of_a_machine_count_once_by_their_cheapest():
    slices = [OFFER | {"num_gpus": n, "dph_total": p} for n, p in ((1, 2.1), (2, 4.1), (8, 16.0))]
    parsed = read(
        *slices, OFFER | {"machine_id": 7, "dph_total": 24.0}, OFFER | {"machine_id": 8, "dph_total": 32}
    )
    (row,) = parsed.rows
    assert (row.price, row.n_observed, row.price_min, row.price_max) == (3.0, 3, 2.0, 4.0)
    assert (row.record, row.price_published) == ("offers[3]", "24.0 for 8 GPUs")
    assert (parsed.records_in, parsed.merged) == (5, 4)
    (row,) = read(*machines(4.0, 1.0, 2.0, 3.0)).rows  # two in the middle are both named
    assert (row.price, row.record) == (2.5, "offers[2] and offers[3]")
    assert row.price_published == "2.0 for 1 GPU and 3.0 for 1 GPU"


def test_the_price_is_dph_total_with_its_disk_and_min_bid_never():
    (row,) = read(OFFER | {"dph_base": 8.0}, member="h100-sxm.json").rows
    assert (row.instance_type, row.pricing_model, row.variant) == ("H100 SXM", "marketplace", "community")
    assert (row.price, row.price_min, row.price_unit) == (2.0, 2.0, "accelerator_hour")
    assert (row.accelerator_count, row.is_available, row.member) == (None, True, "h100-sxm.json")


def test_an_implausible_ask_is_out_of_the_median_unless_there_is_no_other():
    parsed = read(*machines(2.0, 4.0, 0.0001, 900.0))
    assert [(r.price, r.n_observed) for r in parsed.rows] == [(3.0, 2)]
    assert [r.record for r in parsed.rejects] == ["offers[2]", "offers[3]"] and parsed.is_balanced
    assert [r.price for r in read(*machines(900.0)).rows] == [900.0]


def test_one_part_under_two_names_and_memories_is_one_row():
    offers = [("A100 SXM4", 81920), ("A100_SXM4", 81251), ("A100 SXM4", 40960), ("Imaginary 9", 1000)]
    parsed = read(
        *(OFFER | {"machine_id": i, "gpu_name": n, "gpu_ram": m} for i, (n, m) in enumerate(offers))
    )
    assert {r.instance_type: r.n_observed for r in parsed.rows} == {
        "A100 SXM4 81920": 2,
        "A100 SXM4 40960": 1,
        "Imaginary 9 1000": 1,
    }


@pytest.mark.parametrize("change", [{"dph_total": "x"}, {"hosting_type": 2}, {"machine_id": [1]}])
def test_a_bad_offer_is_named_without_a_word_of_its_host(change):
    parsed = read(OFFER | {"machine_id": 1, "dph_total": 8.0}, OFFER | change)
    (reject,) = parsed.rejects
    assert reject.record == "offers[1]" and [row.price for row in parsed.rows] == [1.0]
    for personal in ("192.0.2.77", "424242", "9001", "700001", "rig.example"):
        assert personal not in str(reject)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"rented": True}, "rented: not to be had"),
        ({"rentable": False}, "rented: not to be had"),
        ({"is_bid": True}, "a bid, not an offer on demand"),
        ({"resource_type": "cpu"}, "no GPU"),
    ],
)
def test_offers_out_of_scope(change, reason):
    parsed = read(OFFER | change)
    assert (parsed.rows, parsed.rejects, parsed.exclusions) == ([], [], {reason: 1})


@pytest.mark.parametrize(("n", "warnings"), [(63, 0), (64, 1), (65, 0), (300, 1)])
def test_a_number_of_offers_that_a_limit_may_have_made_is_warned_of(n, warnings):
    parsed = read(*machines(*[1.0 + i / 1000 for i in range(n)]))
    assert len(parsed.warnings) == warnings
    assert sum(row.n_observed for row in parsed.rows) == n


def test_an_answer_at_the_limit_is_the_cheap_part_of_the_market_and_gives_no_median():
    parsed = read(*machines(*[1.0] * LIMIT))
    assert parsed.rows == [] and len(parsed.warnings) == 1 and parsed.is_balanced
    assert sum(parsed.exclusions.values()) == LIMIT


def test_one_query_a_gpu_name_each_with_a_limit():
    (fetch,) = plan({})
    request, asked = fetch.first, []
    while request is not None:
        asked.append(request)
        request = fetch.follow(request, b'{"offers": []}')
    assert [r.json["gpu_name"]["eq"] for r in asked] == list(GPU_NAMES)
    assert len({r.member for r in asked}) == len(asked) == fetch.max_requests
    assert {r.json["limit"] for r in asked} == {LIMIT}
    # the name without the 4 finds nothing
    assert "A100 SXM" not in GPU_NAMES and "A100 SXM4" in GPU_NAMES
