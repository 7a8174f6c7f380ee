"""Files for servers: systemd units, compose file, Dagster's settings, each checked with its own tool."""

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
from dagster._cli import cli as dagster_commands
from dagster._core.workspace.load import location_origins_from_yaml_paths
from dagster._daemon.cli import cli as daemon_commands
from typer.main import get_command

from orchestration.cli import app
from orchestration.instance import DagsterSettingsError, ensure_dagster_home, instance
from warehouse.storage.home import Home

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
DEV_EXTRA = re.compile(r"^dev = \[\n(.*?)^\]", re.M | re.S)
UNITS = sorted((DEPLOY / "systemd").iterdir())
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())


@pytest.fixture
def home(tmp_path, monkeypatch):
    # set first, so that monkeypatch restores it
    monkeypatch.setenv("DAGSTER_HOME", "x")
    monkeypatch.delenv("DAGSTER_HOME")
    return Home(tmp_path, "x")


def test_settings_that_cannot_be_used_are_named_and_written_again(home):
    home.dagster.mkdir()
    path = home.dagster / "dagster.yaml"
    path.write_text("run_monitoring: {nonsense: 1}\n")
    with pytest.raises(DagsterSettingsError, match=re.escape(str(path))), instance(home):
        pass
    path.unlink()
    with instance(home) as opened:
        assert opened.root_directory == str(home.dagster)


def test_settings_of_one_machine_are_those_of_a_server_with_another_storage(home):
    ensure_dagster_home(home)
    written = (home.dagster / "dagster.yaml").read_text()
    server = yaml.safe_load((DEPLOY / "dagster.yaml").read_text())
    assert set(server.pop("storage")) == {"postgres"}
    assert yaml.safe_load(written) == server and "PostgreSQL" not in written
    with dg.DagsterInstance.from_config(str(home.dagster)) as instance:
        assert instance.run_retries_enabled and instance.run_monitoring_enabled


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
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *sorted(map(str, tmp_path.iterdir()))],
        capture_output=True,
        text=True,
        check=False,
    )
    ours = [line for line in done.stderr.splitlines() if "accelmart" in line]
    assert (done.returncode, ours) == (0, [])


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
    assert re.findall(r"-r (\S+)", (DEPLOY / "Dockerfile").read_text()) == ["requirements.lock"]
    ignored = (DEPLOY.parent / ".dockerignore").read_text().split()
    assert {"tests", "bench", ".ci", "requirements-dev.lock", ".git", ".venv"} <= set(ignored)
    locked = set(re.findall(r"^([a-z0-9-]+)", (DEPLOY.parent / "requirements.lock").read_text(), re.M))
    tools = re.findall(r'"([A-Za-z-]+)', DEV_EXTRA.search((DEPLOY.parent / "pyproject.toml").read_text())[1])
    assert len(tools) > 8 and not locked & {tool.lower() for tool in tools}


def programs():
    """Yield (file, command line) of every program that units, image and compose file start."""
    for unit in UNITS:
        for command in re.findall(r"^ExecStart=/opt/accelmart/.venv/bin/(.*)$", unit.read_text(), re.M):
            yield unit.name, command.split()
    for name, service in COMPOSE["services"].items():
        if "command" in service:
            yield name, service["command"]
    (words,) = re.findall(r"^CMD (\[.*\])$", (DEPLOY / "Dockerfile").read_text(), re.M)
    yield "Dockerfile", json.loads(words)


COMMANDS = {
    "dagster": dagster_commands,
    "dagster-daemon": daemon_commands,
    "accelmart": get_command(app),
}


def test_every_program_started_exists_and_knows_its_options():
    seen = set()
    for where, (name, *words) in programs():
        assert Path(sys.executable).with_name(name).exists(), f"{where} starts {name}"
        seen.add(name)
        command = COMMANDS[name]
        for word in words:
            if hasattr(command, "commands"):
                command = command.commands[word]
        known = {option for parameter in command.params for option in parameter.opts}
        assert {w for w in words if w.startswith("--")} <= known, where
    assert seen == COMMANDS.keys()


def test_compose_services_are_wired():
    services = COMPOSE["services"]
    assert set(services) == {"postgres", "code", "daemon", "webserver"}
    for name, service in services.items():
        for place in (v.partition(":")[0] for v in service["volumes"] if v.startswith("./")):
            assert (DEPLOY / place).exists(), f"{name} mounts {place}"
        assert not [p for p in service.get("ports", []) if not p.startswith("127.0.0.1:")], name
    ours = [s for n, s in services.items() if n != "postgres"]
    # every variable of dagster.yaml and workspace.yaml is set in each service
    texts = [
        (DEPLOY / name).read_text() for name in ("dagster.yaml", "workspace.yaml", "accelmart.env.example")
    ]
    wanted = {name for text in texts[:2] for name in re.findall(r"env: (\w+)", text)}
    assert wanted and all(wanted <= set(s["environment"]) for s in ours)
    assert wanted <= set(re.findall(r"^#?([A-Z_]+)=", texts[2], re.M))
    assert ours[0]["environment"]["ACCELMART_CODE_HOST"] in services
    # all services use the database and user that the PostgreSQL service creates
    made, used = services["postgres"]["environment"], ours[0]["environment"]
    for name in ("USER", "DB", "PASSWORD"):
        assert made[f"POSTGRES_{name}"] == used[f"PG{name.replace('DB', 'DATABASE')}"]


def test_services_have_no_more_than_they_need():
    services = COMPOSE["services"]
    for name, service in services.items():
        assert service["read_only"] and service["cap_drop"] == ["ALL"] and "cap_add" not in service, name
        assert service["security_opt"] == ["no-new-privileges:true"] and not service.get("privileged"), name
        assert re.fullmatch(r"\d+g|\$\{[A-Z_]+:-\d+g\}", service["mem_limit"]), name
    assert services["postgres"]["user"] == "postgres"  # its image starts as root otherwise
    # code location and database have no login worth the name: only the services that use them are on their network
    networks = {name: set(service["networks"]) for name, service in services.items()}
    assert networks == {
        "postgres": {"inner"},
        "code": {"inner", "outward"},
        "daemon": {"inner"},
        "webserver": {"inner", "web"},
    }
    assert [name for name, network in COMPOSE["networks"].items() if network.get("internal")] == ["inner"]
    assert [name for name, service in services.items() if "ports" in service] == ["webserver"]
    for unit in UNITS:
        if unit.suffix == ".service":
            assert re.search(r"^MemoryMax=\d+[G%]$", unit.read_text(), re.M), unit.name


@pytest.mark.skipif(
    not shutil.which("docker")
    or subprocess.run(["docker", "compose", "version"], capture_output=True).returncode,
    reason="docker compose is not installed",
)
def test_compose_accepts_the_file():
    def config(password):
        command = ["docker", "compose", "-f", DEPLOY / "compose.yaml", "config", "--quiet"]
        return subprocess.run(
            command, env={**os.environ, "PGPASSWORD": password}, capture_output=True, text=True
        )

    assert config("x").returncode == 0
    assert "deploy/.env" in config("").stderr
