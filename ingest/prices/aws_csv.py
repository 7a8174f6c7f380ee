"""Read the CSV form of an AWS price list, as a stream."""

from __future__ import annotations

import csv
import functools
import io
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter

from ingest.core.errors import PayloadRejected
from ingest.prices.aws_offers import (
    FETCH_AGAIN,
    LOOK_UPSTREAM,
    AwsAccount,
    ListedProduct,
    ListedRate,
    require_ec2,
    without_accelerator,
)

_PRODUCT_COLUMNS = (
    *("Product Family", "Instance Type", "Instance Family", "GPU", "GPU Memory", "Location Type", "Region Code"),
    *("Tenancy", "CapacityStatus", "Pre Installed S/W", "Operating System", "License Model", "operation"),
    *("MarketOption", "vCPU", "Memory"),
)  # fmt: skip
_RATE_COLUMNS = (
    *("SKU", "OfferTermCode", "RateCode", "TermType", "Unit", "PricePerUnit", "Currency"),
    *("StartingRange", "EndingRange", "LeaseContractLength", "PurchaseOption", "OfferingClass"),
    "EffectiveDate",
)  # fmt: skip
# Older lists lack them. Without MarketOption the operation still tells a Capacity Block (`RunInstances:CB`).
_OPTIONAL_COLUMNS = frozenset({"GPU Memory", "MarketOption"})

# a quote that is not closed or not opened, and bytes that are no UTF-8
_FOREIGN = re.compile('["\ufffd]')
_RECORD_START = re.compile(r'"[A-Z0-9]+","[A-Z0-9]+","')


def _read_header(lines: Iterator[str], where: str, version: str) -> list[str]:
    """Return the column names, which stand below the metadata.

    Raises:
        PayloadRejected: this is no EC2 price list, not the wanted version, or it lacks columns that are needed.
    """
    metadata: dict[str, str] = {}
    for row in csv.reader(itertools.islice(lines, 10)):
        if row[:1] == ["SKU"]:
            require_ec2(metadata.get("OfferCode"), metadata.get("Version"), where, version)
            wanted = (*_PRODUCT_COLUMNS, *_RATE_COLUMNS)
            twice = [name for name, n in Counter(row).items() if n > 1 and name in wanted]
            missing = [name for name in wanted if name not in row and name not in _OPTIONAL_COLUMNS]
            if missing or twice:
                problem = f"lacks {', '.join(missing)}" if missing else f"says {', '.join(twice)} twice"
                raise PayloadRejected(payload=where, problem=f"the header {problem}", remedy=LOOK_UPSTREAM)
            return row
        if len(row) != 2:
            break
        metadata[row[0]] = row[1]
    raise PayloadRejected(
        payload=where,
        problem="this is no AWS price list: five lines of metadata and a header that begins with SKU are not there",
        remedy=LOOK_UPSTREAM,
    )


def _records(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield (number of its first line, text) of each record; a quoted field may hold line ends.

    A quote that is never closed ends where the next line begins like a record.
    """
    first, text = 0, ""
    for number, line in lines:
        if text.count('"') % 2 and not _RECORD_START.match(line):
            text += line
            continue
        if text and not text.isspace():
            yield first, text
        first, text = number, line
    if text and not text.isspace():
        yield first, text


def _getter(names: Sequence[str], columns: list[str]) -> Callable[[list[str]], tuple[str, ...]]:
    # an optional column that is not there is read from behind the last one, where "" is put
    return itemgetter(*(columns.index(name) if name in columns else len(columns) for name in names))


def read_csv(file: io.BufferedReader, account: AwsAccount, version: str) -> None:
    """Put the records of a CSV list into the account; the file stays open.

    Args:
        file: at the start of the list.
        account: of the payload.
        version: 14 digits that the list must state; "" for any.

    Raises:
        PayloadRejected: not an EC2 price list, not of the wanted version, or cut off.
    """
    text = io.TextIOWrapper(file, encoding="utf-8", errors="replace", newline="")
    try:
        _read_lines(text, account, version)
    finally:
        text.detach()  # or it would close the caller's file


def _read_lines(text: Iterator[str], account: AwsAccount, version: str) -> None:
    lines = enumerate(text, 1)
    columns = _read_header((line for _, line in lines), account.payload, version)
    width = len(columns)
    kind_of = _getter(("Product Family", "Instance Type", "Instance Family", "GPU"), columns)
    product_of = _getter(_PRODUCT_COLUMNS, columns)
    rate_of = _getter(_RATE_COLUMNS, columns)
    reason_of = functools.cache(without_accelerator)
    for number, record in _records(lines):
        account.read()
        problem = ""
        row: list[str] = []
        try:
            row = next(csv.reader([record], strict=True))
        except csv.Error as e:
            problem = str(e)
        if len(row) != width:
            problem = problem or f"{len(row)} fields under {width} columns"
            if not record.endswith("\n"):
                problem = f"the list is cut off in line {number} ({problem})"
                raise PayloadRejected(payload=account.payload, problem=problem, remedy=FETCH_AGAIN)
        elif reason := reason_of(*kind_of(row)):
            account.out_of_scope(reason)
            continue
        else:
            row.append("")
            product = ListedProduct(*map(str.strip, product_of(row)))
            rate = ListedRate(*map(str.strip, rate_of(row)))
            if match := _FOREIGN.search("".join((*product, *rate))):
                problem = f"{match[0]!r} in a value"
            else:
                account.add_rate(product, rate)
        if problem:
            where = f"line {number}"
            account.reject(where, f"no record of the list: {problem}", remedy="look at the line upstream")
