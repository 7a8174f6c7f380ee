"""Submission trees: the real v5.1 and v4.1 trees against what MLCommons published, and every kind of broken folder."""

from __future__ import annotations

import json
import random
import re

import pytest
from mlperf_payloads import (
    OFFLINE,
    V05_MULTISTREAM,
    V05_SINGLESTREAM,
    V40_LLAMA2_SERVER,
    V51_SINGLESTREAM,
    explains,
    log,
    tar_members,
)

from ingest.core import values
from ingest.mlperf.raw_tree import benchmark_of_folder, parse_tree

FOLDER = "closed/ACME/results/box_x8/resnet50/Offline"
LOG = "performance/run_1/mlperf_log_summary.txt"
SYSTEM = {
    "system_name": "ACME box (8x H100)",
    "submitter": "ACME",
    "status": "Available",
    "system_type": "datacenter",
    "number_of_nodes": "2",
    "accelerators_per_node": "8",
    "accelerator_model_name": "NVIDIA H100-SXM-80GB",
    "host_processor_model_name": "AMD EPYC 9575F",
    "host_processors_per_node": 2,
    "host_processor_core_count": 64,
    "framework": "TensorRT 10",
    "operating_system": "Ubuntu",
    "hw_notes": "H100 TGP 700W",
    "sw_notes": "",
}


def as_bytes(value) -> bytes:
    return (
        value
        if isinstance(value, bytes)
        else (value if isinstance(value, str) else json.dumps(value)).encode()
    )


def tree(files: dict, release: str = "v5.1"):
    """A tree of these files beside one good folder and its system, which must come through whatever they are."""
    good = {
        "closed/Good/systems/good.json": SYSTEM | {"submitter": "Good"},
        f"closed/Good/results/good/resnet50/Offline/{LOG}": OFFLINE,
    }
    parsed = parse_tree([(p, as_bytes(b)) for p, b in {**good, **files}.items()], release=release)
    (neighbour,) = [r for r in parsed.rows if r.submitter == "Good"]
    assert neighbour.result == 371.423 and neighbour.is_system_described
    parsed.rows.remove(neighbour)
    parsed.records_in -= 1
    return parsed


def one_row(files: dict, release: str = "v5.1"):
    parsed = tree(files, release)
    assert [str(r) for r in parsed.rejects] == []
    (row,) = parsed.rows
    return row


def one_reject(text, folder: str = FOLDER, release: str = "v5.1"):
    parsed = tree({f"{folder}/{LOG}": text}, release)
    assert (parsed.records_in, parsed.rows) == (1, [])
    (reject,) = parsed.rejects
    assert reject.payload == f"{folder}/{LOG}"
    return reject


def equal_within_rounding(published: float, found: float) -> bool:
    """Published values have two decimals (Server) or six digits."""
    return abs(published - found) <= max(0.00501, 1e-5 * abs(published))


@pytest.fixture(scope="module")
def v51_files(mlperf_data):
    return list(tar_members(mlperf_data / "releases" / "inference_results_v5.1.tar.gz"))


@pytest.fixture(scope="module")
def v51(v51_files):
    return parse_tree(v51_files, release="v5.1")


@pytest.fixture(scope="module")
def v51_published(mlperf_data):
    entries = json.loads((mlperf_data / "inference_v5.1" / "summary_results.json").read_bytes())
    return {e["Location"]: e for e in entries}


@pytest.fixture(scope="module")
def v41(mlperf_data):
    return parse_tree(tar_members(mlperf_data / "releases" / "inference_results_v4.1.tar.gz"), release="v4.1")


@pytest.fixture(scope="module")
def v41_collected(mlperf_data):
    """v4.1 of the collection by `json` alone: location → result, and location → power."""
    result, power = {}, {}
    for path, data in tar_members(mlperf_data / "releases" / "cm4mlperf-results.tar.gz"):
        if "/mlperf-inference--v4.1--" not in path:
            continue
        for e in json.loads(data):
            if e["Units"] in ("Watts", "millijoules"):
                power[e["Location"]] = e["Result_Power"]
            else:
                result[e["Location"]] = e["Result"]
    return result, power


