"""Training releases: v4.1 and v5.0 against the official summarizer's tables, and every kind of broken tree."""

from __future__ import annotations

import csv
import io
import json
import statistics
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

pytest.importorskip("mlperf_logging")

from small_training import SYSTEM, a_log, as_text
from test_training_rules import official_verdict

from ingest.core.trees import compile_patterns, read_tarball
from ingest.mlperf.mllog import Event, Log
from ingest.mlperf.training import parse_training_tree
from ingest.mlperf.training_layout import PATTERNS
from ingest.mlperf.training_models import benchmark_id_of, model_of, samples_trained, training_models

# one worker reads a release once for all tests
pytestmark = pytest.mark.xdist_group("mlperf_training_releases")
RELEASES = {"v4.1": (147, 1), "v5.0": (201, 4)}  # scores and energies in the referee's tables


def members(data: Path, release: str):
    tarball = data / "releases" / f"training_results_{release}.tar.gz"
    if not tarball.is_file():
        pytest.skip(f"the real release is not there ({tarball})")
    return read_tarball(io.BytesIO(tarball.read_bytes()), PATTERNS)


@cache
def parsed(data: Path, release: str):
    return parse_training_tree(members(data, release), release=release)


@cache
def referee(data: Path, release: str) -> dict[tuple[str, str, str], dict[str, str]]:
    """(submitter, system, benchmark) → the official detailed table's cells."""
    out = {}
    with (data / "official_scores" / f"training_{release}_detailed.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            system = row["details_url"].rsplit("/", 1)[1].removesuffix(".json")
            for column, value in row.items():
                benchmark, _, cell = column.partition(":")
                if cell == "time_to_train" and value:
                    cells = {k.partition(":")[2]: v for k, v in row.items() if k.startswith(f"{benchmark}:")}
                    out[row["submitter"], system, benchmark] = {**row, **cells}
    return out


@pytest.fixture(params=sorted(RELEASES))
def both(request, mlperf_data):
    tree = parsed(mlperf_data, request.param)
    ours = {(r.submitter_published, r.system, r.benchmark): r for r in tree.results.rows}
    assert len(ours) == len(tree.results.rows)
    return request.param, tree, ours, referee(mlperf_data, request.param)


def test_every_score_is_the_official_one(both):
    release, _, ours, official = both
    assert len(official) == RELEASES[release][0]
    assert {key for key, row in ours.items() if row.minutes is not None} == set(official)
    for key, cells in official.items():
        assert ours[key].minutes == pytest.approx(float(cells["time_to_train"]), rel=1e-6), key
        assert ours[key].scaling_factor == pytest.approx(float(cells["rcp_scaling_factor"]), rel=1e-12), key


def test_every_energy_is_the_official_one(both):
    release, _, ours, official = both
    powered = {key: float(cells["Energy"]) for key, cells in official.items() if cells["Energy"]}
    assert len(powered) == RELEASES[release][1]
    assert {key for key, row in ours.items() if row.energy_official_j is not None} == set(powered)
    for key, joules in powered.items():
        assert ours[key].energy_official_j == pytest.approx(joules, rel=1e-4), key


def test_accelerators_and_batch_sizes_are_the_official_ones(both):
    _, _, ours, official = both
    for key, cells in official.items():
        assert ours[key].total_accelerators == int(cells["accelerators_count"]), key
        assert ours[key].framework == cells["framework"].strip(), key
        if cells["GBS"]:
            assert ours[key].global_batch_size == float(cells["GBS"]), key


def test_runs_converge_where_the_official_tool_says(both):
    """Its samples_to_converge: mean over the runs without the first and the last. In the benchmark's own unit."""
    _, tree, _, official = both
    published = {(r.submitter, r.system): r.submitter_published for r in tree.results.rows}
    positions = defaultdict(list)
    for run in tree.runs.rows:
        reached = run.final_eval_position if run.status == "success" else 1e9
        positions[published[run.submitter, run.system], run.system, run.benchmark].append(reached)
    checked = 0
    for key, cells in official.items():
        if (
            cells["samples_to_converge"] and key[2] != "stable_diffusion"
        ):  # there it counts the first passing one
            kept = sorted(round(p, 3) for p in positions[key])[1:-1]
            assert statistics.mean(kept) == pytest.approx(float(cells["samples_to_converge"]), rel=1e-9), key
            checked += 1
    assert checked > 100


def test_nothing_is_lost(both, mlperf_data):
    release, tree, _, _ = both
    logs = sum("/result_" in p and p.count("/") == 4 for p, _ in members(mlperf_data, release))
    assert tree.runs.is_balanced and tree.results.is_balanced
    assert tree.runs.records_in == logs == len(tree.runs.rows) and not tree.runs.rejects
    unfinished = [run for run in tree.runs.rows if run.stop_ms is None]
    unlogged = {r.payload for r in tree.runs.remarks if "no log of it is read" in r.problem}
    assert len(unlogged) == {"v4.1": 7, "v5.0": 0}[release] and all("/systems/" in path for path in unlogged)
    assert len(unfinished) == {"v4.1": 1, "v5.0": 5}[release] == len(tree.runs.remarks) - len(unlogged)
    assert {r.payload for r in tree.runs.remarks} - unlogged == {run.location for run in unfinished}
    assert all(run.samples and run.samples_per_s for run in tree.runs.rows if run.is_scored)


def test_a_success_that_does_not_comply_is_no_run_of_the_score(mlperf_data):
    """v5.0, tinycorp, bert: by status alone the score would be another."""
    (result,) = [r for r in parsed(mlperf_data, "v5.0").results.rows if r.location.startswith("tinycorp/results/tinybox_green/bert")]  # fmt: skip
    (refused,) = [r for r in parsed(mlperf_data, "v5.0").runs.rows if r.location.startswith(result.location) and not r.is_scored]  # fmt: skip
    assert refused.status == "success" and "init_stop" in (refused.compliance_problem or "")
    assert result.runs_failed == 1 and result.runs_counted == 8


def test_dell_64_h100_energy_and_its_switches(mlperf_data):
    (result,) = [r for r in parsed(mlperf_data, "v4.1").results.rows if r.energy_official_j]
    assert result.system == "8xXE9680x8H100-SXM-80GB-POWER" and result.total_accelerators == 64
    assert result.energy_official_j == pytest.approx(16.384e6, rel=1e-4)
    # one switch log of readings about 685 W at 0.96: what it adds is that over the score's time
    added = result.energy_with_switch_readings_j - result.energy_official_j
    assert added == pytest.approx(685 * 0.96 * result.minutes * 60, rel=0.01)
    runs = [r for r in parsed(mlperf_data, "v4.1").runs.rows if r.power_nodes]
    assert {(r.power_nodes, r.power_switches, r.power_measurement_type) for r in runs} == {(8, 1, "AC")}


def test_one_run_worked_from_its_lines(mlperf_data):
    """IBM+CoreWeave+NVIDIA, 1,024 GB200, llama31_405b, run 0: what the log says, divided by hand."""
    (run,) = [
        r
        for r in parsed(mlperf_data, "v5.0").runs.rows
        if r.location.endswith("/carina_ngpu1024_ngc25.04_nemo/llama31_405b/result_0.txt")
    ]
    assert (run.start_ms, run.stop_ms, run.status) == (1745771823383, 1745775015362, "success")
    assert (run.samples, run.sequence_length, run.global_batch_size) == (276480, 8192, 768)
    assert run.final_eval_value == 5.5261664390563965
    assert run.total_accelerators == 1024
    # 276480 × 8192 / 3191.979 / 1024
    assert run.trained_tokens_per_s_per_accelerator == pytest.approx(692.94, rel=1e-4)


def test_samples_agree_with_the_throughput_submitters_log(mlperf_data):
    """Logged end to end by bert and dlrm_dcnv2, in tokens by gpt3; others log training time alone, up to 1.6 times it."""
    runs = [r for v in RELEASES for r in parsed(mlperf_data, v).runs.rows]
    ratios = defaultdict(list)
    for r in runs:
        if r.is_scored and r.throughput_published and r.samples_per_s:
            ratios[r.benchmark].append(r.throughput_published / r.samples_per_s)
    for benchmark, unit in {"bert": 1, "dlrm_dcnv2": 1, "gpt3": 2048}.items():
        assert statistics.median(ratios[benchmark]) == pytest.approx(unit, rel=1e-3), benchmark
        assert max(ratios[benchmark]) / min(ratios[benchmark]) < 1.01, benchmark
    for benchmark in ("llama2_70b_lora", "llama31_405b", "gnn", "rgat"):
        assert min(ratios[benchmark]) > 1 and max(ratios[benchmark]) < 1.6, benchmark
    steady = [r for r in runs if r.is_scored and r.steady_trained_tokens_per_s_per_accelerator]
    assert {r.benchmark for r in steady} == {"gpt3", "llama2_70b_lora", "llama31_405b"}
    for r in steady:
        assert (
            1 < r.steady_trained_tokens_per_s_per_accelerator / r.trained_tokens_per_s_per_accelerator < 1.25
        )


def test_compliance_of_real_logs_is_the_official_checkers(mlperf_data, tmp_path):
    """Every run that fails, and one in a hundred that do not."""
    runs = parsed(mlperf_data, "v5.0").runs.rows
    wanted = {r.location: r.compliance_problem is None for i, r in enumerate(runs) if r.compliance_problem or not i % 100}  # fmt: skip
    assert sum(not complies for complies in wanted.values()) == 10
    for path, payload in members(mlperf_data, "v5.0"):
        if path in wanted:
            assert official_verdict(payload.decode("latin-1"), tmp_path) is wanted[path], path


def bert(minutes: float) -> bytes:
    """A log of a run of this length; its run_stop is the last of 29 records a second apart, run_start the 21st."""
    rows = a_log()
    rows[-1] = rows[-1] | {"time_ms": rows[20]["time_ms"] + round(minutes * 60_000)}
    return as_text(rows).encode()


def small(**changes: bytes | None):
    """A release of three bert runs of 1, 2 and 3 minutes."""
    home = "ACME/results/box/bert"
    tree = {f"{home}/result_{i}.txt": bert(i + 1) for i in range(3)}
    tree |= {"ACME/systems/box.json": json.dumps(SYSTEM).encode()}
    tree |= {(k if k.startswith("ACME/") else f"{home}/{k}"): v for k, v in changes.items() if v is not None}
    return parse_training_tree(
        [(p, b) for p, b in tree.items() if changes.get(p, b"") is not None], release="v5.0"
    )


def test_a_small_release_worked_by_hand():
    tree = small(**{"scaling.json": b'{"scaling_factor": 1.5}'})
    (result,) = tree.results.rows
    assert result.minutes == pytest.approx(3.0) and result.runs_counted == 1 and result.runs_required == 10
    assert result.total_accelerators == 8 and result.accelerator_hours == pytest.approx(8 * 3 / 60)
    assert result.driver_version == "2.0"
    assert [r.is_counted for r in tree.runs.rows] == [False, True, False]
    assert [r.run for r in tree.runs.rows] == ["result_0", "result_1", "result_2"]
    # epoch_num is samples: 1 in 2 minutes
    assert tree.runs.rows[1].samples_per_s == pytest.approx(1 / 120)
    assert tree.runs.rows[1].tokens is None  # sequences of any length


def test_names_of_files_and_other_files():
    odd = small(**{"result_5848-2405_2.txt": bert(9), "README.md": b"x", "power/result_0/pic.png": b"x", "result_x.log": b""})  # fmt: skip
    assert odd.results.rows[0].runs == 4


@pytest.mark.parametrize("system", [None, b'{"x": 1}', b"[" * 100_000])
def test_without_its_system_a_result_stays_and_names_the_file(system):
    tree = small(**{"ACME/systems/box.json": system})
    (result,) = tree.results.rows
    assert result.minutes == pytest.approx(2.0) and not result.is_system_described
    assert (result.division, result.total_accelerators, result.system_name) == (None, None, None)
    assert "ACME/systems/box.json" in str(tree.runs.remarks[0]) and len(tree.runs.rows) == 3


@pytest.mark.parametrize("factor", [b"", b'{"scaling_factor": "x"}', b"[" * 100_000])
def test_without_a_readable_scaling_factor_there_is_no_score(factor):
    """The official summarizer stops at such a file."""
    tree = small(**{"scaling.json": factor})
    (result,) = tree.results.rows
    assert (result.scaling_factor, result.minutes, result.accelerator_hours) == (None, None, None)
    assert result.no_score_reason == "scaling.json gives no factor; the official tool stops here"
    assert "scaling.json" in str(tree.runs.remarks[0]) and not any(run.is_counted for run in tree.runs.rows)


def test_defects_are_named_and_all_the_rest_is_scored():
    whole = small()
    tree = small(
        **{
            "ACME/results/box/gnmt/result_0.txt": bytes(range(256)) * 40,
            "ACME/results/other/bert/result_0.txt": bert(2)[:900],
            "ACME/results/other/bert/result_1.txt": bert(2) + b":::MLLOG " + b"z" * 2_000_000,
        }
    )
    assert tree.runs.is_balanced and tree.results.is_balanced and tree.runs.records_in == 6
    found = {r.location: r for r in tree.results.rows}
    assert [found[r.location] for r in whole.results.rows] == whole.results.rows
    assert found["ACME/results/other/bert"].minutes is None
    named = "\n".join(str(r) for r in [*tree.runs.rejects, *tree.runs.remarks])
    for defect in (
        "gnmt/result_0.txt",
        "other/bert/result_0.txt",
        "other/bert/result_1.txt",
        "ACME/systems/other.json",
    ):
        assert defect in named, defect


def broken(i: int, **changes) -> bytes:
    """A log of a run of i minutes whose records have other values; None removes one."""
    rows = a_log(**changes)
    return as_text([*rows[:-1], rows[-1] | {"time_ms": rows[-1]["time_ms"] + i * 60_000}]).encode()


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"cache_clear": None}, "Required AT_LEAST_ONE occurrence of 'cache_clear' but found 0 (3 runs)"),
        ({"init_stop": None}, "CHECK for 'run_start' failed: failed test: ( s['init_stopped'] == True ) (3 runs)"),
        ({"eval_accuracy": 0.7}, "Failed checks for eval_accuracy : (v['value'] >= 0.720) and v['value'] < 1.0 (3 runs)"),
    ],
)  # fmt: skip
def test_a_result_without_a_score_names_the_rule_its_runs_break(changes, rule):
    tree = small(**{f"result_{i}.txt": broken(i, **changes) for i in range(3)})
    (result,) = tree.results.rows
    assert (result.minutes, result.no_score_reason) == (None, f"3 of 3 runs failed, 1 may: {rule}")


