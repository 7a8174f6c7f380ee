"""The catalogs dstack's gpuhunt publishes: one zipped CSV a provider, made by program from the providers' interfaces.

A second witness beside the providers' own lists. Two requests: the version word, then the catalog of that version
(layout and columns as gpuhunt 0.1.34 writes them, checked 2026-11-21). The price is $/h per instance.

The file is read here and not by gpuhunt itself: its loader is internal, skips lines it cannot read with no more than a
log message, and would lose records that have to be accounted for. So the library (MPL-2.0) is no dependency.

- gpuhunt fills in what it does not know: a TPU slice has one "GPU", so has a fraction of a GPU.
- RunPod's instance name is the GPU's id, for every number of GPUs: there the price is given per accelerator.
- A GCP N1 machine is one name with any GPU attached: the GPU is made part of the instance type.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, BinaryIO

from ingest.core import values
from ingest.core.errors import PayloadRejected
from ingest.core.fetch_plan import Fetch, Members, Request
from ingest.core.records import Parsed
from ingest.core.source import Source
from ingest.prices.offers import PriceOffer, currency_of, settled

BASE_URL = "https://dstack-gpu-pricing.s3.eu-west-1.amazonaws.com/v3"
PROVIDERS = (
    "aws", "azure", "cloudrift", "gcp", "lambdalabs", "nebius", "oci", "runpod", "verda",
)  # fmt: skip
"""Providers whose catalog is published; gpuhunt asks all others live, mostly with keys."""

MAX_CSV_BYTES = 128 << 20
_VERSION, _ZIP = "version", "catalog.zip"
_VERSION_WORD = re.compile(r"(\d{8})(?:-\d{1,12})?")
_COLUMNS = ("instance_name", "location", "price", "gpu_count", "gpu_name", "gpu_memory", "spot")
_HOME = "https://github.com/dstackai/gpuhunt"
_LOOK = "compare with the provider's own list; gpuhunt's collector of this provider made the line"

# one price for the whole world, repeated by location
_FLAT = frozenset({"lambdalabs", "runpod"})
# sizes that hold a part of one GPU, though gpu_count says 1
_FRACTIONS = {
    "aws": re.compile(r"(g6f|gr6f)\..*"),
    "azure": re.compile(r"Standard_NV((6|12|18)ads_A10_v5|(4|8|12)ads_V710_v5|(4|8|16)as_v4)"),
    "gcp": re.compile(r"g4-standard-(6|12|24)"),
}
_DATA_CENTRE = re.compile(
    r"[A-Z]+-[A-Z]+-\d+"
)  # RunPod's secure cloud; the community cloud has country codes


def _version(answer: bytes, where: str) -> tuple[str, datetime]:
    """The version word and the day it names.

    Raises:
        PayloadRejected: it is not of the form ``20260718-1234``; nothing else may become part of a URL.
    """
    try:
        word = answer[:64].decode("ascii").strip()
        match = _VERSION_WORD.fullmatch(word)
        if match:
            return word, datetime.strptime(match[1], "%Y%m%d").replace(tzinfo=UTC)
    except ValueError:
        pass
    raise PayloadRejected(
        payload=where,
        problem=f"{answer[:40]!r} is no catalog version such as 20260718-1234",
        remedy="look whether gpuhunt publishes its catalogs elsewhere now",
    )


def _fetch(provider: str) -> Fetch:
    def follow(request: Request, answer: bytes) -> Request | None:
        if request.member != _VERSION:
            return None
        word, _ = _version(answer, request.url)
        return Request(url=f"{BASE_URL}/{provider}/{word}/{_ZIP}", member=_ZIP)

    first = Request(url=f"{BASE_URL}/{provider}/{_VERSION}", member=_VERSION)
    return Fetch(key=provider, first=first, follow=follow, max_requests=2)


def plan(environment: Mapping[str, str]) -> Sequence[Fetch]:
    """One chain of two requests a provider; its key is the provider."""
    return [_fetch(provider) for provider in PROVIDERS]


def _table(file: BinaryIO, provider: str) -> str:
    """The text of ``<provider>.csv`` in the zip. No size the archive states is believed.

    Raises:
        PayloadRejected: no zip, damaged, without that file, or larger than `MAX_CSV_BYTES` unpacked.
    """
    name = f"{provider}.csv"

    def rejected(problem: str) -> PayloadRejected:
        return PayloadRejected(
            payload=_ZIP, problem=problem, remedy="fetch it again; if it stays so, look at gpuhunt's releases"
        )

    try:
        with zipfile.ZipFile(io.BytesIO(file.read())) as archive, archive.open(name) as member:
            unpacked = member.read(MAX_CSV_BYTES + 1)
    except KeyError:
        raise rejected(f"holds no {name}") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError) as e:
        # RuntimeError: encrypted, or a compression nobody here can undo
        raise rejected(f"is no zip archive that can be read ({e})") from e
    if len(unpacked) > MAX_CSV_BYTES:
        raise rejected(f"{name} is larger than {MAX_CSV_BYTES} bytes unpacked")
    try:
        return unpacked.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        raise rejected(f"{name} is not UTF-8 (byte {e.start})") from e


def parse(members: Members, *, key: str) -> Parsed[PriceOffer]:
    """Offers of one provider's catalog.

    Args:
        members: ``version`` and ``catalog.zip``; the version's day is when the prices were observed.
        key: the provider, with anything after an ``@``.

    Raises:
        PayloadRejected: a member is missing or is not what it should be.
    """
    provider = key.partition("@")[0]
    observed_at: datetime | None = None
    text: str | None = None
    for name, file in members:
        if name == _VERSION:
            _, observed_at = _version(file.read(), name)
        elif name == _ZIP:
            text = _table(file, provider)
    if text is None or observed_at is None:
        missing = _ZIP if text is None else _VERSION
        raise PayloadRejected(payload=key, problem=f"holds no {missing}", remedy="fetch it again")
    return _read(text, provider=provider, observed_at=observed_at)


def _read(text: str, *, provider: str, observed_at: datetime) -> Parsed[PriceOffer]:
    parsed: Parsed[PriceOffer] = Parsed(payload=_ZIP, remedy=_LOOK)
    offers: list[dict[str, Any]] = []
    table = f"{provider}.csv"
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = next(reader, [])
        if missing := [name for name in _COLUMNS if name not in header]:
            raise PayloadRejected(
                payload=_ZIP,
                problem=f"{table} lacks the columns {', '.join(missing)}",
                remedy="compare with the columns gpuhunt writes now",
            )
        for row in reader:
            if not row:
                continue
            parsed.read()
            record = f"{table}, line {reader.line_num}"
            if len(row) != len(header):
                offer_or_problem: dict[str, Any] | str = (
                    f"has {len(row)} cells where the header has {len(header)}"
                )
            else:
                cells = dict(zip(header, map(str.strip, row), strict=True))
                if reason := _left_out(cells, provider):
                    parsed.out_of_scope(reason)
                    continue
                offer_or_problem = _offer(cells, provider)
            if isinstance(offer_or_problem, str):
                parsed.reject(record, offer_or_problem)
            else:
                offers.append(offer_or_problem | {"record": record, "member": _ZIP})
    except csv.Error as e:
        raise PayloadRejected(
            payload=_ZIP,
            problem=f"{table}, line {reader.line_num} is no CSV ({e})",
            remedy="fetch it again; the upload did not finish",
        ) from e
    for offer in _without_places(offers) if provider in _FLAT else offers:
        parsed.add(
            PriceOffer(
                **offer,
                source=SOURCE.name,
                provider_published=provider,
                observed_at=observed_at,
                observed_precision="day",
                source_url=_HOME,
            )
        )
    return settled(parsed, f"gpuhunt {provider}")


def _left_out(cells: Mapping[str, str], provider: str) -> str | None:
    if values.number(cells["gpu_count"]) == 0:
        return "no accelerator"
    if "gcp-dws-calendar-mode" in cells.get("flags", "").split():
        return "reserved for dates ahead (GCP calendar mode)"
    fraction = _FRACTIONS.get(provider)
    if fraction and fraction.fullmatch(cells["instance_name"]):
        return "a fraction of an accelerator"
    return None


def _offer(cells: Mapping[str, str], provider: str) -> dict[str, Any] | str:
    """What the line offers, or what is wrong with it."""
    name, gpu, spot = cells["instance_name"], cells["gpu_name"], cells["spot"].lower()
    price, counted = values.number(cells["price"]), values.number(cells["gpu_count"])
    if not name:
        return "has no instance_name"
    if counted is None or counted < 0:
        return f"{name} has gpu_count {cells['gpu_count']!r}"
    if price is None or price <= 0:
        return f"price of {name} is {cells['price']!r}, which is no price"
    if spot not in ("true", "false"):
        return f"spot of {name} is {cells['spot']!r}, neither True nor False"
    # older catalogs mark a TPU by its name only
    is_tpu = cells.get("gpu_vendor") == "google" or gpu.startswith("tpu-")
    memory = values.number(cells["gpu_memory"])
    try:
        currency = currency_of("USD", cells)
    except ValueError as e:
        return str(e)
    offer: dict[str, Any] = {
        "instance_type": name,
        "region": cells["location"] or None,
        "pricing_model": "spot" if spot == "true" else "on_demand",
        "price": price,
        "price_published": cells["price"],
        "price_unit": "instance_hour",
        "currency": currency,
        "accelerator_published": gpu or None,
        "accelerator_memory_gb": memory if memory and not is_tpu else None,
        "accelerator_count": None if is_tpu else counted,
        "vcpus": values.number(cells.get("cpu")),
        "memory_gb": values.number(cells.get("memory")),
    }
    if provider == "gcp" and name.startswith("n1-"):
        offer["instance_type"] = f"{name} with {counted:g}x {gpu}"
    if provider == "runpod":
        is_cluster = "runpod-cluster" in cells.get("flags", "").split()
        is_secure = _DATA_CENTRE.fullmatch(cells["location"]) is not None
        offer |= {
            "price": round(price / counted, 6),
            "price_published": f"{cells['price']} for {counted:g}",
            "price_unit": "accelerator_hour",
            "accelerator_count": 1.0,
            "vcpus": None,
            "memory_gb": None,
            "variant": "cluster" if is_cluster else "secure" if is_secure else "community",
        }
        if not is_secure and offer["pricing_model"] == "on_demand":
            offer["pricing_model"] = "marketplace"  # the community cloud is one of hosts
    return offer


def _without_places(offers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The offers of a provider with one price for the world: no region where all of a type's lines agree."""
    prices: dict[tuple[Any, ...], set[float]] = defaultdict(set)
    for offer in offers:
        prices[_type(offer)].add(offer["price"])
    return [offer | {"region": None} if len(prices[_type(offer)]) == 1 else offer for offer in offers]


def _type(offer: Mapping[str, Any]) -> tuple[Any, ...]:
    return (offer["instance_type"], offer["pricing_model"], offer.get("variant"), offer["accelerator_count"])


SOURCE = Source(
    name="gpuhunt-catalog",
    title="gpuhunt catalogs",
    home_url=_HOME,
    licence="MPL-2.0 (gpuhunt); the catalogs state none",
    licence_note="Prices from the catalogs published by gpuhunt (github.com/dstackai/gpuhunt).",
    limit_bytes=32 << 20,
    plan=plan,
    parse=parse,
    has_dated_rows=True,
    rank=2,
)
