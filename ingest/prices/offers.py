"""What every price parser yields: one row per offer of a payload, in the source's own words beside the typed value.

A parser yields the price as published, its unit and its term. It does not decide which accelerator an instance type
holds, which country a region lies in or what a euro is worth.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Literal

from ingest.core import values
from ingest.core.records import OutOfScope, Parsed

PricingModel = Literal[
    "on_demand", "spot", "reserved_1y", "reserved_3y", "capacity_block", "marketplace", "purchase"
]

HOURS_1Y, HOURS_3Y = 8_760.0, 26_280.0
A_FRACTION = "a fraction of an accelerator"
"""Reason why an offer is out of scope."""

PER_ACCELERATOR_HOUR = (0.01, 100.0)
"""US$ (or euro) per accelerator-hour that can be. A data-centre part draws 0.3 kW or more: less than 0.01 does not pay
its electricity, and more than 100 buys any part in a month. dbt's `price_per_accelerator_hour` repeats it."""

ANNOUNCED, ENDED, SUPERSEDED, PLACEHOLDER = "announced", "ended", "superseded", "placeholder"
"""Words of `PriceOffer.purchase_option` that keep a price out of comparisons (seed purchase_option_comparability)."""


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
        read_by_hand: how often people read the price in the list: ``twice`` (by two readers, with equal results),
            ``once``, or ``unchecked`` (once, in a part of the list that no second reader looked at); None where a
            program read it or the source does not say.
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
    read_by_hand: str | None = None
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

    @property
    def period(self) -> tuple[datetime | None, datetime | None]:
        """Start and end of the price as the list states them; None where it does not."""
        return None, None


@dataclass(frozen=True, kw_only=True)
class TimedOffer(PriceOffer):
    """An offer of a list that states from when, or until when, a price holds; see `resolve_periods`.

    Attributes:
        starts_at: first moment of the price; None if it is not stated.
        ends_at: first moment after it; None if it is not stated.
    """

    starts_at: datetime | None = None
    ends_at: datetime | None = None

    @property
    def period(self) -> tuple[datetime | None, datetime | None]:
        """Start and end of the price as the list states them; None where it does not."""
        return self.starts_at, self.ends_at


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


def read_moment(value: object, name: str, *, is_end: bool = False) -> datetime | None:
    """Return the moment that a list states as the start or the end of a price; None where it states nothing.

    Args:
        value: text as ``2027-06-01`` or ``2027-06-01T00:00:00Z``; without a zone it is UTC.
        name: of the field, for the message.
        is_end: whether the price ends then. A bare day is the last day of the price: the end is the day after.

    Raises:
        ValueError: it is no moment.
    """
    if value is None or value == "":
        return None
    try:
        moment = datetime.fromisoformat(value.strip())  # type: ignore[attr-defined]
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
        return moment + timedelta(days=1) if is_end and len(str(value).strip()) <= 10 else moment
    except (AttributeError, ValueError, OverflowError):
        raise ValueError(f"{name} is {str(value)[:40]!r}, no date") from None


def resolve_periods(parsed: Parsed[PriceOffer], at: datetime, where: str) -> Parsed[PriceOffer]:
    """Decide which price of an offer holds, where a list states when its prices start or end.

    In force on a day is the price that starts last, not after that day, and has not ended. The others are kept as
    offers of their own with the word for it (`ANNOUNCED`, `ENDED`, `SUPERSEDED`) and their day in `purchase_option`.

    Args:
        parsed: rows of a parser, settled.
        at: when the payload was fetched, or when it says that its prices held.
        where: payload, for messages.

    Returns:
        The same account, settled again, of rows without a period.
    """
    if not any(isinstance(row, TimedOffer) for row in parsed.rows):
        return parsed
    by_offer: dict[tuple[str, datetime | None], list[PriceOffer]] = defaultdict(list)
    for row in parsed.rows:
        by_offer[row.offer_id, row.observed_at].append(row)
    rows: list[PriceOffer] = []
    for (_, observed_at), same in by_offer.items():
        words = [_period_word(row, observed_at or at) for row in same]
        latest = max((_start(row) for row, word in zip(same, words, strict=True) if not word), default=None)
        for row, word in zip(same, words, strict=True):
            if not word and _start(row) != latest:
                word = f"{SUPERSEDED}, from {row.period[0]:%Y-%m-%d}" if row.period[0] else SUPERSEDED
            if isinstance(row, TimedOffer):
                row = replace(row, starts_at=None, ends_at=None)
            if word:
                option = f"{row.purchase_option}, {word}" if row.purchase_option else word
                row = replace(row, purchase_option=option)
            rows.append(row)
    return settled(replace(parsed, rows=rows, rejects=[*parsed.rejects]), where)


