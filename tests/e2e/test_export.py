"""Exports: readable files, a correct descriptor, and a folder that is complete at any time."""

import csv
import hashlib
import json
import re
import shutil

import duckdb
import pyarrow.parquet as pq
import pytest

from warehouse.export import ExportError, ExportForm, export, publish_exports
from warehouse.home import Home
from warehouse.publish import publish, read_generation

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


def test_csv_is_readable_by_other_readers(built_home, tmp_path, warehouse):
    export(built_home / "accelmart.duckdb", tmp_path / "csv", ExportForm.csv)
    with (tmp_path / "csv/mart_claim_check.csv").open(newline="") as file:
        written = {r["claim_id"]: json.loads(r["subject_ids"] or "null") for r in csv.DictReader(file)}
    ids = dict(warehouse.execute("select claim_id, subject_ids from mart_claim_check").fetchall())
    assert any(ids.values()) and written == ids
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


def test_a_publication_writes_exports_and_moves_the_link_atomically(copied_home, accelmart):
    """Open files stay readable during the next export; a rollback also moves the exports."""
    home, there = copied_home, Home(copied_home, str(copied_home / "landing"))
    reader, newer = (home / "exports").resolve(), home / "newer.duckdb"

    def exported():
        return json.loads((home / "exports/datapackage.json").read_text())["version"]

    before = read_generation(there.published).generation_id
    assert (home / "exports").is_symlink() and exported() == before
    # another generation: the same file with another name
    shutil.copy(there.published, newer)
    with duckdb.connect(str(newer)) as db:
        db.execute(
            "update ops_generation set previous_generation_id = generation_id, generation_id = '29990101T000000-abcdef'"
        )
    publish(newer, there)
    publish_exports(there)
    with duckdb.connect(str(there.published), read_only=True) as db:
        for file in (home / "exports").glob("*.parquet"):
            of_table, of_file = (
                db.execute(f"select count(*), bit_xor(hash(r)) from {name} as r").fetchone()
                for name in (f"main.{file.stem}", f"'{file}'")
            )
            assert of_table == of_file, file.stem
    assert exported() == "29990101T000000-abcdef"
    assert (reader / "fct_inference_result.parquet").exists(), "the folder a reader is in stays"
    assert accelmart(home, "rollback", here=True).returncode == 0
    assert exported() == before