@pytest.mark.xdist_group("mlperf_v51_tree")
class TestTheV51Tree:
    def test_1449_folders_are_1449_rows(self, v51, v51_files):
        folders = {
            p.removesuffix("/" + LOG) for p, _ in v51_files if p.endswith("/" + LOG) and "/TEST" not in p
        }
        assert len(folders) == 1449
        assert (v51.records_in, len(v51.rows), v51.rejects) == (1449, 1449, [])
        assert {r.location for r in v51.rows} == folders

    def test_every_published_figure_comes_out_of_its_log(self, v51, v51_published):
        found = {r.location: r.result for r in v51.rows}
        assert len(v51_published) == 1448
        off = {
            at: (e["Performance_Result"], found.get(at))
            for at, e in v51_published.items()
            if at not in found or not equal_within_rounding(e["Performance_Result"], found[at])
        }
        assert off == {}

    def test_one_folder_was_not_published(self, v51, v51_published):
        (extra,) = [r for r in v51.rows if r.location not in v51_published]
        assert (extra.submitter, extra.model_published, extra.scenario) == (
            "GATEOverflow",
            "pointpainting",
            "Offline",
        )

    def test_systems_are_those_of_the_summary(self, v51, v51_published):
        rows = {r.location: r for r in v51.rows}
        for at, entry in v51_published.items():
            row = rows[at]
            assert (row.submitter, row.platform, row.model_published, row.scenario) == (
                entry["Submitter"], entry["Platform"], entry["UsedModel"], entry["Scenario"],
            )  # fmt: skip
            if row.is_system_described:
                assert row.number_of_nodes == entry["Nodes"]

    def test_23_readable_power_logs_give_the_published_power(self, v51, v51_published):
        stated = {at: e["Power_Result"] for at, e in v51_published.items() if e.get("has_power")}
        found = {r.location: r.power for r in v51.rows if r.power is not None}
        assert len(stated) == 24 and len(found) == 23
        assert found == {at: pytest.approx(stated[at], rel=1e-6) for at in found}
        units = {r.location: r.power_unit_published for r in v51.rows if r.power is not None}
        assert units == {at: v51_published[at]["Power_Units"] for at in found}

    def test_the_24th_is_a_remark_that_names_the_missing_file(self, v51):
        (remark,) = v51.remarks
        assert explains(
            remark,
            "closed/Lenovo/results/SR780a_V3_B200SXMx8_TRT/rgat/Offline/performance/run_1/spl.txt",
            "mlperf_log_detail.txt", "missing",
        )  # fmt: skip

    def test_536_rows_are_derived_and_they_are_those_called_inferred(self, v51, v51_published):
        derived = {
            r.location
            for r in v51.rows
            if r.log_scenario in ("SingleStream", "MultiStream") and r.log_scenario != r.scenario
        }
        inferred = {at for at, e in v51_published.items() if e["inferred"]}
        assert len(inferred) == 536
        assert len(derived & set(v51_published)) == 536 and derived & set(v51_published) == inferred

    def test_result_published_is_the_log_s_own_text(self, v51, v51_files):
        logs = {
            p.removesuffix("/" + LOG): values.decode(data) for p, data in v51_files if p.endswith("/" + LOG)
        }
        for row in v51.rows:
            lines = logs[row.location].splitlines()
            assert any(re.search(rf":\s*{re.escape(row.result_published)}\s*$", line) for line in lines), (
                row.location
            )
            scale = {"latency_ms": 1e6}.get(row.result_unit_published, 1) / (
                8 if (row.log_scenario, row.scenario) == ("SingleStream", "MultiStream") else 1
            )
            assert float(row.result_published) / scale == pytest.approx(row.result, rel=1e-12)

    def test_500_mutations_of_real_folders_never_raise_and_never_lose_one(self, v51_files):
        chance = random.Random(20261120)
        small = {p: d for p, d in v51_files if len(d) < 20_000}
        logs = [p for p in small if p.endswith(LOG)]
        systems = [p for p in small if "/systems/" in p]
        noise = [
            b"",
            b"\xff\xfe\x00",
            b"{",
            b"[1]",
            b"null",
            b'{"system_name": []}',
            b"Result is : VALID",
            b"<html>",
        ]

        def mutated(data: bytes) -> bytes:
            kind = chance.randrange(5)
            if kind == 0:
                return chance.choice(noise)
            if kind == 1:
                return data[: chance.randrange(len(data) + 1)]
            lines = data.split(b"\n")
            for _ in range(chance.randint(1, 4)):
                at = chance.randrange(len(lines))
                if kind == 2:
                    lines[at] = b""
                elif kind == 3:
                    key, colon, _ = lines[at].partition(b":")
                    lines[at] = (
                        key
                        + colon
                        + chance.choice((b" -1", b" nan", b" 0", b' "x",', b" 1e999", b" {}", b" [],"))
                    )
                else:
                    lines[at] = bytes(chance.randrange(256) for _ in range(12))
            return b"\n".join(lines)

        rows = 0
        for n in range(500):
            chosen = {p: mutated(small[p]) for p in chance.sample(logs, 3)}
            for path in list(chosen):
                division, submitter, _, platform = path.split("/")[:4]
                system = f"{division}/{submitter}/systems/{platform}.json"
                chosen[system] = mutated(small.get(system, small[systems[0]]))
            parsed = parse_tree(chosen.items(), release=chance.choice(["v5.1", "v4.0", "v1.1"]))
            assert parsed.records_in == 3 == len(parsed.rows) + len(parsed.rejects), f"mutation {n}"
            assert all(explains(r) for r in [*parsed.rejects, *parsed.remarks])
            assert all(row.result > 0 for row in parsed.rows)
            rows += len(parsed.rows)
        assert 0 < rows < 1500


