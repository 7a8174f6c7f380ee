"""Payloads in an object store: what is parsed, built and published from there equals what it gives on disk."""

import subprocess
import sys

import duckdb
import pytest
from operated_home import READERS
from queries import differing_tables

pytestmark = pytest.mark.xdist_group("operated")


@pytest.fixture(scope="module")
def both(operated):
    """The same payloads on disk and in an object store, each built."""
    return operated["store"]


def test_all_published_tables_are_equal_row_by_row(both):
    with duckdb.connect() as db:
        for name in ("disk", "one"):
            db.execute(f"attach '{getattr(both, name)}/accelmart.duckdb' as {name} (read_only)")
        differing, n_tables, n_rows = differing_tables(db, "disk", "one")
        trained = db.execute("select count(*) from one.fct_training_result where release = 'v9.8'").fetchall()
    assert differing == {} and n_tables > 150 and n_rows > 100_000
    assert trained != [(0,)]
    assert "Published generation" in both.first and "Nothing new" in both.second


def test_what_was_parsed_is_equal_byte_by_byte(both):
    """Logs of training among it, parsed by another process."""
    parsed, other = (
        {
            p.relative_to(home).as_posix(): p.read_bytes()
            for p in (home / "raw").rglob("*.parquet")
            if "price_m" not in p.relative_to(home).as_posix()
        }
        for home in (both.disk, both.one)
    )
    tables = {path.split("/")[1] for path in parsed}
    assert tables >= {"mlperf_training_runs", "mlperf_inference_results", "price_offers"}
    assert [path for path, content in parsed.items() if other.get(path) != content] == []


def test_readers_open_what_was_published_to_the_store(both):
    code = f"import accelmart; print(accelmart.connect('{READERS}').sql('select count(*) from fct_price_interval').fetchall())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**both.settings, "HOME": str(both.one)},
        capture_output=True,
        text=True,
        check=True,
    )
    with duckdb.connect(str(both.disk / "accelmart.duckdb"), read_only=True) as db:
        assert done.stdout.strip() == str(db.sql("select count(*) from fct_price_interval").fetchall())