def test_several_broken_rules_are_named_by_frequency():
    logs = [{"cache_clear": None}, {"init_stop": None}, {"cache_clear": None}]
    tree = small(**{f"result_{i}.txt": broken(i, **changes) for i, changes in enumerate(logs)})
    noise = small(**{f"result_{i}.txt": b"no record" for i in range(3)})
    assert tree.results.rows[0].no_score_reason == (
        "3 of 3 runs failed, 1 may: Required AT_LEAST_ONE occurrence of 'cache_clear' but found 0 (2 runs); "
        "CHECK for 'run_start' failed: failed test: ( s['init_stopped'] == True )"
    )
    assert noise.results.rows[0].no_score_reason == (
        "3 of 3 runs failed, 1 may: there is no :::MLLOG record in it (3 runs)"
    )


@pytest.mark.parametrize(
    ("moved", "named"),
    [
        # logs in no form that is read, from one folder
        ("ACME/results/box/bert/result_{}.txt.gz", "ACME/results/box/bert"),
        ("ACME/results/box/bert/run_{}.log", "ACME/results/box/bert"),
        ("ACME/results/box/bert/result_{}.log", "ACME/results/box/bert"),
        ("ACME/results/box/bert/results_{}.txt", "ACME/results/box/bert"),
        ("open/ACME/results/box/bert/run_{}.txt", "open/ACME/results/box/bert"),
        # in a layout that no round has
        ("closed/ACME/results/box/bert/result_{}.txt", "closed/ACME/results/box/bert/result_0.txt"),
        ("ACME/results/box/bert/seeds/a/result_{}.txt", "ACME/results/box/bert/seeds/a/result_0.txt"),
    ],
)
def test_logs_in_another_form_are_named_with_the_form_that_is_read(moved, named):
    system = "closed/ACME/systems/box.json" if moved.startswith("closed/") else "ACME/systems/box.json"
    files = {moved.format(i): bert(i + 1) for i in range(3)} | {system: json.dumps(SYSTEM).encode()}
    assert all(compile_patterns(PATTERNS).fullmatch(path) for path in files)
    tree = parse_training_tree(files.items(), release="v5.0")
    assert not tree.results.rows and tree.runs.is_balanced
    by_payload = {r.payload: r for r in [*tree.runs.rejects, *tree.runs.remarks]}
    assert {named, system} <= by_payload.keys()
    assert {r.remedy for r in by_payload.values()} == {
        "logs are read as <submitter>/results/<system>/<benchmark>/result_*.txt"
    }
    assert by_payload[system].problem == "the system is described, and no log of it is read"