@pytest.mark.xdist_group("mlperf_v41_tree")
class TestTheV41Tree:
    def test_937_of_937_results(self, v41, v41_collected):
        result, _ = v41_collected
        found = {r.location: r.result for r in v41.rows}
        assert (v41.records_in, len(found), len(result), v41.rejects) == (937, 937, 937, [])
        off = {
            at: (v, found.get(at))
            for at, v in result.items()
            if not equal_within_rounding(v, found.get(at, -1.0))
        }
        assert off == {}

    def test_31_of_31_power_figures(self, v41, v41_collected):
        _, power = v41_collected
        found = {r.location: r.power for r in v41.rows if r.power is not None}
        assert len(found) == 31
        assert found == {at: pytest.approx(v, rel=1e-6) for at, v in power.items()}


class TestOneFolder:
    def test_with_its_system(self):
        row = one_row({f"{FOLDER}/{LOG}": OFFLINE, "closed/ACME/systems/box_x8.json": SYSTEM})
        assert (row.release, row.dialect, row.division, row.submitter) == (
            "v5.1",
            "raw_tree",
            "closed",
            "ACME",
        )
        assert (row.platform, row.model_published, row.benchmark_published) == (
            "box_x8",
            "resnet50",
            "resnet",
        )
        assert (row.scenario, row.location, row.member) == ("Offline", FOLDER, f"{FOLDER}/{LOG}")
        assert (row.result, row.result_published, row.result_unit_published) == (
            371.423,
            "371.423",
            "samples/s",
        )
        assert (row.number_of_nodes, row.accelerators_per_node, row.accelerators_per_node_published) == (
            2,
            8,
            "8",
        )
        assert (row.availability, row.suite_published) == ("available", "datacenter")
        assert (row.log_scenario, row.log_validity, row.log_metric) == (
            "Offline",
            "VALID",
            "samples_per_second",
        )
        assert (row.is_system_described, row.has_power_published, row.notes) == (True, False, "H100 TGP 700W")
        assert row.source_url == f"https://github.com/mlcommons/inference_results_v5.1/tree/main/{FOLDER}"

    @pytest.mark.parametrize("count", ["N/A", "", None, "eight"])
    def test_an_accelerator_count_that_is_none_is_unknown(self, count):
        row = one_row(
            {
                f"{FOLDER}/{LOG}": OFFLINE,
                "closed/ACME/systems/box_x8.json": SYSTEM | {"accelerators_per_node": count},
            }
        )
        assert row.accelerators_per_node is None and row.is_system_described

    def test_without_a_system_file_the_row_stays_undescribed(self):
        parsed = tree({f"{FOLDER}/{LOG}": OFFLINE, "open/ACME/systems/box_x8.json": SYSTEM})
        (row,) = parsed.rows
        assert (row.result, row.is_system_described) == (371.423, False)
        assert (row.suite_published, row.accelerators_per_node, row.accelerator_name_published) == (
            None,
            None,
            None,
        )
        (remark,) = parsed.remarks
        assert explains(remark, "open/ACME/systems/box_x8.json", "describes a system without any log")

    @pytest.mark.parametrize(
        "payload",
        [b"", b'{"system_name": "x"', b"[]", b'{"starting_weights_filename": "x"}', b'{"n": ' + b"9" * 5000 + b"}", b"[" * 100_000],
        ids=["empty", "truncated", "list", "measurements", "endless_number", "endless_nesting"],
    )  # fmt: skip
    def test_a_system_file_that_is_none_is_a_remark_and_the_row_stays(self, payload):
        parsed = tree({f"{FOLDER}/{LOG}": OFFLINE, "closed/ACME/systems/box_x8.json": payload})
        assert [(r.result, r.is_system_described) for r in parsed.rows] == [(371.423, False)]
        (remark,) = parsed.remarks
        assert explains(remark, "closed/ACME/systems/box_x8.json", "is no system description")

    def test_a_system_file_in_windows_1252(self):
        payload = json.dumps(SYSTEM | {"system_name": "Boîte – 8× H100"}, ensure_ascii=False).encode("cp1252")
        row = one_row({f"{FOLDER}/{LOG}": OFFLINE, "closed/ACME/systems/box_x8.json": payload})
        assert row.system_name == "Boîte – 8× H100"

    def test_a_system_of_odd_types_is_read_as_far_as_it_goes(self):
        odd = SYSTEM | {
            "number_of_nodes": [1],
            "system_type": 7,
            "framework": {"a": 1},
            "status": None,
            "sw_notes": "\ud800",
        }
        row = one_row({f"{FOLDER}/{LOG}": OFFLINE, "closed/ACME/systems/box_x8.json": odd})
        assert (row.number_of_nodes, row.suite_published, row.availability) == (None, None, None)
        assert (row.accelerators_per_node, row.notes) == (8, "H100 TGP 700W; ?")

    @pytest.mark.parametrize(("published", "expected"), [("datacenter,edge", "datacenter,edge"), ("Edge, datacenter", "edge,datacenter"), ("mobile", None)])  # fmt: skip
    def test_a_suite_may_be_double(self, published, expected):
        files = {
            f"{FOLDER}/{LOG}": OFFLINE,
            "closed/ACME/systems/box_x8.json": SYSTEM | {"system_type": published},
        }
        assert one_row(files).suite_published == expected

    def test_a_log_with_broken_bytes_or_a_byte_order_mark_is_read(self):
        assert (
            one_row({f"{FOLDER}/{LOG}": b"\x81\xff\xfe binary\n" + OFFLINE.encode() + b"\xc3\x28"}).result
            == 371.423
        )
        start = b"\xef\xbb\xbfScenario : Offline\n"  # the mark must not become part of the first key
        body = start + OFFLINE.replace("Scenario : Offline\n", "").encode()
        assert one_row({f"{FOLDER}/{LOG}": body}).log_scenario == "Offline"

    @pytest.mark.parametrize("scenario", ["offline", "OFFLINE", "OffLine"])
    def test_the_folder_s_letter_case_does_not_matter(self, scenario):
        folder = f"closed/ACME/results/box_x8/resnet50/{scenario}"
        row = one_row({f"{folder}/{LOG}": OFFLINE})
        assert (row.scenario, row.scenario_published, row.location) == ("Offline", scenario, folder)

    def test_accuracy_is_kept_without_its_hash_and_gives_tokens_per_sample(self):
        accuracy = "{'rouge1': 44.5, 'tokens_per_sample': 294.4}\n\nhash=abc123\n"
        row = one_row({f"{FOLDER}/{LOG}": OFFLINE, f"{FOLDER}/accuracy/accuracy.txt": accuracy})
        assert row.accuracy_published == "{'rouge1': 44.5, 'tokens_per_sample': 294.4}"
        assert row.tokens_per_sample == 294.4

    def test_both_rates_of_a_token_model(self):
        folder = "closed/ACME/results/box_x8/llama2-70b-99/Server"
        row = one_row({f"{folder}/{LOG}": V40_LLAMA2_SERVER}, "v4.0")
        assert (row.result, row.log_samples_per_s, row.log_tokens_per_s) == (90.35, 90.35, 26485.43)

    def test_a_derived_folder_says_what_really_ran(self):
        folder = "open/ACME/results/box_x8/mobilenet-v9/multistream"
        row = one_row({f"{folder}/{LOG}": V51_SINGLESTREAM})
        assert (row.log_scenario, row.scenario, row.benchmark_published) == (
            "SingleStream",
            "MultiStream",
            None,
        )
        assert (row.result, row.result_published) == (pytest.approx(11.060112, rel=1e-12), "1382514")

    @pytest.mark.parametrize(
        ("scenario", "text", "result", "published"),
        [
            ("SingleStream", V05_SINGLESTREAM, 1.374171, "1374171"),
            ("MultiStream", V05_MULTISTREAM, 2692.0, "2692"),
        ],
    )
    def test_the_first_round_s_words_are_understood(self, scenario, text, result, published):
        row = one_row({f"closed/ACME/results/box/ssd-mobilenet/{scenario}/{LOG}": text}, "v0.5")
        assert (row.result, row.result_published, row.log_scenario) == (result, published, scenario)
        assert row.benchmark_published == "ssd-small"


