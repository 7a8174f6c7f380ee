"""Scaleway's instance types with their list prices: euro per instance-hour, zone by zone, no key needed.

The answer is ``{"servers": {name: {gpu, hourly_price, ncpus, ram, …}}}`` (checked 2026-08); ``gpu`` counts the GPUs,
``ram`` is bytes. Pages hold at most 100 types and the answer does not say how many there are, so a full page asks for
the next.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ingest.core import values
from ingest.core.errors import PayloadRejected
from ingest.core.fetch_plan import Fetch, Members, Request
from ingest.core.json_document import member_of, read_json
from ingest.core.records import OutOfScope, Parsed
from ingest.core.source import Source
from ingest.prices.offers import PriceOffer, currency_of, read_price, settled

ZONES = (
    "fr-par-1", "fr-par-2", "fr-par-3", "nl-ams-1", "nl-ams-2", "nl-ams-3", "pl-waw-1", "pl-waw-2", "pl-waw-3",
)  # fmt: skip
PER_PAGE = 100
_MAX_PAGES = 10
_PRICES_PAGE = "https://www.scaleway.com/en/pricing/gpu/"
_COUNT_IN_NAME = re.compile(r"-(\d+)-\d+G(-WIN)?$")  # L40S-4-48G: four GPUs of 48 GB; -WIN: with Windows
_LOOK = f"compare with {_PRICES_PAGE}"


def _page(zone: str, number: int) -> Request:
    url = f"https://api.scaleway.com/instance/v1/zones/{zone}/products/servers"
    return Request(url=f"{url}?per_page={PER_PAGE}&page={number}", member=f"page-{number}.json")


def _fetch(zone: str) -> Fetch:
    def follow(request: Request, answer: bytes) -> Request | None:
        number = int(request.member.removeprefix("page-").removesuffix(".json"))
        is_full = len(_servers(answer, request.url)) >= PER_PAGE
        return _page(zone, number + 1) if is_full else None

    return Fetch(key=zone, first=_page(zone, 1), follow=follow, max_requests=_MAX_PAGES)


def plan(environment: Mapping[str, str]) -> Sequence[Fetch]:
    """One chain of pages a zone; its key is the zone."""
    return [_fetch(zone) for zone in ZONES]


def _servers(payload: bytes, where: str) -> dict[str, Any]:
    remedy = "look whether Scaleway's instance API has a new version"
    servers = member_of(read_json(payload, where), "servers", dict, where=where, remedy=remedy)
    if servers and not any(isinstance(server, dict) and "gpu" in server for server in servers.values()):
        raise PayloadRejected(
            payload=where,
            problem=f"none of its {len(servers)} servers has the field gpu",
            remedy="look for a new name of the field gpu in Scaleway's API documentation",
        )
    return servers


def parse(members: Members, *, key: str) -> Parsed[PriceOffer]:
    """Offers of one zone: one a GPU instance type, per instance-hour in EUR.

    Args:
        members: the pages.
        key: the zone, with anything after an ``@``.

    Raises:
        PayloadRejected: a page is not of the documented form, or no server on it has the field ``gpu``.
    """
    zone = key.partition("@")[0]
    parsed: Parsed[PriceOffer] = Parsed(payload=key, remedy=_LOOK)
    for member, file in members:
        servers = _servers(file.read(), member or key)
        parsed.read(len(servers))
        for name, server in servers.items():
            with parsed.catch(f"servers[{name!r}]", payload=member):
                parsed.add(_offer(server, name=name, zone=zone, member=member))
    return settled(parsed, key)


def _offer(server: Any, *, name: str, zone: str, member: str) -> PriceOffer:
    """Return the offer of a type; raise `OutOfScope`, or `ValueError` if it cannot be trusted."""
    if not isinstance(server, dict):
        raise ValueError(f"is a {type(server).__name__}, not an object")
    counted = server.get("gpu")
    if counted is None or counted == 0:
        raise OutOfScope("no GPU")
    count = values.integer(counted)
    in_name = _COUNT_IN_NAME.search(name)
    if not count:
        raise ValueError(f"has {counted!r} GPUs")
    if in_name and int(in_name[1]) != count:
        raise ValueError(f"has {count} GPUs though its name states {in_name[1]}")
    published = server.get("hourly_price")
    price = read_price(published, "hourly_price")
    stated = server.get("gpu_info")
    info: dict[str, Any] = stated if isinstance(stated, dict) else {}
    memory, ram = values.number(info.get("gpu_memory")), values.number(server.get("ram"))
    return PriceOffer(
        source=SOURCE.name,
        provider_published="scaleway",
        instance_type=name,
        region=zone,
        operating_system="windows" if name.endswith("-WIN") else "linux",
        pricing_model="on_demand",
        price=price,
        price_published=str(published),
        price_unit="instance_hour",
        currency=currency_of("EUR", server),
        accelerator_published=values.text(info.get("gpu_name")),
        accelerator_memory_gb=round(memory / 2**30, 1) if memory else None,
        accelerator_count=float(count),
        vcpus=values.number(server.get("ncpus")),
        memory_gb=round(ram / 2**30, 1) if ram else None,
        source_url=_PRICES_PAGE,
        member=member,
        record=f"servers[{name!r}]",
    )


SOURCE = Source(
    name="scaleway",
    title="Scaleway instance types",
    home_url=_PRICES_PAGE,
    licence="Scaleway terms of service; list prices are facts",
    limit_bytes=8 << 20,
    plan=plan,
    parse=parse,
    parser_version=2,
    may_have_no_rows=True,  # a zone without GPUs
    rank=1,
)