def test_a_system_without_logs_is_named_beside_one_that_has_some():
    tree = small(
        **{"ACME/systems/other.json": b"{}", "result_3.txt.gz": b"x", "run_4.log": b"y", "checker.log": b"z"}
    )
    assert tree.results.rows[0].minutes == pytest.approx(2.0) and tree.runs.is_balanced
    assert [(r.payload, r.problem) for r in tree.runs.remarks] == [
        ("ACME/systems/other.json", "the system is described, and no log of it is read"),
        ("ACME/results/box/bert", "2 files are in no form that is read, the first is result_3.txt.gz"),
    ]


def power_log(watts: float) -> bytes:
    rows = [("power_measurement_start", 0, None), ("power_reading", 10**6, watts), ("power_measurement_stop", 10**6, None)]  # fmt: skip
    return "".join(
        f":::MLLOG {json.dumps({'time_ms': t, 'key': k, 'value': v, 'metadata': {}})}\n" for k, t, v in rows
    ).encode()


def test_energy_follows_the_order_of_the_times_and_the_factor():
    power = {f"power/result_{i}/node_0.txt": power_log(w) for i, w in enumerate((900, 100, 500))}
    (result,) = small(**power, **{"scaling.json": b'{"scaling_factor": 2}'}).results.rows
    assert result.energy_official_j == pytest.approx(2 * 100 * 120)


