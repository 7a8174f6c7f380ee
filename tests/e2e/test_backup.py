"""Backup and restore, as commands on the built warehouse and function by function on small homes."""

import errno
import fcntl
import hashlib
import io
import json
import os
import shutil
import sqlite3
import subprocess
import tarfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest
from filelock import FileLock

from ingest.core.landing import Landing
from warehouse.backup import MANIFEST, BackupError, _Job, backup
from warehouse.disk import DiskFullError
from warehouse.home import Home
from warehouse.locks import BuildRunningError, exclusive
from warehouse.outputs import repair
from warehouse.publish import generations, publish, read_generation
from warehouse.restore import RestoreRefusedError, restore
from warehouse.rollback import rollback


def sha256_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def built_file(home, generation_id, rows=1000):
    """Write a small warehouse file with its generation id, the previous one, and the id in every row."""
    path = home.builds / generation_id / "build.duckdb"
    path.parent.mkdir(parents=True, exist_ok=True)
    previous = read_generation(home.published).generation_id if home.published.exists() else None
    with duckdb.connect(str(path)) as db:
        db.execute(
            "create table ops_generation as select ? as generation_id, ?::varchar as previous_generation_id, "
            "?::timestamptz as built_at, 'f' as input_fingerprint",
            [generation_id, previous, datetime.now(UTC)],
        )
        db.execute("create table facts as select ? as generation_id from range(?)", [generation_id, rows])
    return path


def landed(home, data=b"prices", key="all", check=None):
    return Landing(home.landing_url).store(
        data,
        source="a-source",
        key=key,
        url="https://example.org/prices",
        content_type="text/plain",
        licence="CC0",
        limit_bytes=1000,
        check=check,
    )


@pytest.fixture
def home(tmp_path):
    """An installation with two generations, two payloads, scenarios, Dagster's history, and files no backup needs."""
    root = tmp_path / "home"
    home = Home(root, str(root / "landing"))
    for name in ("20260101T000000-aaaaaa", "20260102T000000-bbbbbb"):
        publish(built_file(home, name), home)
    landed(home)
    landed(home, b"more prices", key="us")
    (root / "scenarios.yaml").write_text("scenarios: []\n")
    (root / "raw" / "t").mkdir(parents=True)
    (root / "raw" / "t" / "part.parquet").write_bytes(b"parsed")
    (root / "repositories" / "clone").mkdir(parents=True)
    (root / "repositories" / "clone" / "big").write_bytes(b"x" * 100)
    (root / "dbt").mkdir()
    (root / "dbt" / "manifest.json").write_text("{}")
    (home.dagster / "history").mkdir(parents=True)
    (home.dagster / "dagster.yaml").write_text("telemetry:\n  enabled: false\n")
    with sqlite3.connect(home.dagster / "history" / "runs.db") as db:
        db.execute("pragma journal_mode=wal")
        db.execute("create table runs (id integer)")
        db.execute("insert into runs values (1)")
    db.close()
    return home


def test_a_restored_backup_needs_no_rebuild(built_home, tmp_path, accelmart):
    archive, to = tmp_path / "b.tar", tmp_path / "restored"
    saved = accelmart(built_home, "backup", archive, cwd=tmp_path)
    assert saved.returncode == 0, saved.stderr
    published = read_generation(built_home / "accelmart.duckdb").generation_id
    assert published in saved.stdout
    restored = accelmart(tmp_path / "unused", "restore", archive, "--to", to, cwd=tmp_path)
    assert restored.returncode == 0 and published in restored.stdout, restored.stderr
    assert sha256_of(to / "accelmart.duckdb") == sha256_of(built_home / "accelmart.duckdb")
    before = sha256_of(to / "accelmart.duckdb")
    again = accelmart(to, "build")
    assert again.returncode == 0 and "Nothing new" in again.stdout, again.stdout + again.stderr
    assert sha256_of(to / "accelmart.duckdb") == before
    refused = accelmart(tmp_path, "restore", archive, "--to", to)
    assert refused.returncode == 1
    assert "not empty" in refused.stderr and "--force" in refused.stderr and "Traceback" not in refused.stderr


