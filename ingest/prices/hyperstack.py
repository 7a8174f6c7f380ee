"""Hyperstack: its price page. The API wants a key.

Shape as seen 2026-08 to 2026-10 (HubSpot, in the server's HTML): a ``.page-price_card`` per table, title in ``<h3>``,
heads ``.page-price_card_head_item``, lines ``.page-price_card_row_item`` of ``.page-price_card_row_item_col``. Read are

* "On-Demand GPU Pricing": GPU Model | VRAM (GB) | Max pCPUs per GPU | Max RAM (GB) per GPU | Pricing Per Hour
* "Spot VM Pricing": GPU Model | Spot VM

US$ per GPU-hour (the columns are shares of one GPU). "Reservation Pricing" has a price "starting from" and names no
term: it is no offer of one or three years and is left out. The page's names are not the flavours (n3-H100x8) of the
API: "NVIDIA H100" is the PCIe card, and "NVLink" in a name is a bridge between PCIe cards, not SXM.
"""

from __future__ import annotations

from ingest.core.html import text_of
from ingest.core.html_page import Page
from ingest.core.html_tables import read_grid
from ingest.prices.money import money
from ingest.prices.pages import PageAccount, gigabytes, page_source

URL = "https://www.hyperstack.cloud/gpu-pricing"

_CARD = ".page-price_card"
# title of a card, in lower case: pricing model and the head of its price column
_TABLES = {
    "on-demand gpu pricing": ("on_demand", "Pricing Per Hour"),
    "spot vm pricing": ("spot", "Spot VM"),
}
_RESERVATION = "reservation pricing"


def _read(page: Page, account: PageAccount) -> None:
    """On-demand and spot offers, US$ per GPU-hour; `instance_type` is the page's GPU model."""
    titles = set()
    for card in page.soup.select(_CARD):
        title = text_of(card.find("h3")).lower()
        if title not in _TABLES and title != _RESERVATION:
            continue
        heads = [text_of(h) for h in card.select(f"{_CARD}_head_item")]
        lines = [
            [text_of(c) for c in row.select(f"{_CARD}_row_item_col")]
            for row in card.select(f"{_CARD}_row_item")
        ]
        rows = read_grid(heads, lines)
        if title == _RESERVATION:
            account.out_of_scope("reservation without a stated term", len(rows))
            continue
        model, head = _TABLES[title]
        if head not in heads or "GPU Model" not in heads:
            raise page.changed(f"the columns 'GPU Model' and {head!r} under {title!r}, not {heads}")
        titles.add(title)
        for row in rows:
            name = row.get("GPU Model")
            record = f"{title} line {row.number} ({name})"
            if row.problem:
                account.reject(record, row.problem)
                continue
            account.price(
                record,
                money(row.get(head)),
                price_unit="accelerator_hour",
                instance_type=name,
                pricing_model=model,
                accelerator_published=name,
                accelerator_memory_gb=gigabytes(row.get("VRAM (GB)")),
            )
    if "on-demand gpu pricing" not in titles:
        raise page.changed("a card titled 'On-Demand GPU Pricing'")


SOURCE = page_source(
    "hyperstack",
    "Hyperstack: price page",
    URL,
    _read,
    n_prices=(4, 60),
)
