"""Dagster definitions: everything loads, is described, and links to the code that makes it."""

import json
import os
import subprocess
import sys
from collections import defaultdict
from datetime import timedelta
from pathlib import Path

import pytest

from ingest.registry import LIST_SOURCES
from warehouse.build import dbt
from warehouse.storage.home import Home

ROOT = Path(__file__).resolve().parents[2]

PROBE = """
import json, pathlib, warnings
with warnings.catch_warnings(record=True) as warned:
    warnings.simplefilter("always")
    import orchestration.definitions
    orchestration.definitions.defs.get_repository_def()
root = str(pathlib.Path(orchestration.definitions.__file__).resolve().parents[1])
ours = [w for w in warned if str(w.filename).startswith(root) and "site-packages" not in str(w.filename)]
print(json.dumps([len(warned), sorted({f"{w.filename}:{w.lineno}: {w.category.__name__}: {w.message}" for w in ours})]))
"""

pytestmark = pytest.mark.xdist_group("definitions")


@pytest.fixture(scope="module")
def repository(definitions):
    return definitions.get_repository_def()


@pytest.fixture(scope="module")
def assets(repository):
    graph = repository.asset_graph
    return {key.to_user_string(): graph.get(key) for key in graph.get_all_asset_keys()}


@pytest.fixture(scope="module")
def manifest(home):
    return json.loads(dbt.manifest(Home(home, "x")).read_text())


def test_rounds_are_partitions_and_assets_have_descriptions_groups_and_owners(assets):
    partitioned = [k for k, asset in assets.items() if asset.partitions_def]
    assert {"landing/mlperf_inference", "raw/mlperf_inference_results"} <= set(partitioned)
    assert not [k for k in partitioned if k.startswith("accelmart/")]
    assert [k for k, a in assets.items() if not a.description or a.owners != ["team:accelmart"]] == []
    assert {asset.group_name for asset in assets.values()} == {
        *("landing", "raw", "seeds", "staging", "intermediate", "facts"),
        *("prices_and_costs", "performance", "energy", "evidence", "published"),
    }
    assert {"prices"} <= assets["accelmart/mart_price_index"].tags.keys() & assets["landing/vast"].tags.keys()


def test_dbt_tests_are_described_asset_checks(repository, manifest):
    graph = repository.asset_graph
    checks = {(c.asset_key.path[-1], c.name): graph.get_check_spec(c) for c in graph.asset_check_keys}
    assert [k for k, spec in checks.items() if not spec.description] == []
    rules = checks["mart_cost_per_mtok", "rules_of_mart_cost_per_mtok"].description
    assert "{one_row_per: [[benchmark_id, scenario, " in rules
    # a test of several models names the checked one in its config (meta.dagster.ref)
    tests = {n["name"]: n["description"] for n in manifest["nodes"].values() if n["resource_type"] == "test"}
    assert len(tests) > 100 and tests.keys() <= {name for _, name in checks}
    assert [name for name, description in tests.items() if not description] == []


def test_the_code_uses_no_deprecated_superseded_or_beta_api(home):
    done = subprocess.run(
        [sys.executable, "-c", PROBE],
        env={**os.environ, "ACCELMART_HOME": str(home)},
        cwd=home,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    heard, ours = json.loads(done.stdout.splitlines()[-1])
    assert heard > 0  # libraries emit some, which shows that warnings are recorded
    assert ours == []


def test_what_asks_third_parties_is_off_and_what_looks_after_this_installation_runs(repository, assets):
    automation = [*repository.sensor_defs, *repository.schedule_defs]
    assert [k for k, asset in assets.items() if asset.automation_condition] == []
    assert [one.name for one in automation if not one.description] == []
    by_status = defaultdict(set)
    for one in automation:
        by_status[one.default_status.value].add(one.name)
    assert by_status == {
        "STOPPED": {
            *("refresh_marketplaces", "refresh_prices", "refresh_exchange_rates"),
            *("refresh_specifications", "refresh_serving", "mlperf_discovery"),
        },
        "RUNNING": {
            *("rebuild_when_inputs_changed", "run_failure_alerts", "health_alerts", "orphaned_runs"),
        },
    }


def test_a_server_starts_what_asks_third_parties_by_itself(home):
    code = (
        "from orchestration.definitions import defs; r = defs.get_repository_def(); "
        "print({one.default_status.value for one in [*r.sensor_defs, *r.schedule_defs]})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "ACCELMART_HOME": str(home), "ACCELMART_AUTOMATION": "on"},
        cwd=home,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["{'RUNNING'}"]


def test_schedules_cover_each_fetched_source_once(repository):
    from orchestration.landing import is_fetched, landing_key

    covered = []
    for schedule in repository.schedule_defs:
        assert schedule.execution_timezone == "UTC"
        covered += repository.get_job(schedule.job.name).asset_layer.selected_asset_keys
    assert sorted(covered) == sorted(landing_key(s) for s in LIST_SOURCES.values() if is_fetched(s))


def test_landed_and_published_assets_are_as_fresh_as_their_cadence_and_nothing_else_is(assets):
    policies = {k: asset.freshness_policy for k, asset in assets.items() if asset.freshness_policy}
    days = {k: policy.fail_window.to_timedelta() / timedelta(days=1) for k, policy in policies.items()}
    assert (days["landing/vast"], days["landing/lambda"], days["published/accelmart"]) == (1 / 8, 3, 3)
    # raw is as fresh as its landing: one alert for one late source
    assert {k.partition("/")[0] for k in days} == {"landing", "published"}


def test_assets_link_to_their_code(assets):
    links = {
        k: a.metadata["dagster/code_references"]
        for k, a in assets.items()
        if "dagster/code_references" in a.metadata
    }
    files = {k: {Path(r.file_path) for r in value.code_references} for k, value in links.items()}
    assert all(path.exists() for paths in files.values() for path in paths)
    assert {ROOT / "ingest/prices/vast.py", ROOT / "orchestration/landing.py"} <= files["landing/vast"]
    mart = "mart_cost_per_mtok"
    assert ROOT / f"dbt_project/models/marts/costs/{mart}.sql" in files[f"accelmart/{mart}"]
    marts = {k for k in assets if k.startswith("accelmart/")}
    assert marts and marts <= {k for k in files if "dagster/column_schema" in assets[k].metadata}


def test_models_and_seeds_are_described_and_marts_have_an_enforced_contract(manifest):
    nodes = [n for n in manifest["nodes"].values() if n["resource_type"] in ("model", "seed")]
    assert nodes and [n["name"] for n in nodes if not n["description"]] == []
    marts = [n for n in nodes if n["schema"] == "main"]
    assert marts and [n["name"] for n in marts if not n["contract"]["enforced"]] == []


def test_public_columns_are_described_in_dbt_and_with_their_units_in_dagster(manifest, assets):
    public = [
        n for n in manifest["nodes"].values() if n["schema"] == "main" and n["resource_type"] == "model"
    ]
    texts = {(n["name"], c["name"]): c["description"] for n in public for c in n["columns"].values()}
    assert len(texts) > 1000 and [column for column, text in texts.items() if not text or "{{" in text] == []
    schema = assets["accelmart/mart_cost_per_mtok"].metadata["dagster/column_schema"]
    shown = {column.name: column.description for column in schema.columns}
    assert shown["usd_per_output_mtok"].startswith("[USD per million tokens] ")
    assert shown["benchmark_id"] == "MLCommons' key of the benchmark."
