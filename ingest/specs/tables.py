"""Tables of specifications, a product a column, from HTML tables and definition lists."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from bs4 import BeautifulSoup, Tag

from ingest.core.figures import without_marks
from ingest.core.html import text_of
from ingest.core.html_tables import read_table
from ingest.specs.footnotes import footnotes_of


@dataclass(frozen=True)
class SpecRow:
    """One row: where it stands, its words, and the text of each product's cell."""

    record: str
    words: str
    cells: tuple[str, ...]


@dataclass(frozen=True)
class SpecTable:
    """A table with a product a column. `footnotes`: what its marks mean; `counts`: accelerators of a product."""

    products: tuple[str, ...]
    rows: tuple[SpecRow, ...]
    footnotes: Mapping[str, str] = field(default_factory=dict)

    def turned(self) -> SpecTable:
        """The same with rows and columns exchanged, for tables that have a product a row."""
        place = self.rows[0].record.partition(" row")[0] if self.rows else ""
        columns = tuple(
            SpecRow(f"{place} column {name!r}", name, tuple(row.cells[i] for row in self.rows))
            for i, name in enumerate(self.products)
        )
        return SpecTable(tuple(row.words for row in self.rows), columns, self.footnotes)


def html_tables(soup: BeautifulSoup, default_product: str = "") -> list[SpecTable]:
    """Every ``<table>`` whose first column are the rows' words, with the products of its head.

    A table without a head, or with one product column of no name, is of `default_product`.
    `keep_marks` must have been called. A row with other cells than the head has products is kept, to be rejected.
    """
    notes = footnotes_of(soup)
    out = []
    for number, table in enumerate(soup.find_all("table"), 1):
        lines = read_table(table)
        rows: list[SpecRow] = []
        products: tuple[str, ...] = ()
        for line in lines:
            # one cell across several columns is the figure of each of them
            under = [(head, cell.text) for cell in line.cells for head in cell.headers]
            texts = [text for _, text in under]
            if len(texts) < 2:
                continue
            if not products:
                heads = [head for head, _ in under[1:]]
                if not any(heads) and not rows and not texts[0].strip() and len(texts) > 2:
                    products = tuple(texts[1:])  # a head made of ordinary cells
                    continue
                products = tuple(heads)
            rows.append(SpecRow(f"table {number} row {line.number}", texts[0], tuple(texts[1:])))
        named = tuple(_product(p, default_product, len(products)) for p in products)
        if rows:
            out.append(SpecTable(named, tuple(rows), notes))
    return out


def _product(head: str, default: str, n: int) -> str:
    words = without_marks(head)
    is_no_name = not words or re.search(
        r"(?i)^(?:value|values|specification|specifications|details?)s?\b|values$", words
    )
    if n == 1 and default and not re.search(r"\d", words):
        return default  # "GPU Architecture | NVIDIA Ada Lovelace architecture" is no product
    return default if is_no_name or (n == 1 and default and words.lower() in default.lower()) else words


def pairs_table(soup: BeautifulSoup, product: str) -> SpecTable:
    """All ``<dt>``/``<dd>`` pairs of a page as one table of one product. A ``<dt>`` is followed by its own ``<dd>``."""
    rows = []
    for i, term in enumerate(soup.find_all("dt"), 1):
        value = term.find_next_sibling()
        if isinstance(value, Tag) and value.name == "dd":
            rows.append(SpecRow(f"pair {i}", text_of(term), (text_of(value),)))
    return SpecTable((product,), tuple(rows), footnotes_of(soup))
