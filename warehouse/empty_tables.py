"""Raw tables without rows, in the form of those with rows: what a build reads when a source is withdrawn."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from warehouse.price_fold import PRICE_CLOSED, PRICE_OPEN, PRICE_POLLS, PRICE_RUNS, schema_of_offers
from warehouse.price_intervals import intervals_schema
from warehouse.raw import PRICE_OFFERS, RECORDS, schema

_FILE = "empty.parquet"


def write_missing_tables(folder: Path) -> None:
    """Write an empty file for every raw table that has none.

    Args:
        folder: the raw tables of a build, one folder each.
    """
    shapes = {table: schema(record) for table, record in RECORDS.items() if table != PRICE_OFFERS}
    for table, shape in {**shapes, **PRICE_SCHEMAS}.items():
        if not any((folder / table).glob("*.parquet")):
            (folder / table).mkdir(parents=True, exist_ok=True)
            pq.write_table(shape.empty_table(), folder / table / _FILE)


_MOMENT = pa.timestamp("us", "UTC")
_RUN = {"first_poll": pa.int64(), "last_poll": pa.int64(), "first_seen_at": _MOMENT, "last_seen_at": _MOMENT}
_POLL = {
    "source": pa.string(),
    "month": pa.string(),
    "polls_to_close": pa.int64(),
    "stream": pa.string(),
    "poll": pa.int64(),
    "polled_at": _MOMENT,
}
PRICE_SCHEMAS = {
    PRICE_RUNS: schema_of_offers(("source", "month"), _RUN),
    PRICE_POLLS: pa.schema(_POLL),
    PRICE_CLOSED: intervals_schema(),
    PRICE_OPEN: intervals_schema(),
}
"""Columns of the folded tables of prices."""
