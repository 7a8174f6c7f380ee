"""Read the CSV form of an AWS price list, as a stream."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple

from ingest.core.errors import PayloadRejected
from ingest.prices.aws_offers import (
    FETCH_AGAIN,
    LOOK_UPSTREAM,
    AwsAccount,
    ListedProduct,
    ListedRate,
    require_ec2,
    require_version,
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

RECORD_START = re.compile(r'"[A-Z0-9]+","[A-Z0-9]+","')
_LINE_ENDS = ("\n", "\r")
# a quote that is not closed or not opened, and bytes that are no UTF-8
_FOREIGN = re.compile('["\ufffd]')


_Record = tuple[int, list[str] | str, bool]
"""(number of its first line, fields or what is wrong with it, whether its last line is ended)."""


class _Header(NamedTuple):
    """What stands above the records of a CSV list."""

    columns: list[str]
    metadata: dict[str, str]


def csv_records(text: Iterable[str]) -> Iterator[_Record]:
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
    starts = [i for i, line in enumerate(lines) if i == 0 or RECORD_START.match(line)]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        part = lines[start:end]
        is_ended = part[-1].endswith(_LINE_ENDS)
        try:
            for row in filter(None, list(csv.reader(part, strict=True))):
                yield number + start, row, is_ended
        except csv.Error as e:
            yield number + start, str(e), is_ended


def csv_header(records: Iterator[_Record], where: str) -> _Header:
    """Metadata and column names.

    Raises:
        PayloadRejected: this is no EC2 price list, or it lacks columns that are needed.
    """
    metadata: dict[str, str] = {}
    for _, row, _ in itertools.islice(records, 10):
        if isinstance(row, str):
            break
        if row[0] == "SKU":
            require_ec2(metadata.get("OfferCode"), metadata.get("Version"), where)
            wanted = (*_PRODUCT_COLUMNS, *_RATE_COLUMNS)
            twice = [name for name, n in Counter(row).items() if n > 1 and name in wanted]
            missing = [name for name in wanted if name not in row and name not in _OPTIONAL_COLUMNS]
            if missing or twice:
                raise PayloadRejected(
                    payload=where,
                    problem="the header "
                    + (f"lacks {', '.join(missing)}" if missing else f"says {', '.join(twice)} twice"),
                    remedy=LOOK_UPSTREAM,
                )
            return _Header(row, metadata)
        if len(row) != 2:
            break
        metadata[row[0]] = row[1]
    raise PayloadRejected(
        payload=where,
        problem="this is no AWS price list: five lines of metadata and a header that begins with SKU are not there",
        remedy=LOOK_UPSTREAM,
    )


def _getter(names: Sequence[str], columns: list[str]) -> Callable[[list[str]], tuple[str, ...]]:
    # an optional column that is not there is read from behind the last one, where "" is put
    return itemgetter(*(columns.index(name) if name in columns else len(columns) for name in names))


def read_csv(file: io.BufferedReader, account: AwsAccount, version: str | None) -> None:
    """Put the records of a CSV list into the account; the file stays open.

    Raises:
        PayloadRejected: not an EC2 price list, not of the wanted version, or cut off.
    """
    text = io.TextIOWrapper(file, encoding="utf-8", errors="replace", newline="")
    try:
        _read_csv_text(text, account, version)
    finally:
        text.detach()  # or it would close the caller's file


def problem_of_record(row: list[str] | str, width: int) -> str:
    """What is wrong with a record that is not one."""
    return row if isinstance(row, str) else f"{len(row)} fields under {width} columns"


def _read_csv_text(text: Iterable[str], account: AwsAccount, version: str | None) -> None:
    records = csv_records(text)
    header = csv_header(records, account.where)
    require_version(version, header.metadata["Version"], account.where)
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
            problem = problem_of_record(row, width)
            if not is_ended:
                raise PayloadRejected(
                    payload=account.where,
                    problem=f"the list is cut off in line {number} ({problem})",
                    remedy=FETCH_AGAIN,
                )
            account.reject(f"line {number}", f"no record of the list: {problem}", "look at the line upstream")
            continue
        kind = kind_of(row)
        try:
            reason = reasons[kind]
        except KeyError:
            reason = reasons[kind] = without_accelerator(*kind)
        if reason is not None:
            left_out[reason] += 1
            continue
        row.append("")
        product = ListedProduct(*map(str.strip, product_of(row)))
        rate = ListedRate(*map(str.strip, rate_of(row)))
        if match := _FOREIGN.search("".join((*product, *rate))):
            account.reject(f"line {number}", f"{match[0]!r} in a value", "look at the line upstream")
        else:
            account.add(product, rate)
    account.parsed.read(n)
    for reason, times in left_out.items():
        account.parsed.out_of_scope(reason, times)
