"""The compliance rules, with the official checker as the second method."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_training import a_log, as_text

from ingest.core.errors import NotARelease
from ingest.mlperf.mllog import read_log

mlp_compliance = pytest.importorskip("mlperf_logging.compliance_checker.mlp_compliance")

from mlperf_logging import benchmark_meta  # noqa: E402

from ingest.mlperf.training_rules import broken_rules, compliance_problem, missing_rules  # noqa: E402


def test_an_unknown_round_is_reported():
    assert "no training rules for 'v99.0'; it has 0.6.0, " in (missing_rules("v99.0") or "")
    assert missing_rules("v5.0") is None
    with pytest.raises(NotARelease):
        missing_rules("five")


@pytest.mark.parametrize(
    ("problems", "named"),
    [
        ([None, None], ""),
        # of one rule whatever the line and the values
        (
            [f"CHECK for 'a' failed in line {n}: failed test: x current context[s]={{{n}}}" for n in (3, 9)],
            "CHECK for 'a' failed: failed test: x (2 runs)",
        ),
        (["2 records cannot be read: 'k' (ValueError: no)"], "records cannot be read (ValueError: no)"),
        (["a", "b", "c", "d", "e", "b", None], "b (2 runs); a; c; and 2 others"),
        (["a", "b", "c"], "a; b; c"),
    ],
)
def test_broken_rules_are_named_by_frequency(problems, named):
    assert broken_rules(problems) == named


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


def official_problem(log, release: str = "v5.0") -> str | None:
    """What the official checker says first, on one line; it may raise, and keeps what it has still to do."""
    ruleset = f"{release[1:]}.0"
    mlp_compliance.enqueued_configs.clear()
    checker = mlp_compliance.make_checker("training", ruleset, quiet=True, werror=False)
    checker.check_loglines([*log.events], f"training_{ruleset}/common.yaml")
    said = [*checker.overwritable.values(), *checker.not_overwritable]
    return " ".join(said[0].split())[:500] if said else None


@pytest.mark.parametrize("case", CASES)
def test_compliance_is_the_official_checkers(case, tmp_path):
    rows, complies = CASES[case]
    assert official_verdict(as_text(rows), tmp_path) is complies
    log = read_log(as_text(rows).encode())
    problem = compliance_problem(log, "v5.0")
    assert (problem is None) is complies, problem
    assert problem == official_problem(log)


def test_rules_that_make_records_of_all_records_see_all_of_them():
    """stable_diffusion's rules join two metrics of one evaluation into a record of their own."""
    rows = a_log(submission_benchmark="stable_diffusion")
    at = next(i for i, row in enumerate(rows) if row["key"] == "eval_accuracy")
    pairs = [
        rows[at] | {"value": value, "metadata": {"samples_count": 512, "metric": metric}}
        for metric, value in (("FID", 80.0), ("CLIP", 0.2))
    ]
    log = read_log(as_text([*rows[:at], *pairs, *rows[at + 1 :]]).encode())
    assert compliance_problem(log, "v5.0") == compliance_problem(log, "v5.0") == official_problem(log)


def test_a_message_that_repeats_the_log_is_cut():
    rows = [row | ({"value": "y" * 1000} if row["key"] == "train_samples" else {}) for row in a_log()]
    rows.insert(-1, rows[-3] | {"value": "z" * 1000})
    problem = compliance_problem(read_log(as_text(rows).encode()), "v5.0") or ""
    assert problem.startswith("Required EXACTLY_ONE occurrence of 'train_samples' but found 2")
    assert len(problem) == 500


@pytest.mark.parametrize("division", ["ajar", "../../../../../../../tmp/closed", {"closed": 1}])
def test_a_division_that_is_none_fails(division, tmp_path):
    text = as_text(a_log(submission_division=division))
    assert compliance_problem(read_log(text.encode()), "v5.0") is not None
    with pytest.raises(OSError, match="No such file"):  # the official tool stops here
        assert official_verdict(text, tmp_path)
    assert compliance_problem(read_log(as_text(a_log()).encode()), "v5.0") is None


def test_a_benchmark_that_names_the_rules_themselves_ends():
    """The official checker asks itself for the same file without end."""
    problem = compliance_problem(read_log(as_text(a_log(submission_benchmark="common")).encode()), "v5.0")
    assert problem is not None and problem.startswith("CHECK for 'submission_benchmark' failed")


ROUNDS = (
    "v0.7",
    "v1.0",
    "v1.1",
    "v2.0",
    "v2.1",
    "v3.0",
    "v3.1",
    "v4.0",
    "v4.1",
    "v5.0",
    "v5.1",
    "v6.0",
    "v6.1",
)


@pytest.mark.parametrize(
    ("release", "division"),
    [*((r, "closed") for r in ROUNDS), *((r, "open") for r in ("v0.7", "v4.0", "v6.1"))],
)
def test_every_rule_of_the_package_is_understood(release, division):
    for benchmark in benchmark_meta.get_result_file_counts("training"):
        rows = a_log(submission_benchmark=benchmark, submission_division=division)
        # v4.0's rules for resnet ask for v3.1's by this value
        log = read_log(as_text([*rows, rows[0] | {"key": "opt_name", "value": "lars"}]).encode())
        problem = compliance_problem(log, release)
        try:
            expected = official_problem(log, release)
        except (OSError, TypeError):  # no such rule file, a value that a rule cannot take
            assert (problem or "").startswith("the official rules break off")
            continue
        # the official checker names alternatives in any order
        assert problem == expected or " or " in (expected or ""), benchmark


def test_a_record_that_cannot_be_read_costs_the_score(tmp_path):
    text = as_text(a_log()) + ':::MLLOG {"namespace": "", "ti\n'
    assert official_verdict(text, tmp_path) is False
    problem = compliance_problem(read_log(text.encode()), "v5.0") or ""
    assert problem.startswith("1 records cannot be read: ") and '"ti' in problem


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
    verdict = official_verdict(as_text(rows), tmp_path_factory.mktemp("log"))
    problem = compliance_problem(read_log(as_text(rows).encode()), "v5.0")
    assert (problem is None) is verdict
