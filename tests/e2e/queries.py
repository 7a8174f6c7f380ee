"""Queries on the built warehouse, for tests."""


def rows(db, sql, *values):
    """Return all rows of a query as tuples."""
    return db.execute(sql, list(values)).fetchall()


def one(db, sql):
    """Return the only row of a query: a tuple, or the value if it has one column.

    Raises:
        AssertionError: the query returns no row or several.
    """
    answer = rows(db, sql)
    assert len(answer) == 1, f"{len(answer)} rows from {sql}"
    return answer[0] if len(answer[0]) > 1 else answer[0][0]


# what a generation says of itself and of the one before it
OF_THE_GENERATION = {
    ("main", "ops_generation"),
    ("main", "mart_changes"),
    ("main", "ops_change_alarm"),
    # what the operator has released since
    ("staging", "stg_accelmart__holds"),
    ("intermediate", "int_changes__compared"),
    ("intermediate", "int_changes__found"),
}


def differing_tables(db, one, other):
    """Compare all tables of two attached warehouses row by row, but for what is of a generation alone.

    Returns:
        ((schema, table) → rows missing in the one and in the other, of tables that differ; number of tables and rows.)
    """
    tables = set(
        db.execute(
            "select schema_name, table_name from duckdb_tables() where database_name = ?", [other]
        ).fetchall()
    )
    assert tables >= OF_THE_GENERATION
    differing, n_rows = {}, 0
    for schema, table in sorted(tables - OF_THE_GENERATION):
        of_one, of_other = (f'"{name}"."{schema}"."{table}"' for name in (one, other))
        missing, added, rows = db.execute(
            f"select (select count(*) from (from {of_one} except all from {of_other})), "
            f"(select count(*) from (from {of_other} except all from {of_one})), (select count(*) from {of_other})"
        ).fetchone()
        n_rows += rows
        if missing or added:
            differing[schema, table] = (missing, added)
    return differing, len(tables), n_rows
