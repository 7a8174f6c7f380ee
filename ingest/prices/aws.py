"""AWS EC2 bulk price list, one file a region: on demand, reserved and Capacity Block prices of accelerator instances.

Upstream facts, checked 2026-09-10: CSV is five lines of metadata, a header (91 columns in 2025-09), one line a rate;
JSON is ``products`` then ``terms``. Prices are US$ per instance-hour; an upfront fee is a line of its own. Zero is
never a price (a Capacity Block is listed at 0), and the prefix of a usage type is no region.
"""

from __future__ import annotations

import codecs
import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from operator import itemgetter
from typing import Any, BinaryIO, NamedTuple, cast

import ijson  # type: ignore[import-untyped]

from ingest.errors import AccelmartError, PayloadRejected, RecordRejected
from ingest.mlperf.records import Parsed
from ingest.prices.offers import HOURS_1Y, HOURS_3Y, Members, PriceOffer, PricingModel, settled
from ingest.prices.source import Fetch, PriceSource, Request

NAME = "aws-price-list"
REGIONS_VARIABLE = "ACCELMART_AWS_REGIONS"

# The regions of the partition "aws" that have an EC2 list, and the GovCloud region that sells accelerators. China is
# another partition with lists of its own in CNY. A region without accelerators gives no offers, not an error.
REGIONS = (
    *("us-east-1", "us-east-2", "us-west-1", "us-west-2", "ca-central-1", "ca-west-1", "mx-central-1", "sa-east-1"),
    *("eu-central-1", "eu-central-2", "eu-north-1", "eu-south-1", "eu-south-2", "eu-west-1", "eu-west-2", "eu-west-3"),
    *("ap-east-1", "ap-east-2", "ap-northeast-1", "ap-northeast-2", "ap-northeast-3", "ap-south-1", "ap-south-2"),
    *("ap-southeast-1", "ap-southeast-2", "ap-southeast-3", "ap-southeast-4", "ap-southeast-5", "ap-southeast-6"),
    *("ap-southeast-7", "af-south-1", "il-central-1", "me-central-1", "me-south-1", "us-gov-west-1"),
)  # fmt: skip

_REGION = re.compile(r"[a-z]{2}(-[a-z]+)+-[0-9]+")
_OFFERS = "https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonEC2"
_HEAD_BYTES = 1 << 16
_FETCH_AGAIN = "fetch it again; the download did not finish"
_LOOK_UPSTREAM = "open its URL in a browser; if AWS has changed the format, change ingest/prices/aws.py"
_LOOK_AT_RECORD = "look at the record in the list; it is priced again as soon as AWS states it in full"

# -- what is ours -----------------------------------------------------------------------------------------------------

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
_UPFRONT_OPTIONS = ("No Upfront", "Partial Upfront", "All Upfront")
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


class _Product(NamedTuple):
    """What is sold, as the list says it; "" where it says nothing."""

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


class _Rate(NamedTuple):
    """One price of a product under a term, as the list says it."""

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

    @property
    def record(self) -> str:
        """Where it stands: rate codes are unique in a list and stand in both its forms."""
        return f"rate code {self.code}" if self.code else f"sku {self.sku}, term {self.term} {self.unit}"


_PRODUCT_COLUMNS = (
    *("Product Family", "Instance Type", "Instance Family", "GPU", "GPU Memory", "Location Type", "Region Code"),
    *("Tenancy", "CapacityStatus", "Pre Installed S/W", "Operating System", "License Model", "operation"),
    *("MarketOption", "vCPU", "Memory"),
)  # fmt: skip
_RATE_COLUMNS = (
    *("SKU", "OfferTermCode", "RateCode", "TermType", "Unit", "PricePerUnit", "Currency"),
    *("StartingRange", "EndingRange", "LeaseContractLength", "PurchaseOption", "OfferingClass"),
)  # fmt: skip
# Older lists lack them. Without MarketOption the operation still tells a Capacity Block (`RunInstances:CB`).
_OPTIONAL_COLUMNS = frozenset({"GPU Memory", "MarketOption"})
# JSON says productFamily beside the attributes; names are compared in lower case, they are spelled unevenly.
_ATTRIBUTES = (
    *("instancetype", "instancefamily", "gpu", "gpumemory", "locationtype", "regioncode"),
    *("tenancy", "capacitystatus", "preinstalledsw", "operatingsystem", "licensemodel", "operation"),
    *("marketoption", "vcpu", "memory"),
)  # fmt: skip


