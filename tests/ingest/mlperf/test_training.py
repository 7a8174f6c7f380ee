"""Small training releases of our own: each rule worked by hand, and every kind of broken tree."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("mlperf_logging")

from mlperf_payloads import has
from small_training import SYSTEM, a_log, as_text

from ingest.core.trees import compile_patterns
from ingest.mlperf.mllog import Event, Log
from ingest.mlperf.training import parse_training_tree
from ingest.mlperf.training_layout import PATTERNS
from ingest.mlperf.training_models import benchmark_id_of, model_of, samples_trained


def bert(minutes: float) -> bytes:
    """A log of a run of this length; its run_stop is the last of 29 records a second apart, run_start the 21st."""
    rows = a_log()
    rows[-1] = rows[-1] | {"time_ms": rows[20]["time_ms"] + round(minutes * 60_000)}
    return as_text(rows).encode()


def round_of(files: dict[str, bytes | None], release: str = "v5.0"):
    """The parsed round of these files and the description of ACME's box; None removes that."""
    files = {"ACME/systems/box.json": json.dumps(SYSTEM).encode()} | files
    members = [(path, payload) for path, payload in files.items() if payload is not None]
    return parse_training_tree(members, release=release)


def small(release: str = "v5.0", **changes: bytes | None):
    """A round of three bert runs of 1, 2 and 3 minutes; files are named below ACME or its folder of results."""
    home = "ACME/results/box/bert"
    files = {f"result_{i}.txt": bert(i + 1) for i in range(3)} | changes
    return round_of({k if k.startswith("ACME/") else f"{home}/{k}": v for k, v in files.items()}, release)


def test_a_small_release_worked_by_hand():
    tree = small(**{"scaling.json": b'{"scaling_factor": 1.5}'})
    (result,) = tree.results.rows
    assert result.minutes == pytest.approx(3.0) and result.runs_counted == 1 and result.runs_required == 10
    assert result.total_accelerators == 8 and result.accelerator_hours == pytest.approx(8 * 3 / 60)
    assert result.driver_version == "2.0"
    assert [r.is_counted for r in tree.runs.rows] == [False, True, False]
    assert [r.run for r in tree.runs.rows] == ["result_0", "result_1", "result_2"]
    # epoch_num is samples: 2,400,000 in 2 minutes
    assert tree.runs.rows[1].samples_per_s == pytest.approx(20_000)
    assert tree.runs.rows[1].tokens is None  # sequences of any length


@pytest.mark.parametrize("system", [None, b"[" * 100_000])
def test_without_its_system_a_result_stays_and_names_the_file(system):
    tree = small(**{"ACME/systems/box.json": system})
    (result,) = tree.results.rows
    assert result.minutes == pytest.approx(2.0) and not result.is_system_described
    assert (result.division, result.total_accelerators, result.system_name) == (None, None, None)
    assert "ACME/systems/box.json" in str(tree.runs.warnings[0]) and len(tree.runs.rows) == 3


def test_without_a_readable_scaling_factor_there_is_no_score():
    """The official summarizer stops at such a file."""
    tree = small(**{"scaling.json": b"[" * 100_000})
    (result,) = tree.results.rows
    assert (result.scaling_factor, result.minutes, result.accelerator_hours) == (None, None, None)
    assert result.no_score_reason == "scaling.json gives no factor; the official tool stops here"
    assert "scaling.json" in str(tree.runs.warnings[0]) and not any(run.is_counted for run in tree.runs.rows)


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
    named = " ".join(str(r) for r in [*tree.runs.rejects, *tree.runs.warnings])
    for defect in ("gnmt/result_0", "other/bert/result_0", "other/bert/result_1", "systems/other.json"):
        assert defect in named, defect


@pytest.mark.parametrize(
    ("logs", "rules"),
    [
        ([None] * 3, "there is no :::MLLOG record in it (3 runs)"),
        # several by frequency
        (
            [{"cache_clear": None}, {"init_stop": None}, {"cache_clear": None}],
            "Required AT_LEAST_ONE occurrence of 'cache_clear' but found 0 (2 runs); "
            "CHECK for 'run_start' failed: failed test: ( s['init_stopped'] == True )",
        ),
    ],
)
def test_a_result_without_a_score_names_the_rules_its_runs_break(logs, rules):
    texts = [b"no record" if changes is None else as_text(a_log(**changes)).encode() for changes in logs]
    (result,) = small(**{f"result_{i}.txt": text for i, text in enumerate(texts)}).results.rows
    assert has(result, minutes=None, no_score_reason=f"3 of 3 runs failed, 1 may: {rules}")


