"""Tables of specifications from reStructuredText pages, as Sphinx projects write them."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from docutils import core, nodes
from docutils.parsers.rst import Directive, directives, roles

from ingest.core.html import clean
from ingest.specs.tables import SpecRow, SpecTable


class _Transparent(Directive):
    """A directive of Sphinx that only wraps other content (tabs, cards): read what is inside."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec = None

    def run(self) -> list[nodes.Node]:
        box = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, box)
        return [box]


class _Ignored(_Transparent):
    """A directive of Sphinx whose content is no text."""

    def run(self) -> list[nodes.Node]:
        return []


class _Option(dict[str, Callable[[str], object]]):
    """Any option is taken as it is: what a wrapper is called or looks like does not matter."""

    def __missing__(self, key: str) -> Callable[[str], object]:
        return lambda value: value

    def __contains__(self, key: object) -> bool:
        return True


@functools.cache
def _teach_docutils() -> None:
    wrapping = ("tab-set", "tab-item", "grid", "grid-item-card", "card", "dropdown", "tabs", "tab", "only")
    for name in wrapping:
        directives.register_directive(name, type(f"_{name}", (_Transparent,), {"option_spec": _Option()}))
    for name in ("toctree", "seealso", "program-page"):
        directives.register_directive(name, type(f"_{name}", (_Ignored,), {"option_spec": _Option()}))

    def as_text(*args: Any, **kwargs: Any) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        return [nodes.Text(re.sub(r"\s*<[^<>]*>$", "", str(args[2])))], []

    for name in ("ref", "doc", "term", "numref", "cpp:func"):
        roles.register_local_role(name, as_text)  # type: ignore[arg-type]  # its stubs know references only


@dataclass(frozen=True)
class RstPage:
    """An RST page: its title, its tables (each with head lines and body lines), and what of it could not be read."""

    title: str
    problems: tuple[str, ...]
    tables: tuple[tuple[tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]], ...]


def read_rst(text: str) -> RstPage:
    """Title and tables (grid, simple, list-table, csv-table) of an RST page, inside tabs and cards too.

    Nothing is included or executed. Cells of several lines are joined by spaces.
    """
    _teach_docutils()
    document = core.publish_doctree(
        text,
        settings_overrides={
            "report_level": 5,
            "halt_level": 6,
            "file_insertion_enabled": False,
            "raw_enabled": False,
            "_disable_config": True,
        },
    )
    title = next((clean(t.astext()) for t in document.findall(nodes.title)), "")
    tables = []
    for table in document.findall(nodes.table):
        head: list[tuple[str, ...]] = []
        body: list[tuple[str, ...]] = []
        for row in table.findall(nodes.row):
            cells = tuple(clean(entry.astext()) for entry in row.findall(nodes.entry))
            (head if isinstance(row.parent, nodes.thead) else body).append(cells)
        tables.append((tuple(head), tuple(body)))
    errors = (clean(m.astext()) for m in document.findall(nodes.system_message) if m["level"] >= 3)
    problems = tuple(
        error.partition(" .. ")[0] for error in errors if "directive" in error or "table" in error.lower()
    )
    return RstPage(title, problems, tuple(tables))


def rst_tables(page: RstPage, default_product: str = "") -> list[SpecTable]:
    """The page's tables with a product a column; a table without a head is of `default_product`."""
    out = []
    for number, (head, body) in enumerate(page.tables, 1):
        heads = head[0][1:] if head else ()
        lines = [*head[1:], *body]
        rows = tuple(
            SpecRow(f"table {number} row {i}", cells[0], cells[1:])
            for i, cells in enumerate(lines, 1)
            if len(cells) > 1 and (not heads or len(cells) - 1 == len(heads))
        )
        if rows:
            width = len(rows[0].cells)
            products = tuple(heads) if heads else (default_product,) * width
            out.append(SpecTable(products, tuple(r for r in rows if len(r.cells) == width)))
    return out
