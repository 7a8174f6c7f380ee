"""Training scores in the warehouse, compared with the output of MLCommons' own summarizer."""

import csv
from collections import defaultdict

import pytest


def referee(mlperf_data, release, kind):
    with (mlperf_data / f"official_scores/training_{release}_{kind}.csv").open(newline="") as f:
        return list(csv.DictReader(f))


def system_of(row):
    return row["details_url"].rpartition("/")[2].removesuffix(".json")


@pytest.mark.parametrize(("release", "scores"), [("v4.0", 202), ("v4.1", 147), ("v5.0", 201), ("v5.1", 184)])
def test_every_score_equals_the_official_summary(warehouse, mlperf_data, release, scores):
    """By system file and benchmark; a few submitters share a system's name."""
    ours, theirs = defaultdict(list), defaultdict(list)
    for system, benchmark, minutes in warehouse.execute(
        "select platform, benchmark_published, score_minutes from fct_training_result where release = ?",
        [release],
    ).fetchall():
        ours[system, benchmark].append(minutes)
    benchmarks = {benchmark for _, benchmark in ours}
    for row in referee(mlperf_data, release, "scores"):
        for benchmark in benchmarks & row.keys():
            if row[benchmark]:
                theirs[system_of(row), benchmark].append(float(row[benchmark]))
    assert sum(map(len, theirs.values())) == scores
    assert theirs.keys() == ours.keys()
    assert [k for k in theirs if sorted(ours[k]) != pytest.approx(sorted(theirs[k]), rel=1e-6)] == []


def test_the_results_of_v60_are_those_of_its_tables(warehouse, mlperf_data):
    """Accelerators and minutes of each line; a count that is known to be wrong, and scores times a factor, aside."""
    lines = [
        line
        for path in sorted((mlperf_data / "training_v6.0_partial").glob("results_*.csv"))
        for line in csv.DictReader(path.read_text().splitlines())
    ]
    held = {
        tuple(key): (count, score / (factor or 1) if n_runs else score, is_incomplete)
        for *key, count, score, factor, n_runs, is_incomplete in warehouse.execute(
            "select split_part(result_id, '/', 3), platform, benchmark_published, accelerator_count, score_minutes, "
            "rcp_scaling_factor, n_runs, is_round_incomplete from fct_training_result where release = 'v6.0'"
        ).fetchall()
    }
    assert len(lines) == 65 and len(held) == 63
    for line in lines:
        count, minutes, is_incomplete = held[line["submitter"], line["system"], line["benchmark"]]
        is_corrected = (line["submitter"], line["benchmark"]) == ("AMD", "flux1")
        assert is_incomplete and count == (64 if is_corrected else int(line["accelerators"]))
        if not line["basis"].startswith("press") or line["submitter"] == "Lambda":
            stated = float(line.get("minutes_olympic_mean_unscaled") or line["minutes"])
            assert minutes == pytest.approx(stated, abs=2e-4)
