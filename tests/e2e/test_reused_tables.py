"""A build that takes over what has not changed has the tables of one that makes everything, in an object store.

Their rows are compared in test_object_storage.py.
"""

import duckdb
import pytest

pytestmark = pytest.mark.xdist_group("operated")

CATALOG = {
    "columns": "select schema_name, table_name, column_name, column_index, data_type, is_nullable, comment "
    "from duckdb_columns() where database_name = $1",
    "tables": "select schema_name, table_name, comment from duckdb_tables() where database_name = $1",
    "constraints": "select schema_name, table_name, constraint_text from duckdb_constraints() where database_name = $1",
    "views": "select schema_name, view_name, sql, comment from duckdb_views() where database_name = $1 and not internal",
    "macros": "select schema_name, function_name, parameters::varchar, macro_definition, comment "
    "from duckdb_functions() where database_name = $1 and not internal",
}


@pytest.fixture(scope="module")
def both(operated):
    with duckdb.connect() as db:
        for name in ("taken over", "from scratch"):
            db.execute(f"attach '{operated[name][0]}' as \"{name}\" (read_only)")
        yield db


def test_much_was_taken_over(operated):
    """New prices, a new round and new names of parts: what hangs on none of them is not made again."""
    assert operated["taken over"][1] < operated["from scratch"][1]


@pytest.mark.parametrize("kind", CATALOG)
def test_the_catalogs_are_equal(both, kind):
    one, other = (
        set(both.execute(CATALOG[kind], [name]).fetchall()) for name in ("taken over", "from scratch")
    )
    assert len(one) > 30 and one == other
