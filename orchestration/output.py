"""What commands print: results on standard output, everything else on standard error.

Rich is imported when something is drawn: `accelmart --help` must not wait for it.
"""

from __future__ import annotations

import csv
import json
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from typing import Annotated, Any

import typer

# a pipe is told that something goes on after so many seconds, then every so many
_FIRST_WORD_S, _NEXT_WORD_S = 2, 30

EXIT_FAILED = 1
LINE_WIDTH = 100
_LONGEST_NUMBER = 8

Row = tuple[Any, ...]


class Format(StrEnum):
    """How rows are printed."""

    table = "table"
    csv = "csv"
    json = "json"


FormatOption = Annotated[Format, typer.Option("--format", "-f", help="How to print.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def say(text: str) -> None:
    """A line of the result."""
    typer.echo(text)


def say_wrapped(text: str) -> None:
    """A sentence of the result, in lines of a terminal's width."""
    say(textwrap.fill(text, LINE_WIDTH))


def complain(text: str) -> None:
    """A line for people to act on, in red where colours show."""
    typer.secho(text, fg=typer.colors.RED, err=True)


def print_json(value: Any) -> None:
    """One JSON document; dates and decimals as text."""
    sys.stdout.write(json.dumps(value, indent=2, default=str, ensure_ascii=False) + "\n")


def records(columns: Sequence[str], rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Rows as dictionaries."""
    return [dict(zip(columns, row, strict=True)) for row in rows]


def print_rows(columns: Sequence[str], rows: Sequence[Row], form: Format) -> None:
    """Rows as a table for people, as CSV or as a JSON array of objects."""
    if form is Format.json:
        print_json(records(columns, rows))
    elif form is Format.csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)
    else:
        print_table(columns, rows)


def print_table(columns: Sequence[str], rows: Sequence[Row]) -> None:
    """Rows in columns, and how many there are."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*columns, box=None, pad_edge=False, header_style="bold")
    for row in rows:
        # what upstream wrote is text, whatever brackets it has
        table.add_row(*(Text(_cell(v)) for v in row))
    console = Console()
    # A pipe has no width: print what there is, never cut a figure.
    if not console.is_terminal:
        console = Console(width=10_000, soft_wrap=True)
    console.print(table)
    say(f"({len(rows)} rows)")


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        # of a long one four digits that count, and no fewer than the whole number has; csv and json have all
        text = f"{value}"
        if len(text) > _LONGEST_NUMBER:
            return f"{value:.1f}" if abs(value) >= 1000 else f"{value:.4g}"
        return text
    return f"{value}"


@contextmanager
def progress(text: str) -> Iterator[Callable[[str], None]]:
    """Say that something goes on while it does.

    Yields:
        A function that is told how far it is. A terminal shows it at once, with the time taken; a pipe gets a line
        when it lasts, and then one now and again.
    """
    started = time.monotonic()
    if sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(text, total=None)
            yield lambda step: bar.update(task, description=f"{text} {step}")
        return
    step, over = "", threading.Event()

    def told() -> None:
        wait_s = _FIRST_WORD_S
        while not over.wait(wait_s):
            typer.echo(f"{text} {step} ({time.monotonic() - started:.0f} s)", err=True)
            wait_s = _NEXT_WORD_S

    def note(words: str) -> None:
        nonlocal step
        step = words

    threading.Thread(target=told, daemon=True).start()
    try:
        yield note
    finally:
        over.set()
