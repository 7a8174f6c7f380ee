"""The doctor: each of its findings is caused, its remedy is executed or is what the test does, and then it is gone.

Those that need a publication, payloads or a daemon are drilled in test_outputs.py, test_damaged_payloads.py and test_ui.py.
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
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import dagster as dg
import pytest

from orchestration import doctor
from orchestration.doctor import CHECKS, examine
from orchestration.instance import ensure_dagster_home
from warehouse.publication.outcome import record_outcome
from warehouse.storage.home import Home

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
    for package, status in (("no-such-package==1", "fail"), ("pytest==1", "warn")):
        lock.write_text(f"{package} \\\n    --hash=sha256:00\nwinreg==1 ; sys_platform == 'win32'\n")
        assert "pip install" in problem(home, "packages", status, package.partition("=")[0]).remedy
    lock.write_text(f"pytest=={pytest.__version__} \\\n    --hash=sha256:00\n")
    assert is_well(home, "packages")


def test_settings_and_files_of_the_operator(home, monkeypatch):
    monkeypatch.setenv("ACCELMART_MIRROR", "nonsense!")
    assert "unset" in problem(home, "settings", "fail", "ACCELMART_MIRROR").remedy
    monkeypatch.delenv("ACCELMART_MIRROR")
    for name in ("scenarios.yaml", "overrides/nonsense.csv", "overrides/holds.csv", "holds.json"):
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
        assert "run as the owner" in problem(there, "storage", "fail", "Permission denied").remedy
    finally:
        os.seteuid(me)
        folder.chmod(0o755)
    assert is_well(there, "storage")
    shutil.rmtree(folder)


def test_storage_that_is_full(home, monkeypatch):
    for gib, status in ((0.4, "fail"), (1, "warn")):  # a warning at less than four times what a build needs
        monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _, gib=gib: SimpleNamespace(free=gib * 2**30))
        problem(home, "storage", status, "GiB are free")
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _: SimpleNamespace(free=9 * 2**30))
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
    words = [sys.executable, "-c", HOLD, home.build_lock]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "held\n"
        assert is_well(home, "builds")  # one is running
        monkeypatch.setattr(doctor, "BUILD_TOO_LONG_S", 0)
        execute(problem(home, "builds", "warn", f"process {holder.pid} holds"))
        holder.wait(120)
    shutil.rmtree(home.builds)
    record_outcome(home, "failed", problems=["no_mart_moved: 3 rows"])
    assert "accelmart status" in problem(home, "builds", "fail", "no_mart_moved: 3 rows").remedy


def test_dagster_after_an_upgrade_and_with_wrong_settings(home):
    assert is_well(home, "dagster")  # not used
    ensure_dagster_home(home)
    with dg.DagsterInstance.get() as instance:
        assert instance.get_runs_count() == 0
    assert is_well(home, "dagster")
    database, settings = home.dagster / "history" / "runs.db", home.dagster / "dagster.yaml"
    with sqlite3.connect(database) as db:
        db.execute("update alembic_version set version_num = '7e2f3204cf8e'")  # the revision before
    db.close()
    execute(problem(home, "dagster", "fail", "earlier version"))
    assert is_well(home, "dagster")
    text = settings.read_text()
    settings.write_text("storage:\n  postgres:\n    postgres_db: {hostname: {env: NO_SUCH}}\n")
    assert "correct dagster.yaml" in problem(home, "dagster", "fail", "").remedy
    assert not [f for f in found(home, "daemon") if "alert" not in f.found]  # said once
    settings.write_text(text)
    database.write_bytes(b"no database" * 1000)
    problem(home, "dagster", "fail", "database")


def test_sources_without_a_key(home, monkeypatch):
    for finding in found(home, "sources"):
        name = re.match(r"set (\w+); see https://", finding.remedy)[1]
        monkeypatch.setenv(name, "sk-secret-0123")
    assert is_well(home, "sources") and "sk-secret-0123" not in str(found(home, "sources"))


@pytest.fixture
def upstream(monkeypatch):
    """A server that answers HEAD with a status that can be changed."""

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self):
            server.asked.append((self.path, dict(self.headers)))
            self.send_response_only(server.status)
            self.end_headers()

        def log_message(self, *_):
            pass

    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1")
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.status, server.asked = 200, []
        server.url = f"http://127.0.0.1:{server.server_address[1]}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def test_a_closed_network(home, upstream, monkeypatch):
    for name in ("HTTPS_PROXY", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # where nothing listens
    monkeypatch.setenv("GCP_API_KEY", "sk-secret-0123")
    finding = problem(home, "network", "fail", "servers can be used", is_online=True)
    assert "set ACCELMART_MIRROR" in finding.remedy
    monkeypatch.setenv("ACCELMART_MIRROR", upstream.url)
    assert is_well(home, "network", is_online=True)
    hosts = {path.split("/")[1] for path, _ in upstream.asked}
    assert "github.com" in hosts and len(hosts) > 10 and "sk-secret-0123" not in str(upstream.asked)
    upstream.status = 503  # every server is reached and has a problem of its own
    problem(home, "network", "fail", "answered 503", is_online=True)


def test_a_whole_installation(built_home, accelmart):
    done = accelmart(built_home, "doctor", "--offline", "--json")
    findings = json.loads(done.stdout)
    assert done.returncode == 0, done.stderr
    assert {f["check"] for f in findings} == set(CHECKS) - {"network"}
    assert {f["check"] for f in findings if f["status"] != "ok"} == {"sources"}  # keys
    assert all(bool(f["remedy"]) is (f["status"] != "ok") for f in findings)


def test_a_failure_gives_exit_code_1(tmp_path, accelmart):
    (tmp_path / "accelmart.duckdb").write_bytes(b"not a database")
    done = accelmart(tmp_path, "doctor", "--offline", here=True)
    assert done.returncode == 1 and "fail published: " in done.stdout and "1 failed" in done.stdout
