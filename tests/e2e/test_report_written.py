"""The report is written by every publication, which goes on without it."""

import re
import shutil
from collections import Counter
from importlib.resources import files

import duckdb

from warehouse.build import dbt
from warehouse.build.driver import publish_build
from warehouse.build.folder import Build
from warehouse.outputs.report import report_of
from warehouse.outputs.report.page import SCRIPTS
from warehouse.publication.generation import read_generation
from warehouse.storage.home import Home


def test_scripts_of_the_report_share_no_name():
    """They are joined into one script, in which a second declaration of a name is an error on every page."""
    folder = files("warehouse.outputs.report")
    names = Counter(
        name
        for script in SCRIPTS
        for name in re.findall(
            r"^(?:export )?(?:async )?(?:const|let|function|class) (\w+)",
            (folder / script).read_text("utf-8"),
            re.MULTILINE,
        )
    )
    assert names.total() > 100 and names.most_common(1)[0][1] == 1, names.most_common(1)


def test_the_report_command_writes_a_missing_report(built_home, accelmart, tmp_path):
    shutil.copy(built_home / "accelmart.duckdb", tmp_path)
    (tmp_path / "copies").mkdir()
    for arguments, folder in (((), tmp_path), (("--to", tmp_path / "copies"), tmp_path / "copies")):
        done = accelmart(tmp_path, "report", *arguments, here=True)
        assert done.returncode == 0, done.stderr
        assert (folder / "report.html").read_bytes() == (built_home / "report.html").read_bytes()
    assert accelmart(tmp_path / "copies", "report", here=True).returncode == 3


def test_a_failing_report_does_not_stop_the_publication(built_home, tmp_path):
    home, there = tmp_path, Home(tmp_path, str(tmp_path / "landing"))
    shutil.copy(built_home / "accelmart.duckdb", home)
    build = Build(there.builds / "current")
    build.folder.mkdir(parents=True)
    build.target.mkdir()
    (build.target / dbt.PARSED).write_text("{}", encoding="utf-8")
    # it names the tables that functions of the published file read
    shutil.copy(dbt.manifest(Home(built_home, str(built_home / "landing"))), build.target / dbt.MANIFEST)
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
    assert report_of(there) != "20990101T000000-ffffff"
    # there is no raw layer to follow columns to
    (problem,) = [line for line in done.warnings if not line.startswith("column lineage")]
    assert "NoReportError" in problem and "mart_claim_check" in problem
