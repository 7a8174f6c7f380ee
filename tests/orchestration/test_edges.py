"""Declared upstream edges of every asset against what it really reads, found by other means than the declaration."""

import json
import re
from pathlib import Path

import duckdb
import pytest

from ingest.core.landing import Landing
from ingest.energy.registry import GRID_SOURCES
from ingest.mlperf import described_systems
from ingest.prices.registry import PRICE_SOURCES
from ingest.registry import LIST_SOURCES, REFERENCE_SOURCES, SERVING_SOURCES
from orchestration.raw import raw_layer
from warehouse import dbt
from warehouse.active import select_active
from warehouse.home import SNAPSHOT_DIR, Home

pytestmark = pytest.mark.xdist_group("definitions")
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def parents(definitions):
    graph = definitions.resolve_asset_graph()
    return {
        key.to_user_string(): {p.to_user_string() for p in graph.get(key).parent_keys}
        for key in graph.get_all_asset_keys()
    }


def asset(source):
    return source.replace("-", "_")


def key_of(node):
    """The key of a dbt node: public tables under the public schema, others under their layer."""
    if node["resource_type"] == "source":
        return f"raw/{node['name']}"
    return f"{'accelmart' if node['schema'] == 'main' else node['schema']}/{node['name']}"


def without_ephemeral(read, assets):
    """Edges of the assets: what an ephemeral model reads counts as read by the models that contain it."""

    def expanded(keys):
        return {k for key in keys for k in ({key} if key in assets else expanded(read[key]))}

    return {key: expanded(keys) for key, keys in read.items() if key in assets}


def test_dbt_models_have_the_edges_of_their_refs_and_sources(parents, home):
    manifest = json.loads(dbt.manifest(Home(home, "x")).read_text())
    nodes = {**manifest["nodes"], **manifest["sources"]}
    read = {}
    for node in nodes.values():
        if node["resource_type"] in ("model", "seed"):
            read[key_of(node)] = {
                key_of(nodes[p])
                for p in node["depends_on"].get("nodes", [])
                if nodes[p]["resource_type"] in ("model", "seed", "source")
            }
    ephemeral = {key_of(n) for n in nodes.values() if n.get("config", {}).get("materialized") == "ephemeral"}
    assert {k for k in read if k not in parents} == ephemeral
    edges = without_ephemeral(read, set(parents))
    assert len(edges) > 190 and sum(map(len, edges.values())) > 400
    assert {k: (parents[k], deps) for k, deps in edges.items() if parents[k] != deps} == {}
    assert parents["published/accelmart"] == set(edges)


