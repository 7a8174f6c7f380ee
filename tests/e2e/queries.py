"""Queries on the built warehouse, for tests."""


def rows(db, sql, *values):
    """Return all rows of a query as tuples."""
    return db.execute(sql, list(values)).fetchall()
