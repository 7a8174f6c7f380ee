"""gpu-pricing: offers of one GPU that people read from 21 providers' price pages, with a link and caveats each.

Upstream facts, checked against the file of 2026-05-24 and the project's rules of contribution: a JSON list of
offers of a *single* GPU (bundles of 8 only by exception, "normalized per GPU"), US$ per hour without commitment,
``collected_at`` a day. The caveats are part of the price: some prices are estimates, some do not hold vCPU and RAM.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ingest.core import values
from ingest.core.errors import PayloadRejected
from ingest.core.fetch_plan import Members, nothing_to_fetch
from ingest.core.json_document import read_json
from ingest.core.records import Parsed, required
from ingest.core.source import Source
from ingest.prices.offers import PriceOffer, currency_problem, settled

_REQUIRED = ("provider_id", "gpu_model", "tier", "price_usd_hour", "source_url", "collected_at")
_TIERS = ("on-demand", "spot", "community", "secure", "prototyping", "production", "marketplace")
_REMEDY = "look at the offer and its source_url; what its caveats put in doubt stays out of the facts"

BILLED_ON_TOP = "vcpu and ram billed on top"
"""In `PriceOffer.purchase_option` where the price buys the GPU alone: not comparable with one of a whole machine."""
LOWEST_OFFER = "lowest live offer"
"""In `PriceOffer.purchase_option` where the price is a marketplace's cheapest offer of that day: no typical price."""
SHARED_GPU = "share of a GPU over the network, no whole one"

# what the caveats and notes say, in the words they use
_ESTIMATED = re.compile(r"\bestimated\b|\bapproximate price\b", re.IGNORECASE)
_SEPARATE = re.compile(r"\b(?:v?CPU\b.*\bRAM\b.*|billed )separately\b", re.IGNORECASE)
_FREE = re.compile(r"\bvCPU and RAM are FREE\b", re.IGNORECASE)
_LOWEST = re.compile(r"\bcheapest (?:live offer|host)\b|\bmin(?:imum)? (?:live offer|price)\b", re.IGNORECASE)
_SPREAD = re.compile(r"Marketplace: \$(\d+(?:\.\d+)?)[–-]\$(\d+(?:\.\d+)?) across providers")
_STALE = re.compile(r"\bmay be stale\b", re.IGNORECASE)
_STALE_SINCE = re.compile(r"\breferences ([A-Z][a-z]+ \d{4})\b")
_SHARED = re.compile(r"\bGPU-over-IP\b", re.IGNORECASE)
_MISLABELLED = re.compile(r"\bVRAM is \d+ GB but site labels\b")
_NODE = re.compile(r"\bsold in (\d+)x node\b")
_SERIES = re.compile(r"^Dataoorts ([\w-]+) —")
_BARE_METAL = re.compile(r"^Bare Metal\b")


