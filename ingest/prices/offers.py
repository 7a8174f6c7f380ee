"""What every price parser yields: one row per offer of a payload, in the source's own words beside the typed value.

A parser yields the price as published, its unit and its term. It does not decide which accelerator an instance type
holds, which country a region lies in or what a euro is worth.
"""

from __future__ import annotations

import base64
import hashlib
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from ingest.core.records import Parsed

PricingModel = Literal[
    "on_demand", "spot", "reserved_1y", "reserved_3y", "capacity_block", "marketplace", "purchase"
]
PriceUnit = Literal["instance_hour", "accelerator_hour", "accelerator"]

UNNAMED_SELLER = "seller not named"
"""`PriceOffer.provider_published` of a purchase price whose source names no seller."""

HOURS_1Y, HOURS_3Y = 8_760.0, 26_280.0


@dataclass(frozen=True, kw_only=True)
class PriceOffer:
    """One offer as a payload states it.

    Fields ending in ``_published`` are upstream's words unchanged. What money buys: ``price`` is per
    ``price_unit`` in ``currency``; ``upfront`` is paid once for ``term_hours`` (per the same unit) and comes on
    top. ``offer_id`` identifies the offer through time: everything but its price and when it was seen.

    Attributes:
        source: registered price source that said it.
        provider_published: who sells, in the source's words (``aws``, ``vast-ai``, ``lambdalabs``).
        instance_type: what is rented, in the source's words (``p5.48xlarge``, ``NVIDIA H100 80GB HBM3``).
        region: region or zone in the source's words; None where the price is the same everywhere or not said.
        pricing_model: on_demand, spot, reserved_1y, reserved_3y, capacity_block, marketplace or purchase.
        purchase_option: what distinguishes offers of one model (``No Upfront standard``); None if nothing does.
        operating_system: ``linux`` or ``windows``; ``linux`` where the price holds without a licence.
        variant: what else sets offers of one type apart: ``secure``, ``community``, ``datacenter``; else None.
        price: per `price_unit`, in `currency`; hourly, or once for `accelerator` (a purchase).
        price_published: the source's word(s) for it.
        upfront: for the whole term, in `currency`, per `price_unit`'s unit; 0.0 when there is none.
        term_hours: of a commitment; None without one.
        currency: ISO 4217.
        accelerator_published: the source's words for the accelerator; None if it says nothing.
        accelerator_memory_gb: memory of one accelerator in GB as stated; None if not stated.
        accelerator_count: per instance as the payload states it; None if it does not. May be a fraction.
        vcpus: of the instance.
        memory_gb: RAM of the instance.
        n_observed: how many single offers the price is the median of; 1 for a list price.
        price_min: lowest of them, per `price_unit`.
        price_max: highest of them, per `price_unit`.
        is_available: whether it can be had now, where the source states it.
        observed_at: when the price held, by the payload; None: when it was fetched.
        observed_precision: of `observed_at`: ``exact``, ``day``, ``month`` or ``year``. For ``month`` and ``year``
            `observed_at` is the earliest moment it can mean, so that an age is never understated.
        source_url: where a person can see this price.
        member: file inside the payload; "" when the payload is one file.
        record: position in that file.
    """

    source: str
    provider_published: str
    instance_type: str
    region: str | None
    pricing_model: str
    price: float
    price_published: str
    price_unit: str
    currency: str
    source_url: str
    member: str
    record: str
    purchase_option: str | None = None
    operating_system: str = "linux"
    variant: str | None = None
    upfront: float = 0.0
    term_hours: float | None = None
    accelerator_published: str | None = None
    accelerator_memory_gb: float | None = None
    accelerator_count: float | None = None
    vcpus: float | None = None
    memory_gb: float | None = None
    n_observed: int = 1
    price_min: float | None = None
    price_max: float | None = None
    is_available: bool | None = None
    observed_at: datetime | None = None
    observed_precision: str = "exact"
    offer_id: str = field(init=False)

    def __post_init__(self) -> None:
        """Work out `offer_id` and refuse what can be no price.

        Raises:
            ValueError: the price is not a positive number of money, or a word is not of the model.
        """
        if not (self.price >= 0 and self.upfront >= 0 and 0 < self.price + self.upfront < float("inf")):
            raise ValueError(f"price {self.price!r} with upfront {self.upfront!r} is no price")
        if (self.upfront > 0) and not self.term_hours:
            raise ValueError("an upfront payment needs its term")
        object.__setattr__(self, "offer_id", _digest(self.identity))

    @property
    def identity(self) -> tuple[str, ...]:
        """What stays the same while the price changes."""
        parts = (
            *(self.source, self.provider_published, self.instance_type, self.region, self.pricing_model),
            *(self.purchase_option, self.operating_system, self.variant, self.price_unit, self.currency),
        )
        return tuple("" if part is None else part for part in parts)

    @property
    def terms(self) -> tuple[object, ...]:
        """What makes two observations of one offer the same price."""
        return (self.price, self.upfront, self.term_hours, self.accelerator_count)


def _digest(identity: tuple[str, ...]) -> str:
    # 60 bits in 12 letters: DuckDB keeps strings up to 12 bytes inline, and a million offers collide with
    # a probability of 4e-7
    raw = hashlib.sha256("\x1f".join(identity).encode()).digest()
    return base64.b32encode(raw[:8]).decode().lower()[:12]


@dataclass(frozen=True, kw_only=True)
class ExchangeRate:
    """One reference rate: units of `currency` for one euro on a day (as the ECB states them)."""

    date: datetime
    currency: str
    per_eur: float
    member: str
    record: str


def settled(parsed: Parsed[PriceOffer], where: str) -> Parsed[PriceOffer]:
    """Say each offer once: repeats of the same price are duplicates, contradictions are rejected by name.

    An offer observed at different times (a history file) may have a different price each time.

    Args:
        parsed: what a parser read, `records_in` counted.
        where: payload, for messages.

    Returns:
        The same account with every (offer, time) at most once, balanced.

    Raises:
        AssertionError: the parser lost a record.
    """
    by_offer: dict[tuple[str, datetime | None], list[PriceOffer]] = defaultdict(list)
    for row in parsed.rows:
        by_offer[row.offer_id, row.observed_at].append(row)
    out: Parsed[PriceOffer] = Parsed(
        rejects=list(parsed.rejects),
        records_in=parsed.records_in,
        duplicates=parsed.duplicates,
        merged=parsed.merged,
        remarks=parsed.remarks,
        left_out=parsed.left_out,
    )
    for same in by_offer.values():
        if len({row.terms for row in same}) == 1:
            out.add(same[0])
            out.duplicates += len(same) - 1
            continue
        prices = ", ".join(dict.fromkeys(row.price_published for row in same))
        for row in same:
            out.reject(
                row.record,
                f"{row.instance_type} {row.pricing_model} in {row.region or 'all regions'} is said "
                f"{len(same)} times with different prices: {prices}",
                payload=row.member or where,
                remedy="look at the payload: what sets these offers apart is not read; none is used",
            )
    return out.checked(where)
