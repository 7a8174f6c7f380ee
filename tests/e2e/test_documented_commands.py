"""Pages cannot rot: their queries give what they print, their commands and their Python run, their links lead somewhere."""

import re
import shlex
from pathlib import Path

import pytest

from accelmart import sql
from accelmart.cli.output import print_table

ROOT = Path(__file__).resolve().parents[2]
PAGES = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
    for path in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
}
# pages in which every query has its answer, and how many there are at least
WITH_QUERIES = {
    "README.md": 1,
    "docs/sql.md": 3,
    "docs/tutorial.md": 3,
    "docs/methodology.md": 5,
    "docs/cookbook.md": 30,
}
QUERIES = [
    (page, *found)
    for page in WITH_QUERIES
    for found in re.findall(r"```sql\n(.*?)```\s+```text\n(.*?)```", PAGES[page], flags=re.DOTALL)
]
COMMANDS = [
    line.removeprefix("accelmart ")
    for page in ("docs/tutorial.md", "README.md")
    for block in re.findall(r"```sh\n(.*?)```", PAGES[page], flags=re.DOTALL)
    for line in block.splitlines()
    if line.startswith("accelmart ")
]
ANSWERS = [
    answer
    for page in ("docs/tutorial.md", "README.md")
    for answer in re.findall(
        r"```sh\naccelmart ([^\n]*)\n```\n\n```text\n(.*?)```", PAGES[page], flags=re.DOTALL
    )
]


@pytest.mark.parametrize("page", WITH_QUERIES)
def test_every_query_shows_its_output(page):
    count = len([query for query in QUERIES if query[0] == page])
    assert PAGES[page].count("```sql") == count >= WITH_QUERIES[page]


@pytest.mark.parametrize(("page", "statement", "printed"), QUERIES)
def test_a_query_gives_what_the_page_prints(built_home, capsys, page, statement, printed):
    table = sql(statement, database=built_home / "accelmart.duckdb")
    assert table.rows
    print_table(table)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines] == [line.split() for line in printed.splitlines()]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_answers_as_it_is_pasted(built_home, accelmart, command):
    done = accelmart(built_home, *shlex.split(command, comments=True))
    assert done.returncode == 0 and done.stdout.strip(), done.stderr


@pytest.mark.parametrize(("command", "printed"), ANSWERS)
def test_a_command_prints_what_the_page_shows(built_home, accelmart, command, printed):
    done = accelmart(built_home, *shlex.split(command, comments=True), settings={"COLUMNS": "100"})
    # the age of prices grows by itself
    shown, now = (re.sub(r"\d+ days", "n days", text).split() for text in (printed, done.stdout))
    assert now == shown


def test_the_python_of_the_pages_runs(built_home, monkeypatch, capsys):
    monkeypatch.setenv("ACCELMART_HOME", str(built_home))
    names = {"docs/tutorial.md": {}, "docs/python.md": {}}
    for page, scope in names.items():
        exec(re.search(r"```python\n(.*?)```", PAGES[page], re.DOTALL)[1], scope)
    assert "nvidia-h200-sxm-141gb" in capsys.readouterr().out and len(names["docs/tutorial.md"]["frame"]) > 3
    found = names["docs/python.md"]
    assert set(found["frame"]["pricing_model"]) == {"on_demand"}
    assert {o["pricing_model"] for o in found["offers"]} == {"spot"}
    assert found["options"][0]["rank"] == 1 and found["run"].figures["days"] > 0
    assert {row["topic"] for row in found["rows"]} > {"specification", "inference", "training", "rent"}


def test_the_commands_and_targets_that_pages_name_exist(accelmart, tmp_path):
    known = set(
        re.findall(r"^  ([a-z][\w-]*)  +\S", accelmart(tmp_path, "--help").stdout, flags=re.MULTILINE)
    )
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([\w-]+):", makefile, flags=re.MULTILINE))
    assert "build" in known
    assert not [c for c in known if f"`accelmart {c}" not in PAGES["docs/cli.md"]]
    for page, text in PAGES.items():
        named = set(re.findall(r"(?:`|^|bin/)accelmart ([a-z][\w-]*)", text, flags=re.MULTILINE))
        assert named <= known, page
        assert set(re.findall(r"(?:`|^)make ([a-z]+)", text, flags=re.MULTILINE)) <= targets, page


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\((?!https?://)([^)\s]+)\)", PAGES[page]):
        path, _, anchor = target.partition("#")
        file = (ROOT / page).parent / path if path else ROOT / page
        assert file.exists(), target
        if anchor:
            heads = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
            slugs = {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in heads}
            assert anchor in slugs, target


def test_the_readme_counts_the_results(warehouse):
    (count,) = warehouse.execute("select count(*) from fct_inference_result").fetchone()
    assert f"{count:,} results of MLPerf Inference" in PAGES["README.md"]
