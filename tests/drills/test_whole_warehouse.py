"""Drills with the installed command on a finished data root: kills, flipped bytes, PostgreSQL that stops."""

import os
import random
import re
import shutil
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import duckdb
import pytest
from commands import run_command
from drill_processes import faults_of_outputs, kept_ids, read_only
from drill_steps import home_of
from postgres_server import postgres_server

from warehouse.publication.pointer import publication

pytestmark = pytest.mark.nightly
SEED = 20261122
OFFER = (
    "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,SpotPrice\n"
    "gpu-h100-sxm_8gpu-128vcpu-1600gb,H100,8,128,1600,{price},eu-north1,,\n"
)
ACCELMART = Path(sys.executable).with_name("accelmart")
DEPLOY = Path(__file__).resolve().parents[2] / "deploy"


def command(home, *arguments, **settings):
    """Run the installed command on a data root to its end."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("ACCELMART_", "DAGSTER_", "DBT_"))}
    environment = {**clean, "ACCELMART_HOME": str(home.root), "COLUMNS": "300", **settings}
    return run_command([ACCELMART, *arguments], env=environment, cwd=home.root, timeout=600)


@pytest.fixture(scope="module")
def built_home(tmp_path_factory):
    """A data root built from the bundled snapshot."""
    home = home_of(tmp_path_factory.mktemp("built"))
    assert command(home, "build").returncode == 0
    return home


@pytest.fixture
def home(built_home, tmp_path):
    """A copy of a finished data root that a test may change."""
    ignore = shutil.ignore_patterns("*.lock")
    return home_of(shutil.copytree(built_home.root, tmp_path / "home", symlinks=True, ignore=ignore))


def fetched(home, folder, price, **settings):
    """Land a price list of one offer."""
    payload = folder / "vms.csv"
    payload.write_text(OFFER.format(price=price))
    return command(home, "fetch", "skypilot-catalog", "--key", "nebius", "--from", payload, **settings)


def killed(home, seconds, *arguments, **settings):
    """Start the installed command and kill it after so many seconds."""
    environment = {**os.environ, "ACCELMART_HOME": str(home.root), **settings}
    with subprocess.Popen(
        [ACCELMART, *arguments], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
        process.kill()


def rows_of_marts(home):
    """Return the number of rows of every mart, from the published file."""
    with duckdb.connect(str(home.published), read_only=True) as db:
        tables = "select table_name from duckdb_tables() where schema_name = 'main' and not starts_with(table_name, 'ops_')"
        names = [name for (name,) in db.execute(tables).fetchall()]
        return {name: db.execute(f'select count(*) from "{name}"').fetchone()[0] for name in names}


def test_killed_commands_leave_nothing_behind(home, tries, report_drill):
    """The outputs of a data root are removed before each kill."""
    ids = sorted(kept_ids(home.root))
    moments, lost, n_tries = random.Random(SEED), [], tries(20, 1)
    for number in range(n_tries):
        current = publication(home).generation.generation_id
        other = next((i for i in ids if i != current), current)
        home.exports.unlink(missing_ok=True)
        (home.docs / "state.md").unlink(missing_ok=True)
        killed(home, moments.uniform(0.3, 8), *(["build"], ["rollback", "--to", other])[number % 2])
        # by the same fast path as `accelmart build`, which would otherwise build after a rollback
        again = command(home, "rollback", "--to", publication(home).generation.generation_id)
        assert again.returncode == 0, again.stderr
        if (problems := faults_of_outputs(home)) or sorted(kept_ids(home.root)) != ids:
            lost.append(f"try {number}: {problems}")
    report_drill("SIGKILL of real commands on a whole warehouse", n_tries, lost)


def kinds_of_files(root):
    """Return one file of each kind in a data root, by a name without ids."""
    found = {}
    for path in sorted(root.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.suffix != ".lock" and path.stat().st_size:
            name = re.sub(
                r"\d{8}T\d{6}[.\d]*Z?-[0-9a-f]{6,}|[0-9a-f-]{20,}", "*", str(path.relative_to(root))
            )
            found.setdefault(re.sub(r"[^/]*\.parquet$|[a-z]{8}(?=\.(out|err|complete)$)", "*", name), path)
    return found


def test_a_flipped_byte_in_any_file_leaves_the_published_figures(home, tmp_path, tries, report_drill):
    """Of each kind of file in a data root, one byte of one file flips: then a build, which finds nothing else new."""
    assert fetched(home, tmp_path, 21.6).returncode == 0 and command(home, "build").returncode == 0
    before = rows_of_marts(home)
    lost, kinds = [], kinds_of_files(home.root)
    for kind, original in kinds.items():
        there = home_of(shutil.copytree(home.root, tmp_path / "flipped", symlinks=True))
        path = there.root / original.relative_to(home.root)
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 0x55
        path.chmod(0o644)
        path.write_bytes(content)
        done = [command(there, *words) for words in (["doctor", "--offline"], ["build"], ["status"])]
        problems = [line for d in done for line in (d.stdout + d.stderr).splitlines() if "Traceback" in line]
        # settings that cannot be read stop a build, and are named
        if done[1].returncode and f"{path} cannot be used" not in done[1].stderr:
            problems.append(f"the build failed: {done[1].stderr[-500:]}")
        problems += faults_of_outputs(there)
        if rows_of_marts(there) != before:
            problems.append("the published figures are others")
        if problems:
            lost.append(f"{kind}: {problems}")
        shutil.rmtree(there.root)
    report_drill("a flipped byte in a file of each kind", len(kinds), lost)


def test_builds_and_their_storage_in_postgresql_are_killed(home, tries, report_drill):
    """By turns: the build is killed; the server of Dagster's storage is killed under it and started again."""
    shutil.rmtree(home.dagster, ignore_errors=True)
    home.dagster.mkdir()
    shutil.copy(DEPLOY / "dagster.yaml", home.dagster)
    before, moments, lost, n_tries = rows_of_marts(home), random.Random(SEED), [], tries(6, 1)
    with postgres_server() as (settings, restart):
        settings["DAGSTER_HOME"] = str(home.dagster)
        for number in range(n_tries):
            problems = []
            if number % 2:
                killed(home, moments.uniform(3, 30), "build", "--force", **settings)
            else:
                timer = threading.Timer(moments.uniform(5, 25), restart)
                timer.start()
                stopped = command(home, "build", "--force", **settings)
                timer.join()
                if stopped.returncode not in (0, 1):
                    problems.append(f"exit code {stopped.returncode}")
            again = command(home, "build", **settings)
            if again.returncode:
                problems.append(f"the next build failed: {again.stderr[-500:]}")
            problems += faults_of_outputs(home)
            if rows_of_marts(home) != before:
                problems.append("the published figures are others")
            if problems:
                lost.append(f"try {number}: {problems}")
        assert not list(home.dagster.rglob("*.db"))
    report_drill("kills of builds and of PostgreSQL under them", n_tries, lost)


