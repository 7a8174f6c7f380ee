"""What every price page shares: its plan, its limits, and the account of what was read from it.

A page is written for people and changes without notice. So a parser never searches for the next number: it asks for
the words the page must have (else `LayoutChanged`), reads a table by its headers, and takes a price only from a cell
that holds only a price. Bad habits met on real pages (2025-2026): blocks repeated for other screen widths, tables
repeated JSON-escaped in a script, em-dashes and "Contact sales" for a price, "from $0.79" which is no offer, prices in
the visitor's currency, and lookalike tables of another product with the same markup.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ingest.core.fetch_plan import Members, one_request_each
from ingest.core.html import clean
from ingest.core.html_page import Page, open_page
from ingest.core.records import OutOfScope, Parsed
from ingest.core.source import Source
from ingest.prices.money import Money
from ingest.prices.offers import PER_ACCELERATOR_HOUR, PriceOffer, TimedOffer, settled

PAGE_LIMIT_BYTES = 16 << 20
PAGE_LICENCE = "none stated: a public price page; prices are facts"

_LOOK = "look at the saved page; if the page is right, mend its parser in ingest/prices"


def number(text: str) -> float | None:
    """A plain figure such as ``2,048`` or ``61.44``; None for ranges and words."""
    match = re.fullmatch(r"(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?", clean(text))
    return float((match[1] + (match[2] or "")).replace(",", "")) if match else None


def gigabytes(text: str) -> float | None:
    """``80 GB``, ``186GB`` or ``80`` as 80.0; None for anything else."""
    return number(re.sub(r"(?i)\s*g(i?b)$", "", clean(text)))


@dataclass
class PageAccount(Parsed[PriceOffer]):
    """The account of a price page: every price cell that is recognised counts as one record.

    Attributes:
        source: name of the price source, which is the seller's name too.
        url: of the page.
        member: file inside the payload.
    """

    source: str = ""
    url: str = ""
    member: str = ""

    def price(
        self,
        record: str,
        price: Money,
        *,
        price_unit: Literal["instance_hour", "accelerator_hour"],
        instance_type: str,
        **more: Any,
    ) -> None:
        """Count one price cell: as an offer, as out of scope when it is rightly no price, as rejected otherwise.

        Args:
            record: where the cell stands on the page.
            price: the cell's content.
            price_unit: the unit that the page states for it.
            instance_type: page's words, or the API's where these are certain.
            more: further fields of `PriceOffer`, or of `TimedOffer` where the page states a start or an end.
        """
        count = (more.get("accelerator_count") or 1.0) if price_unit == "instance_hour" else 1.0
        with self.catch(record):
            amount = _amount(price, price_unit, count)
            if not instance_type:
                raise ValueError("names no accelerator")
            offer = TimedOffer if {"starts_at", "ends_at"} & more.keys() else PriceOffer
            fields = {
                "source": self.source,
                "provider_published": self.source,
                "region": None,
                "price": amount,
                "price_published": price.words,
                "currency": price.currency,
                "source_url": self.url,
                "member": self.member,
            }
            self.add(
                offer(**fields | more, record=record, price_unit=price_unit, instance_type=instance_type)
            )


def _amount(price: Money, price_unit: str, count: float) -> float:
    """Return what a cell states for the unit of its column.

    Raises:
        OutOfScope: it is rightly no price.
        ValueError: it cannot be trusted as one.
    """
    if price.absent:
        raise OutOfScope(price.absent)
    if price.problem or price.amount is None:
        raise ValueError(price.problem or "has no price")
    if price_unit == "instance_hour" and price.per == "gpu-hour":
        raise ValueError(f"{price.words!r} is per accelerator where a price per instance is expected")
    low, high = PER_ACCELERATOR_HOUR
    if not low <= price.amount / count <= high:
        raise ValueError(f"{price.words!r} is {price.amount / count:.4g} an accelerator-hour: not plausible")
    return price.amount


def page_source(
    name: str,
    title: str,
    url: str,
    read: Callable[[Page, PageAccount], None],
    *,
    n_prices: tuple[int, int],
    anchors: Sequence[str] = (),
    parser_version: int = 1,
) -> Source:
    """Return the source of a seller's price page; robots.txt is asked before it.

    Args:
        name: of the source and its seller, as title and parser_version (see `Source`).
        title: see `Source`.
        url: of the page.
        read: puts every price cell of the page into the account.
        n_prices: fewest and most prices, before repeats are taken out: with others the layout must have changed, or
            something else was read.
        anchors: words that a person must be able to read on the page.
        parser_version: see `Source`.
    """

    def parse(members: Members, *, key: str) -> Parsed[PriceOffer]:
        """Offers of the page. Raises `LayoutChanged` without its anchors or with an implausible number of prices."""
        page = open_page(members, url)
        page.require_text(*anchors)
        account = PageAccount(
            payload=page.member or url, remedy=_LOOK, source=name, url=url, member=page.member
        )
        read(page, account)
        account.records_in = account.accounted
        low, high = n_prices
        if not low <= len(account.rows) <= high:
            first = f" (first reject: {account.rejects[0].problem})" if account.rejects else ""
            raise page.changed(f"{low} to {high} prices where {len(account.rows)} were read{first}")
        return settled(account, url)

    return Source(
        name=name,
        title=title,
        home_url=url,
        licence=PAGE_LICENCE,
        limit_bytes=PAGE_LIMIT_BYTES,
        plan=one_request_each({"pricing": url}),
        parse=parse,
        is_page=True,
        parser_version=parser_version,
    )