@dataclass(frozen=True)
class _Facts:
    """What a record's caveats and notes mean."""

    text: tuple[str, ...]

    def say(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        return next((match for line in self.text if (match := pattern.search(line))), None)

    @property
    def options(self) -> list[str]:
        out = []
        if self.say(_SEPARATE) and not self.say(_FREE):
            out.append(BILLED_ON_TOP)
        if self.say(_LOWEST) or self.say(_SPREAD):
            out.append(LOWEST_OFFER)
        return out

    @property
    def kind(self) -> str | None:
        """What sets a seller's offers of one GPU apart besides the tier."""
        match = self.say(_SERIES)
        return match[1] if match else "bare metal" if self.say(_BARE_METAL) else None


def parse(members: Members, *, key: str) -> Parsed[PriceOffer]:
    """Offers of the list, per GPU-hour in US$, dated by `collected_at` (a day).

    The provider's tier stays in `variant`. Marketplace and community tiers are ``marketplace``, interruptible ones
    ``spot``. Rejected are estimates and "spot" prices above the same provider's price of the uninterruptible GPU;
    a page that calls itself stale dates its prices (month). `purchase_option` states what a price leaves out.

    Args:
        members: the file ``offerings.json``.
        key: what it was landed under, for messages.

    Raises:
        PayloadRejected: no list of offers.
    """
    parsed: Parsed[PriceOffer] = Parsed(remedy=_REMEDY)
    for member, file in members:
        where = member or key
        document = read_json(file.read(), where)
        if not isinstance(document, list) or not any(
            isinstance(entry, dict) and "price_usd_hour" in entry for entry in document
        ):
            raise PayloadRejected(
                payload=where,
                problem="is no list of offers with a price_usd_hour",
                remedy="take src/data/offerings.json of the gpu-pricing repository",
            )
        parsed.read(len(document))
        ceilings = _uninterruptible(document)
        for position, entry in enumerate(document):
            offer = _offer(entry, member=member, record=f"[{position}]", ceilings=ceilings)
            if isinstance(offer, PriceOffer):
                parsed.add(offer)
                if _facts(entry).say(_MISLABELLED):
                    parsed.remark(
                        f"[{position}]",
                        "the provider's page states another memory than the GPU has",
                        payload=where,
                        remedy="none needed: the memory of the product is kept",
                    )
            elif offer == SHARED_GPU:
                parsed.out_of_scope(offer)
            else:
                parsed.reject(f"[{position}]", offer, payload=where)
    return settled(parsed, key)


def _facts(entry: Mapping[str, Any]) -> _Facts:
    caveats = entry.get("caveats")
    lines = [str(line) for line in caveats] if isinstance(caveats, list) else []
    return _Facts((*lines, str(entry.get("notes") or "")))


def _part(entry: Mapping[str, Any]) -> tuple[str, str, str]:
    return (str(entry.get("provider_id")), str(entry.get("gpu_model")), str(entry.get("vram_gb")))


def _uninterruptible(document: Sequence[Any]) -> Mapping[tuple[str, str, str], float]:
    """The highest price of a provider's uninterruptible GPU; a spot price must not exceed it."""
    prices: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for entry in document:
        if isinstance(entry, dict) and entry.get("is_spot") is False:
            price = values.number(entry.get("price_usd_hour"))
            if price:
                prices[_part(entry)].append(price)
    return {part: max(amounts) for part, amounts in prices.items()}


def _observed(entry: Mapping[str, Any], facts: _Facts) -> tuple[datetime, str] | str:
    """(when the price held, its precision), or what is wrong with it."""
    collected = str(entry["collected_at"])
    try:
        day = datetime.strptime(collected, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        return f"collected_at is {collected!r}, no day"
    if not facts.say(_STALE):
        return day, "day"
    since = facts.say(_STALE_SINCE)
    try:
        return datetime.strptime(since[1] if since else "", "%B %Y").replace(tzinfo=UTC), "month"
    except ValueError:
        return "may be stale, and since when is not said"


def _words(entry: Mapping[str, Any]) -> str:
    """Model, memory and interconnect, each said once: ``NVIDIA H100 SXM 80GB``."""
    out = values.words(entry["gpu_model"])
    memory, link = values.number(entry.get("vram_gb")), values.text(entry.get("interconnect"))
    if memory and not re.search(rf"\b{memory:g} ?GB?\b", out, re.IGNORECASE):
        out += f" {memory:g}GB"
    if link and link.lower() not in out.lower():
        out += f" {link}"
    return out


def _offer(
    entry: Any, *, member: str, record: str, ceilings: Mapping[tuple[str, str, str], float]
) -> PriceOffer | str:
    """The offer, or why there is none."""
    if not isinstance(entry, dict):
        return f"is a {type(entry).__name__}, not an offer"
    if missing := required(entry, _REQUIRED):
        return f"lacks {', '.join(missing)}"
    tier, price, is_spot = str(entry["tier"]), values.number(entry["price_usd_hour"]), entry.get("is_spot")
    what = f"{entry['gpu_model']} of {entry['provider_id']}"
    if tier not in _TIERS or not isinstance(is_spot, bool):
        return f"tier is {tier!r} and is_spot {is_spot!r}, which are not of the format"
    if price is None or price <= 0:
        return f"price of {what} is {entry['price_usd_hour']!r}, which is no price"
    if problem := currency_problem("USD", entry):
        return problem
    facts = _facts(entry)
    if tier == "prototyping" or facts.say(_SHARED):
        return SHARED_GPU
    if match := facts.say(_ESTIMATED):
        return f"price of {what} is no observation: {match.string!r}"
    ceiling = ceilings.get(_part(entry))
    if tier == "spot" and ceiling is not None and price > ceiling:
        return f"spot price {price:g} of {what} is above {ceiling:g}, its price without interruption: another product"
    observed = _observed(entry, facts)
    if isinstance(observed, str):
        return f"price of {what} {observed}"
    options, spread, node = facts.options, facts.say(_SPREAD), facts.say(_NODE)
    is_market = tier in ("marketplace", "community") or (LOWEST_OFFER in options and tier == "on-demand")
    words = _words(entry)
    return PriceOffer(
        source=SOURCE.name,
        provider_published=values.words(entry["provider_id"]),
        instance_type=words,
        region=None,
        pricing_model="marketplace" if is_market else "spot" if is_spot else "on_demand",
        purchase_option=", ".join(options) or None,
        variant=", ".join(filter(None, (tier, facts.kind))),
        price=price,
        price_published=str(entry["price_usd_hour"]),
        price_unit="accelerator_hour",
        currency="USD",
        accelerator_published=words,
        accelerator_memory_gb=values.number(entry.get("vram_gb")),
        accelerator_count=float(node[1]) if node else None,  # normalized per GPU: no machine size is stated
        vcpus=values.number(entry.get("vcpu")),
        memory_gb=values.number(entry.get("ram_gb")),
        price_min=float(spread[1]) if spread else None,
        price_max=float(spread[2]) if spread else None,
        observed_at=observed[0],
        observed_precision=observed[1],
        source_url=str(entry["source_url"]),
        member=member,
        record=record,
    )


SOURCE = Source(
    name="gpu-pricing-curated",
    title="gpu-pricing: offers read from price pages by people",
    home_url="https://github.com/tardellirs/gpu-pricing",
    licence="MIT",
    licence_note="GPU prices: gpu-pricing, Copyright (c) 2026 gpu-pricing contributors, MIT License.",
    limit_bytes=8 << 20,
    plan=nothing_to_fetch,
    parse=parse,
    rank=3,
    polls_to_close=0,
    ships=True,
    parser_version=2,
)
