"""Parsed price lists: one part for each payload, with its account and evidence, in the raw layer."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from ingest.core.payload import Payload
from ingest.core.records import Parsed
from ingest.core.source import Source
from ingest.core.urls import published_origin
from ingest.prices.dated import is_dated, moment_of
from ingest.prices.offers import PriceOffer
from warehouse.raw import (
    EXCHANGE_RATES,
    PRICE_OFFERS,
    PRICE_RECONCILIATION,
    PRICE_REJECTS,
    Provenance,
    account_of,
    rejects_of,
    write_table,
)

_DIALECT = "prices"


@dataclass(frozen=True)
class PricePart:
    """One parsed payload of a price source on disk.

    Args:
        root: of the raw layer or the snapshot it lies in.
        source: the price source.
        key: it was landed under.
        sha256: of the payload.
    """

    root: Path
    source: Source
    key: str
    sha256: str

    @property
    def stem(self) -> str:
        """File name: the cache key, readable."""
        key = re.sub(r"[^a-z0-9@._-]+", "-", self.key)
        return f"{self.source.name}__{key}__{self.sha256[:16]}__p{self.source.parser_version}"

    def path(self, table: str) -> Path:
        """The part's file of a raw table."""
        return self.root / table / f"{self.stem}.parquet"

    @property
    def files(self) -> dict[str, Path]:
        """Table → file."""
        tables = (self.record_table, PRICE_REJECTS, PRICE_RECONCILIATION)
        return {table: self.path(table) for table in tables}

    @property
    def is_there(self) -> bool:
        """Whether it was parsed: its account is written last."""
        return self.path(PRICE_RECONCILIATION).exists()

    @property
    def record_table(self) -> str:
        """Offers or exchange rates."""
        return PRICE_OFFERS if self.path(PRICE_OFFERS).exists() else EXCHANGE_RATES


def write_price_part(part: PricePart, parsed: Parsed[Any], provenance: Provenance) -> None:
    """Write a parsed payload: its rows, its rejects, and last its account."""
    is_offers = not parsed.rows or isinstance(parsed.rows[0], PriceOffer)
    if strange := {r.source for r in parsed.rows if is_offers} - {part.source.name}:
        raise AssertionError(f"{part.source.name} gives offers of {', '.join(sorted(strange))}")
    rows = _dated(parsed.rows, part.key) if is_offers and is_dated(part.key) else parsed.rows
    write_table(part.path(PRICE_OFFERS if is_offers else EXCHANGE_RATES), _table(is_offers), rows, provenance)
    write_table(part.path(PRICE_REJECTS), PRICE_REJECTS, rejects_of(parsed, "", _DIALECT), provenance)
    account = account_of(parsed, "", _DIALECT)
    write_table(part.path(PRICE_RECONCILIATION), PRICE_RECONCILIATION, [account], provenance)


def _table(is_offers: bool) -> str:
    return PRICE_OFFERS if is_offers else EXCHANGE_RATES


def _dated(rows: Iterable[PriceOffer], key: str) -> list[PriceOffer]:
    at, precision = moment_of(key)
    return [r if r.observed_at else replace(r, observed_at=at, observed_precision=precision) for r in rows]


@dataclass(frozen=True)
class OlderPricePart(PricePart):
    """A part shipped by an older version of its parser."""

    name: str = ""

    @property
    def stem(self) -> str:
        """The name it was shipped under."""
        return self.name


def provenance_of(source: Source, payload: Payload) -> Provenance:
    """Where the rows of a stored payload come from."""
    return Provenance(
        source=source.name,
        payload_key=payload.key,
        payload_url=published_origin(payload.url),
        payload_sha256=payload.sha256,
        payload_bytes=payload.bytes,
        licence=payload.licence,
        fetched_at=payload.fetched_at,
        parser_version=source.parser_version,
    )


def observed_times(part: PricePart) -> tuple[list[datetime], bool]:
    """The moments a part's rows name themselves, and whether it has rows that name none."""
    if part.record_table == EXCHANGE_RATES:
        return [moment_of(part.key)[0]], False
    column = pq.read_table(part.path(PRICE_OFFERS), columns=["observed_at"]).column("observed_at")
    times = sorted(at.astimezone(UTC) for at in column.unique().to_pylist() if at is not None)
    if not len(column) and is_dated(part.key):
        times = [moment_of(part.key)[0]]  # nothing of it was a price, and that is an observation too
    return times, column.null_count > 0 or (not len(column) and not is_dated(part.key))
