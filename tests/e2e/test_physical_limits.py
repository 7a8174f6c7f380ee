"""Absurd results, and values drawn across thirty orders of magnitude, landed as rounds: none reaches a figure by which
accelerators are compared. What is impossible is worked out here from the parts' published peaks."""

import json
import math
from functools import cache

import duckdb
import pytest
from home_copies import land_given
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from operated_home import entry
from queries import rows

COMPARISONS = (
    "mart_token_throughput", "mart_cost_headline", "mart_cost_per_mtok", "mart_owned_cost_per_mtok", "mart_perf_per_tco",
    "mart_best_of_round", "mart_software_progress", "mart_energy", "mart_cost_to_train", "mart_trained_tokens",
    "mart_training_efficiency", "mart_training_scaling",
)  # fmt: skip
SYSTEMS = {"llama2-70b-99": "Tokens/s", "resnet": "Samples/s", "stable-diffusion-xl": "Samples/s"}
# benchmark, scenario, part, result of eight: beyond what the part can do, or below all that was measured
ABSURD = [
    ("llama2-70b-99", "Offline", "NVIDIA H100-SXM-80GB", 1.3e5 * 8),  # 1,979 TFLOP/s ÷ 138 GFLOP are 14,341 a part
    ("llama2-70b-99", "Server", "NVIDIA H200-SXM-141GB", 1.086e14),
    ("llama2-70b-99", "Server", "NVIDIA H100-SXM-80GB", 4.5e-9),
    ("llama2-70b-99.9", "Interactive", "NVIDIA B200-SXM-180GB", 1e308),
    ("mixtral-8x7b", "Offline", "NVIDIA H100-SXM-80GB", 3e-7),
    ("resnet", "Offline", "NVIDIA H100-SXM-80GB", 1e12),
    ("resnet", "Server", "NVIDIA A100-SXM-80GB", 7e-5),
    ("retinanet", "Offline", "NVIDIA L4", 3e9),
    ("stable-diffusion-xl", "Server", "NVIDIA H200-SXM-141GB", 1e5),
]  # fmt: skip
# six times the usual result of the part: possible, and far from what the part did in all rounds
OUTLIERS = [
    ("resnet", "Offline", "NVIDIA H100-SXM-80GB", 6 * 8 * 88_000),
    ("stable-diffusion-xl", "Offline", "NVIDIA H200-SXM-141GB", 6 * 8 * 2.3),
]
MAGNITUDES = st.builds(
    lambda mantissa, exponent: mantissa * 10.0**exponent, st.floats(1, 9.99), st.integers(-15, 15)
)
FORMS = st.one_of(
    MAGNITUDES,
    MAGNITUDES.map(lambda value: -value),
    MAGNITUDES.map(str),
    st.sampled_from([0, 0.0, "0", "-0", math.nan, math.inf, -math.inf, "NaN", "inf", "1e999", 1e308, 5e-324]),
)


@cache
def drawn():
    """Draw results of H100."""
    cases = []

    @settings(max_examples=300, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(FORMS, st.sampled_from(sorted(SYSTEMS)), st.sampled_from(["Offline", "Server"]))
    def draw(value, benchmark, scenario):
        cases.append((benchmark, scenario, "NVIDIA H100-SXM-80GB", value))

    draw()
    return cases


def entries(release, cases, number=1):
    """Published entries of a round, each of a system of its own."""
    return [
        entry(
            n, Model=benchmark, UsedModel=benchmark, Scenario=scenario, Accelerator=part, Performance_Result=value,
            Performance_Units="Samples/s" if SYSTEMS.get(benchmark, "").startswith("S") or benchmark == "retinanet" else "Tokens/s",
            version=release,
        )
        for n, (benchmark, scenario, part, value) in enumerate(cases, number)
    ]  # fmt: skip


def land(home, folder, release, cases):
    path = folder / release / "summary_results.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(entries(release, cases)))
    land_given(home, "mlperf-inference", release, path)


def comparisons(db):
    """Rows of each table without ages, which differ between builds of different hours."""
    columns = "columns(lambda name: not ends_with(name, '_age_days'))"
    return {table: sorted(map(str, rows(db, f"select {columns} from {table}"))) for table in COMPARISONS}


def best(db, benchmark, scenario):
    ((figure,),) = rows(
        db,
        "select throughput_per_accelerator from best_result(?, ?, accelerator := 'nvidia-b200-sxm-180gb')",
        benchmark, scenario,
    )  # fmt: skip
    return figure


def land_absurd(home, folder):
    """Land the absurd results and the outliers."""
    land(home, folder, "v7.0", ABSURD + OUTLIERS)


def land_better(home, folder):
    """Land the drawn values of H100, and one valid result of B200 that is a tenth better than the best of the home."""
    with duckdb.connect(str(home / "accelmart.duckdb"), read_only=True) as db:
        figure = best(db, "llama2-70b-99", "Offline") * 1.1
    land(home, folder, "v7.1", drawn())
    land(home, folder, "v7.2", [("llama2-70b-99", "Offline", "NVIDIA B200-SXM-180GB", figure * 8)])


@pytest.fixture
def absurd(changed):
    """The generation in which the absurd results are landed."""
    with duckdb.connect(str(changed.generation), read_only=True) as db:
        yield db


@pytest.mark.xdist_group("changes")
def test_absurd_results_are_kept_and_have_no_figure(absurd):
    found = rows(
        absurd,
        "select benchmark_id, scenario, accelerator_id, result, invalid_reason, is_peer_outlier, throughput_per_accelerator "
        "from fct_inference_result where release = 'v7.0'",
    )
    assert len(found) == len(ABSURD) + len(OUTLIERS)
    judged = [row for row in found if row[4]]
    assert len(judged) == len(ABSURD) and all(row[6] is None for row in judged)
    assert all(row[4].startswith(("impossible: ", "implausible: ")) for row in judged)
    assert [row[5] for row in found if not row[4]] == [True] * len(OUTLIERS)


@pytest.mark.xdist_group("changes")
def test_comparisons_are_the_same_with_and_without_them(absurd, warehouse):
    found, expected = comparisons(absurd), comparisons(warehouse)
    for table in COMPARISONS:
        assert expected[table] and found[table] == expected[table], table


@pytest.mark.xdist_group("landed")
def test_one_better_result_does_change_them(landed_db, warehouse):
    expected = best(warehouse, "llama2-70b-99", "Offline") * 1.1
    assert best(landed_db, "llama2-70b-99", "Offline") == pytest.approx(expected)


@pytest.mark.xdist_group("landed")
def test_nothing_drawn_beyond_the_limits_is_compared(landed_db):
    # dense FP8 peak 1,978.9 TFLOP/s and 68.98e9 parameters; of the others a hundred times the best of the part
    highest = {
        "llama2-70b-99": 1978.9e12 / (2 * 68.98e9),
        "resnet": 100 * 88_000,
        "stable-diffusion-xl": 100 * 2.3,
    }
    compared = rows(
        landed_db,
        "select benchmark_id, unnest([throughput_per_accelerator_min, throughput_per_accelerator_max]) "
        "from mart_inference_throughput where release = 'v7.1'",
    )
    assert compared and all(highest[name] / 1e8 < figure <= highest[name] for name, figure in compared)
    ((n_kept,),) = rows(landed_db, "select count(*) from fct_inference_result where release = 'v7.1'")
    assert 0 < n_kept < len(drawn())  # those without a number are rejects
