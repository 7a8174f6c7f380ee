"""What is read of any warehouse file: its public tables and columns, and rows. Public tables are never views."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

from accelmart.generation import GenerationId, as_generation_id
from accelmart.opening import CATALOG, open_file, problem_of
from ingest.core.errors import AccelmartError

_NAME = "[a-z_][a-z0-9_]{0,99}"
_STRANGE = f"""
    select view_name, 'is a view, not a table' from duckdb_views()
    where database_name = '{CATALOG}' and schema_name = 'main' and not internal
    union all
    select name, 'is no name of a table or column'
    from (
        select unnest([table_name, column_name]) as name from duckdb_columns()
        where database_name = '{CATALOG}' and schema_name = 'main' and not internal
    )
    where not regexp_full_match(name, '{_NAME}')
    limit 1
"""  # noqa: S608
_TABLES = f"""
    select table_name, coalesce(comment, ''), estimated_size from duckdb_tables()
    where database_name = '{CATALOG}' and schema_name = 'main' and not internal order by table_name
"""  # noqa: S608
_COLUMNS = rf"""
    select
        table_name, column_name, data_type, regexp_extract(comment, '^\[([^\]]+)\] ', 1),
        regexp_replace(comment, '^\[[^\]]+\] ', ''), is_nullable
    from (select * replace (coalesce(comment, '') as comment) from duckdb_columns())
    where database_name = '{CATALOG}' and schema_name = 'main' and not internal
    order by table_name, column_index
"""  # noqa: S608


class UnreadableError(AccelmartError):
    """A warehouse file cannot be read; the message names it and what to do."""


def read_rows(path: Path, statement: str, parameters: list[Any] | None = None) -> list[tuple[Any, ...]]:
    """Return the rows of one statement on a warehouse file.

    Args:
        path: the file.
        statement: SQL; public tables need no prefix.
        parameters: values for its ``?``.

    Raises:
        UnreadableError: the file cannot be opened, or lacks what is asked for.
    """
    try:
        with open_file(path) as db:
            rows: list[tuple[Any, ...]] = db.execute(statement, parameters or []).fetchall()
            return rows
    except duckdb.Error as e:
        raise UnreadableError(problem_of(path, e)) from e


def records_of(db: duckdb.DuckDBPyConnection, statement: str) -> list[dict[str, Any]]:
    """Return the rows of one statement as dictionaries."""
    done = db.execute(statement)
    names = [column[0] for column in done.description or []]
    return [dict(zip(names, row, strict=True)) for row in done.fetchall()]


def _of_catalog(db: duckdb.DuckDBPyConnection, statement: str) -> list[tuple[Any, ...]]:
    """Ask DuckDB about a file where no macro of the file takes the place of DuckDB's own functions."""
    with db.cursor() as elsewhere:  # begins outside of the file
        rows: list[tuple[Any, ...]] = elsewhere.execute(statement).fetchall()
    return rows


def stated_generation(db: duckdb.DuckDBPyConnection) -> tuple[GenerationId, datetime, str]:
    """Return id, time of the build and fingerprint of the inputs, as the table ``ops_generation`` states them.

    Raises:
        ValueError: they are none, or the file has public views, which compute what they like, or odd names.
    """
    for name, problem in _of_catalog(db, _STRANGE):
        raise ValueError(f"{name[:60]!r} in it {problem}")
    rows = _of_catalog(
        db,
        f"select generation_id, built_at, input_fingerprint from {CATALOG}.main.ops_generation limit 1",  # noqa: S608
    )
    if not rows:
        raise ValueError("it does not name its generation")
    ((stated, built_at, fingerprint),) = rows
    if not isinstance(built_at, datetime) or built_at.tzinfo is None or not isinstance(fingerprint, str):
        raise ValueError("time of the build or fingerprint of the inputs are of another type")
    return as_generation_id(stated), built_at, fingerprint


class PublicTable(NamedTuple):
    """A public table with its description and the number of its rows, as DuckDB keeps it."""

    name: str
    comment: str
    rows: int


def public_tables(db: duckdb.DuckDBPyConnection) -> list[PublicTable]:
    """Return the public tables by name."""
    return [PublicTable(*row) for row in _of_catalog(db, _TABLES)]


class PublicColumn(NamedTuple):
    """A column of a public table; its comment in the file is ``[unit] description``, without a unit the description."""

    table: str
    name: str
    data_type: str
    unit: str
    description: str
    is_nullable: bool


def public_columns(db: duckdb.DuckDBPyConnection) -> list[PublicColumn]:
    """Return the columns of every public table, by table, in their order."""
    return [PublicColumn(*row) for row in _of_catalog(db, _COLUMNS)]
