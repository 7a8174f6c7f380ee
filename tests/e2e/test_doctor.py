"""The doctor: each of its twelve findings is caused, its remedy is executed as it is printed, and then it is gone.

Those that need a publication, payloads or a daemon are drilled beside these, as the last test lists.
"""

import json
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections import namedtuple
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import dagster as dg
import pytest

from orchestration import doctor
from orchestration.doctor import CHECKS, examine
from orchestration.instance import ensure_dagster_home
from warehouse.home import Home
from warehouse.outcome import record_outcome

pytestmark = pytest.mark.xdist_group("doctor")
ROOT = Path(__file__).resolve().parents[2]
BINARIES = Path(sys.executable).parent


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return tmp_path_factory.mktemp("doctor") / "home"


@pytest.fixture
def home(root, monkeypatch):
    """An empty data root of this process and of the commands it calls; what dbt parsed for an earlier test stays in it."""
    for name in [n for n in os.environ if n.startswith(("ACCELMART_", "DAGSTER_", "GCP_", "LAMBDA_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("DAGSTER_HOME", "")  # restored afterwards, whoever sets it
    monkeypatch.delenv("DAGSTER_HOME")
    root.mkdir(exist_ok=True)
    for path in root.iterdir():
        if path.is_file():
            path.unlink()
        elif path.name != "dbt":
            shutil.rmtree(path)
    monkeypatch.setenv("ACCELMART_HOME", str(root))
    monkeypatch.setenv("PATH", f"{BINARIES}:{os.environ['PATH']}")
    return Home(root, str(root / "landing"))


def found(home, check, *, is_online=False):
    return [f for f in examine(home, is_offline=not is_online) if f.check == check]


def problem(home, check, status, text, *, is_online=False):
    """Return the one finding of a check; it must have this status and text, and a remedy."""
    (finding,) = found(home, check, is_online=is_online)
    assert (finding.status, text in finding.found) == (status, True), finding
    assert finding.remedy
    return finding


def execute(finding):
    """Run the first command of a remedy as it is printed."""
    command = re.search(r"`([^`]+)`", finding.remedy)[1]
    done = subprocess.run(shlex.split(command), cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, (command, done.stdout, done.stderr)


def is_well(home, check, *, is_online=False):
    return [f.status for f in found(home, check, is_online=is_online)] == ["ok"]


def test_packages(home, tmp_path, monkeypatch):
    lock = tmp_path / "requirements.lock"
    monkeypatch.setattr(doctor, "LOCK_FILE", lock)
    for line, status, text in (
        ("no-such-package==1", "fail", "no-such-package is not installed"),
        ("pytest==1", "warn", "is not ==1"),
    ):
        lock.write_text(f"{line} \\\n    --hash=sha256:00\nwinreg==1 ; sys_platform == 'win32'\n")
        assert "pip install" in problem(home, "packages", status, text).remedy
    lock.write_text(f"pytest=={pytest.__version__} \\\n    --hash=sha256:00\n")
    assert is_well(home, "packages")


@pytest.mark.parametrize("name", ["ACCELMART_GENERATIONS_KEPT", "ACCELMART_MIRROR", "ACCELMART_ALERT_URLS"])
def test_settings(home, monkeypatch, name):
    monkeypatch.setenv(name, "nonsense!")
    assert "unset" in problem(home, "settings", "fail", name).remedy
    monkeypatch.delenv(name)
    assert is_well(home, "settings")


@pytest.mark.parametrize("name", ["scenarios.yaml", "overrides/nonsense.csv", "holds.json"])
def test_files_of_the_operator(home, name):
    path = home.root / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("scenarios: 7\n")
    assert "remove" in problem(home, "settings", "fail", path.name).remedy
    path.unlink()
    assert is_well(home, "settings")


def test_storage_of_another_user(home):
    folder = Path(tempfile.mkdtemp(dir="/tmp"))  # every folder above it can be entered by anyone
    folder.chmod(0o755)
    there, me = Home(folder, str(folder / "landing")), os.geteuid()
    try:
        if me == 0:
            os.seteuid(65534)
        else:
            folder.chmod(0o500)
        finding = problem(there, "storage", "fail", "Permission denied")
        assert "run as the owner" in finding.remedy
    finally:
        os.seteuid(me)
        folder.chmod(0o755)
    assert is_well(there, "storage")
    shutil.rmtree(folder)


def test_storage_that_is_full(home, monkeypatch):
    """A disk of 1 GiB on which a killed build has left 600 MiB (a sparse file)."""
    usage = namedtuple("Usage", "total used free")
    left = home.builds / "killed" / "build.duckdb"
    left.parent.mkdir(parents=True)
    with left.open("wb") as file:
        file.truncate(600 << 20)
    monkeypatch.setattr(
        doctor.shutil,
        "disk_usage",
        lambda _: usage(1 << 30, 0, (1 << 30) - (left.stat().st_size if left.exists() else 0)),
    )
    execute(problem(home, "storage", "fail", "GiB are free"))
    assert problem(home, "storage", "warn", "1.0 GiB are free")  # less than four times what a build needs
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _: usage(9 << 30, 0, 9 << 30))
    assert is_well(home, "storage")


# a process of another test may have left signals ignored or blocked, which a child inherits
HOLD = """
import signal, sys, filelock
signal.signal(signal.SIGTERM, signal.SIG_DFL)
signal.pthread_sigmask(signal.SIG_SETMASK, [])
lock = filelock.FileLock(sys.argv[1])
lock.acquire()
print("held", flush=True)
sys.stdin.read()
"""


def test_builds_that_hang_or_were_killed(home, monkeypatch):
    (home.builds / "1234").mkdir(parents=True)
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, home.build_lock],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert holder.stdout.readline() == "held\n"
        assert is_well(home, "builds")  # one is running
        monkeypatch.setattr(doctor, "BUILD_TOO_LONG_S", 0)
        execute(problem(home, "builds", "warn", f"process {holder.pid} holds"))
        holder.wait(120)
    finally:
        holder.kill()
        holder.communicate()
    execute(problem(home, "builds", "warn", "1 ended without publishing: 1234"))
    assert is_well(home, "builds")
    record_outcome(home, "failed", problems=["no_mart_moved: 3 rows"])
    assert "accelmart status" in problem(home, "builds", "fail", "no_mart_moved: 3 rows").remedy


def test_dagster_after_an_upgrade_and_with_wrong_settings(home):
    assert is_well(home, "dagster")  # not used
    ensure_dagster_home(home)
    with dg.DagsterInstance.get() as instance:
        assert instance.get_runs_count() == 0
    assert is_well(home, "dagster")
    database = home.dagster / "history" / "runs.db"
    with sqlite3.connect(database) as db:
        (head,) = db.execute("select version_num from alembic_version").fetchone()
        db.execute("update alembic_version set version_num = '7e2f3204cf8e'")  # the revision before
    db.close()
    assert head != "7e2f3204cf8e"
    execute(problem(home, "dagster", "fail", "earlier version"))
    assert is_well(home, "dagster")
    text = (home.dagster / "dagster.yaml").read_text()
    for wrong in ("storage: [", "storage:\n  postgres:\n    postgres_db: {hostname: {env: NO_SUCH}}\n"):
        (home.dagster / "dagster.yaml").write_text(wrong)
        assert "correct dagster.yaml" in problem(home, "dagster", "fail", "").remedy
        assert not [f for f in found(home, "daemon") if "alert" not in f.found]  # said once
    (home.dagster / "dagster.yaml").write_text(text)
    database.write_bytes(b"no database" * 1000)
    assert problem(home, "dagster", "fail", "database")


def test_a_schedule_that_was_turned_off_and_alerts_that_go_nowhere(home, monkeypatch):
    ensure_dagster_home(home)
    assert [f.remedy for f in found(home, "daemon") if "no alert" in f.found] == ["set ACCELMART_ALERT_URLS"]
    schedule = ["dagster", "schedule", "stop", "-m", "orchestration.definitions", "refresh_prices"]
    done = subprocess.run(schedule, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    monkeypatch.setenv("ACCELMART_ALERT_URLS", "json://127.0.0.1:9")
    (finding,) = [f for f in found(home, "daemon") if "refresh_prices is off" in f.found]
    assert finding.status == "warn"
    execute(finding)
    assert [f.found.partition(":")[0] for f in found(home, "daemon")] == ["nothing runs by itself"]


def test_sources_without_a_key(home, monkeypatch):
    for finding in found(home, "sources"):
        name = re.match(r"set (\w+); see https://", finding.remedy)[1]
        monkeypatch.setenv(name, "sk-secret-0123")
    assert is_well(home, "sources") and "sk-secret-0123" not in str(found(home, "sources"))


class Upstream:
    """A server that answers HEAD with a status and a clock that can be changed."""

    def __init__(self):
        self.status, self.ahead, self.asked = 200, timedelta(0), []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_HEAD(self):
                outer.asked.append((self.path, dict(self.headers)))
                self.send_response_only(outer.status)
                self.send_header("Date", format_datetime(datetime.now(UTC) + outer.ahead, usegmt=True))
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def upstream(monkeypatch):
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1")
    one = Upstream()
    yield one
    one.server.shutdown()
    one.server.server_close()


def test_a_closed_network(home, upstream, monkeypatch):
    for name in ("HTTPS_PROXY", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # where nothing listens
    monkeypatch.setenv("GCP_API_KEY", "sk-secret-0123")
    finding = problem(home, "network", "fail", "servers can be used", is_online=True)
    assert "set ACCELMART_MIRROR" in finding.remedy
    monkeypatch.setenv("ACCELMART_MIRROR", upstream.url)
    assert is_well(home, "network", is_online=True)
    hosts = [path.split("/")[1] for path, _ in upstream.asked]
    assert "github.com" in hosts and len(set(hosts)) > 10 and "sk-secret-0123" not in str(upstream.asked)
    upstream.status = 503  # every server is reached and has a problem of its own
    assert problem(home, "network", "fail", "answered 503", is_online=True)


@pytest.mark.parametrize(("ahead", "status", "text"), [(120, "warn", "behind"), (-7200, "fail", "ahead of")])
def test_a_wrong_clock(home, upstream, monkeypatch, ahead, status, text):
    monkeypatch.setenv("ACCELMART_MIRROR", upstream.url)
    upstream.ahead = timedelta(seconds=ahead)
    assert "timedatectl" in problem(home, "clock", status, text, is_online=True).remedy
    upstream.ahead = timedelta(0)  # what that command does to the difference
    assert is_well(home, "clock", is_online=True)


def test_a_whole_installation(built_home, accelmart):
    done = accelmart(built_home, "doctor", "--offline", "--json")
    findings = json.loads(done.stdout)
    assert done.returncode == 0, done.stderr
    assert {f["check"] for f in findings} == set(CHECKS) - {"network", "clock"}
    assert {f["check"] for f in findings if f["status"] != "ok"} == {"sources"}  # keys
    assert all(bool(f["remedy"]) is (f["status"] != "ok") for f in findings)


def test_a_failure_gives_exit_code_1(tmp_path, accelmart):
    (tmp_path / "accelmart.duckdb").write_bytes(b"not a database")
    done = accelmart(tmp_path, "doctor", "--offline", settings={"ACCELMART_GENERATIONS_KEPT": "0"})
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "fail published: " in done.stdout and "accelmart rollback" in done.stdout
    assert "fail settings: " in done.stdout and "2 failed" in done.stdout


def test_every_finding_is_drilled():
    here = {"packages", "settings", "storage", "builds", "dagster", "daemon", "sources", "network", "clock"}
    elsewhere = {"landing": "replay/test_damaged_payloads", "published": "warehouse/test_outputs"}
    elsewhere |= {"outputs": "warehouse/test_outputs", "daemon": "e2e/test_ui"}
    assert len(CHECKS) == 12 and set(CHECKS) == here | set(elsewhere)
    for check, file in elsewhere.items():
        assert f'"{check}"' in (ROOT / "tests" / f"{file}.py").read_text(encoding="utf-8"), check
