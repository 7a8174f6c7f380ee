"""Backup and restore, as commands on the built warehouse and function by function on small homes."""

import hashlib
import io
import json
import shutil
import tarfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pytest
from drill_steps import home_of
from made import make_warehouse, store

from ingest.core.landing import Landing
from warehouse.backup import CHECKED, FORMAT, MANIFEST, UNCHECKED, BackupError, backup, restore
from warehouse.home import Home
from warehouse.locks import exclusive
from warehouse.outputs import repair
from warehouse.publish import generations, publish, read_generation

FIRST, SECOND = "20260101T000000-aaaaaa", "20260102T000000-bbbbbb"
DECISIONS = {"overrides/price_names.csv": "a\n", "holds.json": "{}", "scenarios.yaml": "scenarios: []\n"}
REPRODUCIBLE = ("raw/t/part.parquet", "dagster/history/runs.db", "builds/1/build.duckdb", "last_build.json")


def built_file(home, generation_id):
    """Write a small warehouse file with its generation id, the one before, and the id in every row."""
    previous = read_generation(home.published).generation_id if home.published.exists() else None
    facts = f"create table facts as select '{generation_id}' as generation_id from range(1000)"
    return make_warehouse(home.builds / generation_id / "build.duckdb", generation_id, previous, facts)


def landed(home, data=b"prices", key="all"):
    return store(Landing(home.landing_url), data, source="a-source", key=key)


def restored(archive, root):
    """Restore as the command does, without the outputs that need the tables of a whole warehouse."""
    with exclusive(home_of(root), 0):
        restore(archive, home_of(root))
        repair(home_of(root))
    return home_of(root)


def names_below(root):
    return {p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file() and p.name != "build.lock"}


@pytest.fixture
def home(tmp_path):
    """An installation with two generations, two payloads, decisions, and files that no backup needs."""
    home = home_of(tmp_path / "home")
    for name in (FIRST, SECOND):
        publish(built_file(home, name), home)
    landed(home)
    landed(home, b"more prices", key="us")
    for name, text in {**DECISIONS, **dict.fromkeys(REPRODUCIBLE, "x")}.items():
        (home.root / name).parent.mkdir(parents=True, exist_ok=True)
        (home.root / name).write_text(text)
    return home


def test_a_restored_backup_needs_no_rebuild(built_home, tmp_path, accelmart):
    archive, to = tmp_path / "b.tar", tmp_path / "restored"
    saved = accelmart(built_home, "backup", archive, cwd=tmp_path)
    assert saved.returncode == 0, saved.stderr
    published = read_generation(built_home / "accelmart.duckdb").generation_id
    assert published in saved.stdout
    done = accelmart(tmp_path / "unused", "restore", archive, "--to", to, cwd=tmp_path)
    assert done.returncode == 0 and published in done.stdout, done.stderr
    before = (to / "accelmart.duckdb").read_bytes()
    assert before == (built_home / "accelmart.duckdb").read_bytes()
    again = accelmart(to, "build")
    assert again.returncode == 0 and "Nothing new" in again.stdout, again.stdout + again.stderr
    assert (to / "accelmart.duckdb").read_bytes() == before
    refused = accelmart(tmp_path, "restore", archive, "--to", to)
    assert refused.returncode == 1 and "not empty" in refused.stderr and "Traceback" not in refused.stderr


def test_what_no_build_can_make_again_is_restored_and_nothing_else(home, tmp_path):
    backup(home, tmp_path / "b.tar")
    with tarfile.open(tmp_path / "b.tar") as tar:
        manifest = json.load(tar.extractfile(MANIFEST))
        for name, sha256 in manifest["files"].items():
            assert hashlib.sha256(tar.extractfile(name).read()).hexdigest() == sha256
        assert tar.getnames()[-1] == MANIFEST
    kept = {"published.json", f"generations/{SECOND}.duckdb", f"generations/{SECOND}.record.json"}
    landing = {n for n in names_below(home.root) if n.startswith(("landing/manifest/", "landing/objects/"))}
    assert len(landing) == 4 and set(manifest["files"]) == {*DECISIONS, *kept, *landing}
    assert manifest["published"]["generation_id"] == SECOND

    to = tmp_path / "to"
    (to / "dagster").mkdir(parents=True)  # of a server: settings that the archive does not hold
    there = restored(tmp_path / "b.tar", to)
    assert {name: (to / name).read_text() for name in DECISIONS} == DECISIONS
    history = Landing(there.landing_url).history("a-source")
    assert [Landing(there.landing_url).read(p) for p in history] == [b"prices", b"more prices"]
    assert [g.generation_id for g in generations(there)] == [SECOND]
    assert there.published.read_bytes() == home.published.read_bytes()
    assert not list(to.glob(".restore*"))


def test_backups_are_consistent_during_publications_and_fetches(home, tmp_path):
    """Copying by path would eventually copy half a generation, or a record without its payload."""
    stop, seen = threading.Event(), set()

    def work():
        number = 0
        while not stop.is_set():
            number += 1
            publish(built_file(home, f"20260103T{number:06d}-cccccc"), home, keep=1)
            landed(home, f"prices {number}".encode())

    with ThreadPoolExecutor(1) as pool:
        worker = pool.submit(work)
        try:
            deadline = time.monotonic() + 120
            while len(seen) < 3 and time.monotonic() < deadline:
                number = len(list(tmp_path.glob("*.tar")))
                backup(home, tmp_path / f"{number}.tar")
                there = restored(tmp_path / f"{number}.tar", tmp_path / str(number))
                name = read_generation(there.published).generation_id
                seen.add(name)
                with duckdb.connect(str(there.published), read_only=True) as db:
                    assert db.execute("select distinct generation_id from facts").fetchall() == [(name,)]
                landing = Landing(there.landing_url)
                assert all(landing.intact(p) for p in landing.history("a-source"))
        finally:
            stop.set()
        worker.result(30)
    assert len(seen) >= 2


