"""MLCommons' collection: each entry stands twice, power stands apart, and nothing is lost.

Counts are recomputed here by `json` and sets over the files themselves.
"""

from __future__ import annotations

import json
from collections import Counter

import pytest
from mlperf_payloads import COLLECTED, COLLECTED_POWER, as_json, explains, has

from ingest.mlperf.published import parse_collection

BY_VERSION = "experiment/mlperf-inference--v4.1--datacenter--closed-power--object-detection--server/2025/cm-result.json"
UNDER_ALL = (
    "experiment/mlperf-inference--all--datacenter--closed-power--object-detection--server/2025/cm-result.json"
)


def parse(*members: tuple[str, object]):
    return parse_collection([(path, b if isinstance(b, bytes) else as_json(b)) for path, b in members])


def key(entry):
    names = ("version", "Division", "SystemType", "Organization", "Platform", "Model")
    return (*(entry[n].strip() for n in names), entry["Scenario"].strip().lower())


def key_of_row(r):
    rest = (r.release, r.division, r.suite_published, r.submitter, r.platform, r.model_published)
    return (*rest, r.scenario.lower())


def is_power(entry):
    return entry["Units"] in ("Watts", "millijoules")


@pytest.mark.xdist_group("mlperf_collection")
class TestTheWholeCollection:
    def test_results_and_power_are_upstream_s(self, collection, collected):
        """Up to v3.1 power stands in the entry of the result, in v4.0 and v4.1 in an entry of its own."""
        result = {key(e): (e["Result"], e["Units"]) for e in collected if not is_power(e)}
        power = {
            key(e): (e["Result_Power"], e.get("Result_Power_Units", e["Units"]))
            for e in collected
            if e.get("Result_Power") is not None
        }
        rows = [r for parsed in collection.values() for r in parsed.rows]
        assert len(rows) == len(result) == 29246
        assert {key_of_row(r): (r.result, r.result_unit_published) for r in rows} == result
        assert {
            key_of_row(r): (r.power, r.power_unit_published) for r in rows if r.power is not None
        } == power

    def test_every_record_is_accounted_for(self, collection, collected):
        records = Counter(e["version"] for e in collected)
        results = Counter(version for version, *_ in {key(e) for e in collected if not is_power(e)})
        power = Counter(version for version, *_ in {key(e) for e in collected if is_power(e)})
        assert power == {"v4.0": 984, "v4.1": 31}
        for release, parsed in collection.items():
            assert (parsed.records_in, len(parsed.rows)) == (records[release], results[release])
            assert has(parsed, merged=power[release], rejects=[])
            assert parsed.duplicates == records[release] - results[release] - power[release]

    def test_evidence_points_at_the_file_of_the_version(self, collection, collection_files):
        of_version = {
            key(e)
            for path, data in collection_files
            if "/mlperf-inference--" in path and "--all--" not in path
            for e in json.loads(data)
        }
        for row in (r for parsed in collection.values() for r in parsed.rows):
            assert ("--all--" in row.member) == (key_of_row(row) not in of_version)
        by_path = dict(collection_files)
        for row in (r for parsed in collection.values() for r in parsed.rows[::500]):
            entry = json.loads(by_path[row.member])[int(row.record.strip("[]"))]
            assert has(row, release=entry["version"], platform=entry["Platform"], result=entry["Result"])


class TestOneEntry:
    def test_a_copy_under_all_is_a_duplicate_whatever_the_order(self):
        both = [COLLECTED, COLLECTED_POWER]
        parsed = parse((UNDER_ALL, [both[0] | {"uid": "another"}, both[1]]), (BY_VERSION, both))["v4.1"]
        (row,) = parsed.rows
        assert has(row, member=BY_VERSION, record="[0]", dialect="collection", accelerators_per_node=8)
        assert has(row, result=9602.95, power=4987.039666666663, power_unit_published="Watts")
        assert has(parsed, records_in=4, duplicates=2, merged=1, rejects=[])

    @pytest.mark.parametrize(
        ("entries", "power", "problem"),
        [
            # another record of power, the power of the result itself, and power of another result
            ([COLLECTED, COLLECTED_POWER, COLLECTED_POWER | {"Result_Power": 5000.0}], None, "contradicts"),
            (
                [COLLECTED | {"Result_Power": 5000.0, "Result_Power_Units": "Watts"}, COLLECTED_POWER],
                5000.0,
                f"contradicts {BY_VERSION}[0]",
            ),
            ([COLLECTED | {"Model": "resnet"}, COLLECTED_POWER], None, "power reading without a result"),
        ],
    )
    def test_power_that_contradicts_or_belongs_to_no_result_is_rejected(self, entries, power, problem):
        parsed = parse((BY_VERSION, entries))["v4.1"]
        assert [row.power for row in parsed.rows] == [power]
        assert explains(parsed.rejects[-1], BY_VERSION, f"[{len(entries) - 1}]", problem, "power")

    @pytest.mark.parametrize(("data", "problem"), [(b"[", "not valid JSON"), (b"{}", "a dict, not a list")])
    def test_a_damaged_file_is_one_reject_and_the_others_survive(self, data, problem):
        damaged = BY_VERSION.replace("object-detection", "damaged")
        training = "experiment/mlperf-training--v3.0--image-classification/2023/cm-result.json"
        parsed = parse((damaged, data), (training, [{"anything": 1}]), (BY_VERSION, [COLLECTED]))
        assert [row.result for row in parsed.pop("v4.1").rows] == [9602.95]
        assert has(parsed[""], records_in=1, rows=[]) and parsed.keys() == {""}
        assert explains(parsed[""].rejects[0], damaged, "(whole file)", problem)

    def test_rejects_stand_under_the_round_they_name(self):
        parsed = parse((BY_VERSION, [COLLECTED | {"Result": None}, COLLECTED | {"version": "?"}, 7]))
        assert explains(parsed["v4.1"].rejects[0], "[0]", "result is None")
        assert [r.record for r in parsed[""].rejects] == ["[1]", "[2]"]
        assert explains(parsed[""].rejects[1], "is a int, not an object")
