"""MLCommons' collection: each entry stands twice, power stands apart, and nothing is lost.

Counts are recomputed here by `json` and sets over the files themselves.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict

import pytest
from mlperf_payloads import COLLECTED, COLLECTED_POWER, as_json, explains, tar_members

from ingest.mlperf.published import parse_collection

RECORDS_IN = {"v2.0": 5808, "v2.1": 8783, "v3.0": 11225, "v3.1": 6927, "v4.0": 11720, "v4.1": 1930}
ROWS = {"v2.0": 2962, "v2.1": 5265, "v3.0": 7283, "v3.1": 3325, "v4.0": 9474, "v4.1": 937}

BY_VERSION = "experiment/mlperf-inference--v4.1--datacenter--closed-power--object-detection--server/2025/cm-result.json"
UNDER_ALL = (
    "experiment/mlperf-inference--all--datacenter--closed-power--object-detection--server/2025/cm-result.json"
)


def parse(*members: tuple[str, object]):
    return parse_collection([(path, b if isinstance(b, bytes) else as_json(b)) for path, b in members])


@pytest.fixture(scope="module")
def files(mlperf_data):
    return list(tar_members(mlperf_data / "releases" / "cm4mlperf-results.tar.gz"))


@pytest.fixture(scope="module")
def entries(files):
    """Every entry of an inference round, by `json` alone."""
    return [e for path, data in files if "/mlperf-inference--" in path for e in json.loads(data)]


@pytest.fixture(scope="module")
def parsed(files):
    return parse_collection(files)


@pytest.mark.xdist_group("mlperf_collection")
class TestTheWholeCollection:
    @staticmethod
    def key(entry):
        names = ("version", "Division", "SystemType", "Organization", "Platform", "Model", "Scenario")
        return tuple(entry[n].strip() for n in names)

    def test_counts_per_round(self, parsed, entries):
        assert Counter(e["version"] for e in entries) == RECORDS_IN
        assert {of: p.records_in for of, p in parsed.items()} == RECORDS_IN
        assert {of: len(p.rows) for of, p in parsed.items()} == ROWS

    def test_rows_are_the_natural_keys_of_upstream(self, parsed, entries):
        wanted = {self.key(e) for e in entries if e["Units"] not in ("Watts", "millijoules")}
        found = [
            (r.release, r.division, r.suite_published, r.submitter, r.platform, r.model_published, r.scenario)
            for p in parsed.values()
            for r in p.rows
        ]
        lowered = {(*k[:-1], k[-1].lower()) for k in wanted}
        assert len(wanted) == len(lowered) == sum(ROWS.values())
        assert {(*k[:-1], k[-1].lower()) for k in found} == lowered
        assert len(found) == len(set(found))

    def test_results_and_power_are_upstream_s(self, parsed, entries):
        """Up to v3.1 power stands in the entry of the result, in v4.0 and v4.1 in an entry of its own."""
        result, power = {}, {}
        for e in entries:
            of = self.key(e)
            if e["Units"] not in ("Watts", "millijoules"):
                result[of] = (e["Result"], e["Units"])
            if e.get("Result_Power") is not None:
                power[of] = (
                    e["Result_Power"],
                    e["Result_Power_Units"] if "Result_Power_Units" in e else e["Units"],
                )
        rows = [r for p in parsed.values() for r in p.rows]
        names = (
            "release",
            "division",
            "suite_published",
            "submitter",
            "platform",
            "model_published",
            "scenario",
        )
        found = {tuple(getattr(r, n) for n in names): r for r in rows}
        assert {of: (r.result, r.result_unit_published) for of, r in found.items()} == result
        assert {
            of: (r.power, r.power_unit_published) for of, r in found.items() if r.power is not None
        } == power
        with_power = Counter(of[0] for of in power)
        assert (with_power["v4.0"], with_power["v4.1"]) == (984, 31)
        assert min(with_power[v] for v in ("v2.0", "v2.1", "v3.0", "v3.1")) > 1000

    def test_copies_and_power_make_up_the_rest(self, parsed, entries):
        power = defaultdict(set)
        for e in entries:
            if e["Units"] in ("Watts", "millijoules"):
                power[e["version"]].add(self.key(e))
        assert {of: len(keys) for of, keys in power.items()} == {"v4.0": 984, "v4.1": 31}
        for of, p in parsed.items():
            assert p.merged == len(power[of])
            assert p.rejects == []
            assert p.duplicates == RECORDS_IN[of] - ROWS[of] - len(power[of])

    def test_evidence_points_at_the_file_of_the_version(self, parsed, files):
        by_path = dict(files)
        under_all = Counter(of for of, p in parsed.items() for r in p.rows if "--all--" in r.member)
        assert under_all == self.only_under_all(files)
        for p in parsed.values():
            for r in p.rows[::500]:
                entry = json.loads(by_path[r.member])[int(r.record.strip("[]"))]
                assert (entry["version"], entry["Platform"], entry["Result"]) == (
                    r.release,
                    r.platform,
                    r.result,
                )

    def only_under_all(self, files):
        own, every = set(), set()
        for path, data in files:
            if "/mlperf-inference--" in path:
                keys = {self.key(e) for e in json.loads(data) if e["Units"] not in ("Watts", "millijoules")}
                every |= keys
                own |= keys if "--all--" not in path else set()
        return Counter(k[0] for k in every - own)


class TestOneEntry:
    def test_a_copy_under_all_is_a_duplicate_whatever_the_order(self):
        parsed = parse((UNDER_ALL, [COLLECTED | {"uid": "another"}]), (BY_VERSION, [COLLECTED]))["v4.1"]
        (row,) = parsed.rows
        assert (row.member, row.record, parsed.duplicates) == (BY_VERSION, "[0]", 1)
        assert (row.dialect, row.result, row.accelerators_per_node) == ("collection", 9602.95, 8)

    def test_power_is_merged_and_its_copy_is_a_duplicate(self):
        both = [COLLECTED, COLLECTED_POWER]
        parsed = parse((BY_VERSION, both), (UNDER_ALL, both))["v4.1"]
        (row,) = parsed.rows
        assert (row.power, row.power_unit_published, row.result) == (4987.039666666663, "Watts", 9602.95)
        assert (parsed.records_in, parsed.duplicates, parsed.merged, parsed.rejects) == (4, 2, 1, [])

    def test_contradicting_power_is_rejected_and_the_first_is_kept(self):
        parsed = parse(
            (BY_VERSION, [COLLECTED, COLLECTED_POWER, COLLECTED_POWER | {"Result_Power": 5000.0}])
        )["v4.1"]
        assert [row.power for row in parsed.rows] == [4987.039666666663]
        assert explains(parsed.rejects[0], "[2]", "contradicts", "power")

    def test_power_without_performance_is_rejected(self):
        parsed = parse(
            (BY_VERSION, [COLLECTED_POWER, COLLECTED | {"Model": "resnet", "MlperfModel": "resnet"}])
        )["v4.1"]
        assert [row.model_published for row in parsed.rows] == ["resnet"]
        assert explains(parsed.rejects[0], BY_VERSION, "[0]", "power reading without a result")

    def test_power_in_the_entry_of_the_result_as_up_to_v31(self):
        entry = COLLECTED | {"version": "v3.1", "Result_Power": 1734.81, "Result_Power_Units": "millijoules"}
        (row,) = parse((BY_VERSION, [entry]))["v3.1"].rows
        assert (row.power, row.power_unit_published, row.result) == (1734.81, "millijoules", 9602.95)

    def test_power_that_contradicts_the_entry_s_own_is_rejected(self):
        own = COLLECTED | {"Result_Power": 5000.0, "Result_Power_Units": "Watts"}
        parsed = parse((BY_VERSION, [own, COLLECTED_POWER]))["v4.1"]
        assert [row.power for row in parsed.rows] == [5000.0]
        assert explains(parsed.rejects[0], BY_VERSION, "[1]", f"contradicts {BY_VERSION}[0]", "power")

    def test_power_may_stand_under_result_as_in_v61(self):
        power = COLLECTED_POWER | {"Result": 4987.0, "Result_Power": None}
        (row,) = parse((BY_VERSION, [COLLECTED, power]))["v4.1"].rows
        assert row.power == 4987.0

    @pytest.mark.parametrize(
        ("data", "problem"),
        [
            (as_json([COLLECTED])[:-20], "not valid JSON"),
            (b"{}", "a dict, not a list"),
        ],
        ids=["truncated", "object"],
    )
    def test_a_damaged_file_is_one_reject_and_the_others_survive(self, data, problem):
        damaged = BY_VERSION.replace("object-detection", "damaged")
        parsed = parse((damaged, data), (BY_VERSION, [COLLECTED]))
        assert [row.result for row in parsed["v4.1"].rows] == [9602.95]
        lost = parsed[""]
        assert (lost.records_in, lost.rows) == (1, [])
        assert explains(lost.rejects[0], damaged, "(whole file)", problem)

    def test_rejects_stand_under_the_round_they_name(self):
        parsed = parse((BY_VERSION, [COLLECTED | {"Result": None}, COLLECTED | {"version": "?"}, 7]))
        assert explains(parsed["v4.1"].rejects[0], "[0]", "result is None")
        assert [r.record for r in parsed[""].rejects] == ["[1]", "[2]"]
        assert explains(parsed[""].rejects[1], "is a int, not an object")

    def test_training_and_tiny_are_left_alone(self):
        training = "experiment/mlperf-training--v3.0--image-classification/2023/cm-result.json"
        parsed = parse((training, [{"anything": 1}]), (BY_VERSION, [COLLECTED]))
        assert list(parsed) == ["v4.1"] and parsed["v4.1"].records_in == 1
