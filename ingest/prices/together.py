"""Together: GPU clusters on its price page.

Shape as seen 2026-08 to 2026-09 (Webflow, in the server's HTML): sections begin with ``<div id="…"
class="section-anchor">``. Between ``gpu-clusters`` and the next anchor stand two ``<table>``: a hidden ``Hardware |
Hourly`` and the one people see, headed in two levels: ``Hardware | ON-Demand: Pay as you go | Reserved: 7-30 days,
31-90 days, 91-180 days, 181+ days`` (a Preemptible column came later). "All prices are per GPU per hour." The hidden
table repeats the on-demand column: it is read as a second source. An unpriced cell may span all terms.
The same boards stand, with the same markup and at higher prices, under ``dedicated-inference``; per-token prices are a
third product. Neither is read.

No term is a year: these are not the reservations of a year that hyperscalers sell. They keep `pricing_model`
on_demand with the term as `purchase_option`; a column that begins at one year or three would be reserved_1y or _3y.
"""

from __future__ import annotations

import re

from bs4 import Tag
from bs4.element import PageElement

from ingest.core.html import attribute, clean
from ingest.core.html_page import Page
from ingest.core.html_tables import read_table
from ingest.prices.money import money
from ingest.prices.offers import HOURS_1Y, HOURS_3Y
from ingest.prices.pages import PageAccount, page_source

URL = "https://www.together.ai/pricing"
SECTION = "gpu-clusters"

_TERM = re.compile(r"(\d+)\s*(?:[-–]\s*\d+\s*)?\+?\s*(day|week|month|year)", re.I)
_DAYS = {"day": 1.0, "week": 7.0, "month": 365 / 12, "year": 365.0}


def _terms_of(header: str) -> tuple[str, str | None, float | None] | None:
    """What a price column sells: pricing model, purchase option, hours of the shortest term; None if not known."""
    text = header.lower()
    if "preempt" in text or "spot" in text:
        return "spot", None, None
    if match := _TERM.search(header):
        hours = 24 * int(match[1]) * _DAYS[match[2].lower()]
        words = clean(header.split(" / ")[-1])
        if hours >= HOURS_3Y:
            return "reserved_3y", f"reserved {words}", HOURS_3Y
        if hours >= HOURS_1Y:
            return "reserved_1y", f"reserved {words}", HOURS_1Y
        return "on_demand", f"reserved {words}", hours
    if "on-demand" in text or "hourly" in text or "pay as you go" in text:
        return "on_demand", None, None
    return None


def _section_of(element: PageElement) -> str:
    anchor = element.find_previous(class_="section-anchor")
    return attribute(anchor, "id") if isinstance(anchor, Tag) else ""


def _read(page: Page, account: PageAccount) -> None:
    """Offers of GPU clusters by commitment, US$ per GPU-hour.

    Raises:
        LayoutChanged: the section does not say that its prices are per GPU and hour.
    """
    # dedicated inference has a caption of its own, so the words count only in their section
    captions = page.soup.find_all(string=re.compile(r"prices are per GPU per hour", re.I))
    if not any(_section_of(caption) == SECTION for caption in captions):
        raise page.changed(f'the words "prices are per GPU per hour" after the anchor id="{SECTION}"')
    for t, table in enumerate(page.soup.find_all("table"), 1):
        rows = read_table(table)
        if _section_of(table) != SECTION or not any(row.get("Hardware") for row in rows):
            continue
        for row in rows:
            hardware = row.get("Hardware")
            record = f"table {t} row {row.number} ({hardware})"
            if row.problem:
                account.reject(record, row.problem)
                continue
            for cell in row.cells:
                if cell.header.lower() == "hardware":
                    continue
                price, terms = money(cell.text), _terms_of(cell.header)
                where = f"{record}, {' and '.join(cell.headers)}"
                if terms is None:
                    account.out_of_scope("a price column of other terms")
                elif price.amount is not None and len(cell.headers) > 1:
                    account.reject(where, f"one price, {price.words!r}, for several terms")
                else:
                    account.price(
                        where,
                        price,
                        price_unit="accelerator_hour",
                        instance_type=hardware,
                        pricing_model=terms[0],
                        purchase_option=terms[1],
                        term_hours=terms[2],
                        accelerator_published=hardware,
                    )


SOURCE = page_source(
    "together",
    "Together GPU clusters: price page",
    URL,
    _read,
    n_prices=(3, 120),
)
