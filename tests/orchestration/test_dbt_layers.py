"""Layers and joins of the dbt project, as queries over its manifest, and the form of its YAML."""

import json

import duckdb
import pytest

from warehouse.build import dbt
from warehouse.storage.home import DBT_PROJECT_DIR, Home

pytestmark = pytest.mark.xdist_group("definitions")

READS = {
    "staging": {"sources", "seeds", "staging"},
    "intermediate": {"seeds", "staging", "intermediate", "facts"},
    "facts": {"seeds", "staging", "intermediate", "facts"},
    "marts": {"intermediate", "facts", "marts"},
    "audit": {"seeds", "staging", "intermediate", "facts", "marts", "audit"},
}
# models that read lists of prices, which are too large for a copy, and those that show what a build was given
READ_SOURCES = {
    "int_price__dated",
    "int_price__joined",
    "mart_source_health",
    "ops_isolated_payload",
    "ops_reconciliation",
    "ops_reject",
}
# public tables that show the rows of a seed or of a staging table, or compare with it
SHOW_SEEDS = {
    "dim_accelerator",
    "dim_benchmark",
    "dim_grid",
    "dim_provider",
    "dim_release",
    "mart_frontier_cost_check",
    "mart_inference_source_agreement",
    "mart_serving_frontier",
    "mart_spec_agreement",
    "mart_tco_assumptions",
    "ops_generation",
}


@pytest.fixture(scope="module")
def db(home):
    """A table `edges` of all models and what they read, with layers: sources, seeds, or the folder of a model; facts stand for themselves."""
    manifest = json.loads(dbt.manifest(Home(home, "x")).read_text())
    nodes = {**manifest["nodes"], **manifest["sources"]}

    def named(key):
        node = nodes[key]
        layer = "facts" if node["name"].startswith("fct_") else node["fqn"][1]
        return node["name"], {"source": "sources", "seed": "seeds"}.get(node["resource_type"], layer)

    edges = [
        (*named(parent), *named(key))
        for key, node in manifest["nodes"].items()
        if node["resource_type"] == "model"
        for parent in node["depends_on"]["nodes"]
        if parent in nodes
    ]
    public = [
        (n["name"],)
        for n in nodes.values()
        if n["config"].get("schema") == "main" and n["name"][:4] != "ops_"
    ]
    with duckdb.connect() as db:
        db.execute("create table edges (parent text, parent_layer text, child text, child_layer text)")
        db.executemany("insert into edges values (?, ?, ?, ?)", edges)
        db.execute("create table public (name text)")
        db.executemany("insert into public values (?)", public)
        yield db


def test_models_read_no_higher_layer_and_others_only_where_they_show_them(db):
    read = db.sql("select distinct child, child_layer, parent_layer from edges").fetchall()
    beyond = [(parent, child) for child, layer, parent in read if parent not in READS[layer]]
    assert {child for parent, child in beyond if parent == "sources"} == READ_SOURCES
    assert {child for parent, child in beyond if parent in ("seeds", "staging")} == SHOW_SEEDS
    assert {parent for parent, _ in beyond} == {"sources", "seeds", "staging"}


def test_few_models_join_a_source_with_models(db):
    """As dbt-project-evaluator counts: what a model reads that reads both a source and a model."""
    joins = db.sql("""
        with joining as (
            select child from edges group by child
            having bool_or(parent_layer = 'sources') and bool_or(parent_layer not in ('sources', 'seeds'))
        )
        select child, parent from edges semi join joining using (child)
    """).fetchall()
    assert len(joins) <= 15, joins


def test_few_models_read_again_what_a_parent_made_for_them_alone_reads(db):
    """As dbt-project-evaluator counts: a rejoining, where the model in between has no other reader."""
    rejoined = db.sql("""
        with single_use as (select parent from edges group by parent having count(*) = 1)
        select up.parent, up.child as between, down.child
        from edges as up
        inner join edges as down on up.child = down.parent
        inner join edges as direct on up.parent = direct.parent and down.child = direct.child
        semi join single_use on up.child = single_use.parent
    """).fetchall()
    assert len(rejoined) <= 23, rejoined


def test_every_public_table_is_there_before_its_rows_are_counted(db):
    late = db.sql("""
        with recursive before (name) as (
            select parent from edges where child = 'int_changes__figures'
            union
            select edges.parent from edges inner join before on edges.child = before.name
        )
        select name from public anti join before using (name)
    """).fetchall()
    assert late == [("mart_changes",)]


def test_a_column_is_an_item_of_its_own_in_yaml_with_short_lines():
    lines = [
        (path.name, line)
        for path in DBT_PROJECT_DIR.rglob("*.yml")
        if "target" not in path.parts
        for line in path.read_text("utf-8").splitlines()
    ]
    assert [line for line in lines if len(line[1]) > 140] == []
    assert [line for line in lines if line[1].count("data_type:") > 1] == []
