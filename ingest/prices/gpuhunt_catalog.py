"""The catalogs dstack's gpuhunt publishes: one zipped CSV a provider, made by program from the providers' interfaces.

A second source beside the providers' own lists. Two requests: the version word, then the catalog of that version
(layout and columns as gpuhunt 0.1.34 writes them, checked 2026-11-21). The price is $/h per instance.

The file is read here and not by gpuhunt itself: its loader is internal, skips lines it cannot read with no more than a
log message, and would lose records that have to be accounted for. So the library (MPL-2.0) is no dependency.

- gpuhunt fills in what it does not know: a TPU slice has one "GPU", so has a fraction of a GPU.
- RunPod's instance name is the GPU's id, for every number of GPUs: there the price is given per accelerator.
- A GCP N1 machine is one name with any GPU attached: the GPU is made part of the instance type.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from ingest.core import values
from ingest.core.csv_table import CsvLine, read_csv, unzip_csv
from ingest.core.errors import PayloadRejected
from ingest.core.fetch_plan import Fetch, Members, Request
from ingest.core.records import OutOfScope, Parsed
from ingest.core.source import Source
from ingest.prices.offers import (
    A_FRACTION,
    PriceOffer,
    currency_of,
    read_price,
    require_whole,
    settled,
    without_places,
)

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
_FLAT = frozenset({"lambdalabs", "oci", "runpod"})
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


def parse(members: Members, *, key: str) -> Parsed[PriceOffer]:
    """Offers of one provider's catalog.

    Args:
        members: ``version`` and ``catalog.zip``; the version's day is when the prices were observed.
        key: the provider, with anything after an ``@``.

    Raises:
        PayloadRejected: a member is missing or is not what it should be.
    """
    provider = key.partition("@")[0]
    files = {name: file.read() for name, file in members}
    if missing := {_VERSION, _ZIP} - files.keys():
        raise PayloadRejected(payload=key, problem=f"holds no {missing.pop()}", remedy="fetch it again")
    _, observed_at = _version(files[_VERSION], _VERSION)
    table = f"{provider}.csv"
    _, content = unzip_csv(io.BytesIO(files[_ZIP]), _ZIP, ending=table, limit_bytes=MAX_CSV_BYTES)
    parsed: Parsed[PriceOffer] = Parsed(payload=_ZIP, remedy=_LOOK)
    for line in read_csv(content, _ZIP, _COLUMNS):
        record = f"{table}, line {line.number}"
        parsed.read()
        with parsed.catch(record):
            parsed.add(
                PriceOffer(
                    source=SOURCE.name,
                    provider_published=provider,
                    observed_at=observed_at,
                    observed_precision="day",
                    source_url=_HOME,
                    member=_ZIP,
                    record=record,
                    **_offer(line, provider),
                )
            )
    parsed.rows = without_places(parsed.rows, is_flat=provider in _FLAT)
    return settled(parsed, f"gpuhunt {provider}")


def _require_scope(line: CsvLine, provider: str) -> None:
    """Raise `OutOfScope` for what is no whole accelerator that can be had now."""
    if values.number(line["gpu_count"]) == 0:
        raise OutOfScope("no accelerator")
    if "gcp-dws-calendar-mode" in line["flags"].split():
        raise OutOfScope("reserved for dates ahead (GCP calendar mode)")
    fraction = _FRACTIONS.get(provider)
    if fraction and fraction.fullmatch(line["instance_name"]):
        raise OutOfScope(A_FRACTION)
    require_whole(line["instance_name"], line["gpu_name"])


def _offer(line: CsvLine, provider: str) -> dict[str, Any]:
    """Return the fields of `PriceOffer` that a line states; raise `OutOfScope`, or `ValueError` if it is wrong."""
    _require_scope(line, provider)
    name, gpu, spot = line["instance_name"], line["gpu_name"], line["spot"].lower()
    counted = values.number(line["gpu_count"])
    if not name:
        raise ValueError("has no instance_name")
    if counted is None or counted < 0:
        raise ValueError(f"{name} has gpu_count {line['gpu_count']!r}")
    price = read_price(line["price"], f"price of {name}")
    if spot not in ("true", "false"):
        raise ValueError(f"spot of {name} is {line['spot']!r}, neither True nor False")
    # older catalogs mark a TPU by its name only
    is_tpu = line["gpu_vendor"] == "google" or gpu.startswith("tpu-")
    memory = values.number(line["gpu_memory"])
    offer: dict[str, Any] = {
        "instance_type": name,
        "region": line["location"] or None,
        "pricing_model": "spot" if spot == "true" else "on_demand",
        "price": price,
        "price_published": line["price"],
        "price_unit": "instance_hour",
        "currency": currency_of("USD", line.cells),
        "accelerator_published": gpu or None,
        "accelerator_memory_gb": memory if memory and not is_tpu else None,
        "accelerator_count": None if is_tpu else counted,
        "vcpus": values.number(line["cpu"]),
        "memory_gb": values.number(line["memory"]),
    }
    if provider == "gcp" and name.startswith("n1-"):
        offer["instance_type"] = f"{name} with {counted:g}x {gpu}"
    if provider == "runpod":
        is_cluster = "runpod-cluster" in line["flags"].split()
        is_secure = _DATA_CENTRE.fullmatch(line["location"]) is not None
        offer |= {
            "price": round(price / counted, 6),
            "price_published": f"{line['price']} for {counted:g}",
            "price_unit": "accelerator_hour",
            "accelerator_count": 1.0,
            "vcpus": None,
            "memory_gb": None,
            "variant": "cluster" if is_cluster else "secure" if is_secure else "community",
        }
        if not is_secure and offer["pricing_model"] == "on_demand":
            offer["pricing_model"] = "marketplace"  # the community cloud is one of hosts
    return offer


SOURCE = Source(
    name="gpuhunt-catalog",
    title="gpuhunt catalogs",
    home_url=_HOME,
    licence="MPL-2.0 (gpuhunt); the catalogs state none",
    limit_bytes=32 << 20,
    plan=plan,
    parse=parse,
    parser_version=2,
    has_dated_rows=True,
    rank=2,
)
