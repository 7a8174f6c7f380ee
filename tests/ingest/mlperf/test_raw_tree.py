"""Submission trees: the real v5.1 and v4.1 trees against what MLCommons published, and every kind of broken folder."""

from __future__ import annotations

import json
import random
import re

import pytest
from mlperf_payloads import OFFLINE, V40_LLAMA2_SERVER, explains, has, log, tar_members

from ingest.core import values
from ingest.mlperf.raw_tree import parse_tree

FOLDER = "closed/ACME/results/box_x8/resnet50/Offline"
SYSTEM_FILE = "closed/ACME/systems/box_x8.json"
LOG = "performance/run_1/mlperf_log_summary.txt"
SYSTEM = {
    "system_name": "ACME box (8x H100)",
    "submitter": "ACME",
    "status": "Available",
    "system_type": "datacenter",
    "number_of_nodes": "2",
    "accelerators_per_node": "8",
    "accelerator_model_name": "NVIDIA H100-SXM-80GB",
    "hw_notes": "H100 TGP 700W",
}


def as_bytes(value) -> bytes:
    if isinstance(value, bytes):
        return value
    return (value if isinstance(value, str) else json.dumps(value)).encode()


def tree(files: dict, release: str = "v5.1"):
    """A tree of these files beside one good folder and its system, which must come through whatever they are."""
    good = {
        "closed/Good/systems/good.json": SYSTEM | {"submitter": "Good"},
        f"closed/Good/results/good/resnet50/Offline/{LOG}": OFFLINE,
    }
    parsed = parse_tree([(p, as_bytes(b)) for p, b in {**files, **good}.items()], release=release)
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


def folder(system: object = None, log: object = OFFLINE, **more: object) -> dict:
    """The files of `FOLDER`; other names are below it."""
    files = {f"{FOLDER}/{LOG}": log} | {f"{FOLDER}/{name}": body for name, body in more.items()}
    return files if system is None else files | {SYSTEM_FILE: system}


def equal_within_rounding(published: float, found: float) -> bool:
    """Published values have two decimals (Server) or six digits."""
    return abs(published - found) <= max(0.00501, 1e-5 * abs(published))


@pytest.mark.xdist_group("mlperf_v51_tree")
class TestTheV51Tree:
    @pytest.fixture(scope="class")
    def published(self, v51_published):
        return {e["Location"]: e for e in v51_published}

    def test_every_folder_is_a_row(self, v51_tree, v51_files):
        logs = {p.removesuffix("/" + LOG) for p, _ in v51_files if p.endswith("/" + LOG) and "/TEST" not in p}
        assert has(v51_tree, records_in=1449, rejects=[]) and {r.location for r in v51_tree.rows} == logs
        assert len(v51_tree.rows) == 1449

    def test_every_published_figure_comes_out_of_its_log(self, v51_tree, published):
        rows = {r.location: r for r in v51_tree.rows}
        assert len(published) == 1448
        for at, entry in published.items():
            row = rows.pop(at)
            assert equal_within_rounding(entry["Performance_Result"], row.result), at
            assert has(
                row,
                submitter=entry["Submitter"],
                platform=entry["Platform"],
                model_published=entry["UsedModel"],
                scenario=entry["Scenario"],
            )
            assert not row.is_system_described or row.number_of_nodes == entry["Nodes"]
        # one folder was not published
        ((_, extra),) = rows.items()
        assert has(extra, submitter="GATEOverflow", model_published="pointpainting", scenario="Offline")

    def test_readable_power_logs_give_the_published_power(self, v51_tree, published):
        stated = {at: e for at, e in published.items() if e.get("has_power")}
        found = {r.location: r for r in v51_tree.rows if r.power is not None}
        assert len(stated) == 24 and len(found) == 23
        for at, row in found.items():
            assert row.power == pytest.approx(stated[at]["Power_Result"], rel=1e-6)
            assert row.power_unit_published == stated[at]["Power_Units"]
        (warning,) = v51_tree.warnings
        (without,) = stated.keys() - found
        assert explains(warning, f"{without}/performance/run_1/spl.txt", "mlperf_log_detail.txt", "missing")

    def test_derived_rows_are_those_called_inferred(self, v51_tree, published):
        single = ("SingleStream", "MultiStream")
        rows = [r for r in v51_tree.rows if r.location in published]
        derived = {r.location for r in rows if r.log_scenario in single and r.log_scenario != r.scenario}
        assert len(derived) == 536 and derived == {at for at, e in published.items() if e["inferred"]}

    def test_mutations_of_real_folders_never_raise_and_never_lose_one(self, v51_files):
        chance = random.Random(20261120)
        small = {p: d for p, d in v51_files if len(d) < 20_000}
        logs = [p for p in small if p.endswith(LOG)]
        systems = [p for p in small if "/systems/" in p]
        noise = (b"", b"\xff\xfe\x00", b"{", b"null", b'{"system_name": []}', b"Result is : VALID")
        figures = (b" -1", b" nan", b" 0", b' "x",', b" 1e999", b" {}", b" [],")

        def mutated(data: bytes) -> bytes:
            kind = chance.randrange(4)
            if kind == 0:
                return chance.choice(noise)
            if kind == 1:
                return data[: chance.randrange(len(data) + 1)]
            lines = data.split(b"\n")
            for at in chance.choices(range(len(lines)), k=4):
                key = lines[at].partition(b":")[0]
                lines[at] = chance.randbytes(12) if kind == 2 else key + b":" + chance.choice(figures)
            return b"\n".join(lines)

        rows = 0
        for n in range(300):
            chosen = {p: mutated(small[p]) for p in chance.sample(logs, 3)}
            for path in list(chosen):
                division, submitter, _, platform = path.split("/")[:4]
                system = f"{division}/{submitter}/systems/{platform}.json"
                chosen[system] = mutated(small.get(system, small[systems[0]]))
            parsed = parse_tree(chosen.items(), release=chance.choice(["v5.1", "v4.0", "v1.1"]))
            assert parsed.records_in == 3 == len(parsed.rows) + len(parsed.rejects), f"mutation {n}"
            assert all(explains(r) for r in [*parsed.rejects, *parsed.warnings])
            assert all(row.result > 0 for row in parsed.rows)
            rows += len(parsed.rows)
        assert 0 < rows < 900


