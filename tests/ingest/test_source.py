"""The registry of sources, and how a payload is split into parts."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from ingest.core.records import Parsed
from ingest.mlperf.registry import MLPERF_COLLECTION, MLPERF_INFERENCE, MLPERF_SOURCES

ENTRY = {
    "Submitter": "AMD",
    "Category": "closed",
    "Suite": "datacenter",
    "Platform": "box_x8",
    "UsedModel": "resnet50",
    "Model": "resnet",
    "Scenario": "Offline",
    "Location": "closed/AMD/results/box_x8/resnet50/Offline",
    "version": "v5.1",
    "Performance_Result": 371.423,
    "Performance_Units": "Samples/s",
}
OBJECT_ENTRY = {
    "Organization": "AMD", "Division": "closed", "SystemType": "datacenter", "Platform": "box_x8", "Model": "resnet50",
    "MlperfModel": "resnet", "Scenario": "Offline", "version": "v5.1", "Result": 371.423, "Units": "Samples/s",
    "Location": "./closed/AMD/results/box_x8/resnet50/Offline/performance/run_1",
}  # fmt: skip
LOG_PATH = "closed/AMD/results/box_x8/resnet50/Offline/performance/run_1/mlperf_log_summary.txt"
LOG = b"Scenario : Offline\nMode : PerformanceOnly\nSamples per second: 371.423\nResult is : VALID\n"


def parts(*members, release="v5.1", source=MLPERF_INFERENCE):
    named = [(n, b if isinstance(b, bytes) else json.dumps(b).encode()) for n, b in members]
    members = ((name, io.BytesIO(content)) for name, content in named)
    return MLPERF_SOURCES[source].parts(members, key=release or "")


def test_the_dialect_is_told_by_the_content_not_by_the_name():
    (part,) = parts(("summary.json", [ENTRY]))
    assert (part.release, part.dialect) == ("v5.1", "summary_list")
    assert [row.result for row in part.parsed.rows] == [371.423]
    (part,) = parts(("summary_results.json", {"7": OBJECT_ENTRY}))
    assert (part.dialect, [r.record for r in part.parsed.rows]) == ("summary_dict", ["['7']"])
    assert [p.dialect for p in parts(("summary.json", b'\xef\xbb\xbf \n{"0": {}}'))] == ["summary_dict"]


def test_a_tree_and_its_summary_agree():
    summary, tree, _ = parts((LOG_PATH, LOG), ("summary_results.json", [ENTRY]))
    assert (summary.dialect, tree.dialect) == ("summary_list", "raw_tree")
    assert summary.parsed.rows[0].result == tree.parsed.rows[0].result == 371.423
    assert summary.parsed.rows[0].location == tree.parsed.rows[0].location


@pytest.mark.parametrize(
    ("payload", "problem"),
    [(b'[{"Subm', "not valid JSON"), (b"3", "holds a int")],
)
def test_a_broken_summary_is_one_reject_and_the_tree_beside_it_counts(payload, problem):
    summary, tree, _ = parts((LOG_PATH, LOG), ("summary_results.json", payload))
    (reject,) = summary.parsed.rejects
    assert (reject.payload, reject.record) == ("summary_results.json", "(whole file)")
    assert reject.problem.startswith(problem) and reject.remedy
    assert summary.parsed.is_balanced and summary.parsed.rows == []
    assert [r.result for r in tree.parsed.rows] == [371.423]


def test_a_round_is_needed():
    assert [p.release for p in parts(("summary_results.json", [ENTRY]), release="5.1")] == ["v5.1"]
    with pytest.raises(ValueError, match="is not an MLPerf round"):
        parts(("summary_results.json", [ENTRY]), release="latest")


def test_the_collection_gives_a_part_a_round_and_one_for_what_names_none():
    path = "experiment/mlperf-inference--v4.1--datacenter--closed--image-classification--offline/2025/cm-result.json"
    entries = [OBJECT_ENTRY | {"version": v} for v in ("v4.1", "v4.0")]
    found = parts(
        (path, entries), (path.replace("v4.1", "v4.0"), b"{"), source=MLPERF_COLLECTION, release=None
    )
    assert [(p.release, p.dialect, len(p.parsed.rows), len(p.parsed.rejects)) for p in found] == [
        ("", "collection", 0, 1), ("v4.0", "collection", 1, 0), ("v4.1", "collection", 1, 0),
    ]  # fmt: skip


def test_every_source_says_what_must_be_said():
    for source in MLPERF_SOURCES.values():
        assert "trademark of MLCommons" in source.licence_note
        assert "not verified by MLCommons" in source.licence_note


def test_a_round_has_a_repository_of_its_own():
    address = "https://github.com/mlcommons/inference_results_v5.1.git"
    assert MLPERF_SOURCES[MLPERF_INFERENCE].address("5.1") == address


def test_a_whole_repository_of_two_gigabytes_is_read_through_but_no_such_file():
    limits = MLPERF_SOURCES[MLPERF_INFERENCE].tree_limits
    assert limits.max_total_bytes > 4 * 2**30 > limits.max_member_bytes


def test_an_account_is_balanced_only_if_every_record_is_in_one_place():
    counted = Parsed[str](payload="f", remedy="look")
    counted.read(8)
    counted.add("a")
    counted.rows += ["b", "a"]
    counted.fold(str.upper, lambda same: "")
    counted.merged += 1
    counted.reject("[4]", "no price")
    counted.remark("[5]", "odd", payload="g", remedy="ask")
    for n in (1, 0, 2):
        counted.out_of_scope("storage", n)
    assert counted.checked("f").left_out == {"storage": 3} and counted.rows == ["a", "b"]
    assert counted.duplicates == 1
    assert [(r.payload, r.record, r.remedy) for r in counted.rejects] == [("f", "[4]", "look")]
    assert [(r.payload, r.record, r.remedy) for r in counted.remarks] == [("g", "[5]", "ask")]
    for change in ({"merged": 2}, {"duplicates": 0}, {"left_out": {"storage": 2}}, {"records_in": 9}):
        with pytest.raises(AssertionError, match="records in"):
            replace(counted, **change).checked("f")


def test_rows_that_contradict_each_other_are_all_rejected():
    found = Parsed[Any]()
    found.rows = [SimpleNamespace(record=f"[{n}]", member="", name=n // 2, price=max(n, 1)) for n in range(4)]
    found.fold(
        lambda row: row.name,
        lambda same: "two prices" if len({row.price for row in same}) > 1 else "",
        payload="f",
        remedy="look",
    )
    assert ([row.record for row in found.rows], found.duplicates, found.accounted) == (["[0]"], 1, 4)
    assert [(r.payload, r.record, r.remedy) for r in found.rejects] == [
        ("f", "[2]", "look"),
        ("f", "[3]", "look"),
    ]
