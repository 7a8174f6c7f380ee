"""Euro foreign exchange reference rates of the European Central Bank: what one euro was worth on a working day.

Upstream facts, checked 2026-11-21: ``eurofxref-hist.zip`` holds one CSV with a line a TARGET working day since
1999-01-04, newest first, a column a currency, ``N/A`` where none was fixed and a comma at the end of each line.
Published at about 16:00 CET for information; not for transactions.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache

from ingest.core import values
from ingest.core.cadence import EXCHANGE_RATES
from ingest.core.csv_table import CsvLine, read_csv, unzip_csv
from ingest.core.fetch_plan import Members, one_request_each
from ingest.core.records import OutOfScope, Parsed
from ingest.core.source import Source
from ingest.prices.offers import ExchangeRate

URL = "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-hist.zip"
KEY = "history"

FIRST_DAY = datetime(2023, 1, 1, tzinfo=UTC)
"""Rates before it are left out: no price in another currency than US$ is older."""
TOO_OLD = "a day before 2023: no price is older"
NOT_FIXED = "no rate fixed for the currency on the day (N/A)"

_LIMIT_BYTES = 8 << 20
_CURRENCY = re.compile(r"[A-Z]{3}")
_FETCH_AGAIN = "fetch it again; if it stays so, look at the ECB's page of euro reference rates"


def parse(members: Members, *, key: str) -> Parsed[ExchangeRate]:
    """Rates since `FIRST_DAY`, units of the currency for one euro. A record is one cell: a day and a currency.

    Args:
        members: the zip with a CSV, or the CSV.
        key: what it was landed under, for messages.

    Raises:
        PayloadRejected: none of these forms, damaged, or too large unpacked.
    """
    parsed: Parsed[ExchangeRate] = Parsed(payload=key, remedy=_FETCH_AGAIN)
    for member, file in members:
        where, payload, prefix = member or key, file.read(), ""
        if payload.startswith(b"PK\x03\x04"):
            name, payload = unzip_csv(io.BytesIO(payload), where, limit_bytes=_LIMIT_BYTES)
            prefix = f"{name} "
        for line in read_csv(payload, where, ("Date", "USD"), remedy=_FETCH_AGAIN):
            for currency in line.cells:
                if currency and currency != "Date":
                    record = f"{prefix}line {line.number}, {currency}"
                    parsed.read()
                    with parsed.catch(record, payload=where):
                        parsed.add(_rate(line, currency, member, record))
    parsed.fold(lambda row: (row.date, row.currency), _contradiction)
    return parsed.checked(key)


def _rate(line: CsvLine, currency: str, member: str, record: str) -> ExchangeRate:
    """Return the rate of a cell.

    Raises:
        OutOfScope: it is too old, or none was fixed.
        ValueError: the cell cannot be read.
    """
    date = _day(line["Date"])
    if date < FIRST_DAY:
        raise OutOfScope(TOO_OLD)
    published = line[currency]
    if published == "N/A":
        raise OutOfScope(NOT_FIXED)
    if not _CURRENCY.fullmatch(currency):
        raise ValueError(f"the currency is {currency!r}, no ISO 4217 code")
    per_eur = values.number(published)
    if per_eur is None or per_eur <= 0:
        raise ValueError(f"the rate is {published!r}, which is none")
    return ExchangeRate(date=date, currency=currency, per_eur=per_eur, member=member, record=record)


@lru_cache(maxsize=64)
def _day(text: str) -> datetime:
    try:
        return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        raise ValueError(f"the day is {text!r}, no date") from None


def _contradiction(same: Sequence[ExchangeRate]) -> str:
    if len({row.per_eur for row in same}) == 1:
        return ""
    rates = ", ".join(f"{row.per_eur:g}" for row in same)
    return f"{same[0].currency} of {same[0].date:%Y-%m-%d} is said {len(same)} times: {rates}"


SOURCE = Source(
    name="ecb-reference-rates",
    dialect="rates",
    title="Euro foreign exchange reference rates of the ECB",
    home_url="https://www.ecb.europa.eu/stats/policy_and_exchange_rates/euro_reference_exchange_rates/html/index.en.html",
    licence="ESCB statistics: free reuse, source quoted, statistics unmodified",
    cadence=EXCHANGE_RATES,
    limit_bytes=_LIMIT_BYTES,
    # the whole history in one file: small, conditional, and without a gap after a pause of any length
    plan=one_request_each({KEY: URL}, "application/zip"),
    parse=parse,
    rank=1,
    ships=True,
)
