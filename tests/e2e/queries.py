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
