"""Files for servers: systemd units, compose file, Dagster's settings, each checked with its own tool."""

import importlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest
import yaml
from dagster._core.workspace.load import location_origins_from_yaml_paths

from orchestration.instance import DagsterSettingsError, ensure_dagster_home, instance
from warehouse.home import Home

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
DEV_EXTRA = re.compile(r"^dev = \[\n(.*?)^\]", re.M | re.S)
UNITS = sorted((DEPLOY / "systemd").iterdir())
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())


def settings(path):
    return {
        name: value
        for line in path.read_text().splitlines()
        if (match := re.fullmatch(r"#?([A-Z_]+)=(.*)", line))
        for name, value in [match.groups()]
    }


@pytest.mark.parametrize("text", ["run_monitoring: {nonsense: 1}\n", "telemetry: [\n"])
def test_settings_that_cannot_be_used_are_named_and_written_again(tmp_path, monkeypatch, text):
    monkeypatch.setenv("DAGSTER_HOME", "x")
    monkeypatch.delenv("DAGSTER_HOME")
    home = Home(tmp_path, "x")
    home.dagster.mkdir()
    path = home.dagster / "dagster.yaml"
    path.write_text(text)
    with pytest.raises(DagsterSettingsError, match="Correct it, or remove it") as error, instance(home):
        pass
    assert str(path) in str(error.value)
    path.unlink()
    with instance(home) as opened:
        assert opened.root_directory == str(home.dagster)


def test_settings_of_one_machine_are_those_of_a_server_with_another_storage(tmp_path, monkeypatch):
    # set first, so that monkeypatch restores it
    monkeypatch.setenv("DAGSTER_HOME", "x")
    monkeypatch.delenv("DAGSTER_HOME")
    ensure_dagster_home(Home(tmp_path, "x"))
    written = (tmp_path / "dagster" / "dagster.yaml").read_text()
    server = yaml.safe_load((DEPLOY / "dagster.yaml").read_text())
    assert set(server.pop("storage")) == {"postgres"}
    assert yaml.safe_load(written) == server and "PostgreSQL" not in written
    with dg.DagsterInstance.from_config(str(tmp_path / "dagster")) as instance:
        assert instance.run_retries_enabled and instance.run_monitoring_enabled
        assert instance.get_tick_retention_settings(dg._core.definitions.run_request.InstigatorType.SCHEDULE)


def test_the_workspace_names_the_code_location(monkeypatch):
    monkeypatch.setenv("ACCELMART_CODE_HOST", "code.example.org")
    (origin,) = location_origins_from_yaml_paths([str(DEPLOY / "workspace.yaml")])
    assert (origin.host, origin.port, origin.location_name) == ("code.example.org", 4000, "accelmart")


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")
def test_systemd_accepts_the_units(tmp_path):
    """`verify` also checks the programs: those of this environment replace the ones under /opt."""
    for unit in UNITS:
        words = unit.read_text().replace("/opt/accelmart/.venv", sys.prefix)
        (tmp_path / unit.name).write_text(words)

    def verify():
        done = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", *sorted(map(str, tmp_path.iterdir()))],
            capture_output=True,
            text=True,
            check=False,
        )
        ours = [line for line in done.stderr.splitlines() if "accelmart" in line]
        return done.returncode, ours

    assert verify() == (0, [])
    broken = tmp_path / "accelmart-daemon.service"
    broken.write_text(broken.read_text().replace("ProtectSystem=strict", "ProtectSystem=very"))
    assert "Failed to parse" in "".join(verify()[1])


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")
@pytest.mark.parametrize("unit", [u for u in UNITS if u.suffix == ".service"], ids=lambda u: u.name)
def test_services_are_hardened(unit):
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=14", str(unit)],
        capture_output=True,
        text=True,
        check=False,
    )
    # 14 means an exposure of 1.4 of 10, as docs/operations.md states
    assert done.returncode == 0, done.stdout[-300:]


def test_the_image_installs_what_runs_and_nothing_else():
    text = (DEPLOY / "Dockerfile").read_text()
    assert re.findall(r"-r (\S+)", text) == ["requirements.lock"]
    assert "pip uninstall --yes hatchling trove-classifiers setuptools pip" in text
    left_out = (DEPLOY.parent / ".dockerignore").read_text().split()
    assert {"tests", "bench", ".ci", "requirements-dev.lock", ".git", ".venv"} <= set(left_out)
    lock = (DEPLOY.parent / "requirements.lock").read_text()
    locked = set(re.findall(r"^([a-z0-9-]+)", lock, re.M))
    tools = re.findall(r'"([A-Za-z-]+)', DEV_EXTRA.search((DEPLOY.parent / "pyproject.toml").read_text())[1])
    assert len(tools) > 8 and not locked & {tool.lower() for tool in tools}


