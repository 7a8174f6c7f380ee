"""Offers of machine types and TPUs, put together from the rates of their parts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from ingest.core.records import Parsed
from ingest.prices.gcp_machines import MACHINES, Machine
from ingest.prices.gcp_skus import NAME, HourlyRate, HourlyRates, SkuPart
from ingest.prices.offers import HOURS_1Y, HOURS_3Y, PriceOffer, TimedOffer

GPU_PRICES_URL = "https://cloud.google.com/products/compute/pricing/accelerator-optimized"
TPU_PRICES_URL = "https://cloud.google.com/tpu/pricing"
_TERM_HOURS = {"reserved_1y": HOURS_1Y, "reserved_3y": HOURS_3Y}
_NOT_STARTABLE = "list price: cannot be started on demand"


def machine_and_tpu_offers(rates: HourlyRates, parsed: Parsed[PriceOffer]) -> list[PriceOffer]:
    """Every offer attempted, counted in `parsed`; those that lack a part are rejected there."""
    offers: list[PriceOffer] = []
    for part, model, region in sorted(rates.by_part, key=str):
        if part.kind == "gpu":
            machines: Sequence[Machine | None] = [
                m for m in MACHINES if m.gpu == part.name and _is_sold(m, model)
            ]
        else:
            machines = [None] if part.kind == "tpu" else []
        for machine in machines:
            parsed.read()
            first = rates.by_part[part, model, region][0]
            try:
                if machine:
                    offers.append(_machine_offer(machine, model, region, rates))
                else:
                    offers.append(_tpu_offer(part, model, region, rates))
            except ValueError as e:
                name = machine.name if machine else part.name
                problem = f"{name} {model} in {region} has no price: {e}"
                parsed.reject(f"sku {first.sku}", problem, payload=first.member)
    return offers


def _is_sold(machine: Machine, model: str) -> bool:
    # one, two or four GPUs of an A3 High cannot be reserved, so that no commitment applies to them
    return machine.is_startable or machine.gpus >= 8 or not model.startswith("reserved")


def _machine_offer(machine: Machine, model: str, region: str, rates: HourlyRates) -> PriceOffer:
    needs = [(SkuPart("gpu", machine.gpu), machine.gpus)]
    if machine.family:
        needs += [
            (SkuPart("core", machine.family), machine.vcpus),
            (SkuPart("ram", machine.family), machine.memory),
        ]
        if machine.ssd:
            needs.append((SkuPart("ssd", ""), machine.ssd))
    bill: list[tuple[HourlyRate, int]] = []
    problems = []
    for part, quantity in needs:
        try:
            bill.append((rates.one(part, model, region), quantity))
        except ValueError as e:
            problems.append(str(e))
    if problems:
        raise ValueError("; ".join(problems))
    gpu = bill[0][0]
    if len({rate.currency for rate, _ in bill}) > 1:
        raise ValueError("its parts are priced in different currencies")
    return _offer(
        gpu,
        model,
        region,
        starts_at=max((r.starts_at for r, _ in bill if r.starts_at), default=None),
        instance_type=machine.name,
        price=sum((rate.hourly * quantity for rate, quantity in bill), Decimal(0)),
        price_published=" + ".join(f"{quantity} x {rate.said}" for rate, quantity in bill),
        price_unit="instance_hour",
        source_url=GPU_PRICES_URL,
        record=" + ".join(
            f"sku {rate.sku} x {quantity}" + (f" (in {rate.member})" if rate.member != gpu.member else "")
            for rate, quantity in bill
        ),
        accelerator_count=float(machine.gpus),
        vcpus=float(machine.vcpus),
        memory_gb=float(machine.memory),
        is_listed_only=model == "on_demand" and not machine.is_startable,
    )


def _tpu_offer(part: SkuPart, model: str, region: str, rates: HourlyRates) -> PriceOffer:
    rate = rates.one(part, model, region)
    return _offer(
        rate,
        model,
        region,
        starts_at=rate.starts_at,
        instance_type=part.name,
        price=rate.hourly,
        price_published=rate.said,
        price_unit="accelerator_hour",
        source_url=TPU_PRICES_URL,
        record=f"sku {rate.sku}",
        variant=part.variant,
    )


def _offer(
    accelerator: HourlyRate,
    model: str,
    region: str,
    *,
    price: Decimal,
    starts_at: datetime | None,
    is_listed_only: bool = False,
    **words: Any,
) -> PriceOffer:
    return TimedOffer(
        source=NAME,
        provider_published="gcp",
        region=region,
        pricing_model=model,
        purchase_option=_NOT_STARTABLE if is_listed_only else None,
        is_available=False if is_listed_only else None,
        price=float(price),
        starts_at=starts_at,
        currency=accelerator.currency,
        term_hours=_TERM_HOURS.get(model),
        accelerator_published=accelerator.sold,
        member=accelerator.member,
        **words,
    )


def plausible_offers(offers: Sequence[PriceOffer], parsed: Parsed[PriceOffer]) -> list[PriceOffer]:
    """The offers whose prices can stand beside each other; the others are rejected in `parsed`.

    The catalogue gives the one-year commitment in place of the price on demand for some TPU regions, so a price on
    demand that is not above it is none. Spot is a discount: where it costs more, one of the two prices
    belongs to another offer.
    """
    price = {(o.instance_type, o.variant, o.region, o.pricing_model): o.price for o in offers}
    kept = []
    for offer in offers:
        which = (offer.instance_type, offer.variant, offer.region)
        on_demand, one_year = price.get((*which, "on_demand")), price.get((*which, "reserved_1y"))
        problem = None
        if offer.pricing_model == "on_demand" and one_year is not None and offer.price <= one_year:
            problem = f"on demand ({offer.price:g}) is not above the one-year commitment ({one_year:g})"
        elif offer.pricing_model == "spot" and on_demand is not None and offer.price > on_demand:
            problem = f"spot ({offer.price:g}) is more expensive than on demand ({on_demand:g})"
        if problem:
            problem = f"{offer.instance_type} in {offer.region}: {problem}"
            parsed.reject(offer.record, problem, payload=offer.member)
        else:
            kept.append(offer)
    return kept
