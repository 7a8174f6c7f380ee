"""The user's own price file, as the documentation has it: pasted, built and found."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from home_copies import file_rows

PAGE = Path(__file__).resolve().parents[2] / "docs/how-to/add-your-own-prices.md"
OWN = (
    "select payload_url, payload_record, price, is_comparable from fct_price_interval "
    "where source = 'own-prices' order by all"
)
REJECTED = "select payload_key, payload_record from ops_reject where source = 'own-prices' order by all"
REFUSED = """seller;accelerator;pricing_model;price;unit;first_seen
scaleway;nvidia-l4;on_demand;1,5;accelerator_hour;10/05/2026
scaleway;nvidia-l4;on_demand;28,500;accelerator_hour;2026-10-05
scaleway;nvidia-l4;on_demand;€ 1,5;accelerator_hour;2026-10-05
scaleway;nvidia-l4;on_demand;1,5;accelerator_hour;soon
scaleway;nvidia-l4;on_demand;;accelerator_hour;2026-10-05
"""


def documented(language):
    """Return the only block of a language on the page about own prices."""
    text = PAGE.read_text(encoding="utf-8")
    (block,) = re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return block


def paste(home, commands):
    """Run commands of the page in a shell, and return what they print."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {"PATH": path, "HOME": str(home), "ACCELMART_HOME": str(home), "COLUMNS": "300"}
    words = ["/bin/sh", "-e", "-c", commands]
    return subprocess.run(
        words, env=env, cwd=home, capture_output=True, text=True, timeout=300, check=True
    ).stdout


def own_prices(home):
    """Add prices as documented; after a build damage one line and add a file of which no line can be read."""
    before_the_build, after_the_build = documented("sh").split("accelmart build\n")
    paste(home, before_the_build)
    first = yield
    shown, pasted = paste(home, after_the_build), file_rows(first.file, OWN)
    quotes = home / "overrides/prices/quotes.csv"
    quotes.write_text(quotes.read_text(encoding="utf-8").replace("2.35", "-2.35"), encoding="utf-8")
    quotes.with_name("refused.csv").write_text(REFUSED, encoding="utf-16", newline="\r\n")
    second = yield
    yield shown, pasted, second.printed


@pytest.mark.xdist_group("operated")
def test_the_documented_example_works_when_pasted_and_a_wrong_line_costs_only_itself(operated):
    shown, pasted, damaged = operated.own_prices
    lines = [line.split() for line in shown.splitlines()]
    assert all(line.split() in lines for line in documented("text").splitlines())
    right = ("file:quotes.csv", "line 3", 27.2, True)
    assert pasted == [("file:quotes.csv", "line 2", 2.35, True), right]
    assert file_rows(operated.second, OWN) == [right]
    lines = [("quotes", "line 2"), *(("refused", f"line {n}") for n in range(2, 7))]
    assert file_rows(operated.second, REJECTED) == lines
    for problem in (
        "quotes.csv, line 2: price is '-2.35', not a number above zero",
        "refused.csv, line 2: separated by semicolons: first_seen is '10/05/2026'",
    ):
        assert f"not used, overrides/prices/{problem}" in damaged
    assert " shown; the others: " in damaged
