"""A check warns where it found what the published warehouse had not, and passes where all of it is known."""

import json

import dagster as dg
import duckdb
import pytest

from orchestration.check_results import results_of_before, without_known_warnings
from warehouse.build import Build
from warehouse.outcome import BuildWarning, warnings_of

TABLE = dg.AssetKey(["accelmart", "mart_tco"])
WARN, ERROR = dg.AssetCheckSeverity.WARN, dg.AssetCheckSeverity.ERROR


def result(name, passed, severity=ERROR):
    return dg.AssetCheckResult(passed=passed, severity=severity, asset_key=TABLE, check_name=name)


@pytest.fixture
def build(tmp_path):
    """A build in which a test found two accelerators."""
    made = Build(tmp_path)
    (made.folder / "dbt").mkdir()
    found = {
        "unique_id": "test.accelmart.spec_names",
        "status": "warn",
        "compiled_code": "select accelerator_id, watts from found order by all",
    }
    (made.folder / "dbt" / "run_results.json").write_text(json.dumps({"results": [found]}))
    with duckdb.connect(str(made.database)) as db:
        db.execute(
            "create table found as from (values ('h100', 700), ('b200', 1000)) as t (accelerator_id, watts)"
        )
    return made


def of(build, before):
    """The results of a stream of three, by name of the check, in order."""
    stream = ["a table", result("spec_names", False, WARN), result("whole", True), result("lost", False)]
    events = list(without_known_warnings(stream, build, before))
    assert events[0] == "a table" and [e.check_name for e in events[1:]] == ["whole", "lost", "spec_names"]
    assert events[1].passed and (events[2].passed, events[2].severity) == (False, ERROR)
    return events[3]


def test_what_was_found_before_passes_whatever_its_figures(build):
    before = [
        BuildWarning("spec_names", "accelerator_id h100, watts 1", "h100"),
        *(w for w in warnings_of(build) if w.subject == "b200"),
    ]
    known = of(build, before)
    assert known.passed and known.description.startswith("2 rows found, all as in the generation before")


def test_what_is_new_warns_and_is_named(build):
    (h100,) = (w for w in warnings_of(build) if w.subject == "h100")
    new = of(build, [h100, BuildWarning("another_check", "accelerator_id b200", "b200")])
    assert (new.passed, new.severity) == (False, WARN)
    assert new.description == "New: accelerator_id b200, watts 1000"


def test_of_the_first_build_everything_is_new(build):
    assert not of(build, None).passed


def test_a_build_that_fails_reports_its_warnings_as_they_are(build):
    def stream():
        yield result("spec_names", False, WARN)
        raise RuntimeError("dbt failed")

    events = without_known_warnings(stream(), build, warnings_of(build))
    assert not next(events).passed
    with pytest.raises(RuntimeError, match="dbt failed"):
        next(events)


def test_a_test_that_was_not_run_again_passes_and_says_what_is_known():
    keys = [dg.AssetCheckKey(TABLE, name) for name in ("spec_names", "whole")]
    known, whole = results_of_before(keys, [BuildWarning("spec_names", "accelerator_id h100", "h100")])
    assert (
        known.passed
        and "nothing that the test reads has changed since. 1 row found, all as in" in known.description
    )
    assert whole.passed and "found" not in whole.description
