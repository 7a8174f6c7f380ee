"""Training results that were read one by one: the given tables against their own runs and the published scores."""

import csv
from statistics import mean

import pytest

from ingest.mlperf.training_read_singly import parse_read_singly

RESULT = "submitter,system,accelerator,accelerators,nodes,benchmark,minutes_olympic_mean_unscaled,runs,basis,source\n"
RUN = "submitter,system,benchmark,run,duration_minutes,samples_to_converge,source_path\n"
THREE_RUNS = "".join(
    f"A,s,llama31_405b,{i},{minutes},300000,A/results/s/llama31_405b/result_{i}.txt\n"
    for i, minutes in enumerate((5, 7, 6))
)


def parse(**files):
    content = {f"{name}.csv": text.encode() for name, text in files.items()}
    return parse_read_singly(content.items(), release="v6.0")


@pytest.fixture(scope="module")
def folder(mlperf_data):
    return mlperf_data / "training_v6.0_partial"


@pytest.fixture(scope="module")
def tree(folder):
    return parse_read_singly(((p.name, p.read_bytes()) for p in folder.iterdir()), release="v6.0")


@pytest.fixture(scope="module")
def lines(folder):
    return {
        kind: [
            line
            for path in sorted(folder.glob(f"{kind}_*.csv"))
            for line in csv.DictReader(path.read_text().splitlines())
        ]
        for kind in ("results", "runs")
    }


@pytest.fixture(scope="module")
def minutes(tree):
    return {(r.submitter, r.system, r.benchmark): r.minutes for r in tree.results.rows}


def test_every_line_is_a_row_a_duplicate_or_out_of_scope(tree, lines):
    results, runs = tree.results, tree.runs
    assert (
        (results.records_in, len(results.rows), results.duplicates)
        == (len(lines["results"]), 63, 2)
        == (65, 63, 2)
    )
    assert (runs.records_in, len(runs.rows)) == (len(lines["runs"]) + 2, 292)
    assert runs.exclusions == {"a single run of a result whose other runs were not read": 2}
    assert not results.rejects and not runs.rejects
    assert not [r for r in results.rows if r.system == "MI325X_1node" or "512xMI300X" in r.system]


def test_a_score_is_the_mean_of_its_middle_runs(lines, minutes):
    """Recomputed from the runs of the given files, times the factor where they state one."""
    checked = 0
    for line in lines["results"]:
        key = line["submitter"], line["system"], line["benchmark"]
        of_result = sorted(
            float(r["duration_minutes"])
            for r in lines["runs"]
            if (r["submitter"], r["system"], r["benchmark"]) == key
        )
        if of_result:
            factor = float(line.get("rcp_scaling") or 1)
            own = mean(of_result[1:-1])
            assert own == pytest.approx(float(line.get("minutes_olympic_mean_unscaled") or own), abs=2e-4)
            if line.get("minutes_scaled"):
                assert minutes[key] == pytest.approx(float(line["minutes_scaled"]), abs=2e-4)
            elif (
                "present" not in line["basis"]
                and line["benchmark"] != "llama2_70b_lora"
                and "press" not in line["basis"]
            ):
                assert minutes[key] == pytest.approx(own * factor)
            checked += 1
        elif "press" not in line["basis"]:
            assert minutes[key] == float(line["minutes"])
    assert checked == 39 + 2  # two press lines repeat results with runs


def test_scores_agree_with_what_was_published(minutes):
    """The press, the submitter's summary.json, and the factor computed with MLCommons' reference mean."""
    assert minutes["CoreWeave", "CoreWeave_GB300_2048x4", "deepseekv3_671b"] == pytest.approx(
        2.0206, abs=1e-4
    )
    assert round(minutes["Azure", "2048xAzure_GB200", "llama31_405b"], 2) == 7.07
    assert round(minutes["GigaComputing", "G894-SD3-AAX7", "llama2_70b_lora"], 3) == 6.771
    assert minutes["AMD", "MI355X_EPYC_9575F_primus", "llama2_70b_lora"] == pytest.approx(8.2715, abs=1e-4)
    assert minutes["AMD", "MI350X_EPYC_9575F_primus", "llama2_70b_lora"] == pytest.approx(10.2514, abs=1e-4)


def test_a_wrong_count_is_corrected_and_named(tree):
    (flux,) = [r for r in tree.results.rows if r.benchmark == "flux1" and r.submitter == "AMD"]
    assert (flux.total_accelerators, flux.number_of_nodes, flux.accelerators_per_node) == (64, 8, 8)
    assert [r.problem for r in tree.results.warnings if "64 in place of 8" in r.problem]


def test_a_score_says_whether_it_was_scaled(tree):
    for row in tree.results.rows:
        is_computed = row.runs is not None
        assert ("not verified by MLCommons" in row.notes) == is_computed
        assert ("not scaled" in row.notes) == (is_computed and row.scaling_factor is None)
        assert is_computed or "summary.json" in row.notes or "press" in row.notes


def test_a_mean_that_its_runs_contradict_costs_the_result_and_its_runs():
    good = parse(results_a=RESULT + "A,s,X,8,1,llama31_405b,6,3,own logs,x\n", runs_a=RUN + THREE_RUNS)
    assert [(r.minutes, r.runs_counted) for r in good.results.rows] == [(6, 1)] and len(good.runs.rows) == 3
    bad = parse(results_a=RESULT + "A,s,X,8,1,llama31_405b,5.5,3,own logs,x\n", runs_a=RUN + THREE_RUNS)
    assert not bad.results.rows and not bad.runs.rows
    assert "its 3 runs give 6" in bad.results.rejects[0].problem and len(bad.runs.rejects) == 3


def test_a_published_score_that_the_runs_contradict_is_rejected():
    results = RESULT + "A,s,X,8,1,llama31_405b,6,3,own logs,x\n"
    press = "submitter,system,accelerator,accelerators,benchmark,minutes,basis,source\nA,s,X,8,llama31_405b,6.20,press (2 decimals),u\n"
    tree = parse(results_a=results, runs_a=RUN + THREE_RUNS, results_b=press)
    assert len(tree.results.rows) == 1
    assert "states 6.2 minutes, the runs of the same result give 6" in tree.results.rejects[0].problem


def test_a_bad_line_costs_itself_alone():
    lines = "A,s,X,none,1,llama31_405b,6,3,own logs,x\nA,s,X,8,1,llama31_405b,6,3,own logs,x\nbroken\n"
    tree = parse(results_a=RESULT + lines, runs_a=RUN + THREE_RUNS + "A,s,llama31_405b,3,-1,1,x\n")
    assert len(tree.results.rows) == 1 and len(tree.results.rejects) == 2 and len(tree.runs.rejects) == 1
