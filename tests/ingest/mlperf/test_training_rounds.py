"""Training rounds in old and future dialects: v0.5, v0.7, v3.1, the files of v6.0, and what no rule knows."""

from __future__ import annotations

import csv
import json
import re
import statistics
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("mlperf_logging")

from small_training import SYSTEM, a_log, as_text
from test_training import bert, members, parsed

from ingest.mlperf.training import parse_training_tree
from ingest.mlperf.training_layout import Place, kind_and_place

pytestmark = pytest.mark.xdist_group("mlperf_training_rounds")
REFEREE = Path(__file__).parent / "referee"


@pytest.mark.parametrize(("release", "scores"), [("v0.7", 126), ("v3.1", 209)])
def test_every_score_is_the_summarizers(release, scores, mlperf_data):
    with (REFEREE / f"training_{release}_scores.csv").open(encoding="utf-8") as file:
        official = {(r["submitter"], r["system"], r["benchmark"]): r for r in csv.DictReader(file)}
    tree = parsed(mlperf_data, release)
    ours = {(r.submitter, r.system, r.benchmark): r for r in tree.results.rows if r.minutes is not None}
    assert len(official) == scores and ours.keys() == official.keys()
    for key, row in official.items():
        assert ours[key].minutes == pytest.approx(float(row["minutes"]), rel=1e-6), key
        # a system without accelerators counts 0 there
        assert (ours[key].total_accelerators or 0) == int(row["accelerators"]), key
    assert tree.runs.is_balanced and tree.results.is_balanced and not tree.runs.rejects


def test_logs_without_a_benchmark_folder_are_kept(mlperf_data):
    """Alibaba, v0.7: logs in the system's folder, time_s instead of time_ms, system files of other names."""
    results = [r for r in parsed(mlperf_data, "v0.7").results.rows if r.submitter == "Alibaba"]
    assert {(r.system, r.benchmark, r.total_accelerators) for r in results} == {
        ("v100-256", "resnet", 256), ("v100-512", "resnet", 512), ("v100-1280", "resnet", 1280),
    }  # fmt: skip
    assert {(r.minutes, r.no_score_reason) for r in results} == {
        (
            None,
            "5 of 5 runs failed, 1 may: records cannot be read (ValueError: time_s stands for time_ms) (5 runs)",
        )
    }
    runs = [r for r in parsed(mlperf_data, "v0.7").runs.rows if r.submitter == "Alibaba"]
    assert len(runs) == 15 and all("time_s" in r.compliance_problem and r.minutes for r in runs)


def minutes_of_v05(payload: bytes) -> tuple[float, bool]:
    """A second reading of a v0.5 log, by plain text search: (run time in minutes, success)."""
    text = payload.decode("latin-1")
    (start, *_) = re.findall(r":::MLPv0.5.0 \w+ ([\d.]+) \(.*\) run_start", text)
    ((stop, outcome), *_) = re.findall(r":::MLPv0.5.0 \w+ ([\d.]+) \(.*\) run_stop(.*)", text)
    return (float(stop) - float(start)) / 60, "false" not in outcome


def test_v05_scores_are_means_without_the_fastest_and_the_slowest(mlperf_data):
    folders = defaultdict(list)
    for path, payload in members(mlperf_data, "v0.5"):
        if "/result_" in path:
            folders[path.rpartition("/")[0]].append(minutes_of_v05(payload))
    tree = parsed(mlperf_data, "v0.5")
    assert tree.runs.records_in == sum(map(len, folders.values())) == 600 == len(tree.runs.rows)
    assert {r.location for r in tree.results.rows} == set(folders)
    # four systems of Intel's without a log
    assert len(tree.runs.remarks) == 4 and all("/intel_minigo_" in r.payload for r in tree.runs.remarks)
    for result in tree.results.rows:
        runs = folders[result.location]
        assert result.runs_failed == sum(not succeeded for _, succeeded in runs)
        if result.benchmark == "ncf":
            assert result.minutes is None and "no rule at hand" in result.no_score_reason
        else:
            assert result.minutes == pytest.approx(
                statistics.mean(sorted(m for m, _ in runs)[1:-1]), rel=1e-9
            )


