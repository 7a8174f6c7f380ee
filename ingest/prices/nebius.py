"""Nebius: the price page of its AI cloud.

Shape as seen 2026-07 to 2026-10 (in the server's HTML): tables of ``<div>`` in ``.pc-highlight-table-block``, title in
``…__title``, header and lines as ``…__row`` of ``…__cell``; the same tables once more as escaped JSON in a script.
GPU tables are those with a column of GPU-hours: ``Item | … | Preemptible, GPU-hour | On-demand, GPU-hour``.
Prices are US$ per GPU-hour without VAT; vCPUs and RAM are the share of one GPU. The page names boards ("NVIDIA HGX
H100"), not platforms and presets. "from $1.82" (L40S; since 2026-10 all preemptible prices) is no offer.

A price change stands beside the old price beforehand, in a column "GPU-hour (Effective October 1, 2026)", and stays
there afterwards. Which one holds depends on the day of the fetch, and a parser has no clock: the new price is given
with the day from which it holds (`TimedOffer`).
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from bs4 import Tag

from ingest.core.html import text_of
from ingest.core.html_page import Page
from ingest.core.html_tables import TableRow, read_grid
from ingest.prices.money import money
from ingest.prices.pages import PageAccount, page_source

URL = "https://nebius.com/prices"

_BLOCK = ".pc-highlight-table-block"
_EFFECTIVE = re.compile(r"Effective ([A-Z]+ \d\d?),? (20\d\d)", re.I)
_MODELS = {"on-demand": "on_demand", "on demand": "on_demand", "preemptible": "spot", "spot": "spot"}
_OTHER_COMMITMENTS = re.compile(r"reserv|commit|month|year", re.I)


def _table(block: Tag) -> tuple[str, list[str], list[TableRow]]:
    """Title, header and lines of a block."""
    title = text_of(block.select_one(f"{_BLOCK}__title"))
    if not title and (heading := block.find_previous(["h2", "h3", "h4"])):
        title = text_of(heading)
    lines = [[text_of(c) for c in row.select(f"{_BLOCK}__cell")] for row in block.select(f"{_BLOCK}__row")]
    header = [text_of(c) for c in block.select(f"{_BLOCK}__head {_BLOCK}__cell")] or (
        lines[0] if lines else []
    )
    return title, header, read_grid(header, [line for line in lines if line != header])


def _own_model(text: str) -> str | None:
    """What a header or a title says is sold; None if it says nothing, or two things."""
    models = {model for word, model in _MODELS.items() if word in text.lower()}
    return models.pop() if len(models) == 1 else None


def _models(columns: list[str], title: str) -> dict[str, str | None]:
    """What each price column sells. A column that does not say (a dated one) sells what all others or the title say."""
    own = {h: _own_model(h) for h in columns}
    said = {model for model in own.values() if model} or {_own_model(title) or "on_demand"}
    common = said.pop() if len(said) == 1 else None
    return {h: None if _OTHER_COMMITMENTS.search(h) else own[h] or common for h in columns}


def _effective(header: str) -> datetime | None:
    """The day from which a column holds. Of two columns that both have none and differ, `settled` takes neither."""
    match = _EFFECTIVE.search(header)
    try:
        return datetime.strptime(f"{match[1]} {match[2]}", "%B %d %Y").replace(tzinfo=UTC) if match else None
    except ValueError:  # February 30
        return None


def _read(page: Page, account: PageAccount) -> None:
    """On-demand and preemptible (spot) offers, US$ per GPU-hour without VAT."""
    blocks = page.soup.select(_BLOCK) or page.soup.select(f"{_BLOCK}__content")
    for t, block in enumerate(blocks, 1):
        title, header, rows = _table(block)
        columns = [h for h in header if "gpu-hour" in h.lower()]
        models = _models(columns, title)
        for row in rows if columns else ():
            item = row.get("Item").rstrip("* ")
            prices = {h: money(row.get(h)) for h in columns}
            for h in columns:
                record = f"table {t} row {row.number} ({item}), {h}"
                if row.problem:
                    account.reject(record, row.problem)
                    continue
                model, since, price = models[h], _effective(h), prices[h]
                if model is None:
                    account.out_of_scope("a price column of other terms")
                    continue
                # dated prices that may be of this offer: their column does not say
                later = {o: prices[o] for o in columns if _effective(o) and models[o] is None}
                undated = {prices[o].amount for o in columns if models[o] == model and not _effective(o)}
                if since is None and price.amount and any(m.amount != price.amount for m in later.values()):
                    said = ", ".join(f"{m.words!r} ({o})" for o, m in later.items())
                    account.reject(
                        record, f"{price.words!r} stands beside {said}, which may be the same offer's"
                    )
                elif since is not None and price.amount in undated - {None}:
                    account.merged += 1  # no change after all: the standing price says it
                else:
                    account.price(
                        record,
                        price,
                        price_unit="accelerator_hour",
                        instance_type=item,
                        pricing_model=model,
                        accelerator_published=item,
                        **({"starts_at": since} if since else {}),
                    )


SOURCE = page_source(
    "nebius",
    "Nebius AI Cloud: price page",
    URL,
    _read,
    n_prices=(3, 80),
    anchors=("GPU-hour", "vCPUs"),
    parser_version=2,
)