def test_all_data_that_cannot_be_regenerated_are_restored(home, tmp_path):
    done = backup(home, home.dagster, tmp_path / "b.tar.gz")
    assert done.generation_id == "20260102T000000-bbbbbb" and done.left_out == []
    kept = restore(tmp_path / "b.tar.gz", tmp_path / "to")
    to = Home(tmp_path / "to", str(tmp_path / "to" / "landing"))
    assert kept.set_aside is None
    names = {p.relative_to(to.root).as_posix() for p in to.root.rglob("*") if p.is_file()}
    assert {"accelmart.duckdb", "scenarios.yaml", "raw/t/part.parquet", "dagster/dagster.yaml"} <= names
    assert not [n for n in names if n.startswith(("repositories", "dbt", "builds", ".restore"))]
    history = Landing(to.landing_url).history("a-source")
    assert [Landing(to.landing_url).read(p) for p in history] == [b"prices", b"more prices"]
    assert [g.generation_id for g in generations(to)] == ["20260101T000000-aaaaaa", "20260102T000000-bbbbbb"]
    with sqlite3.connect(to.dagster / "history" / "runs.db") as db:
        assert db.execute("select * from runs").fetchall() == [(1,)]
    db.close()
    # the published file is a copy of its generation, and a rollback is possible
    kept = to.generations / "20260102T000000-bbbbbb.duckdb"
    assert not to.published.samefile(kept) and sha256_of(to.published) == sha256_of(kept)
    assert rollback(to).generation.generation_id == "20260101T000000-aaaaaa"


def test_tar_can_unpack_a_backup(home, tmp_path):
    backup(home, home.dagster, tmp_path / "b.tar.gz")
    (tmp_path / "plain").mkdir()
    subprocess.run(["tar", "-xzf", tmp_path / "b.tar.gz", "-C", tmp_path / "plain"], check=True)
    assert read_generation(tmp_path / "plain" / "accelmart.duckdb").generation_id == "20260102T000000-bbbbbb"
    body = json.loads((tmp_path / "plain" / MANIFEST).read_text())
    for entry in body["files"]:
        assert sha256_of(tmp_path / "plain" / entry["path"]) == entry["sha256"]


def test_backups_are_consistent_during_publications_and_runs(home, tmp_path):
    """Copying by path would eventually copy a removed generation or half a database."""
    stop = threading.Event()

    def work():
        number = 0
        with sqlite3.connect(home.dagster / "history" / "runs.db") as db:
            db.execute("create table pairs (a integer, b integer)")
            while not stop.is_set():
                number += 1
                name = f"20260103T{number:06d}-cccccc"
                publish(built_file(home, name), home, keep=1)
                landed(home, f"prices {number}".encode())
                db.execute("insert into pairs values (?, ?)", (number, number))
                db.execute("insert into pairs values (?, ?)", (-number, -number))
                db.commit()
        db.close()

    pool = ThreadPoolExecutor(1)
    worker = pool.submit(work)
    try:
        seen = set()
        deadline = time.monotonic() + 120
        while len(seen) < 4 and time.monotonic() < deadline:
            archive = tmp_path / f"{len(list(tmp_path.iterdir()))}.tar"
            backup(home, home.dagster, archive)
            root = tmp_path / archive.stem
            restore(archive, root)
            restored = Home(root, str(root / "landing"))
            name = read_generation(restored.published).generation_id
            seen.add(name)
            with duckdb.connect(str(restored.published), read_only=True) as db:
                assert db.execute("select distinct generation_id from facts").fetchall() == [(name,)]
            with sqlite3.connect(restored.dagster / "history" / "runs.db") as db:
                assert db.execute("pragma integrity_check").fetchone() == ("ok",)
                has_pairs = db.execute("select count(*) from sqlite_master where name = 'pairs'").fetchone()[
                    0
                ]
                if has_pairs:
                    assert db.execute("select coalesce(sum(a), 0) from pairs").fetchone() == (0,)
            db.close()
            landing = Landing(restored.landing_url)
            assert all(landing.intact(p) for p in landing.history("a-source"))
    finally:
        stop.set()
        worker.result(30)
        pool.shutdown()
    assert len(seen) >= 2


def test_a_part_finished_during_the_backup_is_complete_or_absent(home, tmp_path, monkeypatch):
    """A reconciliation file marks a part as complete: without the rows they would be lost silently."""
    raw = home.root / "raw"
    for table in ("price_offers", "price_reconciliation"):
        (raw / table).mkdir()
        (raw / table / "old.parquet").write_bytes(b"old")
    add = _Job._add

    def meanwhile(self, name, path):
        if name.startswith("raw/"):
            for table in ("price_offers", "price_reconciliation"):  # in the order they are written
                (raw / table / f"{path.stem}-and-new.parquet").write_bytes(b"new")
            if path.name == "part.parquet":
                path.unlink()  # removed since it was listed
        add(self, name, path)

    monkeypatch.setattr(_Job, "_add", meanwhile)
    names = {f.path for f in backup(home, home.dagster, tmp_path / "b.tar").files}
    accounts = {n.rpartition("/")[2] for n in names if n.startswith("raw/price_reconciliation/")}
    rows = {n.rpartition("/")[2] for n in names if n.startswith("raw/price_offers/")}
    assert accounts and accounts <= rows
    assert not [n for n in names if n == "raw/t/part.parquet"]


