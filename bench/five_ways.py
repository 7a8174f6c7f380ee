"""Ask drawn questions of SQL, Python, the command and the agents' tool, and compare the answers.

Run: python bench/five_ways.py HOME [times=200] [question ...]. HOME is a built data root. The questions are those of
tests/e2e/test_five_ways.py; the first difference ends it with an error.
"""

import random
import sys
from functools import partial
from pathlib import Path

from played import ROOT  # isort: skip  it adds the folders of the tests to the path

sys.path.insert(0, str(ROOT / "tests" / "e2e"))
from conftest import run
from test_five_ways import QUESTIONS, compare_ways, drawn


def main(home: Path, times: int = 200, *only: str) -> None:
    """Ask each question so many times, and print how many answers were equal."""
    for (question, function), arguments in QUESTIONS.items():
        if only and question not in only:
            continue
        chance = random.Random(f"{times} {question}")
        counts = [
            compare_ways(partial(run, here=True), home, question, function, drawn(arguments, chance))
            for _ in range(times)
        ]
        answered = [n for n in counts if n is not None]
        print(
            f"{question}: {times} questions, {len(answered)} answered, {sum(answered)} rows equal in four ways",
            flush=True,
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), *map(int, sys.argv[2:3]), *sys.argv[3:])
