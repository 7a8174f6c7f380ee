"""Backups as docs/operations.md makes and restores them, while fetches and a build run."""

import os
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import duckdb
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


def test_a_copy_made_during_fetches_and_a_build_is_complete_and_builds_the_same_file(
    copied_home, accelmart, price_data, tmp_path
):
    home, landing = copied_home, Landing(str(copied_home / "landing"))
    land_given(home, "aws-price-list", "us-east-1", price_data / "aws/ec2_offer_us-east-1_excerpt.csv")
    (home / "overrides").mkdir()
    (home / "overrides/accelerator_aliases.csv").write_text(
        "pattern,accelerator_id,priority,is_mixed\n^H100 of ours$,nvidia-h100-sxm-80gb,1,false\n"
    )
    (tmp_path / "restic-password").write_text("secret")
    stop, n_fetched = threading.Event(), []

    def fetch():
        while not stop.is_set():
            number = len(n_fetched)
            store(landing, b"prices %d" % number, source="a-source", key=f"k{number % 7}")
            n_fetched.append(number)
            time.sleep(0.01)

    outcomes, n_copies, kinds = [], 0, [WITH_TAR]
    building = threading.Thread(target=lambda: outcomes.append(accelmart(home, "build", timeout=600)))
    fetching = threading.Thread(target=fetch)
    if shutil.which("restic"):
        kinds.append(WITH_RESTIC)
    building.start()
    fetching.start()
    try:
        while building.is_alive():
            for kind in kinds:
                place = tmp_path / f"{kinds.index(kind)}"
                place.mkdir(exist_ok=True)
                shutil.copy(tmp_path / "restic-password", place)
                commands = kind.replace("restic init", "true" if n_copies >= len(kinds) else "restic init")
                run_documented(commands, place, home)
                n_copies += 1
            time.sleep(2)
    finally:
        stop.set()
        fetching.join()
        building.join()
    assert (
        "Published generation" in outcomes[0].stdout and n_copies >= 2 * len(kinds) and len(n_fetched) > 100
    ), outcomes
    made, fetched, build, check = RESTORE.splitlines()
    for number, kind in enumerate(kinds):
        place = tmp_path / f"{number}"
        if kind is WITH_RESTIC:
            fetched = f"{WITH_RESTIC.splitlines()[0]}\n{fetched.partition('# or: ')[2]}"
        run_documented(f"{made}\n{fetched}", place, home)
        copy = Landing(str(place / "restored/landing"))
        assert all(copy.intact(p) for p in copy.history()) and len(copy.history()) > 100
    run_documented(build, place, home)
    assert "ok   landing" in run_documented(check, place, home)
    assert differences(home / "accelmart.duckdb", place / "restored/accelmart.duckdb") == []
