"""AMD product pages of Instinct accelerators: ``<dt>``/``<dd>`` pairs, a page a product.

Shape as seen 2024 to 2026: ``Peak bfloat16`` and ``… with Structured Sparsity`` side by side, vector and matrix rates
of FP32 and FP64 apart, ``500W | 560W Peak`` for a power with its peak, and a link's bandwidth per link (not read).
"""

from __future__ import annotations

from collections.abc import Sequence

from bs4 import BeautifulSoup

from ingest.specs.tables import SpecTable, html_tables, pairs_table
from ingest.specs.vendor_pages import vendor_source

HOME = "https://www.amd.com/en/products/accelerators/instinct.html"
_AT = "https://www.amd.com/en/products/accelerators/instinct/"
PAGES = {
    "mi210": (f"{_AT}mi200/mi210.html", "AMD Instinct MI210"),
    "mi250": (f"{_AT}mi200/mi250.html", "AMD Instinct MI250"),
    "mi250x": (f"{_AT}mi200/mi250x.html", "AMD Instinct MI250X"),
    "mi300a": (f"{_AT}mi300/mi300a.html", "AMD Instinct MI300A"),
    "mi300x": (f"{_AT}mi300/mi300x.html", "AMD Instinct MI300X"),
    "mi325x": (f"{_AT}mi300/mi325x.html", "AMD Instinct MI325X"),
    "mi350x": (f"{_AT}mi350/mi350x.html", "AMD Instinct MI350X"),
    "mi355x": (f"{_AT}mi350/mi355x.html", "AMD Instinct MI355X"),
}


def _tables(soup: BeautifulSoup, product: str) -> Sequence[SpecTable]:
    return [pairs_table(soup, product), *html_tables(soup, product)]


SOURCE = vendor_source(
    name="amd",
    title="AMD Instinct product pages",
    home_url=HOME,
    pages=PAGES,
    tables_of=_tables,
)