def test_a_run_without_usable_power_takes_the_energy_of_its_result():
    power = {f"power/result_{i}/node_0.txt": power_log(100) for i in (0, 2)}
    for bad in (None, b"", b"noise"):
        tree = small(**power, **{"power/result_1/node_0.txt": bad})
        assert tree.results.rows[0].energy_official_j is None and tree.results.rows[
            0
        ].minutes == pytest.approx(2.0)
        assert any("result_1.txt" in str(r) and "energy" in str(r) for r in tree.runs.remarks)
        assert [r.energy_official_j is None for r in tree.runs.rows] == [False, True, False]


def test_several_run_starts_are_read_as_the_summarizer_reads_them():
    rows = a_log()
    rows.insert(21, rows[20] | {"time_ms": rows[20]["time_ms"] + 60_000})
    rows[-1] = rows[-1] | {"time_ms": rows[20]["time_ms"] + 3 * 60_000}
    tree = small(**{"result_1.txt": as_text(rows).encode()})
    assert tree.runs.rows[1].run_starts == 2 and tree.runs.rows[1].minutes == pytest.approx(2.0)
    # and what follows the first run_stop is not read
    late = [rows[20], rows[-1] | {"time_ms": rows[-1]["time_ms"] + 60_000}]
    (_, again, _) = small(**{"result_1.txt": as_text([*rows, *late]).encode()}).runs.rows
    assert again.minutes == pytest.approx(2.0)


