"""SKUs of Google's billing catalogue as hourly rates of what they sell: GPUs, cores, RAM, local SSD and TPU chips."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

from ingest.core.records import OutOfScope
from ingest.prices.offers import read_moment

NAME = "gcp-billing-catalog"

HOURS_A_MONTH = Decimal(730)  # Google's month, by which it turns monthly prices of disks into hourly ones

# The whole of a description except purchase model and region: no part of a name is matched, since "A3" begins
# "A3Plus" and DWS, calendar-mode, sole-tenancy and custom SKUs all repeat the names of the ordinary ones.
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
OLD_TPU_TYPES = {
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


class SkuPart(NamedTuple):
    """What a SKU sells: ``("gpu", "H100")``, ``("core", "A3")``, ``("ram", "A3")``, ``("ssd", "")``, ``("tpu", …)``."""

    kind: str
    name: str
    variant: str | None = None  # of a TPU: ``device`` or ``pod``

    def __str__(self) -> str:
        return f"{self.kind} {self.name}".strip()


@dataclass(frozen=True)
class HourlyRate:
    """What one SKU costs per hour and piece (GPU, core, TPU chip) or GiB."""

    sku: str
    member: str
    index: int  # of the SKU in the payload
    sold: str  # the source's words
    hourly: Decimal
    said: str  # the source's number, and what makes it hourly
    currency: str
    starts_at: datetime | None


@dataclass
class HourlyRates:
    """Rates by part, pricing model and region; knows which SKUs were asked for."""

    by_part: dict[tuple[SkuPart, str, str], list[HourlyRate]] = field(
        default_factory=lambda: defaultdict(list)
    )
    used: set[int] = field(default_factory=set)

    def one(self, part: SkuPart, model: str, region: str) -> HourlyRate:
        """The rate of a part.

        Raises:
            ValueError: there is none, or SKUs of the same part have different prices.
        """
        rates = self.by_part.get((part, model, region), [])
        self.used.update(rate.index for rate in rates)
        if not rates:
            raise ValueError(f"no {model} price of {part} in {region}")
        if len({(rate.hourly, rate.currency) for rate in rates}) > 1:
            said = ", ".join(f"{rate.said} (sku {rate.sku})" for rate in rates)
            raise ValueError(f"{part} has {len(rates)} {model} prices in {region}: {said}")
        return rates[0]


def sku_part(
    sku: dict[str, Any], member: str, new_names: dict[str, tuple[str, str, str]]
) -> tuple[SkuPart, str]:
    """What a SKU sells, and by which pricing model.

    Raises:
        OutOfScope: nothing that a price here is made of. A GPU or TPU of a name never seen is noted in `new_names`.
        ValueError: it has no description or category.
    """
    description, category = sku.get("description"), sku.get("category")
    if not isinstance(description, str) or not isinstance(category, dict):
        raise ValueError("a SKU without description or category")
    if _OTHER_TERMS.search(description):
        raise OutOfScope("Dynamic Workload Scheduler, calendar mode or reservation")
    usage, group = category.get("usageType"), category.get("resourceGroup")
    if old := _OLD_TPU.search(description):
        lower = description.lower()
        variant = "pod" if re.search(r"\bpod\b", lower) else "device"
        years = re.search(r"(\d+) year", lower)
        model = _model("commitment" in lower, years and years[1], "preemptible" in lower, usage)
        name = OLD_TPU_TYPES.get((old[1], variant))
        if name is None:
            raise OutOfScope("TPU without a machine type here")
        return SkuPart("tpu", name, variant), model

    said = _DESCRIPTION.fullmatch(description)
    what = said["what"] if said else description
    part = None
    if what in _GPUS:
        part = SkuPart("gpu", _GPUS[what])
    elif what in _TPUS:
        part = SkuPart("tpu", _TPUS[what])
    elif core := _CORE.fullmatch(what):
        part = SkuPart("core", core[1].replace(" ", ""))
    elif ram := _RAM.fullmatch(what):
        part = SkuPart("ram", ram[1].replace(" ", ""))
    elif what in _LOCAL_SSD:
        part = SkuPart("ssd", "")
    if part and said:
        is_spot = bool(said["spot"] or said["attached"])
        return part, _model(bool(said["commitment"]), said["years"], is_spot, usage)

    if group not in ("GPU", "TPU"):
        raise OutOfScope("no part of an accelerator machine")
    if "Sole Tenancy" in description:
        raise OutOfScope("sole tenancy")
    if _ATTACHED_GPU.search(description):
        raise OutOfScope("GPU attached to machines of any size")
    problem = f"{what!r} is no accelerator known here: machines with it have no price"
    new_names.setdefault(what, (member, f"sku {sku['skuId']}", problem))
    raise OutOfScope("accelerator without a machine type here")


def _model(is_commitment: bool, years: str | None, is_spot: bool, usage: object) -> str:
    """The pricing model. Spot is what the description calls so, since some spot SKUs are typed OnDemand."""
    if is_commitment:
        if years not in _COMMITMENTS:
            raise OutOfScope("commitment of another length")
        expected, model = _COMMITMENTS[years]
        allowed: tuple[str, ...] = (expected,)
    else:
        model = "spot" if is_spot else "on_demand"
        allowed = ("Preemptible", "OnDemand") if is_spot else ("OnDemand",)
    if usage not in allowed:
        raise OutOfScope("usage type contradicts the description")
    return model


def sku_rate(sku: dict[str, Any], part: SkuPart, member: str, index: int) -> HourlyRate:
    """The price of a SKU per hour and piece, or per hour and GiB; raise `ValueError` if it cannot be trusted."""
    infos = sku.get("pricingInfo")
    if not isinstance(infos, list) or len(infos) != 1 or not isinstance(infos[0], dict):
        raise ValueError(f"{part} should have one pricingInfo, it has {str(infos)[:60]!r}")
    expression = infos[0].get("pricingExpression")
    tiers = expression.get("tieredRates") if isinstance(expression, dict) else None
    if not isinstance(tiers, list) or len(tiers) != 1 or not isinstance(tiers[0], dict):
        raise ValueError(f"{part} should have one rate, it has {str(tiers)[:60]!r}")
    amount = tiers[0].get("unitPrice")
    unit = expression.get("usageUnit") if isinstance(expression, dict) else None
    units = _UNITS.get(part.kind, _UNITS["piece"])
    if not isinstance(unit, str) or unit not in units:
        raise ValueError(f"{part} is priced per {unit!r}, not per {' or '.join(units)}")
    if not isinstance(amount, dict):
        raise ValueError(f"unitPrice of {part} is {amount!r}")
    # units is a string of whole money, nanos a number of billionths; Google leaves out what is zero
    whole, nanos, currency = str(amount.get("units", "0")), amount.get("nanos", 0), amount.get("currencyCode")
    if (
        not re.fullmatch(r"\d{1,7}", whole, re.ASCII)
        or isinstance(nanos, bool)
        or not isinstance(nanos, int)
        or not 0 <= nanos < 10**9
    ):
        raise ValueError(f"unitPrice of {part} is {amount!r}")
    price = Decimal(whole) + Decimal(nanos).scaleb(-9)
    if price == 0:
        raise ValueError(f"the price of {part} is 0")
    if not isinstance(currency, str) or not re.fullmatch(r"[A-Z]{3}", currency):
        raise ValueError(f"currencyCode of {part} is {currency!r}")

    hourly, said = price * units[unit], plain_decimal(price)
    if unit == "GiBy.mo":
        said += f"/{HOURS_A_MONTH}"
    elif unit == "GBy.h":
        said += " per GB"
    if part.variant:
        hourly, said = hourly / _CHIPS_OF_DEVICE, f"{said} per {_CHIPS_OF_DEVICE} chips"
    return HourlyRate(
        sku=str(sku["skuId"]),
        member=member,
        index=index,
        sold=str(sku["description"]),
        hourly=hourly,
        said=said,
        currency=currency,
        starts_at=read_moment(infos[0].get("effectiveTime"), f"effectiveTime of {part}"),
    )


def sku_regions(sku: dict[str, Any]) -> list[str]:
    """The regions a SKU is sold in; raise `ValueError` if it names none."""
    regions = sku.get("serviceRegions")
    if not isinstance(regions, list) or not regions or not all(isinstance(r, str) and r for r in regions):
        raise ValueError(f"serviceRegions is {str(regions)[:60]!r}")
    return list(dict.fromkeys(regions))


def plain_decimal(number: Decimal) -> str:
    """The number in digits, without an exponent."""
    return f"{number.normalize():f}"
