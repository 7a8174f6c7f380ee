"""README and pages cannot rot: their queries give what they print, their commands and links exist."""

import re
from pathlib import Path

import pytest

from accelmart import sql
from accelmart.cli.output import print_table

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
WITH_QUERIES = ("README.md", "docs/sql.md")
QUERIES = [
    (page, *found)
    for page in WITH_QUERIES
    for found in re.findall(r"```sql\n(.*?)```\s+```text\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
]  # fmt: skip
PAGES = sorted(
    path.relative_to(ROOT)
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
)  # fmt: skip


@pytest.mark.parametrize("page", WITH_QUERIES)
def test_every_query_shows_its_output(page):
    count = len([q for q in QUERIES if q[0] == page])
    assert count >= 3 and (ROOT / page).read_text(encoding="utf-8").count("```sql") == count


@pytest.mark.parametrize(("page", "statement", "printed"), QUERIES)
def test_a_query_gives_what_the_page_prints(built_home, capsys, page, statement, printed):
    table = sql(statement, database=built_home / "accelmart.duckdb")
    assert table.rows
    print_table(table)
    assert [line.split() for line in capsys.readouterr().out.splitlines()] == [
        line.split() for line in printed.splitlines()
    ]


def test_the_python_example_runs(built_home, monkeypatch):
    monkeypatch.setenv("ACCELMART_HOME", str(built_home))
    page = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    names = {}
    exec(re.search(r"```python\n(.*?)```", page, re.DOTALL)[1], names)
    on_demand = {c["accelerator_id"] for c in names["frame"].to_dict(orient="records")}
    assert "nvidia-h100-sxm-80gb" in on_demand and set(names["frame"]["pricing_model"]) == {"on_demand"}
    assert {o["pricing_model"] for o in names["offers"]} == {"spot"}
    assert names["options"][0]["rank"] == 1 and names["run"].figures["days"] > 0
    assert {row["topic"] for row in names["rows"]} > {
        "specification",
        "inference",
        "training",
        "rent",
        "ownership",
    }


def test_the_commands_and_targets_that_pages_name_exist(accelmart, tmp_path):
    known = set(
        re.findall(r"^  ([a-z][\w-]*)  +\S", accelmart(tmp_path, "--help").stdout, flags=re.MULTILINE)
    )
    targets = set(re.findall(r"^([\w-]+):", MAKEFILE, flags=re.MULTILINE))
    cli = (ROOT / "docs/cli.md").read_text(encoding="utf-8")
    assert {"build", "fetch", "status", "rollback", "snapshot"} <= known
    assert not [c for c in known if f"`accelmart {c}" not in cli], "every command stands in docs/cli.md"
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        named = set(re.findall(r"(?:`|^|bin/)accelmart ([a-z][\w-]*)", text, flags=re.MULTILINE))
        assert named <= known, page
        assert set(re.findall(r"(?:`|^)make ([a-z]+)", text, flags=re.MULTILINE)) <= targets, page


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_links_lead_somewhere(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?://)([^)\s]+)\)", text):
        path, _, anchor = target.partition("#")
        file = (ROOT / page).parent / path if path else ROOT / page
        assert file.exists(), f"{page}: {target}"
        if anchor:
            heads = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
            slugs = {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in heads}
            assert anchor in slugs, f"{page}: {target}"


def test_it_fits_two_screens_and_marks_prices_of_fewer_accelerators(warehouse):
    assert len(README.splitlines()) <= 110
    (day,) = warehouse.execute("select newest_price_day()").fetchone()
    assert f"list prices as of {day}" in README
    costs = [(q, shown) for page, q, shown in QUERIES if page == "README.md" and "mart_cost_headline" in q]
    assert costs
    marked = warehouse.execute(
        "select size_note from mart_cost_headline where benchmark_id = 'deepseek-r1' and scenario = 'Server' "
        "and release = 'v6.1' and pricing_model = 'on_demand' and is_smaller_than_measured"
    ).fetchall()
    assert marked
    for _, shown in costs:
        assert all(note in shown for (note,) in marked)


def test_its_count_of_results_is_right(warehouse):
    (count,) = warehouse.execute("select count(*) from fct_inference_result").fetchone()
    assert f"{count:,} results of MLPerf Inference" in README
