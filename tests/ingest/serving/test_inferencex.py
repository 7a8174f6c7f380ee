"""InferenceX: all points of two real answers, denominators of one and two pools, and the switch."""

import io
import json
from pathlib import Path

import pytest
from source_samples import METRICS, TWO_POOLS

from ingest.serving.inferencex import SOURCE

DATA = Path(__file__).resolve().parents[4] / "shared" / "data" / "serving"
POINTS = {"benchmarks": 435, "history": 1462}
ONE_POOL = TWO_POOLS | {
    "disagg": False, "num_prefill_gpu": 8, "num_decode_gpu": 8, "decode_tp": 8, "decode_ep": 1,
    "conc": 8, "metrics": METRICS | {"output_tput_per_gpu": 40.0},
}  # fmt: skip


def parsed(*runs):
    return SOURCE.rows([("benchmarks.json", io.BytesIO(json.dumps(list(runs)).encode()))], key="m")


def real(name):
    path = DATA / f"inferencex_{name}_2026-06.json"
    if not path.is_file():
        pytest.skip(f"the real answers are not there ({DATA})")
    with path.open("rb") as file:
        return SOURCE.rows([(path.name, file)], key="m"), json.loads(path.read_bytes())


@pytest.mark.parametrize(("name", "points"), POINTS.items())
def test_every_point_is_a_row_or_a_reject(name, points):
    result, runs = real(name)
    assert result.records_in == len(runs) == points
    without_output = [i for i, run in enumerate(runs) if "output_tput_per_gpu" not in run["metrics"]]
    assert [r.record for r in result.rejects] == [f"[{i}]" for i in without_output]
    assert len(result.rows) == points - len(without_output) and not result.duplicates


def test_a_run_in_both_answers_is_one_row_with_its_container_image():
    both = {name: real(name)[1] for name in POINTS}
    members = [(f"{name}.json", io.BytesIO(json.dumps(runs).encode())) for name, runs in both.items()]
    result = SOURCE.rows(members, key="m")
    names = "hardware framework precision spec_method disagg num_prefill_gpu num_decode_gpu isl osl conc date run_url"
    pools = "tp ep num_workers dp_attention"
    names = [*names.split(), *(f"{pool}_{name}" for pool in ("prefill", "decode") for name in pools.split())]
    runs = [{tuple(run[n] for n in names) for run in answer} for answer in both.values()]
    assert result.duplicates == len(runs[0] & runs[1]) == 230
    assert sum(row.framework_version is not None for row in result.rows) > 200


@pytest.mark.parametrize("name", POINTS)
def test_output_of_two_pools_is_divided_by_all_accelerators(name):
    """Tokens into the prefill pool and out of the decode pool are those of tput_per_gpu on all accelerators."""
    result, runs = real(name)
    pools = [row for row in result.rows if row.is_disaggregated]
    assert len(pools) == sum(run["disagg"] for run in runs) > 200
    for row in pools:
        run = runs[int(row.record.strip("[]"))]
        metrics, n = run["metrics"], row.n_accelerators_all
        entered = metrics["input_tput_per_gpu"] * row.n_accelerators_prefill / n
        assert entered + row.output_tokens_per_s_per_accelerator == pytest.approx(
            metrics["tput_per_gpu"], rel=5e-3
        )
        if run["prefill_num_workers"]:
            assert n == run["num_prefill_gpu"] + run["num_decode_gpu"]


def test_an_h100_does_not_give_more_tokens_than_pass_through_it():
    result, runs = real("benchmarks")
    pairs = [(row, runs[int(row.record.strip("[]"))]["metrics"]) for row in result.rows]
    wrong = [m for _, m in pairs if m["output_tput_per_gpu"] > m["tput_per_gpu"]]
    assert any(m["output_tput_per_gpu"] == pytest.approx(2062.8, abs=0.1) for m in wrong)
    assert all(row.output_tokens_per_s_per_accelerator <= m["tput_per_gpu"] for row, m in pairs)
    (h100,) = (row for row, m in pairs if m["output_tput_per_gpu"] == pytest.approx(2062.8, abs=0.1))
    assert h100.output_tokens_per_s_per_accelerator == pytest.approx(2062.766 * 16 / 48, rel=1e-4)


@pytest.mark.parametrize("name", POINTS)
def test_no_system_gives_more_than_its_requests_receive(name):
    for row in real(name)[0].rows:
        tokens_per_s = row.output_tokens_per_s_per_accelerator * row.n_accelerators_all
        assert tokens_per_s <= 1.5 * row.concurrency * row.tokens_per_s_per_user


def test_counts_of_one_and_of_two_pools():
    two, one = parsed(TWO_POOLS).rows + parsed(ONE_POOL).rows
    assert (two.n_accelerators_all, two.n_accelerators_prefill, two.energy_scope) == (30, 20, None)
    assert two.output_tokens_per_s_per_accelerator == pytest.approx(2500 * 10 / 30)
    assert two.output_tokens_per_s_per_accelerator_published == 2500
    assert (one.n_accelerators_all, one.n_accelerators_prefill) == (8, None)
    assert one.output_tokens_per_s_per_accelerator == 40


def test_expert_parallel_ranks_share_their_accelerators():
    (row,) = parsed(ONE_POOL | {"num_prefill_gpu": 64, "num_decode_gpu": 64, "decode_ep": 8}).rows
    assert row.n_accelerators_all == 8 and row.accelerator_count_basis.startswith("tensor parallel ranks")


def test_pools_of_an_early_run_follow_from_its_throughputs():
    """Both columns name all 30; (20 × 1,000 + 10 × 2,500) ÷ 30 = 1,500."""
    (row,) = parsed(TWO_POOLS | {"num_prefill_gpu": 30, "num_decode_gpu": 30}).rows
    assert (row.n_accelerators_all, row.n_accelerators_prefill) == (30, 20)
    assert row.output_tokens_per_s_per_accelerator == pytest.approx(2500 * 10 / 30)


def test_joules_are_those_of_all_accelerators():
    metrics = METRICS | {"avg_power_w": 900.0, "decode_avg_power_w": 800.0, "joules_per_output_token": 0.32}
    (row,) = parsed(TWO_POOLS | {"metrics": metrics}).rows
    assert row.j_per_output_token == pytest.approx(900 / (2500 / 3)) and row.energy_scope == "GPU"