def rewritten(archive, target, change):
    """Return a copy of an archive: `change(name, data)` returns new (name, data), or None to drop a member."""
    with tarfile.open(archive) as old, tarfile.open(target, "w") as new:
        for member in old:
            if member.islnk():
                new.addfile(member)
                continue
            changed = change(member.name, old.extractfile(member).read())
            if changed is not None:
                name, data = changed
                info = tarfile.TarInfo(name)
                info.size = len(data)
                new.addfile(info, io.BytesIO(data))
    return target


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda n, d: (n, d[:-1] + b"X") if n == "scenarios.yaml" else (n, d), "scenarios.yaml"),
        (lambda n, d: None if n == "scenarios.yaml" else (n, d), "scenarios.yaml"),
        (lambda n, d: ("extra" if n == "scenarios.yaml" else n, d), "extra"),
        (lambda n, d: ("../outside" if n == "scenarios.yaml" else n, d), "outside the data root"),
        (lambda n, d: None if n == MANIFEST else (n, d), "no valid manifest"),
        (
            lambda n, d: (n, d.replace(b'"format_version": 1', b'"format_version": 99')),
            "this accelmart reads 1",
        ),
    ],
)
def test_a_damaged_backup_is_refused_and_changes_nothing(home, tmp_path, change, problem):
    backup(home, home.dagster, tmp_path / "b.tar")
    bad = rewritten(tmp_path / "b.tar", tmp_path / "bad.tar", change)
    to = tmp_path / "to"
    to.mkdir()
    (to / "precious").write_text("mine")
    with pytest.raises(RestoreRefusedError, match=problem):
        restore(bad, to, force=True)
    assert (to / "precious").read_text() == "mine"
    assert {p.name for p in to.iterdir()} <= {"precious", "build.lock", "maintenance.lock"}
    assert not (tmp_path / "outside").exists()