def test_what_the_sql_of_a_model_names_is_among_its_edges(parents):
    """The same from the text of the models: the refs and sources that stand in them."""
    by_name = {k.rpartition("/")[2]: k for k in parents if k.startswith("raw/")}
    by_name |= {k.rpartition("/")[2]: k for k in parents if not k.startswith(("raw/", "landing/"))}
    read = {}
    for path in (ROOT / "dbt_project/models").rglob("*.sql"):
        text = re.sub(r"{#.*?#}", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        of_sources = {f"raw/{name}" for name in re.findall(r"source\('raw', '(\w+)'\)", text)}
        named = set(re.findall(r"ref\('(\w+)'\)", text))
        read[by_name.get(path.stem, path.stem)] = of_sources | {by_name.get(n, n) for n in named}
    edges = without_ephemeral(read, set(parents))
    assert sum(map(len, edges.values())) > 300
    assert {k: deps - parents[k] for k, deps in edges.items() if deps - parents[k]} == {}


@pytest.fixture
def asked(monkeypatch):
    """Names of the sources whose landing zone is read."""
    names = []
    for method in ("newest", "latest", "history"):
        real = getattr(Landing, method)

        def spy(self, source, *more, _real=real):
            names.append(source)
            return _real(self, source, *more)

        monkeypatch.setattr(Landing, method, spy)
    return names


@pytest.mark.parametrize("name", PRICE_SOURCES)
def test_a_raw_asset_of_prices_reads_its_own_landing_and_the_snapshot_if_that_has_it(
    parents, asked, tmp_path, name
):
    active = select_active(Home(tmp_path, str(tmp_path / "landing")), [name])
    read = {f"landing/{asset(source)}" for source in {*asked}}
    read |= {"snapshot/prices"} if active.all_parts else set()
    assert {f"landing/{asset(s)}" for s in asked} <= read
    assert parents[f"raw/{asset(name)}"] == read and read


def sources_in_snapshot(table):
    return {path.stem.partition("__")[0] for path in (SNAPSHOT_DIR / table).glob("*.parquet")}


def test_tables_of_prices_are_made_of_the_sources_that_have_rows_of_them(parents):
    """The bundled parts show which record a source has; an undeclared or a superfluous edge shows up."""
    rates, offers = sources_in_snapshot("exchange_rates"), sources_in_snapshot("price_offers")
    assert rates and len(offers) >= 19
    every = {f"raw/{asset(s)}" for s in PRICE_SOURCES}
    assert parents["raw/exchange_rates"] == {f"raw/{asset(s)}" for s in rates}
    assert parents["raw/price_offers"] == every - {f"raw/{asset(s)}" for s in rates}
    assert {f"raw/{asset(s)}" for s in offers} <= parents["raw/price_offers"]
    for table in ("price_observations", "price_polls", "price_rejects", "price_reconciliation"):
        assert parents[f"raw/{table}"] == every


def test_raw_assets_of_specifications_read_what_they_declare(parents, asked, tmp_path):
    select_active(Home(tmp_path, str(tmp_path / "landing")), REFERENCE_SOURCES)
    shipped = sources_in_snapshot("spec_reconciliation")
    declared = {name: parents[f"raw/{asset(name)}"] for name in REFERENCE_SOURCES}
    for name, edges in declared.items():
        own = {f"landing/{asset(name)}"} | ({"snapshot/specs"} if name in shipped else set())
        archives = {"landing/mlperf_inference", "landing/mlperf_training"}
        assert edges == own | (archives if name == described_systems.SOURCE.name else set())
    read = {f"landing/{asset(s)}" for s in asked}
    assert read == {e for edges in declared.values() for e in edges if e.startswith("landing/")}
    every, grids = ({f"raw/{asset(s)}" for s in of} for of in (REFERENCE_SOURCES, GRID_SOURCES))
    assert grids == {f"raw/{asset(s)}" for s in sources_in_snapshot("grid_intensities")}
    assert parents["raw/grid_intensities"] == grids and parents["raw/spec_values"] == every - grids
    for table in ("spec_rejects", "spec_reconciliation"):
        assert parents[f"raw/{table}"] == every


def test_raw_assets_of_serving_read_what_they_declare(parents):
    shipped = sources_in_snapshot("serving_reconciliation")
    assert shipped == {"mlenergy"}
    for name in SERVING_SOURCES:
        own = {f"landing/{asset(name)}"} | ({"snapshot/serving"} if name in shipped else set())
        assert parents[f"raw/{asset(name)}"] == own
    for table in ("serving_points", "serving_rejects", "serving_reconciliation"):
        assert parents[f"raw/{table}"] == {f"raw/{asset(s)}" for s in SERVING_SOURCES}


def test_tables_of_mlperf_are_made_of_the_landings_that_have_rows_of_them(parents):
    tables = [p.name for p in SNAPSHOT_DIR.iterdir() if p.name.startswith("mlperf_")]
    assert len(tables) == 8
    for table in tables:
        read = {f"landing/{asset(source)}" for source in sources_in_snapshot(table)} | {"snapshot/mlperf"}
        assert parents[f"raw/{table}"] == read, table


def test_every_raw_and_landed_asset_is_covered_here(parents):
    of_mlperf = {k for k in parents if k.startswith("raw/mlperf_") and k != "raw/mlperf_systems"}
    of_lists = {f"raw/{asset(s)}" for s in LIST_SOURCES}
    tables = {k for k in parents if k.startswith(("raw/price_", "raw/spec_", "raw/serving_"))}
    tables |= {"raw/exchange_rates", "raw/grid_intensities"}
    rest = {k for k in parents if k.startswith("raw/")} - of_mlperf - of_lists - tables
    # a build writes these itself, from files of the data root and the generation before
    assert {k for k in rest if parents[k]} == set()
    assert rest == {
        "raw/build_info",
        "raw/isolated_payloads",
        "raw/overrides",
        "raw/previous_changes",
        "raw/previous_figures",
        "raw/source_holds",
        "raw/source_fetches",
        "raw/tco_overrides",
    }
    assert {k: v for k, v in parents.items() if k.startswith(("landing/", "snapshot/")) and v} == {}


def test_nothing_private_of_dagster_or_dbt_is_imported():
    private = re.compile(r"\s*(from|import)\s+(dagster\w*\._|dagster_dbt\.core|dbt\.|dbt_common)")
    found = {
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for package in ("accelmart", "ingest", "warehouse", "orchestration")
        for path in (ROOT / package).rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if private.match(line) or re.search(r"import_module\(.(dagster\._|dbt)", line)
    }
    assert found == set()


def test_a_rebuild_states_what_is_there_of_each_source_table_and_round(definitions, instance, place):
    done = (
        definitions.get_repository_def()
        .get_job("rebuild_warehouse")
        .execute_in_process(instance=instance, asset_selection=sorted(raw_layer.keys))
    )
    rows = {
        (e.asset_key.path[-1], e.partition): e.step_materialization_data.materialization.metadata
        for e in done.filter_events(lambda e: e.is_step_materialization)
    }
    assert {key for key, partition in rows if not partition} == {k.path[-1] for k in raw_layer.keys}
    shipped = {path.stem.split("__")[1] for path in (SNAPSHOT_DIR / "mlperf_inference_results").glob("*")}
    rounds = {release for table, release in rows if table == "mlperf_inference_results"}
    assert rounds == shipped == set(instance.get_dynamic_partitions("mlperf_inference_releases"))
    counts = {key: m["dagster/row_count"].value for key, m in rows.items() if "dagster/row_count" in m}
    for source, table in (("codecarbon", "grid_intensities"), ("mlenergy", "serving_points")):
        assert counts[source, None] == shipped_rows(f"{table}/{source}__*.parquet") > 0
    for table in ("price_offers", "spec_values", "mlperf_inference_results", "mlperf_training_runs"):
        assert sum(n for (name, _), n in counts.items() if name == table) == shipped_rows(
            f"{table}/*.parquet"
        )


def shipped_rows(files):
    with duckdb.connect() as db:
        return db.read_parquet(f"{SNAPSHOT_DIR}/{files}").count("*").fetchall()[0][0]
