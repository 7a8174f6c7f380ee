"""Dagster definitions: everything loads, and the lineage is complete from payload to published file."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest

from warehouse.column_dictionary import column_meanings
from warehouse.home import DBT_PROJECT_DIR

NUMERIC = {"double", "integer", "bigint", "float", "decimal"}

PROBE = """
import json, pathlib, sys, warnings
with warnings.catch_warnings(record=True) as warned:
    warnings.simplefilter("always")
    import orchestration.definitions
    from orchestration.definitions import defs
    repository = defs.get_repository_def()
root = str(pathlib.Path(orchestration.definitions.__file__).resolve().parents[1])
ours = [w for w in warned if str(w.filename).startswith(root) and "site-packages" not in str(w.filename)]
graph = repository.asset_graph
print(json.dumps({
    "parents": {k.to_user_string(): sorted(p.to_user_string() for p in graph.get(k).parent_keys)
                for k in graph.get_all_asset_keys()},
    "partitioned": sorted(k.to_user_string() for k in graph.get_all_asset_keys() if graph.get(k).partitions_def),
    "groups": {k.to_user_string(): graph.get(k).group_name for k in graph.get_all_asset_keys()},
    "described": {k.to_user_string(): bool(graph.get(k).description) for k in graph.get_all_asset_keys()},
    "words_of_checks": {f"{c.asset_key.to_user_string()}:{c.name}": graph.get_check_spec(c).description
                        for c in graph.asset_check_keys},
    "words_of_others": {d.name: d.description for d in (
        *repository.sensor_defs, *repository.schedule_defs,
        *(job for job in repository.get_all_jobs() if not job.name.startswith("__")))},
    "checks": sorted(f"{c.asset_key.to_user_string()}:{c.name}" for c in graph.asset_check_keys),
    "warnings": sorted({f"{w.filename}:{w.lineno}: {w.category.__name__}: {w.message}" for w in ours}),
    "heard": len(warned),
    "owners": {k.to_user_string(): graph.get(k).owners for k in graph.get_all_asset_keys()},
    "links": {k.to_user_string(): sorted(graph.get(k).metadata) for k in graph.get_all_asset_keys()},
    "stale_after": {k.to_user_string(): graph.get(k).freshness_policy.fail_window.to_timedelta().total_seconds()
                    for k in graph.get_all_asset_keys() if graph.get(k).freshness_policy},
    "automated": sorted(k.to_user_string() for k in graph.get_all_asset_keys()
                        if graph.get(k).automation_condition),
    "started": sorted(x.name for x in [*repository.schedule_defs, *repository.sensor_defs]
                      if x.default_status.value == "RUNNING"),
    "not_started": sorted(x.name for x in [*repository.schedule_defs, *repository.sensor_defs]
                          if x.default_status.value != "RUNNING"),
    "jobs": sorted(j.name for j in repository.get_all_jobs()),
}))
"""


pytestmark = pytest.mark.xdist_group("definitions")


# as the commands of the pipeline load the definitions
@pytest.fixture(scope="module")
def seen(home):
    return probed(home, PROBE)


def probed(home, code):
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "ACCELMART_HOME": str(home)},
        cwd=home,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def manifest(home, seen):
    return json.loads((home / "dbt/manifest.json").read_text())


def ancestors(parents, key):
    ancestors, todo = set(), [key]
    while todo:
        for parent in parents[todo.pop()]:
            if parent not in ancestors:
                ancestors.add(parent)
                todo.append(parent)
    return ancestors


def test_every_mart_depends_on_payloads(seen, manifest):
    payloads = {
        "landing/mlperf_inference",
        "landing/mlperf_inference_collection",
        "snapshot/mlperf",
    }
    facts = ancestors(seen["parents"], "accelmart/fct_inference_result")
    assert payloads | {"raw/mlperf_inference_results"} <= facts
    training = ancestors(seen["parents"], "accelmart/fct_training_result")
    assert {
        "landing/mlperf_training",
        "landing/mlperf_training_collection",
        "raw/mlperf_training_results",
    } <= training
    marts = {f"accelmart/{n['name']}" for n in models(manifest) if n["schema"] == "main"}
    assert len(marts) >= 14
    assert marts | payloads <= ancestors(seen["parents"], "published/accelmart")


def test_raw_and_landing_are_partitioned_by_release(seen):
    assert {"landing/mlperf_inference", "raw/mlperf_inference_results"} <= set(seen["partitioned"])
    assert not [k for k in seen["partitioned"] if k.startswith("accelmart/")]


def test_assets_are_described(seen):
    assert [k for k, description in seen["described"].items() if not description] == []


def test_every_check_sensor_schedule_and_job_is_described(seen):
    assert set(seen["words_of_checks"]) == set(seen["checks"]) and len(seen["words_of_others"]) > 8
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
    names = {c.split(":")[1] for c in seen["checks"]}
    assert {"rules_of_fct_inference_result", "every_record_is_accounted_for"} <= names
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


def test_the_code_uses_no_deprecated_superseded_or_beta_api(seen):
    assert seen["heard"] > 0  # libraries emit some, which shows that warnings are recorded
    assert seen["warnings"] == []


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


def test_every_raw_landed_and_published_asset_has_a_freshness_policy_of_its_cadence(seen):
    day = 86_400
    expected = {
        "landing/vast": day / 8,
        "landing/lambda": 3 * day,
        "landing/ecb_reference_rates": 3 * day,
        "landing/epoch": 21 * day,
        "raw/price_offers": 3 * day,
        "raw/exchange_rates": 3 * day,
        "raw/spec_values": 21 * day,
        "raw/serving_points": 21 * day,
        "raw/mlperf_training_results": 549 * day,
        "published/accelmart": 3 * day,
    }
    assert {k: seen["stale_after"].get(k) for k in expected} == expected
    # files of dbt and the user are read at every build
    raw = {k for k in seen["groups"] if k.startswith("raw/")} - READ_WITH_EVERY_BUILD
    # the raw asset of a source is as fresh as its landing asset, which has the policy
    of_sources = {k for k in raw if k.replace("raw/", "landing/") in seen["groups"]}
    assert len(of_sources) > 25
    assert {k for k in raw - of_sources if k not in seen["stale_after"]} == set()


def test_the_raw_layer_follows_landing_and_automation_is_on_by_default(seen):
    raw = {k for k in seen["stale_after"] if k.startswith("raw/")}
    assert raw and raw <= set(seen["automated"])
    assert {
        "refresh_marketplaces",
        "refresh_prices",
        "refresh_exchange_rates",
        "refresh_specifications",
        "refresh_serving",
        "raw_follows_landing",
        "rebuild_when_inputs_changed",
        "register_landed_releases",
        "orphaned_runs",
        "mlperf_discovery",
    } <= set(seen["started"])


def test_assets_have_owners_and_links_to_their_code(seen):
    ours = {
        k for k in seen["groups"] if not k.startswith(("landing/", "snapshot/")) or k in seen["stale_after"]
    }
    ours -= {k for k in ours if k.startswith("raw/") and k not in seen["stale_after"]}
    assert [k for k in ours if not seen["owners"][k]] == []
    assert [k for k in ours if "dagster/code_references" not in seen["links"][k]] == []
    marts = [k for k in ours if k.startswith("accelmart/")]
    assert [k for k in marts if "dagster/column_schema" not in seen["links"][k]] == []


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


def test_imports_point_one_way():
    root = Path(__file__).resolve().parents[2]
    forbidden = {
        "ingest": ("warehouse", "orchestration", "dagster", "duckdb", "dbt"),
        "warehouse": ("orchestration", "dagster"),
    }
    wrong = [
        f"{path.relative_to(root)}: {line.strip()}"
        for house, names in forbidden.items()
        for path in (root / house).rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.lstrip().startswith(("import ", "from ")) and line.split()[1].split(".")[0] in names
    ]
    assert wrong == []
