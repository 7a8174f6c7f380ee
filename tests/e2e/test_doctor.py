"""The doctor on a healthy installation and on each kind of problem."""

import json
import os
import shutil
import socket
import subprocess
import sys
import textwrap
import threading
import time
from collections import namedtuple
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import dagster as dg
import duckdb
import pytest
from filelock import FileLock

from ingest.core.http import HttpClient
from orchestration import doctor as of_dagster
from orchestration import http_clients
from warehouse.doctor import builds as doctor_builds
from warehouse.doctor import environment as doctor_environment
from warehouse.doctor import network as doctor_network
from warehouse.doctor import storage as doctor_storage
from warehouse.home import Home

Usage = namedtuple("Usage", "total used free")
NOTHING = {"PATH": "/nonexistent"}


@pytest.fixture
def home(tmp_path, monkeypatch):
    for name in ("ACCELMART_MIRROR", "ACCELMART_GENERATIONS_KEPT", "DAGSTER_HOME"):
        monkeypatch.delenv(name, raising=False)
    root = tmp_path / "home"
    root.mkdir()
    return Home(root, str(root / "landing"))


def one(findings, check, status):
    """Return the only finding of a check with a status; it must have a text, and a remedy unless ok."""
    (finding,) = [f for f in findings if f.check == check and f.status == status]
    assert finding.status == "ok" or finding.remedy
    return finding


def test_a_healthy_installation_passes(built_home, accelmart):
    done = accelmart(built_home, "doctor", "--offline", "--json")
    findings = json.loads(done.stdout)
    assert done.returncode == 0, done.stderr
    by_check = {f["check"]: f["status"] for f in findings}
    for check in (
        "python",
        "packages",
        "data root",
        "disk",
        "builds",
        "published",
        "snapshot",
        "dagster",
    ):
        assert by_check[check] == "ok", findings
    assert by_check["alerts"] == "warn"  # no URL is set
    assert all(f["remedy"] for f in findings if f["status"] != "ok")
    assert not [f for f in findings if f["check"].startswith(("network", "clock"))]


def test_a_failed_check_gives_exit_code_1(tmp_path, accelmart):
    (tmp_path / "accelmart.duckdb").write_bytes(b"not a database")
    done = accelmart(tmp_path, "doctor", "--offline", settings={"ACCELMART_ALERT_URLS": "nonsense"})
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "fail published: " in done.stdout and "accelmart rollback" in done.stdout
    assert "fail alerts: " in done.stdout and "2 failed" in done.stdout


def test_packages_are_compared_with_the_lock(tmp_path):
    lock = tmp_path / "requirements.lock"
    lock.write_text(
        "duckdb==0.0.1 \\\n    --hash=sha256:00\nnot-installed==1\nwinreg==1 ; sys_platform == 'win32'\n"
    )
    assert "duckdb" in one(doctor_environment.python_and_packages(lock), "packages", "warn").found
    lock.write_text(f"duckdb=={duckdb.__version__} \\\n    --hash=sha256:00\n")
    assert one(doctor_environment.python_and_packages(lock), "packages", "ok")
    assert (
        "not compared"
        in one(doctor_environment.python_and_packages(tmp_path / "none"), "packages", "ok").found
    )


def test_a_missing_package_is_reported(monkeypatch):
    real = doctor_environment.version

    def version(name):
        if name == "pyarrow":
            raise doctor_environment.PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(doctor_environment, "version", version)
    assert "pyarrow" in one(doctor_environment.python_and_packages(), "packages", "fail").found


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("ACCELMART_GENERATIONS_KEPT", "0", "whole number"),
        ("ACCELMART_MIRROR", "mirror", "ACCELMART_MIRROR"),
    ],
)
def test_settings_are_read_as_by_the_commands(home, monkeypatch, name, value, text):
    assert {f.status for f in of_dagster.environment()} == {"ok"}
    monkeypatch.setenv(name, value)
    (finding,) = [f for f in of_dagster.environment() if f.status == "fail"]
    assert text in finding.found


