"""dbt's process that is started ahead: it carries out one command, and another one takes its place where it cannot."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from orchestration import dbt_ahead, resources
from orchestration.dbt_state import MANIFEST, STAMP, is_current, unpack
from warehouse.build import Build, link_project
from warehouse.home import Home
from warehouse.reuse import NOTHING_REUSED

LIST = ("list", "--resource-type", "model", "--select", "mart_tco", "--output", "name")


@pytest.fixture
def home(tmp_path):
    yield Home(tmp_path, str(tmp_path / "landing"))
    dbt_ahead.end_waiting()


@pytest.fixture
def build(home):
    build = Build(home.builds / "a")
    link_project(build.folder)
    build.raw.mkdir()
    return build


def done(home, build, *command):
    """Run a command; return the id of its process, its messages and its exit code."""
    places = ("--project-dir", str(build.project), "--profiles-dir", str(build.project))
    outputs = ("--target-path", str(build.folder), "--log-path", str(build.folder))
    process = dbt_ahead.run(home, [*command, *places, *outputs], build.project)
    lines = process.stdout.read().decode().splitlines()
    messages = [json.loads(line)["info"]["msg"] if line.startswith("{") else line for line in lines]
    code = process.wait()
    dbt_ahead.end(process)
    return process.pid, messages, code


def test_the_waiting_process_carries_out_one_command(home, build):
    dbt_ahead.start(home)
    (waiting,) = dbt_ahead._waiting
    pid, messages, code = done(home, build, *LIST)
    assert (pid, code, messages[-1]) == (waiting.pid, 0, "mart_tco")
    assert dbt_ahead._waiting == []


def test_what_killed_processes_left_is_removed(home, build):
    left, in_use = home.dbt_target / ".loading-left", home.dbt_target / ".loading-in-use"
    for folder in (left, in_use):
        folder.mkdir(parents=True)
    os.utime(left, (1, 1))
    assert done(home, build, *LIST)[2] == 0
    assert list(home.dbt_target.glob(".loading-*")) == [in_use]


def test_another_process_takes_the_place_of_one_that_ended(home, build):
    dbt_ahead.start(home)
    (waiting,) = dbt_ahead._waiting
    waiting.kill()
    waiting.wait()
    pid, messages, code = done(home, build, *LIST)
    assert (code, messages[-1]) == (0, "mart_tco")
    assert pid != waiting.pid


def test_a_project_that_changed_meanwhile_is_loaded_again(home, build, monkeypatch):
    dbt_ahead.start(home)
    monkeypatch.setattr(dbt_ahead, "dbt_rules", lambda: "those of a changed project")
    _, messages, code = done(home, build, *LIST)
    assert (code, messages[-1]) == (0, "mart_tco")


LOAD = """
import sys
from pathlib import Path
from orchestration import dbt_ahead
dbt_ahead.unpack = lambda target: False  # shipped for another state of the project
rules, manifest = dbt_ahead._loaded(Path(sys.argv[1]))
print("model.accelmart.mart_tco" in manifest.nodes)
"""


def test_a_project_without_shipped_state_is_parsed_for_all(home, monkeypatch):
    target = home.dbt_target
    target.mkdir(parents=True)
    unpack(target)
    (target / STAMP).unlink()
    loaded = subprocess.run([sys.executable, "-c", LOAD, str(target)], capture_output=True, text=True)
    assert (loaded.stdout, loaded.returncode) == ("True\n", 0), loaded.stderr
    assert is_current(target)
    monkeypatch.setenv("ACCELMART_HOME", str(home.root))
    monkeypatch.setattr(resources.subprocess, "run", lambda *_, **__: pytest.fail("dbt was started again"))
    assert resources.manifest() == target / MANIFEST


def test_a_command_that_fails_ends_with_its_exit_code(home, build):
    _, messages, code = done(home, build, "build", "--no-such-option")
    assert code == 2
    assert any("no-such-option" in message for message in messages)


def test_a_process_without_a_command_ends_with_its_parent_or_by_request(home):
    dbt_ahead.start(home)
    (process,) = dbt_ahead._waiting
    process.stdin.close()
    assert process.wait(timeout=60) == 0
    dbt_ahead.end_waiting()
    dbt_ahead.start(home)
    (process,) = dbt_ahead._waiting
    dbt_ahead.end_waiting()
    assert process.poll() is not None


def test_an_interrupted_run_leaves_no_dbt_at_work(home, build):
    from orchestration.defs.warehouse import assets

    process = subprocess.Popen(["sleep", "60"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assets._BEGUN["a run"] = assets._Begun(build, {}, NOTHING_REUSED, [], build.folder, process)
    assets.release("another run")
    assert process.poll() is None
    assets.release("a run")
    assert process.poll() is not None
    assert assets._BEGUN == {}


@pytest.mark.parametrize("command", [("--log-level-file", "error", "list"), ("--debug", "list")])
def test_dbt_makes_nothing_of_events_that_no_log_takes(home, build, command):
    """Events of level debug appear where they are asked for, and are not serialized where they are not."""
    code = """
import sys
from dbt.adapters.events.types import SQLQuery
from dbt_common.events import base_types, event_manager
made = []
own = event_manager.msg_from_base_event
event_manager.msg_from_base_event = lambda e, level=None: made.append(own(e, level)) or made[-1]
from orchestration.dbt_internals import leave_out_unread
query = {"conn_name": "a", "sql": "select 1", "node_info": {"node_name": "model", "unique_id": "model.a"}}
eager = SQLQuery(**query).to_dict()
leave_out_unread()
converted, convert = [], base_types.ParseDict
base_types.ParseDict = lambda fields, message: converted.append(type(message).__name__) or convert(fields, message)
late = SQLQuery(**query)
assert converted == []
assert late.to_dict() == eager and late.sql == "select 1" and converted == ["SQLQuery"]
late.sql = "select 2"
assert late.message() and late.to_dict()["sql"] == "select 2" and converted == ["SQLQuery"]
from dbt.cli.main import dbtRunner
done = dbtRunner().invoke(sys.argv[1:])
print("levels", *sorted({m.info.level for m in made}), done.success)
"""
    places = ("--project-dir", str(build.project), "--profiles-dir", str(build.project))
    outputs = ("--target-path", str(build.folder), "--log-path", str(build.folder))
    unpack(home.dbt_target)
    shutil.copy2(home.dbt_target / "partial_parse.msgpack", build.folder)
    ran = subprocess.run(
        [sys.executable, "-c", code, *command, *LIST[1:], *places, *outputs],
        env={**os.environ, "DBT_SEND_ANONYMOUS_USAGE_STATS": "false"},
        capture_output=True,
        text=True,
        check=True,
    )
    levels = {"levels debug info True"} if "--debug" in command else {"levels info True"}
    assert levels == {line for line in ran.stdout.splitlines() if line.startswith("levels")}
    assert "mart_tco" in ran.stdout
