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

from ingest.core.html import attribute, clean, text_of
from ingest.core.html_page import Page
from ingest.core.records import OutOfScope
from ingest.prices.money import Money, agreed, money
from ingest.prices.pages import PageAccount, number, page_source

URL = "https://www.coreweave.com/pricing"
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
    for one in map(money, single):
        if price.amount and one.amount and abs(price.amount / count / one.amount - 1) > PER_GPU_TOLERANCE:
            problem = f"{price.words!r} for {count:g} GPUs is not {one.words!r} for one"
            return Money(price.words, problem=problem)
    return price


def _read(page: Page, account: PageAccount) -> None:
    """On-demand and spot offers by region, US$ per instance-hour; `instance_type` is the page's `data-product`."""
    grids = {
        id(g): g for h in page.soup.select("h3.table-model-name") if (g := h.find_parent(class_="table-grid"))
    }
    for i, grid in enumerate(grids.values(), 1):
        product = attribute(grid.select_one("h3.table-model-name[data-product]"), "data-product")
        model = text_of(grid.select_one("h3.table-model-name"))
        record = f"product row {i} ({product or model})"
        with account.catch(record):
            _read_product(account, grid, record, product, model)


def _read_product(account: PageAccount, grid: Tag, record: str, product: str, model: str) -> None:
    table = grid.find_parent(class_="table-v2")
    headers = [text_of(h) for h in table.select(".table-header-text")] if table else []
    if unclear := [h for h in headers if "price" in h.lower() and "hour" not in h.lower()]:
        raise ValueError(f"its columns {unclear} do not say that they are per hour")
    counts = _copies(grid, headers, _COUNT)
    if not counts and any("CPU Type" in header for header in headers):
        raise OutOfScope("CPU instance")
    count = _figure(counts)
    if not product:
        raise ValueError("has no data-product")
    if not count:
        raise ValueError(f"its GPU count reads {counts}")
    if re.search(r"gb[23]00", product) and count != GRACE_TRAY_GPUS:
        raise ValueError(f"a Grace Blackwell tray has 4 GPUs, the page states {count:g}")
    on_demand = _on_demand(_copies(grid, headers, _ON_DEMAND), count, _copies(grid, headers, _SINGLE))
    for name, pricing_model, price in (
        ("On-Demand", "on_demand", on_demand),
        ("Spot", "spot", agreed(_copies(grid, headers, _SPOT))),
    ):
        account.price(
            f"{record} {name} Price",
            price,
            price_unit="instance_hour",
            instance_type=product,
            pricing_model=pricing_model,
            region=_region(grid),
            accelerator_published=model,
            accelerator_memory_gb=_figure(_copies(grid, headers, _VRAM)),
            accelerator_count=count,
            vcpus=_figure(_copies(grid, headers, _VCPUS)),
            memory_gb=_figure(_copies(grid, headers, _RAM)),
        )


SOURCE = page_source(
    "coreweave",
    "CoreWeave: price page",
    URL,
    _read,
    n_prices=(4, 120),
    anchors=("On-Demand Price", "GPU Count"),
    parser_version=2,
)
