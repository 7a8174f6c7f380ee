"""Declared upstream edges of every asset against what it really reads, found by other means than the declaration."""

import re
from pathlib import Path

import duckdb
import pytest

from ingest.core.landing import Landing
from ingest.mlperf import described_systems
from ingest.prices.registry import PRICE_SOURCES
from ingest.registry import REFERENCE_SOURCES, SERVING_SOURCES
from orchestration.raw import raw_layer
from warehouse.inputs.active import select_active
from warehouse.inputs.raw import EARLIER_TABLES
from warehouse.storage.home import SNAPSHOT_DIR, Home

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


def test_the_lineage_leads_from_every_payload_to_what_is_published(parents):
    made_by_dbt = {
        k for k in parents if k.partition("/")[0] not in {"landing", "snapshot", "raw", "published"}
    }
    assert parents["published/accelmart"] == made_by_dbt and len(made_by_dbt) > 180
    assert parents.keys() - set().union(*parents.values()) == {"published/accelmart"}


def sources_in_snapshot(table):
    return {path.stem.partition("__")[0] for path in (SNAPSHOT_DIR / table).glob("*.parquet")}


DOMAINS = {
    "prices": (PRICE_SOURCES, "price", ("price_offers", "exchange_rates")),
    "specs": (REFERENCE_SOURCES, "spec", ("spec_values", "grid_intensities", "token_prices")),
    "serving": (SERVING_SOURCES, "serving", ("serving_points",)),
}


@pytest.mark.parametrize("domain", DOMAINS)
def test_raw_assets_have_the_edges_of_what_they_are_parsed_from(parents, tmp_path, monkeypatch, domain):
    """The landing zones that are read, and the bundled parts, which show the records of a source."""
    sources, family, tables = DOMAINS[domain]
    every = parents[f"raw/{family}_reconciliation"]
    read, real = set(), Landing.history

    def spy(self, source, *more):
        read.add(f"landing/{asset(source)}")
        return real(self, source, *more)

    monkeypatch.setattr(Landing, "history", spy)
    select_active(Home(tmp_path, str(tmp_path / "landing")), sources)
    assert every == read | {f"snapshot/{domain}"} and sources_in_snapshot(f"{family}_reconciliation")
    assert {f"landing/{asset(name)}" for name in sources} <= read
    described = described_systems.SOURCE.name in sources
    assert ({"landing/mlperf_inference", "landing/mlperf_training"} <= read) == described
    for table in tables:
        assert {f"landing/{asset(s)}" for s in sources_in_snapshot(table)} <= parents[f"raw/{table}"]
    assert set().union(*(parents[f"raw/{table}"] for table in tables)) == every


def test_tables_of_mlperf_are_made_of_the_landings_that_have_rows_of_them(parents):
    names = {p.name for p in SNAPSHOT_DIR.iterdir() if p.name.startswith("mlperf_")}
    tables = sorted(names - set(EARLIER_TABLES.values()))
    assert len(tables) == 8
    for table in tables:
        read = {f"landing/{asset(source)}" for source in sources_in_snapshot(table)} | {"snapshot/mlperf"}
        assert parents[f"raw/{table}"] == read, table


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


def test_a_rebuild_states_what_is_there_of_each_table_and_round(definitions, instance, place):
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
    for table in (
        "price_offers",
        "spec_values",
        "grid_intensities",
        "serving_points",
        "mlperf_training_runs",
    ):
        assert (
            0
            < sum(n for (name, _), n in counts.items() if name == table)
            == shipped_rows(f"{table}/*.parquet")
        )


def shipped_rows(files):
    with duckdb.connect() as db:
        return db.read_parquet(f"{SNAPSHOT_DIR}/{files}").count("*").fetchall()[0][0]
