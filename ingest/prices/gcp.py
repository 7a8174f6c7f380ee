"""Google Cloud prices of accelerator machine types and TPUs, put together from the SKUs of the billing catalogue.

The catalogue has no price of a machine: it lists GPUs, cores, RAM and local SSD by region, and descriptions are the
only join to machine families (descriptions seen between June and October 2026). What a machine type is made of is
Google's table `MACHINES_URL`.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from ingest.errors import PayloadRejected, RecordRejected
from ingest.mlperf.records import Parsed
from ingest.prices.dated import is_dated
from ingest.prices.offers import HOURS_1Y, HOURS_3Y, Members, PriceOffer, settled
from ingest.prices.source import Fetch, PriceSource, Request, nothing_to_fetch
from ingest.urls import public_url

NAME, NAME_TPU = "gcp-billing-catalog", "gcp-tpu-price-page"
KEY_VARIABLE = "GCP_API_KEY"
API_URL = "https://cloudbilling.googleapis.com/v1/services"
SERVICES = {"compute-engine": "6F81-5844-456A", "cloud-tpu": "E000-3F24-B8AA"}
PAGE_SIZE, MAX_PAGES = 5_000, 60

MACHINES_URL = "https://cloud.google.com/compute/docs/accelerator-optimized-machines"
GPU_PRICES_URL = "https://cloud.google.com/products/compute/pricing/accelerator-optimized"
TPU_PRICES_URL = "https://cloud.google.com/tpu/pricing"

HOURS_A_MONTH = Decimal(730)  # Google's month, by which it turns monthly prices of disks into hourly ones
_TERM_HOURS = {"reserved_1y": HOURS_1Y, "reserved_3y": HOURS_3Y}
_NOT_STARTABLE = "list price: cannot be started on demand"


class Machine(NamedTuple):
    """What a machine type is billed for; memory in GiB (Google writes GB), local SSD in GiB."""

    name: str
    gpu: str
    gpus: int
    family: str  # of its core and RAM SKUs; "" where the GPU's price covers the whole machine
    vcpus: int
    memory: int
    ssd: int  # attached whether wanted or not; disks that may be added are not counted
    is_startable: bool  # on demand, without a reservation


# Read from MACHINES_URL (2026). The B200 is sold as a "(1 gpu slice)" of an A4 with nothing else to bill. There are
# no SKUs of A4X (GB200, GB300): it has no list price.
MACHINES = (
    Machine("a2-highgpu-1g", "A100 40GB", 1, "A2", 12, 85, 0, True),
    Machine("a2-highgpu-2g", "A100 40GB", 2, "A2", 24, 170, 0, True),
    Machine("a2-highgpu-4g", "A100 40GB", 4, "A2", 48, 340, 0, True),
    Machine("a2-highgpu-8g", "A100 40GB", 8, "A2", 96, 680, 0, True),
    Machine("a2-megagpu-16g", "A100 40GB", 16, "A2", 96, 1360, 0, True),
    Machine("a2-ultragpu-1g", "A100 80GB", 1, "A2", 12, 170, 375, True),
    Machine("a2-ultragpu-2g", "A100 80GB", 2, "A2", 24, 340, 750, True),
    Machine("a2-ultragpu-4g", "A100 80GB", 4, "A2", 48, 680, 1500, True),
    Machine("a2-ultragpu-8g", "A100 80GB", 8, "A2", 96, 1360, 3000, True),
    Machine("a3-highgpu-1g", "H100", 1, "A3", 26, 234, 750, False),
    Machine("a3-highgpu-2g", "H100", 2, "A3", 52, 468, 1500, False),
    Machine("a3-highgpu-4g", "H100", 4, "A3", 104, 936, 3000, False),
    Machine("a3-highgpu-8g", "H100", 8, "A3", 208, 1872, 6000, True),
    Machine("a3-edgegpu-8g", "H100", 8, "A3", 208, 1872, 6000, True),
    Machine("a3-megagpu-8g", "H100 Mega", 8, "A3Plus", 208, 1872, 6000, True),
    Machine("a3-ultragpu-8g", "H200", 8, "A3Ultra", 224, 2952, 12000, False),
    Machine("a4-highgpu-8g", "B200", 8, "", 224, 3968, 12000, False),
    Machine("g2-standard-4", "L4", 1, "G2", 4, 16, 0, True),
    Machine("g2-standard-8", "L4", 1, "G2", 8, 32, 0, True),
    Machine("g2-standard-12", "L4", 1, "G2", 12, 48, 0, True),
    Machine("g2-standard-16", "L4", 1, "G2", 16, 64, 0, True),
    Machine("g2-standard-24", "L4", 2, "G2", 24, 96, 0, True),
    Machine("g2-standard-32", "L4", 1, "G2", 32, 128, 0, True),
    Machine("g2-standard-48", "L4", 4, "G2", 48, 192, 0, True),
    Machine("g2-standard-96", "L4", 8, "G2", 96, 384, 0, True),
    Machine("g4-standard-48", "RTX PRO 6000", 1, "G4", 48, 180, 0, True),
    Machine("g4-standard-96", "RTX PRO 6000", 2, "G4", 96, 360, 0, True),
    Machine("g4-standard-192", "RTX PRO 6000", 4, "G4", 192, 720, 0, True),
    Machine("g4-standard-384", "RTX PRO 6000", 8, "G4", 384, 1440, 0, True),
)

# The whole of a description but for how and where: nothing is matched by a part of a name, since "A3" begins "A3Plus"
# and DWS, calendar-mode, sole-tenancy and custom SKUs all repeat the names of the ordinary ones.
_GPUS = {
    "Nvidia Tesla A100 GPU": "A100 40GB",
    "Nvidia Tesla A100 80GB GPU": "A100 80GB",
    "Nvidia A100 80GB GPU": "A100 80GB",
    "Nvidia H100 80GB GPU": "H100",
    # one GPU under three names, by region
    "Nvidia H100 80GB Mega GPU": "H100 Mega",
    "Nvidia H100 Mega 80GB GPU": "H100 Mega",
    "Nvidia H100 80GB Plus GPU": "H100 Mega",
    "H200 141GB GPU": "H200",
    "Nvidia H200 141GB GPU": "H200",
    "A4 Nvidia B200 (1 gpu slice)": "B200",
    "Nvidia L4 GPU": "L4",
    "RTX 6000 96GB": "RTX PRO 6000",
}
# TPUs of Compute Engine, priced per chip -> the smallest machine type that holds them
_TPUS = {
    "TpuV5e": "ct5lp-hightpu-1t",
    "TpuV5p": "ct5p-hightpu-1t",
    "TpuV6e": "ct6e-standard-1t",
    "TPU7x": "tpu7x-standard-4t",
}
# The older service prices a device of 4 chips (v2-8: US$4.50, that is 1.125 a chip), pods likewise by 8 cores
_OLD_TPU = re.compile(r"TPU-?v([234])\b", re.IGNORECASE)
_CHIPS_OF_DEVICE = 4
_OLD_TPU_TYPES = {
    ("2", "device"): "v2-8",
    ("2", "pod"): "v2-32",
    ("3", "device"): "v3-8",
    ("3", "pod"): "v3-32",
    ("4", "pod"): "v4-8",  # v4 has one price, said of pods
}
# GPUs one attaches to a machine of any size: they have no machine price
_ATTACHED_GPU = re.compile(r"(K80|P4|P100|V100|T4)\b.*GPU", re.IGNORECASE)

_DESCRIPTION = re.compile(
    r"(?P<commitment>Commitment v1: )?(?P<spot>Spot Preemptible )?(?P<what>.+?)"
    r"(?P<attached> attached to Spot Preemptible VMs?)?(?: (?:running )?in [^(]+?)?"
    r"(?: for (?P<years>\d+) Years?)?",
    re.IGNORECASE,
)
_CORE = re.compile(r"(A2|A3|A3 ?Plus|A3 ?Ultra|G2|G4) (?:Instance )?(?:Core|Cpu)")
_RAM = re.compile(r"(A2|A3|A3 ?Plus|A3 ?Ultra|G2|G4) (?:Instance )?Ram")
_LOCAL_SSD = ("SSD backed Local Storage", "Local SSD")
_OTHER_TERMS = re.compile(r"\bDWS\b|Defined Duration|Calendar Mode|^Reserved\b", re.IGNORECASE)
_COMMITMENTS = {"1": ("Commit1Yr", "reserved_1y"), "3": ("Commit3Yr", "reserved_3y")}

# By what is sold: usageUnit -> what a price in it is multiplied by to be per hour and piece or GiB
_UNITS: dict[str, dict[str, Decimal]] = {
    "piece": {"h": Decimal(1)},
    "ram": {"GiBy.h": Decimal(1), "GBy.h": Decimal(2**30) / Decimal(10**9)},
    "ssd": {"GiBy.mo": 1 / HOURS_A_MONTH, "GiBy.h": Decimal(1)},
}


def plan(environment: Mapping[str, str]) -> Sequence[Fetch]:
    """Compute Engine and Cloud TPU, each a chain of pages; nothing without the key in `KEY_VARIABLE`."""
    api_key = environment.get(KEY_VARIABLE, "").strip()
    if not api_key:
        return []
    query = urlencode({"currencyCode": "USD", "pageSize": PAGE_SIZE, "key": api_key})
    return [
        Fetch(
            key=key,
            first=Request(url=f"{API_URL}/{service}/skus?{query}", member=_member(1)),
            follow=follow,
            max_requests=MAX_PAGES,
        )
        for key, service in SERVICES.items()
    ]


def _member(page: int) -> str:
    return f"page-{page:04}.json"


def follow(request: Request, answer: bytes) -> Request | None:
    """The request for the next page, None after the last one.

    Raises:
        PayloadRejected: the answer is no page of SKUs, or leads back to the page just asked.
    """
    token = _page(answer, public_url(request.url)).get("nextPageToken")
    if not token:
        return None
    parts = urlsplit(request.url)
    query = dict(parse_qsl(parts.query))
    if token == query.get("pageToken"):
        raise PayloadRejected(
            payload=public_url(request.url),
            problem="nextPageToken is the token of the page just asked: endless paging",
            remedy="look at the answer; if the paging of the API has changed, change ingest/prices/gcp.py",
        )
    number = int(re.sub(r"\D", "", request.member) or 1)
    url = urlunsplit(parts._replace(query=urlencode(query | {"pageToken": str(token)})))
    return Request(url=url, member=_member(number + 1))


def _page(body: bytes, where: str) -> dict[str, Any]:
    try:
        page = json.loads(body)
    except ValueError as e:
        page = e
    # an empty list is left out of Google's JSON: a last page may hold its (empty) token alone
    if (
        isinstance(page, dict)
        and isinstance(page.get("skus", []), list)
        and {"skus", "nextPageToken"} & set(page)
    ):
        return page
    raise PayloadRejected(
        payload=where,
        problem=f"an object with a list of skus was expected, this is {str(page)[:100]!r}",
        remedy="look at the answer: an error (is the key allowed to use the Cloud Billing API?) or a changed API",
    )


class _Unusable(ValueError):
    """Why a SKU or an offer cannot be trusted."""


class _NotOurs(Exception):
    """Why a SKU is no business of ours."""


class _Part(NamedTuple):
    """What a SKU sells: ``("gpu", "H100")``, ``("core", "A3")``, ``("ram", "A3")``, ``("ssd", "")``, ``("tpu", …)``."""

    kind: str
    name: str
    variant: str | None = None  # of a TPU: ``device`` or ``pod``

    def __str__(self) -> str:
        return f"{self.kind} {self.name}".strip()


@dataclass(frozen=True)
class _Rate:
    """What one SKU costs per hour and piece (GPU, core, TPU chip) or GiB."""

    sku: str
    member: str
    index: int  # of the SKU in the payload
    sold: str  # the source's words
    hourly: Decimal
    said: str  # the source's number, and what makes it hourly
    currency: str


@dataclass
class _Rates:
    """Rates by part, pricing model and region; knows which SKUs were asked for."""

    by_part: dict[tuple[_Part, str, str], list[_Rate]] = field(default_factory=lambda: defaultdict(list))
    used: set[int] = field(default_factory=set)

    def one(self, part: _Part, model: str, region: str) -> _Rate:
        """The rate of a part.

        Raises:
            _Unusable: there is none, or SKUs of the same part have different prices.
        """
        rates = self.by_part.get((part, model, region), [])
        self.used.update(rate.index for rate in rates)
        if not rates:
            raise _Unusable(f"no {model} price of {part} in {region}")
        if len({(rate.hourly, rate.currency) for rate in rates}) > 1:
            said = ", ".join(f"{rate.said} (sku {rate.sku})" for rate in rates)
            raise _Unusable(f"{part} has {len(rates)} {model} prices in {region}: {said}")
        return rates[0]


def parse(members: Members, *, key: str) -> Parsed[PriceOffer]:
    """Machine types and TPUs by region: on demand, spot, and commitments of one and three years.

    Records are the SKUs and, besides, every offer attempted: a machine type (or TPU) in each region and pricing model
    in which its accelerator has a price. So ``records_in`` is SKUs + attempts: a SKU that took part in an attempt is
    `merged`; an attempt becomes a row, or a reject that names the part without a price.

    A commitment is billed hourly, without upfront. The list tells prices, not what can be had: where Google does not
    start a type on demand, its list price is marked so and is not available. A row names its SKUs in `record`;
    `member` is the page of the accelerator's. TPUs are priced per chip, v2 to v4 apart as device and as pod.

    Args:
        members: the pages.
        key: service; not needed to read them.

    Raises:
        PayloadRejected: a page is no answer of the API.
    """
    parsed: Parsed[PriceOffer] = Parsed()
    left_out: Counter[str] = Counter()
    rates = _Rates()
    new_names: dict[str, RecordRejected] = {}
    read: set[int] = set()
    page: dict[str, Any] = {}
    member = ""
    for member, file in members:
        page = _page(file.read(), member or NAME)
        for i, sku in enumerate(page.get("skus", [])):
            parsed.records_in += 1
            record = f"skus[{i}]"
            try:
                if not isinstance(sku, dict) or not sku.get("skuId"):
                    raise _Unusable(f"a SKU was expected, this is {str(sku)[:60]!r}")
                record = f"sku {sku['skuId']}"
                part, model = _part(sku, member, new_names)
                rate = _rate(sku, part, member, parsed.records_in)
                for region in _regions(sku):
                    rates.by_part[part, model, region].append(rate)
                read.add(rate.index)
            except _NotOurs as e:
                left_out[str(e)] += 1
            except ValueError as e:
                parsed.rejects.append(_rejected(member, record, str(e)))
    parsed.remarks.extend(new_names.values())
    if page.get("nextPageToken"):
        problem = "the last page says that more follow, and they are not here"
        parsed.remarks.append(_rejected(member, "nextPageToken", problem))

    offers = _offers(rates, parsed)
    parsed.rows = _plausible(offers, parsed)
    parsed.merged = len(rates.used)
    if idle := len(read - rates.used):
        left_out["part of machines whose GPU has no price there"] += idle
    parsed.left_out = dict(left_out)
    return settled(parsed, NAME)


def _rejected(member: str, record: str, problem: str, payload: str = NAME) -> RecordRejected:
    return RecordRejected(
        payload=member or payload,
        record=record,
        problem=problem,
        remedy="look at the record; if it is right, teach ingest/prices/gcp.py to read it",
    )


def _part(sku: dict[str, Any], member: str, new_names: dict[str, RecordRejected]) -> tuple[_Part, str]:
    """What a SKU sells, and by which pricing model.

    Raises:
        _NotOurs: nothing that a price here is made of. A GPU or TPU of a name never seen is noted in `new_names`.
        _Unusable: it has no description or category.
    """
    description, category = sku.get("description"), sku.get("category")
    if not isinstance(description, str) or not isinstance(category, dict):
        raise _Unusable("a SKU without description or category")
    if _OTHER_TERMS.search(description):
        raise _NotOurs("Dynamic Workload Scheduler, calendar mode or reservation")
    usage, group = category.get("usageType"), category.get("resourceGroup")
    if old := _OLD_TPU.search(description):
        lower = description.lower()
        variant = "pod" if re.search(r"\bpod\b", lower) else "device"
        years = re.search(r"(\d+) year", lower)
        model = _model("commitment" in lower, years and years[1], "preemptible" in lower, usage)
        name = _OLD_TPU_TYPES.get((old[1], variant))
        if name is None:
            raise _NotOurs("TPU without a machine type here")
        return _Part("tpu", name, variant), model

    said = _DESCRIPTION.fullmatch(description)
    what = said["what"] if said else description
    part = None
    if what in _GPUS:
        part = _Part("gpu", _GPUS[what])
    elif what in _TPUS:
        part = _Part("tpu", _TPUS[what])
    elif core := _CORE.fullmatch(what):
        part = _Part("core", core[1].replace(" ", ""))
    elif ram := _RAM.fullmatch(what):
        part = _Part("ram", ram[1].replace(" ", ""))
    elif what in _LOCAL_SSD:
        part = _Part("ssd", "")
    if part and said:
        is_spot = bool(said["spot"] or said["attached"])
        return part, _model(bool(said["commitment"]), said["years"], is_spot, usage)

    if group not in ("GPU", "TPU"):
        raise _NotOurs("no part of an accelerator machine")
    if "Sole Tenancy" in description:
        raise _NotOurs("sole tenancy")
    if _ATTACHED_GPU.search(description):
        raise _NotOurs("GPU attached to machines of any size")
    problem = f"{what!r} is no accelerator known here: machines with it have no price"
    new_names.setdefault(what, _rejected(member, f"sku {sku['skuId']}", problem))
    raise _NotOurs("accelerator without a machine type here")


def _model(is_commitment: bool, years: str | None, is_spot: bool, usage: object) -> str:
    """The pricing model. Spot is what the description calls so, since some spot SKUs are typed OnDemand."""
    if is_commitment:
        if years not in _COMMITMENTS:
            raise _NotOurs("commitment of another length")
        expected, model = _COMMITMENTS[years]
        allowed: tuple[str, ...] = (expected,)
    else:
        model = "spot" if is_spot else "on_demand"
        allowed = ("Preemptible", "OnDemand") if is_spot else ("OnDemand",)
    if usage not in allowed:
        raise _NotOurs("usage type contradicts the description")
    return model


def _rate(sku: dict[str, Any], part: _Part, member: str, index: int) -> _Rate:
    infos = sku.get("pricingInfo")
    if not isinstance(infos, list) or len(infos) != 1 or not isinstance(infos[0], dict):
        raise _Unusable(f"{part} should have one pricingInfo, it has {str(infos)[:60]!r}")
    expression = infos[0].get("pricingExpression")
    tiers = expression.get("tieredRates") if isinstance(expression, dict) else None
    if not isinstance(tiers, list) or len(tiers) != 1 or not isinstance(tiers[0], dict):
        raise _Unusable(f"{part} should have one rate, it has {str(tiers)[:60]!r}")
    amount = tiers[0].get("unitPrice")
    unit = expression.get("usageUnit") if isinstance(expression, dict) else None
    units = _UNITS.get(part.kind, _UNITS["piece"])
    if not isinstance(unit, str) or unit not in units:
        raise _Unusable(f"{part} is priced per {unit!r}, not per {' or '.join(units)}")
    if not isinstance(amount, dict):
        raise _Unusable(f"unitPrice of {part} is {amount!r}")
    # units is a string of whole money, nanos a number of billionths; Google leaves out what is zero
    whole, nanos, currency = str(amount.get("units", "0")), amount.get("nanos", 0), amount.get("currencyCode")
    if (
        not re.fullmatch(r"\d{1,7}", whole, re.ASCII)
        or isinstance(nanos, bool)
        or not isinstance(nanos, int)
        or not 0 <= nanos < 10**9
    ):
        raise _Unusable(f"unitPrice of {part} is {amount!r}")
    price = Decimal(whole) + Decimal(nanos).scaleb(-9)
    if price == 0:
        raise _Unusable(f"the price of {part} is 0")
    if not isinstance(currency, str) or not re.fullmatch(r"[A-Z]{3}", currency):
        raise _Unusable(f"currencyCode of {part} is {currency!r}")

    hourly, said = price * units[unit], _plain(price)
    if unit == "GiBy.mo":
        said += f"/{HOURS_A_MONTH}"
    elif unit == "GBy.h":
        said += " per GB"
    if part.variant:
        hourly, said = hourly / _CHIPS_OF_DEVICE, f"{said} per {_CHIPS_OF_DEVICE} chips"
    return _Rate(
        sku=str(sku["skuId"]),
        member=member,
        index=index,
        sold=str(sku["description"]),
        hourly=hourly,
        said=said,
        currency=currency,
    )


def _regions(sku: dict[str, Any]) -> list[str]:
    regions = sku.get("serviceRegions")
    if not isinstance(regions, list) or not regions or not all(isinstance(r, str) and r for r in regions):
        raise _Unusable(f"serviceRegions is {str(regions)[:60]!r}")
    return list(dict.fromkeys(regions))


def _plain(number: Decimal) -> str:
    return f"{number.normalize():f}"


def _offers(rates: _Rates, parsed: Parsed[PriceOffer]) -> list[PriceOffer]:
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
            parsed.records_in += 1
            first = rates.by_part[part, model, region][0]
            try:
                if machine:
                    offers.append(_machine_offer(machine, model, region, rates))
                else:
                    offers.append(_tpu_offer(part, model, region, rates))
            except _Unusable as e:
                name = machine.name if machine else part.name
                problem = f"{name} {model} in {region} has no price: {e}"
                parsed.rejects.append(_rejected(first.member, f"sku {first.sku}", problem))
    return offers


def _is_sold(machine: Machine, model: str) -> bool:
    # one, two or four GPUs of an A3 High cannot be reserved, so that no commitment applies to them
    return machine.is_startable or machine.gpus >= 8 or not model.startswith("reserved")


def _machine_offer(machine: Machine, model: str, region: str, rates: _Rates) -> PriceOffer:
    needs = [(_Part("gpu", machine.gpu), machine.gpus)]
    if machine.family:
        needs += [
            (_Part("core", machine.family), machine.vcpus),
            (_Part("ram", machine.family), machine.memory),
        ]
        if machine.ssd:
            needs.append((_Part("ssd", ""), machine.ssd))
    bill: list[tuple[_Rate, int]] = []
    problems = []
    for part, quantity in needs:
        try:
            bill.append((rates.one(part, model, region), quantity))
        except _Unusable as e:
            problems.append(str(e))
    if problems:
        raise _Unusable("; ".join(problems))
    gpu = bill[0][0]
    if len({rate.currency for rate, _ in bill}) > 1:
        raise _Unusable("its parts are priced in different currencies")
    return _offer(
        gpu,
        model,
        region,
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


def _tpu_offer(part: _Part, model: str, region: str, rates: _Rates) -> PriceOffer:
    rate = rates.one(part, model, region)
    return _offer(
        rate,
        model,
        region,
        instance_type=part.name,
        price=rate.hourly,
        price_published=rate.said,
        price_unit="accelerator_hour",
        source_url=TPU_PRICES_URL,
        record=f"sku {rate.sku}",
        variant=part.variant,
    )


def _offer(
    accelerator: _Rate,
    model: str,
    region: str,
    *,
    price: Decimal,
    is_listed_only: bool = False,
    **words: Any,
) -> PriceOffer:
    return PriceOffer(
        source=NAME,
        provider_published="gcp",
        region=region,
        pricing_model=model,
        purchase_option=_NOT_STARTABLE if is_listed_only else None,
        is_available=False if is_listed_only else None,
        price=float(price),
        currency=accelerator.currency,
        term_hours=_TERM_HOURS.get(model),
        accelerator_published=accelerator.sold,
        member=accelerator.member,
        **words,
    )


def _plausible(offers: Sequence[PriceOffer], parsed: Parsed[PriceOffer]) -> list[PriceOffer]:
    """The offers whose prices can stand beside each other; the others are rejected in `parsed`.

    The catalogue gives the one-year commitment in place of the price on demand for some TPU regions, so a price on
    demand that is not above it is none. Spot is a discount: where it is dearer, one of two prices is another's.
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
            problem = f"spot ({offer.price:g}) is dearer than on demand ({on_demand:g})"
        if problem:
            problem = f"{offer.instance_type} in {offer.region}: {problem}"
            parsed.rejects.append(_rejected(offer.member, offer.record, problem, offer.source))
        else:
            kept.append(offer)
    return kept


