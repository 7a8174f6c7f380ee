"""Reading the published warehouse: read-only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb

from ingest.core.errors import AccelmartError
from warehouse.publish import NoWarehouseError


class QueryFailedError(AccelmartError):
    """The statement is wrong; the message is DuckDB's."""


class Reader:
    """The published file, open for several statements on one connection.

    Args:
        db: an open connection.
    """

    def __init__(self, db: duckdb.DuckDBPyConnection) -> None:
        self._db = db

    def query(
        self, statement: str, parameters: dict[str, Any] | None = None
    ) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Run one statement; see `query`."""
        try:
            done = self._db.execute(statement, parameters or {})
            return [c[0] for c in done.description or []], done.fetchall()
        except duckdb.Error as e:
            raise _failed(e) from e

    def rows(self, statement: str, parameters: dict[str, Any] | None = None) -> list[dict[str, Any]]:
        """The rows of one statement by column name."""
        columns, rows = self.query(statement, parameters)
        return [dict(zip(columns, row, strict=True)) for row in rows]

    def one(self, statement: str, parameters: dict[str, Any] | None = None) -> dict[str, Any]:
        """The first row of one statement by column name."""
        return self.rows(statement, parameters)[0]


def _failed(error: duckdb.Error) -> QueryFailedError:
    return QueryFailedError(
        f"the query fails: {error}. Tables: `show tables`; columns: `from columns_of('<table>')`"
    )


@contextmanager
def reading(database: Path) -> Iterator[Reader]:
    """Open the published file read-only, without access to other files.

    Raises:
        NoWarehouseError: nothing is published.
        QueryFailedError: a statement fails, or the file cannot be opened.
    """
    if not database.exists():
        raise NoWarehouseError(
            f"{database} does not exist. To make it: `make warehouse` or `accelmart build`"
        )
    try:
        db = duckdb.connect(str(database), read_only=True, config={"enable_external_access": False})
    except duckdb.Error as e:
        raise _failed(e) from e
    with db:
        yield Reader(db)


def query(
    database: Path, statement: str, parameters: dict[str, Any] | None = None
) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Run one statement.

    Args:
        database: the published file.
        statement: SQL; public tables need no prefix. Files cannot be read or written.
        parameters: values for its ``$name``.

    Returns:
        (column names, rows).

    Raises:
        NoWarehouseError: nothing is published.
        QueryFailedError: the statement fails or returns nothing.
    """
    with reading(database) as reader:
        return reader.query(statement, parameters)
