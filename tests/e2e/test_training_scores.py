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
