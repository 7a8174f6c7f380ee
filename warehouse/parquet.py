"""Small tables as rows of Python, from and to Parquet and DuckDB.

pyarrow imports pandas to convert Python's lists and times, which takes a quarter of a second of every build. DuckDB
converts them itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from warehouse.files import written_whole

EPOCH = datetime.fromtimestamp(0, UTC)
_MICROSECONDS = pa.timestamp("us", "UTC")
_SQL_TYPES = {
    pa.string(): "varchar",
    pa.bool_(): "boolean",
    pa.int64(): "bigint",
    pa.float64(): "double",
    _MICROSECONDS: "timestamptz",
}


def read_rows(path: Path, columns: list[str] | None = None) -> list[dict[str, Any]]:
    """Return the rows of a Parquet file, name → value.

    Args:
        path: the file.
        columns: which columns; None for all.

    Returns:
        The rows in the order of the file, times in UTC.

    Raises:
        OSError, pyarrow.ArrowException: the file cannot be read.
    """
    with pq.ParquetFile(path) as file:
        table = file.read(columns)
    times = [f.name for f in table.schema if pa.types.is_timestamp(f.type)]
    for name in times:
        at = table.schema.get_field_index(name)
        table = table.set_column(at, name, _as_numbers(table.column(at)))
    rows: list[dict[str, Any]] = table.to_pylist()
    for row in rows:
        row.update({n: _as_time(row[n]) for n in times if row[n] is not None})
    return rows


def read_times(path: Path, column: str) -> set[datetime | None]:
    """Return the different times, in UTC, of a column of a Parquet file; None among them if one is null.

    Raises:
        OSError, pyarrow.ArrowException: the file cannot be read.
    """
    with pq.ParquetFile(path) as file:
        numbers = set(_as_numbers(file.read([column]).column(column)).to_pylist())
    return {None if number is None else _as_time(number) for number in numbers}


def _as_numbers(times: pa.ChunkedArray) -> pa.ChunkedArray:
    if times.type != _MICROSECONDS:
        times = times.cast(_MICROSECONDS)
    return pa.chunked_array([chunk.view(pa.int64()) for chunk in times.chunks], pa.int64())


def _as_time(microseconds: int) -> datetime:
    return EPOCH + timedelta(microseconds=microseconds)


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]], schema: pa.Schema) -> None:
    """Write rows as a Parquet file, whole or not at all.

    Args:
        path: the file to write or replace.
        rows: name → value of each row; a column that a row does not name is null.
        schema: columns, of the types text, truth value, bigint, double, and UTC time in microseconds.
    """
    columns = ", ".join(f'"{field.name}" {_SQL_TYPES[field.type]}' for field in schema)
    with duckdb.connect() as db:
        load_rows(db, "given", [tuple(map(row.get, schema.names)) for row in rows], columns)
        copy_to_parquet(db, "from given", path)


def load_rows(db: duckdb.DuckDBPyConnection, table: str, rows: Sequence[Sequence[Any]], columns: str) -> None:
    """Replace a temporary table by these rows.

    Args:
        db: the connection.
        table: name of the table.
        rows: values of each row, in the order of the columns; times have a time zone.
        columns: names and types, as in ``create table``.
    """
    db.execute(f"create or replace temp table {table} ({columns})")
    types = [column.split()[-1] for column in columns.split(", ")]
    values = ", ".join(f"unnest(?::{kind}[])" for kind in types)
    if rows:
        db.execute(
            f"insert into {table} select {values}", [list(column) for column in zip(*rows, strict=True)]
        )


def copy_to_parquet(db: duckdb.DuckDBPyConnection, query: str, target: Path) -> None:
    """Write the rows of a query to a Parquet file, completely or not at all."""
    with written_whole(target) as temporary:
        db.execute(f"copy ({query}) to {quoted([str(temporary)])[1:-1]} (format parquet, compression zstd)")


def quoted(files: list[str]) -> str:
    """Return a list of files as SQL."""
    return "[" + ", ".join("'" + f.replace("'", "''") + "'" for f in files) + "]"
