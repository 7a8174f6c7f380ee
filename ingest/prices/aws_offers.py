"""Offers from the rates of an AWS price list: which products have accelerators and which rates are offers.

Every rate that is read is accounted for here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple

from ingest.core.errors import PayloadRejected
from ingest.core.records import Parsed
from ingest.prices.offers import HOURS_1Y, HOURS_3Y, PriceOffer, PricingModel, TimedOffer, read_moment

NAME = "aws-price-list"
HEAD_BYTES = 1 << 16
FETCH_AGAIN = "fetch it again; the download did not finish"
LOOK_UPSTREAM = "open its URL in a browser; if AWS has changed the format, change the reader of that format"

_INSTANCES = frozenset({"compute instance", "compute instance (bare metal)"})
_WITH_ACCELERATORS = frozenset({"gpu instance", "machine learning asic instances"})
_OTHER_ACCELERATION = frozenset({"fpga instances", "media accelerator instances"})
_AWS_OR_GAUDI_CHIPS = re.compile(r"(trn|inf|dl)[0-9]")
# Windows with its licence in the price says "No License required" too and differs by the operation alone;
# `:0002:box` and `:0800` are Windows without the price of its licence.
_OPERATION = {"linux": "RunInstances", "windows": "RunInstances:0002"}
_TERM_HOURS: dict[str, tuple[PricingModel, float]] = {
    "1yr": ("reserved_1y", HOURS_1Y),
    "3yr": ("reserved_3y", HOURS_3Y),
}
# purchase option → whether it costs by the hour, and upfront
_PAYS = {"No Upfront": (True, False), "Partial Upfront": (True, True), "All Upfront": (False, True)}
_OFFERING_CLASSES = ("standard", "convertible")

NOT_AN_INSTANCE = "not an instance (storage, transfer, dedicated host and others)"
NO_TYPE = "no instance type (free tier)"
NO_ACCELERATOR = "instance without accelerator"
FPGA_OR_MEDIA = "instance with FPGA or media accelerator"
NO_REGION_OFFER = "sold in a local zone, wavelength zone or outpost, not in a region"
NOT_SHARED = "dedicated or host tenancy"
RESERVATION = "capacity reservation, used or unused"
SOFTWARE = "with software in the price (SQL Server and others)"
OTHER_SYSTEM = "another operating system"
LICENCE = "licence brought along, or operating system without its licence"
OTHER_MARKET = "another market option or term type"
OTHER_OPERATION = "another operation (software or service in the price)"
NO_PRICE = "product without a price"


class ListedProduct(NamedTuple):
    """What is sold, in the words of the price list; "" where it states nothing."""

    family: str
    instance_type: str
    instance_family: str
    gpu: str
    gpu_memory: str
    location_type: str
    region: str
    tenancy: str
    capacity: str
    software: str
    operating_system: str
    licence_model: str
    operation: str
    market: str
    vcpus: str
    memory: str


class ListedRate(NamedTuple):
    """One price of a product under a term, in the words of the price list."""

    sku: str
    term: str
    code: str
    term_type: str
    unit: str
    price: str
    currency: str
    begin: str
    end: str
    lease: str
    option: str
    offering_class: str
    starts: str

    @property
    def record(self) -> str:
        """Where it stands: rate codes are unique in a list and stand in both its forms."""
        return f"rate code {self.code}" if self.code else f"sku {self.sku}, term {self.term} {self.unit}"


def without_accelerator(family: str, instance_type: str, instance_family: str, gpu: str) -> str | None:
    """Why records of this kind are out of scope; None when the instance holds accelerators.

    It does if the list states it: Instance Family is "GPU instance" or "Machine Learning ASIC Instances", or GPU is a
    number above zero; or if the type is of AWS's own chips or Gaudi (trn, inf, dl), whatever the family. FPGAs (f1,
    f2) and video encoders (vt1) are no accelerators here.
    """
    if family.strip().casefold() not in _INSTANCES:
        return NOT_AN_INSTANCE
    if not instance_type.strip():
        return NO_TYPE
    kind = instance_family.strip().casefold()
    if kind in _OTHER_ACCELERATION:
        return FPGA_OR_MEDIA
    if kind in _WITH_ACCELERATORS or _number(gpu) or _AWS_OR_GAUDI_CHIPS.match(instance_type.strip()):
        return None
    return NO_ACCELERATOR


def _out_of_scope(product: ListedProduct, term_type: str) -> str | None:
    """Why a rate of an accelerator instance is no plain price of it; None when it is one."""
    if product.location_type not in ("AWS Region", ""):
        return NO_REGION_OFFER
    if product.tenancy != "Shared":
        return NOT_SHARED
    if product.capacity != "Used":
        return RESERVATION
    if product.software not in ("NA", ""):
        return SOFTWARE
    system = product.operating_system.casefold()
    if system not in _OPERATION:
        return OTHER_SYSTEM
    # the capitals differ by product and by time
    if product.licence_model.casefold() != "no license required":
        return LICENCE
    if (product.market or "OnDemand", term_type) not in _MARKETS:
        return OTHER_MARKET
    suffix = ":CB" if product.market == "CapacityBlock" else ""
    if product.operation != _OPERATION[system] + suffix:
        return OTHER_OPERATION
    return None


_MARKETS = frozenset({("OnDemand", "OnDemand"), ("OnDemand", "Reserved"), ("CapacityBlock", "OnDemand")})

_DECIMAL = re.compile(r"[0-9]{1,15}(\.[0-9]{1,15})?([eE][-+]?[0-9]{1,2})?")
_QUANTITY = re.compile(r"([0-9][0-9,]*(?:\.[0-9]+)?)\s*(GB|GiB)\b")


def _number(text: str) -> Decimal | None:
    """A plain number of zero or more, None for anything else."""
    return Decimal(text) if _DECIMAL.fullmatch(text := text.strip()) else None


def _gigabytes(text: str) -> float | None:
    """``2,048 GiB`` or ``640 GB HBM3`` as the number it says."""
    match = _QUANTITY.match(text.strip())
    return float(match[1].replace(",", "")) if match else None


def _hourly(unit: str) -> bool:
    return unit.casefold() in ("hrs", "hours", "hour")


@dataclass
class AwsAccount(Parsed[PriceOffer]):
    """Everything read from one payload; rates wait here for the others of their term."""

    remedy: str = "look at the record in the list; it is priced again as soon as AWS states it in full"
    source_url: str = ""
    groups: dict[tuple[ListedProduct, str, str, str, str], list[ListedRate]] = field(default_factory=dict)
    unread_counts: set[str] = field(default_factory=set)

    def add_rate(self, product: ListedProduct, rate: ListedRate) -> None:
        """Take in one rate of an instance with accelerators."""
        if reason := _out_of_scope(product, rate.term_type):
            self.out_of_scope(reason)
        else:
            key = (product, rate.term_type, rate.sku, rate.term, rate.starts)
            self.groups.setdefault(key, []).append(rate)

    def settle_groups(self, member: str) -> None:
        """Make one offer, or rejects, of the rates of each term."""
        for (product, *_), rates in self.groups.items():
            distinct = list(dict.fromkeys(rates))
            try:
                self.add(self._offer(product, distinct, member))
                self.merged += len(distinct) - 1
                self.duplicates += len(rates) - len(distinct)
            except ValueError as e:
                for rate in rates:
                    self.reject(rate.record, f"{product.instance_type} in {product.region or '?'}: {e}")
        self.groups.clear()

    def _offer(self, product: ListedProduct, rates: Sequence[ListedRate], member: str) -> PriceOffer:
        """Return the offer that the rates of one term make; raise ValueError if they make none."""
        rate, upfront = _hourly_and_upfront(product, rates)
        price, fee = float(rate.price), float(upfront.price) if upfront else 0.0
        hours, option = None, None
        if rate.term_type == "Reserved":
            model, hours, option = _commitment(rate, price, fee, upfront is not None)
        else:
            model = "capacity_block" if product.market == "CapacityBlock" else "on_demand"
            if upfront:
                raise ValueError("an on-demand rate has an upfront fee")
            if price == 0:
                raise ValueError(f"the {model.replace('_', ' ')} price is {rate.price}")
        return TimedOffer(
            source=NAME,
            provider_published="aws",
            instance_type=product.instance_type,
            region=product.region,
            pricing_model=model,
            purchase_option=option,
            operating_system=product.operating_system.casefold(),
            price=price,
            upfront=fee,
            term_hours=hours,
            price_published=f"{rate.price} Hrs + {upfront.price} Quantity" if upfront else rate.price,
            price_unit="instance_hour",
            currency=rate.currency,
            starts_at=read_moment(rate.starts, "the effective date"),
            source_url=self.source_url,
            member=member,
            record=f"rate codes {rate.code} and {upfront.code}" if upfront else rate.record,
            **self._hardware(product, rate),
        )

    def _hardware(self, product: ListedProduct, rate: ListedRate) -> dict[str, Any]:
        """Accelerators and host of a product as far as the list states them.

        GPU and GPU Memory are totals of the instance. A count that is stated but no number above zero (EC2 itself
        says 0 for fractions of a GPU) is unknown, with a warning.
        """
        count, total = _number(product.gpu), _gigabytes(product.gpu_memory)
        if product.gpu not in ("", "NA") and not count and product.instance_type not in self.unread_counts:
            self.unread_counts.add(product.instance_type)
            self.warn(
                rate.record,
                f"{product.instance_type} has GPU {product.gpu!r}: its count is unknown",
                remedy="state its accelerators in the seed that maps instance types to accelerators",
            )
        stated = (
            product.instance_family,
            f"GPU {product.gpu}" if product.gpu not in ("", "NA") else "",
            f"GPU Memory {product.gpu_memory}" if product.gpu_memory not in ("", "NA") else "",
        )
        vcpus = _number(product.vcpus)
        return {
            "accelerator_published": "; ".join(filter(None, stated)) or None,
            "accelerator_count": float(count) if count else None,
            "accelerator_memory_gb": total / float(count) if count and total else None,
            "vcpus": float(vcpus) if vcpus else None,
            "memory_gb": _gigabytes(product.memory),
        }


def _hourly_and_upfront(
    product: ListedProduct, rates: Sequence[ListedRate]
) -> tuple[ListedRate, ListedRate | None]:
    """Return the hourly rate of a term and its upfront fee; raise ValueError if these are not its rates."""
    if not product.region:
        raise ValueError("the region code is empty")
    hourly = [r for r in rates if _hourly(r.unit)]
    upfront = [r for r in rates if r.unit.casefold() == "quantity"]
    if len(hourly) + len(upfront) != len(rates):
        units = ", ".join(sorted({repr(r.unit) for r in rates}))
        raise ValueError(f"the units are {units}, not Hrs (and Quantity for an upfront fee)")
    if len(hourly) > 1 or len(upfront) > 1:
        prices = ", ".join(r.price for r in rates)
        raise ValueError(f"its term says several prices for one unit: {prices}")
    if not hourly:
        raise ValueError("there is an upfront fee and no hourly rate")
    for rate in rates:
        if not rate.code.startswith(f"{rate.sku}.{rate.term}."):
            raise ValueError(f"the rate code {rate.code!r} is not of SKU {rate.sku!r} and term {rate.term!r}")
        if _number(rate.price) is None:
            raise ValueError(f"the price {rate.price!r} is no number")
        if not re.fullmatch(r"[A-Z]{3}", rate.currency) or rate.currency != hourly[0].currency:
            raise ValueError(f"the currency is {rate.currency!r}")
    if hourly[0].begin not in ("0", "") or hourly[0].end not in ("Inf", ""):
        raise ValueError(f"the price holds for hours {hourly[0].begin} to {hourly[0].end} only")
    commitments = {(r.lease, r.option, r.offering_class) for r in rates}
    if len(commitments) > 1:
        raise ValueError(f"hourly rate and upfront fee are of different commitments: {sorted(commitments)}")
    return hourly[0], upfront[0] if upfront else None


def _commitment(rate: ListedRate, price: float, fee: float, has_fee: bool) -> tuple[PricingModel, float, str]:
    """Return (pricing model, hours, purchase option) of a reservation; raise ValueError if it is none."""
    lease = rate.lease.replace(" ", "").casefold()
    if lease not in _TERM_HOURS:
        raise ValueError(f"the lease contract length is {rate.lease!r}")
    if rate.option not in _PAYS or rate.offering_class not in _OFFERING_CLASSES:
        raise ValueError(f"purchase option {rate.option!r} of class {rate.offering_class!r} is unknown")
    if rate.option != "No Upfront" and not has_fee:
        raise ValueError(f"{rate.option} without its upfront fee")
    if (price > 0, fee > 0) != _PAYS[rate.option]:
        raise ValueError(f"{rate.option} at {price:g} an hour and {fee:g} upfront")
    model, hours = _TERM_HOURS[lease]
    return model, hours, f"{rate.offering_class}, {rate.option}"


def require_ec2(offer: str | None, version: str | None, where: str, wanted: str) -> None:
    """Raise `PayloadRejected` unless this is the list of EC2, of the wanted version ("" for any)."""
    problem, remedy = "", LOOK_UPSTREAM
    if offer != "AmazonEC2" or not version:
        problem = f"this is no EC2 price list: the offer code is {offer!r}, its version {version!r}"
    elif wanted and wanted != version:
        problem = f"this is version {version} of the list, not {wanted}"
        remedy = "land it under the version it is; its prices would be dated wrongly"
    if problem:
        raise PayloadRejected(payload=where, problem=problem, remedy=remedy)
