"""The scoring rule, with the official package as the second method: its whole scoring function, and its checker."""

from __future__ import annotations

import math
import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_training import a_log, as_text

from ingest.core.errors import NotARelease
from ingest.mlperf.mllog import read_log

summarizer = pytest.importorskip("mlperf_logging.result_summarizer.result_summarizer")

from mlperf_logging import benchmark_meta  # noqa: E402
from mlperf_logging.compliance_checker import mlp_compliance  # noqa: E402

from ingest.mlperf import training_score  # noqa: E402
from ingest.mlperf.training_score import (  # noqa: E402
    Compliance,
    _checker,
    benchmark_of_folder,
    dropped_each_side,
    olympic_score,
    read_scaling_factor,
    required_runs,
)

BENCHMARKS = sorted(benchmark_meta.get_result_file_counts("training"))
# as a log can give them: whole milliseconds, up to ten days
MINUTES = st.integers(1, 864_000_000).map(lambda ms: ms / 60 / 1000)


def official_score(minutes, energies, benchmark, factor):
    """What the summarizer's own function makes of such runs; only the reading of files is replaced."""

    def read(name, usage, ruleset):
        if minutes[int(name)] is None:
            raise ValueError("did not converge")
        stop = minutes[int(name)] * 60 * 1000
        return [
            SimpleNamespace(key="run_start", timestamp=0.0),
            SimpleNamespace(key="run_stop", timestamp=stop),
        ]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(summarizer.glob, "glob", lambda *_, **__: [str(i) for i in range(len(minutes))])
        patched.setattr(summarizer, "_read_result_file", read)
        patched.setattr(summarizer, "_get_scaling_factor", lambda folder: factor)
        patched.setattr(summarizer, "_compute_total_power", lambda f, name, t, r: energies[int(name)])
        score, energy, _ = summarizer._compute_strong_score_standalone(
            benchmark, "system", True, "folder", "training", "5.0.0"
        )
    return score, energy


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(BENCHMARKS),
    st.lists(st.one_of(MINUTES, MINUTES, MINUTES, st.none()), max_size=45, unique_by=lambda m: m or object()),
    st.floats(1, 1.2),
)
def test_score_and_the_runs_it_counts_are_the_official_ones(benchmark, minutes, factor):
    energies = [(m or 0) * 7 + i for i, m in enumerate(minutes)]
    score, energy = official_score(minutes, energies, benchmark, factor)
    ours = olympic_score(minutes, benchmark=benchmark, scaling_factor=factor)
    if score is None:
        assert ours.value is None and ours.reason and ours.counted == ()
        return
    assert ours.value == pytest.approx(score, rel=1e-12)
    our_energy = training_score.mean_of(energies, ours.counted) * factor
    assert our_energy == pytest.approx(energy, rel=1e-12)


@given(st.lists(MINUTES, min_size=3, max_size=12), st.randoms(use_true_random=False))
def test_the_order_of_the_runs_does_not_matter_and_the_score_lies_within_them(minutes, random):
    shuffled = random.sample(minutes, len(minutes))
    one = olympic_score(minutes, benchmark="bert").value
    assert one is not None
    assert one == pytest.approx(olympic_score(shuffled, benchmark="bert").value, rel=1e-12)
    middle = sorted(minutes)[1:-1]
    assert min(middle) * (1 - 1e-12) <= one <= max(middle) * (1 + 1e-12)


@given(st.lists(MINUTES, min_size=3, max_size=12))
def test_a_failed_run_counts_as_the_slowest(minutes):
    slowest = [*minutes, max(minutes) + 1]
    assert olympic_score([*minutes, None], benchmark="bert").value == pytest.approx(
        olympic_score(slowest, benchmark="bert").value, rel=1e-12
    )


def test_drop_counts_and_run_counts():
    assert {b: dropped_each_side(b) for b in BENCHMARKS} == {b: 4 if b == "unet3d" else 1 for b in BENCHMARKS}
    assert required_runs("llama31_405b") == 3 and required_runs("unet3d") == 40 and required_runs("?") is None
    assert benchmark_of_folder("mask") == "maskrcnn"


def test_worked_by_hand():
    assert olympic_score([3.0, 1.0, 2.0], benchmark="gpt3").value == 2.0
    assert olympic_score([9.0, 1.0, 2.0, 4.0, None], benchmark="retinanet", scaling_factor=1.5).value == 7.5
    refused = olympic_score([1.0, 2.0, None, None], benchmark="bert")
    assert refused.value is None and refused.reason == "2 of 4 runs failed, 1 may"
    assert "too few" in (olympic_score([1.0, 2.0], benchmark="bert").reason or "")


