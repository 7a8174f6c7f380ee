"""MLCommons' collection of training results: every entry once, counted apart from our parser."""

import json
from collections import defaultdict

import pytest

from ingest.mlperf.training_collection import parse_training_collection

PATH = "experiment/mlperf-training--3.0--closed--language-processing/2023/cm-result.json"
ENTRY = {
    "version": "3.0", "submitter": "Dell", "system": "a server", "Model_ID": "bert", "Result": 45.5,
    "Result_Units": "min.", "division": "closed", "accelerators_count": 8, "accelerator_model_name": "NVIDIA L40",
    "details_url": "https://github.com/mlcommons/training_results_v3.0/blob/main/Dell/systems/box_mxnet.json",
}  # fmt: skip


def parsed(*entries, path=PATH):
    return parse_training_collection([(path, json.dumps(list(entries)).encode())])


@pytest.mark.xdist_group("mlperf_collection")
def test_every_entry_once(collection_files):
    files = [(path, payload) for path, payload in collection_files if "mlperf-training--" in path]
    seen = defaultdict(set)
    read = defaultdict(int)
    for _, payload in files:
        for entry in json.loads(payload):
            read[f"v{entry['version']}"] += 1
            seen[f"v{entry['version']}"].add((entry["details_url"], entry["Model_ID"], entry["Result"]))
    rounds = parse_training_collection(files)
    assert {r: len(p.rows) for r, p in rounds.items()} == {r: len(keys) for r, keys in seen.items()}
    assert {r: p.records_in for r, p in rounds.items()} == dict(read)
    assert all(p.is_balanced and not p.rejects for p in rounds.values())
    for release, keys in seen.items():
        assert sorted(row.minutes for row in rounds[release].rows) == sorted(result for *_, result in keys)


def test_a_row_tells_what_the_entry_tells_and_no_more():
    (row,) = parsed(ENTRY)["v3.0"].rows
    assert (row.submitter, row.system, row.benchmark, row.minutes) == ("Dell", "box_mxnet", "bert", 45.5)
    assert row.accelerator_hours == pytest.approx(8 * 45.5 / 60)
    assert (row.runs, row.samples_per_s, row.energy_official_j) == (None, None, None)
    assert row.location == "Dell/systems/box_mxnet.json"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"Result": -3}, "no measurement"),
        ({"Result_Units": "h"}, "not minutes"),
        ({"submitter": ""}, "lacks submitter"),
        ({"version": "three"}, "no round"),
    ],
)
def test_a_bad_entry_is_named_and_its_neighbours_survive(change, problem):
    rounds = parsed(ENTRY, ENTRY | {"details_url": "", "system": "other"} | change)
    rejects = [r for p in rounds.values() for r in p.rejects]
    assert len(rounds["v3.0"].rows) == 1 and len(rejects) == 1
    assert problem in rejects[0].problem and rejects[0].record == "[1]" and rejects[0].remedy


def test_copies_are_counted_and_contradictions_named():
    other = ENTRY | {"details_url": "", "system": "other"}
    found = parsed(ENTRY, ENTRY, other, other | {"Result": 46})["v3.0"]
    assert (len(found.rows), found.duplicates, len(found.rejects)) == (1, 1, 2)
    assert all("contradicts another record of the same result in minutes" in r.problem for r in found.rejects)
