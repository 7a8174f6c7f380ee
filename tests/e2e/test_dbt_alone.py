"""dbt without our command: in a clone, on the bundled snapshot, without a setting."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

ROOT = Path(__file__).resolve().parents[2]
DBT = Path(sys.executable).with_name("dbt")
# by value; of the others the rows are counted
COMPARED = (
    "fct_inference_result", "fct_training_result", "fct_price_interval", "fct_serving_point", "mart_hardware_price",
    "mart_cost_per_mtok", "mart_tco", "mart_energy", "mart_claim_check", "ops_reject", "ops_layer_account",
)  # fmt: skip
OF_THE_BUILD = "generation_id|previous_generation_id|built_at|age_days|price_age_days"


@pytest.fixture
def clone(tmp_path):
    """The tracked files as they are now, elsewhere."""
    names = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    for name in names:
        target = tmp_path / "clone" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target)
    return tmp_path / "clone"


def files_outside_of_dbts_folders(clone):
    derived = [clone / "dbt_project" / name for name in ("target", "logs")]
    return {p for p in clone.rglob("*") if not any(p.is_relative_to(folder) for folder in derived)}


def test_dbt_builds_a_clone_as_accelmart_does_and_every_unit_test_passes(clone, built_home):
    """Builds leave out the unit tests, which test SQL and not data. Here they are run."""
    before = files_outside_of_dbts_folders(clone)

    done = subprocess.run(
        [DBT, "build"], env={}, cwd=clone / "dbt_project", capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    target = clone / "dbt_project" / "target"
    results = json.loads((target / "run_results.json").read_text(encoding="utf-8"))["results"]
    passed = {r["unique_id"] for r in results if r["status"] == "pass"}
    unit_tests = json.loads((target / "manifest.json").read_text(encoding="utf-8"))["unit_tests"].keys()
    assert len(unit_tests) > 80 and unit_tests <= passed
    assert files_outside_of_dbts_folders(clone) == before

    with duckdb.connect(target / "dev.duckdb", read_only=True) as db:
        db.execute(f"attach '{built_home / 'accelmart.duckdb'}' as published (read_only)")

        def rows_of(catalog):
            tables = db.execute(
                "select table_name, estimated_size from duckdb_tables() "
                "where database_name = ? and schema_name = 'main'",
                [catalog],
            )
            return dict(tables.fetchall())

        assert rows_of("dev") == rows_of("published")
        for table in COMPARED:
            columns = f"columns(lambda name: not regexp_full_match(name, '{OF_THE_BUILD}'))"
            ours, theirs = (
                f"select {columns} from {catalog}.main.{table}" for catalog in ("dev", "published")
            )
            differing = db.execute(f"({ours} except all {theirs}) union all ({theirs} except all {ours})")
            assert differing.fetchall() == [] and rows_of("dev")[table], table