@pytest.mark.parametrize("payload", [b"", b"{}", b"[1]", b'{"scaling_factor": "1.1"}', b'{"scaling_factor": NaN}', b'{"scaling_factor": 0}', b'{"scaling_factor": true}'])  # fmt: skip
def test_a_scaling_file_without_a_factor_is_an_error(payload):
    with pytest.raises(ValueError, match=r"."):
        read_scaling_factor(payload)
    assert math.isclose(read_scaling_factor(b'{"scaling_factor": 1.0256410256410258}'), 40 / 39)


@pytest.mark.parametrize("factor", [1, 1.0, 0.5])
def test_a_scaling_factor_may_be_one_or_less(factor):
    read = read_scaling_factor(f'{{"scaling_factor": {factor}}}'.encode())
    assert read == factor and isinstance(read, float)


def test_an_unknown_round_is_reported():
    with pytest.raises(NotARelease, match=r"no training rules for 'v99\.0'; it has .*5\.0\.0"):
        Compliance("v99.0")


def official_verdict(text: str, tmp_path) -> bool:
    file = tmp_path / "result_0.txt"
    file.write_text(text, encoding="latin-1")
    checker = mlp_compliance.make_checker("training", "5.0.0", quiet=True, werror=False)
    return bool(mlp_compliance.main(str(file), "training_5.0.0/common.yaml", checker)[0])


def twice(key, ms=1, **second):
    rows = a_log()
    at = next(i for i, row in enumerate(rows) if row["key"] == key)
    return [*rows[: at + 1], rows[at] | {"time_ms": rows[at]["time_ms"] + ms} | second, *rows[at + 1 :]]


def late(key, ms):
    return [row | ({"time_ms": row["time_ms"] + ms} if row["key"] == key else {}) for row in a_log()]


CASES = {
    "as it should be": (a_log(), True),
    "no run_stop": (a_log(run_stop=None), False),
    "no run_start": (a_log(run_start=None), False),
    "target missed": (a_log(eval_accuracy=0.7199), False),
    "no seed of the benchmark's table": (a_log(opt_lamb_epsilon=None), False),
    "two run_starts alike": (twice("run_start"), True),
    "many init_starts": (twice("init_start"), True),
    "init_starts, the later one 31 minutes earlier": (
        [*a_log()[:7], a_log()[6] | {"time_ms": a_log()[6]["time_ms"] - 31 * 60_000}, *a_log()[7:]],
        False,
    ),
    "init_starts, the later one unlike the first": (
        [*a_log()[:7], a_log()[6] | {"metadata": ""}, *a_log()[7:]],
        True,
    ),
    "init_start after the run began": ([*a_log(), a_log()[6]], False),
    "31 minutes of initialisation": (late("init_stop", 31 * 60_000), False),
    "cache_clear twice": (twice("cache_clear"), True),
    "run_stop twice": (twice("run_stop"), True),
    "a second evaluation elsewhere": (
        twice("eval_start", metadata={"samples_count": 7, "lineno": 1, "file": ""}),
        True,
    ),
    "a second evaluation nowhere": (twice("eval_start", metadata={"lineno": 1}), False),
    "a second evaluation whose metadata are a text": (twice("eval_start", metadata="samples_count"), True),
    "a second evaluation without metadata": (twice("eval_start", metadata=None), False),
    "init_stops alike, the second after 31 minutes": (twice("init_stop", 31 * 60_000), False),
    "nothing": ([], False),
}


@pytest.mark.parametrize("case", CASES)
def test_compliance_is_the_official_checkers(case, tmp_path):
    rows, complies = CASES[case]
    rules = Compliance("v5.0")
    assert official_verdict(as_text(rows), tmp_path) is complies
    problem = rules.problem(read_log(as_text(rows).encode(), rules.keys))
    assert (problem is None) is complies, problem
    assert rules.problem(read_log(as_text(CASES["as it should be"][0]).encode(), rules.keys)) is None


def messages(module, events) -> list[str]:
    checker = module.make_checker("training", "5.0.0", quiet=True, werror=False)
    checker.check_loglines([*events], "training_5.0.0/common.yaml")
    return [*checker.overwritable.values(), *checker.not_overwritable]


