"""Backups: made by the command, unpacked by the commands that docs/operations.md gives."""

import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
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
from warehouse.backup import CHECKSUMS, BackupError, backup
from warehouse.home import Home
from warehouse.locks import exclusive
from warehouse.outputs import repair
from warehouse.publish import generations, publish, read_generation, read_record

ACCELMART = Path(sys.executable).with_name("accelmart")
ROOT = Path(__file__).resolve().parents[2]
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


UNPACK = re.search(
    r"```sh\n(mkdir .*?)```", (ROOT / "docs/operations.md").read_text(encoding="utf-8"), flags=re.DOTALL
)[1]


def unpack(archive, root, *, build=False):
    """Run the documented commands on other paths; return what they printed, or raise for one that fails."""
    *commands, last = UNPACK.splitlines()
    text = "\n".join([*commands, last] if build else commands)
    text = text.replace("/srv/accelmart", str(root)).replace("/var/backups/accelmart.tar", str(archive))
    path = {"PATH": f"{ACCELMART.parent}:{os.environ['PATH']}"}
    return subprocess.run(
        ["sh", "-ec", text], env=os.environ | path, capture_output=True, text=True, check=True
    ).stdout


def restored(archive, root):
    """Restore as documented, without the outputs that need the tables of a whole warehouse."""
    unpack(archive, root)
    with exclusive(home_of(root), 0):
        repair(home_of(root), is_read=True)
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
    assert "Nothing new" in unpack(archive, to, build=True)
    assert (to / "accelmart.duckdb").read_bytes() == (built_home / "accelmart.duckdb").read_bytes()
    assert (to / "report.html").exists() and not (to / "SHA256SUMS").exists()


def test_what_no_build_can_make_again_is_restored_and_nothing_else(home, tmp_path):
    backup(home, tmp_path / "b.tar")
    with tarfile.open(tmp_path / "b.tar") as tar:
        *names, last = tar.getnames()
        sums = dict(
            line.split("  ")[::-1] for line in tar.extractfile(CHECKSUMS).read().decode().splitlines()
        )
        for name in names:
            assert hashlib.sha256(tar.extractfile(name).read()).hexdigest() == sums[name]
        assert last == CHECKSUMS and set(names) == set(sums)
    kept = {"published.json", f"generations/{SECOND}.duckdb", f"generations/{SECOND}.record.json"}
    landing = {n for n in names_below(home.root) if n.startswith(("landing/manifest/", "landing/objects/"))}
    assert len(landing) == 4 and set(sums) == {*DECISIONS, *kept, *landing}

    to = tmp_path / "to"
    there = restored(tmp_path / "b.tar", to)
    assert {name: (to / name).read_text() for name in DECISIONS} == DECISIONS
    history = Landing(there.landing_url).history("a-source")
    assert [Landing(there.landing_url).read(p) for p in history] == [b"prices", b"more prices"]
    assert [g.generation_id for g in generations(there)] == [SECOND]
    assert there.published.read_bytes() == home.published.read_bytes()


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
    "change",
    [
        lambda n, d: (n, d[:-1] + b"X") if n == "scenarios.yaml" else (n, d),
        lambda n, d: ("extra" if n == "scenarios.yaml" else n, d),
        lambda n, d: None if n == CHECKSUMS else (n, d),
        lambda n, d: (n, None if n == "scenarios.yaml" else d),
        lambda n, d: (n.replace("scenarios.yaml", "../outside"), d),
        lambda n, d: (f"{n}/x" if n == "scenarios.yaml" else n, d),
    ],
)
def test_a_damaged_or_hostile_archive_fails_and_reaches_nothing_outside(home, tmp_path, change):
    backup(home, tmp_path / "b.tar")
    rewritten(tmp_path / "b.tar", tmp_path / "bad.tar", change)
    with pytest.raises(subprocess.CalledProcessError):
        unpack(tmp_path / "bad.tar", tmp_path / "to")
    assert not (tmp_path / "outside").exists()


def test_a_truncated_archive_fails(home, tmp_path):
    backup(home, tmp_path / "b.tar")
    data = (tmp_path / "b.tar").read_bytes()
    for number, content in enumerate((data[: len(data) * 2 // 3], b"no tar")):
        (tmp_path / "b.tar").write_bytes(content)
        with pytest.raises(subprocess.CalledProcessError):
            unpack(tmp_path / "b.tar", tmp_path / str(number))


def test_ids_of_a_record_that_lead_out_of_the_root_are_none(home, tmp_path):
    """Whoever wrote the archive wrote its record too, with a right checksum of it."""
    backup(home, tmp_path / "b.tar")
    unpack(tmp_path / "b.tar", tmp_path / "to")
    there = home_of(tmp_path / "to")
    victim = tmp_path / "victim.duckdb"
    victim.write_bytes(b"kept")
    for path in (there.publication, *there.generations.glob("*.record.json")):
        stored = json.loads(path.read_text()) | {"generation_id": "../../victim"}
        del stored["sha256_of_this_record"]
        stored["sha256_of_this_record"] = hashlib.sha256(
            json.dumps(stored, sort_keys=True).encode()
        ).hexdigest()
        path.write_text(json.dumps(stored))
    with exclusive(there, 0):
        repair(there, is_read=True)
    assert read_record(there) is None and generations(there) == [] and victim.read_bytes() == b"kept"


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
    backup(Home(home.root, "memory://bucket/landing"), tmp_path / "c.tar")
    with tarfile.open(tmp_path / "c.tar") as tar:
        assert not [name for name in tar.getnames() if name.startswith("landing/")]