def test_v05_accelerators_are_those_in_use(mlperf_data):
    """NVIDIA's announcement of 2018-12-12 states 640 and 512 GPUs for ResNet-50; a TPU slice is named by its cores."""
    counts = {(r.system, r.benchmark): r.total_accelerators for r in parsed(mlperf_data, "v0.5").results.rows}
    assert counts["dgx1_multi_ngc18.11_mxnet", "resnet"] == 640
    assert counts["dgx1_multi_ngc18.11_pytorch", "ssd"] == 64
    assert counts["dgx2h_multi_ngc18.11_mxnet", "resnet"] == 512
    assert counts["cloud_v2.512_resnet-tpuv2-512_tpu", "resnet"] == 256
    assert counts["research_v3.32_gnmt-tpuv3-32_tpu", "gnmt"] == 16
    assert counts["intel_resnet_submission_skx_8180_2s_8x", "resnet"] is None
    names = {r.submitter_published for r in parsed(mlperf_data, "v0.5").results.rows}
    assert names == {"Google", "Google Inc.", "Intel Corp.", "Nvidia"}


def test_v06_scores_are_those_derived_from_its_logs_by_another_reader(mlperf_data):
    """61 results; the one without run_stop is doubtful there (taken from another line) and has no score here."""
    with (mlperf_data / "official_scores" / "training_v0.6_scores_derived.csv").open(
        encoding="utf-8"
    ) as file:
        derived = {(r["submitter"], r["system"], r["benchmark_folder"]): r for r in csv.DictReader(file)}
    tree = parsed(mlperf_data, "v0.6")
    assert (
        len(tree.results.rows) == len(derived) == 61 and len(tree.runs.rows) == 430 and not tree.runs.rejects
    )
    for result in tree.results.rows:
        row = derived.pop((result.submitter, result.system, result.location.rpartition("/")[2]))
        assert (result.runs, result.is_system_described) == (int(row["n_runs"]), True), result.location
        if row["basis"] == "run_start_to_run_stop":
            assert result.minutes == pytest.approx(float(row["score_minutes"]), rel=1e-3), result.location
            assert result.runs_failed == int(row["n_not_converged"])
        else:
            assert result.location == "NVIDIA/results/dgx1_ngc19.05_tensorflow/minigo"
            assert (result.minutes, result.no_score_reason) == (
                None, "10 of 10 runs failed, 1 may: run_start or run_stop is missing (10 runs)",
            )  # fmt: skip
    without_logs = {r.payload for r in tree.runs.remarks if "no log of it is read" in r.problem}
    assert without_logs == {
        "Intel/systems/clx-9282-2s-x1.json",
        "NVIDIA/systems/dgx1_n3_ngc19.05_tensorflow.json",
    }
    # 10 logs without run_stop; 8 with records into which another process wrote
    assert len(tree.runs.remarks) == 2 + 10 + 8


def test_v06_accelerators_are_those_announced(mlperf_data):
    """NVIDIA's announcement of 2019-07-10 states 1,536 GPUs for ResNet-50, 240 and 480 for SSD; a TPU chip has two cores."""
    results = {(r.system, r.benchmark): r for r in parsed(mlperf_data, "v0.6").results.rows}
    counts = {key: r.total_accelerators for key, r in results.items()}
    assert counts["dgx2h_n96_ngc19.05_mxnet", "resnet"] == 1536
    assert counts["dgx1_n30_ngc19.05_pytorch", "ssd"] == 240
    assert counts["dgx2h_n30_ngc19.05_pytorch", "ssd"] == 480
    assert counts["tpu-v3-2048", "resnet"] == 1024
    assert counts["abci_2048xV100_mxnet", "resnet"] == 2048
    assert counts["sinian", "resnet"] == 64
    assert [key for key, n in counts.items() if n is None] == [("clx-8260l-2s-x32", "minigo")]  # CPUs
    assert results["abci_2048xV100_mxnet", "resnet"].division == "open"


V06_START = ':::MLL 1560000000.0 run_start: {"value": null, "metadata": {"file": "t.py", "lineno": 1}}\n'
V06_STOP = ':::MLL 1560000%03d.0 run_stop: {"value": null, "metadata": {"status": "%s", "lineno": 2}}\n'