def test_the_scenario_file_is_checked(home):
    (home.root / "scenarios.yaml").write_text("scenarios: 7\n")
    assert any(
        f.status == "fail" and "scenarios.yaml" in f.found for f in doctor_environment.user_files(home)
    )


def test_a_read_only_home_is_reported(home, monkeypatch):
    assert one(doctor_storage.storage(home), "data root", "ok")
    if os.geteuid():
        home.root.chmod(0o500)
        text = one(doctor_storage.storage(home), "data root", "fail").found
        home.root.chmod(0o700)
    else:
        # root can write everywhere, so the error of a read-only filesystem is simulated
        def refuse(*_, **__):
            raise OSError(30, "Read-only file system")

        monkeypatch.setattr(doctor_storage, "TemporaryFile", refuse)
        text = one(doctor_storage.storage(home), "data root", "fail").found
    assert "cannot be written" in text


@pytest.mark.parametrize(("free", "status"), [(100 << 20, "fail"), (1 << 30, "warn"), (100 << 30, "ok")])
def test_a_full_disk_is_reported(home, monkeypatch, free, status):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(200 << 30, 0, free))
    assert one(doctor_storage.storage(home), "disk", status)


def test_required_disk_space_depends_on_the_published_file(home, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(200 << 30, 0, 3 << 30))
    assert one(doctor_storage.storage(home), "disk", "ok")
    with home.published.open("wb") as f:
        f.truncate(2 << 30)  # sparse: uses no disk space
    assert one(doctor_storage.storage(home), "disk", "fail")


def test_a_missing_home_warns_and_a_file_as_home_fails(tmp_path):
    assert one(doctor_storage.storage(Home(tmp_path / "none", "x")), "data root", "warn")
    (tmp_path / "file").write_text("")
    assert one(doctor_storage.storage(Home(tmp_path / "file", "x")), "data root", "fail")


def test_a_held_lock_names_its_holder_and_a_stale_file_is_free(home, monkeypatch):
    home.build_lock.touch()  # left by a process that has ended
    assert one(doctor_storage.locks(home), "locks", "ok").found == "free: build.lock"
    code = textwrap.dedent(
        """
        import sys
        from filelock import FileLock
        lock = FileLock(sys.argv[1])
        lock.acquire()
        print("held", flush=True)
        sys.stdin.read()
        """
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, home.build_lock],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert holder.stdout.readline() == "held\n"
        assert f"process {holder.pid} " in one(doctor_storage.locks(home), "locks", "ok").found
        monkeypatch.setattr(doctor_storage, "LOCK_HELD_TOO_LONG_S", 0)
        assert f"kill {holder.pid}" in one(doctor_storage.locks(home), "locks", "warn").remedy
        holder.kill()
        holder.wait()
        assert one(doctor_storage.locks(home), "locks", "ok").found == "free: build.lock"
    finally:
        holder.kill()
        holder.communicate()


def test_killed_builds_are_reported_unless_one_is_running(home):
    (home.builds / "1234").mkdir(parents=True)
    assert "1234" in one(doctor_builds.builds(home), "builds", "warn").found
    with FileLock(home.build_lock):
        assert one(doctor_builds.builds(home), "builds", "ok").found == "one is running"


def small_warehouse(path):
    with duckdb.connect(str(path)) as db:
        db.execute(
            "create table ops_generation as select '20260101T000000-aaaaaa' as generation_id, "
            "now() as built_at, 'f' as input_fingerprint"
        )
        db.execute("create table facts as select i, md5(i::varchar) as words from range(200000) t(i)")


def test_a_damaged_block_of_the_published_file_is_reported(home):
    assert one(doctor_builds.published(home), "published", "warn")
    small_warehouse(home.published)
    assert "2 tables readable" in one(doctor_builds.published(home), "published", "ok").found
    data = bytearray(home.published.read_bytes())
    middle = len(data) * 2 // 3
    data[middle : middle + 64] = bytes(b ^ 0xFF for b in data[middle : middle + 64])
    home.published.write_bytes(data)
    assert "damaged" in one(doctor_builds.published(home), "published", "fail").found


