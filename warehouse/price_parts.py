"""Parsed price lists: one part for each payload, with its account and evidence, in the raw layer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from ingest.core.records import Parsed
from ingest.core.source import Part, Source
from ingest.prices.dated import is_dated, moment_of
from ingest.prices.offers import PriceOffer, resolve_periods
from warehouse.parquet import read_times
from warehouse.raw import (
    EXCHANGE_RATES,
    PRICE_FAMILY,
    PRICE_OFFERS,
    Provenance,
    RawPart,
    list_part,
    write_files,
)


def price_part(root: Path, source: Source, key: str, sha256: str) -> RawPart:
    """Return the part of a payload of a price source; see `list_part`."""
    return list_part(root, PRICE_FAMILY, source, key, sha256)


def write_price_part(
    part: RawPart,
    source: Source,
    parsed: Parsed[Any],
    provenance: Provenance,
    before_account: Callable[[], None] = lambda: None,
) -> None:
    """Write a parsed price list as of its day: that of a dated key, else of the fetch. See `write_files`.

    Raises:
        AssertionError: the parser gives offers under the name of another source.
    """
    is_offers = bool(parsed.rows) and isinstance(parsed.rows[0], PriceOffer)
    if is_offers and (strange := {r.source for r in parsed.rows} - {source.name}):
        raise AssertionError(f"{source.name} gives offers of {', '.join(sorted(strange))}")
    if is_offers:
        at = moment_of(part.key)[0] if is_dated(part.key) else provenance.fetched_at
        parsed = resolve_periods(parsed, at, f"{source.name} {part.key}")
    if is_offers and is_dated(part.key):
        parsed = replace(parsed, rows=_dated(parsed.rows, part.key))
    write_files(part, Part("", source.dialect, parsed), provenance, before_account)


def _dated(rows: Iterable[PriceOffer], key: str) -> list[PriceOffer]:
    at, precision = moment_of(key)
    return [r if r.observed_at else replace(r, observed_at=at, observed_precision=precision) for r in rows]


def observed_times(part: RawPart) -> tuple[list[datetime], bool]:
    """Return the moments that a part's rows name, and whether it has rows that name none."""
    if part.record_table == EXCHANGE_RATES:
        return [moment_of(part.key)[0]], False
    times = read_times(part.path(PRICE_OFFERS), "observed_at")
    if not times and is_dated(part.key):
        times = {moment_of(part.key)[0]}  # a list without a price is an observation too
    return sorted(at for at in times if at), None in times or not times
