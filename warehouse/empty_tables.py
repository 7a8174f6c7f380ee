"""Raw tables without rows, in the form of those with rows: what a build reads when a source is withdrawn."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq

from warehouse.raw import RECORDS, schema

_FILE = "empty.parquet"


def write_missing_tables(folder: Path) -> None:
    """Write an empty file for every raw table that has none.

    Args:
        folder: the raw tables of a build, one folder each.
    """
    for table, record in RECORDS.items():
        if not any((folder / table).glob("*.parquet")):
            (folder / table).mkdir(parents=True, exist_ok=True)
            pq.write_table(schema(record).empty_table(), folder / table / _FILE)