_PAGE_TPU = re.compile(r"TPU v(\w+?)(?: (pod|device))?")
_PAGE_TYPES = {"5e": "ct5lp-hightpu-1t", "5p": "ct5p-hightpu-1t", "6e": "ct6e-standard-1t"}
_PAGE_PRICES = {"On Demand (USD)": "on_demand", "Spot (USD)": "spot"}


def parse_tpu_page(members: Members, *, key: str) -> Parsed[PriceOffer]:
    """Offers of the TPU price page as curated in gpuhunt's ``tpu_pricing.json``: US$ per chip-hour.

    A record is one price, of a TPU in a region. A spot price dearer than the one on demand is rejected.

    Args:
        members: one JSON object: TPU -> region -> prices.
        key: must say when the page was read (``tpu@2024-12-23``): the file does not.

    Raises:
        PayloadRejected: it is no such object, or the key has no date.
    """
    parsed: Parsed[PriceOffer] = Parsed()
    left_out: Counter[str] = Counter()
    offers: list[PriceOffer] = []
    if not is_dated(key):
        raise PayloadRejected(
            payload=NAME_TPU,
            problem=f"the key {key!r} does not say when these prices were read, and the file does not either",
            remedy="land it under a key with a date, such as tpu@2024-12-23",
        )
    for member, file in members:
        for name, regions in _object(file.read(), member).items():
            if not isinstance(regions, dict):
                parsed.records_in += 1
                parsed.rejects.append(
                    _rejected(member, name, f"regions of {name!r} are {regions!r}", NAME_TPU)
                )
                continue
            for region, prices in regions.items():
                for words, model in _PAGE_PRICES.items():
                    parsed.records_in += 1
                    record = f"{name}.{region}.{words}"
                    price = prices.get(words) if isinstance(prices, dict) else prices
                    if price is None:
                        left_out["no price given"] += 1
                        continue
                    try:
                        offers.append(_page_offer(name, region, model, price, member, record))
                    except ValueError as e:
                        parsed.rejects.append(_rejected(member, record, str(e), NAME_TPU))
    parsed.rows = _plausible(offers, parsed)
    parsed.left_out = dict(left_out)
    return settled(parsed, NAME_TPU)


