"""Vast.ai: offers of a marketplace of hosts, as the median price per GPU over machines.

One query a GPU name. An offer is one slice of a machine (1×, 2×, 4×, 8× of its GPUs), so supply is counted by machine.
What a machine asks is its cheapest slice per GPU: its slices share one price per GPU and differ only by the default
disk, which `dph_total` (what a renter pays, used here) contains and which weighs least in the largest slice (slices of
one machine are within 0.6 % in the archive of 2026-03-06, except V100s at two cents an hour). Facts checked
2026-11-21 on that archive and on Vast's API documentation:

- Without a limit at most 64 offers come. An answer cut off at our own limit is the cheapest part of the market,
  because it is ordered by price: no median is taken of it.
- ``min_bid`` is a floor for bids and never read. An offer that is rented, or cannot be, is no offer.
- ``gpu_ram`` tells 40 from 80 GB; a 4090 with 48 GB is a modified card. Memory that is not the card's own becomes part
  of the instance type, so that such cards never mix with plain ones.
- ``hosting_type`` 1 is a data centre; verified, unverified and deverified hosts count alike.
- Addresses and ids of hosts are personal data: `_READ` lists the only fields that are ever looked at, and none of a
  host reaches a row or a message (`machine_id` serves to count and goes no further).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from statistics import median
from typing import Any

from ingest.core import values
from ingest.core.cadence import MARKETPLACES
from ingest.core.errors import PayloadRejected
from ingest.core.fetch_plan import Fetch, Members, Request, bearer, nothing_to_fetch
from ingest.core.json_document import read_json
from ingest.core.records import OutOfScope, Parsed
from ingest.core.source import Source
from ingest.prices.offers import PER_ACCELERATOR_HOUR, PriceOffer, currency_of, read_price, settled

URL = "https://console.vast.ai/api/v0/bundles/"
LIMIT = 3000
DEFAULT_LIMIT = 64  # what the interface gives when it did not understand the limit

GPU_NAMES = (
    "H100 SXM", "H100 PCIE", "H100 NVL", "H200", "H200 NVL", "B200", "B300", "A100 SXM4", "A100 PCIE", "Tesla V100",
    "L40S", "L40", "L4", "A40", "RTX PRO 6000 S", "RTX 6000Ada", "RTX 4090", "RTX 5090",
)  # fmt: skip
"""Vast's own names. ``A100 SXM`` is none of them: it finds nothing."""

# What the driver reports of a card with its own memory, in MB. Two entries: the name alone does not say which.
_MEMORY_MB: Mapping[str, tuple[int, ...]] = {
    "H100 SXM": (81559,), "H100 PCIE": (81559,), "H100 NVL": (95830,), "H200": (143771,), "H200 NVL": (143771,),
    "B200": (183359,), "A100 SXM4": (40960, 81920), "A100 PCIE": (40960, 81920), "Tesla V100": (16384, 32768),
    "L40S": (46068,), "L40": (46068,), "L4": (23034,), "A40": (46068,), "RTX PRO 6000 S": (97887,),
    "RTX 6000Ada": (49140,), "RTX 4090": (24564,), "RTX 5090": (32607,),
}  # fmt: skip
_TOLERANCE = 0.1  # error correction and driver versions move it by up to 6 %

_READ = (
    "gpu_name", "gpu_ram", "num_gpus", "dph_total", "hosting_type", "machine_id", "rentable", "rented", "is_bid",
    "resource_type",
)  # fmt: skip
_HOSTING = {0: "community", 1: "datacenter"}
_PAGE = "https://vast.ai/pricing"
_LOOK = "look at the offer in the landed payload; such offers stay out of the median"


def _query(index: int, environment: Mapping[str, str]) -> Request:
    name = GPU_NAMES[index]
    return Request(
        url=URL,
        json={
            "gpu_name": {"eq": name},
            "rentable": {"eq": True},
            "rented": {"eq": False},
            "type": "on-demand",
            "order": [["dph_total", "asc"]],
            "limit": LIMIT,
        },
        headers=bearer(environment, "VAST_API_KEY"),
        member=_member(name),
    )


