"""RunPod: the real answer of 2026-07-18, and every way a price in it can be none."""

from __future__ import annotations

import io
import json

import pytest

from ingest.core.errors import PayloadRejected
from ingest.prices.runpod import parse

NOTHING = {"minimumBidPrice": None, "uninterruptablePrice": None, "stockStatus": None}
H100 = {
    "id": "NVIDIA H100 80GB HBM3", "displayName": "H100 SXM", "memoryInGb": 80, "secureCloud": True,
    "communityCloud": True, "securePrice": 2.99, "communityPrice": 2.69, "maxGpuCount": 8, "lowestPrice": NOTHING,
}  # fmt: skip


def read(*gpus, **more):
    document = {"data": {"gpuTypes": list(gpus)}} | more
    return parse([("", io.BytesIO(json.dumps(document).encode()))], key="gpu-types")


@pytest.fixture
def payload(price_data):
    return (price_data / "runpod" / "gpu_types.json").read_bytes()


def test_the_rows_of_the_real_answer_are_the_prices_of_true_flags_per_gpu(payload):
    parsed = parse([("", io.BytesIO(payload))], key="gpu-types")
    gpus = json.loads(payload)["data"]["gpuTypes"]
    expected = {
        (f"gpuTypes[{i}].{cloud}Price", gpu["id"], cloud, str(gpu[f"{cloud}Price"]))
        for i, gpu in enumerate(gpus)
        for cloud in ("secure", "community")
        if gpu[f"{cloud}Cloud"]
    }
    assert {(r.record, r.instance_type, r.variant, r.price_published) for r in parsed.rows} == expected
    assert len(expected) == 66 and all(float(r.price_published) == r.price for r in parsed.rows)
    assert {
        (r.variant, r.pricing_model, r.price_unit, r.accelerator_count, r.region) for r in parsed.rows
    } == {
        ("secure", "on_demand", "accelerator_hour", 1.0, None),
        ("community", "marketplace", "accelerator_hour", 1.0, None),
    }
    memory = {row.instance_type: row.accelerator_memory_gb for row in parsed.rows}
    assert memory["NVIDIA B300 SXM6 AC"] == 288  # as RunPod says
    # 21.52 = 8 × 2.69, 28.72 = 8 × 3.59, 5.52 = 8 × 0.69, 13.52 = 8 × 1.69, 11.12 = 8 × 1.39
    assert {(row.instance_type, row.variant) for row in parsed.rows if row.is_available} == {
        ("NVIDIA H100 80GB HBM3", "community"),
        ("NVIDIA H200", "community"),
        ("NVIDIA GeForce RTX 5090", "community"),
        ("NVIDIA RTX PRO 6000 Blackwell Server Edition", "community"),
        ("NVIDIA A100-SXM4-80GB", "community"),
    }
    assert not any(row.is_available is False for row in parsed.rows)
    assert parsed.records_in == 2 * 49 + 2 + 5 and parsed.is_balanced
    assert parsed.exclusions == {
        "not in the community cloud": 9,
        "not in the secure cloud": 17,
        "floor for bids": 2,
        "a list price again, times eight": 5,
        "no GPU: RunPod's row named unknown": 2,
        "a fraction of an accelerator": 4,
    }
    assert not parsed.rejects


@pytest.mark.parametrize(
    "gpu",
    [
        # the pairs of names and prices of 2026-07-18, in a cloud that has them
        {
            "id": "NVIDIA RTX PRO 6000 Blackwell Server Edition MIG 1g.24gb",
            "securePrice": 0.49,
            "memoryInGb": 24,
        },
        {"id": "NVIDIA H200", "displayName": "H200 MIG 1g.18gb", "memoryInGb": 18},
        {"id": "unknown", "displayName": "unknown", "memoryInGb": 0},
        {"id": "Unknown", "securePrice": 0, "communityPrice": 0.5},
    ],
)
def test_a_slice_and_the_row_named_unknown_are_out_of_scope(gpu):
    parsed = read(H100, H100 | gpu)
    assert {row.instance_type for row in parsed.rows} == {"NVIDIA H100 80GB HBM3"}
    assert sum(parsed.exclusions.values()) == 2 and not parsed.rejects


def lowest(**more):
    return {
        "lowestPrice": {"minimumBidPrice": 1.0, "uninterruptablePrice": 21.52, "stockStatus": "High"} | more
    }


@pytest.mark.parametrize(
    ("change", "prices", "out_of_scope", "warning"),
    [
        # the placeholder of a cloud it is not in, and a half dollar that may be true
        ({"communityCloud": False, "communityPrice": 0.5}, {2.99}, {"not in the community cloud": 1}, ""),
        ({"communityPrice": 0.5}, {2.99, 0.5}, {}, "placeholder"),
        # neither bid floor nor the price of eight is an offer
        (lowest(), {2.99, 2.69}, {"floor for bids": 1, "a list price again, times eight": 1}, ""),
        (lowest(minimumBidPrice=None, uninterruptablePrice=2.69), {2.99, 2.69}, {"a list price again, times eight": 1}, "neither list price"),
    ],
)  # fmt: skip
def test_a_price_that_may_be_none(change, prices, out_of_scope, warning):
    parsed = read(H100 | change)
    assert ({row.price for row in parsed.rows}, parsed.exclusions, parsed.rejects) == (
        prices,
        out_of_scope,
        [],
    )
    assert [warning in str(r) for r in parsed.warnings] == ([True] if warning else [])


@pytest.mark.parametrize("data", [{"data": None}, {}])  # nothing, or a part of the types beside it
def test_an_answer_with_errors_is_refused(data):
    with pytest.raises(PayloadRejected, match=r"Unauthorized.*RUNPOD_API_KEY"):
        read(H100, errors=[{"message": "Unauthorized"}], **data)
