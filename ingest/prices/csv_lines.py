"""Lines of a CSV payload, for sources that are one hand-made CSV file."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence

from ingest.core.errors import PayloadRejected
from ingest.core.fetch_plan import Members
from ingest.core.records import Parsed
from ingest.prices.offers import PriceOffer, currency_problem, settled


def csv_lines(
    payload: bytes, where: str, columns: Sequence[str], like: str
) -> list[tuple[int, Mapping[str, str]]]:
    """Return (line number in the file, cells) of every record; a byte order mark is skipped.

    A record with another number of cells than the header holds None among its keys or values.

    Args:
        payload: the file, UTF-8.
        where: its name, for messages.
        columns: names that the header must have.
        like: file name of an example, for messages.

    Raises:
        PayloadRejected: the file is not UTF-8, is no CSV, or lacks a column.
    """
    try:
        reader = csv.DictReader(io.StringIO(payload.decode("utf-8-sig"), newline=""), strict=True)
        missing = [column for column in columns if column not in (reader.fieldnames or ())]
        if missing:
            raise PayloadRejected(
                payload=where,
                problem=f"lacks the columns {', '.join(missing)}",
                remedy=f"it should be a CSV like {like}",
            )
        return [(reader.line_num, line) for line in reader]
    except (UnicodeDecodeError, csv.Error) as e:
        raise PayloadRejected(
            payload=where, problem=f"is no CSV in UTF-8 ({e})", remedy="save it as UTF-8 with commas"
        ) from e


def one_offer_a_line(
    members: Members,
    key: str,
    columns: Sequence[str],
    like: str,
    offer_of: Callable[[Mapping[str, str], str, str], PriceOffer | str],
    remedy: str,
) -> Parsed[PriceOffer]:
    """Return the offers of CSV files in which each record is one price in US$, and a reject for each that gives none.

    Args:
        members: the files.
        key: what they were landed under, for messages.
        columns: names that the header must have.
        like: file name of an example, for messages.
        offer_of: from (cells, member, record) to the offer, or to the problem in words.
        remedy: what to do about a rejected record.

    Raises:
        PayloadRejected: a file is not UTF-8, is no CSV, or lacks a column.
    """
    parsed: Parsed[PriceOffer] = Parsed(remedy=remedy)
    for member, file in members:
        where = member or key
        for number, line in csv_lines(file.read(), where, columns, like):
            parsed.read()
            record = f"line {number}"
            offer = currency_problem("USD", line) or offer_of(line, member, record)
            if isinstance(offer, PriceOffer):
                parsed.add(offer)
            else:
                parsed.reject(record, offer, payload=where)
    return settled(parsed, key)
