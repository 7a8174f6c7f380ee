"""Generated pages are complete; how-to pages work when followed; the notebook runs."""

import csv
import io
import json
import re
from pathlib import Path

import duckdb
import pytest

from accelmart.opening import open_file
from warehouse.build.dbt import manifest
from warehouse.outputs.docs import DocumentationGapError, gaps, pages_of, write_pages
from warehouse.storage.home import Home

ROOT = Path(__file__).resolve().parents[2]
INTERFACE = ROOT / "dbt_project/public_interface.csv"


@pytest.fixture
def warehouse(built_home):
    with open_file(built_home / "accelmart.duckdb") as db:
        yield db


def test_the_dictionary_has_a_page_for_each_table_with_every_column_and_unit(built_home):
    docs = built_home / "docs"
    cells = {}
    for page in (docs / "data-dictionary").glob("*.md"):
        for line in page.read_text(encoding="utf-8").splitlines():
            cells[page.stem, line.split(" | ")[0].removeprefix("| ").strip("`")] = line
    with INTERFACE.open(newline="", encoding="utf-8") as file:
        public = {(row["of"], row["name"]) for row in csv.DictReader(file) if row["kind"] == "column"}
    assert len(public) > 1500 and public - cells.keys() == set()
    units = {
        (node["name"], column["name"]): column["meta"].get("unit")
        for node in json.loads(manifest(Home(built_home, "x")).read_bytes())["nodes"].values()
        for column in node["columns"].values()
    }
    assert [key for key in public if units[key] and f" | {units[key]} | " not in cells[key]] == []


def test_pages_of_a_table_that_is_gone_and_of_earlier_versions_are_removed(built_home, tmp_path):
    home = Home(built_home, str(built_home / "landing"))
    write_pages(home, tmp_path)
    generation = pages_of(tmp_path)
    gone = [tmp_path / "data-dictionary/mart_gone.md", tmp_path / "methodology.md"]
    for page in gone:
        page.write_text("<!-- Generation: 20260101T000000-aaaaaa -->\n", encoding="utf-8")
    mine = tmp_path / "data-dictionary/mine.md"
    mine.write_text("Mine.", encoding="utf-8")
    assert generation and pages_of(tmp_path) is None
    write_pages(home, tmp_path)
    assert pages_of(tmp_path) == generation and mine.exists() and not any(page.exists() for page in gone)


def test_a_gap_is_named_and_stops_the_pages(warehouse, tmp_path):
    """A table, a column, a unit and a macro that are missing, beside one of each that is not."""
    assert gaps(warehouse) == []
    home = Home(tmp_path, str(tmp_path / "landing"))
    with duckdb.connect(str(home.published)) as db:
        db.execute(
            """
            create table ops_generation as select '20260101T000000-aaaaaa' as generation_id, now() as built_at, 'f' as input_fingerprint;
            create table mart_bare (id varchar, usd double, n integer, eur double);
            comment on table ops_generation is 'One row.';
            comment on column ops_generation.generation_id is 'Id.';
            comment on column ops_generation.built_at is 'When.';
            comment on column mart_bare.usd is 'A number without its unit.';
            comment on column mart_bare.n is '[rows] ';
            comment on column mart_bare.eur is '[EUR] Whole.';
            create macro described(a) as a;
            create macro undescribed(a) as a;
            comment on macro described is 'What goes in.';
            """
        )
    bare = ["mart_bare", "mart_bare.id", "mart_bare.n", "mart_bare.usd"]
    with open_file(home.published) as db:
        assert sorted(gaps(db)) == [*bare, "ops_generation.input_fingerprint", "undescribed()"]
    with pytest.raises(DocumentationGapError, match=r"mart_bare\.usd"):
        write_pages(home)
    assert not home.docs.exists()


def test_comments_of_the_file_are_the_descriptions_of_dbt(warehouse, built_home):
    nodes = json.loads(manifest(Home(built_home, "x")).read_bytes())["nodes"].values()
    expected = {}
    for node in nodes:
        for column in node["columns"].values() if node["resource_type"] in ("model", "seed") else ():
            unit = f"[{column['meta']['unit']}] " if "unit" in column["meta"] else ""
            if text := " ".join(column["description"].split()):
                expected[node["schema"], node["name"], column["name"]] = unit + text
    comments = {
        row[:3]: row[3]
        for row in warehouse.execute(
            "select schema_name, table_name, column_name, comment from duckdb_columns() where not internal"
        ).fetchall()
    }
    there = {table[:2] for table in comments}
    assert len(expected) > 1500
    assert {c: text for c, text in expected.items() if c[:2] in there and comments[c] != text} == {}
    assert [
        c for c, text in comments.items() if c[0] == "accelmart" and text != comments["main", *c[1:]]
    ] == []
    assert [c for c, text in comments.items() if text and "{{" in text] == []


def blocks(page, language):
    text = (ROOT / "docs/how-to" / page).read_text(encoding="utf-8")
    return re.findall(rf"(\S+\.csv)?`?[^`]*```{language}\n(.*?)```", text, flags=re.DOTALL)


SEEDS = {
    "add-a-source.md": (
        "cloud_providers",
        "cloud_provider_aliases",
        "cloud_regions",
        "instance_accelerators",
    ),
    "add-an-accelerator.md": ("accelerator_specs", "accelerator_aliases", "gpu_name_accelerators"),
    "add-a-benchmark.md": ("mlperf_benchmarks", "mlperf_benchmark_aliases", "mlperf_inference_metrics"),
    "add-a-claim.md": ("claims",),
}


@pytest.mark.parametrize("page", SEEDS)
def test_rows_of_a_how_to_fit_their_seeds(page):
    """As many cells as the seed has columns, and a key that is not taken."""
    examples = [text for _, text in blocks(page, "csv")]
    for seed, example in zip(SEEDS[page], examples, strict=True):
        with (ROOT / f"dbt_project/seeds/{seed}.csv").open(newline="", encoding="utf-8") as file:
            head, *there = list(csv.reader(file))
        for row in csv.reader(io.StringIO(example)):
            assert len(row) == len(head), (seed, row)
            assert row not in there


def test_the_notebook_runs(built_home, monkeypatch):
    """Its cells as a program: without Jupyter, in one scope, in order."""
    monkeypatch.setenv("ACCELMART_HOME", str(built_home))
    notebook = json.loads((ROOT / "examples/first_questions.ipynb").read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4 and all(not c.get("outputs") for c in notebook["cells"])
    scope = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), "first_questions.ipynb", "exec"), scope)
    assert scope["best"]["best"].is_monotonic_decreasing and len(scope["best"]) >= 3
    costs = scope["costs"]["usd_per_mtok"]
    assert len(costs) >= 3 and costs.is_monotonic_increasing
    assert scope["own_or_rent"]["owned_usd_per_h"].is_monotonic_increasing
    assert scope["chart"].to_dict()["mark"]["type"] == "bar"
    assert len(scope["evidence"]) == 1
