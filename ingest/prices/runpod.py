"""RunPod's GPU types: $/GPU-hour in the secure and in the community cloud, the same in every region.

From one GraphQL query (an interface RunPod does not document as open; it answers without a key, checked 2026-07-18).
Each type has two list prices and, when asked for eight GPUs, up to two prices of the cheapest machine at the moment:
four records. Only the list prices are offers: ``uninterruptablePrice`` is one of them times eight, ``minimumBidPrice``
is a floor for bids.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ingest.core import values
from ingest.core.cadence import MARKETPLACES
from ingest.core.errors import PayloadRejected
from ingest.core.fetch_plan import Fetch, Members, Request, bearer
from ingest.core.json_document import member_of, read_json
from ingest.core.records import OutOfScope, Parsed
from ingest.core.source import Source
from ingest.prices.offers import PLACEHOLDER, PriceOffer, currency_of, read_price, require_whole, settled

URL = "https://api.runpod.io/graphql"
GPUS_ASKED_FOR = 8
QUERY = (
    "query { gpuTypes { id displayName memoryInGb secureCloud communityCloud securePrice communityPrice maxGpuCount "
    f"lowestPrice(input: {{gpuCount: {GPUS_ASKED_FOR}}})"
    " { minimumBidPrice uninterruptablePrice stockStatus } } }"
)

_PRICES_PAGE = "https://www.runpod.io/pricing"
_CLOUDS = ("secure", "community")  # <cloud>Price holds where <cloud>Cloud is true
_DERIVED = {
    "minimumBidPrice": "floor for bids",
    "uninterruptablePrice": "a list price again, times eight",
}
# What RunPod answers for a cloud a type is not in; a true price may be the same figure.
_PLACEHOLDER = 0.5
_LOOK = f"compare with {_PRICES_PAGE}"


def plan(environment: Mapping[str, str]) -> Sequence[Fetch]:
    """One query; ``RUNPOD_API_KEY`` goes along as a bearer key when it is there."""
    headers = bearer(environment, "RUNPOD_API_KEY")
    return [Fetch(key="gpu-types", first=Request(url=URL, json={"query": QUERY}, headers=headers))]


def _gpu_types(payload: bytes, where: str) -> tuple[list[Any], tuple[Any, ...]]:
    """Return the types, and what surrounds them, the innermost first."""
    document = read_json(payload, where)
    if isinstance(document, dict) and (errors := document.get("errors")):
        raise PayloadRejected(
            payload=where,
            problem=f"GraphQL answered with errors: {json.dumps(errors)[:200]}",
            remedy="if they mention authorisation, set RUNPOD_API_KEY; else compare the query with RunPod's schema",
        )
    remedy = "compare the query in ingest/prices/runpod.py with RunPod's schema"
    types = member_of(document, "data.gpuTypes", list, where=where, remedy=remedy)
    return types, (document["data"], document)


def parse(members: Members, *, key: str) -> Parsed[PriceOffer]:
    """Offers of the answer: at most one a GPU type and cloud, per accelerator-hour.

    The community cloud is a marketplace of hosts: its price is of that pricing model.

    Args:
        members: the one answer.
        key: not used; there is one.

    Raises:
        PayloadRejected: GraphQL errors, or no list of types.
    """
    where = "gpu-types"
    parsed: Parsed[PriceOffer] = Parsed(payload=where, remedy=_LOOK)
    for member, file in members:
        types, around = _gpu_types(file.read(), member or where)
        for i, gpu in enumerate(types):
            _read_type(parsed, gpu, around, member=member, at=f"gpuTypes[{i}]")
    return settled(parsed, where)


def _read_type(
    parsed: Parsed[PriceOffer], gpu: Any, around: tuple[Any, ...], *, member: str, at: str
) -> None:
    name = values.text(gpu.get("id")) if isinstance(gpu, dict) else None
    if name is None:
        parsed.read()
        parsed.reject(at, f"is {str(gpu)[:60]!r}: no GPU type with an id", payload=member)
        return
    for field, reason in _DERIVED.items():
        if _lowest(gpu, field) is not None:
            parsed.read()
            parsed.out_of_scope(reason)
    for cloud in _CLOUDS:
        record = f"{at}.{cloud}Price"
        parsed.read()
        with parsed.catch(record, payload=member):
            offer = _offer(gpu, name, cloud, around, member=member, record=record)
            if offer.purchase_option:
                parsed.warn(
                    record, f"{cloud}Price of {name} is 0.5, also RunPod's placeholder", payload=member
                )
            parsed.add(offer)
    for problem in _contradictions(gpu):
        parsed.warn(f"{at}.lowestPrice", problem, payload=member)


def _offer(
    gpu: dict[str, Any], name: str, cloud: str, around: tuple[Any, ...], *, member: str, record: str
) -> PriceOffer:
    field, flag = f"{cloud}Price", f"{cloud}Cloud"
    if name.lower() == "unknown":
        raise OutOfScope("no GPU: RunPod's row named unknown")
    require_whole(name, str(gpu.get("displayName")))
    if gpu.get(flag) is False:
        # the price beside a false flag is 0, 0.5 or a figure that was once true
        raise OutOfScope(f"not in the {cloud} cloud")
    if gpu.get(flag) is not True:
        raise ValueError(f"{flag} of {name} is {gpu.get(flag)!r}, neither true nor false")
    price = read_price(gpu.get(field), f"{field} of {name}")
    return PriceOffer(
        source=SOURCE.name,
        provider_published="runpod",
        instance_type=name,
        region=None,
        pricing_model="on_demand" if cloud == "secure" else "marketplace",
        variant=cloud,
        price=price,
        price_published=str(gpu[field]),
        price_unit="accelerator_hour",
        currency=currency_of("USD", gpu, *around),
        purchase_option=PLACEHOLDER if price == _PLACEHOLDER else None,
        accelerator_published=name,
        accelerator_memory_gb=values.number(gpu.get("memoryInGb")) or None,
        accelerator_count=1.0,
        is_available=_is_available(gpu, price),
        source_url=_PRICES_PAGE,
        member=member,
        record=record,
    )


def _lowest(gpu: Mapping[str, Any], field: str) -> Any:
    lowest = gpu.get("lowestPrice")
    return lowest.get(field) if isinstance(lowest, dict) else None


def _is_available(gpu: Mapping[str, Any], price: float) -> bool | None:
    """True when eight at this price are in stock. Otherwise nothing is known: one or two may be."""
    eight = values.number(_lowest(gpu, "uninterruptablePrice"))
    if eight is None or _lowest(gpu, "stockStatus") is None:
        return None
    return True if abs(eight / GPUS_ASKED_FOR - price) < 0.005 else None


def _contradictions(gpu: Mapping[str, Any]) -> Iterator[str]:
    """`uninterruptablePrice` must be a list price times eight, or the payload does not mean what we think."""
    eight = values.number(_lowest(gpu, "uninterruptablePrice"))
    if eight is None:
        return
    listed = [p for cloud in _CLOUDS if (p := values.number(gpu.get(f"{cloud}Price")))]
    if not any(abs(eight / GPUS_ASKED_FOR - price) < 0.005 for price in listed):
        yield f"uninterruptablePrice {eight} is neither list price {listed} times {GPUS_ASKED_FOR}"


SOURCE = Source(
    name="runpod",
    title="RunPod GPU types",
    home_url=_PRICES_PAGE,
    licence="RunPod terms of service; list prices are facts",
    cadence=MARKETPLACES,
    limit_bytes=8 << 20,
    plan=plan,
    parse=parse,
    parser_version=3,
    rank=1,
)
