"""Euro foreign exchange reference rates of the European Central Bank: what one euro was worth on a working day.

Upstream facts, checked 2026-11-21: ``eurofxref-hist.zip`` holds one CSV with a line a TARGET working day since
1999-01-04, newest first, a column a currency, ``N/A`` where none was fixed and a comma at the end of each line.
The same rates come as XML (``eurofxref-daily.xml``, ``eurofxref-hist-90d.xml``). Published at about 16:00 CET for
information; not for transactions.
"""

from __future__ import annotations

import csv
import io
import re
import xml.etree.ElementTree as ET  # no DTD reaches it: see _from_xml
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple

from ingest.core import values
from ingest.core.cadence import EXCHANGE_RATES
from ingest.core.errors import PayloadRejected
from ingest.core.fetch_plan import Fetch, Members, Request
from ingest.core.records import Parsed
from ingest.core.source import Source
from ingest.prices.offers import ExchangeRate

URL = "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-hist.zip"
KEY = "history"

FIRST_DAY = datetime(2023, 1, 1, tzinfo=UTC)
"""Rates before it are left out: no price in another currency than US$ is older."""
TOO_OLD = "a day before 2023: no price is older"
NOT_FIXED = "no rate fixed for the currency on the day (N/A)"

_LIMIT_BYTES = 8 << 20
_DAY_FORMATS = ("%Y-%m-%d", "%d %B %Y")  # the second in the CSV of a single day
_CURRENCY = re.compile(r"[A-Z]{3}")
_CUBE = "{http://www.ecb.int/vocabulary/2002-08-01/eurofxref}Cube"
_FETCH_AGAIN = "fetch it again; if it stays so, look at the ECB's page of euro reference rates"


class Cell(NamedTuple):
    """A day and a currency, as published."""

    day: str
    currency: str
    rate: str
    record: str
    problem: str | None = None


def plan(environment: Mapping[str, str]) -> Sequence[Fetch]:
    """The whole history in one file: small, conditional, and without a gap after a pause of any length."""
    return (Fetch(key=KEY, first=Request(url=URL), content_type="application/zip"),)


def parse(members: Members, *, key: str) -> Parsed[ExchangeRate]:
    """Rates since `FIRST_DAY`, units of the currency for one euro. A record is one cell: a day and a currency.

    Args:
        members: any of the ECB's forms: the zip with a CSV, the CSV, either XML.
        key: what it was landed under, for messages.

    Raises:
        PayloadRejected: none of these forms, damaged, or too large unpacked.
    """
    parsed: Parsed[ExchangeRate] = Parsed(payload=key, remedy=_FETCH_AGAIN)
    rows: dict[tuple[datetime, str], list[ExchangeRate]] = defaultdict(list)
    for member, file in members:
        where = member or key
        for cell in _cells(file.read(), where):
            parsed.read()
            rate = _rate(cell, member)
            if isinstance(rate, ExchangeRate):
                rows[rate.date, rate.currency].append(rate)
            elif rate in (TOO_OLD, NOT_FIXED):
                parsed.out_of_scope(rate)
            else:
                parsed.reject(cell.record, rate, payload=where)
    for same in rows.values():
        if len({row.per_eur for row in same}) == 1:
            parsed.add(same[0])
            parsed.duplicates += len(same) - 1
            continue
        rates = ", ".join(f"{row.per_eur:g}" for row in same)
        for row in same:
            parsed.reject(
                row.record,
                f"{row.currency} of {row.date:%Y-%m-%d} is said {len(same)} times: {rates}",
                payload=row.member,
            )
    return parsed.checked(key)


def _rate(cell: Cell, member: str) -> ExchangeRate | str:
    """The rate, or why there is none."""
    day, currency, published, record, problem = cell
    date = _day(day)
    if date is None:
        return f"the day is {day!r}, no date"
    if date < FIRST_DAY:
        return TOO_OLD
    if problem:
        return problem
    if published == "N/A":
        return NOT_FIXED
    if not _CURRENCY.fullmatch(currency):
        return f"the currency is {currency!r}, no ISO 4217 code"
    per_eur = values.number(published)
    if per_eur is None or per_eur <= 0:
        return f"the rate is {published!r}, which is none"
    return ExchangeRate(date=date, currency=currency, per_eur=per_eur, member=member, record=record)


