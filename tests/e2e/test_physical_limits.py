"""Absurd results, landed as a round: none reaches a figure by which accelerators are compared."""

import json

import duckdb
import pytest
from home_copies import land_given
from queries import rows
from small_round import entry

COMPARISONS = (
    "mart_token_throughput", "mart_cost_headline", "mart_cost_per_mtok", "mart_owned_cost_per_mtok", "mart_perf_per_tco",
    "mart_best_of_round", "mart_software_progress", "mart_energy", "mart_cost_to_train", "mart_trained_tokens",
    "mart_training_efficiency", "mart_training_scaling",
)  # fmt: skip
IN_SAMPLES = ("resnet", "stable-diffusion-xl", "dlrm-v3")
# benchmark, scenario, part, result of eight: beyond what the part can do, or below all that was measured
ABSURD = [
    ("llama2-70b-99", "Offline", "NVIDIA H100-SXM-80GB", 15_000 * 8),  # 1,979 TFLOP/s ÷ 138 GFLOP are 14,341 a part
    ("llama2-70b-99", "Server", "NVIDIA H200-SXM-141GB", 1.086e14),
    ("llama2-70b-99.9", "Interactive", "NVIDIA B200-SXM-180GB", 1e308),
    ("mixtral-8x7b", "Offline", "NVIDIA H100-SXM-80GB", 3e-7),
    ("resnet", "Offline", "NVIDIA H100-SXM-80GB", 100 * 8 * 88_000),
    ("resnet", "Server", "NVIDIA A100-SXM-80GB", 7e-5),
    ("stable-diffusion-xl", "Server", "NVIDIA H200-SXM-141GB", 100 * 8 * 2.3),
]  # fmt: skip
# six times the usual result of the part: possible, and far from what the part did in all rounds
OUTLIERS = [
    ("resnet", "Offline", "NVIDIA H100-SXM-80GB", 6 * 8 * 88_000),
    ("stable-diffusion-xl", "Offline", "NVIDIA H200-SXM-141GB", 6 * 8 * 2.3),
    # ten times AMD's 13,027.7 of v6.1, the only closed result of the part; its open one is 16,363
    ("dlrm-v3", "Offline", "AMD Instinct MI355X 288GB HBM3e", 130_277.0),
]
# the unit or the counts contradict what is known: neither 225 samples/s nor 30 queries/s can be tokens/s
UNIT, COUNTS = "the published unit is not that", "the stated accelerator counts contradict"
UNDECIDED = [
    ({"Model": "whisper", "Performance_Result": 225.0}, UNIT),
    ({"Model": "llama2-70b-99", "Performance_Result": 30.0, "Performance_Units": "Queries/s"}, UNIT),
    ({"Model": "llama3.1-8b", "Scenario": "Server", "Performance_Result": 300.0}, UNIT),
    ({"Performance_Result": 700_000.0, "Performance_Units": "Tokens/s"}, UNIT),
    ({"Total Accelerators": 64, "Performance_Result": 700_000.0}, COUNTS),
    ({"Nodes": 2, "Total Accelerators": 8, "Performance_Result": 700_000.0}, COUNTS),
    ({"Platform": "H100-SXM-80GBx16_TRT", "Performance_Result": 700_000.0}, COUNTS),
]


def land(home, folder, release, cases, others=()):
    """Land a round of these results, each of a system of its own."""
    path = folder / release / "summary_results.json"
    path.parent.mkdir(parents=True)
    entries = [
        entry(
            n, Model=benchmark, UsedModel=benchmark, Scenario=scenario, Accelerator=part, Performance_Result=value,
            Performance_Units="Samples/s" if benchmark in IN_SAMPLES else "Tokens/s", version=release,
        )
        for n, (benchmark, scenario, part, value) in enumerate(cases, 1)
    ]  # fmt: skip
    entries += [entry(n, version=release, errors=3, **changes) for n, (changes, _) in enumerate(others, 101)]
    path.write_text(json.dumps(entries))
    land_given(home, "mlperf-inference", release, path)


def comparisons(db):
    """Rows of each table without ages, which differ between builds of different hours."""
    columns = "columns(lambda name: not ends_with(name, '_age_days'))"
    return {table: sorted(map(str, rows(db, f"select {columns} from {table}"))) for table in COMPARISONS}


def best(db):
    query = "best_result('llama2-70b-99', 'Offline', accelerator := 'nvidia-b200-sxm-180gb')"
    ((figure,),) = rows(db, f"select throughput_per_accelerator from {query}")
    return figure


def land_absurd(home, folder):
    """Land the absurd results and the outliers."""
    land(home, folder, "v7.0", ABSURD + OUTLIERS, UNDECIDED)


def land_better(home, folder):
    """Land one valid result of B200 that is a tenth better than the best of the home."""
    with duckdb.connect(str(home / "accelmart.duckdb"), read_only=True) as db:
        figure = best(db) * 1.1
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
        "from fct_inference_result where release = 'v7.0' and run_problem is null",
    )
    assert len(found) == len(ABSURD) + len(OUTLIERS)
    judged = [row for row in found if row[4]]
    assert len(judged) == len(ABSURD) and all(row[6] is None for row in judged)
    assert all(row[4].startswith(("impossible: ", "implausible: ")) for row in judged)
    assert [row[5] for row in found if not row[4]] == [True] * len(OUTLIERS)


@pytest.mark.xdist_group("changes")
def test_a_unit_or_a_count_that_contradicts_gives_no_figure(absurd):
    found = rows(
        absurd,
        "select result, invalid_reason, throughput_per_accelerator, output_tokens_per_s, run_problem from fct_inference_result "
        "where release = 'v7.0' and run_problem is not null order by submission_id",
    )
    for row, (changes, reason) in zip(found, UNDECIDED, strict=True):
        assert row[0] == changes["Performance_Result"] and row[1].startswith(reason), row
        assert row[2:] == (None, None, "3 errors")


@pytest.mark.xdist_group("changes")
def test_comparisons_are_the_same_with_and_without_them(absurd, warehouse):
    found, expected = comparisons(absurd), comparisons(warehouse)
    for table in COMPARISONS:
        assert expected[table] and found[table] == expected[table], table


@pytest.mark.xdist_group("landed")
def test_one_better_result_does_change_them(landed_db, warehouse):
    expected = best(warehouse) * 1.1
    assert best(landed_db) == pytest.approx(expected)