class TestAFolderThatIsNoResult:
    """What a log must say: test_loadgen.py."""

    @pytest.mark.parametrize(
        "text", [log("Offline", "Samples per second: 1", validity="INVALID"), OFFLINE[:150], " \n\n"]
    )
    def test_is_rejected_with_its_folder(self, text):
        assert explains(one_reject(text), f"{FOLDER}/{LOG}", "Offline", "the log")

    def test_of_an_unknown_division(self):
        assert explains(
            one_reject(OFFLINE, "ajar/ACME/results/b/resnet50/Offline"), "division 'ajar' is unknown"
        )

    def test_a_folder_without_a_performance_log(self):
        parsed = tree({f"{FOLDER}/accuracy/accuracy.txt": "acc=76.1%"})
        assert (parsed.records_in, parsed.rows) == (1, [])
        assert explains(parsed.rejects[0], f"{FOLDER}/{LOG}", "there is no performance log")


class TestAnUnknownName:
    def test_a_scenario_nobody_knows_is_read_by_the_scenario_that_ran(self):
        row = one_row({f"closed/ACME/results/b/resnet50/Parallel/{LOG}": OFFLINE})
        assert (row.scenario, row.scenario_published) == ("unmapped:Parallel", "Parallel")
        assert (row.result, row.result_unit_published, row.log_scenario) == (371.423, "samples/s", "Offline")

    def test_a_closed_benchmark_nobody_knows_is_read_by_the_scenario_s_default_rule(self):
        text = log("Offline", "Samples per second: 5.5", "Tokens per second: 777")
        row = one_row({f"closed/ACME/results/b/llama7-1t/Offline/{LOG}": text}, "v6.1")
        assert (row.benchmark_published, row.result, row.result_unit_published) == (
            "llama7-1t",
            5.5,
            "samples/s",
        )
        assert row.log_tokens_per_s == 777

    def test_an_open_net_nobody_knows_counts_tokens_where_they_were_logged(self):
        text = log("Offline", "Samples per second: 5.5", "Tokens per second: 777")
        row = one_row({f"open/ACME/results/b/llama7-1t/Offline/{LOG}": text}, "v6.1")
        assert (row.benchmark_published, row.result, row.result_unit_published) == (None, 777, "tokens/s")


