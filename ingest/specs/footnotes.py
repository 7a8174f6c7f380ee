"""Footnotes of a specification: what its marks mean."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bs4 import BeautifulSoup, Tag

from ingest.core.html import clean

EVERY_TENSOR_RATE = "every Tensor Core rate"
"""Key of the footnote that applies to all Tensor Core rows, whatever mark it has and wherever the mark stands."""
_FOR_ALL = re.compile(r"(?i)\ball (?:other )?tensor core spec\w* (?:are |shown )+(?:with sparsity|sparse)")
_FOOTNOTE = re.compile(r"^\s*(?:\{\^(\d|[*†‡]+)\}|([*†‡]+)|(\d)[.)](?=\s))\s*(.+)$")


def keep_marks(soup: BeautifulSoup) -> None:
    """Turn superscripts into ``{^1}``, so that a figure's footnote mark neither is lost nor becomes a digit of it."""
    for sup in soup.find_all("sup"):
        sup.replace_with("{^" + clean(sup.get_text()).rstrip(".") + "}")


def footnotes_of(soup: BeautifulSoup) -> dict[str, str]:
    """Footnotes by mark: a block of its own, or several in one block (``1. Preliminary. 2. With sparsity.``)."""
    out: dict[str, str] = {}
    for block in soup.find_all(["p", "li", "div", "small", "td", "span", "em"]):
        if block.find(["p", "li", "div", "table", "td"]) is not None:
            continue
        for line in _lines(block):
            if _FOR_ALL.search(line):
                out.setdefault(EVERY_TENSOR_RATE, line)
            match = _FOOTNOTE.match(line)
            if match is None:
                continue
            for part in re.split(r"\s+(?=(?:\{\^(?:\d|[*†‡]+)\}|\d[.)]\s|\*+\s))", line):
                if one := _FOOTNOTE.match(part):
                    out.setdefault(one[1] or one[2] or one[3], clean(one[4]))
    return out


def _lines(block: Tag) -> Iterator[str]:
    for br in block.find_all("br"):
        br.replace_with("\n")
    for line in block.get_text().split("\n"):
        if line.strip():
            yield clean(line)
