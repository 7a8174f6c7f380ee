"""Exports: readable files, a correct descriptor, and a folder that is complete at any time."""

import csv
import hashlib
import io
import json
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from ingest.registry import SOURCES
from warehouse.outputs.export import ExportError, export

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def exported(built_home, accelmart, tmp_path_factory):
    folder = tmp_path_factory.mktemp("out") / "parquet"
    done = accelmart(built_home, "export", folder, "--json")
    assert done.returncode == 0, done.stderr
    recorded = json.loads(done.stdout)
    assert recorded["folder"] == str(folder) and recorded["relations"] == len(list(folder.glob("*.parquet")))
    return folder


def test_the_descriptor_matches_the_files(exported, warehouse):
    package = json.loads((exported / "datapackage.json").read_text())
    assert package["$schema"] == "https://datapackage.org/profiles/2.0/datapackage.json"
    tables = {
        name
        for (name,) in warehouse.execute(
            "select table_name from duckdb_tables() where schema_name = 'main'"
        ).fetchall()
    }
    assert {r["name"] for r in package["resources"]} == {*tables, "answers"}
    for resource in package["resources"]:
        assert re.fullmatch(r"[a-z0-9._-]+", resource["name"])
        path = exported / resource["path"]
        assert resource["bytes"] == path.stat().st_size
        assert resource["hash"] == "sha256:" + hashlib.sha256(path.read_bytes()).hexdigest()
        fields = resource["schema"]["fields"]
        assert resource["description"] and all(f["description"] for f in fields)
        if resource["name"] == "answers":
            continue
        file = pq.ParquetFile(path)
        assert [f["name"] for f in fields] == file.schema_arrow.names
        assert resource["rows"] == file.metadata.num_rows
        content = "select bit_xor(hash(r)) from {} as r"
        ours, theirs = (content.format(what) for what in (f"'{path}'", f"main.{resource['name']}"))
        assert warehouse.execute(ours).fetchall() == warehouse.execute(theirs).fetchall(), resource["name"]
        for field in fields:
            arrow = str(file.schema_arrow.field(field["name"]).type)
            assert (field["type"] in {"number", "integer"}) == bool(
                re.match(r"double|float|decimal|u?int", arrow)
            )
            assert field["type"] not in {"number", "integer"} or field["unit"], (resource["name"], field)
        required = [f["name"] for f in fields if "constraints" in f]
        empty = " or ".join(f"coalesce(cast({name} as varchar), '') = ''" for name in required) or "false"
        assert not warehouse.execute(f"from '{path}' where {empty}").fetchall(), resource["name"]
        recorded = json.loads(file.schema_arrow.metadata[b"units"])
        assert recorded == {f["name"]: f["unit"] for f in fields if "unit" in f}
    payloads = warehouse.execute("select distinct payload_sha256, licence from ops_reconciliation").fetchall()
    assert {(s["hash"].removeprefix("sha256:"), s["license"]) for s in package["sources"]} == {*payloads}
    licences = {text["title"].rpartition(": ")[0] for text in package["licenses"]}
    assert licences == {licence for _, licence in payloads}


def test_the_croissant_description_has_what_the_specification_requires_and_matches_the_files(exported):
    """Required and typed by the specification; `mlcroissant` 1.1.1 reads tables of it without an error."""
    described = json.loads((exported / "croissant.json").read_text())
    assert (described["@type"], described["conformsTo"]) == (
        "sc:Dataset",
        "http://mlcommons.org/croissant/1.0",
    )
    required = ("name", "description", "license", "url", "creator", "datePublished", "version", "citeAs")
    assert all(described[name] for name in required)
    files = {f["@id"]: f for f in described["distribution"]}
    assert {f.name for f in exported.iterdir() if f.suffix != ".json"} == {*files}
    for name, file in files.items():
        assert (file["@type"], file["contentUrl"]) == ("cr:FileObject", name) and file["encodingFormat"]
        assert file["sha256"] == hashlib.sha256((exported / name).read_bytes()).hexdigest()
    arrow = {
        "sc:Float": r"double|float|decimal",
        "sc:Integer": r"u?int",
        "sc:Boolean": "bool",
        "sc:Date": "date",
    }
    ids = [f["@id"] for table in described["recordSet"] for f in table["field"]]
    assert len(ids) == len({*ids}) and len(described["recordSet"]) == len(files)
    for table in (t for t in described["recordSet"] if t["name"] != "answers"):
        schema = pq.ParquetFile(exported / f"{table['name']}.parquet").schema_arrow
        assert [f["source"]["extract"]["column"] for f in table["field"]] == schema.names
        for field in table["field"]:
            assert field["@type"] == "cr:Field" and field["source"]["fileObject"]["@id"] in files
            kind = str(schema.field(field["name"]).type)
            expected = [t for t, form in arrow.items() if re.match(form, kind)] or ["sc:Text", "sc:DateTime"]
            assert field["dataType"] in expected and field.get("repeated", False) == kind.startswith("list")