def with_records(*rows, at=-2):
    """The log of a run of two minutes with other records before its run_stop, or after the record `at`."""
    log = [json.loads(line.removeprefix(b":::MLLOG ")) for line in bert(2).splitlines()]
    new = [log[0] | {"key": key, "value": value, "metadata": meta} for key, value, meta in rows]
    (run, *_) = small(**{"result_0.txt": as_text([*log[:at], *new, *log[at:]]).encode()}).runs.rows
    return run


def test_what_a_log_tracks_gives_the_steady_throughput():
    stats = [
        {"train_step_time": 4.0, "throughput": 100},
        {"train_step_timing in s": 2.0},
        {"train_step_time in s": 7.0, "throughput": 120.5},
        {"train_step_time": 0, "throughput": None},
        {"train_step_time": "?"},
        "no table",
    ]
    run = with_records(*(("tracked_stats", s, {}) for s in stats))
    # the median of 4, 2 and 7 s for a batch of 448
    assert (run.train_step_time_s, run.steady_samples_per_s) == (4.0, 112.0)
    assert run.throughput_published == 120.5
    bare = with_records()
    assert bare.train_step_time_s is bare.steady_samples_per_s is bare.throughput_published is None


def test_the_last_evaluation_of_the_run_counts():
    late = {"epoch_num": 9, "metric": "late"}
    inside = with_records(("eval_accuracy", 0.8, {"epoch_num": 5, "metric": "masked"}))
    assert (inside.final_eval_value, inside.final_eval_position) == (0.8, 5)
    assert inside.final_eval_metric == "masked"
    after = with_records(("eval_accuracy", 0.9, late), at=29)
    assert (after.final_eval_value, after.final_eval_position) == (0.72, 1)
    (only_after, *_) = small(
        **{"result_0.txt": as_text([*a_log(eval_accuracy=None), a_log()[23] | {"metadata": late}]).encode()}
    ).runs.rows
    assert (only_after.final_eval_value, only_after.final_eval_metric) == (0.72, "late")


