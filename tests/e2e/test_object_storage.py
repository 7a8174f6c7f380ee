"""The whole pipeline in an object store: what is landed, parsed, built and published there equals what it gives on disk."""

import hashlib
import subprocess
import sys

import duckdb
import fsspec
import pytest
from object_store import used_here
from operated_home import READERS, STORE
from queries import differing_tables

pytestmark = pytest.mark.xdist_group("operated")


@pytest.fixture(scope="module")
def both(operated):
    """The same payloads on disk and in an object store, each built; and a second worker of the store."""
    store = operated["store"]
    with pytest.MonkeyPatch.context() as patch, used_here(patch, store.address):
        store.files = fsspec.filesystem("s3")
        yield store


def test_all_published_tables_are_equal_row_by_row(both):
    """On disk most were taken over from earlier builds; in the store all were made."""
    with duckdb.connect() as db:
        for name in ("disk", "one"):
            db.execute(f"attach '{getattr(both, name)}/accelmart.duckdb' as {name} (read_only)")
        differing, n_tables, n_rows = differing_tables(db, "disk", "one")
        trained = db.execute("select count(*) from one.fct_training_result where release = 'v9.8'").fetchall()
    assert differing == {} and n_tables > 150 and n_rows > 100_000
    assert trained != [(0,)]


def test_what_was_parsed_is_equal_byte_by_byte(both):
    """Logs of training among it, parsed by another process and kept elsewhere."""
    on_disk = {p.relative_to(both.disk).as_posix(): p for p in (both.disk / "raw").rglob("*.parquet")}
    parsed = {path: file for path, file in on_disk.items() if "price_m" not in path}
    assert {path.split("/")[1] for path in parsed} >= {
        "mlperf_training_runs",
        "mlperf_inference_results",
        "price_offers",
    }
    for path, file in parsed.items():
        assert both.files.cat_file(f"{STORE}/{path}") == file.read_bytes(), path
    assert [p for p in both.files.find(f"{STORE}/raw") if p.endswith(".tmp")] == []


def test_a_second_worker_has_what_the_first_published(both):
    assert "Published generation" in both.first and "Nothing new" in both.second
    hashes = {
        hashlib.sha256((home / "accelmart.duckdb").read_bytes()).hexdigest()
        for home in (both.one, both.other)
    }
    assert len(hashes) == 1


def test_readers_open_what_was_published_to_the_store(both):
    code = f"import accelmart; print(accelmart.connect('{READERS}').sql('select count(*) from fct_price_interval').fetchall())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**both.settings, "HOME": str(both.other)},
        capture_output=True,
        text=True,
        check=True,
    )
    with duckdb.connect(str(both.disk / "accelmart.duckdb"), read_only=True) as db:
        assert done.stdout.strip() == str(db.sql("select count(*) from fct_price_interval").fetchall())
