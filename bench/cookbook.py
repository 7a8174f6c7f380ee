"""Time every query of docs/cookbook.md on a published file, and write the outputs of queries and commands.

    .venv/bin/python bench/cookbook.py                 # median of 9 in one connection; fails over 50 ms
    .venv/bin/python bench/cookbook.py --write [FILE]  # put the outputs into the page (from the bundled snapshot alone)

Reads the warehouse of ACCELMART_HOME (default data/).
"""

from __future__ import annotations

import io
import os
import re
import shlex
import statistics
import subprocess
import sys
import time
from contextlib import redirect_stdout
from pathlib import Path

import duckdb

from accelmart import sql
from accelmart.cli.output import print_table
from orchestration import settings

PAGE = Path(__file__).resolve().parents[1] / "docs/cookbook.md"
BLOCK = re.compile(r"```sql\n(.*?)```\n(?:\n```text\n.*?```\n)?", flags=re.DOTALL)
# one command; only a page that shows an output gets a new one
COMMAND = re.compile(r"```sh\naccelmart ([^\n]*)\n```\n\n```text\n.*?```\n", flags=re.DOTALL)
WIDTH = "100"
LIMIT_MS = 50
ROUNDS = 9


def printed(database: Path, statement: str) -> str:
    """Return the output of `accelmart sql`."""
    out = io.StringIO()
    with redirect_stdout(out):
        print_table(sql(statement, database=database))
    return stripped(out.getvalue())


def answered(command: str) -> str:
    """Return what a command prints on a terminal of 100 columns."""
    program = Path(sys.executable).with_name("accelmart")
    words = shlex.split(command, comments=True)
    environment = {**os.environ, "COLUMNS": WIDTH}
    done = subprocess.run([program, *words], env=environment, capture_output=True, text=True, check=True)
    return stripped(done.stdout)


def stripped(text: str) -> str:
    """Return lines without blanks at their ends."""
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def write(database: Path, page: Path) -> None:
    """Write the outputs below the queries and commands of a page."""

    def shown(match: re.Match[str]) -> str:
        return f"```sql\n{match[1]}```\n\n```text\n{printed(database, match[1])}```\n"

    def shown_of_command(match: re.Match[str]) -> str:
        return f"```sh\naccelmart {match[1]}\n```\n\n```text\n{answered(match[1])}```\n"

    text = BLOCK.sub(shown, page.read_text(encoding="utf-8"))
    page.write_text(COMMAND.sub(shown_of_command, text), encoding="utf-8")


def measure(database: Path) -> bool:
    """Print the median time of each query, and return whether all are within the limit."""
    titles = re.findall(r"^### (.*)$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    slowest = 0.0
    with duckdb.connect(str(database), read_only=True) as db:
        for title, statement in zip(titles, BLOCK.findall(PAGE.read_text(encoding="utf-8")), strict=True):
            times = []
            for _ in range(ROUNDS):
                started = time.perf_counter()
                db.execute(statement).fetchall()
                times.append((time.perf_counter() - started) * 1000)
            median = statistics.median(times)
            slowest = max(slowest, median)
            print(f"{median:7.1f} ms  (min {min(times):.1f}, max {max(times):.1f})  {title}")
    print(f"{slowest:7.1f} ms  the slowest; limit {LIMIT_MS} ms")
    return slowest <= LIMIT_MS


if __name__ == "__main__":
    published = settings.home().published
    if "--write" in sys.argv:
        pages = [Path(a) for a in sys.argv[1:] if a != "--write"] or [PAGE]
        for one in pages:
            write(published, one)
    else:
        sys.exit(0 if measure(published) else 1)