def _member(gpu_name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", gpu_name.lower()) + ".json"


def plan(environment: Mapping[str, str]) -> Sequence[Fetch]:
    """One chain with a query per GPU name; ``VAST_API_KEY`` goes along as a bearer key when it is there."""
    index_of = {_member(name): i for i, name in enumerate(GPU_NAMES)}

    def follow(request: Request, answer: bytes) -> Request | None:
        _groups(answer, request.member)
        following = index_of[request.member] + 1
        return _query(following, environment) if following < len(GPU_NAMES) else None

    first = _query(0, environment)
    return [Fetch(key="bundles", first=first, follow=follow, max_requests=len(GPU_NAMES))]


def _groups(payload: bytes, where: str) -> tuple[list[tuple[str, list[Any]]], datetime | None, object]:
    """(position, offers) of each answer in a payload, when it was collected, if stated, and what surrounds them.

    Raises:
        PayloadRejected: an error answer, or neither an answer of the interface nor an archive of answers.
    """
    document = read_json(payload, where)
    if isinstance(document, dict):
        if isinstance(document.get("offers"), list):
            return [("offers", document["offers"])], None, document
        archived, collected = document.get("offers_by_model"), document.get("collected_utc")
        if isinstance(archived, dict) and all(isinstance(offers, list) for offers in archived.values()):
            try:
                at = datetime.fromisoformat(str(collected))
            except ValueError:
                at = datetime.min
            if at.tzinfo is None:
                raise PayloadRejected(
                    payload=where,
                    problem=f"collected_utc is {str(collected)[:40]!r}, no time with a zone",
                    remedy="an archive must say when it was collected: its prices are dated by it",
                )
            named = [(f"offers_by_model[{model!r}]", offers) for model, offers in archived.items()]
            return named, at.astimezone(UTC), document
        if document.get("success") is False or "error" in document:
            raise PayloadRejected(
                payload=where,
                problem=f"Vast.ai answered {str(document.get('error'))[:60]!r}: {str(document.get('msg'))[:120]!r}",
                remedy="if it asks for a key, set VAST_API_KEY; if for patience, try again later",
            )
    raise PayloadRejected(
        payload=where, problem="holds no list of offers", remedy="compare with Vast.ai's API documentation"
    )


@dataclass(frozen=True, order=True)
class _Ask:
    """One offer, without anything of its host."""

    per_gpu: float
    position: str
    published: str


def parse(members: Members, *, key: str) -> Parsed[PriceOffer]:
    """Median prices: one row per (GPU name and memory class, hosting), per accelerator-hour.

    `n_observed` counts machines; `record` names the offer (or the two) in the middle, `price_published` their own
    words. Offers behind a row count as merged. Rows of few machines are kept: see `n_observed`.

    Args:
        members: answers of the interface, or one archive of them (then its ``collected_utc`` is when it was observed).
        key: not used; the payload is worldwide.

    Raises:
        PayloadRejected: an answer is none.
    """
    parsed: Parsed[PriceOffer] = Parsed(payload="bundles", remedy=_LOOK)
    # (instance type, hosting, member, when) → machine → its offers
    asks: dict[tuple[str, str, str, datetime | None, str], dict[Any, list[_Ask]]] = defaultdict(
        lambda: defaultdict(list)
    )
    memory: dict[str, float] = {}
    for member, file in members:
        groups, observed_at, document = _groups(file.read(), member or "bundles")
        for position, offers in groups:
            parsed.read(len(offers))
            n = len(offers)
            if n >= LIMIT or n == DEFAULT_LIMIT or (n and n % 100 == 0):
                parsed.warn(
                    position,
                    f"holds exactly {n} offers: there are probably more",
                    payload=member,
                    remedy="raise LIMIT in ingest/prices/vast.py, or ask for the GPU in parts",
                )
            if n >= LIMIT:
                parsed.out_of_scope("answer cut off at the limit: only the cheapest part of the market", n)
                continue
            for i, offer in enumerate(offers):
                at = f"{position}[{i}]"
                with parsed.catch(at, payload=member):
                    # from here on nothing else of an offer exists
                    seen: dict[str, Any] = {f: offer.get(f) for f in _READ} if isinstance(offer, dict) else {}
                    price, count, ram = _figures(seen)
                    currency = currency_of("USD", offer, document)
                    instance_type = _instance_type(_words(seen["gpu_name"]), ram)
                    memory.setdefault(instance_type, round(ram / 1024, 1))
                    group = instance_type, _HOSTING[seen["hosting_type"]], member, observed_at, currency
                    published = f"{seen['dph_total']} for {count} GPU" + ("s" if count > 1 else "")
                    asks[group][seen["machine_id"]].append(_Ask(price / count, at, published))
    for (instance_type, hosting, member, observed_at, currency), machines in asks.items():
        _reject_implausible(parsed, machines, member)
        parsed.merged += sum(map(len, machines.values())) - 1
        parsed.add(
            _row(
                [min(slices) for slices in machines.values()],
                instance_type=instance_type,
                hosting=hosting,
                memory_gb=memory[instance_type],
                member=member,
                observed_at=observed_at,
                currency=currency,
            )
        )
    return settled(parsed, "vast bundles")


def _reject_implausible(parsed: Parsed[PriceOffer], machines: dict[Any, list[_Ask]], member: str) -> None:
    """Reject asks that can be no price, unless a group has no others: then its median shows them."""
    low, high = PER_ACCELERATOR_HOUR
    bad = [a for slices in machines.values() for a in slices if not low <= a.per_gpu <= high]
    if len(bad) == sum(map(len, machines.values())):
        return
    for ask in bad:
        problem = f"dph_total {ask.published} is {ask.per_gpu:.4g} an accelerator-hour: not plausible"
        parsed.reject(ask.position, problem, payload=member)
    for machine, slices in list(machines.items()):
        machines[machine] = [ask for ask in slices if ask not in bad]
        if not machines[machine]:
            del machines[machine]


def _words(value: Any) -> str:
    """The name as Vast.ai writes it, with a space where the command line writes ``_``."""
    return values.words(value).replace("_", " ")


def _figures(offer: Mapping[str, Any]) -> tuple[float, int, float]:
    """Return (price, GPUs, memory of one in MB) of an offer. Only the fields named here are ever quoted.

    Raises:
        OutOfScope: it is no offer of GPUs that can be had.
        ValueError: it cannot be trusted.
    """
    if not offer:
        raise ValueError("is no object")
    if offer["resource_type"] not in (None, "gpu"):
        raise OutOfScope("no GPU")
    if offer["is_bid"] is True:
        raise OutOfScope("a bid, not an offer on demand")
    if offer["rented"] is True or offer["rentable"] is False:
        raise OutOfScope("rented: not to be had")
    if not values.text(offer["gpu_name"]):
        raise ValueError("has no gpu_name")
    price = read_price(offer["dph_total"], "dph_total")
    count, ram = values.integer(offer["num_gpus"]), values.number(offer["gpu_ram"])
    if not count:
        raise ValueError(f"num_gpus is {str(offer['num_gpus'])[:40]!r}")
    if ram is None or ram <= 0:
        raise ValueError(f"gpu_ram is {str(offer['gpu_ram'])[:40]!r}")
    if isinstance(offer["hosting_type"], bool) or offer["hosting_type"] not in (0, 1):
        raise ValueError(f"hosting_type is {str(offer['hosting_type'])[:40]!r}, neither 0 nor 1")
    if isinstance(offer["machine_id"], bool) or not isinstance(offer["machine_id"], int | str):
        raise ValueError("has no machine_id: it may be counted already")
    return price, count, ram


def _instance_type(name: str, ram_mb: float) -> str:
    """The GPU's name; with its memory where the name does not say it or the memory is not the card's own."""
    known = _MEMORY_MB.get(name, ())
    own = next((mb for mb in known if abs(ram_mb - mb) <= _TOLERANCE * mb), None)
    if own is None:
        return f"{name} {ram_mb:.0f}"
    return name if len(known) == 1 else f"{name} {own}"


def _row(
    asks: list[_Ask],
    *,
    instance_type: str,
    hosting: str,
    memory_gb: float,
    member: str,
    observed_at: datetime | None,
    currency: str,
) -> PriceOffer:
    ordered = sorted(asks)
    middle = ordered[(len(ordered) - 1) // 2 : len(ordered) // 2 + 1]
    return PriceOffer(
        source=SOURCE.name,
        provider_published="vast",
        instance_type=instance_type,
        region=None,
        pricing_model="marketplace",
        variant=hosting,
        price=median(ask.per_gpu for ask in ordered),
        price_published=" and ".join(ask.published for ask in middle),
        price_unit="accelerator_hour",
        currency=currency,
        accelerator_published=instance_type,
        accelerator_memory_gb=memory_gb,
        n_observed=len(ordered),
        price_min=ordered[0].per_gpu,
        price_max=ordered[-1].per_gpu,
        is_available=True if observed_at is None else None,
        observed_at=observed_at,
        source_url=_PAGE,
        member=member,
        record=" and ".join(ask.position for ask in middle),
    )


SOURCE = Source(
    name="vast",
    title="Vast.ai marketplace",
    home_url=_PAGE,
    licence="Vast.ai terms of service (no bulk resale); medians are derived",
    parser_version=3,
    cadence=MARKETPLACES,
    limit_bytes=128 << 20,
    plan=plan,
    parse=parse,
    rank=1,
)


def parse_archive(members: Members, *, key: str) -> Parsed[PriceOffer]:
    """Offers of the CCIR index' archive of this API: as `parse`, under the collector's name."""
    parsed = parse(members, key=key)
    return replace(parsed, rows=[replace(row, source=ARCHIVE_SOURCE.name) for row in parsed.rows])


ARCHIVE_SOURCE = replace(
    SOURCE,
    name="vast-ccir-archive",
    title="Vast.ai marketplace, archived by the CCIR index",
    home_url="https://github.com/ccir-index/cri-h100",
    licence="MIT",
    plan=nothing_to_fetch,
    parse=parse_archive,
    polls_to_close=0,
    rank=3,
    ships=True,
)