def _object(body: bytes, member: str) -> dict[str, Any]:
    try:
        table = json.loads(body)
    except ValueError as e:
        table = e
    if isinstance(table, dict) and any(str(name).startswith("TPU ") for name in table):
        return table
    raise PayloadRejected(
        payload=member or NAME_TPU,
        problem=f"an object of TPUs was expected, this is {str(table)[:100]!r}",
        remedy="look at the file; it should be gpuhunt's tpu_pricing.json",
    )


def _page_offer(name: str, region: str, model: str, price: object, member: str, record: str) -> PriceOffer:
    said = _PAGE_TPU.fullmatch(name)
    version, variant = (said[1], said[2]) if said else ("", None)
    instance_type = _OLD_TPU_TYPES.get((version, variant)) if variant else _PAGE_TYPES.get(version)
    if instance_type is None:
        raise _Unusable(f"{name!r} is no TPU known here")
    if isinstance(price, bool) or not isinstance(price, int | float) or not 0 < price < 1e7:
        raise _Unusable(f"the {model} price of {name} in {region} is {price!r}")
    return PriceOffer(
        source=NAME_TPU,
        provider_published="gcp",
        instance_type=instance_type,
        region=region,
        pricing_model=model,
        price=float(price),
        price_published=str(price),
        price_unit="accelerator_hour",
        currency="USD",
        source_url=TPU_PRICES_URL,
        member=member,
        record=record,
        variant=variant,
        accelerator_published=name,
    )


SOURCE = PriceSource(
    name=NAME,
    title="Google Cloud billing catalogue: accelerator machine types and TPUs",
    home_url="https://cloud.google.com/skus",
    licence="Google's published price list (Google Cloud terms)",
    licence_note="Google Cloud prices: from Google's published SKU prices; prices of machine types are sums of them.",
    limit_bytes=256 << 20,  # Compute Engine has tens of thousands of SKUs of some 2 kB
    plan=plan,
    parse=parse,
    needs=(KEY_VARIABLE,),
)

SOURCE_TPU = PriceSource(
    name=NAME_TPU,
    title="Google Cloud TPU price page, as curated in gpuhunt",
    home_url=TPU_PRICES_URL,
    licence="MPL-2.0 (gpuhunt's tpu_pricing.json); prices: Google's published price page",
    plan=nothing_to_fetch,
    parse=parse_tpu_page,
    rank=3,
    polls_to_close=0,
)
