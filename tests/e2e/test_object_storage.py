"""The whole pipeline in an object store: what is landed, parsed, built and published there equals what it gives on disk."""

import hashlib
import subprocess
import sys
from types import SimpleNamespace

import duckdb
import fsspec
import pytest
from commands import wait_for_rest_of_hour
from home_copies import copy_home
from object_store import s3_server, settings_of, used_here
from operated_home import KNOWN_OFFER, entry, land
from queries import differing_tables
from small_training import small_training_round

STORE, READERS = "s3://warehouses/store", "s3://warehouses/readers"
pytestmark = pytest.mark.xdist_group("object_storage")


@pytest.fixture(scope="module")
def both(built_home, accelmart, tmp_path_factory):
    """The same payloads on disk and in an object store, each built; and a second worker of the store."""
    folder = tmp_path_factory.mktemp("object_storage")
    disk, one, other = (folder / name for name in ("disk", "one", "other"))
    copy_home(built_home, disk)
    land(accelmart, disk, folder, "payload", [entry(1)], KNOWN_OFFER.format(price="21.6"))
    tree = folder / "training_results_v5.0"
    for path, text in small_training_round().items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text)

    def must(home, *arguments, **more):
        done = accelmart(home, *arguments, **more)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    must(disk, "fetch", "mlperf-training", "--release", "v5.0", "--from", tree)
    wait_for_rest_of_hour(240)
    must(disk, "build", timeout=600)
    with s3_server() as address, pytest.MonkeyPatch.context() as patch, used_here(patch, address):
        settings = {**settings_of(address), "ACCELMART_STORE": STORE}
        files = fsspec.filesystem("s3")
        files.put(f"{disk}/landing/", f"{STORE}/landing/", recursive=True)
        for home in (one, other):
            home.mkdir()
        first = must(one, "build", settings=settings, timeout=600)
        second = must(other, "build", settings=settings)
        published = must(other, "publish", "--to", READERS, settings=settings)
        yield SimpleNamespace(
            disk=disk, one=one, other=other, files=files, settings=settings,
            first=first, second=second, published=published,
        )  # fmt: skip


def test_all_published_tables_are_equal_row_by_row(both):
    with duckdb.connect() as db:
        for name in ("disk", "one"):
            db.execute(f"attach '{getattr(both, name)}/accelmart.duckdb' as {name} (read_only)")
        differing, n_tables, n_rows = differing_tables(db, "disk", "one")
        trained = db.execute("select count(*) from one.fct_training_result where release = 'v5.0'").fetchall()
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
