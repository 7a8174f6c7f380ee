"""Payloads in an object store: what is parsed and given to dbt from there equals what the same payloads on disk give."""

import subprocess
import sys

import duckdb
import pytest
from landed_home import LANDING, READERS
from object_store import used_here

from warehouse.home import Home
from warehouse.locks import exclusive
from warehouse.prepare import prepare, select_inputs

pytestmark = pytest.mark.xdist_group("landed")
# what a build states of itself, and of the generation before it
OF_THE_BUILD = ("build_info", "previous_", "source_holds")


def given_to_dbt(home):
    """Prepare a build, and return the Parquet files of each raw table."""
    with exclusive(home, 60):
        raw = prepare(home, select_inputs(home)).raw
    tables = {path.name: sorted(map(str, path.rglob("*.parquet"))) for path in raw.iterdir()}
    return {name: files for name, files in tables.items() if not name.startswith(OF_THE_BUILD)}


@pytest.fixture(scope="module")
def both(landed):
    """What the same payloads on disk and in an object store give to dbt."""
    on_disk = given_to_dbt(Home(landed.disk, str(landed.disk / "landing")))
    with pytest.MonkeyPatch.context() as patch, used_here(patch, landed.address):
        in_store = given_to_dbt(Home(landed.home, LANDING))
    return on_disk, in_store


def test_every_table_given_to_dbt_is_equal_row_by_row(both):
    on_disk, in_store = both
    assert on_disk.keys() == in_store.keys() and len(on_disk) > 10
    n_rows = 0
    for name, files in on_disk.items():
        one, other = (duckdb.read_parquet(paths, union_by_name=True) for paths in (files, in_store[name]))
        assert len(one.except_(other)) == len(other.except_(one)) == 0, name
        assert len(one) == len(other), name
        n_rows += len(one)
    assert n_rows > 80_000


def test_a_second_build_from_the_store_builds_nothing(landed):
    assert "Published generation" in landed.page[1] and "Nothing new" in landed.again


def test_readers_open_what_was_published_to_the_store(landed, landed_db):
    code = f"import accelmart; print(accelmart.connect('{READERS}').sql('select count(*) from fct_price_interval').fetchall())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**landed.settings, "HOME": str(landed.home)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == str(landed_db.sql("select count(*) from fct_price_interval").fetchall())
