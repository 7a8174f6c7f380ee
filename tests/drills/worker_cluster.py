"""A cluster on this machine: PostgreSQL, Redis, an S3 server, `accelmart ui`, and workers with data roots of their own.

Processes in place of containers, with the files of `deploy/cluster/`.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import dagster_ui
import psutil
import pytest
from object_store import s3_server, settings_of
from postgres_server import postgres_server

CLUSTER = Path(__file__).resolve().parents[2] / "deploy" / "cluster"
CELERY = Path(sys.executable).with_name("celery")
LEASE_S = 5


@contextmanager
def redis_server(folder):
    """Yield the address of a Redis server that keeps nothing."""
    if not shutil.which("redis-server"):
        pytest.skip("there is no redis-server (Debian package redis-server)")
    port = dagster_ui.free_port()
    process = subprocess.Popen(
        [*("redis-server", "--bind", "127.0.0.1", "--port", str(port)), *("--save", "", "--dir", folder)],
        stdout=subprocess.DEVNULL,
    )
    try:
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        process.terminate()
        process.wait(timeout=20)


class Worker:
    """A worker of Celery with a data root of its own, which takes one run after the other."""

    def __init__(self, name, folder, settings):
        self.name, self.home = name, folder / name
        dagster_home(self.home)
        self.log = folder / f"{name}.log"
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                [
                    *(CELERY, "-A", "dagster_celery.app", "worker"),
                    *("-n", f"{name}@%h", "-c", "1", "-l", "INFO"),
                ],
                env={**settings, "PYTHONPATH": str(CLUSTER), **of_home(self.home)},
                cwd=self.home,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def kill(self):
        """SIGKILL for the worker and the run it is at, at once, as when its machine dies."""
        mine = [self.process.pid, *(p.pid for p in psutil.Process(self.process.pid).children(recursive=True))]
        for pid in mine:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self.process.wait(timeout=20)

    @property
    def is_at_work(self):
        """Whether a build of it is under way."""
        return any((self.home / "builds").glob("*"))


def dagster_home(home):
    """Make the folder of Dagster in a data root; dead workers are noticed sooner than on a server."""
    (home / "dagster").mkdir(parents=True, exist_ok=True)
    text = (CLUSTER / "dagster.yaml").read_text(encoding="utf-8")
    text = text.replace("poll_interval_seconds: 30", "poll_interval_seconds: 2")
    (home / "dagster" / "dagster.yaml").write_text(text, encoding="utf-8")


def of_home(home):
    return {"ACCELMART_HOME": str(home), "DAGSTER_HOME": str(home / "dagster")}


class Cluster:
    """A running cluster: `ui` is webserver, daemon and code location; workers are started and killed by name."""

    def __init__(self, folder, settings, ui):
        self._folder, self.settings, self.ui = folder, settings, ui
        self.workers = {}

    def start(self, name):
        """Start a worker with an empty data root."""
        shutil.rmtree(self._folder / name, ignore_errors=True)
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("ACCELMART_", "DAGSTER_", "DBT_"))}
        self.workers[name] = Worker(name, self._folder, {**clean, **self.settings})
        return self.workers[name]

    def kill(self, name):
        """Kill a worker; its data root is lost with it."""
        self.workers.pop(name).kill()
        shutil.rmtree(self._folder / name, ignore_errors=True)


@contextmanager
def cluster(folder, **more):
    """Yield a cluster without workers.

    Args:
        folder: for data roots and logs.
        more: further settings of all its processes.
    """
    with s3_server() as s3, redis_server(folder) as broker, postgres_server() as (database, _):
        settings = {
            **settings_of(s3),
            **database,
            **dagster_ui.QUIET,
            "ACCELMART_BROKER": broker,
            "ACCELMART_STORE": "s3://warehouses/store",
            "ACCELMART_LEASE": str(LEASE_S),
            "ACCELMART_SENSOR_INTERVAL": "2",
            **more,
        }
        home = folder / "control"
        dagster_home(home)
        with dagster_ui.Ui(home, {**settings, "DAGSTER_HOME": str(home / "dagster")}) as ui:
            running = Cluster(folder, settings, ui)
            try:
                yield running
            finally:
                for name in list(running.workers):
                    running.kill(name)


def wait_until(condition, what, seconds=300):
    """Wait until a condition holds, and return its value."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := condition():
            return value
        time.sleep(0.2)
    raise AssertionError(f"waited {seconds} s for {what}")
