"""Dated offers: the one CSV form of prices that people collected, ours and the user's.

One line says what a seller asked for an offer, and between which days it was seen at that price; outside of these days
it is not observed. The columns: docs/how-to/add-your-own-prices.md.

A file is read as editors and spreadsheets save it: UTF-8, UTF-16 or Windows-1252; commas, semicolons or tabs between
the cells. A number or day is read if it can mean one thing only: `1,234` and `10/05/2026` are rejected.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import get_args

from accelmart.urls import LOCAL_FORM
from ingest.core import values
from ingest.core.csv_table import CsvLine, read_csv
from ingest.core.fetch_plan import Members
from ingest.core.records import Parsed, required
from ingest.prices.offers import HOURS_1Y, HOURS_3Y, PriceOffer, PricingModel, settled

REQUIRED = ("seller", "pricing_model", "price", "unit", "first_seen")
COLUMNS = (
    *("seller", "instance_type", "accelerator", "accelerator_memory_gb", "accelerator_count", "size_basis"),
    *("region", "pricing_model", "term_hours", "purchase_option", "variant", "operating_system"),
    *("price", "price_min", "price_max", "n_offers", "upfront", "currency", "unit"),
    *("first_seen", "last_seen", "n_observed", "precision", "vcpus", "memory_gb"),
    *("is_available", "read_by_hand", "source_url"),
)
CURRENCIES = (
    *("EUR", "USD", "JPY", "BGN", "CYP", "CZK", "DKK", "EEK", "GBP", "HUF", "LTL", "LVL", "MTL", "PLN"),
    *("ROL", "RON", "SEK", "SIT", "SKK", "CHF", "ISK", "NOK", "HRK", "RUB", "TRL", "TRY", "AUD", "BRL"),
    *("CAD", "CNY", "HKD", "IDR", "ILS", "INR", "KRW", "MXN", "MYR", "NZD", "PHP", "SGD", "THB", "ZAR"),
)  # fmt: skip
"""The euro and those that the ECB quotes or has quoted: others cannot be converted to dollars."""
# unit → (unit of the offer, whether the price is of as many accelerators as are counted)
_UNITS = {
    "accelerator_hour": ("accelerator_hour", False),
    "instance_hour": ("instance_hour", False),
    "accelerator": ("accelerator", False),
    "instance": ("accelerator", True),
}
_ACCEPTED: Mapping[str, tuple[str, ...]] = {
    "pricing_model": get_args(PricingModel),
    "unit": tuple(_UNITS),
    "size_basis": ("", "stated", "assumed", "unknown"),
    "operating_system": ("", "linux", "windows"),
    "precision": ("", "exact", "day", "month", "year"),
    "currency": ("", *CURRENCIES),
    "is_available": ("", "yes", "no"),
    "read_by_hand": ("", "twice", "once", "unchecked"),
}
_POSITIVE = (
    *("accelerator_memory_gb", "accelerator_count", "term_hours", "price", "price_min", "price_max"),
    *("n_offers", "n_observed", "vcpus", "memory_gb"),
)
_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}
# a whole number, in groups of three or not, and its decimals
_NUMBER = re.compile(r"([1-9]\d{0,2}(?:([.,' \xa0\u202f\u2019])\d{3})(?:\2\d{3})*|\d+)(?:(?!\2)([.,])(\d+))?")
_DAY = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})")
_FIRST_YEAR = 2000  # no accelerator was sold before
_TERMS: Mapping[str, float] = {"reserved_1y": HOURS_1Y, "reserved_3y": HOURS_3Y}
_REMEDY = "correct the line; docs/how-to/add-your-own-prices.md describes the form"


@dataclass(frozen=True)
class _Line:
    """A line that can be read: where it stands, its days, and the offer on the first of them."""

    record: str
    first: datetime
    last: datetime
    offer: PriceOffer

    @property
    def observations(self) -> list[PriceOffer]:
        """The offer at both ends: it is not observed outside of them."""
        if self.first == self.last:
            return [self.offer]
        end = replace(self.offer, observed_at=self.last, record=f"{self.record}, last seen")
        return [self.offer, end]


def read_dated_offers(members: Members, *, key: str, source: str, source_url: str) -> Parsed[PriceOffer]:
    """Return the offers of files of the form that the module describes, each line observed on its first and last day.

    A line that is not of the form is rejected by file and line. So are lines that say different prices of one offer for
    one day: which of them is right is not known.

    Args:
        members: the CSV files.
        key: what they were landed under, for messages.
        source: name of the source that the offers are of.
        source_url: address of a line that names none; empty: the name of the file.

    Raises:
        PayloadRejected: a file is no CSV, or has other columns.
    """
    parsed: Parsed[PriceOffer] = Parsed(remedy=_REMEDY)
    for member, file in members:
        where = member or key
        lines = []
        remedy = "write the header line first, with commas between the names of the columns"
        text = _decode(file.read())
        for cells in read_csv(
            text, where, REQUIRED, known=COLUMNS, separators=tuple(_SEPARATORS), remedy=remedy
        ):
            record = f"line {cells.number}"
            parsed.read()
            with parsed.catch(record, payload=where):
                lines.append(_read(cells, member, record, source, source_url))
        contradictions = _contradictions(lines)
        for line in lines:
            if line.record in contradictions:
                parsed.reject(line.record, contradictions[line.record], payload=where)
                continue
            observations = line.observations
            parsed.read(len(observations) - 1)
            parsed.rows += observations
    return settled(parsed, key)


def _decode(payload: bytes) -> str:
    if 0 not in payload[:4]:
        return values.decode(payload)
    return payload.decode("utf-16-be" if payload[0] == 0 else "utf-16", "replace")


def _read(cells: CsvLine, member: str, record: str, source: str, source_url: str) -> _Line:
    """Return what a line says.

    Raises:
        ValueError: the line is not of the form.
    """
    try:
        return _read_cells(cells, member, record, source, source_url)
    except ValueError as e:
        if cells.separator == ",":
            raise
        raise ValueError(f"separated by {_SEPARATORS[cells.separator]}: {e}") from e


def _read_cells(cells: CsvLine, member: str, record: str, source: str, source_url: str) -> _Line:
    cell = {column: cells[column] for column in COLUMNS}
    if "\ufffd" in "".join(cell.values()):
        raise ValueError("holds bytes that are no text in UTF-8, UTF-16 or Windows-1252")
    for column in ("upfront", *_POSITIVE):
        cell[column] = _plain_number(column, cell[column], cells.separator)
    if missing := required(dict(cell), REQUIRED):
        raise ValueError(f"lacks {', '.join(missing)}")
    if not cell["instance_type"] and not cell["accelerator"]:
        raise ValueError("lacks instance_type and accelerator: one of them must say what is sold")
    for column, accepted in _ACCEPTED.items():
        if cell[column] not in accepted:
            known = [word for word in accepted if word]
            raise ValueError(f"{column} is {cell[column]!r}, not one of {', '.join(known)}")
    number = {column: _positive(column, cell[column]) for column in _POSITIVE}
    precision = cell["precision"] or "day"
    first = _moment("first_seen", cell["first_seen"], precision)
    last = _moment("last_seen", cell["last_seen"] or cell["first_seen"], precision)
    _check_days(cell, first, last, number["n_observed"])
    _check_statistic(number)
    unit, count, price, is_size_stated = _priced(cell, number)
    upfront = values.number(cell["upfront"] or 0)
    if upfront is None or upfront < 0:
        raise ValueError(f"upfront is {cell['upfront']!r}, not an amount")
    words = cell["accelerator"] or None
    offer = PriceOffer(
        source=source,
        provider_published=cell["seller"],
        instance_type=cell["instance_type"] or cell["accelerator"],
        region=cell["region"] or None,
        pricing_model=cell["pricing_model"],
        purchase_option=cell["purchase_option"] or None,
        operating_system=cell["operating_system"] or "linux",
        variant=cell["variant"] or None,
        price=price,
        price_published=cells["price"],
        price_unit=unit,
        upfront=upfront,
        currency=cell["currency"] or "USD",
        term_hours=number["term_hours"] or _TERMS.get(cell["pricing_model"]),
        accelerator_published=words,
        accelerator_memory_gb=number["accelerator_memory_gb"],
        accelerator_count=count if is_size_stated else None,
        vcpus=number["vcpus"],
        memory_gb=number["memory_gb"],
        n_observed=int(number["n_offers"] or 1),
        price_min=number["price_min"],
        price_max=number["price_max"],
        is_available=cell["is_available"] == "yes" if cell["is_available"] else None,
        read_by_hand=cell["read_by_hand"] or None,
        observed_at=first,
        observed_precision=precision,
        source_url=cell["source_url"] or source_url or LOCAL_FORM + member,
        member=member,
        record=record,
    )
    return _Line(record, first, last, offer)


def _plain_number(column: str, cell: str, separator: str) -> str:
    """Return a number without groups and with a decimal point; anything else as it is.

    Raises:
        ValueError: the number can be read in two ways.
    """
    match = _NUMBER.fullmatch(cell)
    if not match:
        return cell
    whole, group, point, part = match.groups()
    digits = whole.replace(group or " ", "")
    if not point and group in (",", ".") and len(digits) < 7:
        if (group, separator) == (".", ","):
            return cell
        ways = f"{digits} or {whole.replace(group, '.')}"
        raise ValueError(f"{column} is {cell!r}: {ways}? Write one of them, in a file with commas")
    return f"{digits}.{part}" if point else digits


def _plain_day(column: str, cell: str) -> str:
    """Return a day as 2026-10-24 where it can be read in one way alone; anything else as it is.

    Raises:
        ValueError: the day can be read in two ways.
    """
    match = _DAY.fullmatch(cell)
    if not match:
        return cell
    one, _, other, year = match.groups()
    days = {
        f"{year}-{month:0>2}-{day:0>2}" for day, month in ((one, other), (other, one)) if int(month) <= 12
    }
    if len(days) > 1:
        raise ValueError(f"{column} is {cell!r}: {' or '.join(sorted(days))}? Write one of them")
    return days.pop() if days else cell


def _positive(column: str, cell: str) -> float | None:
    if not cell:
        return None
    out = values.number(cell)
    if out is None or not 0 < out < 1e15:
        raise ValueError(f"{column} is {cell!r}, not a number above zero")
    return out


def _moment(column: str, cell: str, precision: str) -> datetime:
    """Return the moment of a cell: with its zone where it is exact, else the start of a day in UTC."""
    day = _plain_day(column, cell)
    try:
        at = datetime.fromisoformat(day)
    except ValueError:
        raise ValueError(f"{column} is {cell!r}, not a date such as 2026-10-24") from None
    if at.year < _FIRST_YEAR:
        raise ValueError(f"{column} is {cell!r}, before {_FIRST_YEAR}")
    is_moment = at.utcoffset() is not None
    if is_moment != (precision == "exact") or (not is_moment and len(day) != len("2026-10-24")):
        raise ValueError(
            f"{column} is {cell!r}: with the precision {precision} it is written like "
            + ("2026-10-24T08:00:00Z" if precision == "exact" else "2026-10-24")
        )
    return at.astimezone(UTC) if is_moment else at.replace(tzinfo=UTC)


def _check_days(cell: Mapping[str, str], first: datetime, last: datetime, n_observed: float | None) -> None:
    if first > last:
        raise ValueError(f"first_seen {cell['first_seen']} is after last_seen {cell['last_seen']}")
    if n_observed is not None and (n_observed == 1) != (first == last):
        raise ValueError(
            f"n_observed is {cell['n_observed']}, but first_seen and last_seen are "
            + ("one" if first == last else "two days")
        )


def _check_statistic(number: Mapping[str, float | None]) -> None:
    low, price, high = number["price_min"], number["price"], number["price_max"]
    known = [amount for amount in (low, price, high) if amount is not None]
    if known != sorted(known):
        raise ValueError(
            "price_min, price and price_max are not in order: " + ", ".join(f"{p:g}" for p in known)
        )


def _priced(
    cell: Mapping[str, str], number: Mapping[str, float | None]
) -> tuple[str, float | None, float, bool]:
    """Return (unit of the offer, accelerators, price per unit, whether the count is the machine's own)."""
    count, price = number["accelerator_count"], number["price"] or 0.0
    basis = cell["size_basis"] or ("stated" if count else "unknown")
    if (basis == "unknown") == bool(count):
        raise ValueError(f"size_basis is {basis!r} and accelerator_count {cell['accelerator_count']!r}")
    unit, is_of_all = _UNITS[cell["unit"]]
    if (unit == "accelerator") != (cell["pricing_model"] == "purchase"):
        raise ValueError(f"the unit {cell['unit']} is not that of the pricing_model {cell['pricing_model']}")
    if is_of_all:
        if not count:
            raise ValueError("the price of a kit lacks its accelerator_count")
        return unit, count, price / count, basis == "stated"
    if unit == "instance_hour" and basis == "assumed" and count:
        return "accelerator_hour", count, price / count, False
    return unit, count, price, basis == "stated"


def _contradictions(lines: Iterable[_Line]) -> dict[str, str]:
    """Return record → problem of the lines that say different prices of one offer for the same days."""
    by_offer: dict[str, list[_Line]] = defaultdict(list)
    for line in lines:
        by_offer[line.offer.offer_id].append(line)
    out = {}
    for of_offer in by_offer.values():
        of_offer.sort(key=lambda line: (line.first, line.last))
        longest = of_offer[0]
        for line in of_offer[1:]:
            if line.first <= longest.last and line.offer.terms != longest.offer.terms:
                for one, other in ((line, longest), (longest, line)):
                    out[one.record] = (
                        f"price {one.offer.price_published} from {one.first:%Y-%m-%d} to {one.last:%Y-%m-%d} "
                        f"contradicts {other.offer.price_published} of the same offer "
                        f"from {other.first:%Y-%m-%d} in {other.record}"
                    )
            longest = max(longest, line, key=lambda each: each.last)
    return out
