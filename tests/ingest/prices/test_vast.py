"""Vast.ai: medians over machines from two real payloads, worked out here a second way, and nothing of any host."""

from __future__ import annotations

import dataclasses
import io
import json
import re
from collections import defaultdict
from datetime import UTC, datetime
from statistics import median

import pytest

from ingest.core.errors import PayloadRejected
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


class TestTheRealPayloads:
    @pytest.fixture(params=ARCHIVES)
    def payload(self, request, price_data):
        return (price_data / "vast" / request.param).read_bytes()

    def test_medians_worked_out_a_second_way(self, payload):
        document = json.loads(payload)
        lists = (
            document["offers_by_model"].values() if "offers_by_model" in document else [document["offers"]]
        )
        asks = defaultdict(lambda: defaultdict(list))
        for offer in (o for offers in lists for o in offers):
            group = (offer["gpu_name"], offer["gpu_ram"] // 6000, offer["hosting_type"])
            asks[group][offer["machine_id"]].append(offer["dph_total"] / offer["num_gpus"])
        # one 4090 says 23028 MB, the others 24564: one class
        for hosting in (0, 1):
            asks["RTX 4090", 4, hosting] |= asks.pop(("RTX 4090", 3, hosting), {})
        expected = sorted(
            (len(of), round(median(min(slices) for slices in of.values()), 9)) for of in asks.values() if of
        )
        parsed = parse([("", io.BytesIO(payload))], key="bundles")
        assert sorted((row.n_observed, round(row.price, 9)) for row in parsed.rows) == expected
        assert parsed.records_in == len(parsed.rows) + parsed.merged and parsed.rejects == []

    def test_every_row_goes_back_to_the_offers_in_the_middle(self, payload):
        document = json.loads(payload)
        for row in parse([("", io.BytesIO(payload))], key="bundles").rows:
            found = []
            for at in row.record.split(" and "):
                model, index = re.fullmatch(r"offers(?:_by_model\['(.+)'\])?\[(\d+)\]", at).groups()
                found.append(
                    (document["offers_by_model"][model] if model else document["offers"])[int(index)]
                )
            assert sum(o["dph_total"] / o["num_gpus"] for o in found) / len(found) == pytest.approx(row.price)
            assert row.price_published.startswith(str(found[0]["dph_total"]))
            assert row.price_min <= row.price <= row.price_max

    def test_nothing_of_a_host_is_left(self, payload):
        document = json.loads(payload)
        lists = (
            document["offers_by_model"].values() if "offers_by_model" in document else [document["offers"]]
        )
        parsed = parse([("", io.BytesIO(payload))], key="bundles")
        output = json.dumps([dataclasses.asdict(row) for row in parsed.rows], default=str)
        output += " ".join(map(str, [*parsed.rejects, *parsed.remarks])) + json.dumps(parsed.left_out)
        words = set(re.findall(r"[\w.]+", output))
        for offer in (o for offers in lists for o in offers):
            assert offer["public_ipaddr"] not in output
            assert not words & {
                str(offer[f]) for f in ("host_id", "machine_id", "id", "ask_contract_id", "bundle_id")
            }

    def test_the_archive_says_when_and_which_answers_were_cut_off(self, price_data):
        payload = (price_data / "vast" / ARCHIVES[0]).read_bytes()
        parsed = parse([("", io.BytesIO(payload))], key="bundles")
        assert {row.observed_at for row in parsed.rows} == {datetime(2026, 3, 6, 15, 0, 18, 25854, UTC)}
        assert [r.record for r in parsed.remarks] == [
            "offers_by_model['RTX 4090']",
            "offers_by_model['Tesla V100']",
        ]
        rows = {(row.instance_type, row.variant): row for row in parsed.rows}
        assert rows["H100 SXM", "datacenter"].n_observed == 3
        assert rows["A100 PCIE 40960", "community"].n_observed == 2
        assert rows["A100 PCIE 81920", "community"].n_observed == 19
        # four modified cards of 49140 MB are not 4090s
        assert rows["RTX 4090 49140", "community"].n_observed == 4
        assert rows["RTX 4090", "community"].accelerator_memory_gb == 24.0


class TestTheMedian:
    def test_slices_of_a_machine_count_once_by_their_cheapest(self):
        slices = [OFFER | {"num_gpus": n, "dph_total": p} for n, p in ((1, 2.1), (2, 4.1), (8, 16.0))]
        parsed = read(
            *slices, OFFER | {"machine_id": 7, "dph_total": 24.0}, OFFER | {"machine_id": 8, "dph_total": 32}
        )
        (row,) = parsed.rows
        assert (row.price, row.n_observed, row.price_min, row.price_max) == (3.0, 3, 2.0, 4.0)
        assert (row.record, row.price_published) == ("offers[3]", "24.0 for 8 GPUs")
        assert (parsed.records_in, parsed.merged) == (5, 4)

    def test_two_in_the_middle_are_both_named(self):
        (row,) = read(*machines(4.0, 1.0, 2.0, 3.0)).rows
        assert (row.price, row.record) == (2.5, "offers[2] and offers[3]")
        assert row.price_published == "2.0 for 1 GPU and 3.0 for 1 GPU"

    def test_the_row_in_full(self):
        (row,) = read(OFFER, member="h100-sxm.json").rows
        assert (row.instance_type, row.pricing_model, row.variant) == ("H100 SXM", "marketplace", "community")
        assert (row.price, row.price_unit, row.accelerator_count) == (2.0, "accelerator_hour", None)
        assert (row.member, row.record, row.is_available) == ("h100-sxm.json", "offers[0]", True)

    def test_an_implausible_ask_is_out_of_the_median_unless_there_is_no_other(self):
        parsed = read(*machines(2.0, 4.0, 0.0001, 900.0))
        assert [(r.price, r.n_observed) for r in parsed.rows] == [(3.0, 2)]
        assert [r.record for r in parsed.rejects] == ["offers[2]", "offers[3]"] and parsed.is_balanced
        assert [r.price for r in read(*machines(900.0)).rows] == [900.0]

    def test_hosting_and_memory_make_rows_of_their_own(self):
        offers = [
            OFFER | {"machine_id": i, "gpu_name": name, "gpu_ram": ram, "hosting_type": hosting}
            for i, (name, ram, hosting) in enumerate(
                [("A100 SXM4", 40960, 0), ("A100 SXM4", 81920, 0), ("A100_SXM4", 81251, 0), ("A100 SXM4", 81920, 1),
                 ("RTX 4090", 24564, 0), ("RTX 4090", 23028, 0), ("RTX 4090", 49140, 0), ("Imaginary 9", 1000, 0)]
            )
        ]  # fmt: skip
        assert {(r.instance_type, r.variant): r.n_observed for r in read(*offers).rows} == {
            ("A100 SXM4 40960", "community"): 1, ("A100 SXM4 81920", "community"): 2,
            ("A100 SXM4 81920", "datacenter"): 1, ("RTX 4090", "community"): 2, ("RTX 4090 49140", "community"): 1,
            ("Imaginary 9 1000", "community"): 1,
        }  # fmt: skip

    def test_dph_total_with_its_disk_is_the_price_and_min_bid_never(self):
        (row,) = read(OFFER | {"dph_base": 8.0}).rows
        assert (row.price, row.price_min) == (2.0, 2.0)


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
    assert (parsed.rows, parsed.rejects, parsed.left_out) == ([], [], {reason: 1})


class TestASuspiciousNumber:
    @pytest.mark.parametrize(("n", "remarks"), [(63, 0), (64, 1), (65, 0), (300, 1), (0, 0)])
    def test_is_reported(self, n, remarks):
        parsed = read(*machines(*[1.0 + i / 1000 for i in range(n)]))
        assert len(parsed.remarks) == remarks
        assert sum(row.n_observed for row in parsed.rows) == n
        assert all(f"exactly {n} offers" in str(r) for r in parsed.remarks)

    def test_an_answer_at_the_limit_is_the_cheap_part_of_the_market_and_gives_no_median(self):
        parsed = read(*machines(*[1.0] * LIMIT))
        assert parsed.rows == [] and len(parsed.remarks) == 1 and parsed.is_balanced
        assert sum(parsed.left_out.values()) == LIMIT


class TestTheEnvelope:
    @pytest.mark.parametrize(
        "document",
        [
            {"offers_by_model": [], "collected_utc": "2026-03-06T15:00:18+00:00"},
            {"offers_by_model": {"H200": {}}, "collected_utc": "2026-03-06T15:00:18+00:00"},
            {"offers_by_model": {"H200": []}}, {"offers_by_model": {"H200": []}, "collected_utc": "2026-03-06"},
        ],
    )  # fmt: skip
    def test_what_is_no_answer_is_rejected_whole(self, document):
        with pytest.raises(PayloadRejected):
            parse([("", io.BytesIO(json.dumps(document).encode()))], key="bundles")

    def test_an_error_is_reported(self):
        with pytest.raises(PayloadRejected, match=r"too_many.*slow down"):
            payload = json.dumps({"success": False, "error": "too_many", "msg": "slow down"}).encode()
            parse([("", io.BytesIO(payload))], key="bundles")


class TestThePlan:
    def test_one_query_a_gpu_name_each_with_a_limit(self):
        (fetch,) = plan({})
        request, asked, answer = fetch.first, [], json.dumps({"offers": []}).encode()
        while request is not None:
            asked.append(request)
            request = fetch.follow(request, answer)
        assert [r.json["gpu_name"]["eq"] for r in asked] == list(GPU_NAMES) and len(
            asked
        ) == fetch.max_requests
        assert len({r.member for r in asked}) == len(asked) and all(r.json["limit"] == LIMIT for r in asked)
        assert asked[0].json["order"] == [["dph_total", "asc"]] and asked[0].headers == {}
        # the name without the 4 finds nothing
        assert "A100 SXM" not in GPU_NAMES and "A100 SXM4" in GPU_NAMES

    def test_answers_of_several_queries_are_one_payload(self):
        a = json.dumps({"offers": [OFFER]}).encode()
        b = json.dumps({"offers": [OFFER | {"gpu_name": "H200", "gpu_ram": 143771}]}).encode()
        parsed = parse([("h100-sxm.json", io.BytesIO(a)), ("h200.json", io.BytesIO(b))], key="bundles")
        assert [(r.member, r.instance_type) for r in parsed.rows] == [
            ("h100-sxm.json", "H100 SXM"), ("h200.json", "H200"),
        ]  # fmt: skip
