"""What the next build is handed of the published generation, and that a build follows the one it was compared with."""

import duckdb
import pytest
import yaml
from made import make_warehouse

from warehouse.build.changes import CHANGES, FIGURES, export_previous
from warehouse.publication.generation import NotPublishableError, NoWarehouseError, read_generation
from warehouse.publication.pointer import predecessor, publish, rollback
from warehouse.storage.home import DBT_PROJECT_DIR, Home

FIRST, SECOND, THIRD = (f"2026010{i}T000000-aaaaaa" for i in (1, 2, 3))


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path, str(tmp_path / "landing"))


def columns(table, file):
    models = yaml.safe_load((DBT_PROJECT_DIR / file).read_text())["models"]
    return [c["name"] for m in models if m["name"] == table for c in m["columns"]]


def exported(home, table):
    relation = duckdb.sql(f"select * from read_parquet('{home.root}/raw/{table}/*.parquet')")
    return relation.columns, relation.fetchall()


def test_a_first_build_is_handed_empty_tables_of_the_right_form(home):
    assert export_previous(predecessor(home), home.root / "raw") is None
    names, rows = exported(home, FIGURES)
    assert names == columns("int_changes__figures", "models/audit/changes/_changes.yml") and rows == []
    names, rows = exported(home, CHANGES)
    assert names == columns("mart_changes", "models/audit/changes/marts/_marts.yml") and rows == []


def test_figures_of_an_older_form_are_read_as_the_project_knows_them_now(home, tmp_path):
    older = make_warehouse(
        tmp_path / "a.duckdb",
        FIRST,
        None,
        "create schema intermediate",
        "create table intermediate.int_changes__figures as "
        "select 'r' as relation, 'n' as figure, 's' as subject, 1 as value, 'dropped since' as another",
    )
    publish(older, home)
    assert export_previous(predecessor(home), home.root / "raw") == FIRST
    names, ((*row,),) = exported(home, FIGURES)
    change = dict(zip(names, row, strict=True))
    assert (change["relation"], change["value"], change["source"]) == ("r", 1.0, None)
    assert "another" not in change
    assert exported(home, CHANGES)[1] == []


def test_what_is_no_warehouse_is_nothing_to_compare_with_and_replaced(home, tmp_path):
    home.published.write_bytes(b"not a database")
    assert export_previous(predecessor(home), home.root / "raw") is None
    assert exported(home, FIGURES)[1] == []
    assert publish(make_warehouse(tmp_path / "a.duckdb", FIRST), home).generation_id == FIRST


def test_a_build_follows_the_generation_it_was_compared_with_and_no_other(home, tmp_path):
    publish(make_warehouse(tmp_path / "a.duckdb", FIRST), home)
    publish(make_warehouse(tmp_path / "b.duckdb", SECOND, FIRST), home)
    late = make_warehouse(tmp_path / "c.duckdb", THIRD, FIRST)  # began before SECOND was published
    with pytest.raises(NotPublishableError, match=f"compared with generation {FIRST}, but {SECOND}"):
        publish(late, home)
    assert read_generation(home.published).generation_id == SECOND
    rollback(home)
    # the next one follows what is published
    assert export_previous(predecessor(home), home.root / "raw") == FIRST
    assert publish(late, home).generation_id == THIRD


def test_a_file_without_a_generation_is_no_warehouse(home):
    with pytest.raises(NoWarehouseError, match="does not exist"):
        read_generation(home.published)
    with duckdb.connect(str(home.published)) as db:
        db.execute(
            "create table ops_generation (generation_id text, built_at timestamptz, input_fingerprint text)"
        )
    with pytest.raises(NoWarehouseError, match="does not name its generation"):
        read_generation(home.published)
    # a time without a zone, or a fingerprint that is no text
    for built_at, fingerprint in (("timestamp '2026-01-01'", "'f'"), ("now()", "1")):
        with duckdb.connect(str(home.published)) as db:
            db.execute(
                f"create or replace table ops_generation as select '{FIRST}' as generation_id, {built_at} as built_at, "
                f"{fingerprint} as input_fingerprint"
            )
        with pytest.raises(NoWarehouseError, match="of another type"):
            read_generation(home.published)