def test_a_broken_generation_is_reported(home):
    small_warehouse(home.published)
    home.generations.mkdir()
    (home.generations / "20250101T000000-bbbbbb.duckdb").write_bytes(b"no")
    assert "20250101T000000-bbbbbb" in one(doctor_builds.published(home), "generations", "fail").found


def test_a_damaged_snapshot_is_reported(tmp_path):
    assert one(doctor_builds.snapshot(tmp_path), "snapshot", "fail")
    (tmp_path / "part.parquet").write_bytes(b"PAR1 but not really PAR1")
    assert "part.parquet" in one(doctor_builds.snapshot(tmp_path), "snapshot", "fail").found


def test_keys_are_reported_by_name_only():
    sources = list(doctor_network.LIST_SOURCES.values())
    missing = [f for f in doctor_environment.keys(sources, NOTHING) if f.status == "warn"]
    assert {f.check for f in missing} == {
        f"key: {s.name}" for s in sources if s.needs and not s.needs_because
    }
    assert missing
    given = {name: "sk-secret-0123" for s in sources for name in s.needs}
    findings = list(doctor_environment.keys(sources, given))
    assert {f.status for f in findings} == {"ok"} and "sk-secret-0123" not in str(findings)


class Upstream:
    """A server that answers HEAD with a given status and clock error."""

    def __init__(self, status=200, ahead=timedelta(0)):
        self.asked = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_HEAD(self):
                outer.asked.append((self.path, dict(self.headers)))
                self.send_response_only(status)
                self.send_header("Date", format_datetime(datetime.now(UTC) + ahead, usegmt=True))
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def upstream():
    made = []

    def make(**more):
        made.append(Upstream(**more))
        return made[-1]

    yield make
    for one_of_them in made:
        one_of_them.close()


def test_each_source_is_requested_through_the_mirror_without_keys(home, upstream, monkeypatch):
    mirror = upstream()
    monkeypatch.setenv("ACCELMART_MIRROR", mirror.url)
    environment = {"GCP_API_KEY": "sk-secret-0123", "LAMBDA_API_KEY": "sk-secret-0123"}
    findings = list(
        doctor_network.network(doctor_network.source_addresses(environment), http_clients.http_client)
    )
    checks = {f.check.removeprefix("network: ") for f in findings}
    assert {"coreweave", "azure-retail-prices", "mlperf-inference", "lambda-api"} <= checks
    assert {f.status for f in findings} == {"ok"}, findings
    hosts = [path.split("/")[1] for path, _ in mirror.asked]
    assert len(hosts) == len(set(hosts)) > 10 and "github.com" in hosts
    assert "sk-secret-0123" not in str(mirror.asked) and "sk-secret-0123" not in str(findings)


def new_local_client(**options):
    return HttpClient(private_hosts=["127.0.0.1"], **options)


def test_an_unreachable_host_is_reported_and_others_are_checked(upstream, monkeypatch):
    monkeypatch.delenv("ACCELMART_MIRROR", raising=False)
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        gone = f"http://127.0.0.1:{s.getsockname()[1]}/list?token=sk-secret-0123"
    good, busy, refusing = upstream(), upstream(status=503), upstream(status=403)
    findings = {
        f.check: f
        for f in doctor_network.network(
            {
                "gone": [gone],
                "good": [good.url],
                "busy": [busy.url],
                "both": [good.url, gone],
                "no": [refusing.url],
            },
            new_local_client,
        )
    }
    statuses = {name.removeprefix("network: "): f.status for name, f in findings.items()}
    # a refusal shows that the host is reachable
    assert statuses == {
        "gone": "fail",
        "good": "ok",
        "busy": "warn",
        "both": "fail",
        "no": "ok",
        "clock": "ok",
    }
    assert "Connection refused" in findings["network: gone"].found and findings["network: gone"].remedy
    assert "sk-secret-0123" not in str(findings)