def test_a_run_without_an_end_or_a_length_has_no_speed():
    (endless, instant, whole) = small(
        **{
            "result_0.txt": as_text(a_log(run_stop=None)).encode(),
            "result_1.txt": bert(0),
            "result_2.txt": bert(2),
        }
    ).runs.rows
    assert endless.start_ms == 21_000 and endless.stop_ms is endless.minutes is endless.status is None
    assert not endless.is_scored and endless.samples is endless.samples_per_s is None
    assert (instant.minutes, instant.samples, instant.samples_per_s) == (0, 1, None)
    assert (whole.minutes, whole.status, whole.samples_per_s) == (2, "success", 1 / 120)


def at(key: str, **metadata: object) -> Event:
    return Event(0.0, key, {"value": None, "metadata": metadata}, 0)


# from the logs of real runs: batch, last evaluation, train_samples, sequence length and what run_stop says
@pytest.mark.parametrize(
    ("release", "benchmark", "batch", "position", "train_samples", "length", "stop", "samples"),
    [
        # NVIDIA, nyx_n1: 8,000 steps of 256 samples; the checkpoint evaluated last is of 2,048,000
        ("v5.0", "stable_diffusion", 256, 1_536_000, 6_513_144, None, {"step_num": 8000}, 2_048_000),
        # without a step or a batch: the most that the log names
        ("v3.1", "stable_diffusion", 256, None, None, None, {}, 1_536_000),
        ("v5.0", "stable_diffusion", None, None, None, None, {"step_num": 8000}, 1_536_000),
        # Google, 1,024 Trillium: 1,157,627,904 tokens in sequences of 2,048
        ("v4.1", "gpt3", 2048, 1_157_627_904, 1_157_627_904, 2048, {}, 565_248),
        ("v4.1", "gpt3", 2048, 1_157_627_904, 1_157_627_904, None, {}, None),
        # ASUSTeK, ESC_N8_E11: four epochs of OpenImages
        ("v5.0", "retinanet", 256, 4, 4572, None, {}, 4_681_204),
        ("v4.1", "bert", 768, 2_549_341, 2_549_341, 512, {}, 2_549_341),
        # AMD, MI350X: run_stop is beyond the last evaluation
        ("v5.1", "llama31_8b", 32, 172_000, 172_032, 8192, {"samples_count": 172_032}, 172_032),
        ("v5.0", "rgat", 32768, 0.5, 94_605_578, None, {}, 47_302_789),
        ("v5.0", "rgat", 32768, 0.5, None, None, {}, None),
        ("v5.0", "bert", 768, None, None, 512, {}, None),
        ("v5.0", "maskrcnn", 768, 3, 9, 512, {}, None),
        # positions before v1.0 are of any unit
        ("v0.7", "bert", 768, 5, 5, 512, {}, None),
        ("v1.0", "bert", 768, 5, 5, 512, {}, 5),
    ],
)  # fmt: skip
def test_samples_are_counted_as_each_benchmark_counts_them(
    release, benchmark, batch, position, train_samples, length, stop, samples
):
    model = model_of(release, benchmark)
    log = Log(
        events=[at("tracked_stats", samples_count=n) for n in (0, 1_536_000, "x", 512_000)] + [at("seed")]
    )
    given = (position, train_samples, batch, length)
    assert samples_trained(model, log, at("run_stop", **stop), *given) == samples
    assert samples_trained(model, log, None, *given) is None