def test_answers_csv_has_a_row_an_answer_and_figures_that_follow_from_each_other(exported, warehouse):
    """Costs and carbon are computed here from hours, speeds and joules, by the definition of their units."""
    text = (exported / "answers.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(text)))
    measured = "from mart_token_throughput where is_representative"
    assert {(r["accelerator_id"], r["benchmark_id"], r["scenario"]) for r in rows} == {
        *warehouse.execute(f"select accelerator_id, benchmark_id, scenario {measured}").fetchall()
    }
    assert len(rows) == warehouse.execute(f"select count(*) {measured}").fetchone()[0] > 200
    ((day,),) = warehouse.execute("select newest_price_day()::varchar").fetchall()
    ((grid,),) = warehouse.execute(
        "select distinct kg_co2e_per_kwh from dim_grid semi join mart_energy using (grid_id)"
    ).fetchall()
    n_costs = 0
    for row in rows:
        number = {name: float(value) for name, value in row.items() if "_per_" in name and value}
        assert row["accelerator"] and row["model"] and row["price_day"] == day
        assert "{" not in "".join(row.values()) and not row["accelerator"].startswith(row["accelerator_id"])
        tokens_per_hour = number["output_tokens_per_s_per_accelerator"] * 3600
        for way in ("rent", "own"):
            cost = number.get(f"{way}_usd_per_output_mtok")
            assert (cost is None) == bool(row[f"{way}_note"]), "a missing figure has a reason"
            if cost is not None:
                n_costs += 1
                hour = number[f"{way}_usd_per_accelerator_hour"]
                assert cost == pytest.approx(hour / tokens_per_hour * 1e6, rel=1e-4)
                low, high = (number[f"{way}_usd_per_output_mtok_{end}"] for end in ("low", "high"))
                assert low <= cost <= high
        kwh = number["j_per_output_token_modelled"] / 3.6
        assert number["kg_co2e_per_output_mtok_modelled"] == pytest.approx(kwh * grid, rel=1e-4)
    assert n_costs > 300


def test_the_licences_of_bundled_and_fetched_sources_are_stated(warehouse):
    """In LICENSE-DATA.md: the first table is what a build without any fetch has, the second the other sources."""
    text = (ROOT / "LICENSE-DATA.md").read_text(encoding="utf-8")
    tables = [
        {
            (source, licence)
            for licence, sources in re.findall(r"^\| (?!licence|---)(.*?) \| (.*?) \|$", part, re.MULTILINE)
            for source in sources.split(", ")
        }
        for part in text.split("## ")[1:]
    ]
    shipped = warehouse.execute("select distinct source, licence from ops_reconciliation").fetchall()
    assert tables[0] == {*shipped}
    every = {(name, source.licence) for name, source in SOURCES.items() if name != "own-prices"}
    assert tables[1] == every - tables[0]


def test_only_an_earlier_export_is_replaced_and_completely(built_home, tmp_path):
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("years of work")
    database = built_home / "accelmart.duckdb"
    with pytest.raises(ExportError, match="is not an earlier export"):
        export(database, mine)
    assert [p.name for p in mine.iterdir()] == ["thesis.txt"]

    again = tmp_path / "again"
    export(database, again)
    (again / "left_over.parquet").write_text("of an older version")
    export(database, again)
    assert not (again / "left_over.parquet").exists()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["again", "mine"], "nothing is left beside it"
