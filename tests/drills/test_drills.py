"""Drills: kills, full disks, commands at once, readers during publications; all outputs are compared afterwards.

Each prints one row: drill, tries, survived, lost. `make drills` runs all at full length; the suite runs a short form.
"""

import math
import os
import random
import re
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import pytest
from drill_processes import answer_of, done, faults, kept_ids, killed, read_only, seconds_of, start
from drill_steps import (
    PAYLOAD_BYTES,
    ROWS,
    build_step,
    failing_at,
    fetch_step,
    home_of,
    next_command,
    prune_step,
    rollback_step,
)
from published_place import FIRST, write_place
from typer.testing import CliRunner

from accelmart.cli import app
from accelmart.errors import ReaderError
from ingest.core.landing import Landing
from orchestration.instance import instance
from warehouse.publication.generation import is_intact
from warehouse.publication.pointer import publication
from warehouse.storage.home import GENERATIONS_TO_KEEP

pytestmark = pytest.mark.drills
SEED = 20261122


def step_of(kind, root, number=-1):
    function, *arguments = {
        "publish": (build_step, root),
        "rollback": (rollback_step, root),
        "prune": (prune_step, root),
        "fetch": (fetch_step, root, f"payload {number}"),
    }[kind]
    return partial(function, *arguments)


def prepared(kind, root):
    """Make what a step needs: something to remove for a prune."""
    home = home_of(root)
    if kind == "prune":
        (home.builds / "killed").mkdir(parents=True, exist_ok=True)
        (home.builds / "killed" / "build.duckdb").write_bytes(b"x" * 1000)
        if len(kept_ids(root)) < 3:
            assert done(partial(build_step, root)) == "done"


def faults_after(root):
    """Run the next command and return the faults."""
    text = done(partial(next_command, root))
    return faults(root) if text == "done" else [f"the next command: {text}"]


@pytest.mark.parametrize(
    ("kind", "full", "short"),
    [
        ("publish", 100, 4),
        ("rollback", 50, 3),
        ("prune", 30, 3),
        ("fetch", 30, 3),
    ],
)
def test_a_killed_command_leaves_no_output_behind_and_loses_nothing(
    root, kind, full, short, tries, report_drill
):
    chance, n_tries = random.Random(SEED), tries(full, short)
    prepared(kind, root)
    whole = seconds_of(step_of(kind, root))
    # few kills are spread over the first two thirds, so that they come before the end
    moments = [whole * (n + 1) / (n_tries * 1.5 + 1) for n in range(short)]
    if n_tries == full:
        moments = [chance.uniform(0, whole) for _ in range(full)]
    lost, unfinished = [], 0
    for number, moment in enumerate(moments):
        prepared(kind, root)
        before, landed = kept_ids(root), len(Landing(home_of(root).landing_url).history("a-source"))
        answer = killed(step_of(kind, root, number), moment)
        unfinished += not answer
        problems = faults_after(root)
        if kind in ("rollback", "fetch") and not before <= kept_ids(root):
            problems.append("a generation was lost")
        if len(Landing(home_of(root).landing_url).history("a-source")) < landed:
            problems.append("a payload was lost")
        if problems:
            lost.append(f"try {number}: {problems}")
    report_drill(f"SIGKILL during {kind}", n_tries, lost, f"{unfinished} killed before the end")


@pytest.mark.parametrize("kind", ["publish", "rollback", "prune"])
def test_each_operation_on_a_file_fails_in_turn_and_nothing_is_lost(root, kind, tries, report_drill):
    """As SQLite tests itself: one write, rename, link, removal or fsync fails, the next command mends what it left."""
    prepared(kind, root)
    text = done(partial(failing_at, math.inf, str(root), step_of(kind, root)))
    n_operations = int(re.fullmatch(r"problems: \[(\d+)\]", text).group(1))
    assert n_operations > 3
    n_tries, lost, said = tries(n_operations, 5), [], 0
    for number in sorted({round(n * (n_operations - 1) / (n_tries - 1)) for n in range(n_tries)}):
        prepared(kind, root)
        before = kept_ids(root)
        text = done(partial(failing_at, number, str(root), step_of(kind, root)))
        said += text != "done"
        problems = faults_after(root)
        # a publication removes the oldest of more than are kept
        if kind != "prune" and len(kept_ids(root)) < min(len(before), GENERATIONS_TO_KEEP):
            problems.append("a generation was lost")
        if problems:
            lost.append(f"operation {number}: {text}: {problems}")
    report_drill(f"each operation of {kind} fails", n_tries, lost, f"{said} named the failure")


KNOWN = ("done", "BuildRunningError", "NotPublishableError")


@pytest.mark.parametrize("kind", ["publish", "rollback", "prune", "fetch"])
def test_two_of_a_command_at_once_end_well(root, kind, tries, report_drill):
    lost, n_tries = [], tries(10, 2)
    for number in range(n_tries):
        prepared(kind, root)
        both = [start(step_of(kind, root, number)) for _ in range(2)]
        answers = [answer_of(*one) for one in both]
        problems = [a for a in answers if not a.startswith(KNOWN)]
        if "done" not in answers:
            problems.append(f"none ended well: {answers}")
        problems += faults_after(root)
        if problems:
            lost.append(f"try {number}: {problems}")
    report_drill(f"two of {kind} at once", n_tries, lost)


@contextmanager
def small_disk(folder, size_bytes):
    """Yield a folder on a filesystem of this size; None where this user may not mount one."""
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size_bytes}", "tmpfs", folder],
        capture_output=True,
        check=False,
    )
    try:
        yield folder if mounted.returncode == 0 else None
    finally:
        if mounted.returncode == 0:
            subprocess.run(["umount", "--lazy", folder], check=True)


