"""The user's own price file, as the documentation tells it: pasted, built, found, and gone when the file is."""

import os
import re
import subprocess
import sys
from pathlib import Path

import duckdb

DOC = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "add-your-own-prices.md"


def blocks(language):
    return re.findall(
        rf"^```{language}\n(.*?)^```$", DOC.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )


def own(home):
    with duckdb.connect(str(home / "accelmart.duckdb"), read_only=True) as db:
        return db.execute(
            "select payload_url, payload_record, price, is_comparable from fct_price_interval where source = 'own-prices' "
            "order by all"
        ).fetchall()


def test_the_documented_example_works_when_pasted_and_a_wrong_line_costs_only_itself(copied_home, accelmart):
    (commands,), (printed,) = blocks("sh"), blocks("text")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["/bin/sh", "-e", "-c", commands],
        env={"PATH": path, "HOME": str(copied_home), "ACCELMART_HOME": str(copied_home), "COLUMNS": "300"},
        cwd=copied_home, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    shown = [line.split() for line in done.stdout.splitlines()]
    assert all(line.split() in shown for line in printed.splitlines())
    assert own(copied_home) == [
        ("file:quotes.csv", "line 2", 2.35, True), ("file:quotes.csv", "line 3", 27.2, True),
    ]  # fmt: skip

    file = copied_home / "overrides" / "prices" / "quotes.csv"
    file.write_text(file.read_text(encoding="utf-8").replace("2.35", "-2.35"), encoding="utf-8")
    done = accelmart(copied_home, "build")
    named = "not used, overrides/prices/quotes.csv, line 2: price is '-2.35', not a number above zero"
    assert done.returncode == 0 and named in done.stdout
    assert own(copied_home) == [("file:quotes.csv", "line 3", 27.2, True)]

    file.unlink()
    assert accelmart(copied_home, "build").returncode == 0 and own(copied_home) == []
