"""The cookbook cannot rot: each of its queries runs and gives what the page prints."""

import re
from pathlib import Path

import pytest

from accelmart import sql
from accelmart.cli.output import print_table

PAGE = (Path(__file__).resolve().parents[2] / "docs/cookbook.md").read_text(encoding="utf-8")
RECIPES = re.findall(
    r"^### (\d+\. [^\n]+)\n(.*?)```sql\n(.*?)```\n\n```text\n(.*?)```", PAGE, flags=re.DOTALL | re.MULTILINE
)
# of things that change by the day alone
DRIFTING = re.compile(
    r"\b(age_days|price_age_days|built_at|fetched_at|generation_id|now\(\)|current_date|today\(\))"
)


def test_every_question_has_a_number_and_an_answer():
    assert [int(title.partition(".")[0]) for title, *_ in RECIPES] == list(range(1, len(RECIPES) + 1))
    assert PAGE.count("```sql") == PAGE.count("```text") == PAGE.count("### ") == len(RECIPES) >= 30
    assert all(title.endswith("?") for title, *_ in RECIPES)


@pytest.mark.parametrize(("title", "_words", "statement", "shown"), RECIPES, ids=[r[0] for r in RECIPES])
def test_a_query_gives_what_the_page_prints(built_home, capsys, title, _words, statement, shown):
    assert not DRIFTING.search(statement), "its answer would change from one day to the next"
    table = sql(statement, database=built_home / "accelmart.duckdb")
    assert table.rows, "a question without an answer"
    print_table(table)
    printed = capsys.readouterr().out
    assert [line.split() for line in printed.splitlines()] == [line.split() for line in shown.splitlines()]