@pytest.mark.parametrize(
    ("log", "minutes"),
    [
        (V06_START + V06_STOP % (600, "success"), 10.0),
        ("0: noise " + V06_START + "noise\n[1,0]<stdout>:" + V06_STOP % (300, "success"), 5.0),
        # metadata in single quotes, a record into which another process wrote, a second process's start
        (V06_START.replace('{"file": "t.py"', "{'file': 't.py'") + ":::MLL 15600[1] step\n"
         + V06_START.replace("00.0 run", "60.0 run") + V06_STOP % (120, "success"), 2.0),
        ("MLPerf: resnet [06/13/19 23:59:00], run_start\nMLPerf: resnet [06/14/19 00:02:00], run_stop\n", 3.0),
        (V06_START + V06_STOP % (600, "aborted"), None),
        (V06_START, None),
        (V06_START + (V06_STOP % (600, "success"))[:60] + "\n", None),
        (V06_START + V06_STOP.replace("null", "[" * 9999) % (600, "success"), None),
    ],
)  # fmt: skip
def test_forms_of_v06_logs(log, minutes):
    tree = release_of("ACME/results/box/resnet", {f"result_{i}.txt": log.encode() for i in range(5)}, "v0.6")
    (result,) = tree.results.rows
    assert result.minutes == (None if minutes is None else pytest.approx(minutes))
    assert tree.runs.is_balanced and len(tree.runs.rows) == 5


# CoreWeave, Training v6.0: the fields that are read of the published system file
V60_SYSTEM = {
    "submitter": "CoreWeave", "division": "closed", "status": "Available cloud",
    "system_name": "CoreWeave_GB300_2048x4", "number_of_nodes": 2048, "host_processors_per_node": 2,
    "accelerators_per_node": "4", "accelerator_model_name": "NVIDIA Blackwell Ultra GPU (GB300)",
    "framework": "PyTorch NVIDIA Release 26.04", "other_software_stack": {"cuda_driver_version": "595.58.03"},
    "operating_system": "Ubuntu 24.04.4 LTS",
}  # fmt: skip


def test_files_of_v60_are_read():
    """8,192 GB300: the published last records of a log, with a rank before the mark, after a run_start of ours."""
    home = "CoreWeave/results/CoreWeave_GB300_2048x4/deepseekv3_671b"
    tail = (
        '   0: :::MLLOG {"namespace": "", "time_ms": 1778853404915, "event_type": "POINT_IN_TIME", '
        '"key": "eval_accuracy", "value": 3.5782437324523926, "metadata": {"file": '
        '"/workspace/llm/callback_logging.py", "lineno": 221, "samples_count": 737280}}\n'
        '   0: :::MLLOG {"namespace": "", "time_ms": 1778853404915, "event_type": "INTERVAL_END", "key": "run_stop", '
        '"value": null, "metadata": {"file": "/workspace/llm/callback_logging.py", "lineno": 236, '
        '"samples_count": 737280, "status": "success"}}\n'
    )
    start = '   0: :::MLLOG {"namespace": "", "time_ms": 1778853304915, "key": "run_start", "value": null, "metadata": ""}\n'
    tree = parse_training_tree(
        [
            ("CoreWeave/systems/CoreWeave_GB300_2048x4.json", json.dumps(V60_SYSTEM).encode()),
            ("CoreWeave/summary.json", b'[{"deepseekv3_671b:time_to_train": 1.0}]'),
            (f"{home}/scaling.json", b'{"scaling_factor": 1.038888888888889}'),
            *((f"{home}/result_{i}.txt", (start + tail).encode()) for i in range(3)),
        ],
        release="v6.0",
    )
    (result,) = tree.results.rows
    assert (result.total_accelerators, result.runs_required, result.runs) == (8192, 3, 3)
    assert result.scaling_factor == 1.038888888888889
    assert {(r.samples, r.final_eval_value, r.status) for r in tree.runs.rows} == {(737280, 3.5782437324523926, "success")}  # fmt: skip
    # the records before run_start are cut away here, so that no run complies
    assert (result.minutes, result.no_score_reason) == (
        None,
        "3 of 3 runs failed, 1 may: CHECK for 'run_start' failed: failed test: ( s['init_stopped'] == True ) (3 runs)",
    )


def release_of(home: str, logs: dict[str, bytes], release: str = "v5.0"):
    submitter, system = home.split("/")[0], home.split("/")[2]
    tree = {f"{home}/{name}": payload for name, payload in logs.items()}
    tree[f"{submitter}/systems/{system}.json"] = json.dumps(SYSTEM).encode()
    return parse_training_tree(list(tree.items()), release=release)