def test_the_steps_of_a_run_give_the_samples_its_evaluations_name(both):
    """Stable Diffusion: steps x batch of run_stop, against the sample count of the last checkpoint evaluated."""
    release, tree, _, _ = both
    runs = [r for r in tree.runs.rows if r.benchmark == "stable_diffusion" and r.samples]
    alike = [r for r in runs if r.samples == r.final_eval_position]
    # some runs of v5.0 end with steps after their last checkpoint
    assert (len(runs), len(alike)) == {"v4.1": (230, 230), "v5.0": (308, 299)}[release]


def test_the_table_of_models_covers_what_is_scored(both):
    release, tree, _, _ = both
    assert {benchmark_id_of(release, r.benchmark) for r in tree.runs.rows} <= set(training_models())


@pytest.mark.parametrize(
    ("release", "name", "expected"),
    [
        ("v0.7", "ssd", "ssd"), ("v1.1", "ssd", "ssd"), ("v2.0", "ssd", "retinanet"), ("v4.1", "ssd", "retinanet"),
        ("v5.0", "retinanet", "retinanet"), ("v4.0", "gnn", "rgat"), ("v5.0", "rgat", "rgat"), ("v9.0", "sora9", "sora9"),
    ],
)  # fmt: skip
def test_a_benchmark_is_its_task(release, name, expected):
    """The rules' tables of benchmarks: SSD on COCO ends with v1.1, RetinaNet on OpenImages begins with v2.0."""
    assert benchmark_id_of(release, name) == expected
