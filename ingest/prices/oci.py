"""Oracle Cloud list prices of GPU shapes: the price list and the cost estimator's shapes (checked 2026-09-18).

A shape bills parts. The part of a GPU shape that stands under the type ``ocpu`` is priced "GPU Per Hour": it is
per GPU, whatever the type says. Prices are the same in every commercial region; preemptible capacity costs half
(https://docs.oracle.com/en-us/iaas/Content/Compute/Concepts/preemptible.htm).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from ingest.core.errors import PayloadRejected
from ingest.core.fetch_plan import Fetch, Members, Request
from ingest.core.json_document import member_of, read_json
from ingest.core.records import OutOfScope, Parsed
from ingest.core.source import Source
from ingest.prices.offers import PriceOffer, settled

NAME = "oci-price-list"
CURRENCY = "USD"
MODEL = "PAY_AS_YOU_GO"

PRICE_LIST, SHAPES, ESTIMATOR = "price-list.json", "shapes.json", "products.json"
_ESTIMATOR_DATA = "https://www.oracle.com/a/ocom/docs/cloudestimator2/data"
_URLS = {
    PRICE_LIST: f"https://apexapps.oracle.com/pls/apex/cetools/api/v1/products/?currencyCode={CURRENCY}",
    SHAPES: f"{_ESTIMATOR_DATA}/{SHAPES}",
    ESTIMATOR: f"{_ESTIMATOR_DATA}/{ESTIMATOR}",
}
_ORDER = (PRICE_LIST, SHAPES, ESTIMATOR)
SOURCE_URL = "https://www.oracle.com/cloud/price-list/"

_MOST = 1e9  # GPUs, gigabytes or US$ an hour: more is no quantity

# What a part's metricName counts -> which quantity of the shape it is multiplied by
_PER_GPU = "GPU Per Hour"
_BY_QUANTITY = ("OCPU Per Hour", "ECPU Per Hour", "Gigabyte Per Hour", "NVMe Terabyte Per Hour")


def plan(environment: Mapping[str, str]) -> Sequence[Fetch]:
    """The price list, the shapes and the estimator's own prices, kept together: one chain, no key needed."""
    first = Request(url=_URLS[PRICE_LIST], member=PRICE_LIST)
    return [Fetch(key="all", first=first, follow=follow, max_requests=len(_ORDER))]


def follow(request: Request, answer: bytes) -> Request | None:
    """The next of the three documents; None after the last.

    Raises:
        PayloadRejected: the answer is no list of items, or only a part of one.
    """
    _items(answer, request.url)
    later = _ORDER[_ORDER.index(request.member) + 1 :]
    return Request(url=_URLS[later[0]], member=later[0]) if later else None


def _items(body: bytes, where: str) -> list[Any]:
    document = read_json(body, where)
    remedy = "look at the answer: an error page or a changed service"
    items = member_of(document, "items", list, where=where, remedy=remedy)
    if document.get("hasMore") is True:
        problem = "the list goes on (hasMore), and how to ask for the rest is not known here"
        raise PayloadRejected(payload=where, problem=problem, remedy=remedy)
    return items


def parse(members: Members, *, key: str) -> Parsed[PriceOffer]:
    """Offers of GPU shapes: on demand, and preemptible at half where the shape allows it.

    Records are the shapes, and each preemptible offer derived from one; the price lists are looked up only. A
    price is taken from the price list; should the estimator tell another one for the same part, the shape is
    rejected. `accelerator_memory_gb` and `vcpus` stay empty: the estimator's figures are totals for some
    shapes, per GPU for others, and mark x86 shapes as Arm.

    Args:
        members: ``price-list.json``, ``shapes.json``, ``products.json``.
        key: not needed.

    Raises:
        PayloadRejected: a member is missing, or is no list of items.
    """
    lists = {name: _items(file.read(), name) for name, file in members}
    missing = [name for name in _ORDER if name not in lists]
    if missing:
        raise PayloadRejected(
            payload=NAME,
            problem=f"{', '.join(missing)} not in the payload (it holds {', '.join(lists) or 'nothing'})",
            remedy="refresh the source: shapes cannot be priced without their price list",
        )
    prices = {name: _parts(lists[name]) for name in (PRICE_LIST, ESTIMATOR)}

    parsed: Parsed[PriceOffer] = Parsed(
        payload=SHAPES,
        remedy="look at the shape and its parts; if they are right, teach ingest/prices/oci.py to read them",
    )
    for i, shape in enumerate(lists[SHAPES]):
        parsed.read()
        record = f"items[{i}]"
        with parsed.catch(record):
            if not isinstance(shape, dict):
                raise ValueError(f"a shape was expected, this is {str(shape)[:60]!r}")
            _require_scope(shape)
            offer = _offer(shape, prices, record)
            preemptible = shape.get("allowPreemptible")
            parsed.add(offer)
            if preemptible is True:
                parsed.read()
                parsed.add(_half(offer))
            elif preemptible not in (False, None):
                parsed.warn(record, f"allowPreemptible is {preemptible!r}: taken for no")
    return settled(parsed, NAME)


def _word(record: dict[str, Any], name: str) -> str:
    value = record.get(name)
    if isinstance(value, dict):  # {"value": "gpu"}, the estimator's way to write a choice
        value = value.get("value")
    return str(value or "").strip()