def _start(row: PriceOffer) -> datetime:
    return row.period[0] or datetime.min.replace(tzinfo=UTC)


def _period_word(row: PriceOffer, at: datetime) -> str:
    """Say why the price does not hold at a moment; "" if it does."""
    start, end = row.period
    if start and start.date() > at.date():
        return f"{ANNOUNCED}, from {start:%Y-%m-%d}"
    return f"{ENDED}, until {end:%Y-%m-%d}" if end and end <= at else ""


_CURRENCY_SIGNS = {"$": "USD", "US$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY"}


def currency_of(default: str, *records: object) -> str:
    """Return the currency of a price: as its record or what surrounds it states, else the one its list is known to use.

    Args:
        default: ISO 4217 code of a list that states none.
        records: objects to look at, the innermost first, for keys such as ``currency`` and ``priceCurrency``.

    Raises:
        ValueError: the first record that states a currency states no code (or sign), or several.
    """
    for record in records:
        items = record.items() if isinstance(record, Mapping) else ()
        words = [
            str(value).strip()
            for key, value in items
            if isinstance(key, str) and _is_currency_key(key) and value not in (None, "")
        ]
        codes = {_CURRENCY_SIGNS.get(word, word.upper()) for word in words}
        if len(codes) > 1 or any(not re.fullmatch(r"[A-Z]{3}", code) for code in codes):
            raise ValueError(f"the currency is {', '.join(words)[:60]!r}")
        if codes:
            return codes.pop()
    return default


def _is_currency_key(key: str) -> bool:
    return re.fullmatch(r"(price|billing)?currency(code)?", re.sub(r"[^a-z]", "", key.lower())) is not None


def require_whole(*names: str) -> None:
    """Raise `OutOfScope` if one of the names of an offer is of a MIG slice (multi-instance GPU)."""
    if any(re.search(r"(?i)(?<![a-z])mig(?![a-z])", name) for name in names):
        raise OutOfScope(A_FRACTION)


def read_price(value: object, name: str) -> float:
    """Return a price as published.

    Args:
        value: a number or its text.
        name: of the field, for the message.

    Raises:
        ValueError: it is no number above zero.
    """
    price = values.number(value)
    if price is None or price <= 0:
        raise ValueError(f"{name} is {value!r:.40}, which is no price")
    return price


def without_places(offers: Sequence[PriceOffer], *, is_flat: bool) -> list[PriceOffer]:
    """Return the offers of a list, without region where it repeats one price of a type in every place.

    Args:
        offers: of one seller.
        is_flat: whether it is known to have one price for the world. Also taken for such is a list that gives every
            type, of three or more, in every place, of three or more, at one price.
    """
    prices, places = defaultdict[object, set[float]](set), defaultdict[object, set[str | None]](set)
    types = [(o.instance_type, o.pricing_model, o.variant, o.accelerator_count) for o in offers]
    for offer, of_type in zip(offers, types, strict=True):
        prices[of_type].add(offer.price)
        places[of_type].add(offer.region)
    flat = {of_type for of_type, of_all in prices.items() if len(of_all) == 1}
    every = {frozenset(p) for p in places.values()}
    if not is_flat and not (len(flat) == len(prices) > 2 and len(every) == 1 and len(max(every)) > 2):
        return list(offers)
    return [
        replace(o, region=None) if of_type in flat else o for o, of_type in zip(offers, types, strict=True)
    ]


def settled(parsed: Parsed[PriceOffer], where: str) -> Parsed[PriceOffer]:
    """Return the account with each (offer, time) at most once: contradictions are rejected by name.

    An offer observed at different times (a history file) may have a different price each time.

    Args:
        parsed: what a parser read, `records_in` counted.
        where: payload, for messages.

    Raises:
        AssertionError: the parser lost a record.
    """
    parsed.fold(
        lambda row: (row.offer_id, row.observed_at, row.period),
        _contradiction,
        payload=where,
        remedy="look at the payload: what sets these offers apart is not read; none is used",
    )
    return parsed.checked(where)


def _contradiction(same: Sequence[PriceOffer]) -> str:
    if len({row.terms for row in same}) == 1:
        return ""
    prices = ", ".join(dict.fromkeys(row.price_published for row in same))
    row = same[0]
    return (
        f"{row.instance_type} {row.pricing_model} in {row.region or 'all regions'} is said "
        f"{len(same)} times with different prices: {prices}"
    )
