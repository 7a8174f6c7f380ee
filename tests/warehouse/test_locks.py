"""Two of each command that decides or keeps something, at once and in processes of their own: nothing is lost."""

import shutil
import subprocess
import time
from multiprocessing import get_context
from pathlib import Path

import pytest

from ingest.registry import SOURCES
from warehouse.build import dbt
from warehouse.build.folder import Build
from warehouse.decisions.holds import exclude, read_holds, unfreeze
from warehouse.storage.home import Home
from warehouse.storage.locks import BuildRunningError, exclusive, holder_of

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


def of_each(sources, decide, home, *more):
    for source in sources:
        decide(home, source, None, *more)


def test_no_decision_is_lost(home):
    first, second, third = (list(SOURCES)[n * TIMES : (n + 1) * TIMES] for n in range(3))
    at_once(*((of_each, sources, exclude, home, set()) for sources in (first, second)))
    assert {hold.source for hold in read_holds(home).items} == {*first, *second}
    releases = ((of_each, sources, unfreeze, home) for sources in (first, second))
    at_once((of_each, third, exclude, home, set()), *releases)
    assert {hold.source for hold in read_holds(home).items} == set(third)


def test_a_decision_waits_for_a_build(home):
    """It is made against the generation that the build publishes."""
    context = get_context("fork")
    is_building, is_published = context.Event(), context.Event()

    def build():
        with exclusive(home, 0):
            is_building.set()
            time.sleep(1)
            is_published.set()

    process = context.Process(target=build)
    process.start()
    assert is_building.wait(30) and holder_of(home.build_lock) == process.pid
    with pytest.raises(BuildRunningError, match="another build is running"), exclusive(home, 0):
        pass
    exclude(home, "vast", None, set())
    assert is_published.is_set() and [hold.source for hold in read_holds(home).items] == ["vast"]
    process.join()


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
