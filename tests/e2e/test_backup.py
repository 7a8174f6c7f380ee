"""Backups as docs/operations.md makes and restores them, while fetches run, and every night during a build."""

import os
import re
import shutil
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest
from home_copies import land_given
from made import store

from ingest.core.landing import Landing

OPERATIONS = Path(__file__).resolve().parents[2] / "docs/operations.md"
WITH_TAR, WITH_RESTIC, RESTORE = re.findall(
    r"```sh\n(.*?)```",
    OPERATIONS.read_text(encoding="utf-8").split("## Backup\n")[1].split("## Rollback")[0],
    re.DOTALL,
)
# what describes the build itself, and what compares it with the generation before, which a restored root has not
COMPARED = {"main.ops_generation", "main.mart_changes", "main.ops_change_alarm"}
OF_THE_BUILD = {
    *("generation_id", "previous_generation_id", "built_at", "input_fingerprint", "age_days"),
    *("age_hours", "price_age_days"),
}
OVERRIDE = "pattern,accelerator_id,priority,is_mixed\n^H100 of ours$,nvidia-h100-sxm-80gb,1,false\n"
N_FETCHED = 100  # at least, beside copies


def run_documented(commands, folder, home):
    """Run commands of the page with other paths; the last one that builds is run apart."""
    for there, here in (
        ("/srv/accelmart", home),
        ("/srv/restored", folder / "restored"),
        ("/var/backups", folder),
        ("/etc/accelmart", folder),
    ):
        commands = commands.replace(there, str(here))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ACCELMART_")} | {"PATH": path}
    done = subprocess.run(
        ["sh", "-ec", commands], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def differences(old, new):
    """Return the public tables and seeds whose rows differ, but for columns that describe the build."""
    differing = []
    with duckdb.connect() as db:
        for name, path in (("old", old), ("new", new)):
            db.execute(f"attach '{path}' as {name} (read_only)")
        tables = db.execute(
            "select schema_name || '.' || table_name from duckdb_tables() where database_name = 'old' "
            "and schema_name in ('main', 'seeds')"
        ).fetchall()
        assert len(tables) > 100
        for (table,) in tables:
            columns = [c for c in db.table(f"old.{table}").columns if c not in OF_THE_BUILD]
            if table in COMPARED or not columns:
                continue
            chosen = ", ".join(f'"{c}"' for c in columns)
            one, two = (f"select {chosen} from {name}.{table}" for name in ("old", "new"))
            if db.execute(
                f"(({one}) except all ({two})) union all (({two}) except all ({one})) limit 1"
            ).fetchall():
                differing.append(table)
    return differing


@contextmanager
def fetching(home):
    """Land payloads all the time; yield the list of their numbers."""
    landing, stop, numbers = Landing(str(home / "landing")), threading.Event(), []

    def fetch():
        while not stop.is_set():
            store(landing, b"prices %d" % len(numbers), source="a-source", key=f"k{len(numbers) % 7}")
            numbers.append(len(numbers))
            time.sleep(0.01)

    thread = threading.Thread(target=fetch)
    thread.start()
    try:
        yield numbers
    finally:
        stop.set()
        thread.join()


def prepare(home, price_data):
    """Give a data root what a backup must hold: a payload that is new, and an override."""
    land_given(home, "aws-price-list", "us-east-1", price_data / "aws/ec2_offer_us-east-1_excerpt.csv")
    (home / "overrides").mkdir()
    (home / "overrides/accelerator_aliases.csv").write_text(OVERRIDE)


def copy_while(home, folder, is_going_on):
    """Make copies by each documented way in turn, at least two of each.

    Args:
        home: the data root.
        folder: where the copies go, in a folder for each way.
        is_going_on: called after each turn: whether to make more.

    Returns:
        The ways, with the folder of each.
    """
    ways = [WITH_TAR, *([WITH_RESTIC] if shutil.which("restic") else [])]
    places, n_turns = {way: folder / f"{n}" for n, way in enumerate(ways)}, 0
    while n_turns < 2 or is_going_on():
        for way, place in places.items():
            place.mkdir(exist_ok=True)
            (place / "restic-password").write_text("secret")
            run_documented(way.replace("restic init", "true") if n_turns else way, place, home)
        n_turns += 1
    return places


def restore(home, places):
    """Restore the last copy of each way; its payloads are whole, and the overrides are there."""
    made, fetched, *_ = RESTORE.splitlines()
    for way, place in places.items():
        if way is WITH_RESTIC:
            fetched = f"{WITH_RESTIC.splitlines()[0]}\n{fetched.partition('# or: ')[2]}"
        run_documented(f"{made}\n{fetched}", place, home)
        copy = Landing(str(place / "restored/landing"))
        assert all(copy.intact(p) for p in copy.history()) and len(copy.history()) > N_FETCHED
        assert (place / "restored/overrides/accelerator_aliases.csv").read_text() == OVERRIDE


def test_a_copy_made_during_fetches_is_complete(copied_home, price_data, tmp_path):
    prepare(copied_home, price_data)
    with fetching(copied_home) as fetched:
        until = time.monotonic() + 60
        while len(fetched) <= N_FETCHED and time.monotonic() < until:
            time.sleep(0.05)
        places = copy_while(copied_home, tmp_path, lambda: False)
    restore(copied_home, places)


@pytest.mark.nightly
def test_a_copy_made_during_a_build_builds_the_same_file(copied_home, accelmart, price_data, tmp_path):
    home, outcomes = copied_home, []
    prepare(home, price_data)
    building = threading.Thread(target=lambda: outcomes.append(accelmart(home, "build", timeout=600)))
    with fetching(home) as fetched:
        building.start()
        places = copy_while(home, tmp_path, building.is_alive)
        building.join()
    assert "Published generation" in outcomes[0].stdout and len(fetched) > N_FETCHED, outcomes
    restore(home, places)
    *_, build, check = RESTORE.splitlines()
    place = places[WITH_TAR]
    run_documented(build, place, home)
    assert "ok   landing" in run_documented(check, place, home)
    assert differences(home / "accelmart.duckdb", place / "restored/accelmart.duckdb") == []
