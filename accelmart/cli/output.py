"""What commands print: results on standard output, everything else on standard error.

Names in results are upstream's. Characters that control a terminal are printed as escapes (``\\x1b``), so that no name
colours, moves or forges a line. CSV is without them, and cells that a spreadsheet would run as a formula begin with an
apostrophe.

Rich is imported when something is drawn: `accelmart --help` must not wait for it.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from itertools import chain, islice
from typing import Annotated, Any

import typer

from accelmart.cli.texts import wrapped
from accelmart.published import Stream, Table
from accelmart.tables import cell, console, distinct, draw, visible, widths_of, without_hidden

# seconds to the first words about progress in a pipe, and to the next ones; on one line the wait then doubles
_FIRST_LINE_S, _NEXT_LINE_S = 2, 30

LINE_WIDTH = 100
# of a short answer, and of records
MOST_LINES = 12
# rows that are drawn as a table: its widths are known only when all of them are
_DRAWN_ROWS = 10_000
# text cells that begin like this, perhaps behind white space, are formulas to spreadsheets (OWASP, CSV injection)
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")


class Format(StrEnum):
    """How rows are printed."""

    table = "table"
    csv = "csv"
    json = "json"
    jsonl = "jsonl"


FormatOption = Annotated[Format, typer.Option("--format", "-f", help="How to print.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Explain = Annotated[bool, typer.Option("--explain", help="Print reasons, evidence and assumptions too.")]
AllRows = Annotated[bool, typer.Option("--all", help="Print all rows.")]


def say(text: str) -> None:
    """Print a line of the result; line feeds before and behind it are empty lines."""
    line = text.strip("\n")
    before, _, behind = text.partition(line) if line else (text, "", "")
    typer.echo(f"{before}{visible(line)}{behind}")


def line_width() -> int:
    """Return how wide the lines of an answer are: the terminal, at most `LINE_WIDTH`."""
    return min(LINE_WIDTH, shutil.get_terminal_size((LINE_WIDTH, 24)).columns)


def say_wrapped(text: str) -> None:
    """Print a sentence of the result in lines of a terminal's width."""
    for line in wrapped(text, line_width()):
        say(line)


def say_all(*sentences: str) -> None:
    """Print sentences of the result, each in lines of its own."""
    for sentence in sentences:
        say_wrapped(sentence)


def note(text: str) -> None:
    """Print a sentence about a result that is printed for programs to standard error."""
    typer.echo(visible(text), err=True)


def complain(text: str) -> None:
    """Print a message for people to act on to standard error, in red where colours show and are wanted (NO_COLOR)."""
    typer.secho(
        visible(text, keep="\n\t"), fg=None if os.environ.get("NO_COLOR") else typer.colors.RED, err=True
    )


def _json(value: Any) -> str:
    text = json.dumps(value, indent=2, default=str, ensure_ascii=False)
    if text.replace("\n", "").isprintable():
        return text
    # what is no ASCII and not printed may control a terminal; within a string an escape means the same
    return "".join(
        c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] if ord(c) > 127 else f"\\u{ord(c):04x}"
        for c in text
    )


def print_json(value: Any) -> None:
    """Print one JSON document; dates and decimals as text."""
    sys.stdout.write(_json(value) + "\n")


def print_rows(table: Table | Stream, form: Format) -> None:
    """Print rows as a table for people, as CSV, as a JSON array of objects or as one JSON object a line.

    Of columns of one name, JSON has the second as ``name_2``.

    Rows are printed as they are read: the memory needed does not depend on their number.
    """
    names = distinct(table.columns)
    if form is Format.json:
        start = "["
        for row in table.rows:
            record = dict(zip(names, row, strict=True))
            sys.stdout.write(f"{start}\n{textwrap.indent(_json(record), '  ')}")
            start = ","
        sys.stdout.write("[]\n" if start == "[" else "\n]\n")
    elif form is Format.jsonl:
        for row in table.rows:
            record = dict(zip(names, row, strict=True))
            sys.stdout.write(json.dumps(record, default=str).replace("\x7f", "\\u007f") + "\n")
    elif form is Format.csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(map(_csv_cell, table.columns))
        writer.writerows(map(_csv_cell, row) for row in table.rows)
    else:
        print_table(table)


