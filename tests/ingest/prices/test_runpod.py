"""RunPod: the real answer of 2026-07-18, and every way a price in it can be none."""

from __future__ import annotations

import io
import json

import pytest

from ingest.core.errors import PayloadRejected
from ingest.prices.runpod import QUERY, parse, plan

NOTHING = {"minimumBidPrice": None, "uninterruptablePrice": None, "stockStatus": None}
H100 = {
    "id": "NVIDIA H100 80GB HBM3", "displayName": "H100 SXM", "memoryInGb": 80, "secureCloud": True,
    "communityCloud": True, "securePrice": 2.99, "communityPrice": 2.69, "maxGpuCount": 8, "lowestPrice": NOTHING,
}  # fmt: skip


def read(*gpus, **more):
    document = {"data": {"gpuTypes": list(gpus)}} | more
    return parse([("", io.BytesIO(json.dumps(document).encode()))], key="gpu-types")


class TestTheRealAnswer:
    @pytest.fixture
    def payload(self, price_data):
        return (price_data / "runpod" / "gpu_types.json").read_bytes()

    @pytest.fixture
    def parsed(self, payload):
        return parse([("", io.BytesIO(payload))], key="gpu-types")

    def test_the_rows_are_the_prices_of_true_flags(self, payload, parsed):
        expected = {
            (gpu["id"], cloud): gpu[f"{cloud}Price"]
            for gpu in json.loads(payload)["data"]["gpuTypes"]
            for cloud in ("secure", "community")
            if gpu[f"{cloud}Cloud"]
        }
        assert {(row.instance_type, row.variant): row.price for row in parsed.rows} == expected
        assert len(expected) == 66 and all(price > 0 for price in expected.values())

    def test_prices_are_per_gpu(self, parsed):
        prices = {(row.instance_type, row.variant): row for row in parsed.rows}
        secure, community = (prices["NVIDIA H100 80GB HBM3", cloud] for cloud in ("secure", "community"))
        assert (secure.price, secure.pricing_model, community.price, community.pricing_model) == (
            2.99, "on_demand", 2.69, "marketplace",
        )  # fmt: skip
        assert {(row.price_unit, row.accelerator_count, row.region) for row in parsed.rows} == {
            ("accelerator_hour", 1.0, None)
        }
        assert prices["NVIDIA B300 SXM6 AC", "secure"].accelerator_memory_gb == 288  # as RunPod says

    def test_stock_of_eight_makes_the_price_available(self, parsed):
        available = {(row.instance_type, row.variant) for row in parsed.rows if row.is_available}
        # 21.52 = 8 × 2.69, 28.72 = 8 × 3.59, 5.52 = 8 × 0.69, 13.52 = 8 × 1.69, 11.12 = 8 × 1.39
        assert available == {
            ("NVIDIA H100 80GB HBM3", "community"), ("NVIDIA H200", "community"), ("NVIDIA GeForce RTX 5090", "community"),
            ("NVIDIA RTX PRO 6000 Blackwell Server Edition", "community"), ("NVIDIA A100-SXM4-80GB", "community"),
        }  # fmt: skip
        assert not any(row.is_available is False for row in parsed.rows)

    def test_everything_else_is_accounted_for(self, parsed):
        assert parsed.records_in == 2 * 49 + 2 + 5
        assert parsed.left_out == {
            "not in the community cloud": 9, "not in the secure cloud": 17, "floor for bids": 2,
            "a list price again, times eight": 5, "no GPU: RunPod's row named unknown": 2,
        }  # fmt: skip
        assert len(parsed.rejects) == 4 and all(
            "fraction of an accelerator" in str(r) for r in parsed.rejects
        )
        assert parsed.remarks == [] and parsed.is_balanced

    def test_every_row_goes_back_to_its_record(self, payload, parsed):
        gpus = json.loads(payload)["data"]["gpuTypes"]
        for row in parsed.rows:
            index, field = row.record.removeprefix("gpuTypes[").split("].")
            assert str(gpus[int(index)][field]) == row.price_published


def lowest(**more):
    return {
        "lowestPrice": {"minimumBidPrice": 1.0, "uninterruptablePrice": 21.52, "stockStatus": "High"} | more
    }


@pytest.mark.parametrize(
    ("change", "prices", "left_out", "remark"),
    [
        # the placeholder of a cloud it is not in, and a half dollar that may be true
        ({"communityCloud": False, "communityPrice": 0.5}, {2.99}, {"not in the community cloud": 1}, ""),
        ({"communityPrice": 0.5}, {2.99, 0.5}, {}, "placeholder"),
        # neither bid floor nor the price of eight is an offer
        (lowest(), {2.99, 2.69}, {"floor for bids": 1, "a list price again, times eight": 1}, ""),
        (lowest(minimumBidPrice=None, uninterruptablePrice=2.69), {2.99, 2.69}, {"a list price again, times eight": 1}, "neither list price"),
    ],
)  # fmt: skip
def test_a_price_that_may_be_none(change, prices, left_out, remark):
    parsed = read(H100 | change)
    assert ({row.price for row in parsed.rows}, parsed.left_out, parsed.rejects) == (prices, left_out, [])
    assert [remark in str(r) for r in parsed.remarks] == ([True] if remark else [])


@pytest.mark.parametrize(
    "more",
    [
        {"errors": [{"message": "Unauthorized"}], "data": None},
        {"errors": [{"message": "Unauthorized"}]},  # beside a part of the types
    ],
)
def test_an_answer_with_errors_is_refused(more):
    with pytest.raises(PayloadRejected, match=r"Unauthorized.*RUNPOD_API_KEY"):
        read(H100, **more)


def test_the_plan_is_one_query_without_a_key():
    (fetch,) = plan({})
    assert fetch.first.json == {"query": QUERY} and fetch.first.headers == {}
    assert "gpuCount: 8" in QUERY and QUERY.count("{") == QUERY.count("}")