def test_base_images_can_be_pinned_by_digest():
    text = (DEPLOY / "Dockerfile").read_text()
    assert re.findall(r"^FROM (\S+)", text, re.M) == ["${PYTHON_IMAGE}"] * 2
    images = [
        COMPOSE["services"]["code"]["build"]["args"]["PYTHON_IMAGE"],
        COMPOSE["services"]["postgres"]["image"],
    ]
    assert [re.sub(r":-.*", "", image) for image in images] == ["${PYTHON_IMAGE", "${POSTGRES_IMAGE"]


def programs():
    """Yield (file, command line) of every program that units, image and compose file start."""
    for unit in UNITS:
        for line in unit.read_text().splitlines():
            if line.startswith("ExecStart="):
                yield unit.name, line.removeprefix("ExecStart=/opt/accelmart/.venv/bin/").split()
    for name, service in COMPOSE["services"].items():
        if "command" in service:
            yield name, service["command"]
    (words,) = re.findall(r"^CMD (\[.*\])$", (DEPLOY / "Dockerfile").read_text(), re.M)
    yield "Dockerfile", json.loads(words)


def options_of(words):
    """Return the options of a program from its parser; every other word must be one of its commands."""
    command = {
        "dagster": "dagster._cli:cli",
        "dagster-daemon": "dagster._daemon.cli:cli",
        "dagster-webserver": "dagster_webserver.cli:dagster_webserver",
    }[words[0]]
    module, _, name = command.partition(":")
    command = getattr(importlib.import_module(module), name)
    for word in words[1:]:
        if not hasattr(command, "commands"):
            break
        command = command.commands[word]
    return {option for parameter in command.params for option in parameter.opts}


def test_every_program_started_exists_and_knows_its_options():
    seen = set()
    for where, words in programs():
        assert Path(sys.executable).with_name(words[0]).exists(), f"{where} starts {words[0]}"
        seen.add(words[0])
        options = options_of(words)
        for option in (w for w in words if w.startswith("--")):
            assert option in options, f"{where}: {words[0]} has no {option}"
    assert seen == {"dagster", "dagster-daemon", "dagster-webserver"}


def test_compose_services_are_wired():
    services = COMPOSE["services"]
    assert set(services) == {"postgres", "code", "daemon", "webserver"}
    named = {
        v.partition(":")[0] for s in services.values() for v in s["volumes"] if not v.startswith((".", "$"))
    }
    assert named == set(COMPOSE["volumes"])
    for name, service in services.items():
        assert set(service["networks"]) <= set(COMPOSE["networks"]), name
        assert set(service.get("depends_on", {})) <= set(services), name
        for place in (v.partition(":")[0] for v in service["volumes"] if v.startswith("./")):
            assert (DEPLOY / place).exists(), f"{name} mounts {place}"
        assert not [p for p in service.get("ports", []) if not p.startswith("127.0.0.1:")], name
    ours = [s for n, s in services.items() if n != "postgres"]
    assert all(s["read_only"] and s["cap_drop"] == ["ALL"] for s in ours)
    # every variable of dagster.yaml and workspace.yaml is set in each service
    wanted = set(re.findall(r"env: (\w+)", (DEPLOY / "dagster.yaml").read_text()))
    wanted |= set(re.findall(r"env: (\w+)", (DEPLOY / "workspace.yaml").read_text()))
    assert wanted and all(wanted <= set(s["environment"]) for s in ours)
    assert ours[0]["environment"]["ACCELMART_CODE_HOST"] in services
    assert wanted <= set(settings(DEPLOY / "accelmart.env.example"))
    # all services use the database and user that the PostgreSQL service creates
    made = services["postgres"]["environment"]
    assert (made["POSTGRES_USER"], made["POSTGRES_DB"], made["POSTGRES_PASSWORD"]) == tuple(
        ours[0]["environment"][n] for n in ("PGUSER", "PGDATABASE", "PGPASSWORD")
    )


def compose_command():
    for words in (["docker", "compose"], ["docker-compose"]):
        if shutil.which(words[0]) and not subprocess.run([*words, "version"], capture_output=True).returncode:
            return words
    return None


@pytest.mark.skipif(
    compose_command() is None, reason="neither docker compose nor docker-compose is installed"
)
def test_compose_accepts_the_file():
    def config(password):
        return subprocess.run(
            [*compose_command(), "-f", str(DEPLOY / "compose.yaml"), "config", "--quiet"],
            env={**os.environ, "PGPASSWORD": password},
            capture_output=True,
            text=True,
            check=False,
        )

    assert config("x").returncode == 0
    assert "deploy/.env" in config("").stderr