@pytest.mark.parametrize("kind", ["publish", "rollback", "prune", "fetch"])
def test_a_full_disk_changes_nothing_and_leaves_nothing(root, tmp_path, kind, tries, report_drill):
    """The disk, or the permitted size of a file where no disk can be mounted, ends at different stages of a command."""
    prepared(kind, root)
    used = sum(p.stat().st_size for p in root.parent.rglob("*") if p.is_file() and not p.is_symlink())
    # what the command writes, so that the disk ends everywhere between its first byte and its last
    generation = publication(home_of(root)).generation.bytes
    needed = {"fetch": PAYLOAD_BYTES, "rollback": generation}.get(kind, used)
    lost, full, n_tries = [], 0, tries(12, 4)
    for number in range(n_tries):
        free = needed * number // n_tries  # none to begin with
        with small_disk(tmp_path / f"disk{number}", used * 2 + free) as disk:
            parent = disk or tmp_path / f"copy{number}"
            parent.mkdir(exist_ok=True)
            shutil.copytree(root, parent / "home", symlinks=True)
            there = parent / "home"
            if disk:  # all the rest but this much is used up
                filler = disk / "filler"
                with suppress(OSError), filler.open("wb") as file:
                    file.write(b"x" * max(0, shutil.disk_usage(disk).free - free))
            limit = None if disk else max(free // 4, 1)
            before = publication(home_of(there)).generation.generation_id
            answer = done(step_of(kind, there, number), limit)
            full += answer != "done"
            problems = []
            if answer != "done" and not any(
                w in answer for w in ("used up", "No space left", "too large", "full")
            ):
                problems.append(f"the disk is not named: {answer}")
            if kind == "prune" and (answer != "done" or (there / "builds" / "killed").exists()):
                problems.append(f"nothing is pruned: {answer}")
            if not is_intact(home_of(there).published, publication(home_of(there)).generation):
                problems.append("record and published file do not agree")
            if disk:
                subprocess.run(["mount", "-o", "remount,size=1g", disk], check=True)
            problems += faults_after(there)
            if kind == "fetch" and publication(home_of(there)).generation.generation_id != before:
                problems.append("another generation is published")
            if problems:
                lost.append(f"{free} bytes free: {problems}")
    assert full or kind == "prune"
    report_drill(f"full disk during {kind}", n_tries, lost, f"{full} of them full")


WRITING = (
    *("build", "build --force", "rollback", "rollback --unpin", "prune", "docs", "publish --to {outside}"),
    *("withdraw skypilot-catalog", "release skypilot-catalog", "pull {place}"),
    *("fetch skypilot-catalog --key nebius --from {list}", "export {inside}"),
)


@pytest.mark.skipif(os.geteuid() != 0, reason="it needs the right to mount")
def test_a_read_only_root_ends_every_writing_command_in_one_sentence(root, tmp_path, monkeypatch):
    (root / "reader").mkdir()
    (tmp_path / "vms.csv").write_text("InstanceType,AcceleratorName\n")
    for name in ("ACCELMART_LANDING", "DAGSTER_HOME"):
        monkeypatch.setenv(name, "")  # restored afterwards, whoever sets it
        monkeypatch.delenv(name)
    with instance(home_of(root)) as dagster_instance:
        assert dagster_instance.get_runs_count() == 0  # its storage is there
    place = write_place(tmp_path / "place", FIRST)
    words = {"outside": tmp_path / "to", "inside": root / "x", "list": tmp_path / "vms.csv", "place": place}
    with read_only(root):
        for command in WRITING:
            monkeypatch.setenv("ACCELMART_HOME", str(root / "reader" if command.startswith("pull") else root))
            done = CliRunner().invoke(app, command.format(**words).split())
            said = f"{done.exception} {done.output}"
            assert isinstance(done.exception, ReaderError), (command, done.exception)
            assert done.exception.exit_code == 1 and said.count("cannot be") == 1, (command, said)
    assert faults(root) == []


def test_readers_see_whole_generations_while_others_are_published(root, tmp_path, tries, report_drill):
    n_readers, n_tries = tries(8, 2), tries(50, 10)
    # the project's own duckdb, and other versions, which `make drills` installs
    versions = [None, *sorted((Path(sys.prefix) / "clients").glob("duckdb-*"))]
    stop = tmp_path / "stop"
    answers = [tmp_path / f"reader{n}.txt" for n in range(n_readers)]
    readers = []
    for number, answer in enumerate(answers):
        folder = versions[number % len(versions)]
        environment = os.environ | ({"PYTHONPATH": str(folder)} if folder else {})
        command = [sys.executable, Path(__file__).with_name("reader.py"), home_of(root).published]
        readers.append(subprocess.Popen([*command, stop, answer, str(ROWS)], env=environment))
    try:
        publications = [done(partial(build_step, root)) for _ in range(n_tries)]
        time.sleep(0.5)
    finally:
        stop.touch()
        for reader in readers:
            reader.wait(30)
    assert publications == ["done"] * n_tries
    seen = [a.read_text().split(" ", 4) for a in answers]
    lost = [s for s in seen if s[2:4] != ["0", "0"]]
    queries = sum(int(s[1]) for s in seen)
    assert queries > n_tries
    note = f"{queries:,} queries by DuckDB {', '.join(sorted({s[0] for s in seen}))}"
    report_drill(f"{n_readers} readers during publications", n_tries, lost, note)
