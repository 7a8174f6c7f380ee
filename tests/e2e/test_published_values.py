"""Values printed in published texts: each compared with ours, with a cause, and some computed a second way."""

import csv
import math
from pathlib import Path

import pytest

SEEDS = Path(__file__).resolve().parents[2] / "dbt_project" / "seeds"


@pytest.fixture
def values(warehouse):
    cursor = warehouse.execute("select * from mart_published_values")
    names = [column[0] for column in cursor.description]
    return {row[0]: dict(zip(names, row, strict=True)) for row in cursor.fetchall()}


def seed(name):
    with (SEEDS / f"{name}.csv").open(encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


def test_every_printed_value_has_a_row_and_a_status(values):
    assert values.keys() == {row["value_id"] for row in seed("published_values")}
    assert {row["document"] for row in values.values()} == {
        row["document"] for row in seed("published_documents")
    }
    for value_id, row in values.items():
        assert row["cause"] != "unexplained", value_id
        if row["status"] in ("cannot be checked", "not quantitative", "not reproduced"):
            assert row["cause_note"], value_id
        if row["status"] in ("reproduced", "consistent", "not reproduced"):
            assert row["ours"] is not None or row["ours_text"], value_id
        if row["difference_pct"] is not None:
            assert row["difference_pct"] == pytest.approx((row["ours"] / row["printed_value"] - 1) * 100)
        # one witness has no range
        assert (row["ours_low"] is None) == (row["ours_high"] is None), value_id
        assert row["ours_low"] is not None or "of the inputs" not in row["uncertainty_basis"], value_id


# by hand, from data sheets and the texts: entity, metric → ours, status
BY_HAND = {
    ("GCP a3-mega H100", "price below the average for equal performance per dollar"): (10, "consistent"),
    ("H100 mass deployment", "months before April 2025"): (12 + 15, "not reproduced"),
    ("US household", "average power"): (10791 / 8.76, "reproduced"),
    ("GPT-3 175B", "hidden size of a part at TP=8"): (1536, "reproduced"),
    ("GB200 NVL72 against DGX H100", "pooling"): (72 / 8, "reproduced"),
    ("GB200", "gap: MLPerf results with measured power"): (0, "reproduced"),
    ("GPT-4", "cost"): (25_000 * 15_000 / 0.7 / 1e6, "consistent"),
    ("GPT-4", "traffic between accelerators"): (2.5 * 90 * 86.4 / 1e3, "consistent"),
    ("GPT-4", "laptops that hold the data, before rounding"): (26_000 / 256, "not reproduced"),
    ("GPT-4", "PlayStation 5 of three months, before rounding"): (2e25 / 10.28e12 / 7_776_000, "consistent"),
    ("H100 node", "non-accelerator components, share of cost"): ((1 - 195_000 / 227_010) * 100, "consistent"),
    ("ML supercomputer", "share of other hardware"): ((1 - 195_000 / 283_762.5) * 100, "consistent"),
    ("NVIDIA GPUs", "price ÷ cost to make"): (1 / (1 - 0.8), "consistent"),
    ("H100 against RTX 4090", "cost to make, over"): (0.2 * 24_000 / (1_599 * 0.6), "consistent"),
    ("nvidia-h100-sxm-80gb", "cost per TFLOP/s at the price of the discussion"): (
        12.128,
        "cannot be checked",
    ),
    ("nvidia-a100-sxm-80gb", "int8_sparse_tops"): (2 * 624, "reproduced"),
    ("nvidia-p100-pcie-16gb", "memory_bandwidth"): (732, "not reproduced"),
    ("NVLink 3.0", "bandwidth of both directions"): (600, "not reproduced"),
    ("NVLink 5.0", "bandwidth of one direction"): (1800 / 18 / 2, "not reproduced"),
    ("NVLink 4.0 against PCIe 4.0 x16", "bandwidth, more than"): (900 / 64, "reproduced"),
    ("all-reduce of 40 GB among 4 GPUs over PCIe", "time, at least"): (1.5 * 40 / 32, "not reproduced"),
    ("FP8 training", "memory against 16 bits"): (14 / 16, "not reproduced"),
    ("70B", "GPUs of 141 GB that hold it for inference"): (2, "not reproduced"),
    ("mid-size team, 8 x H100", "parameters that can be trained, at least"): (640 / 16, "not reproduced"),
    ("100B", "training memory"): (1600, "not reproduced"),
    ("Lambda 8 x H100 against AWS p5", "price"): ((26.8 / 98.32 - 1) * 100, "consistent"),
}


def test_values_worked_by_hand(values):
    held = {(row["subject"], row["attribute"]): row for row in values.values()}
    for key, (ours, status) in BY_HAND.items():
        assert (held[key]["ours"], held[key]["status"]) == (pytest.approx(ours, rel=1e-3), status), key
    share = held["ML supercomputer", "accelerator share of hardware cost"]
    # 23,750 of 31,250 $ are the server, of which 86 % are accelerators
    assert (share["ours_low"], share["ours_high"]) == (pytest.approx(76 * 0.86), pytest.approx(76))
    assert (share["claim_id"], share["status"]) == ("C044", "reproduced")
    electricity = held["own cluster", "electricity as a share of ownership cost, on a par with hardware"]
    assert electricity["status"] == "not reproduced" and electricity["ours_high"] < 50


def test_printed_rates_of_fourteen_parts_are_compared_with_dense_rates(values):
    """The analysis prints rates with sparsity for most parts, and twice that for pairs of cards."""
    dense = {row["accelerator_id"]: float(row["bf16_dense_tflops"] or 0) for row in seed("accelerator_specs")}
    rows = [
        row
        for row in values.values()
        if row["document"] == "mlperf_analysis_2025-10" and row["attribute"] == "fp16_tflops"
    ]
    assert len({row["subject"] for row in rows}) == 14
    for row in rows:
        assert row["ours"] == dense[row["subject"].removeprefix("virtualised ")]
        times = row["printed_value"] / row["ours"]
        if row["cause"] == "sparse printed as dense":
            assert round(times) in (2, 4, 5), row["subject"]
        else:
            assert times < 1.2, row["subject"]
    assert sum(row["cause"] == "sparse printed as dense" for row in rows) == 10


def test_printed_rents_are_compared_with_prices_of_the_same_day(values, warehouse):
    """98.32 $ was the price of eight H100 at AWS until 2025-06; on the day of the guide it was 55.04."""
    row = values["V142"]
    assert (row["value_printed"], row["ours"], row["days_apart"]) == ("98.32", pytest.approx(55.04), 0)
    assert row["cause"] == "another day" and row["ours_high"] == pytest.approx(98.32)
    in_force = warehouse.execute(
        """
        select distinct round(usd_per_instance_hour, 2) from fct_price_interval
        where provider = 'aws' and instance_type = 'p5.48xlarge' and pricing_model = 'on_demand' and country = 'US'
            and is_comparable and valid_from::date <= date '2026-03-17'
            and coalesce(valid_to, last_seen_at)::date >= date '2026-03-17'
        """
    ).fetchall()
    assert in_force == [(55.04,)]


def test_printed_purchase_prices_are_compared_with_the_nearest_price_level(values, warehouse):
    nearest = warehouse.execute(
        """
        select usd from mart_hardware_price
        where kind = 'purchase' and accelerator_id = 'nvidia-a100-sxm-80gb'
        order by abs(date_diff('day', seen_on, date '2023-08-31')) limit 1
        """
    ).fetchone()
    assert (values["V048"]["ours"],) == nearest
    # their own price per rate follows from their own price
    assert values["V052"]["ours"] == pytest.approx(15_000 / 312) and values["V052"]["status"] == "consistent"


def test_memory_and_training_time_of_the_guide_are_recomputed(values):
    """8e9 parameters, 100e9 tokens of 6·P + 12·L·d·s FLOPs, eight A100 at half of 312 TFLOP/s: 56.5 days, not 7 to 10."""
    flops = 100e9 * (6 * 8e9 + 12 * 32 * 4096 * 8192)
    days = flops / (8 * 0.5 * 312e12) / 86400
    assert round(days, 1) == 56.5
    assert values["V156"]["ours"] == values["V157"]["ours"] == pytest.approx(days)
    assert values["V158"]["ours"] == pytest.approx(days * 24 * values["V141"]["ours"])
    for value_id, parameters in (
        ("V163", 7e9),
        ("V166", 13e9),
        ("V169", 70e9),
        ("V172", 405e9),
        ("V175", 1e12),
    ):
        number = int(value_id[1:])
        assert values[value_id]["ours"] == pytest.approx(parameters * 2 / 1e9)
        assert values[value_id]["cause"] == "agrees"
        assert values[f"V{number + 1}"]["ours"] == pytest.approx(parameters * 16 / 1e9)
        assert values[f"V{number + 2}"]["ours"] == math.ceil(parameters * 16 / 80e9)


def test_shares_follow_from_the_projection_printed_beside_them(values):
    whole = 416.45 + 89.31 + 38.75
    assert values["V042"]["ours"] == pytest.approx(100 * 416.45 / whole)
    assert values["V043"]["ours"] == pytest.approx(100 * 89.31 / whole)
    assert values["V042"]["basis"] == "their own cells"
    # 23,750 and 6,250 of 31,250 $ of an H100: server, of which 86 % are accelerators, and network
    assert values["V045"]["ours_high"] == pytest.approx(76)
    assert values["V045"]["ours_low"] == pytest.approx(76 * 0.86)
    # what our network capital is estimated with cannot be checked by it
    assert values["V046"]["status"] == "cannot be checked"


def test_parts_without_bf16_have_a_dense_fp16_rate(warehouse):
    rates = dict(
        warehouse.execute(
            "select accelerator_id, fp16_dense_tflops from dim_accelerator where fp16_dense_tflops is not null"
        ).fetchall()
    )
    assert rates["nvidia-v100-sxm2-32gb"] == 125 and rates["nvidia-t4"] == 65
    # without tensor cores: the vector rate, twice FP32
    assert rates["nvidia-p100-pcie-16gb"] == 18.7
    both = "select count(*) from dim_accelerator where fp16_dense_tflops is not null and bf16_dense_tflops is not null"
    assert warehouse.execute(both).fetchone() == (0,)
