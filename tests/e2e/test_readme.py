"""The README cannot rot: its queries give what it prints, its commands exist."""

import re
from pathlib import Path

import pytest

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
MAKEFILE = (Path(__file__).resolve().parents[2] / "Makefile").read_text(encoding="utf-8")
QUERIES = re.findall(r"```sql\n(.*?)```\s+```text\n(.*?)```", README, flags=re.DOTALL)


def test_there_are_queries():
    assert len(QUERIES) >= 3
    assert README.count("```sql") == len(QUERIES), "every query shows its output"


@pytest.mark.parametrize(("query", "printed"), QUERIES)
def test_a_query_gives_what_the_readme_prints(built_home, accelmart, query, printed):
    done = accelmart(built_home, "sql", query)
    assert done.returncode == 0, done.stderr
    assert [line.split() for line in done.stdout.splitlines()] == [
        line.split() for line in printed.splitlines()
    ]


def test_the_commands_it_names_exist(accelmart, tmp_path):
    known = set(re.findall(r"^  (\w+) ", accelmart(tmp_path, "--help").stdout, flags=re.MULTILINE))
    named = set(re.findall(r"accelmart (build|fetch|status|sql|rollback|snapshot|\w+)(?= |`|$)", README)) - {
        "sql"
    }
    assert {"build", "fetch", "status", "rollback", "snapshot"} <= named <= known
    targets = set(re.findall(r"^(\w+):", MAKEFILE, flags=re.MULTILINE))
    assert set(re.findall(r"`?make (\w+)", README)) <= targets | {"it"}


def test_its_count_of_results_is_right(warehouse):
    (count,) = warehouse.execute("select count(*) from fct_inference_result").fetchone()
    assert f"({count:,} of them)" in README
