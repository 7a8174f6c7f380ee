"""The compliance rules, with the official checker as the second method."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_training import a_log, as_text

from ingest.core.errors import NotARelease
from ingest.mlperf.mllog import read_log

mlp_compliance = pytest.importorskip("mlperf_logging.compliance_checker.mlp_compliance")

from mlperf_logging import benchmark_meta  # noqa: E402

from ingest.mlperf.training_rules import (  # noqa: E402
    broken_rules,
    checker_messages,
    compliance_problem,
    missing_rules,
)


def test_an_unknown_round_is_reported():
    assert "no training rules for 'v99.0'; it has 0.6.0, " in (missing_rules("v99.0") or "")
    assert missing_rules("v5.0") is None
    with pytest.raises(NotARelease):
        missing_rules("five")


@pytest.mark.parametrize(
    ("problems", "named"),
    [
        # of one rule whatever the line and the values
        (
            [f"CHECK for 'a' failed in line {n}: failed test: x current context[s]={{{n}}}" for n in (3, 9)],
            "CHECK for 'a' failed: failed test: x (2 runs)",
        ),
        (["2 records cannot be read: 'k' (ValueError: no)"], "records cannot be read (ValueError: no)"),
        (["a", "b", "c", "d", "e", "b", None], "b (2 runs); a; c; and 2 others"),
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
    "init_starts, the later one 31 minutes earlier": (twice("init_start", -31 * 60_000), False),
    "init_starts, the later one unlike the first": (twice("init_start", metadata=""), True),
    "31 minutes of initialisation": (late("init_stop", 31 * 60_000), False),
    "a second evaluation elsewhere": (twice("eval_start", metadata={"samples_count": 7, "lineno": 1}), True),
    "a second evaluation nowhere": (twice("eval_start", metadata={"lineno": 1}), False),
    "a second evaluation whose metadata are a text": (twice("eval_start", metadata="samples_count"), True),
    "a second evaluation without metadata": (twice("eval_start", metadata=None), False),
    "init_stops alike, the second after 31 minutes": (twice("init_stop", 31 * 60_000), False),
    "nothing": ([], False),
}


def official_messages(log, release: str = "v5.0") -> list[str]:
    """What the official checker says, each on one line; it may raise, and keeps what it has still to do."""
    ruleset = f"{release[1:]}.0"
    mlp_compliance.enqueued_configs.clear()
    checker = mlp_compliance.make_checker("training", ruleset, quiet=True, werror=False)
    checker.check_loglines([*log.events], f"training_{ruleset}/common.yaml")
    return [" ".join(said.split()) for said in [*checker.overwritable.values(), *checker.not_overwritable]]


def in_any_order(messages):
    """The first message, and all: the checker names alternatives in any order, some of them twice."""
    words = [tuple(sorted(said.split())) for said in messages]
    return words[:1], set(words)


@pytest.mark.parametrize("case", CASES)
def test_compliance_is_the_official_checkers(case, tmp_path):
    rows, complies = CASES[case]
    assert official_verdict(as_text(rows), tmp_path) is complies
    log = read_log(as_text(rows).encode())
    problem = compliance_problem(log, "v5.0")
    assert (problem is None) is complies, problem
    assert in_any_order(checker_messages(log, "v5.0")) == in_any_order(official_messages(log))


def test_rules_that_make_records_of_all_records_see_all_of_them():
    """stable_diffusion's rules join two metrics of one evaluation into a record of their own, of which they want two."""
    rows = a_log(submission_benchmark="stable_diffusion")
    at = next(i for i, row in enumerate(rows) if row["key"] == "eval_accuracy")
    pairs = [
        rows[at] | {"value": value, "metadata": {"samples_count": samples, "metric": metric}}
        for samples in (512, 1024)
        for metric, value in (("FID", 80.0), ("CLIP", 0.2))
    ]
    log = read_log(as_text([*rows[:at], *pairs, *rows[at + 1 :]]).encode())
    assert checker_messages(log, "v5.0") == checker_messages(log, "v5.0") == official_messages(log)


@pytest.mark.parametrize("division", ["../../../../../../../tmp/closed", {"closed": 1}])
def test_a_division_that_is_none_fails(division, tmp_path):
    text = as_text(a_log(submission_division=division))
    assert compliance_problem(read_log(text.encode()), "v5.0") is not None
    with pytest.raises(OSError, match="No such file"):  # the official tool stops here
        assert official_verdict(text, tmp_path)


def test_a_benchmark_that_names_the_rules_themselves_ends():
    """The official checker asks itself for the same file without end."""
    problem = compliance_problem(read_log(as_text(a_log(submission_benchmark="common")).encode()), "v5.0")
    assert problem is not None and problem.startswith("CHECK for 'submission_benchmark' failed")


RULES = Path(mlp_compliance.__file__).parent
ROUNDS = sorted(
    {f"v{folder.name[len('training_') : -len('.0')]}" for folder in RULES.glob("training_*.*.0")} - {"v0.6"}
)


def keys_of_rules(release, division, benchmark):
    """The keys that the rules of a benchmark name."""
    file = RULES / f"training_{release[1:]}.0/{division}_{benchmark}.yaml"
    return re.findall(r"NAME: +(\w+)", file.read_text()) if file.exists() else []


@pytest.mark.parametrize(
    ("release", "division"),
    [
        *((r, "closed") for r in ROUNDS[-2:]),
        ("v6.1", "open"),
        *(pytest.param(r, "closed", marks=pytest.mark.nightly) for r in ROUNDS[:-2]),
        *(pytest.param(r, "open", marks=pytest.mark.nightly) for r in ("v0.7", "v4.0")),
    ],
)
def test_every_rule_of_the_package_is_understood(release, division):
    for benchmark in benchmark_meta.get_result_file_counts("training"):
        rows = a_log(submission_benchmark=benchmark, submission_division=division)
        # v4.0's rules for resnet ask for v3.1's by this value
        rows.append(rows[0] | {"key": "opt_name", "value": "lars"})
        missing = set(keys_of_rules(release, division, benchmark)) - {row["key"] for row in rows}
        for records in (rows, [*rows, *(rows[0] | {"key": key, "value": 1} for key in sorted(missing))]):
            log = read_log(as_text(records).encode())
            try:
                expected = official_messages(log, release)
            except (OSError, TypeError):  # no such rule file, a value that a rule cannot take
                assert (compliance_problem(log, release) or "").startswith("the official rules break off")
                continue
            assert in_any_order(checker_messages(log, release)) == in_any_order(expected), benchmark


def test_a_record_that_cannot_be_read_costs_the_score(tmp_path):
    text = as_text(a_log()) + ':::MLLOG {"namespace": "", "ti\n'
    assert official_verdict(text, tmp_path) is False
    problem = compliance_problem(read_log(text.encode()), "v5.0") or ""
    assert problem.startswith("1 records cannot be read: ") and '"ti' in problem


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_of_records_left_out_moved_or_repeated_the_official_checker_says_the_same(data):
    rows = a_log()
    for _ in range(data.draw(st.integers(0, 3))):
        at, to = data.draw(st.integers(0, len(rows) - 1)), data.draw(st.integers(0, len(rows) - 1))
        change = data.draw(st.sampled_from(["drop", "move", "repeat"]))
        row = rows[at] if change == "repeat" else rows.pop(at)
        if change != "drop":
            rows.insert(to, row)
    log = read_log(as_text(rows).encode())
    assert in_any_order(checker_messages(log, "v5.0")) == in_any_order(official_messages(log))