def test_an_unknown_benchmark_keeps_its_runs_and_has_no_score():
    logs = {f"result_{i}.txt": as_text(a_log(submission_benchmark="sora9")).encode() for i in range(3)}
    tree = release_of("ACME/results/box/sora9", logs)
    (result,) = tree.results.rows
    assert (result.benchmark, result.minutes, result.runs) == ("sora9", None, 3)
    assert result.no_score_reason == "no rule at hand states how many runs of sora9 count"
    assert [run.benchmark for run in tree.runs.rows] == ["sora9"] * 3 and all(
        r.minutes for r in tree.runs.rows
    )


def test_an_unknown_round_keeps_its_runs_and_has_no_score():
    tree = release_of("ACME/results/box/bert", {f"result_{i}.txt": bert(i + 1) for i in range(3)}, "v99.0")
    (result,) = tree.results.rows
    assert result.minutes is None and "no training rules for 'v99.0'" in result.no_score_reason
    assert [run.minutes for run in tree.runs.rows] == pytest.approx([1, 2, 3])
    assert "no training rules" in str(tree.runs.remarks[0])


def test_a_folder_of_two_benchmarks_gives_two_results():
    other = as_text(a_log(submission_benchmark="sora9")).encode()
    tree = release_of("ACME/results/box", {"result_0.txt": bert(1), "result_1.txt": other})
    assert [(r.benchmark, r.runs) for r in tree.results.rows] == [("bert", 1), ("sora9", 1)]


def test_equal_logs_have_equal_hashes():
    logs = {"result_0.txt": bert(1), "result_1.txt": bert(1), "result_2.txt": bert(2)}
    hashes = [run.log_sha256 for run in release_of("ACME/results/box/bert", logs).runs.rows]
    assert hashes[0] == hashes[1] != hashes[2] and len(hashes[0]) == 64


def test_a_log_outside_of_every_layout_is_a_reject():
    tree = release_of("ACME/results/box/bert/old/deep", {"result_0.txt": bert(1)})
    assert tree.runs.records_in == 1 == len(tree.runs.rejects) and not tree.results.rows


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("A/results/s/bert/result_5848-24_2.txt", ("log", Place("A", "s", "bert", "A/results/s/bert"))),
        ("A/results/s/result_1.txt", ("log", Place("A", "s", "", "A/results/s"))),
        ("A/results/s/bert/power/result_1/node_0.txt", ("power", Place("A", "s", "bert", "A/results/s/bert"))),
        ("v0.5.0/a/submission/results/x/ncf/result_0.txt", ("log", Place("a", "x", "ncf", "v0.5.0/a/submission/results/x/ncf"))),
        ("v0.5.0/a/c/d/results/tpu/ssd/result_0.txt", ("log", Place("a", "c_d_tpu", "ssd", "v0.5.0/a/c/d/results/tpu/ssd"))),
        ("A/results/s/bert/notes/x/result_1.txt", ("log", None)),
        ("A/systems/s.json", ("system", None)),
        ("A/benchmarks/x.py", (None, None)),
        ("result_1.txt", (None, None)),
    ],
)  # fmt: skip
def test_paths(path, expected):
    assert kind_and_place(path) == expected


WORDS = st.text("abcXYZ_-+ .é€", min_size=1, max_size=12).filter(lambda w: w.strip(". "))


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["v5.0", "v6.0", "v7.3"]),
    WORDS,
    st.sampled_from(["bert", "sora9", "ssd"]) | WORDS,
    st.none() | WORDS,
    st.sets(st.sampled_from(sorted({row["key"] for row in a_log()})), max_size=4),
    st.dictionaries(st.sampled_from(sorted(SYSTEM)), st.none() | WORDS | st.integers(-1, 9), max_size=3),
)
def test_future_rounds_lose_nothing(release, submitter, benchmark, logged, missing, system):
    rows = a_log(submission_benchmark=logged, **dict.fromkeys(missing - {"submission_benchmark"}))
    rows.append({"time_ms": 1, "key": "new_key", "value": {"x": [1]}, "metadata": None})
    home = f"{submitter}/results/box/{benchmark}"
    tree = parse_training_tree(
        [
            *((f"{home}/result_{i}.txt", as_text(rows).encode()) for i in range(3)),
            (f"{submitter}/systems/box.json", json.dumps(SYSTEM | system).encode()),
        ],
        release=release,
    )
    assert tree.runs.records_in == 3 == len(tree.runs.rows) + len(tree.runs.rejects)
    assert len(tree.results.rows) == 1 and tree.results.is_balanced