class TestWhatIsNoRecord:
    @pytest.mark.parametrize(
        "path",
        [
            "closed/ACME/compliance/box_x8/resnet50/Offline/TEST01/performance/run_1/mlperf_log_summary.txt",
            "closed/ACME/audit/box_x8/resnet50/Offline/TEST01/performance/run_1/mlperf_log_summary.txt",
            "closed/ACME/results/box_x8/resnet50/TEST01/performance/run_1/mlperf_log_summary.txt",
            "closed/ACME/results/box_x8/resnet50/ranging/performance/run_1/mlperf_log_summary.txt",
            "closed/ACME/measurements/box_x8/resnet50/Offline/measurements.json",
            "closed/ACME/code/resnet50/systems/box.json",
            "closed/ACME/results/box_x8/systems/x.json",
            "README.md",
        ],
    )
    def test_is_ignored(self, path):
        parsed = tree({path: OFFLINE})
        assert (parsed.records_in, parsed.rows, parsed.rejects, parsed.remarks) == (0, [], [], [])

    @pytest.mark.parametrize(
        "beside",
        [
            "TEST01/performance/run_1/mlperf_log_summary.txt",
            "TEST08/accuracy/accuracy.txt",
            "performance/ranging/mlperf_log_summary.txt",
            "performance/run_2/mlperf_log_summary.txt",
            "accuracy/mlperf_log_summary.txt",
        ],
    )
    def test_stands_beside_a_result_without_touching_it(self, beside):
        other = log("Offline", "Samples per second: 999999")
        row = one_row({f"{FOLDER}/{beside}": other, f"{FOLDER}/{LOG}": OFFLINE})
        assert (row.result, row.accuracy_published) == (371.423, None)