def _without_accelerator(family: str, instance_type: str, instance_family: str, gpu: str) -> str | None:
    """Why records of this kind are none of our business; None when the instance holds accelerators.

    It does if the list says so: Instance Family is "GPU instance" or "Machine Learning ASIC Instances", or GPU is a
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


def _left_out(product: _Product, term_type: str) -> str | None:
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

# -- values -----------------------------------------------------------------------------------------------------------

_DECIMAL = re.compile(r"[0-9]{1,15}(\.[0-9]{1,15})?([eE][-+]?[0-9]{1,2})?")
_QUANTITY = re.compile(r"([0-9][0-9,]*(?:\.[0-9]+)?)\s*(GB|GiB)\b")


def _number(text: str) -> Decimal | None:
    """A plain number of zero or more, None for anything else."""
    return Decimal(text) if _DECIMAL.fullmatch(text := text.strip()) else None


def _gigabytes(text: str) -> float | None:
    """``2,048 GiB`` or ``640 GB HBM3`` as the number it says."""
    found = _QUANTITY.match(text.strip())
    return float(found[1].replace(",", "")) if found else None


def _words(value: Any) -> str:
    return "" if value is None else str(value).strip()


def _hourly(unit: str) -> bool:
    return unit.casefold() in ("hrs", "hours", "hour")


# -- rates into offers ------------------------------------------------------------------------------------------------


@dataclass
class _Account:
    """Everything read from one payload; rates wait here for the others of their term."""

    where: str
    source_url: str
    observed_at: datetime | None
    parsed: Parsed[PriceOffer] = field(default_factory=Parsed)
    groups: dict[tuple[_Product, str, str, str], list[_Rate]] = field(default_factory=dict)
    unread_counts: set[str] = field(default_factory=set)

    def leave_out(self, reason: str, n: int = 1) -> None:
        """Count records that are none of our business."""
        self.parsed.left_out[reason] = self.parsed.left_out.get(reason, 0) + n

    def reject(self, record: str, problem: str, remedy: str = _LOOK_AT_RECORD) -> None:
        """Name a record that cannot be trusted."""
        self.parsed.rejects.append(
            RecordRejected(payload=self.where, record=record, problem=problem, remedy=remedy)
        )

    def add(self, product: _Product, rate: _Rate) -> None:
        """Take in one rate of an instance with accelerators."""
        if reason := _left_out(product, rate.term_type):
            self.leave_out(reason)
        else:
            key = (product, rate.term_type, rate.sku, rate.term)
            self.groups.setdefault(key, []).append(rate)

    def settle_groups(self, member: str) -> None:
        """Make one offer, or rejects, of the rates of each term."""
        for (product, *_), rates in self.groups.items():
            distinct = list(dict.fromkeys(rates))
            offer = self._offer(product, distinct, member)
            if isinstance(offer, PriceOffer):
                self.parsed.rows.append(offer)
                self.parsed.merged += len(distinct) - 1
                self.parsed.duplicates += len(rates) - len(distinct)
            else:
                for rate in rates:
                    self.reject(rate.record, f"{product.instance_type} in {product.region or '?'}: {offer}")
        self.groups.clear()

    def _offer(self, product: _Product, rates: Sequence[_Rate], member: str) -> PriceOffer | str:
        """The offer the rates of one term make, or what is wrong with them."""
        if not product.region:
            return "the region code is empty"
        hourly = [r for r in rates if _hourly(r.unit)]
        upfront = [r for r in rates if r.unit.casefold() == "quantity"]
        if len(hourly) + len(upfront) != len(rates):
            units = ", ".join(sorted({repr(r.unit) for r in rates}))
            return f"the units are {units}, not Hrs (and Quantity for an upfront fee)"
        if len(hourly) > 1 or len(upfront) > 1:
            prices = ", ".join(r.price for r in rates)
            return f"its term says several prices for one unit: {prices}"
        if not hourly:
            return "there is an upfront fee and no hourly rate"
        for rate in rates:
            if not rate.code.startswith(f"{rate.sku}.{rate.term}."):
                return f"the rate code {rate.code!r} is not of SKU {rate.sku!r} and term {rate.term!r}"
            if _number(rate.price) is None:
                return f"the price {rate.price!r} is no number"
            if not re.fullmatch(r"[A-Z]{3}", rate.currency) or rate.currency != hourly[0].currency:
                return f"the currency is {rate.currency!r}"
        (rate,) = hourly
        if rate.begin not in ("0", "") or rate.end not in ("Inf", ""):
            return f"the price holds for hours {rate.begin} to {rate.end} only"
        commitment_of = {(r.lease, r.option, r.offering_class) for r in rates}
        if len(commitment_of) > 1:
            return f"hourly rate and upfront fee are of different commitments: {sorted(commitment_of)}"
        price, fee = float(rate.price), float(upfront[0].price) if upfront else 0.0
        if rate.term_type == "Reserved":
            commitment = _commitment(rate, price, fee, bool(upfront))
            if isinstance(commitment, str):
                return commitment
            model, hours, option = commitment
        else:
            model, hours, option = (
                "capacity_block" if product.market == "CapacityBlock" else "on_demand",
                None,
                None,
            )
            if upfront:
                return "an on-demand rate has an upfront fee"
            if price == 0:
                return f"the {model.replace('_', ' ')} price is {rate.price}"
        return PriceOffer(
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
            price_published=f"{rate.price} Hrs + {upfront[0].price} Quantity" if upfront else rate.price,
            price_unit="instance_hour",
            currency=rate.currency,
            observed_at=self.observed_at,
            source_url=self.source_url,
            member=member,
            record=f"rate codes {rate.code} and {upfront[0].code}" if upfront else rate.record,
            **self._hardware(product, rate),
        )

    def _hardware(self, product: _Product, rate: _Rate) -> dict[str, Any]:
        """Accelerators and host of a product as far as the list states them.

        GPU and GPU Memory are totals of the instance. A count that is stated but no number above zero (EC2 itself
        says 0 for fractions of a GPU) is unknown, with a remark.
        """
        count, total = _number(product.gpu), _gigabytes(product.gpu_memory)
        if product.gpu not in ("", "NA") and not count and product.instance_type not in self.unread_counts:
            self.unread_counts.add(product.instance_type)
            self.parsed.remarks.append(
                RecordRejected(
                    payload=self.where,
                    record=rate.record,
                    problem=f"{product.instance_type} has GPU {product.gpu!r}: its count is unknown",
                    remedy="state its accelerators in the seed that maps instance types to accelerators",
                )
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


def _commitment(
    rate: _Rate, price: float, fee: float, has_fee: bool
) -> tuple[PricingModel, float, str] | str:
    """(pricing model, hours, purchase option) of a reservation, or what is wrong with it."""
    lease = rate.lease.replace(" ", "").casefold()
    if lease not in _TERM_HOURS:
        return f"the lease contract length is {rate.lease!r}"
    if rate.option not in _UPFRONT_OPTIONS or rate.offering_class not in _OFFERING_CLASSES:
        return f"purchase option {rate.option!r} of class {rate.offering_class!r} is unknown"
    if rate.option == "No Upfront" and (price == 0 or fee > 0):
        return f"No Upfront at {price:g} an hour and {fee:g} upfront"
    if rate.option != "No Upfront" and not has_fee:
        return f"{rate.option} without its upfront fee"
    if rate.option == "Partial Upfront" and (price == 0 or fee == 0):
        return f"Partial Upfront at {price:g} an hour and {fee:g} upfront"
    if rate.option == "All Upfront" and (price > 0 or fee == 0):
        return f"All Upfront at {price:g} an hour and {fee:g} upfront"
    model, hours = _TERM_HOURS[lease]
    return model, hours, f"{rate.offering_class}, {rate.option}"


# -- CSV --------------------------------------------------------------------------------------------------------------

_RECORD_START = re.compile(r'"[A-Z0-9]+","[A-Z0-9]+","')
_LINE_ENDS = ("\n", "\r")
# a quote that is not closed or not opened, and bytes that are no UTF-8
_FOREIGN = re.compile('["\ufffd]')


_Record = tuple[int, list[str] | str, bool]
"""(number of its first line, fields or what is wrong with it, whether its last line is ended)."""


class _Header(NamedTuple):
    """What stands above the records of a CSV list."""

    columns: list[str]
    metadata: dict[str, str]


def _csv_records(text: Iterable[str]) -> Iterator[_Record]:
    """Records of the list; quoted fields may hold line ends.

    A quote that is never closed reaches into the next line, whose own first quote then closes it in a place where
    strict CSV allows none: lines that begin like a record are then read again on their own.
    """
    taken: list[str] = []

    def lines() -> Iterator[str]:
        for line in text:
            taken.append(line)
            yield line

    reader = csv.reader(lines(), strict=True)
    number = 1
    while True:
        taken.clear()
        row: list[str] | None = None
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error:
            pass
        if row is None:
            yield from _reread(list(taken), number)
        elif row:
            yield number, row, taken[-1].endswith(_LINE_ENDS)
        number += len(taken)


def _reread(lines: list[str], number: int) -> Iterator[_Record]:
    """Records of lines that make none together: each that begins like one starts afresh."""
    starts = [i for i, line in enumerate(lines) if i == 0 or _RECORD_START.match(line)]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        part = lines[start:end]
        is_ended = part[-1].endswith(_LINE_ENDS)
        try:
            for row in filter(None, list(csv.reader(part, strict=True))):
                yield number + start, row, is_ended
        except csv.Error as e:
            yield number + start, str(e), is_ended


def _csv_header(records: Iterator[_Record], where: str) -> _Header:
    """Metadata and column names.

    Raises:
        PayloadRejected: this is no EC2 price list, or it lacks columns that are needed.
    """
    metadata: dict[str, str] = {}
    for _, row, _ in itertools.islice(records, 10):
        if isinstance(row, str):
            break
        if row[0] == "SKU":
            _require_ec2(metadata.get("OfferCode"), metadata.get("Version"), where)
            wanted = (*_PRODUCT_COLUMNS, *_RATE_COLUMNS)
            twice = [name for name, n in Counter(row).items() if n > 1 and name in wanted]
            missing = [name for name in wanted if name not in row and name not in _OPTIONAL_COLUMNS]
            if missing or twice:
                raise PayloadRejected(
                    payload=where,
                    problem="the header "
                    + (f"lacks {', '.join(missing)}" if missing else f"says {', '.join(twice)} twice"),
                    remedy=_LOOK_UPSTREAM,
                )
            return _Header(row, metadata)
        if len(row) != 2:
            break
        metadata[row[0]] = row[1]
    raise PayloadRejected(
        payload=where,
        problem="this is no AWS price list: five lines of metadata and a header that begins with SKU are not there",
        remedy=_LOOK_UPSTREAM,
    )


def _require_ec2(offer: str | None, version: str | None, where: str) -> None:
    if offer != "AmazonEC2" or not version:
        raise PayloadRejected(
            payload=where,
            problem=f"this is no EC2 price list: the offer code is {offer!r}, its version {version!r}",
            remedy=_LOOK_UPSTREAM,
        )


def _getter(names: Sequence[str], columns: list[str]) -> Callable[[list[str]], tuple[str, ...]]:
    # an optional column that is not there is read from behind the last one, where "" is put
    return itemgetter(*(columns.index(name) if name in columns else len(columns) for name in names))


def _read_csv(file: io.BufferedReader, account: _Account, version: str | None) -> None:
    text = io.TextIOWrapper(file, encoding="utf-8", errors="replace", newline="")
    try:
        _read_csv_text(text, account, version)
    finally:
        text.detach()  # or it would close the caller's file


def _unlike(row: list[str] | str, width: int) -> str:
    """What is wrong with a record that is not one."""
    return row if isinstance(row, str) else f"{len(row)} fields under {width} columns"


def _read_csv_text(text: Iterable[str], account: _Account, version: str | None) -> None:
    records = _csv_records(text)
    header = _csv_header(records, account.where)
    _require_version(version, header.metadata["Version"], account.where)
    width = len(header.columns)
    kind_of = _getter(("Product Family", "Instance Type", "Instance Family", "GPU"), header.columns)
    product_of = _getter(_PRODUCT_COLUMNS, header.columns)
    rate_of = _getter(_RATE_COLUMNS, header.columns)
    reasons: dict[tuple[str, ...], str | None] = {}
    left_out: Counter[str] = Counter()
    n = 0
    for number, row, is_ended in records:
        n += 1
        if isinstance(row, str) or len(row) != width:
            problem = _unlike(row, width)
            if not is_ended:
                raise PayloadRejected(
                    payload=account.where,
                    problem=f"the list is cut off in line {number} ({problem})",
                    remedy=_FETCH_AGAIN,
                )
            account.reject(f"line {number}", f"no record of the list: {problem}", "look at the line upstream")
            continue
        kind = kind_of(row)
        try:
            reason = reasons[kind]
        except KeyError:
            reason = reasons[kind] = _without_accelerator(*kind)
        if reason is not None:
            left_out[reason] += 1
            continue
        row.append("")
        product = _Product(*map(str.strip, product_of(row)))
        rate = _Rate(*map(str.strip, rate_of(row)))
        if found := _FOREIGN.search("".join((*product, *rate))):
            account.reject(f"line {number}", f"{found[0]!r} in a value", "look at the line upstream")
        else:
            account.add(product, rate)
    account.parsed.records_in += n
    for reason, times in left_out.items():
        account.leave_out(reason, times)


# -- JSON -------------------------------------------------------------------------------------------------------------


def _json_metadata(head: bytes, where: str) -> dict[str, str]:
    """What stands before the products: ``offerCode``, ``version`` and others."""
    metadata: dict[str, str] = {}
    try:
        for prefix, event, value in ijson.parse(io.BytesIO(head)):
            if prefix in ("products", "terms"):
                break
            if event == "string":
                metadata[prefix] = value
    except ijson.JSONError:
        pass  # cut where the head ends, or damaged: what is missing is missed below
    _require_ec2(metadata.get("offerCode"), metadata.get("version"), where)
    return metadata


def _json_items(file: BinaryIO, where: str, prefixes: Sequence[str]) -> Iterator[tuple[str, str, Any]]:
    """(prefix, key, value) of the members of the objects at `prefixes`, in the order they come; streamed."""
    found: dict[str, Any] = {prefix: ijson.sendable_list() for prefix in prefixes}
    readers = [ijson.kvitems_coro(found[prefix], prefix) for prefix in prefixes]
    try:
        while block := file.read(_HEAD_BYTES):
            for reader in readers:
                reader.send(block)
            for prefix in prefixes:
                for key, value in found[prefix]:
                    yield prefix, key, value
                del found[prefix][:]
        for reader in readers:
            reader.close()
    except ijson.JSONError as e:
        is_cut = "EOF" in str(e)  # yajl calls every error incomplete
        raise PayloadRejected(
            payload=where,
            problem=f"its JSON {'is cut off' if is_cut else 'cannot be read'} ({_first_line(e)})",
            remedy=_FETCH_AGAIN,
        ) from e


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _json_product(value: Any) -> _Product | str | None:
    """A product with accelerators, why it is left out, or None if it cannot be read."""
    if not isinstance(value, dict) or not isinstance(attributes := value.get("attributes"), dict):
        return None
    by_name = {str(name).lower(): text for name, text in attributes.items()}
    product = _Product(
        _words(value.get("productFamily")), *(_words(by_name.get(name)) for name in _ATTRIBUTES)
    )
    return (
        _without_accelerator(product.family, product.instance_type, product.instance_family, product.gpu)
        or product
    )


def _json_rates(term_type: str, sku: str, terms: Any) -> Iterator[_Rate | str]:
    """The rates of one SKU, or where one should be and is not."""
    if not isinstance(terms, dict):
        yield f"terms.{term_type}.{sku}"
        return
    for name, term in terms.items():
        dimensions = term.get("priceDimensions") if isinstance(term, dict) else None
        if not isinstance(dimensions, dict) or not isinstance(term.get("termAttributes", {}), dict):
            yield f"terms.{term_type}.{name}"
            continue
        options = term.get("termAttributes", {})
        for code, rate in dimensions.items():
            prices = rate.get("pricePerUnit") if isinstance(rate, dict) else None
            if not isinstance(prices, dict) or not prices:
                yield f"rate code {code}"
                continue
            currency = "USD" if "USD" in prices else next(iter(prices))
            yield _Rate(
                sku=sku,
                term=_words(term.get("offerTermCode")) or str(name).rpartition(".")[2],
                code=_words(rate.get("rateCode")) or str(code),
                term_type=term_type,
                unit=_words(rate.get("unit")),
                price=_words(prices[currency]),
                currency=str(currency),
                begin=_words(rate.get("beginRange")),
                end=_words(rate.get("endRange")),
                lease=_words(options.get("LeaseContractLength")),
                option=_words(options.get("PurchaseOption")),
                offering_class=_words(options.get("OfferingClass")),
            )


def _read_json(file: io.BufferedReader, account: _Account, version: str | None) -> None:
    metadata = _json_metadata(file.peek(_HEAD_BYTES), account.where)
    _require_version(version, metadata["version"], account.where)
    products: dict[str, _Product | str | None] = {}
    priced: set[str] = set()
    left_out: Counter[str] = Counter()
    # ijson works in blocks, so products and terms that end and begin in one block come in this order
    for prefix, sku, value in _json_items(
        file, account.where, ("products", "terms.OnDemand", "terms.Reserved")
    ):
        if prefix == "products":
            products[sku] = _json_product(value)
            continue
        if not products:
            raise PayloadRejected(
                payload=account.where, problem="its terms stand before its products", remedy=_LOOK_UPSTREAM
            )
        priced.add(sku)
        product = products.get(sku)
        for rate in _json_rates(prefix.removeprefix("terms."), sku, value):
            account.parsed.records_in += 1
            if isinstance(product, str):
                left_out[product] += 1
            elif product is None:
                record = rate if isinstance(rate, str) else rate.record
                account.reject(
                    record, f"the product of SKU {sku} is {'unreadable' if sku in products else 'absent'}"
                )
            elif isinstance(rate, str):
                account.reject(rate, f"{product.instance_type}: no price can be read here")
            else:
                account.add(product, rate)
    if not products:
        raise PayloadRejected(payload=account.where, problem="it has no products", remedy=_LOOK_UPSTREAM)
    if unpriced := len(products.keys() - priced):
        account.parsed.records_in += unpriced
        left_out[NO_PRICE] += unpriced
    for reason, times in left_out.items():
        account.leave_out(reason, times)


# -- the source -------------------------------------------------------------------------------------------------------


def index_url(region: str, version: str = "current", form: str = "csv") -> str:
    """Where the list of a region is.

    Args:
        region: code, such as ``us-east-1``.
        version: ``current``, or the 14 digits of an archived version.
        form: ``csv`` or ``json``.
    """
    return f"{_OFFERS}/{version}/{region}/index.{form}"


def plan(environment: Mapping[str, str]) -> Sequence[Fetch]:
    """One conditional GET a region.

    Args:
        environment: ``ACCELMART_AWS_REGIONS`` (region codes, comma separated) replaces the list `REGIONS`.

    Raises:
        AccelmartError: what stands there is no region code.
    """
    named = [
        part.strip().lower() for part in environment.get(REGIONS_VARIABLE, "").split(",") if part.strip()
    ]
    for region in named:
        if not _REGION.fullmatch(region):
            raise AccelmartError(
                f"{REGIONS_VARIABLE} names {region!r}, which is no AWS region code. "
                "Set it to codes such as us-east-1,eu-west-1, or unset it"
            )
    return [
        Fetch(key=region, first=Request(url=index_url(region)), content_type="text/csv")
        for region in dict.fromkeys(named or REGIONS)
    ]


def _split_key(key: str) -> tuple[str, str | None]:
    """(region, archived version or None) of a key."""
    region, at, version = key.partition("@")
    if not _REGION.fullmatch(region) or (at and not re.fullmatch(r"[0-9]{14}", version)):
        raise AccelmartError(
            f"{key!r} is no key of an AWS price list. A key is a region (us-east-1) or a region and the 14 digits "
            "of an archived version (us-east-1@20240205184227)"
        )
    return region, version or None


def _require_version(wanted: str | None, found: str, where: str) -> None:
    if wanted is not None and wanted != found:
        raise PayloadRejected(
            payload=where,
            problem=f"this is version {found} of the list, not {wanted}",
            remedy="land it under the version it is; its prices would be dated wrongly",
        )


def _is_json(head: bytes) -> bool:
    return head.removeprefix(codecs.BOM_UTF8).lstrip()[:1] == b"{"


def parse(members: Members, *, key: str) -> Parsed[PriceOffer]:
    """Offers of accelerator instances in a list, CSV or JSON; neither is ever in memory as a whole.

    A record is a rate (a line of the CSV, a price dimension of the JSON). The hourly rate and the upfront fee of a
    reservation make one offer: US$ per instance-hour, US$ once for 8,760 or 26,280 hours. Only rates of shared
    tenancy, Linux or Windows with its licence, without further software and for capacity that is used are offers.

    Args:
        members: the list, one file.
        key: region code; ``<region>@<version>`` for an archived version, whose time the offers then carry.

    Raises:
        PayloadRejected: not an EC2 price list, not the version the key says, or cut off.
        AccelmartError: the key is none.
    """
    region, version = _split_key(key)
    observed_at = None
    if version is not None:
        try:
            observed_at = datetime.strptime(version, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
        except ValueError as e:
            raise AccelmartError(f"{key!r}: {version} is no time of the form YYYYMMDDhhmmss") from e
    parsed: Parsed[PriceOffer] = Parsed()
    for member, file in members:
        account = _Account(member or key, "", observed_at, parsed)
        # any stream with readinto will do; typeshed asks for a raw one
        buffered = io.BufferedReader(cast(Any, file), _HEAD_BYTES)
        try:
            head = buffered.peek(_HEAD_BYTES)
            if head.startswith(codecs.BOM_UTF8):
                buffered.read(len(codecs.BOM_UTF8))
            form = "json" if _is_json(head) else "csv"
            account.source_url = index_url(region, version or "current", form)
            if form == "json":
                _read_json(buffered, account, version)
            else:
                _read_csv(buffered, account, version)
        finally:
            buffered.detach()
        account.settle_groups(member)
    return settled(parsed, key)


def check(file: BinaryIO) -> None:
    """Judge a landed list by its first and last 64 KiB: metadata, columns, a first and a whole last record.

    Args:
        file: open and seekable, at its start.

    Raises:
        PayloadRejected: not an EC2 price list, without records, or cut off.
    """
    where = "the AWS price list"
    head = file.read(_HEAD_BYTES)
    size = file.seek(0, io.SEEK_END)
    file.seek(max(0, size - _HEAD_BYTES))
    tail = file.read(_HEAD_BYTES)
    if _is_json(head):
        _json_metadata(head.removeprefix(codecs.BOM_UTF8), where)
        if not tail.rstrip().endswith(b"}"):
            raise PayloadRejected(payload=where, problem="its JSON is cut off", remedy=_FETCH_AGAIN)
        return
    lines = io.StringIO(head.decode("utf-8", "replace").removeprefix("\ufeff"), newline="")
    records = _csv_records(lines)
    header = _csv_header(records, where)
    first = next(records, None)
    lines_at_end = list(io.StringIO(tail.decode("utf-8", "replace"), newline=""))
    starts = [i for i, line in enumerate(lines_at_end) if _RECORD_START.match(line)]
    last = list(_csv_records(lines_at_end[starts[-1] :])) if starts else []
    width = len(header.columns)
    for record, which in ((first, "first"), (last[-1] if last else None, "last")):
        row = record[1] if record else "there is none"
        if isinstance(row, str) or len(row) != width:
            raise PayloadRejected(
                payload=where,
                problem=f"its {which} record is not whole: {_unlike(row, width)}",
                remedy=_FETCH_AGAIN,
            )


SOURCE = PriceSource(
    name=NAME,
    title="AWS EC2 price list",
    home_url="https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/price-changes.html",
    licence="AWS Site Terms; published for information",
    licence_note="Prices from the AWS price list, which AWS publishes for informational purposes only.",
    # us-east-1 was 303 MB of CSV in July 2026
    limit_bytes=2 << 30,
    plan=plan,
    parse=parse,
    check=check,
    optional=(REGIONS_VARIABLE,),
    ships=True,
)
