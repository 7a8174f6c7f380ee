"""Dagster definitions: everything loads, and the lineage is complete from payload to published file."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest

from warehouse import dbt
from warehouse.column_dictionary import column_meanings
from warehouse.home import DBT_PROJECT_DIR, Home

ROOT = Path(__file__).resolve().parents[2]

NUMERIC = {"double", "integer", "bigint", "float", "decimal"}

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
def seen(definitions):
    repository = definitions.get_repository_def()
    graph = repository.asset_graph
    assets = {key.to_user_string(): graph.get(key) for key in graph.get_all_asset_keys()}
    automation = [*repository.sensor_defs, *repository.schedule_defs]
    jobs = [job for job in repository.get_all_jobs() if not job.name.startswith("__")]
    checks = {
        f"{c.asset_key.to_user_string()}:{c.name}": graph.get_check_spec(c) for c in graph.asset_check_keys
    }
    return {
        "parents": {k: sorted(p.to_user_string() for p in node.parent_keys) for k, node in assets.items()},
        "partitioned": [k for k, node in assets.items() if node.partitions_def],
        "groups": {k: node.group_name for k, node in assets.items()},
        "described": {k: bool(node.description) for k, node in assets.items()},
        "words_of_checks": {name: spec.description for name, spec in checks.items()},
        "words_of_others": {one.name: one.description for one in (*automation, *jobs)},
        "owners": {k: node.owners for k, node in assets.items()},
        "links": {k: node.metadata for k, node in assets.items()},
        "stale_after": {
            k: node.freshness_policy.fail_window.to_timedelta().total_seconds()
            for k, node in assets.items()
            if node.freshness_policy
        },
        "automated": [k for k, node in assets.items() if node.automation_condition],
        "not_started": [one.name for one in automation if one.default_status.value != "RUNNING"],
        "automation": {one.name for one in automation},
        "jobs": [job.name for job in jobs],
    }


@pytest.fixture(scope="module")
def manifest(home):
    return json.loads(dbt.manifest(Home(home, "x")).read_text())


def test_raw_and_landing_are_partitioned_by_release(seen):
    assert {"landing/mlperf_inference", "raw/mlperf_inference_results"} <= set(seen["partitioned"])
    assert not [k for k in seen["partitioned"] if k.startswith("accelmart/")]


def test_assets_are_described(seen):
    assert [k for k, description in seen["described"].items() if not description] == []


def test_every_check_sensor_schedule_and_job_is_described(seen):
    assert len(seen["words_of_checks"]) > 150 and len(seen["words_of_others"]) > 8
    assert [k for k, words in (seen["words_of_checks"] | seen["words_of_others"]).items() if not words] == []
    rules = seen["words_of_checks"]["accelmart/mart_cost_per_mtok:rules_of_mart_cost_per_mtok"]
    assert (
        rules.startswith("One row per benchmark_id, scenario, ") and "fit is one of fits, too_small" in rules
    )
    (own,) = (
        w
        for k, w in seen["words_of_checks"].items()
        if k.endswith("price_intervals_of_an_offer_do_not_overlap")
    )
    assert own[0].isupper() and own.endswith(".") and "--" not in own


def test_groups_are_named_by_layer_and_domain(seen, manifest):
    expected = {n["name"]: "_".join(n["fqn"][1:3]) for n in models(manifest)}
    assert {n["name"]: n["group"] for n in models(manifest)} == expected
    # an ephemeral model is no asset
    tables = {n["name"] for n in models(manifest) if n["config"]["materialized"] != "ephemeral"}
    assert {n: g for k, g in seen["groups"].items() if (n := k.rpartition("/")[2]) in expected} == {
        name: expected[name] for name in tables
    }
    domains = ("mlperf", "prices", "specs", "serving")
    assert set(seen["groups"].values()) - {expected[name] for name in tables} == {
        *(f"{layer}_{domain}" for layer in ("landing", "raw") for domain in domains),
        *("raw_build_inputs", "reference", "publication"),
    }


def test_dbt_tests_are_asset_checks(seen, manifest):
    names = {c.split(":")[1] for c in seen["words_of_checks"]}
    assert {"rules_of_fct_inference_result", "nothing_is_lost"} <= names
    # a test of several models names the checked one in its config (meta.dagster.ref)
    tests = [n for n in manifest["nodes"].values() if n["resource_type"] == "test"]
    assert len(tests) > 150 and {n["name"] for n in tests} - names == set()
    # one test has all rules of a table
    rules = [
        rule
        for n in tests
        if (n.get("test_metadata") or {}).get("name") == "table_rules"
        for kind, of_kind in n["test_metadata"]["kwargs"].items()
        if kind != "model"
        for rule in of_kind
    ]
    assert len(rules) > 400
    assert "rebuild_warehouse" in seen["jobs"]


def test_the_code_uses_no_deprecated_superseded_or_beta_api(home):
    done = subprocess.run(
        [sys.executable, "-c", PROBE],
        env={**os.environ, "ACCELMART_HOME": str(home)},
        cwd=home,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    heard, ours = json.loads(done.stdout.splitlines()[-1])
    assert heard > 0  # libraries emit some, which shows that warnings are recorded
    assert ours == []


READ_WITH_EVERY_BUILD = {
    "raw/build_info",
    "raw/overrides",
    "raw/isolated_payloads",
    "raw/tco_overrides",
    "raw/source_holds",
    "raw/source_fetches",
    "raw/previous_figures",
    "raw/previous_changes",
}


def test_landed_and_published_assets_have_a_freshness_policy_of_their_cadence(seen):
    day = 86_400
    expected = {
        "landing/vast": day / 8,
        "landing/lambda": 3 * day,
        "landing/ecb_reference_rates": 3 * day,
        "landing/epoch": 21 * day,
        "landing/mlperf_training": 549 * day,
        "published/accelmart": 3 * day,
    }
    assert {k: seen["stale_after"].get(k) for k in expected} == expected
    # raw is as fresh as its landing, which has the policy: one alert for one late source
    assert {k.partition("/")[0] for k in seen["stale_after"]} == {"landing", "published"}


def test_schedules_and_sensors_run_by_default_and_nothing_else_starts_runs(seen):
    assert seen["automated"] == seen["not_started"] == []
    assert seen["automation"] == {
        *("refresh_marketplaces", "refresh_prices", "refresh_exchange_rates"),
        *("refresh_specifications", "refresh_serving"),
        *("rebuild_when_inputs_changed", "mlperf_discovery"),
        *("run_failure_alerts", "health_alerts", "landing_scrub", "orphaned_runs"),
    }


def test_assets_have_owners_and_links_to_their_code(seen):
    assert [k for k, owners in seen["owners"].items() if owners != ["team:accelmart"]] == []
    files = {k: paths_of(links) for k, links in seen["links"].items()}
    # what is reported beside the assets that make it, bundled files and files of the user
    without = {k for k in files if k.startswith(("snapshot/", "raw/mlperf_"))} - {"raw/mlperf_systems"}
    without |= READ_WITH_EVERY_BUILD | {"published/accelmart"}
    assert {k for k, paths in files.items() if not paths} == without
    assert {"ingest/prices/vast.py", "orchestration/landing.py"} <= files["landing/vast"]
    assert "dbt_project/models/marts/costs/mart_cost_per_mtok.sql" in files["accelmart/mart_cost_per_mtok"]
    marts = [k for k in files if k.startswith("accelmart/")]
    assert marts and [k for k in marts if "dagster/column_schema" not in seen["links"][k]] == []


def paths_of(links):
    """Return the files that an asset links to, all of which exist, from the root of the checkout."""
    value = links.get("dagster/code_references")
    paths = {Path(reference.file_path) for reference in value.code_references} if value else set()
    assert all(path.exists() for path in paths)
    return {path.relative_to(ROOT).as_posix() for path in paths}


def models(manifest):
    return [n for n in manifest["nodes"].values() if n["resource_type"] == "model"]


def test_every_mart_column_has_a_meaning_and_numbers_have_a_unit(manifest):
    meanings = column_meanings()
    gaps = []
    marts = [n for n in models(manifest) if n["schema"] == "main"]
    for table in marts:
        for column in table["columns"].values():
            meaning = meanings.get((column["name"], table["name"])) or meanings.get((column["name"], ""), "")
            if not meaning or (column["data_type"] in NUMERIC and not meaning.startswith("[")):
                gaps.append(f"{table['name']}.{column['name']}")
    assert marts and not gaps, f"describe these in the column dictionary, numbers with a unit: {gaps}"


def test_the_dictionary_names_columns_that_exist(manifest):
    """Of public tables and of seeds; those of other models are in their SQL alone."""
    columns = {n["name"]: set(n["columns"]) for n in models(manifest) if n["schema"] == "main"}
    for seed in (DBT_PROJECT_DIR / "seeds").glob("*.csv"):
        with seed.open(newline="", encoding="utf-8") as file:
            columns[seed.stem] = set(next(csv.reader(file)))
    names = {n["name"] for n in models(manifest)} | columns.keys()
    stated = {(column, table) for column, table in column_meanings() if table}
    assert {table for _, table in stated} <= names
    assert {(c, t) for c, t in stated if t in columns and c not in columns[t]} == set()


def test_every_model_and_seed_is_described(manifest):
    nodes = [n for n in manifest["nodes"].values() if n["resource_type"] in ("model", "seed")]
    assert nodes and [n["name"] for n in nodes if not n["description"]] == []


def test_every_mart_has_an_enforced_contract(manifest):
    assert [
        n["name"] for n in models(manifest) if n["schema"] == "main" and not n["contract"]["enforced"]
    ] == []


def test_dagster_finds_one_definitions_object_in_the_module(definitions):
    """`dagster dev -m` refuses a module with several."""
    from orchestration import definitions as module

    found = [name for name, value in vars(module).items() if isinstance(value, dg.Definitions)]
    assert found == ["defs"] and module.defs is definitions