class TestALogThatIsNotRead:
    @pytest.mark.parametrize(
        ("path", "system"),
        [
            (f"closed/ACME/results/box_x8/resnet50/{LOG}", "closed/ACME/results/box_x8"),
            (f"closed/ACME/results/box_x8/tuned/resnet50/Offline/{LOG}", "closed/ACME/results/box_x8"),
            (f"ACME/results/box_x8/resnet50/Offline/{LOG}", "ACME/results/box_x8"),
            (f"round/closed/ACME/results/box_x8/resnet50/Offline/{LOG}", "round/closed/ACME/results/box_x8"),
            (f"results/box_x8/resnet50/Offline/{LOG}", "results/box_x8"),
            (
                "closed/ACME/results/box_x8/qwen/performance/result_summary.json",
                "closed/ACME/results/box_x8",
            ),
        ],
    )
    def test_is_remarked_with_its_path_and_the_layout_that_works(self, path, system):
        parsed = tree({path: OFFLINE})
        assert (parsed.records_in, parsed.rows, parsed.rejects) == (0, [], [])
        (remark,) = parsed.remarks
        assert explains(remark, path, system, "1 logs of performance runs in a place that is not read")
        assert "<benchmark>/<scenario>/performance/run_1" in remark.remedy

    def test_many_of_one_system_are_one_remark(self):
        parsed = tree(
            {f"closed/ACME/results/box/{net}/{LOG}": OFFLINE for net in ("bert-99", "rnnt", "dlrm")}
        )
        (remark,) = parsed.remarks
        assert explains(remark, f"closed/ACME/results/box/bert-99/{LOG}", "3 logs")

    def test_a_described_system_without_any_log_is_remarked(self):
        parsed = tree(
            {
                f"{FOLDER}/{LOG}": OFFLINE,
                "closed/ACME/systems/box_x8.json": SYSTEM,
                "closed/ACME/systems/box_x16.json": SYSTEM,
                # the same name in another division, and with accuracy only
                "open/ACME/systems/box_x8.json": SYSTEM,
                "closed/ACME/systems/half.json": SYSTEM,
                "closed/ACME/results/half/resnet50/Offline/accuracy/accuracy.txt": "accuracy=76",
            }
        )
        assert [r.result for r in parsed.rows] == [371.423]
        assert [remark.payload for remark in parsed.remarks] == [
            "closed/ACME/systems/box_x16.json",
            "open/ACME/systems/box_x8.json",
        ]
        assert "there is no performance log" in str(parsed.rejects[0])


