"""The workflow files: they parse, may do what they must, and what they name is there: commands, targets, actions."""

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


def jobs(path):
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    # YAML 1.1 reads the key `on` as true
    assert set(document) - {"concurrency"} == {"name", True, "permissions", "jobs"}
    for job in document["jobs"].values():
        yield job.get("permissions", document["permissions"]), job["steps"]


def steps(path):
    return [step for _, job in jobs(path) for step in job]


def test_there_are_workflows_for_tests_drills_publication_and_vulnerabilities():
    assert [path.name for path in FILES] == ["ci.yml", "nightly.yml", "publish.yml", "vulnerabilities.yml"]
    assert ".ci/run" in [step.get("run") for step in steps(FILES[0])]
    assert ".ci/run drills" in [step.get("run") for step in steps(FILES[1])]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_step_uses_a_pinned_action_or_runs_what_is_there(path):
    commands = {
        command.name or command.callback.__name__ for a in (app, readers) for command in a.registered_commands
    }
    # a tag can be moved to another commit; the version beside it is for people
    used = re.findall(r"uses: *(.*)", path.read_text(encoding="utf-8"))
    assert [u for u in used if not re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", u)] == []
    for step in steps(path):
        if "uses" in step:
            if step["uses"].startswith("actions/checkout@"):
                assert step["with"] == {"persist-credentials": False}
            continue
        for command in re.split(r"&&|\|\||[()\[\]]", step["run"]):
            program, *arguments = shlex.split(command) or [""]
            if program == "make":
                assert arguments[0].replace(".venv", "$(VENV)") in TARGETS | {"$(VENV)/.ready-dev"}
            elif program.endswith("accelmart"):
                assert arguments[0] in commands
            elif "/" in program:
                assert (ROOT / program).stat().st_mode & 0o111
                assert program != ".ci/run" or {*arguments} <= TARGETS
            for lock in arguments:
                assert not lock.endswith(".lock") or (ROOT / lock).exists()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_job_that_may_write_runs_nothing_of_the_repository(path):
    """It neither checks out, builds nor fetches: what strangers publish is read by jobs that may read alone."""
    for permissions, of_job in jobs(path):
        if set(permissions.items()) <= {("contents", "read")}:
            continue
        assert permissions == {"pages": "write", "id-token": "write", "attestations": "write"}
        actions = [step["uses"].partition("@")[0] for step in of_job if "uses" in step]
        assert actions == [
            "actions/download-artifact",
            "actions/attest-build-provenance",
            "actions/deploy-pages",
        ]
        programs = [shlex.split(part)[0] for s in of_job if "run" in s for part in s["run"].split("&&")]
        assert programs == ["mkdir", "tar"]


def test_what_is_published_is_signed_and_all_locks_are_audited():
    publishing, vulnerabilities = FILES[2:]
    (signed,) = [
        s["with"]["subject-path"].split() for s in steps(publishing) if "attest" in s.get("uses", "")
    ]
    assert signed == [
        "public/wheels/*.whl",
        "public/generations/*/accelmart.duckdb",
        "public/generations/*/accelmart.duckdb.gz",
    ]
    assert "make wheel WHEELS=public/wheels" in [step.get("run") for step in steps(publishing)]
    audit = steps(vulnerabilities)[-1]["run"].split()
    assert {word for word in audit if word.endswith(".lock")} == {path.name for path in ROOT.glob("*.lock")}
    schedule = yaml.safe_load(vulnerabilities.read_text(encoding="utf-8"))[True]["schedule"]
    assert re.fullmatch(r"\d+ \d+ \* \* [0-6]", schedule[0]["cron"])  # weekly