def _csv_cell(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    text = without_hidden(value, keep="\r\n\t")
    if text.startswith(FORMULA_STARTS) or text.lstrip().startswith(FORMULA_STARTS):
        text = f"'{text}"
    # Python quotes a cell with a line feed, and not one with a carriage return, which ends a line to many readers
    return text.replace("\r\n", "\n").replace("\r", "\n")


def print_table(table: Table | Stream, *, right: Iterable[str] = ()) -> None:
    """Print rows in columns, and their number; of very many rows the first ones.

    Args:
        table: the rows.
        right: columns of figures, which end on the right.
    """
    rows = iter(table.rows)
    drawn = draw(table.columns, islice(rows, _DRAWN_ROWS), right=right)
    console().print(drawn)
    if next(rows, None) is None:
        say(f"({drawn.row_count} rows)" if drawn.row_count != 1 else "(1 row)")
    else:
        say(f"(the first {drawn.row_count:,} rows; all of them: --format csv, json or jsonl)")


def print_narrow(headings: list[str], rows: list[tuple[str, ...]], width: int) -> None:
    """Print rows in columns of a width: where they do not fit, the cells of the widest column are cut."""
    lengths = widths_of(headings, rows)
    widest = lengths.index(max(lengths))
    most = max(lengths[widest] - max(_line_length(lengths) - width, 0), 8)
    cut = [
        tuple(f"{c[: most - 1]}…" if i == widest and len(c) > most else c for i, c in enumerate(row))
        for row in rows
    ]
    right = [
        name for i, name in enumerate(headings) if all(not r[i] or r[i][0] in "$+-0123456789" for r in rows)
    ]
    console(width).print(draw(headings, cut, right=right))


def _line_length(lengths: list[int]) -> int:
    return sum(lengths) + 2 * (len(lengths) - 1)


def print_fitting(table: Table | Stream, *, every_row: bool = False) -> None:
    """Print rows in columns where the terminal (or ``COLUMNS``) is wide enough, else the first ones as records.

    Args:
        table: the rows.
        every_row: whether records are of all rows.
    """
    rows = iter(table.rows)
    first = list(islice(rows, _DRAWN_ROWS))
    all_rows = Stream(table.columns, chain(first, rows))
    if (width := _known_width()) is None or _line_length(widths_of(table.columns, first)) <= width:
        print_table(all_rows)
    else:
        _print_records(all_rows, width, every_row=every_row)


def _known_width() -> int | None:
    """Return the columns of the terminal, or the value of COLUMNS; a pipe has none."""
    is_known = sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit()
    return shutil.get_terminal_size().columns if is_known else None


def _print_records(table: Stream, width: int, *, every_row: bool) -> None:
    """Print rows as records, a line a value that is not null; a single row, and all rows if asked for, in full."""
    names = distinct(table.columns)
    column = min(max(map(len, names)), width // 2)
    two = list(islice(table.rows, 2))
    is_whole, rows = every_row or len(two) < 2, chain(two, table.rows)
    n_lines = n_rows = n_hidden = 0
    for row in rows:
        lines = [f"row {n_rows + 1:,}", *_record(names, row, column, width, is_whole=is_whole)]
        if n_rows and not is_whole and n_lines + len(lines) >= MOST_LINES:
            n_more = 1 + sum(1 for _ in rows)
            hidden = f" and {n_hidden} more columns" if n_hidden else ""
            say(f"({n_more:,} more rows{hidden}, wider than {width} columns; all: --all, or --format csv)")
            return
        shown = lines if is_whole else lines[: MOST_LINES - 1]
        for line in shown:
            say(line)
        n_lines, n_rows, n_hidden = n_lines + len(shown), n_rows + 1, n_hidden + len(lines) - len(shown)
    say(f"({n_rows:,} rows)" if n_rows != 1 else "(1 row)")


def _record(names: list[str], row: tuple[Any, ...], column: int, width: int, *, is_whole: bool) -> list[str]:
    indent = " " * (column + 2)
    lines = []
    for name, value in zip(names, row, strict=True):
        if value is not None:
            text = f"{name:{column}}  {visible(cell(value))}"
            in_full = textwrap.wrap(text, width, subsequent_indent=indent, break_on_hyphens=False)
            lines += in_full if is_whole or len(text) <= width else [f"{text[: width - 1]}…"]
    return lines


@contextmanager
def progress(text: str, *, on_one_line: bool = False) -> Iterator[Callable[[str], None]]:
    """Show progress while the block runs.

    Args:
        text: what is done.
        on_one_line: a pipe gets one line that grows; for blocks that print nothing.

    Yields:
        A function that takes the current step. A terminal shows it at once, with the time taken; a pipe gets a line
        after two seconds, and then one every 30, or one line that grows.
    """
    started = time.monotonic()
    if sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(text, total=None)
            yield lambda step: bar.update(task, description=visible(f"{text} {step}"))
        return
    step, over = "", threading.Event()

    def write() -> None:
        wait_s, width = _FIRST_LINE_S, 0
        while not over.wait(wait_s):
            words = " ".join(f"{text} {step} ({time.monotonic() - started:.0f} s)".split())
            if not on_one_line:
                typer.echo(words, err=True)
                wait_s = _NEXT_LINE_S
                continue
            if width:
                words = f", {words.removeprefix(text).strip()}"
            if width + len(words) > LINE_WIDTH:
                width, words = 0, f"\n{words.lstrip(', ')}"
            typer.echo(words, err=True, nl=False)
            width += len(words)
            wait_s = max(_NEXT_LINE_S, 2 * wait_s)
        if width:
            typer.echo(err=True)

    def note(words: str) -> None:
        nonlocal step
        step = visible(words)

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    try:
        yield note
    finally:
        over.set()
        writer.join()