class TestMeasurements:
    @pytest.mark.parametrize(
        "path",
        [
            "closed/ACME/measurements/box_x8/resnet50/Offline/box_x8_impl_Offline.json",
            f"{FOLDER}/measurements.json",
        ],
    )
    def test_state_the_number_format_of_the_weights(self, path):
        row = one_row({path: {"weight_data_types": "int8,fp16"}, f"{FOLDER}/{LOG}": OFFLINE})
        assert row.weight_data_types_published == "int8,fp16"

    @pytest.mark.parametrize("body", ["{", "[]", "{}", ""])
    def test_that_say_nothing_cost_nothing(self, body):
        row = one_row({f"{FOLDER}/measurements.json": body, f"{FOLDER}/{LOG}": OFFLINE})
        assert row.weight_data_types_published is None


def test_the_submitter_is_that_of_the_system_description():
    system = SYSTEM | {"submitter": "VMwareACME"}
    row = one_row({"closed/ACME/systems/box_x8.json": system, f"{FOLDER}/{LOG}": OFFLINE})
    assert (row.submitter, row.location) == ("VMwareACME", FOLDER)
    same = SYSTEM | {"submitter": "acme"}
    assert one_row({"closed/ACME/systems/box_x8.json": same, f"{FOLDER}/{LOG}": OFFLINE}).submitter == "ACME"


class TestPowerOfAFolder:
    DETAIL = "\n".join(
        f':::MLLOG {{"key": "{key}", "value": {value}}}'
        for key, value in [
            ("power_begin", '"07-28-2025 08:00:00.000"'), ("power_end", '"07-28-2025 08:00:10.000"'),
            ("result_query_count", "400"),
        ]
    )  # fmt: skip
    SPL = "Time,07-28-2025 08:00:05.000,Watts,120.0,Volts,230\nTime,07-28-2025 08:00:06.000,Watts,80.0,Volts,230\n"

    def files(self, scenario="Offline", text=OFFLINE, **more):
        run = f"closed/ACME/results/box_x8/resnet50/{scenario}/performance/run_1"
        named = {
            "mlperf_log_summary.txt": text,
            "spl.txt": self.SPL,
            "mlperf_log_detail.txt": self.DETAIL,
        } | more
        return {f"{run}/{name}": body for name, body in named.items() if body is not None}

    def test_is_the_mean_of_its_readings(self):
        row = one_row(self.files())
        assert (row.power, row.power_unit_published, row.has_power_published) == (100.0, "Watts", True)

    def test_of_a_derived_multistream_is_eight_queries_worth(self):
        # 100 W x 10 s x 1000 / 400 x 8
        row = one_row(self.files("MultiStream", V51_SINGLESTREAM))
        assert (row.power, row.power_unit_published) == (20000.0, "millijoules")

    def test_of_a_singlestream_is_per_query(self):
        assert one_row(self.files("SingleStream", V51_SINGLESTREAM)).power == 2500.0

    @pytest.mark.parametrize(
        ("name", "body", "problem"),
        [
            (
                "mlperf_log_detail.txt",
                None,
                "mlperf_log_detail.txt, which holds the power interval, is missing",
            ),
            ("mlperf_log_detail.txt", "", "mlperf_log_detail.txt has no power_begin and no power_end"),
            ("spl.txt", "", "spl.txt has no positive reading"),
        ],
    )
    def test_that_cannot_be_read_is_a_remark_and_the_row_stays(self, name, body, problem):
        parsed = tree(self.files(**{name: body}))
        (row,) = parsed.rows
        assert (row.result, row.power, row.has_power_published) == (371.423, None, True)
        assert explains(
            parsed.remarks[0], "run_1/spl.txt", "Offline", "power was logged and cannot be read", problem
        )


@pytest.mark.parametrize(
    ("folder", "benchmark"),
    [
        ("resnet50", "resnet"), ("llama3_1-405b", "llama3.1-405b"), ("llama2-70b-99.9", "llama2-70b-99.9"),
        ("mobilenet-v1-precision_float-1.0-224", None), ("", None),
    ],
)  # fmt: skip
def test_benchmark_of_a_folder(folder, benchmark):
    assert benchmark_of_folder(folder) == benchmark


@pytest.mark.parametrize(
    ("payload", "text"),
    [
        (b"caf\xc3\xa9", "café"),
        (b"\xef\xbb\xbfa", "a"),
        (b"caf\xe9 \x96", "café –"),
        (b"\x81a", "\ufffda"),
        (b"", ""),
    ],
)
def test_decode(payload, text):
    assert values.decode(payload) == text
