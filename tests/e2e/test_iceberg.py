"""Price intervals as an Iceberg table: every row read back by pyiceberg is that of the published file."""

from dataclasses import replace

import duckdb
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from warehouse.home import Home
from warehouse.iceberg import GENERATION, NAMESPACE, TABLE, iceberg_of
from warehouse.outputs import behind, repair
from warehouse.publish import publication


@pytest.fixture
def home(copied_home, tmp_path):
    return replace(
        Home(copied_home, str(copied_home / "landing")),
        iceberg_catalog=f"sqlite:///{tmp_path}/catalog.db",
        iceberg_warehouse=str(tmp_path / "tables"),
    )


def table(home):
    catalog = SqlCatalog("accelmart", uri=home.iceberg_catalog)
    return catalog.load_table((NAMESPACE, TABLE))


def differing(home):
    """Rows that only the published file or only the Iceberg table has."""
    read = table(home).scan().to_arrow()
    with duckdb.connect(str(home.published), read_only=True) as db:
        db.execute("set timezone = 'UTC'")
        db.register("read_back", read)
        assert len(read) == db.execute(f"select count(*) from {TABLE}").fetchall()[0][0] > 1000
        columns = ", ".join(f'"{name}"' for (name, *_) in db.execute(f"describe {TABLE}").fetchall())
        return [
            row
            for one, other in ((TABLE, "read_back"), ("read_back", TABLE))
            for row in db.execute(
                f"select {columns} from {one} except all select {columns} from {other} limit 3"
            ).fetchall()
        ]


def test_each_publication_is_a_snapshot_with_the_rows_of_the_file(home):
    generation_id = publication(home).generation.generation_id
    assert [output.name for output in behind(home)] == ["Iceberg table"]
    assert repair(home) == [] and behind(home) == []
    assert differing(home) == []
    assert table(home).current_snapshot().summary[GENERATION] == generation_id
    # as after another publication: what is there is replaced by a new snapshot, and the old one can still be read
    first = table(home).current_snapshot().snapshot_id
    home.iceberg_stamp.write_text('{"location": "", "generation_id": ""}')
    assert repair(home) == [] and iceberg_of(home) == generation_id
    assert table(home).current_snapshot().snapshot_id != first and differing(home) == []
    assert len(table(home).scan(snapshot_id=first).to_arrow()) == len(table(home).scan().to_arrow())


def test_a_column_that_is_new_is_added(home):
    repair(home)
    with table(home).update_schema() as change:
        change.delete_column("age_days")
    home.iceberg_stamp.unlink()
    assert repair(home) == [] and differing(home) == []


def test_a_catalog_that_cannot_be_used_keeps_nothing_else_back(home, tmp_path):
    broken = replace(home, iceberg_catalog=f"sqlite:///{tmp_path}/no/such/folder/catalog.db")
    (problem,) = repair(broken)
    assert "The Iceberg table of the published generation was not made" in problem
    assert [output.name for output in behind(broken)] == ["Iceberg table"]


def test_without_a_catalog_there_is_no_table(copied_home):
    home = Home(copied_home, str(copied_home / "landing"))
    assert repair(home) == [] and behind(home) == [] and not (copied_home / "iceberg").exists()
