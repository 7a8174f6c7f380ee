"""gpu-price-tracker: what several sellers asked for a GPU model on a day, as quartiles per GPU.

Upstream facts, read in the tracker's code (track_prices_efficient.py) and checked 2026-11-21: it asks Prime
Intellect's availability API, which resells other clouds, and divides each configuration's price by its GPUs. Every
configuration counts once, 1× and 8×, **on demand and spot alike**, in stock or not. The median is the upper one of an
even number; all figures are rounded to cents. Our file keeps the first snapshot of each day.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import pairwise

from ingest.core import values
from ingest.core.errors import PayloadRejected
from ingest.core.fetch_plan import Members, nothing_to_fetch
from ingest.core.records import Parsed, required
from ingest.core.source import Source
from ingest.prices.offers import PriceOffer, currency_problem, settled

_ORDER = ("price_min", "price_p25", "price_median", "price_p75", "price_max")
_COLUMNS = ("timestamp_utc", "gpu_type", "socket_type", "offers_total", *_ORDER, "providers")
_REQUIRED = tuple(c for c in _COLUMNS if c != "socket_type")
_MEMORY = re.compile(r"_(\d+)GB$")
_REMEDY = "look at the line; a statistic that contradicts itself is not used"
PROVIDER = "several"
"""`PriceOffer.provider_published` of a statistic over sellers: nobody to buy from."""
MIXED = "on demand and spot together"
"""`PriceOffer.purchase_option`: the statistic does not tell them apart."""


def parse(members: Members, *, key: str) -> Parsed[PriceOffer]:
    """One row a day and GPU model: the median over all configurations of several sellers, US$ per GPU-hour.

    These are ``marketplace`` prices of the provider ``several``, on demand and spot together: a price level through
    time, no offer, and never a best price. `n_observed` counts configurations, not GPUs.

    Args:
        members: the CSV file.
        key: what it was landed under, for messages.

    Raises:
        PayloadRejected: not UTF-8, or a column is missing.
    """
    parsed: Parsed[PriceOffer] = Parsed(remedy=_REMEDY)
    for member, file in members:
        where = member or key
        try:
            reader = csv.DictReader(io.StringIO(file.read().decode("utf-8-sig"), newline=""), strict=True)
            missing = [column for column in _COLUMNS if column not in (reader.fieldnames or ())]
            lines = [(reader.line_num, line) for line in reader]
        except (UnicodeDecodeError, csv.Error) as e:
            raise PayloadRejected(
                payload=where, problem=f"is no CSV in UTF-8 ({e})", remedy="save it as UTF-8 with commas"
            ) from e
        if missing:
            raise PayloadRejected(
                payload=where,
                problem=f"lacks the columns {', '.join(missing)}",
                remedy="it should be a CSV of daily quartiles by GPU type",
            )
        for number, line in lines:
            parsed.read()
            offer = _offer(line, member=member, record=f"line {number}")
            if isinstance(offer, PriceOffer):
                parsed.add(offer)
            else:
                parsed.reject(f"line {number}", offer, payload=where)
    return settled(parsed, key)


def _offer(line: Mapping[str, str], *, member: str, record: str) -> PriceOffer | str:
    """The statistic as an offer, or why it is none."""
    if None in line or None in line.values():
        return "has another number of cells than the header"
    if missing := required(dict(line), _REQUIRED):
        return f"lacks {', '.join(missing)}"
    if problem := currency_problem("USD", line):
        return problem
    try:
        observed_at = datetime.fromisoformat(line["timestamp_utc"])
    except ValueError:
        return f"timestamp_utc is {line['timestamp_utc']!r}, no time"
    if observed_at.utcoffset() is None:
        return f"timestamp_utc {line['timestamp_utc']!r} names no time zone"
    prices = {column: values.number(line[column]) for column in _ORDER}
    known = [price for price in prices.values() if price is not None and price > 0]
    if len(known) < len(_ORDER):
        return f"prices are {', '.join(line[column] or '-' for column in _ORDER)}: not all are prices"
    if any(low > high for low, high in pairwise(known)):
        return f"quartiles are not in order: {', '.join(line[column] for column in _ORDER)}"
    count = values.integer(line["offers_total"])
    if not count:
        return f"offers_total is {line['offers_total']!r}"
    words = f"{line['gpu_type']} {line['socket_type']}".strip()
    memory = _MEMORY.search(line["gpu_type"])
    return PriceOffer(
        source=SOURCE.name,
        provider_published=PROVIDER,
        instance_type=words,
        region=None,
        pricing_model="marketplace",
        purchase_option=MIXED,
        variant="median of configurations",
        price=known[2],
        price_published=line["price_median"],
        price_unit="accelerator_hour",
        currency="USD",
        accelerator_published=words,
        accelerator_memory_gb=float(memory[1]) if memory else None,
        accelerator_count=1.0,
        n_observed=count,
        price_min=known[0],
        price_max=known[-1],
        observed_at=observed_at.astimezone(UTC),
        observed_precision="exact",
        source_url=SOURCE.home_url,
        member=member,
        record=record,
    )


SOURCE = Source(
    name="gpu-price-tracker",
    title="gpu-price-tracker: GPU prices of several sellers by day",
    home_url="https://github.com/tugot17/gpu-price-tracker",
    licence="MIT",
    licence_note="Daily GPU price statistics: gpu-price-tracker, Copyright (c) 2025 Piotr Mazurek, MIT License.",
    limit_bytes=8 << 20,
    plan=nothing_to_fetch,
    parse=parse,
    rank=4,
    polls_to_close=0,
    ships=True,
)