@pytest.mark.xdist_group("mlperf_collection")
def test_results_and_power_of_v41_are_those_of_the_collection(mlperf_data, collected):
    files = tar_members(mlperf_data / "releases/inference_results_v4.1.tar.gz")
    tree = parse_tree(files, release="v4.1")
    of_round = [e for e in collected if e["version"] == "v4.1"]
    power = {e["Location"]: e["Result_Power"] for e in of_round if e["Units"] in ("Watts", "millijoules")}
    result = {e["Location"]: e["Result"] for e in of_round if e["Units"] not in ("Watts", "millijoules")}
    found = {r.location: r for r in tree.rows}
    assert has(tree, records_in=937, rejects=[]) and found.keys() == result.keys() and len(power) == 31
    assert all(equal_within_rounding(value, found[at].result) for at, value in result.items())
    assert {at: row.power for at, row in found.items() if row.power is not None} == {
        at: pytest.approx(watts, rel=1e-6) for at, watts in power.items()
    }


FIRST_LINES = {
    ("SingleStream", "SingleStream"): r"90(?:th|\.00) percentile latency \(ns\)",
    ("SingleStream", "Offline"): r"QPS w/o loadgen overhead",
    ("MultiStream", "MultiStream"): "Samples per query",
    ("Server", "Server"): "Scheduled samples per second",
    ("Offline", "Offline"): "Samples per second",
}


@pytest.mark.parametrize(("release", "results"), [("v0.5", 589), ("v1.1", 1814)])
def test_in_the_first_rounds_one_line_of_each_scenario_counts(release, results, mlperf_data):
    logs = dict(tar_members(mlperf_data / f"releases/inference_results_{release}.tar.gz"))
    rows = parse_tree(logs.items(), release=release).rows
    assert len(rows) == results
    for row in rows:
        line = FIRST_LINES[row.log_scenario, row.scenario]
        text = values.decode(logs[row.member])
        stated, *_ = re.findall(rf"^{line} *: (\S+)\s*$", text, re.MULTILINE)
        scale = 1e6 if row.scenario == "SingleStream" else 1
        assert row.result_published == stated, row.location
        assert row.result == pytest.approx(float(stated) / scale, rel=1e-12), row.location


