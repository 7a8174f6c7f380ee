"""Exports: readable files, a correct descriptor, and a folder that is complete at any time."""

import csv
import hashlib
import json
import re
import shutil
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

from warehouse.export import ExportError, ExportForm, export, publish_exports
from warehouse.home import Home
from warehouse.publish import publish

TYPES = {"string", "number", "integer", "boolean", "date", "datetime", "array"}


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
        name for (name,) in warehouse.execute("select table_name from duckdb_tables() where schema_name = 'main'").fetchall()
    }  # fmt: skip
    assert {r["name"] for r in package["resources"]} == tables
    for resource in package["resources"]:
        assert re.fullmatch(r"[a-z0-9._-]+", resource["name"])
        path = exported / resource["path"]
        assert resource["bytes"] == path.stat().st_size
        assert resource["hash"] == "sha256:" + hashlib.sha256(path.read_bytes()).hexdigest()
        file = pq.ParquetFile(path)
        fields = resource["schema"]["fields"]
        assert [f["name"] for f in fields] == file.schema_arrow.names
        assert resource["rows"] == file.metadata.num_rows
        assert resource["description"] and all(f["description"] for f in fields)
        for field in fields:
            arrow = str(file.schema_arrow.field(field["name"]).type)
            assert field["type"] in TYPES
            assert (field["type"] in {"number", "integer"}) == bool(
                re.match(r"double|float|decimal|u?int", arrow)
            )
            assert field["type"] not in {"number", "integer"} or field["unit"], (resource["name"], field)
        recorded = json.loads(file.schema_arrow.metadata[b"units"])
        assert recorded == {f["name"]: f["unit"] for f in fields if "unit" in f}


def test_the_descriptor_names_every_source_with_its_licence(exported, warehouse):
    package = json.loads((exported / "datapackage.json").read_text())
    payloads = warehouse.execute("select distinct payload_sha256, licence from ops_reconciliation").fetchall()
    recorded = {(s["hash"].removeprefix("sha256:"), s["license"]) for s in package["sources"]}
    assert recorded == set(payloads)
    assert all(licence["name"] and licence["title"] for licence in package["licenses"])
    assert {licence for _, licence in payloads} == {
        text["title"].rpartition(": ")[0] for text in package["licenses"]
    }


@pytest.mark.parametrize("table", ["fct_inference_result", "mart_claim_check", "mart_tco", "ops_reject"])
def test_the_files_equal_the_warehouse(exported, built_home, table):
    with duckdb.connect() as db:
        db.execute(f"attach '{built_home / 'accelmart.duckdb'}' as w (read_only)")
        (differing,) = db.execute(
            f"""
            select count(*) from (
                (from w.main.{table} except all from '{exported / table}.parquet')
                union all
                (from '{exported / table}.parquet' except all from w.main.{table})
            )
            """
        ).fetchone()
    assert differing == 0


def test_csv_is_readable_by_other_readers(built_home, tmp_path, warehouse):
    export(built_home / "accelmart.duckdb", tmp_path / "csv", ExportForm.csv)
    package = json.loads((tmp_path / "csv/datapackage.json").read_text())
    (resource,) = (r for r in package["resources"] if r["name"] == "mart_claim_check")
    assert (resource["format"], resource["encoding"]) == ("csv", "utf-8")
    with (tmp_path / "csv" / resource["path"]).open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == resource["rows"]
    ids = dict(warehouse.execute("select claim_id, subject_ids from mart_claim_check").fetchall())
    assert any(ids.values())
    assert {r["claim_id"]: json.loads(r["subject_ids"]) if r["subject_ids"] else None for r in rows} == ids
    with (tmp_path / "csv/ops_generation.csv").open(newline="") as file:
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", next(csv.DictReader(file))["built_at"])


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


def test_an_export_without_a_warehouse_is_refused(accelmart, tmp_path):
    done = accelmart(tmp_path, "export", tmp_path / "out", here=True)
    assert done.returncode == 3 and "make warehouse" in done.stderr and not (tmp_path / "out").exists()


def test_a_publication_writes_exports_and_moves_the_link_atomically(
    built_home, accelmart, tmp_path, monkeypatch
):
    """Open files stay readable during the next export; only what changed is written; a rollback also moves the exports."""
    exports = built_home / "exports"
    assert exports.is_symlink()
    package = json.loads((exports / "datapackage.json").read_text())
    with duckdb.connect(str(built_home / "accelmart.duckdb"), read_only=True) as db:
        assert (package["version"],) == db.execute("select generation_id from ops_generation").fetchone()

    home = tmp_path / "home"
    shutil.copytree(
        built_home, home, symlinks=True, ignore=shutil.ignore_patterns("*.lock", "builds", "dagster", "raw")
    )
    reader = Path(home / "exports").resolve()
    # another generation: the same file with another name
    newer = home / "newer.duckdb"
    shutil.copy(home / "accelmart.duckdb", newer)
    with duckdb.connect(str(newer)) as db:
        db.execute("update ops_generation set generation_id = '29990101T000000-abcdef'")
        db.execute("update ops_generation set previous_generation_id = ?", [package["version"]])
    there = Home(home, str(home / "landing"))
    publish(newer, there)
    publish_exports(there)
    tables = [r["name"] for r in package["resources"]]
    with duckdb.connect(str(home / "accelmart.duckdb"), read_only=True) as db:
        for table in tables:
            file = home / "exports" / f"{table}.parquet"
            of_table, of_file = (
                db.execute(f"select count(*), bit_xor(hash(r)) from {name} as r").fetchone()
                for name in (f"main.{table}", f"'{file}'")
            )
            assert of_table == of_file, table
    assert json.loads((home / "exports/datapackage.json").read_text())["version"] == "29990101T000000-abcdef"
    assert (reader / "fct_inference_result.parquet").exists(), "the folder a reader is in stays"
    assert accelmart(home, "rollback").returncode == 0
    assert json.loads((home / "exports/datapackage.json").read_text())["version"] == package["version"]
