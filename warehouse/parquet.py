"""Rows of Python as Parquet files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from warehouse.files import written_whole


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]], schema: pa.Schema) -> None:
    """Write rows as a Parquet file, whole or not at all.

    Args:
        path: the file to write or replace.
        rows: name → value of each row; a column that a row does not name is null.
        schema: the columns.

    Raises:
        pyarrow.ArrowException: a value is none of its column.
    """
    with written_whole(path) as temporary:
        table = pa.Table.from_pylist(list(rows), schema=schema)
        pq.write_table(table, temporary, compression="zstd", compression_level=9)
