"""A check that warns states how many of its rows the published warehouse did not have."""

import json

import dagster as dg
import duckdb
import pytest

from orchestration.check_results import count_new_rows
from warehouse.build_folder import Build
from warehouse.outcome import BuildWarning, warnings_of

TABLE = dg.AssetKey(["accelmart", "mart_tco"])
WARN, ERROR = dg.AssetCheckSeverity.WARN, dg.AssetCheckSeverity.ERROR


def result(name, passed, severity=ERROR):
    return dg.AssetCheckResult(
        passed=passed,
        severity=severity,
        asset_key=TABLE,
        check_name=name,
        metadata={"Execution Duration": 0.4, "unique_id": f"test.accelmart.{name}"},
    )


@pytest.fixture
def build(tmp_path):
    """A build in which a test found two accelerators."""
    made = Build(tmp_path)
    made.target.mkdir()
    found = {
        "unique_id": "test.accelmart.spec_names",
        "status": "warn",
        "compiled_code": "select accelerator_id, watts from found order by all",
    }
    (made.target / "run_results.json").write_text(json.dumps({"results": [found]}))
    with duckdb.connect(str(made.database)) as db:
        db.execute(
            "create table found as from (values ('h100', 700), ('b200', 1000)) as t (accelerator_id, watts)"
        )
    return made


@pytest.mark.parametrize(
    ("known", "n_new", "description"),
    [
        # the figures of a row may change, its texts make it the same row
        (["h100", "b200"], 0, "All rows were in the generation before."),
        (["h100"], 1, "accelerator_id b200, watts 1000"),
        ([], 2, "accelerator_id b200, watts 1000; accelerator_id h100, watts 700"),
    ],
)
def test_a_warning_fails_with_the_number_of_new_rows(build, known, n_new, description):
    before = [BuildWarning("spec_names", "watts 1", name) for name in known]
    before.append(BuildWarning("another_check", "accelerator_id b200", "b200"))
    stream = ["a table", result("spec_names", False, WARN), result("whole", True), result("lost", False)]
    table, whole, lost, warned = count_new_rows(stream, build, before)
    assert table == "a table" and (lost.passed, lost.severity) == (False, ERROR)
    # what passes is stored for ever without what nobody reads
    assert whole.passed and set(whole.metadata) == {"Execution Duration"} and "unique_id" in lost.metadata
    assert (warned.passed, warned.severity) == (False, WARN)
    assert (warned.metadata["n_rows"].value, warned.metadata["n_new"].value) == (2, n_new)
    assert warned.description == description
    assert len(warnings_of(build)) == 2
