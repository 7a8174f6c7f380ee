"""The file that is published: what of a build is in it, and in which form."""

import json

import duckdb
import pytest

from warehouse.build.dbt import MANIFEST
from warehouse.build.folder import Build
from warehouse.build.published_file import write_published
from warehouse.publication.generation import NotPublishableError

STATEMENTS = """
create schema staging; create schema intermediate; create schema seeds; create schema accelmart;
create table main.mart_price (accelerator varchar not null, usd double);
insert into main.mart_price select 'part ' || i, i from range(100000, 0, -1) t(i);
comment on column main.mart_price.usd is '[USD/h] Price.';
create view accelmart.mart_price as select * from main.mart_price;
comment on view accelmart.mart_price is 'Prices.';
create table seeds.factors as select 2 as factor;
create table staging.stg_aliases as select 'H100' as alias;
create table staging.stg_offers as select range as offer from range(1000);
create table intermediate.int_figures as select 1 as figure;
create table intermediate.int_steps as select 1 as step;
create macro main.doubled(x) as x * (select factor from seeds.factors);
create macro main.aliases() as table from staging.stg_aliases;
comment on macro table main.aliases is 'Words for a part.';
"""
NODES = {
    "model.accelmart.stg_aliases": {"schema": "staging", "alias": "stg_aliases"},
    "model.accelmart.stg_offers": {"schema": "staging", "alias": "stg_offers"},
    "model.accelmart.int_figures": {"schema": "intermediate", "alias": "int_figures"},
    "model.accelmart.mart_price": {"schema": "main", "alias": "mart_price"},
}


@pytest.fixture
def build(tmp_path):
    """A build of which a function reads one internal table and an exposure another."""
    build = Build(tmp_path)
    build.target.mkdir()
    functions = {"function.accelmart.aliases": {"depends_on": {"nodes": ["model.accelmart.stg_aliases"]}}}
    reads = ["model.accelmart.int_figures", "model.accelmart.mart_price", "seed.accelmart.factors"]
    manifest = {"nodes": NODES, "functions": functions, "exposures": {"e": {"depends_on": {"nodes": reads}}}}
    (build.target / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    with duckdb.connect(str(build.database)) as db:
        db.execute(STATEMENTS)
    return build


def test_the_published_file_has_public_tables_and_of_the_internal_ones_what_is_read(build):
    with duckdb.connect(str(write_published(build)), read_only=True) as db:
        tables = db.execute(
            "select schema_name || '.' || table_name from duckdb_tables() order by all"
        ).fetchall()
        assert [name for (name,) in tables] == [
            "intermediate.int_figures",
            "main.mart_price",
            "seeds.factors",
            "staging.stg_aliases",
        ]
        assert db.execute("select doubled(21), (select alias from aliases())").fetchone() == (42, "H100")
        assert db.execute("select count(*) from published.accelmart.mart_price").fetchone() == (100000,)


def test_comments_constraints_and_the_order_of_rows_are_those_of_the_build(build):
    with duckdb.connect(str(write_published(build)), read_only=True) as db:
        assert db.execute("select usd from mart_price limit 2").fetchall() == [(100000,), (99999,)]
        comments = db.execute(
            "select comment from duckdb_columns() where comment is not null union all "
            "select comment from duckdb_views() where not internal union all "
            "select comment from duckdb_functions() where function_name = 'aliases'"
        ).fetchall()
        assert comments == [("[USD/h] Price.",), ("Prices.",), ("Words for a part.",)]
        assert db.execute(
            "select is_nullable from duckdb_columns() where schema_name = 'main' and column_name = 'accelerator'"
        ).fetchall() == [(False,)]
        # old versions read it, and small tables take little room
        assert db.execute("select block_size from pragma_database_size()").fetchone() == (32768,)
        assert (
            db.execute("select tags['storage_version'] from duckdb_databases() where not internal")
            .fetchall()[0][0]
            .startswith("v1.2.0")
        )


def test_a_file_that_cannot_be_written_is_not_published(build):
    build.published.mkdir()
    with pytest.raises(NotPublishableError, match="Build again"):
        write_published(build)
