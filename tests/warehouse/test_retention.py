"""Pruning: what may go, goes; what history is made of, never."""

import os
from contextlib import ExitStack, nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import duckdb
import pytest
from made import make_warehouse, store

from ingest.core.aside import held
from ingest.core.errors import PayloadRejected
from ingest.core.landing import Landing
from warehouse.outputs.repair import repair
from warehouse.publication.generation import read_generation
from warehouse.publication.pointer import publish, rollback
from warehouse.publication.retention import removable, remove
from warehouse.storage import disk
from warehouse.storage.home import Home

NOW = datetime.now(UTC)
QUARANTINE = timedelta(days=90)


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path, str(tmp_path / "landing"))


REJECTED = PayloadRejected(payload="x", problem="no table", remedy="mend")


def land(home, data, age, rejected=None):
    landing = Landing(home.landing_url)
    return store(landing, data, source="a-source", key="all", rejected=rejected, fetched_at=NOW - age)


def found(home, keep=3):
    return removable(home, keep=keep, quarantine=QUARANTINE)


def published(home, *names):
    for previous, name in zip((None, *names), names, strict=False):
        publish(make_warehouse(home.builds / "build.duckdb", name, previous), home, keep=99)


def test_a_build_does_not_start_where_five_times_the_published_file_does_not_fit(home, monkeypatch):
    assert disk.is_disk_full(duckdb.IOException("IO Error: No space left on device"))
    disk.require_room(home)  # nothing is published
    published(home, "20260101T000000-aaaaaa")
    home.published.chmod(0o644)
    # a build takes half a gigabyte, or five times a larger file
    for size, needed in ((home.published.stat().st_size, "512"), (200 << 20, "1,000")):
        os.truncate(home.published, size)
        for free in (5 * size, 5 * size - 1):
            monkeypatch.setattr(disk.shutil, "disk_usage", lambda _, free=free: SimpleNamespace(free=free))
            fails = pytest.raises(disk.DiskFullError, match=f"at least {needed} MiB are needed")
            with nullcontext() if free == 5 * size else fails:
                disk.require_room(home)


@pytest.mark.parametrize("url", ["{root}/landing", "memory://retention-test"])
def test_old_quarantined_payloads_go_and_their_records_and_all_good_ones_stay(tmp_path, url):
    home = Home(tmp_path, url.format(root=tmp_path))
    years = timedelta(days=4000)
    good = land(home, b"good", years)
    old = land(home, b"old bad", QUARANTINE + timedelta(days=1), REJECTED)
    young = land(home, b"young bad", QUARANTINE - timedelta(days=1), REJECTED)
    # the same came again lately: it is as young as its last record
    again = land(home, b"came again", QUARANTINE + timedelta(days=9), REJECTED)
    land(home, b"came again", timedelta(days=1), REJECTED)
    (item,) = found(home)
    assert item.kind == "quarantined payload" and old.sha256 in item.path and item.bytes > 0
    assert remove(item) is True and remove(item) is False
    landing = Landing(home.landing_url)
    assert not landing.intact(old)
    assert all(map(landing.intact, (good, young, again)))
    assert len(landing.history("a-source")) == 5
    assert [p.reason for p in landing.quarantined() if p.sha256 == old.sha256] == ["no table. To fix: mend"]
    assert found(home) == []


def test_generations_beyond_those_kept_go_but_never_the_published_one(home):
    published(home, "20260101T000000-aaaaaa", "20260102T000000-bbbbbb", "20260103T000000-cccccc")
    assert rollback(home, "20260101T000000-aaaaaa").generation.path == home.published
    items = found(home, keep=1)
    assert [i.path.rpartition("/")[2] for i in items] == ["20260102T000000-bbbbbb.duckdb"]
    assert all(remove(i) for i in items)
    assert [p.stem for p in sorted(home.generations.glob("*.duckdb"))] == [
        "20260101T000000-aaaaaa",
        "20260103T000000-cccccc",
    ]


def test_a_damaged_generation_is_listed_once_beside_the_superseded_ones(home):
    names = [f"2026010{n}T000000-aaaaaa" for n in (1, 2, 3)]
    published(home, *names)
    for name in (names[0], names[2]):  # the last one is published
        kept = home.generations / f"{name}.duckdb"
        kept.chmod(0o644)
        kept.write_bytes(b"x" * kept.stat().st_size)  # only its content shows the damage
    assert [(Path(i.path).stem, i.why) for i in found(home, keep=1)] == [
        (names[0], "damaged"),
        (names[1], "older than the last 1 generations"),
    ]


@pytest.mark.parametrize("is_pruned", [True, False])
def test_what_killed_processes_left_goes_and_what_running_ones_write_stays(home, is_pruned):
    (home.builds / "1234").mkdir(parents=True)
    (home.builds / "1234" / "build.duckdb").write_bytes(b"x" * 10)
    land(home, b"good", timedelta(0))
    with ExitStack() as running:
        for name in ("left", "held"):
            folder, file = home.repositories / f"checkout-{name}", home.local_landing / "tmp" / f".{name}.tmp"
            rows = home.raw / "spec_values" / f".{name}.tmp"
            rows.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir(parents=True)
            for path in (folder, file, rows) if name == "held" else ():
                running.enter_context(held(path))
            (folder / "pack").write_bytes(b"x" * 1000)
            file.write_bytes(b"half")
            rows.write_bytes(b"rows")
        items = found(home)
        assert sorted((i.kind, i.bytes, Path(i.path).name) for i in items) == [
            ("checkout", 1000, "checkout-left"),
            ("killed build", 10, "1234"),
            ("temporary file", 4, ".left.tmp"),
            ("temporary file", 4, ".left.tmp"),
        ]
        if is_pruned:
            assert all(remove(i) for i in items) and not any(remove(i) for i in items)
        else:
            repair(home)  # as every command that builds, publishes or rolls back
            (item,) = found(home)
            assert item.kind == "killed build"
        left = [p.name for p in home.root.rglob("*") if "left" in p.name or "held" in p.name]
        assert sorted(left) == [".held.tmp", ".held.tmp", "checkout-held"]


def test_a_generation_is_read_as_published_now_while_an_older_one_is_open(tmp_path):
    """Readers of one process share what DuckDB opened first under a path; what is published must not be taken from there."""
    published, following = tmp_path / "published.duckdb", tmp_path / "following.duckdb"
    for path, generation_id in ((published, "20260101T000000-aaaaaa"), (following, "20260102T000000-bbbbbb")):
        make_warehouse(path, generation_id)
    with duckdb.connect(str(published), read_only=True) as reader:
        following.replace(published)
        assert reader.execute("select generation_id from ops_generation").fetchone() == (
            "20260101T000000-aaaaaa",
        )
        assert read_generation(published).generation_id == "20260102T000000-bbbbbb"
