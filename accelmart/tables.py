"""Rows in columns, for terminals and notebooks. Rich is imported when something is drawn.

Names in rows are upstream's. Characters that control a terminal are shown as escapes (``\\x1b``), so that no name
colours, moves or forges a line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice
from typing import TYPE_CHECKING, Any
from unicodedata import category

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as Drawn

_LONGEST_NUMBER = 8
_FIRST_ROWS = 50


def distinct(columns: Sequence[str]) -> list[str]:
    """Return names of columns as the keys of a record: the second ``a`` is ``a_2``, or the next number that is free."""
    taken, out = set(columns), list[str]()
    for name in columns:
        key, number = name, 1
        while key in out or (number > 1 and key in taken):
            number += 1
            key = f"{name}_{number}"
        out.append(key)
    return out


def visible(text: str, *, keep: str = "") -> str:
    """Return the text with every character that is not printed, such as an escape or a line feed, as an escape.

    Args:
        text: of any origin.
        keep: characters that stay.
    """
    return text if text.isprintable() else "".join(c if _is_shown(c, keep) else _escape(c) for c in text)


def without_hidden(text: str, *, keep: str = "") -> str:
    """Return the text without the characters that `visible` escapes: for programs, which read an escape as text."""
    return text if text.isprintable() else "".join(c for c in text if _is_shown(c, keep))


def _is_shown(character: str, keep: str) -> bool:
    return character.isprintable() or character in keep or category(character) == "Zs"


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def draw(columns: Sequence[str], rows: Iterable[Sequence[Any]], *, right: Iterable[str] = ()) -> Drawn:
    """Return rows as a table of rich.

    Args:
        columns: headings.
        rows: values in the order of the columns.
        right: headings of columns that end on the right.
    """
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=None, pad_edge=False, header_style="bold")
    for name in columns:
        drawn.add_column(Text(visible(name)), justify="right" if name in right else "left", overflow="fold")
    for row in rows:
        drawn.add_row(*(Text(visible(cell(value))) for value in row))
    return drawn


def widths_of(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[int]:
    """Return how many characters of a terminal each column takes."""
    cells = ([len(visible(cell(value))) for value in row] for row in rows)
    return [max(lengths) for lengths in zip(map(len, columns), *cells, strict=True)]


def console(width: int | None = None) -> Console:
    """Return rich's console, of a width; without one a pipe has none, so nothing is cut there."""
    from rich.console import Console

    class Checked(Console):
        """Rich's console; whose output nobody reads any more is the command's business."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    terminal = Checked(width=width)
    if width is not None:
        return terminal
    return terminal if terminal.is_terminal else Checked(width=10_000, soft_wrap=True)


def cell(value: Any) -> str:
    """Return a value as a cell of a table: four significant digits of a long number, and all of its integer part."""
    if value is None:
        return ""
    text = f"{value}"
    if isinstance(value, float) and len(text) > _LONGEST_NUMBER:
        return f"{value:.1f}" if abs(value) >= 1000 else f"{value:.4g}"
    return text


def as_text(table: Any) -> str:
    """Return the first rows of an answer in columns, their number, and its notes."""
    wide = console()
    with wide.capture() as captured:
        wide.print(draw(table.columns, islice(table.rows, _FIRST_ROWS)))
    lines = [line.rstrip() for line in captured.get().splitlines()]
    return "\n".join([*lines, _count(table), *map(visible, table.notes)])


def as_html(table: Any) -> str:
    """Return the first rows of an answer as a table of HTML, their number, and its notes."""
    head = "".join(f"<th>{escape(visible(name))}</th>" for name in table.columns)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(visible(cell(value)))}</td>' for value in row)}</tr>"
        for row in islice(table.rows, _FIRST_ROWS)
    )
    notes = "".join(f"<p>{escape(visible(note))}</p>" for note in (_count(table), *table.notes))
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}"


def _count(table: Any) -> str:
    n = len(table.rows)
    return f"({n:,} rows)" if n <= _FIRST_ROWS else f"(the first {_FIRST_ROWS} of {n:,} rows)"
