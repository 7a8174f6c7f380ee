"""dbt without our command: the variables that docs/sql-conventions.md gives are all it needs."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from home_copies import copy_home

ROOT = Path(__file__).resolve().parents[2]
DBT = Path(sys.executable).with_name("dbt")
pytestmark = pytest.mark.xdist_group("changes")


@pytest.fixture
def home(built_home, tmp_path):
    return copy_home(built_home, tmp_path / "home")


def test_dbt_builds_from_the_documented_variables_and_every_unit_test_passes(home, tmp_path):
    """Builds leave out the unit tests, which test SQL and not data. Here they are run."""
    own = {k: v for k, v in os.environ.items() if not k.startswith(("ACCELMART_", "DBT_"))}
    prepared = subprocess.run(
        [sys.executable, "-m", "orchestration.dbt_inputs"],
        env={**own, "ACCELMART_HOME": str(home)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert prepared.returncode == 0, prepared.stderr
    given = dict(line.removeprefix("export ").split("=", 1) for line in prepared.stdout.splitlines())
    assert set(given) == {"DBT_PROJECT_DIR", "DBT_PROFILES_DIR", "DBT_TARGET_PATH"}
    given = {name: shlex.split(value)[0] for name, value in given.items()}
    # a part of the project, on top of what was built before; parsed before, too
    database = Path(given["DBT_PROJECT_DIR"]).parent / "build.duckdb"
    parsed_before = (home / "dbt" / "partial_parse.msgpack").read_bytes()
    shutil.copy(home / "accelmart.duckdb", database)

    def dbt(command, *names):
        done = subprocess.run(
            [DBT, command, "--select", *names, "--log-path", tmp_path],
            env={**own, **given},
            cwd=given["DBT_PROJECT_DIR"],
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        results = json.loads(
            (Path(given["DBT_TARGET_PATH"]) / "run_results.json").read_text(encoding="utf-8")
        )["results"]
        return {result["unique_id"] for result in results if result["status"] == "pass"}

    dbt("build", "+ops_generation")
    with duckdb.connect(str(database), read_only=True) as db:
        db.execute(f"attach '{home / 'accelmart.duckdb'}' as published (read_only)")
        built = db.execute("select generation_id from ops_generation").fetchone()
        assert built != db.execute("select generation_id from published.ops_generation").fetchone()
    # a parse of this folder would point the next build at files that are gone by then
    assert (home / "dbt" / "partial_parse.msgpack").read_bytes() == parsed_before
    manifest = json.loads((home / "dbt" / "manifest.json").read_text(encoding="utf-8"))
    passed = dbt("test", "test_type:unit")
    assert len(passed) > 80 and passed == manifest["unit_tests"].keys()