@lru_cache(maxsize=64)
def _day(text: str) -> datetime | None:
    for form in _DAY_FORMATS:
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return None


def _cells(payload: bytes, where: str) -> Iterator[Cell]:
    if payload[:4] == b"PK\x03\x04":
        name, payload = _unpacked(payload, where)
        yield from _from_csv(_text(payload, where), where, f"{name} ")
        return
    text = _text(payload, where)
    if text.lstrip().startswith("<"):
        yield from _from_xml(text, where)
    else:
        yield from _from_csv(text, where, "")


def _unpacked(payload: bytes, where: str) -> tuple[str, bytes]:
    """(name, content) of the one CSV in a zip."""
    try:
        with zipfile.ZipFile(io.BytesIO(payload)) as archive:
            names = [info for info in archive.infolist() if info.filename.endswith(".csv")]
            if len(names) != 1:
                raise _refused(where, f"holds {len(names)} CSV files, one was expected")
            with archive.open(names[0]) as file:
                content = file.read(_LIMIT_BYTES + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as e:
        raise _refused(where, f"is a damaged zip file ({e})") from e
    if len(content) > _LIMIT_BYTES:
        raise _refused(where, f"is larger than {_LIMIT_BYTES >> 20} MiB unpacked")
    return names[0].filename, content


def _refused(where: str, problem: str) -> PayloadRejected:
    return PayloadRejected(payload=where, problem=problem, remedy=_FETCH_AGAIN)


def _text(payload: bytes, where: str) -> str:
    try:
        return payload.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        raise _refused(where, f"not UTF-8 (byte {e.start})") from e


def _from_csv(text: str, where: str, prefix: str) -> Iterator[Cell]:
    lines = csv.reader(io.StringIO(text, newline=""))
    header = [word.strip() for word in next(lines, [])]
    if header[:1] != ["Date"] or "USD" not in header:
        raise _refused(where, "is no table of reference rates: its first line names no Date and no USD")
    currencies = [(column, word) for column, word in enumerate(header) if column and word]
    for line in lines:
        if not line:
            continue
        # a decimal comma or a line cut short would move figures to other currencies: none of the line is read
        problem = None
        if len(line) != len(header):
            problem = f"the line has {len(line)} cells, the header {len(header)}"
        for column, currency in currencies:
            rate = line[column].strip() if problem is None else ""
            yield Cell(line[0].strip(), currency, rate, f"{prefix}line {lines.line_num}, {currency}", problem)


def _from_xml(text: str, where: str) -> Iterator[Cell]:
    # ElementTree expands entities that a DTD defines, without end; the ECB's files have no DTD
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise _refused(where, "declares a document type, which the ECB's files do not")
    try:
        root = ET.fromstring(text)  # noqa: S314 (no DTD, see above)
    except (ET.ParseError, ValueError) as e:
        raise _refused(where, f"is no well-formed XML ({e})") from e
    days = [cube for cube in root.iter(_CUBE) if "time" in cube.attrib]
    if not days:
        raise _refused(where, "has no Cube with a time: it is no file of reference rates")
    for cube in days:
        day = cube.attrib["time"]
        for rate in cube.iter(_CUBE):
            if rate is not cube:
                currency = rate.attrib.get("currency", "")
                yield Cell(day, currency, rate.attrib.get("rate", ""), f"{day}, {currency or '?'}")


SOURCE = Source(
    name="ecb-reference-rates",
    dialect="rates",
    title="Euro foreign exchange reference rates of the ECB",
    home_url="https://www.ecb.europa.eu/stats/policy_and_exchange_rates/euro_reference_exchange_rates/html/index.en.html",
    licence="ESCB statistics: free reuse, source quoted, statistics unmodified",
    licence_note="Exchange rates: source: ECB statistics (euro foreign exchange reference rates), unmodified.",
    cadence=EXCHANGE_RATES,
    limit_bytes=_LIMIT_BYTES,
    plan=plan,
    parse=parse,
    rank=1,
    ships=True,
)