def _require_scope(shape: dict[str, Any]) -> None:
    """Raise `OutOfScope` for a shape without GPUs, or one that is not sold."""
    if not shape.get("gpuQty") and _word(shape, "subType") != "gpu":
        raise OutOfScope("no accelerator")
    if shape.get("hidden"):
        raise OutOfScope("hidden shape")
    if _word(shape, "status") != "ACTIVE":
        raise OutOfScope("inactive shape")


def _parts(products: Sequence[Any]) -> dict[str, list[dict[str, Any]]]:
    """The products of a price list by part number; several of one number are kept and separated later."""
    parts: dict[str, list[dict[str, Any]]] = {}
    for product in products:
        if isinstance(product, dict):
            parts.setdefault(_word(product, "partNumber"), []).append(product)
    return parts


def _number(value: object, what: str) -> Fraction:
    """A positive quantity, exactly as written: quantities may be fractions (81.6)."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < _MOST:
        raise ValueError(f"{what} is {value!r}")
    return Fraction(str(value))


def _offer(
    shape: dict[str, Any], prices: dict[str, dict[str, list[dict[str, Any]]]], record: str
) -> PriceOffer:
    # "BM.GPU.GB200.4 (NVL72)": what stands in brackets is for show, the shape to order is BM.GPU.GB200.4
    name = re.sub(r"\s*\(.*\)$", "", _word(shape, "name"))
    if not name:
        raise ValueError("a shape without name")
    gpus = _number(shape.get("gpuQty"), f"gpuQty of {name}")
    billed = shape.get("products")
    if not isinstance(billed, list) or not billed or not all(isinstance(p, dict) for p in billed):
        raise ValueError(f"{name} names no parts it bills (products is {str(billed)[:60]!r})")

    total, words, gpu_parts = Fraction(0), [], 0
    for product in billed:
        part, kind = _word(product, "partNumber"), _word(product, "type")
        price, metric = _price(part, name, prices)
        if metric == _PER_GPU:
            quantity = gpus
            gpu_parts += 1
        elif metric in _BY_QUANTITY:
            quantity = _number(product.get("qty"), f"quantity of {kind or 'part'} {part} in {name}")
        else:
            raise ValueError(f"part {part} of {name} is billed by {metric!r}, which is not known here")
        total += price * quantity
        words.append(f"{_plain(quantity)} x {_plain(price)} ({part})")
    if gpu_parts != 1:
        raise ValueError(f"{gpu_parts} parts of {name} are billed by GPU, one was expected")

    memory = shape.get("bundleMemoryQty")
    return PriceOffer(
        source=NAME,
        provider_published="oci",
        instance_type=name,
        region=None,
        pricing_model="on_demand",
        price=float(total),
        price_published=" + ".join(words),
        price_unit="instance_hour",
        currency=CURRENCY,
        source_url=SOURCE_URL,
        member=SHAPES,
        record=record,
        accelerator_count=float(gpus),
        memory_gb=float(memory) if isinstance(memory, int | float) and 0 < memory < _MOST else None,
    )


def _half(offer: PriceOffer) -> PriceOffer:
    return replace(
        offer,
        pricing_model="spot",
        purchase_option="preemptible (half of on demand)",
        price=offer.price / 2,
        price_published=f"half of {offer.price_published}",
    )


def _plain(number: Fraction) -> str:
    return f"{float(number):g}" if number.denominator != 1 else str(number.numerator)


def _price(part: str, shape: str, prices: dict[str, dict[str, list[dict[str, Any]]]]) -> tuple[Fraction, str]:
    """Price of one unit of a part and what the unit is, as both of Oracle's lists have it."""
    if not part:
        raise ValueError(f"{shape} bills a part without number")
    listings = {name: _listed_price(part, listed[part]) for name, listed in prices.items() if part in listed}
    if not listings:
        raise ValueError(f"no price list has part {part} of {shape}")
    values = {price for price, _ in listings.values()}
    metrics = {metric for _, metric in listings.values() if metric}
    if len(values) > 1 or len(metrics) > 1:
        said = ", ".join(f"{name}: {_plain(p)} {m}".strip() for name, (p, m) in listings.items())
        raise ValueError(f"Oracle's lists disagree about part {part} of {shape} ({said})")
    if not metrics:
        raise ValueError(f"part {part} of {shape} does not say what it is billed by (metricName)")
    return values.pop(), metrics.pop()


def _listed_price(part: str, products: Sequence[dict[str, Any]]) -> tuple[Fraction, str]:
    """The US$ price of a part on demand in one list, and its billing metric ("" if not stated)."""
    metrics = {_word(product, "metricName") for product in products}
    values = set()
    for product in products:
        localizations = product.get("currencyCodeLocalizations")
        for local in localizations if isinstance(localizations, list) else []:
            if not isinstance(local, dict) or local.get("currencyCode") != CURRENCY:
                continue
            entries = local.get("prices")
            for entry in entries if isinstance(entries, list) else []:
                if isinstance(entry, dict) and entry.get("model") == MODEL:
                    values.add(_number(entry.get("value"), f"{MODEL} price of part {part}"))
    if len(values) != 1 or len(metrics) != 1:
        said = ", ".join(sorted(map(_plain, values))) or "none"
        raise ValueError(f"part {part} should have one {CURRENCY} {MODEL} price, it has: {said}")
    return values.pop(), metrics.pop()


SOURCE = Source(
    name=NAME,
    title="Oracle Cloud price list, GPU shapes",
    home_url="https://www.oracle.com/cloud/costestimator.html",
    licence="Oracle's published price list (Oracle terms of use)",
    plan=plan,
    parse=parse,
)