def test_a_folder_with_its_system():
    row = one_row(folder(SYSTEM))
    assert has(
        row, release="v5.1", dialect="raw_tree", division="closed", submitter="ACME", scenario="Offline"
    )
    assert has(row, platform="box_x8", model_published="resnet50", benchmark_published="resnet")
    assert has(row, location=FOLDER, member=f"{FOLDER}/{LOG}", log_scenario="Offline", log_validity="VALID")
    assert has(row, result=371.423, result_published="371.423", result_unit_published="samples/s")
    assert has(row, number_of_nodes=2, accelerators_per_node=8, accelerators_per_node_published="8")
    assert has(row, availability="available", suite_published="datacenter", notes="H100 TGP 700W")
    assert has(row, log_metric="samples_per_second", is_system_described=True, has_power_published=False)
    assert row.source_url == f"https://github.com/mlcommons/inference_results_v5.1/tree/main/{FOLDER}"


ODD = {"number_of_nodes": [1], "system_type": 7, "framework": {"a": 1}, "status": None, "sw_notes": "\ud800"}


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        (SYSTEM | {"accelerators_per_node": "N/A"}, {"accelerators_per_node": None}),
        (SYSTEM | ODD, {"number_of_nodes": None, "suite_published": None, "availability": None,
                        "accelerators_per_node": 8, "notes": "H100 TGP 700W; ?"}),
        (SYSTEM | {"system_type": "Edge, datacenter"}, {"suite_published": "edge,datacenter"}),
        (json.dumps(SYSTEM | {"system_name": "Boîte – 8× H100"}, ensure_ascii=False).encode("cp1252"),
         {"system_name": "Boîte – 8× H100"}),
        # the submitter is that of the system description, unless only the letter case differs
        (SYSTEM | {"submitter": "VMwareACME"}, {"submitter": "VMwareACME", "location": FOLDER}),
        (SYSTEM | {"submitter": "acme"}, {"submitter": "ACME"}),
    ],
)  # fmt: skip
def test_a_system_is_read_as_far_as_it_goes(system, expected):
    assert has(one_row(folder(system)), is_system_described=True, **expected)


@pytest.mark.parametrize(
    "payload",
    [b"[]", b'{"starting_weights_filename": "x"}', b'{"n": ' + b"9" * 5000 + b"}", b"[" * 100_000],
    ids=["list", "measurements", "endless_number", "endless_nesting"],
)
def test_a_system_file_that_is_none_is_a_warning_and_the_row_stays(payload):
    parsed = tree(folder(payload))
    assert has(parsed.rows[0], result=371.423, is_system_described=False, suite_published=None)
    assert has(parsed.rows[0], accelerators_per_node=None, accelerator_name_published=None)
    (warning,) = parsed.warnings
    assert explains(warning, SYSTEM_FILE, "is no system description")


def place(scenario: str, benchmark: str = "resnet50", division: str = "closed") -> str:
    return f"{division}/ACME/results/box_x8/{benchmark}/{scenario}"


TOKENS = log("Offline", "Samples per second: 5.5", "Tokens per second: 777")


@pytest.mark.parametrize(
    ("home", "text", "release", "expected"),
    [
        # the letter case of a folder does not matter
        (place("offline"), OFFLINE, "v5.1",
         {"scenario": "Offline", "scenario_published": "offline", "location": place("offline")}),
        (place("Server", "llama2-70b-99"), V40_LLAMA2_SERVER, "v4.0",
         {"result": 90.35, "log_samples_per_s": 90.35, "log_tokens_per_s": 26485.43}),
        # an unknown scenario is read by the one that ran, an unknown benchmark by the scenario's default rule, and an
        # unknown net of the open division by its tokens where they were logged
        (place("Parallel"), OFFLINE, "v5.1",
         {"scenario": "unmapped:Parallel", "scenario_published": "Parallel", "result": 371.423, "log_scenario": "Offline"}),
        (place("Offline", "llama7-1t"), TOKENS, "v6.1",
         {"benchmark_published": "llama7-1t", "result": 5.5, "result_unit_published": "samples/s", "log_tokens_per_s": 777}),
        (place("Offline", "llama7-1t", "open"), TOKENS, "v6.1",
         {"benchmark_published": None, "result": 777, "result_unit_published": "tokens/s"}),
    ],
)  # fmt: skip
def test_folders_and_their_results(home, text, release, expected):
    assert has(one_row({f"{home}/{LOG}": text}, release), **expected)