@pytest.mark.skipif(os.geteuid() != 0, reason="it needs the right to mount")
def test_a_read_only_data_root_is_named_and_read(home, tmp_path, report_drill):
    writing = [["build", "--force"], ["build"], ["rollback"], ["prune"], ["docs"]]
    reading = [["status"], ["sql", "from ops_generation"], ["report"]]
    assert fetched(home, tmp_path, 21.5).returncode == 0  # Dagster has a storage there
    lost = []
    with read_only(home.root):
        for done in [*(command(home, *words) for words in writing), fetched(home, tmp_path, 21.6)]:
            if done.returncode != 1 or "cannot be written" not in done.stderr or "Traceback" in done.stderr:
                lost.append(f"{done.args}: {done.returncode} {done.stderr[-300:]}")
        for words in reading:
            done = command(home, *words)
            if done.returncode:
                lost.append(f"{words}: {done.stderr[-300:]}")
    report_drill("a read-only data root", 9, lost + faults_of_outputs(home))


def test_a_user_without_a_home_folder_builds_and_reads(home, tmp_path, report_drill):
    """As a service user has none: the home folder is missing, and nothing is written beside the data root."""
    lost = []
    for words in (["build", "--force"], ["status"], ["sql", "from ops_generation"], ["doctor", "--offline"]):
        done = command(home, *words, HOME=str(tmp_path / "none"))
        if done.returncode or "Traceback" in done.stderr:
            lost.append(f"{words}: {done.stderr[-300:]}")
    if (tmp_path / "none").exists():
        lost.append("the home folder was made")
    report_drill("a user without a home folder", 4, lost + faults_of_outputs(home))
