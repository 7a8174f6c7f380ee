"""CoreWeave: the current price page (``/pricing``), not ``/pricing/classic`` where vCPU and RAM are billed on top.

Shape as seen 2026-08 (Webflow, in the server's HTML): per region an ``<h5>REGION: NORTH AMERICA</h5>`` and a
``.table-v2`` of ``<div>``. One ``.table-grid`` an instance type, its identity ``<h3 class="table-model-name"
data-product="hgx-h100">``; it holds the cells of the wide layout (under ``.table-header-text`` headers) and, for narrow
screens, the same figures again as ``.instance-price``, ``.spot-price`` and ``.table-meta-value`` with a label.
Prices are US$ per instance-hour, GPU included. ``GPU Count`` is ``4^1`` for GB200 and GB300: one tray of four, with a
footnote. Only North America states a price per single GPU, against which price ÷ count is checked.

On demand is the same in both regions and spot is not: what looked like spot prices that differ between copies of one
fetch are the two regions' prices. Copies that do contradict each other within a region are rejected.
"""

from __future__ import annotations

import re

from bs4 import Tag

from ingest.core.fetch_plan import Members
from ingest.core.html import attribute, clean, text_of
from ingest.core.html_page import open_page
from ingest.core.records import Parsed
from ingest.core.source import Source
from ingest.prices.money import Money, agreed, money
from ingest.prices.offers import PriceOffer
from ingest.prices.pages import PAGE_LICENCE, PAGE_LIMIT_BYTES, Account, number, page_plan

URL = "https://www.coreweave.com/pricing"
PROVIDER = "coreweave"
PER_GPU_TOLERANCE = 0.01
GRACE_TRAY_GPUS = 4

# what we read: headers of the wide layout, labels of the narrow one
_COUNT, _VRAM, _VCPUS, _RAM = ("GPU Count", "VRAM", "vCPUs", "System RAM")
_ON_DEMAND, _SPOT, _SINGLE = ("On-Demand Price", "Spot Price", "Single GPU Price")
_NARROW_PRICES = {_ON_DEMAND: ".instance-price", _SPOT: ".spot-price", _SINGLE: ".inference-price"}


def _copies(grid: Tag, headers: list[str], name: str) -> list[str]:
    """The values of `name` in the wide and the narrow layout, in that order."""
    out = []
    cells = [c for c in grid.select(".table-v2-cell") if c.find_parent(class_="table-v2-cell") is None]
    if len(cells) == len(headers):
        out += [
            text_of(c) for c, header in zip(cells, headers, strict=True) if name.lower() in header.lower()
        ]
    if selector := _NARROW_PRICES.get(name):
        out += [text_of(value) for value in grid.select(f"{selector} .item-value")]
    else:
        for value in grid.select(".table-meta-value"):
            label = text_of(value.find_next_sibling("div"))
            if label.lower().startswith(name.lower()):
                out.append(text_of(value))
    return out


def _figure(copies: list[str]) -> float | None:
    """A figure all copies agree in, footnote marks (``4^1``) taken off; None otherwise."""
    figures = {number(re.sub(r"\^\d+$", "", copy)) for copy in copies}
    return figures.pop() if len(figures) == 1 else None


def _region(grid: Tag) -> str | None:
    heading = grid.find_previous(string=re.compile(r"REGION:", re.I))
    if heading is None:
        return None
    return clean(re.sub(r"(?i).*REGION:", "", str(heading))) or None


def _on_demand(copies: list[str], count: float, single: list[str]) -> Money:
    """The price per instance, if price ÷ count agrees with the price the page gives for one GPU."""
    price = agreed(copies)
    per_gpu = {m.amount for m in map(money, single) if m.amount is not None}
    if price.amount is None or not per_gpu:
        return price
    worst = max(abs(price.amount / count / one - 1) for one in per_gpu)
    if worst <= PER_GPU_TOLERANCE:
        return price
    said = ", ".join(single)
    problem = f"{price.words!r} for {count:g} GPUs is not {said} for one (off by {worst:.1%})"
    return Money(price.words, problem=problem)


def parse(members: Members, *, key: str) -> Parsed[PriceOffer]:
    """On-demand and spot offers by region, US$ per instance-hour; `instance_type` is the page's `data-product`.

    Raises:
        LayoutChanged: no product rows, or an implausible number of prices.
    """
    page = open_page(members, URL)
    page.require_text("On-Demand Price", "GPU Count")
    account = Account(source="coreweave", provider=PROVIDER, page=page)
    grids = {
        id(g): g for h in page.soup.select("h3.table-model-name") if (g := h.find_parent(class_="table-grid"))
    }
    if not grids:
        raise page.changed('rows of class "table-grid" with <h3 class="table-model-name" data-product>')
    for i, grid in enumerate(grids.values(), 1):
        product = attribute(grid.select_one("h3.table-model-name[data-product]"), "data-product")
        model = text_of(grid.select_one("h3.table-model-name"))
        table = grid.find_parent(class_="table-v2")
        headers = [text_of(h) for h in table.select(".table-header-text")] if table else []
        record = f"product row {i} ({product or model})"
        if unclear := [h for h in headers if "price" in h.lower() and "hour" not in h.lower()]:
            account.reject(record, f"its columns {unclear} do not say that they are per hour")
            continue
        counts = _copies(grid, headers, _COUNT)
        if not counts and any("CPU Type" in header for header in headers):
            account.out_of_scope("CPU instance")
            continue
        count = _figure(counts)
        if not product:
            account.reject(record, "has no data-product")
            continue
        if not count:
            account.reject(record, f"its GPU count reads {counts}")
            continue
        if re.search(r"gb[23]00", product) and count != GRACE_TRAY_GPUS:
            account.reject(record, f"a Grace Blackwell tray has 4 GPUs, the page states {count:g}")
            continue
        prices = {
            "on_demand": _on_demand(
                _copies(grid, headers, _ON_DEMAND), count, _copies(grid, headers, _SINGLE)
            ),
            "spot": agreed(_copies(grid, headers, _SPOT)),
        }
        for model_name, price in prices.items():
            account.price(
                f"{record} {'On-Demand' if model_name == 'on_demand' else 'Spot'} Price",
                price,
                price_unit="instance_hour",
                instance_type=product,
                pricing_model=model_name,
                region=_region(grid),
                accelerator_published=model,
                accelerator_memory_gb=_figure(_copies(grid, headers, _VRAM)),
                accelerator_count=count,
                vcpus=_figure(_copies(grid, headers, _VCPUS)),
                memory_gb=_figure(_copies(grid, headers, _RAM)),
            )
    return account.settle(at_least=4, at_most=120)


SOURCE = Source(
    name="coreweave",
    title="CoreWeave: price page",
    home_url=URL,
    licence=PAGE_LICENCE,
    licence_note="CoreWeave list prices.",
    limit_bytes=PAGE_LIMIT_BYTES,
    plan=page_plan(URL),
    parse=parse,
    parser_version=2,
)