@pytest.mark.parametrize(
    ("ahead", "status", "text"),
    [
        (timedelta(0), "ok", "within"),
        (timedelta(seconds=120), "warn", "behind"),
        (timedelta(hours=-2), "fail", "ahead of"),
    ],
)
def test_the_clock_is_compared_with_the_servers(upstream, monkeypatch, ahead, status, text):
    monkeypatch.delenv("ACCELMART_MIRROR", raising=False)
    servers = [upstream(ahead=ahead) for _ in range(3)]
    addresses = {str(n): [s.url] for n, s in enumerate(servers)}
    findings = list(doctor_network.network(addresses, new_local_client))
    assert text in one(findings, "clock", status).found


def test_a_silent_server_times_out(monkeypatch):
    monkeypatch.delenv("ACCELMART_MIRROR", raising=False)
    monkeypatch.setattr(doctor_network, "REACH_TIMEOUT_S", 0.3)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(5)
        started = time.monotonic()
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        findings = list(doctor_network.network({"silent": [url]}, new_local_client))
        assert time.monotonic() - started < 5
    assert one(findings, "network: silent", "fail") and one(findings, "clock", "warn")


@pytest.fixture
def instance(tmp_path):
    with dg.DagsterInstance.ephemeral(tempdir=str(tmp_path)) as instance:
        yield instance


def test_failed_runs_are_reported_until_they_succeed(instance):
    state = {"broken": True}

    @dg.asset
    def prices():
        if state["broken"]:
            raise dg.Failure("no")

    assert one(of_dagster.runs(instance), "runs", "ok").found == "none yet"
    dg.materialize([prices], instance=instance, raise_on_error=False)
    assert "1 of the last 1 failed" in one(of_dagster.runs(instance), "runs", "warn").found
    state["broken"] = False
    dg.materialize([prices], instance=instance)
    assert one(of_dagster.runs(instance), "runs", "ok")


def test_a_silent_daemon_is_reported(instance, monkeypatch):
    from dagster._daemon.types import DaemonHeartbeat

    def beat(age):
        for kind in instance.get_required_daemon_types():
            instance.add_daemon_heartbeat(DaemonHeartbeat(time.time() - age, kind, "id", []))

    monkeypatch.setattr(dg.DagsterInstance, "is_ephemeral", False)
    assert "never run" in one(of_dagster.daemon(instance), "daemon", "warn").found
    beat(0)
    assert one(of_dagster.daemon(instance), "daemon", "ok")
    beat(3 * 3600)
    assert "SENSOR" in one(of_dagster.daemon(instance), "daemon", "fail").found


def test_a_slot_held_by_a_finished_run_is_reported(tmp_path):
    @dg.asset
    def thing():
        return None

    # only a real storage has slots
    with dg.DagsterInstance.local_temp(str(tmp_path)) as instance:
        run_id = dg.materialize([thing], instance=instance).run_id
        storage = instance.event_log_storage
        storage.set_concurrency_slots("warehouse_build", 1)
        assert one(of_dagster.slots(instance), "slots", "ok")
        assert storage.claim_concurrency_slot("warehouse_build", run_id, "build").is_claimed
        assert (
            f"warehouse_build by run {run_id[:8]}" in one(of_dagster.slots(instance), "slots", "fail").found
        )


@pytest.mark.parametrize(
    "words", ["storage: [", "storage:\n  postgres:\n    postgres_db: {hostname: {env: NO_SUCH}}\n"]
)
def test_unreadable_dagster_settings_are_reported(home, words):
    assert one(of_dagster.dagster(home), "dagster", "ok")
    home.dagster.mkdir()
    (home.dagster / "dagster.yaml").write_text(words)
    assert one(of_dagster.dagster(home), "dagster", "fail")
