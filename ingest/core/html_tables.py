"""HTML tables as rows of cells under their headers: colspan, rowspan, several header levels.

`pandas.read_html` is not used: it fills a row that lacks cells, which is rejected here, and drops ``data-label`` and
row numbers. It would also add a parser (lxml or html5lib) that nothing else needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bs4 import Tag

from ingest.core.html import attribute, text_of


@dataclass(frozen=True)
class Cell:
    """One cell: its text, and the headers of the columns it covers (several for a colspan)."""

    headers: tuple[str, ...]
    text: str

    @property
    def header(self) -> str:
        """The first header it stands under."""
        return self.headers[0]


@dataclass(frozen=True)
class TableRow:
    """One body row; `number` counts from 1 in the table. `problem` says why its cells fit no columns."""

    number: int
    cells: tuple[Cell, ...]
    problem: str | None = None

    def get(self, *headers: str) -> str:
        """Text of the first cell under one of these headers (letter case does not matter); "" if none."""
        wanted = [h.lower() for h in headers]
        for name in wanted:
            for cell in self.cells:
                if any(h.lower() == name for h in cell.headers):
                    return cell.text
        return ""


def read_table(table: Tag) -> list[TableRow]:
    """Body rows of a ``<table>`` by header.

    Handles headers in ``<thead>`` (with or without its ``<tr>``) or in a first row of ``<th>``, headers in several
    levels (``Reserved / 7-30 days``), colspan, rowspan, row headers, and ``data-label`` on a cell, which wins over
    the column it stands in.
    """
    thead = table.find("thead")
    head: list[list[Tag]] = []
    if thead is not None:
        head = [_cells(tr) for tr in thead.find_all("tr")] or [_cells(thead)]
    body = [_cells(tr) for tr in table.find_all("tr") if tr.find_parent("thead") is None]
    if not head:
        while body and body[0] and all(cell.name == "th" for cell in body[0]):
            head.append(body.pop(0))
    headers = _headers(head)
    rows = []
    for i, line in enumerate(_grid(body), 1):
        cells: list[Cell] = []
        for cell, columns in line:
            label = attribute(cell, "data-label")
            named = tuple(headers[c] for c in columns if c < len(headers))
            cells.append(Cell((label,) if label else named or ("",), text_of(cell)))
        is_short = bool(headers) and sum(len(columns) for _, columns in line) != len(headers)
        is_labelled = all(attribute(cell, "data-label") for cell, _ in line)
        problem = f"has not the {len(headers)} cells of its header" if is_short and not is_labelled else None
        rows.append(TableRow(i, tuple(cells), problem))
    return rows


def read_grid(headers: Sequence[str], lines: Iterable[Sequence[str]]) -> list[TableRow]:
    """Rows of a table made of ``<div>``, from the texts of its header and of its lines."""
    rows = []
    for i, line in enumerate(lines, 1):
        if len(line) != len(headers):
            rows.append(TableRow(i, (), f"has {len(line)} cells under {len(headers)} headers"))
        else:
            cells = tuple(Cell((h,), text) for h, text in zip(headers, line, strict=True))
            rows.append(TableRow(i, cells))
    return rows


def _cells(row: Tag) -> list[Tag]:
    return [cell for cell in row.find_all(["th", "td"]) if cell.find_parent(["tr", "thead"]) is row]


def _span(cell: Tag, name: str) -> int:
    text = attribute(cell, name)
    return min(max(int(text), 1), 100) if text.isdigit() else 1


def _grid(rows: list[list[Tag]]) -> list[list[tuple[Tag, list[int]]]]:
    """Each row's cells with the columns they cover, cells reaching down from rows above included."""
    hanging: dict[int, tuple[Tag, int]] = {}  # column: (cell, rows it still covers)
    out = []
    for row in rows:
        line: list[tuple[Tag, list[int]]] = []
        column, waiting = 0, list(row)
        while waiting or column in hanging:
            if column in hanging:
                cell, left = hanging.pop(column)
                columns = [column]
                if left > 1:
                    hanging[column] = (cell, left - 1)
            else:
                cell = waiting.pop(0)
                columns = list(range(column, column + _span(cell, "colspan")))
                if (down := _span(cell, "rowspan")) > 1:
                    hanging |= dict.fromkeys(columns, (cell, down - 1))
            line.append((cell, columns))
            column = columns[-1] + 1
        out.append(line)
    return out


def _headers(head: list[list[Tag]]) -> list[str]:
    levels: list[list[str]] = []
    for line in _grid(head):
        names: dict[int, str] = {c: text_of(cell) for cell, columns in line for c in columns}
        levels.append([names.get(c, "") for c in range(max(names, default=-1) + 1)])
    width = max((len(level) for level in levels), default=0)
    out: list[str] = []
    for column in range(width):
        parts = [level[column] for level in levels if column < len(level) and level[column]]
        name = " / ".join(dict.fromkeys(parts))
        out.append(f"{name} ({out.count(name) + 1})" if name in out else name)
    return out
