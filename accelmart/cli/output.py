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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from accelmart.published import Table

if TYPE_CHECKING:
    from rich.console import Console

# seconds to the first words about progress in a pipe, and to the next ones; on one line the wait then doubles
_FIRST_LINE_S, _NEXT_LINE_S = 2, 30

LINE_WIDTH = 100
_LONGEST_NUMBER = 8


class Format(StrEnum):
    """How rows are printed."""

    table = "table"
    csv = "csv"
    json = "json"


FormatOption = Annotated[Format, typer.Option("--format", "-f", help="How to print.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def say(text: str) -> None:
    """Print a line of the result."""
    typer.echo(text)


def say_wrapped(text: str) -> None:
    """Print a sentence of the result in lines of a terminal's width."""
    say(textwrap.fill(text, LINE_WIDTH))


def complain(text: str) -> None:
    """Print a line for people to act on to standard error, in red where colours show."""
    typer.secho(text, fg=typer.colors.RED, err=True)


def print_json(value: Any) -> None:
    """Print one JSON document; dates and decimals as text."""
    sys.stdout.write(json.dumps(value, indent=2, default=str, ensure_ascii=False) + "\n")


def print_rows(table: Table, form: Format) -> None:
    """Print rows as a table for people, as CSV or as a JSON array of objects."""
    if form is Format.json:
        print_json(table.records())
    elif form is Format.csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(table.columns)
        writer.writerows(table.rows)
    else:
        print_table(table)


def print_table(table: Table) -> None:
    """Print rows in columns, and their number."""
    from rich import table as rich_table
    from rich.text import Text

    drawn = rich_table.Table(*table.columns, box=None, pad_edge=False, header_style="bold")
    for row in table.rows:
        # upstream's words are text, whatever brackets they have
        drawn.add_row(*(Text(_cell(v)) for v in row))
    console().print(drawn)
    say(f"({len(table)} rows)")


def console() -> Console:
    """Return rich's console; a pipe has no width, so nothing is cut there."""
    from rich.console import Console

    terminal = Console()
    return terminal if terminal.is_terminal else Console(width=10_000, soft_wrap=True)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        # four significant digits of a long number, and all of its integer part; csv and json have every digit
        text = f"{value}"
        if len(text) > _LONGEST_NUMBER:
            return f"{value:.1f}" if abs(value) >= 1000 else f"{value:.4g}"
        return text
    return f"{value}"


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
            yield lambda step: bar.update(task, description=f"{text} {step}")
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
        step = words

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    try:
        yield note
    finally:
        over.set()
        writer.join()
