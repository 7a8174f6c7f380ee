"""The report is written by every publication, and upstream strings reach it unchanged."""

import json
import shutil

import duckdb
import pytest
from test_report import BRACES, COMMENT, FORMULA, MARKUP, TURNED

from ingest.mlperf.published import parse_summary
from warehouse import dbt
from warehouse.build import publish_build
from warehouse.build_folder import Build
from warehouse.home import Home
from warehouse.output_state import report_of
from warehouse.publish import read_generation


def test_upstream_strings_pass_parser_and_models_unchanged(warehouse):
    entry = {
        "ID": "5.1-9999", "Submitter": MARKUP, "Category": "closed", "Suite": "datacenter", "System": FORMULA, "Platform": "p",
        "UsedModel": "llama2-70b-99", "Model": "llama2-70b-99", "Performance_Result": 1.0, "Performance_Units": "Tokens/s",
        "Nodes": 1, "a#": 8, "Accelerator": COMMENT, "Processor": "x", "Software": BRACES, "Notes": TURNED,
        "Scenario": "Offline", "Location": "closed/x/results/p/llama2-70b-99/Offline", "version": "v5.1",
    }  # fmt: skip
    (row,) = parse_summary(json.dumps([entry]).encode(), where="summary_results.json", release="v5.1").rows
    assert (row.submitter, row.system_name, row.notes, row.software) == (MARKUP, FORMULA, TURNED, BRACES)
    # the models publish every real string unchanged
    parsed = warehouse.execute(
        "select count(*), count(distinct system_name), count(distinct notes) from staging.stg_mlperf_inference__results"
    ).fetchone()
    assert parsed[0] > 30_000 and min(parsed[1:]) > 100
    for published, column in (
        ("submitter", "submitter_published"),
        ("system_name", "system_name"),
        ("notes", "notes"),
        ("software", "software"),
    ):
        changed = warehouse.execute(
            f"select {published} from fct_inference_result where {published} is not null "
            f"except select {column} from staging.stg_mlperf_inference__results"
        ).fetchall()
        assert changed == [], published


@pytest.fixture
def home(built_home, tmp_path):
    """An installation with only a published warehouse."""
    shutil.copy(built_home / "accelmart.duckdb", tmp_path / "accelmart.duckdb")
    return tmp_path


def test_every_build_writes_the_report_of_its_generation(built_home, warehouse):
    ((generation,),) = warehouse.execute("select generation_id from ops_generation").fetchall()
    assert report_of(built_home / "report.html") == generation
    kept = built_home / "generations" / f"{generation}.html"
    assert (built_home / "report.html").read_bytes() == kept.read_bytes()


def test_the_report_command_prints_the_path_and_writes_a_missing_report(built_home, home, accelmart):
    def command(of, *arguments):
        return accelmart(of, "report", *arguments, here=True)

    assert command(built_home).stdout.startswith(f"{built_home}/report.html: generation ")
    (home / "copies").mkdir()
    report = (built_home / "report.html").read_bytes()
    for arguments, path in (((), home), (("--to", home / "copies"), home / "copies")):
        done = command(home, *arguments)
        assert done.returncode == 0 and (path / "report.html").read_bytes() == report, done.stderr
    assert command(home / "copies").returncode == 3


def test_a_failing_report_does_not_stop_the_publication(home):
    there = Home(home, str(home / "landing"))
    build = Build(there.builds / "current")
    build.folder.mkdir(parents=True)
    build.target.mkdir()
    for name in (dbt.PARSED, dbt.MANIFEST):
        (build.target / name).write_bytes(b"{}")
    shutil.copy(home / "accelmart.duckdb", build.database)
    build.database.chmod(0o644)
    with duckdb.connect(str(build.database)) as db:
        db.execute(
            "update ops_generation set previous_generation_id = generation_id, generation_id = '20990101T000000-ffffff'"
        )
        # the report needs this mart
        db.execute("drop table mart_claim_check")
    done = publish_build(there, build, keep=3)
    assert read_generation(home / "accelmart.duckdb").generation_id == "20990101T000000-ffffff"
    assert report_of(home / "report.html") != "20990101T000000-ffffff"
    (problem,) = done.warnings
    assert problem.startswith("report of the published generation: not made (NoReportError")
    assert "mart_claim_check" in problem