@pytest.mark.parametrize("case", CASES)
def test_messages_are_the_official_checkers_also_after_other_logs(case):
    rules = Compliance("v5.0")
    for earlier in (a_log(), twice("cache_clear"), a_log(submission_division="open")):
        rules.problem(read_log(as_text(earlier).encode(), rules.keys))
    log = read_log(as_text(CASES[case][0]).encode(), rules.keys)
    expected = messages(mlp_compliance, log.events)
    assert rules.problem(log) == (" ".join(expected[0].split())[:500] if expected else None)


@pytest.mark.parametrize("evaluations", [1, 2])
def test_rules_that_make_records_of_all_records_see_all_of_them(evaluations):
    """stable_diffusion's rules join two metrics of one evaluation into a record of their own, and ask for two."""
    rows = a_log(submission_benchmark="stable_diffusion")
    at = next(i for i, row in enumerate(rows) if row["key"] == "eval_accuracy")
    pairs = [
        rows[at] | {"value": value, "metadata": {"samples_count": 512 * (i + 1), "metric": metric}}
        for i in range(evaluations)
        for metric, value in (("FID", 80.0), ("CLIP", 0.2))
    ]
    rules = Compliance("v5.0")
    log = read_log(as_text([*rows[:at], *pairs, *rows[at + 1 :]]).encode(), rules.keys)
    expected = messages(mlp_compliance, log.events)
    is_asked = any("of 'aggregated_eval_accuracy' but found 1" in message for message in expected)
    assert is_asked is (evaluations == 1)
    assert messages(_checker(), log.events) == messages(_checker(), log.events) == expected


def test_a_message_that_repeats_the_log_is_cut():
    rows = [row | ({"value": "y" * 1000} if row["key"] == "train_samples" else {}) for row in a_log()]
    rows.insert(-1, rows[-3] | {"value": "z" * 1000})
    rules = Compliance("v5.0")
    problem = rules.problem(read_log(as_text(rows).encode(), rules.keys)) or ""
    assert problem.startswith("Required EXACTLY_ONE occurrence of 'train_samples' but found 2")
    assert len(problem) == 500


@pytest.mark.parametrize(
    "division", ["ajar", "../../../../../../../tmp/closed", {"closed": 1}, 1.5, "closed/../closed"]
)
def test_a_division_that_is_none_fails_and_opens_no_other_file(division, tmp_path):
    text = as_text(a_log(submission_division=division))
    rules = Compliance("v5.0")
    assert rules.problem(read_log(text.encode(), rules.keys)) is not None
    with pytest.raises(OSError, match="No such file"):  # the official tool stops here
        assert official_verdict(text, tmp_path)
    assert rules.problem(read_log(as_text(a_log()).encode(), rules.keys)) is None


def test_rules_come_from_the_package_alone(tmp_path):
    folder = Path(mlp_compliance.__file__).parent
    (tmp_path / "evil_common.yaml").write_text("- BEGIN:\n    CODE: raise SystemExit\n")
    way = os.path.relpath(tmp_path / "evil", folder / "training_5.0.0")
    rules = Compliance("v5.0")
    problem = rules.problem(read_log(as_text(a_log(submission_division=way)).encode(), rules.keys))
    assert problem is not None and "is no rule file" in problem


def test_a_record_that_cannot_be_read_costs_the_score(tmp_path):
    rules = Compliance("v5.0")
    text = as_text(a_log()) + ':::MLLOG {"namespace": "", "ti\n'
    assert official_verdict(text, tmp_path) is False
    problem = rules.problem(read_log(text.encode(), rules.keys)) or ""
    assert problem.startswith("1 records cannot be read: ") and '"ti' in problem


def test_the_module_others_import_is_left_alone():
    Compliance("v5.0")
    assert "eval" not in vars(mlp_compliance) and mlp_compliance.yaml.__name__ == "yaml"


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_records_left_out_moved_or_repeated_get_the_official_verdict(tmp_path_factory, data):
    rows = a_log()
    for _ in range(data.draw(st.integers(0, 3))):
        at, to = data.draw(st.integers(0, len(rows) - 1)), data.draw(st.integers(0, len(rows) - 1))
        change = data.draw(st.sampled_from(["drop", "move", "repeat"]))
        row = rows[at] if change == "repeat" else rows.pop(at)
        if change != "drop":
            rows.insert(to, row)
    rules = Compliance("v5.0")
    verdict = official_verdict(as_text(rows), tmp_path_factory.mktemp("log"))
    problem = rules.problem(read_log(as_text(rows).encode(), rules.keys))
    assert (problem is None) is verdict