@pytest.mark.parametrize(
    ("moved", "named"),
    [
        # logs in no form that is read, from one folder
        ("ACME/results/box/bert/result_{}.txt.gz", "ACME/results/box/bert"),
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
    by_payload = {r.payload: r for r in [*tree.runs.rejects, *tree.runs.warnings]}
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
    assert [(r.payload, r.problem) for r in tree.runs.warnings] == [
        ("ACME/systems/other.json", "the system is described, and no log of it is read"),
        ("ACME/results/box/bert", "2 files are in no form that is read, the first is result_3.txt.gz"),
    ]


def test_a_log_is_any_text_file_whose_name_begins_with_result():
    others = {"README.md": b"x", "power/result_0/picture.png": b"x", "ACME/summary.json": b"[]"}
    tree = small(**{"result_5848-2405_2.txt": bert(9)}, **others)
    assert tree.results.rows[0].runs == 4 and tree.runs.warnings == []


def power_log(watts: float) -> bytes:
    rows = [("measurement_start", 0, None), ("reading", 10**6, watts), ("measurement_stop", 10**6, None)]
    return as_text(
        {"time_ms": ms, "key": f"power_{key}", "value": value, "metadata": {}} for key, ms, value in rows
    ).encode()


def test_energy_follows_the_order_of_the_times_and_the_factor():
    power = {f"power/result_{i}/node_0.txt": power_log(w) for i, w in enumerate((900, 100, 500))}
    (result,) = small(**power, **{"scaling.json": b'{"scaling_factor": 2}'}).results.rows
    assert result.energy_official_j == pytest.approx(2 * 100 * 120)


def test_a_run_without_usable_power_takes_the_energy_of_its_result():
    power = {f"power/result_{i}/node_0.txt": power_log(100) for i in (0, 2)}
    for bad in (None, b"noise"):
        tree = small(**power, **{"power/result_1/node_0.txt": bad})
        (result,) = tree.results.rows
        assert result.energy_official_j is None and result.minutes == pytest.approx(2.0)
        assert any("result_1.txt" in str(r) and "energy" in str(r) for r in tree.runs.warnings)
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
    assert (after.final_eval_value, after.final_eval_position) == (0.72, 2_400_000)
    log = as_text([*a_log(eval_accuracy=None), a_log()[23] | {"metadata": late}]).encode()
    (only_after, *_) = small(**{"result_0.txt": log}).runs.rows
    assert (only_after.final_eval_value, only_after.final_eval_metric) == (0.72, "late")


def test_a_run_without_an_end_or_a_length_has_no_speed():
    logs = {"result_0.txt": as_text(a_log(run_stop=None)).encode(), "result_1.txt": bert(0)}
    (endless, instant, _) = small(**logs).runs.rows
    assert endless.start_ms == 21_000 and endless.stop_ms is endless.minutes is endless.status is None
    assert not endless.is_scored and endless.samples is endless.samples_per_s is None
    assert (instant.minutes, instant.samples, instant.samples_per_s) == (0, 2_400_000, None)


def at(key: str, **metadata: object) -> Event:
    return Event(0.0, key, {"value": None, "metadata": metadata}, 0)


# from the logs of real runs: batch, last evaluation, train_samples, sequence length and what run_stop says
@pytest.mark.parametrize(
    ("release", "benchmark", "batch", "position", "train_samples", "length", "stop", "samples"),
    [
        # NVIDIA, nyx_n1: 8,000 steps of 256 samples; the checkpoint evaluated last is of 2,048,000
        ("v5.0", "stable_diffusion", 256, 1_536_000, 6_513_144, None, {"step_num": 8000}, 2_048_000),
        # without a step or a batch: the most that the log names
        ("v5.0", "stable_diffusion", None, None, None, None, {"step_num": 8000}, 1_536_000),
        # Google, 1,024 Trillium: 1,157,627,904 tokens in sequences of 2,048
        ("v4.1", "gpt3", 2048, 1_157_627_904, 1_157_627_904, 2048, {}, 565_248),
        ("v4.1", "gpt3", 2048, 1_157_627_904, 1_157_627_904, None, {}, None),
        # ASUSTeK, ESC_N8_E11: four epochs of OpenImages
        ("v5.0", "retinanet", 256, 4, 4572, None, {}, 4_681_204),
        # epochs of ImageNet
        ("v4.0", "resnet", 3264, 35, 1_281_167, None, {}, 44_840_845),
        # AMD, MI350X: run_stop is beyond the last evaluation
        ("v5.1", "llama31_8b", 32, 172_000, 172_032, 8192, {"samples_count": 172_032}, 172_032),
        ("v5.0", "rgat", 32768, 0.5, 94_605_578, None, {}, 47_302_789),
        ("v5.0", "bert", 768, None, None, 512, {}, None),
        # the unit is the log's own. NVIDIA, v1.0: one epoch, of which 3,000,256 samples were trained
        ("v1.0", "bert", 448, 1, 3_000_256, 512, {}, 3_000_256),
        ("v2.1", "bert", 16384, 1, None, 512, {}, None),
        ("v3.0", "bert", 768, 2_697_917, 2_700_288, 512, {}, 2_697_917),
        # Dell, XE8640x4H100: 1,960 epochs of 168 volumes; a round later samples
        ("v3.0", "unet3d", 28, 1_960, 168, None, {}, 329_280),
        ("v3.1", "unet3d", 28, 342_720, 168, None, {}, 342_720),
        # the same in other benchmarks
        ("v4.0", "resnet", 3264, 44_840_845, 1_281_167, None, {}, 44_840_845),
        ("v4.1", "gpt3", 2048, 565_248, 565_248, 2048, {}, 565_248),
        ("v5.1", "llama31_8b", 32, 1_409_286_144, 172_032, 8192, {}, 172_032),
        ("v5.1", "llama31_8b", 32, 7, 172_032, 8192, {}, 1_204_224),
        # a size that no unit explains
        ("v5.1", "llama31_8b", 32, 9_000, None, 8192, {}, None),
        # positions before v1.0 are of any unit
        ("v0.7", "bert", 768, 5, 5, 512, {}, None),
    ],
)
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


def test_a_benchmark_is_its_task():
    """The rules' tables of benchmarks: SSD on COCO ends with v1.1, RetinaNet on OpenImages begins with v2.0."""
    assert (benchmark_id_of("v1.1", "ssd"), benchmark_id_of("v2.0", "ssd")) == ("ssd", "retinanet")
    assert benchmark_id_of("v4.0", "gnn") == benchmark_id_of("v5.0", "rgat") == "rgat"


V06_START = ':::MLL 1560000000.0 run_start: {"value": null, "metadata": {"file": "t.py", "lineno": 1}}\n'
V06_STOP = ':::MLL 1560000%03d.0 run_stop: {"value": null, "metadata": {"status": "%s", "lineno": 2}}\n'


@pytest.mark.parametrize(
    ("log", "minutes"),
    [
        ("0: noise " + V06_START + "noise\n[1,0]<stdout>:" + V06_STOP % (300, "success"), 5.0),
        # metadata in single quotes, a record into which another process wrote, a second process's start
        (V06_START.replace('{"file": "t.py"', "{'file': 't.py'") + ":::MLL 15600[1] step\n"
         + V06_START.replace("00.0 run", "60.0 run") + V06_STOP % (120, "success"), 2.0),
        ("MLPerf: resnet [06/13/19 23:59:00], run_start\nMLPerf: resnet [06/14/19 00:02:00], run_stop\n", 3.0),
        (V06_START + V06_STOP % (600, "aborted"), None),
        (V06_START + V06_STOP.replace("null", "[" * 9999) % (600, "success"), None),
    ],
)  # fmt: skip
def test_forms_of_v06_logs(log, minutes):
    tree = round_of({f"ACME/results/box/resnet/result_{i}.txt": log.encode() for i in range(5)}, "v0.6")
    (result,) = tree.results.rows
    assert result.minutes == (None if minutes is None else pytest.approx(minutes))
    assert tree.runs.is_balanced and len(tree.runs.rows) == 5
    assert {run.records for run in tree.runs.rows} == {len(re.findall(":::MLL |MLPerf: ", log))}


def test_an_unknown_round_keeps_its_runs_and_has_no_score():
    tree = small("v99.0")
    (result,) = tree.results.rows
    assert result.minutes is None and "no training rules for 'v99.0'" in result.no_score_reason
    assert [run.minutes for run in tree.runs.rows] == pytest.approx([1, 2, 3])
    assert "no training rules" in str(tree.runs.warnings[0])


def test_a_folder_of_two_benchmarks_gives_two_results():
    other = as_text(a_log(submission_benchmark="sora9")).encode()
    tree = round_of({"ACME/results/box/result_0.txt": bert(1), "ACME/results/box/result_1.txt": other})
    assert [(r.benchmark, r.runs) for r in tree.results.rows] == [("bert", 1), ("sora9", 1)]


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
    files = {f"{submitter}/results/box/{benchmark}/result_{i}.txt": as_text(rows).encode() for i in range(3)}
    tree = round_of(files | {f"{submitter}/systems/box.json": json.dumps(SYSTEM | system).encode()}, release)
    assert tree.runs.records_in == 3 == len(tree.runs.rows) + len(tree.runs.rejects)
    assert len(tree.results.rows) == 1 and tree.results.is_balanced
