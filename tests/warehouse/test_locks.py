"""Two of each command that decides or keeps something, at once and in processes of their own: nothing is lost."""

import shutil
import subprocess
import sys
import time
from multiprocessing import get_context
from pathlib import Path

import pytest

from ingest.registry import SOURCES
from warehouse import dbt
from warehouse.build_folder import Build
from warehouse.holds import read_holds, release_hold, withdraw
from warehouse.home import Home
from warehouse.locks import BuildRunningError, exclusive

TIMES = 10


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path / "home", str(tmp_path / "landing"))


def at_once(*calls):
    """Run calls at once, each in a process of its own; every one must end well."""
    context = get_context("fork")
    processes = [context.Process(target=call, args=arguments) for call, *arguments in calls]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0] * len(calls)


def withdraw_all(home, sources):
    for source in sources:
        withdraw(home, source, None, set())


def release_all(home, sources):
    for source in sources:
        release_hold(home, source, None)


def test_no_decision_is_lost(home):
    first, second, third = (list(SOURCES)[n * TIMES : (n + 1) * TIMES] for n in range(3))
    at_once((withdraw_all, home, first), (withdraw_all, home, second))
    assert {hold.source for hold in read_holds(home).items} == {*first, *second}
    at_once((withdraw_all, home, third), (release_all, home, first), (release_all, home, second))
    assert {hold.source for hold in read_holds(home).items} == set(third)


def test_a_decision_waits_for_a_build(home):
    """It is made against the generation that the build publishes."""
    code = f"""
import sys, time
from pathlib import Path
from warehouse.home import Home
from warehouse.locks import exclusive
with exclusive(Home(Path({str(home.root)!r}), "x"), 0):
    print("building", flush=True)
    time.sleep(1)
    print("published", flush=True)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as build:
        assert build.stdout.readline() == "building\n"
        with pytest.raises(BuildRunningError, match="another build is running"), exclusive(home, 0):
            pass
        started = time.monotonic()
        withdraw(home, "vast", None, set())
        assert time.monotonic() - started > 0.5 and build.stdout.readline() == "published\n"
    assert [hold.source for hold in read_holds(home).items] == ["vast"]


def keep(home, folder):
    for _ in range(TIMES):
        dbt.keep_manifest(home, folder)


def test_a_manifest_that_two_processes_keep_is_whole(home, tmp_path):
    for name in "ab":
        (tmp_path / name).mkdir()
        (tmp_path / name / dbt.MANIFEST).write_bytes(b"x" * 1_000_000)
    at_once(*((keep, home, tmp_path / name) for name in "ab"))
    (folder,) = home.dbt_target.iterdir()
    assert [path.stat().st_size for path in folder.iterdir()] == [1_000_000]
    assert dbt.manifest(home) == folder / dbt.MANIFEST


def test_a_changed_project_is_parsed_once_in_place_of_the_one_before(home, monkeypatch):
    parsed = []

    def run(command, **_):
        parsed.append(command[2])
        Path(command[command.index("--target-path") + 1], dbt.MANIFEST).write_text("{}")
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(dbt.subprocess, "run", run)
    assert dbt.manifest(home) == dbt.manifest(home) and parsed == ["parse"]
    monkeypatch.setattr(dbt, "dbt_rules", lambda: "a changed project")
    assert (
        dbt.manifest(home).exists() and parsed == ["parse"] * 2 and len(list(home.dbt_target.iterdir())) == 1
    )


def test_a_build_starts_from_what_was_parsed_in_its_place_alone(home, tmp_path):
    """dbt's parsed seeds hold the paths of their files; a flipped byte could be a digit of a formula."""

    def starts_from(home, name):
        build = Build(tmp_path / name)
        build.folder.mkdir()
        dbt.start_from_parsed(home, build)
        parsed = build.target / dbt.PARSED
        return parsed.read_bytes() if parsed.exists() else None

    assert starts_from(home, "first") is None
    for content in (b"older", b"newer"):
        build = Build(tmp_path / content.decode())
        build.target.mkdir(parents=True)
        for name in (dbt.PARSED, dbt.MANIFEST):
            (build.target / name).write_bytes(content)
        dbt.keep_parsed(home, build)
    assert starts_from(home, "second") == b"newer"
    moved = Home(tmp_path / "moved", "x")
    shutil.copytree(home.dbt_target, moved.dbt_target)
    assert starts_from(moved, "third") is None
    (kept,) = home.dbt_target.glob("*.msgpack")
    kept.write_bytes(b"dewer")
    assert starts_from(home, "fourth") is None
