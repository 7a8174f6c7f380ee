"""One statement on the published warehouse, read-only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb

from ingest.core.errors import AccelmartError
from warehouse.database import lock_message
from warehouse.publish import NoWarehouseError


class QueryFailedError(AccelmartError):
    """The statement is wrong; the message is DuckDB's."""


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
        QueryFailedError: the statement fails, or the file cannot be opened.
    """
    if not database.exists():
        raise NoWarehouseError(
            f"{database} does not exist. To make it: `make warehouse` or `accelmart build`"
        )
    try:
        with duckdb.connect(str(database), read_only=True, config={"enable_external_access": False}) as db:
            done = db.execute(statement, parameters or {})
            return [c[0] for c in done.description or []], done.fetchall()
    except duckdb.Error as e:
        raise QueryFailedError(
            lock_message(database, e)
            or f"the query fails: {e}. Tables: `show tables`; columns: `from columns_of('<table>')`"
        ) from e