def rewritten(archive, target, change):
    """Write a copy of an archive: `change(name, data)` returns a new (name, data), or None to drop a member; no data make a link."""
    with tarfile.open(archive) as old, tarfile.open(target, "w") as new:
        for member in old:
            changed = change(member.name, old.extractfile(member).read())
            if changed is not None:
                info = tarfile.TarInfo(changed[0])
                if changed[1] is None:
                    info.type, info.linkname = tarfile.SYMTYPE, "/etc/hostname"
                    new.addfile(info)
                else:
                    info.size = len(changed[1])
                    new.addfile(info, io.BytesIO(changed[1]))
    return target


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda n, d: (n, d[:-1] + b"X") if n == "scenarios.yaml" else (n, d), "scenarios.yaml is not as"),
        (lambda n, d: ("extra" if n == "scenarios.yaml" else n, d), "not those of its manifest"),
        (lambda n, d: None if n == MANIFEST else (n, d), MANIFEST),
        (lambda n, d: (n, d.replace(FORMAT.encode(), b"accelmart-backup")), "its format is accelmart-backup"),
        (lambda n, d: (n, None if n == "scenarios.yaml" else d), "not those of its manifest"),
        (
            lambda n, d: (
                n.replace("scenarios.yaml", "../outside"),
                d.replace(b'"scenarios.yaml"', b'"../outside"'),
            ),
            "outside",
        ),
    ],
)
def test_a_damaged_or_hostile_archive_is_refused_and_leaves_nothing(home, tmp_path, change, problem):
    backup(home, tmp_path / "b.tar")
    rewritten(tmp_path / "b.tar", tmp_path / "bad.tar", change)
    with pytest.raises(BackupError, match=problem):
        restored(tmp_path / "bad.tar", tmp_path / "to")
    assert [p.name for p in (tmp_path / "to").iterdir()] == ["build.lock"]
    assert not (tmp_path / "outside").exists()
    # and the good one can be restored there
    assert read_generation(restored(tmp_path / "b.tar", tmp_path / "to").published).generation_id == SECOND


def test_a_truncated_archive_is_refused(home, tmp_path):
    backup(home, tmp_path / "b.tar")
    data = (tmp_path / "b.tar").read_bytes()
    for content in (data[: len(data) * 2 // 3], b"no tar"):
        (tmp_path / "b.tar").write_bytes(content)
        with pytest.raises(BackupError, match="no whole backup of this version"):
            restored(tmp_path / "b.tar", tmp_path / "to")
        assert [p.name for p in (tmp_path / "to").iterdir()] == ["build.lock"]


class KilledError(BaseException):
    """Stands for SIGKILL: nothing catches it, and what cleans up afterwards is patched away."""


@pytest.mark.parametrize("renames", range(7))
def test_a_restore_killed_between_any_two_files_is_finished_or_undone(home, tmp_path, monkeypatch, renames):
    """A restore makes six renames: of the checked folder, and of the entries in it."""
    backup(home, tmp_path / "b.tar")
    to, left, rename = tmp_path / "to", [renames], Path.rename

    def killed(self, target):
        if not left[0]:
            raise KilledError
        left[0] -= 1
        return rename(self, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", killed)
        patched.setattr("warehouse.backup.shutil.rmtree", lambda *_, **__: None)
        with pytest.raises(KilledError):
            restored(tmp_path / "b.tar", to)
    assert (to / UNCHECKED).exists() is (renames == 0) and (to / CHECKED).exists() is (renames > 0)
    there = home_of(to)
    if renames:  # any next command that builds, and the sensor, begins with a repair
        with exclusive(there, 0):
            repair(there)
    else:
        restored(tmp_path / "b.tar", to)
    assert there.published.read_bytes() == home.published.read_bytes()
    assert names_below(home.root / "landing") == names_below(to / "landing")
    assert {name: (to / name).read_text() for name in DECISIONS} == DECISIONS
    assert not list(to.glob(".restore*"))


def test_a_backup_that_fails_leaves_the_one_before(home, tmp_path):
    place = tmp_path / "backups"
    backup(home, place / "b.tar")
    before = (place / "b.tar").read_bytes()
    kept = home.generations / f"{SECOND}.duckdb"
    kept.chmod(0o644)
    kept.write_bytes(kept.read_bytes()[:-1] + b"X")
    with pytest.raises(BackupError, match="the published generation is damaged"):
        backup(home, place / "b.tar")
    assert [p.name for p in place.iterdir()] == ["b.tar"] and (place / "b.tar").read_bytes() == before


@pytest.mark.parametrize("target", ["home/b.tar", "home", "."])
def test_a_target_that_would_be_lost_with_the_data_is_refused(home, tmp_path, target):
    with pytest.raises(BackupError, match="give a file outside"):
        backup(home, tmp_path / target)


def test_a_landing_zone_elsewhere_is_saved_if_it_is_local(home, tmp_path):
    shutil.move(home.root / "landing", tmp_path / "elsewhere")
    backup(Home(home.root, f"file://{tmp_path / 'elsewhere'}"), tmp_path / "b.tar")
    assert len(Landing(restored(tmp_path / "b.tar", tmp_path / "to").landing_url).history("a-source")) == 2
    done = backup(Home(home.root, "memory://bucket/landing"), tmp_path / "c.tar")
    assert not [name for name in done["files"] if name.startswith("landing/")]