@pytest.mark.parametrize(
    ("home", "files", "problem"),
    [
        # what else a log must say: test_loadgen.py
        (FOLDER, {LOG: log("Offline", "Samples per second: 1", validity="INVALID")}, "the log"),
        (FOLDER, {LOG: " \n\n"}, "the log is empty"),
        (place("Offline", division="ajar"), {LOG: OFFLINE}, "division 'ajar' is unknown"),
        (FOLDER, {"accuracy/accuracy.txt": "acc=76.1%"}, "there is no performance log"),
    ],
)
def test_a_folder_that_is_no_result_is_rejected(home, files, problem):
    parsed = tree({f"{home}/{name}": body for name, body in files.items()})
    assert has(parsed, records_in=1, rows=[])
    assert explains(parsed.rejects[0], f"{home}/{LOG}", "Offline", problem)


@pytest.mark.parametrize(
    ("path", "system"),
    [
        (f"closed/ACME/results/box_x8/resnet50/{LOG}", "closed/ACME/results/box_x8"),
        (f"closed/ACME/results/box_x8/tuned/resnet50/Offline/{LOG}", "closed/ACME/results/box_x8"),
        (f"round/closed/ACME/results/box_x8/resnet50/Offline/{LOG}", "round/closed/ACME/results/box_x8"),
        (f"results/box_x8/resnet50/Offline/{LOG}", "results/box_x8"),
        ("closed/ACME/results/box_x8/qwen/performance/result_summary.json", "closed/ACME/results/box_x8"),
    ],
)
def test_a_log_that_is_not_read_is_warned_of_by_system(path, system):
    parsed = tree({path: OFFLINE, path.replace("/performance", "-2/performance"): OFFLINE})
    assert has(parsed, records_in=0, rows=[], rejects=[])
    (warning,) = parsed.warnings
    assert explains(warning, path, "2 logs of performance runs in a place that is not read")
    assert warning.record == system


def test_a_tree_without_any_log_is_warned_of():
    (warning,) = parse_tree([("closed/ACME/results/box/new.txt", b"")], release="v9.0").warnings
    assert explains(warning, "closed/ACME/results/box/new.txt", "1 files under results/", "0 log records")


def test_a_described_system_without_any_log_is_warned_of():
    parsed = tree(
        folder(SYSTEM)
        | {
            "closed/ACME/systems/box_x16.json": SYSTEM,
            # the same name in another division, and with accuracy only
            "open/ACME/systems/box_x8.json": SYSTEM,
            "closed/ACME/systems/half.json": SYSTEM,
            "closed/ACME/results/half/resnet50/Offline/accuracy/accuracy.txt": "accuracy=76",
        }
    )
    assert [r.result for r in parsed.rows] == [371.423]
    assert [warning.payload for warning in parsed.warnings] == [
        "closed/ACME/systems/box_x16.json",
        "open/ACME/systems/box_x8.json",
    ]
    assert "there is no performance log" in str(parsed.rejects[0])


MEASURED = "closed/ACME/measurements/box_x8/resnet50/Offline"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({f"{MEASURED}/box_x8_impl_Offline.json": {"weight_data_types": "int8,fp16"}}, "int8,fp16"),
        ({f"{FOLDER}/measurements.json": {"weight_data_types": "int8,fp16"}}, "int8,fp16"),
        # of several the one named after the scenario counts
        ({f"{MEASURED}/Offline.json": {"weight_data_types": "fp8"}, f"{MEASURED}/user.json": {}}, "fp8"),
        *(({f"{FOLDER}/measurements.json": body}, None) for body in ("{", "[]")),
    ],
)
def test_measurements_state_the_number_format_of_the_weights(files, expected):
    assert one_row(folder() | files).weight_data_types_published == expected


def test_accuracy_is_kept_without_its_hash_and_gives_tokens_per_sample():
    text = "{'rouge1': 44.5, 'tokens_per_sample': 294.4}\n\nhash=abc123\n"
    row = one_row(folder(**{"accuracy/accuracy.txt": text}))
    assert has(row, accuracy_published=text.splitlines()[0], tokens_per_sample=294.4)


@pytest.mark.parametrize(
    ("rate", "rows", "duplicates", "rejects"), [("371.423", 1, 1, 0), ("3714.23", 0, 0, 2)]
)
def test_a_scenario_in_two_letter_cases_is_one_result_if_both_say_the_same(rate, rows, duplicates, rejects):
    again = f"{FOLDER.replace('Offline', 'offline')}/{LOG}"
    parsed = tree(folder(SYSTEM) | {again: OFFLINE.replace("371.423", rate)})
    assert (len(parsed.rows), parsed.duplicates, len(parsed.rejects)) == (rows, duplicates, rejects)
    assert all(explains(r, "contradicts another record of the same result in result") for r in parsed.rejects)