@pytest.mark.parametrize("name", ["b.tar", "b.tar.gz"])
def test_a_truncated_backup_is_refused(home, tmp_path, name):
    backup(home, home.dagster, tmp_path / name)
    data = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(data[: len(data) * 2 // 3])
    with pytest.raises(RestoreRefusedError, match="Nothing was changed"):
        restore(tmp_path / name, tmp_path / "to")
    (tmp_path / name).write_bytes(b"not a tar at all")
    with pytest.raises(RestoreRefusedError, match="cannot be read"):
        restore(tmp_path / name, tmp_path / "to")


def test_existing_data_are_moved_aside_only_with_force(home, tmp_path):
    backup(home, home.dagster, tmp_path / "b.tar")
    to = tmp_path / "to"
    to.mkdir()
    (to / "mine").write_text("before")
    with pytest.raises(RestoreRefusedError, match=r"not empty \(mine\)"):
        restore(tmp_path / "b.tar", to)
    done = restore(tmp_path / "b.tar", to, force=True)
    assert (done.set_aside / "mine").read_text() == "before" and not (to / "mine").exists()
    # a second restore and a backup ignore data set aside
    restore(tmp_path / "b.tar", to, force=True)
    home_again = Home(to, str(to / "landing"))
    names = [f.path for f in backup(home_again, to / "dagster", tmp_path / "c.tar").files]
    assert names and not [n for n in names if "before-restore" in n]


def test_a_failed_restore_is_undone(home, tmp_path, monkeypatch):
    backup(home, home.dagster, tmp_path / "b.tar")
    to = tmp_path / "to"
    to.mkdir()
    (to / "mine").write_text("before")
    rename = Path.rename

    def failing(self, target):
        if self.name == "scenarios.yaml":
            raise OSError(errno.ENOSPC, "No space left on device")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(DiskFullError, match="used up"):
        restore(tmp_path / "b.tar", to, force=True)
    assert (to / "mine").read_text() == "before" and not (to / "accelmart.duckdb").exists()


def test_a_full_disk_leaves_no_partial_backup(home, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    target = tmp_path / "backups"
    target.mkdir()
    (target / "b.tar").write_bytes(b"the last one")
    monkeypatch.setattr(tarfile.TarFile, "addfile", full)
    with pytest.raises(DiskFullError, match=r"at least [1-9]"):
        backup(home, home.dagster, target / "b.tar")
    assert {p.name: p.read_bytes() for p in target.iterdir()} == {"b.tar": b"the last one"}


@pytest.mark.parametrize("name", [".b.tar.x1.tmp", ".accelmart-backup-20260101T000000Z.tar.gz.x1.tmp"])
def test_what_a_killed_backup_left_is_removed_by_the_next_one(home, tmp_path, name):
    """The lock of a killed process is free; a backup that is being written holds its own."""
    target = tmp_path / "backups"
    target.mkdir()
    (target / name).write_bytes(b"half")
    (target / ".b.tar.x2.tmp").write_bytes(b"being written")
    with (target / ".b.tar.x2.tmp").open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        backup(home, home.dagster, target / "b.tar")
    assert sorted(p.name for p in target.iterdir()) == [".b.tar.x2.tmp", "b.tar"]


@pytest.mark.parametrize("renames", [0, 1, 2, 4])
def test_a_restore_that_is_killed_while_it_moves_files_is_finished(home, tmp_path, monkeypatch, renames):
    """It is killed after so many renames; a killed process removes nothing."""
    backup(home, home.dagster, tmp_path / "b.tar")
    to = tmp_path / "to"
    to.mkdir()
    (to / "mine").write_text("before")
    (to / "scenarios.yaml").write_text("mine: []\n")
    rename, left = Path.rename, [renames]

    def killed(self, target):
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        return rename(self, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", killed)
        patched.setattr("warehouse.restore.shutil.rmtree", lambda *_, **__: None)
        with pytest.raises(KeyboardInterrupt):
            restore(tmp_path / "b.tar", to, force=True)
    there = Home(to, str(to / "landing"))
    with exclusive(there, 0):
        repair(there)
    (aside,) = to.glob("before-restore-*")
    assert sorted(p.name for p in aside.iterdir()) == ["mine", "scenarios.yaml"]
    assert (to / "scenarios.yaml").read_text() == "scenarios: []\n" and not (to / "mine").exists()
    assert sha256_of(there.published) == sha256_of(home.published)
    assert len(Landing(there.landing_url).history("a-source")) == 2
    assert not list(to.glob(".restore-*"))


def test_locks_are_respected(home, tmp_path):
    backup(home, home.dagster, tmp_path / "b.tar")
    with FileLock(home.maintenance_lock), pytest.raises(BackupError, match=r"maintenance\.lock"):
        backup(home, home.dagster, tmp_path / "c.tar")
    with FileLock(home.build_lock):
        backup(home, home.dagster, tmp_path / "c.tar")  # a backup does not wait for a build
        with pytest.raises(BuildRunningError):
            restore(tmp_path / "c.tar", home.root, force=True)
    assert home.published.exists()


def test_a_target_inside_the_data_root_is_refused(home, tmp_path):
    with pytest.raises(BackupError, match="lies in the data root"):
        backup(home, home.dagster, home.root / "b.tar")
    (home.root / "backups").mkdir()
    with pytest.raises(BackupError, match="lies in the data root"):
        backup(home, home.dagster, home.root / "backups")
    with pytest.raises(BackupError, match="does not exist"):
        backup(Home(tmp_path / "none", "x"), tmp_path / "none", tmp_path / "b.tar")


def test_a_remote_landing_zone_is_reported_as_left_out(home, tmp_path):
    remote = Home(home.root, "memory://user:secret@bucket/landing")
    done = backup(remote, home.dagster, tmp_path / "b.tar")
    assert len(done.left_out) == 1
    assert "remote filesystem" in done.left_out[0] and "secret" not in done.left_out[0]
    assert restore(tmp_path / "b.tar", tmp_path / "to").backup.left_out == done.left_out
    assert not (tmp_path / "to" / "landing").exists()


def test_landing_and_dagster_outside_the_data_root_are_included(home, tmp_path):
    shutil.move(home.root / "landing", tmp_path / "elsewhere")
    shutil.move(home.dagster, tmp_path / "history")
    backup(Home(home.root, f"file://{tmp_path / 'elsewhere'}"), tmp_path / "history", tmp_path / "b.tar")
    restore(tmp_path / "b.tar", tmp_path / "to")
    assert len(Landing(tmp_path / "to" / "landing").history("a-source")) == 2
    assert (tmp_path / "to" / "dagster" / "history" / "runs.db").exists()


def test_a_read_only_home_is_reported(home, tmp_path, monkeypatch):
    def denied(*_, **__):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr("warehouse.backup.FileLock.acquire", denied)
    with pytest.raises(BackupError, match=r"Permission denied.*Run as the user"):
        backup(home, home.dagster, tmp_path / "b.tar")


def test_a_damaged_payload_is_left_out_and_named(home, tmp_path):
    damaged = Landing(home.landing_url).history("a-source")[0]
    path = Path(Landing(home.landing_url).address(damaged))
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    done = backup(home, home.dagster, tmp_path / "b.tar")
    (left_out,) = done.left_out
    assert f"the payload a-source {damaged.key} of" in left_out and "is not what was stored" in left_out
    names = [entry.path for entry in done.files if entry.path.startswith("landing/objects/")]
    assert len(names) == 1 and damaged.sha256 not in names[0]
