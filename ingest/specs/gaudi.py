"""Intel Gaudi: product page and architecture page of the software documentation.

Shape: a table with a generation a column (``Intel Gaudi 2 | Intel Gaudi 3``) or a feature and its value; matrix (MME)
and vector (TPC) rates apart; a power of ``900W (Air) / 1200W (Liquid)`` is rejected: it depends on the cooling.
"""

from __future__ import annotations

from ingest.cadence import SPECIFICATIONS
from ingest.mlperf.records import Parsed
from ingest.prices.offers import Members
from ingest.prices.source import PriceSource
from ingest.specs.values import SpecValue
from ingest.specs.vendor_pages import LICENCE, parse_page, plan_of

HOME = "https://www.intel.com/content/www/us/en/products/details/processors/ai-accelerators/gaudi.html"
PAGES = {
    "gaudi3": (HOME.replace("gaudi.html", "gaudi3.html"), "Intel Gaudi 3"),
    "architecture": ("https://docs.habana.ai/en/latest/Gaudi_Overview/Gaudi_Architecture.html", ""),
}


def parse(members: Members, *, key: str) -> Parsed[SpecValue]:
    """Figures of one page. Raises `LayoutChanged` without a table of them."""
    return parse_page(members, key=key, source="gaudi", pages=PAGES, home_url=HOME)


SOURCE = PriceSource(
    name="gaudi",
    title="Intel Gaudi product and documentation pages",
    home_url=HOME,
    licence=LICENCE,
    licence_note="Intel product pages.",
    cadence=SPECIFICATIONS,
    limit_bytes=16 << 20,
    plan=plan_of(PAGES),
    parse=parse,  # type: ignore[arg-type]
    polls_to_close=0,
)
