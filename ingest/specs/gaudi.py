"""Intel Gaudi: product page and architecture page of the software documentation.

Shape: a table with a generation a column (``Intel Gaudi 2 | Intel Gaudi 3``) or a feature and its value; matrix (MME)
and vector (TPC) rates apart; a power of ``900W (Air) / 1200W (Liquid)`` is rejected: it depends on the cooling. The
documentation has no table but a sentence a generation (``The Gaudi 2 memory subsystem includes 96 GB of HBM2E memories
delivering 2.45 TB/sec bandwidth, in addition to a 48 MB of local SRAM``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bs4 import BeautifulSoup

from ingest.core.html import text_of
from ingest.specs.tables import SpecRow, SpecTable, html_tables
from ingest.specs.vendor_pages import vendor_source

HOME = "https://www.intel.com/content/www/us/en/products/details/processors/ai-accelerators/gaudi.html"
PAGES = {
    "gaudi3": (HOME.replace("gaudi.html", "gaudi3.html"), "Intel Gaudi 3"),
    "architecture": ("https://docs.habana.ai/en/latest/Gaudi_Overview/Gaudi_Architecture.html", ""),
}
_MEMORY = re.compile(
    r"(Gaudi\W{0,3}\d) memory subsystem includes (\d+ GB of \w+) memories delivering ([\d.]+ TB/s(?:ec)?) bandwidth"
)


def _tables(soup: BeautifulSoup, product: str) -> Sequence[SpecTable]:
    memory = [
        SpecTable((f"Intel {name}",), (SpecRow(f"paragraph {i}", "Memory subsystem", (f"{size}, {rate}",)),))
        for i, paragraph in enumerate(soup.find_all("p"), 1)
        for name, size, rate in _MEMORY.findall(text_of(paragraph))
    ]
    return [*html_tables(soup, product), *memory]


SOURCE = vendor_source(
    name="gaudi",
    title="Intel Gaudi product and documentation pages",
    home_url=HOME,
    pages=PAGES,
    tables_of=_tables,
)
