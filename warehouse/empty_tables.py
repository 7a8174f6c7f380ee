"""Raw tables without rows, in the form of those with rows: what a build reads when a source is withdrawn."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ingest.prices.offers import PriceOffer
from warehouse.price_fold import (
    OFFER_EVIDENCE,
    PRICE_CLOSED,
    PRICE_OPEN,
    PRICE_POLLS,
    PRICE_RUNS,
    kept_with_a_run,
)
from warehouse.price_intervals import intervals_schema
from warehouse.price_runs import OFFER_TERMS
from warehouse.raw import PRICE_OFFERS, RECORDS, Provenance, arrow_fields, schema

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


POLLS_SCHEMA = pa.schema(
    [
        ("source", pa.string()),
        ("month", pa.string()),
        ("polls_to_close", pa.int64()),
        ("stream", pa.string()),
        ("poll", pa.int64()),
        ("polled_at", pa.timestamp("us", "UTC")),
    ]
)


def runs_schema() -> pa.Schema:
    """Columns of ``price_runs``, in the order in which a month's bundle has them."""
    offer = {f.name: f for f in arrow_fields(PriceOffer)}
    evidence = {f.name: f for f in arrow_fields(Provenance)}
    return pa.schema(
        [
            ("source", pa.string()),
            ("month", pa.string()),
            ("source_rank", pa.int64()),
            ("stream", pa.string()),
            *((name, offer[name].type) for name in ("offer_id", *OFFER_TERMS)),
            ("first_poll", pa.int64()),
            ("last_poll", pa.int64()),
            ("first_seen_at", pa.timestamp("us", "UTC")),
            ("last_seen_at", pa.timestamp("us", "UTC")),
            *((name, offer[name].type) for name in kept_with_a_run()),
            *((name, evidence[name].type) for name in OFFER_EVIDENCE),
        ]
    )


PRICE_SCHEMAS = {
    PRICE_RUNS: runs_schema(),
    PRICE_POLLS: POLLS_SCHEMA,
    PRICE_CLOSED: intervals_schema(),
    PRICE_OPEN: intervals_schema(),
}
"""Columns of the folded tables of prices."""
