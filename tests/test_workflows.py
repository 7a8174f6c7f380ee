"""The workflow files: they parse, and the commands, targets and branches that they name are there."""

import re
import shlex
from pathlib import Path

import pytest
import yaml

from accelmart.cli import app as readers
from orchestration.cli import app

ROOT = Path(__file__).resolve().parent.parent
FILES = sorted((ROOT / ".github/workflows").glob("*.yml"))
TARGETS = set(re.findall(r"^([\w.$()/-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def steps(path):
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    # YAML 1.1 reads the key `on` as true
    assert set(document) - {"concurrency"} == {"name", True, "permissions", "jobs"}
    return [step for job in document["jobs"].values() for step in job["steps"]]


def test_there_are_workflows_for_tests_drills_and_publication():
    assert [path.name for path in FILES] == ["ci.yml", "nightly.yml", "publish.yml"]
    assert ".ci/run" in [step.get("run") for step in steps(FILES[0])]
    assert "make drills" in [step.get("run") for step in steps(FILES[1])]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_step_uses_an_action_of_a_version_or_runs_what_is_there(path):
    commands = {
        command.name or command.callback.__name__ for a in (app, readers) for command in a.registered_commands
    }
    for step in steps(path):
        if "uses" in step:
            assert re.fullmatch(r"actions/[a-z-]+@v\d+", step["uses"])
            continue
        for command in re.split(r"&&|\|\||[()\[\]]", step["run"]):
            program, *arguments = shlex.split(command) or [""]
            if program == "make":
                assert arguments[0].replace(".venv", "$(VENV)") in TARGETS | {"$(VENV)/.ready-dev"}
            elif program.endswith("accelmart"):
                assert arguments[0] in commands
            elif "/" in program:
                assert (ROOT / program).stat().st_mode & 0o111
