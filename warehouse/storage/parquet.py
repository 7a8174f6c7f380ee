"""Rows and records of Python as Parquet files."""

from __future__ import annotations

import hashlib
import typing
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from types import NoneType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from warehouse.storage.files import written_whole

_ARROW = {
    str: pa.string(),
    float: pa.float64(),
    int: pa.int64(),
    bool: pa.bool_(),
    datetime: pa.timestamp("us", "UTC"),
}


def arrow_fields(record: type[Any]) -> list[pa.Field]:
    """Return the Arrow fields of a record: ``X | None`` is a nullable column, ``X`` a required one."""
    out = []
    for name, hint in typing.get_type_hints(record).items():
        options = typing.get_args(hint) or (hint,)
        kind = next(o for o in options if o is not NoneType)
        out.append(pa.field(name, _ARROW[kind], nullable=NoneType in options))
    return out


def write_records(path: Path, records: Iterable[Any], record: type[Any]) -> None:
    """Write records as a Parquet file, whole or not at all.

    Args:
        path: the file to write or replace.
        records: the rows.
        record: their class, a dataclass or a named tuple, whose fields are the columns.
    """
    shape = pa.schema(arrow_fields(record))
    write_rows(path, ({name: getattr(r, name) for name in shape.names} for r in records), shape)


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]], schema: pa.Schema) -> str:
    """Write rows as a Parquet file, whole or not at all; return its sha256.

    Args:
        path: the file to write or replace.
        rows: name → value of each row; a column that a row does not name is null.
        schema: the columns.

    Raises:
        pyarrow.ArrowException: a value is none of its column.
    """
    table, packed = pa.Table.from_pylist(list(rows), schema=schema), pa.BufferOutputStream()
    pq.write_table(table, packed, compression="zstd", compression_level=9)
    content = packed.getvalue()
    with written_whole(path) as temporary:
        temporary.write_bytes(content)
    return hashlib.sha256(content).hexdigest()
