"""Tutorial and README cannot rot: their commands and their Python run, queries give what the page prints."""

import re
import shlex
from pathlib import Path

import pytest

from accelmart import sql
from accelmart.cli.output import print_table

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/tutorial.md").read_text(encoding="utf-8")
QUERIES = re.findall(r"```sql\n(.*?)```\n\n```text\n(.*?)```", PAGE, flags=re.DOTALL)
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = [
    line.removeprefix("accelmart ")
    for page in (PAGE, README)
    for block in re.findall(r"```sh\n(.*?)```", page, flags=re.DOTALL)
    for line in block.splitlines()
    if line.startswith("accelmart ")
]


def test_every_step_is_a_heading_in_order():
    steps = re.findall(r"^## (\d+)\. ", PAGE, flags=re.MULTILINE)
    assert [int(step) for step in steps] == list(range(1, 9)) and PAGE.count("```sql") == len(QUERIES) >= 3


@pytest.mark.parametrize(("statement", "shown"), QUERIES)
def test_a_query_gives_what_the_page_prints(built_home, capsys, statement, shown):
    print_table(sql(statement, database=built_home / "accelmart.duckdb"))
    printed = capsys.readouterr().out
    assert [line.split() for line in printed.splitlines()] == [line.split() for line in shown.splitlines()]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_answers_as_it_is_pasted(built_home, accelmart, command):
    done = accelmart(built_home, *shlex.split(command, comments=True))
    assert done.returncode == 0 and done.stdout.strip(), done.stderr


def test_the_python_runs(built_home, monkeypatch, capsys):
    monkeypatch.setenv("ACCELMART_HOME", str(built_home))
    names = {}
    exec(re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)[1], names)
    assert "nvidia-h200-sxm-141gb" in capsys.readouterr().out and len(names["frame"]) > 3
