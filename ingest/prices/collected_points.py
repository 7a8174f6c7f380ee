"""Prices that people collected in 2026 from public repositories and price pages: rents and purchase prices.

Upstream facts, checked 2026-11-22 on the file of 257 lines: a CSV, one line a price, with the source address and the
words that hold the price. Rents are per instance or per accelerator and hour, purchases per kit or rack; all in US$.
``seen_on`` is a day or a month; 34 lines have none. Lines without a day come from stored copies made in 2025 or later,
so that they are dated 2025 with the precision "year" and never count as recent. ``is_component_only`` marks the price
of the GPU without the processor and memory of its machine: a lower bound, kept and never compared.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime

from ingest.core import values
from ingest.core.fetch_plan import Members, nothing_to_fetch
from ingest.core.records import Parsed, required
from ingest.core.source import Source
from ingest.prices.csv_lines import one_offer_a_line
from ingest.prices.curated_offers import BILLED_ON_TOP, LOWEST_OFFER
from ingest.prices.offers import HOURS_1Y, HOURS_3Y, UNNAMED_SELLER, PriceOffer

_COLUMNS = (
    *("provider", "instance_type", "accelerator_id", "accelerator_count", "region", "pricing_model"),
    *("usd_per_instance_hour", "usd_per_accelerator_hour", "kind", "purchase_usd", "seen_on", "date_precision"),
    *("source_url", "is_component_only", "notes"),
)  # fmt: skip
_TERM_HOURS = {
    "on_demand": None,
    "spot": None,
    "capacity_block": None,
    "reserved_1y": HOURS_1Y,
    "reserved_3y": HOURS_3Y,
}
_DATE_FORMS = {"day": "%Y-%m-%d", "month": "%Y-%m", "year": "%Y"}
_UNDATED = datetime(2025, 1, 1, tzinfo=UTC)
_MONTH_HOURS = 730.0
_REMEDY = "look at the line and at its source_url"

_LOWEST = re.compile(r"\"?starting at\"? price", re.IGNORECASE)
_MONTH_MINIMUM = re.compile(r"\bone-month minimum\b", re.IGNORECASE)
_ESTIMATE = re.compile(r"^estimate\b", re.IGNORECASE)
_SEVERAL_PLACES = re.compile(r"^\(|\d \w")  # "(none listed)", "nyc2 tor1"
_HOSTS = re.compile(r"\b(community|secure) cloud$", re.IGNORECASE)


def parse(members: Members, *, key: str) -> Parsed[PriceOffer]:
    """Return the prices of the file: rents per instance-hour or accelerator-hour, purchases per accelerator, in US$.

    A rent of one accelerator without a price of its machine states no machine size: `accelerator_count` is None. A
    region cell that names several places or none is None.

    Args:
        members: the CSV file.
        key: what it was landed under, for messages.

    Raises:
        PayloadRejected: not UTF-8, or a column is missing.
    """
    return one_offer_a_line(members, key, _COLUMNS, "price_points_2026.csv", _offer, _REMEDY)


def _observed(line: Mapping[str, str]) -> tuple[datetime, str] | str:
    """Return (earliest moment that the date can mean, its precision), or the problem."""
    precision, word = line["date_precision"], line["seen_on"]
    if not word:
        return _UNDATED, "year"
    for known, form in _DATE_FORMS.items():
        try:
            at = datetime.strptime(word, form).replace(tzinfo=UTC)
        except ValueError:
            continue
        # the coarser of the stated precision and what the cell can hold
        coarser = precision if precision in _DATE_FORMS else "year"
        return at, max(known, coarser, key=list(_DATE_FORMS).index)
    return f"seen_on is {word!r}, not a date"


def _region(cell: str) -> str | None:
    is_one_place = cell not in ("", "global", "region") and not _SEVERAL_PLACES.search(cell)
    return cell if is_one_place else None


def _price(line: Mapping[str, str]) -> tuple[float, str, str] | str:
    """Return (US$, the published cell, unit), or the problem."""
    count = values.number(line["accelerator_count"])
    if not count or count <= 0:
        return f"accelerator_count is {line['accelerator_count']!r}"
    if line["kind"] == "purchase":
        column, unit, share = "purchase_usd", "accelerator", count
    elif line["usd_per_instance_hour"]:
        column, unit, share = "usd_per_instance_hour", "instance_hour", 1.0
    else:
        column, unit, share = "usd_per_accelerator_hour", "accelerator_hour", 1.0
    price = values.number(line[column])
    if price is None or price <= 0:
        return f"{column} is {line[column]!r}, not a price"
    return price / share, line[column], unit


def _purchase_option(line: Mapping[str, str]) -> str | None:
    if line["is_component_only"] == "true":
        return BILLED_ON_TOP
    return LOWEST_OFFER if _LOWEST.search(line["notes"]) else None


def _offer(line: Mapping[str, str], member: str, record: str) -> PriceOffer | str:
    """Return the offer, or why the line gives none."""
    if None in line or None in line.values():
        return "has another number of cells than the header"
    is_purchase = line["kind"] == "purchase"
    needed = ("accelerator_id", "source_url", *(() if is_purchase else ("provider", "pricing_model")))
    if missing := required(dict(line), needed):
        return f"lacks {', '.join(missing)}"
    if line["kind"] not in ("rent", "purchase"):
        return f"kind is {line['kind']!r}, not rent or purchase"
    if not is_purchase and line["pricing_model"] not in _TERM_HOURS:
        return f"pricing_model is {line['pricing_model']!r}, not one of {', '.join(_TERM_HOURS)}"
    if is_purchase and _ESTIMATE.search(line["notes"]):
        return f"purchase price of {line['accelerator_id']} is an estimate, not an observation"
    price, observed = _price(line), _observed(line)
    if isinstance(price, str):
        return price
    if isinstance(observed, str):
        return observed
    count = values.number(line["accelerator_count"])
    term_hours = (
        _MONTH_HOURS if _MONTH_MINIMUM.search(line["notes"]) else _TERM_HOURS.get(line["pricing_model"])
    )
    hosts = _HOSTS.search(line["notes"])
    return PriceOffer(
        source=SOURCE.name,
        provider_published=line["provider"] or UNNAMED_SELLER,
        instance_type=line["instance_type"] or line["accelerator_id"],
        region=_region(line["region"]),
        pricing_model="purchase" if is_purchase else line["pricing_model"],
        purchase_option=_purchase_option(line),
        variant=hosts[1].lower() if hosts else f"kit of {count:g}" if is_purchase else None,
        price=price[0],
        price_published=price[1],
        price_unit=price[2],
        currency="USD",
        term_hours=term_hours,
        accelerator_published=line["accelerator_id"],
        accelerator_count=None if count == 1 and price[2] == "accelerator_hour" else count,
        observed_at=observed[0],
        observed_precision=observed[1],
        source_url=line["source_url"],
        member=member,
        record=record,
    )


SOURCE = Source(
    name="collected-price-points",
    title="Rents and purchase prices of 2026, collected from public repositories and pages",
    home_url="https://github.com/sooddvs/gpu-pricing",
    licence="facts with their sources",
    licence_note="Prices of 2026: facts from the public pages and repositories that each row names in source_url.",
    limit_bytes=8 << 20,
    plan=nothing_to_fetch,
    parse=parse,
    rank=3,
    polls_to_close=0,
    ships=True,
)
