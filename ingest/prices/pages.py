"""What every price page shares: its plan, its limits, and the account of what was read from it.

A page is written for people and changes without notice. So a parser never searches for the next number: it asks for
the words the page must have (else `LayoutChanged`), reads a table by its headers, and takes a price only from a cell
that holds only a price. Bad habits met on real pages (2025-2026): blocks repeated for other screen widths, tables
repeated JSON-escaped in a script, em-dashes and "Contact sales" for a price, "from $0.79" which is no offer, prices in
the visitor's currency, and lookalike tables of another product with the same markup.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from ingest.core.fetch_plan import Fetch, Request
from ingest.core.html import clean
from ingest.core.html_page import Page
from ingest.core.records import Parsed, Recognised
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


class Account(Recognised[PriceOffer]):
    """The account of a price page: every price cell that is recognised counts as one record.

    Args:
        source: name of the price source.
        provider: who sells.
        page: where it was read.
    """

    def __init__(self, *, source: str, provider: str, page: Page) -> None:
        super().__init__(payload=page.member or page.url, remedy=_LOOK)
        self._source, self._provider, self._page = source, provider, page

    def price(
        self,
        record: str,
        price: Money,
        *,
        price_unit: Literal["instance_hour", "accelerator_hour"],
        instance_type: str,
        pricing_model: str,
        **more: Any,
    ) -> None:
        """Count one price cell: as an offer, as out of scope when it is rightly no price, as rejected otherwise.

        Args:
            record: where the cell stands on the page.
            price: the cell's content.
            price_unit: the unit that the page states for it.
            instance_type: page's words, or the API's where these are certain.
            pricing_model: of the offer.
            more: further fields of `PriceOffer`, or of `TimedOffer` where the page states a start or an end.
        """
        if price.absent:
            self.out_of_scope(price.absent)
            return
        if price.problem or price.amount is None or price.currency is None:
            self.reject(record, price.problem or "has no price")
            return
        if price_unit == "instance_hour" and price.per == "gpu-hour":
            self.reject(record, f"{price.words!r} is per accelerator where a price per instance is expected")
            return
        count = (more.get("accelerator_count") or 1.0) if price_unit == "instance_hour" else 1.0
        low, high = PER_ACCELERATOR_HOUR
        if not low <= price.amount / count <= high:
            self.reject(
                record, f"{price.words!r} is {price.amount / count:.4g} an accelerator-hour: not plausible"
            )
            return
        if not instance_type:
            self.reject(record, "names no accelerator")
            return
        offer = TimedOffer if {"starts_at", "ends_at"} & more.keys() else PriceOffer
        self.add(
            offer(
                source=self._source,
                provider_published=self._provider,
                instance_type=instance_type,
                region=more.pop("region", None),
                pricing_model=pricing_model,
                price=price.amount,
                price_published=price.words,
                price_unit=price_unit,
                currency=price.currency,
                source_url=self._page.url,
                member=self._page.member,
                record=record,
                **more,
            )
        )

    def settle(self, *, at_least: int, at_most: int) -> Parsed[PriceOffer]:
        """The account, settled; refused when the number of prices is not plausible.

        Args:
            at_least: prices (before repeats are taken out) without which the layout must have changed.
            at_most: prices with more of which something else must have been read.

        Raises:
            LayoutChanged: fewer or more prices; the message carries the first reject.
        """
        n_prices = len(self.rows)
        if not at_least <= n_prices <= at_most:
            first = f" (first reject: {self.rejects[0].problem})" if self.rejects else ""
            raise self._page.changed(f"{at_least} to {at_most} prices where {n_prices} were read{first}")
        return settled(self, self._page.url)


def page_plan(url: str) -> Callable[[Mapping[str, str]], Sequence[Fetch]]:
    """The plan of a source that is one page, the same for everybody."""

    def plan(environment: Mapping[str, str]) -> Sequence[Fetch]:
        return [Fetch(key="pricing", first=Request(url=url), is_page=True)]

    return plan
