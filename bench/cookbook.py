"""Time every query of docs/cookbook.md on a published file, and write its output.

    .venv/bin/python bench/cookbook.py                 # median of 9 in one connection; fails over 50 ms
    .venv/bin/python bench/cookbook.py --write [FILE]  # put the outputs into the page (from the bundled snapshot alone)

Reads the warehouse of ACCELMART_HOME (default data/).
"""

from __future__ import annotations

import io
import re
import statistics
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
LIMIT_MS = 50
ROUNDS = 9


def printed(database: Path, statement: str) -> str:
    """Return the output of `accelmart sql`."""
    out = io.StringIO()
    with redirect_stdout(out):
        print_table(sql(statement, database=database))
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def write(database: Path, page: Path) -> None:
    """Write the outputs below the queries of a page."""

    def shown(match: re.Match[str]) -> str:
        return f"```sql\n{match[1]}```\n\n```text\n{printed(database, match[1])}```\n"

    page.write_text(BLOCK.sub(shown, page.read_text(encoding="utf-8")), encoding="utf-8")


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
