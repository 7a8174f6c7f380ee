"""List prices of AWS, Azure and Google Cloud, transcribed from the vendors' own public price lists.

Upstream facts, checked 2026-11-21: a CSV, one line a price of a whole instance in US$ per hour, ``observed_on`` a day.
Lines transcribed from an archived AWS price list name its version, which is the moment it was published in UTC
(20240205184227); their ``observed_on`` is the first of a month, up to a month too early, and is not used.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from ingest.core import values
from ingest.core.fetch_plan import Members, nothing_to_fetch
from ingest.core.records import Parsed, required
from ingest.core.source import Source
from ingest.prices.csv_lines import one_offer_a_line
from ingest.prices.offers import PriceOffer

_COLUMNS = (
    *("provider", "instance_type", "region", "pricing_model", "operating_system", "accelerator_count"),
    *("usd_per_instance_hour", "observed_on", "official_source", "note"),
)  # fmt: skip
_REQUIRED = tuple(c for c in _COLUMNS if c != "note")
_PROVIDERS = ("aws", "azure", "gcp")
_MODELS = ("on_demand", "spot")
_SYSTEMS = ("linux", "windows")
_VERSION = re.compile(r"price list version (\d{14})")
_REMEDY = "look at the line and at its official_source"
# A list named for a month is published in it or, as that of 2025-06 was, in the days after it.
_VERSION_AFTER = timedelta(days=45)


def parse(members: Members, *, key: str) -> Parsed[PriceOffer]:
    """Offers of the transcription, per instance-hour in US$.

    Dated by the version of the price list where the line names one (exact), else by `observed_on` (a day).

    Args:
        members: the CSV file.
        key: what it was landed under, for messages.

    Raises:
        PayloadRejected: not UTF-8, or a column is missing.
    """
    return one_offer_a_line(members, key, _COLUMNS, "hyperscaler_price_points.csv", _offer, _REMEDY)


def _observed(line: Mapping[str, str]) -> tuple[datetime, str] | str:
    """(when the price held, its precision), or what is wrong with it."""
    try:
        day = datetime.strptime(line["observed_on"], "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        return f"observed_on is {line['observed_on']!r}, no day"
    version = _VERSION.search(line["note"])
    if not version:
        return day, "day"
    try:
        published = datetime.strptime(version[1], "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return f"price list version {version[1]} is no time"
    if not day <= published < day + _VERSION_AFTER:
        return f"price list version {version[1]} is not of the month {line['observed_on'][:7]}"
    if version[1] not in line["official_source"]:
        return f"price list version {version[1]} is not that of {line['official_source']}"
    return published, "exact"


def _offer(line: Mapping[str, str], member: str, record: str) -> PriceOffer | str:
    """The offer, or why there is none."""
    if None in line or None in line.values():
        return "has another number of cells than the header"
    if missing := required(dict(line), _REQUIRED):
        return f"lacks {', '.join(missing)}"
    for column, known in (
        ("provider", _PROVIDERS),
        ("pricing_model", _MODELS),
        ("operating_system", _SYSTEMS),
    ):
        if line[column] not in known:
            return f"{column} is {line[column]!r}, not one of {', '.join(known)}"
    price, count = values.number(line["usd_per_instance_hour"]), values.number(line["accelerator_count"])
    if price is None or price <= 0:
        return f"usd_per_instance_hour is {line['usd_per_instance_hour']!r}, which is no price"
    if not count or count < 0:
        return f"accelerator_count is {line['accelerator_count']!r}"
    observed = _observed(line)
    if isinstance(observed, str):
        return observed
    return PriceOffer(
        source=SOURCE.name,
        provider_published=line["provider"],
        instance_type=line["instance_type"],
        region=line["region"],
        pricing_model=line["pricing_model"],
        operating_system=line["operating_system"],
        price=price,
        price_published=line["usd_per_instance_hour"],
        price_unit="instance_hour",
        currency="USD",
        accelerator_count=count,
        observed_at=observed[0],
        observed_precision=observed[1],
        source_url=line["official_source"],
        member=member,
        record=record,
    )


SOURCE = Source(
    name="hyperscaler-price-points",
    title="List prices of AWS, Azure and Google Cloud, transcribed from their price lists",
    home_url="https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonEC2/index.json",
    licence="facts from the vendors' public price lists",
    licence_note="List prices are those AWS, Microsoft Azure and Google Cloud published on the days given.",
    limit_bytes=8 << 20,
    plan=nothing_to_fetch,
    parse=parse,
    rank=1,
    polls_to_close=0,
    ships=True,
)
