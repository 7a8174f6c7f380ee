"""Runs as tasks of Celery, with a real Redis and a real worker: a worker that was killed is noticed."""

import os
import subprocess
import sys
import time
from types import SimpleNamespace

import dagster as dg
import pytest
from dagster_celery.tags import DAGSTER_CELERY_TASK_ID_TAG
from worker_cluster import CELERY, CLUSTER, redis_server, wait_until

from orchestration import celery_launcher
from orchestration.dagster_internals import WorkerStatus

# in place of Dagster's runs, tasks of the same names that take as long as they are told
APP = """
import time
from dagster_celery.make_app import make_app
app = make_app()
@app.task(name="execute_job", track_started=True)
def execute_job(seconds):
    time.sleep(seconds)
"""


@pytest.fixture
def broker(tmp_path):
    with redis_server(tmp_path) as address:
        yield address


@pytest.fixture
def launcher(broker, tmp_path, monkeypatch):
    """The launcher that `deploy/cluster/dagster.yaml` names."""
    monkeypatch.setenv("ACCELMART_BROKER", broker)
    text = (CLUSTER / "dagster.yaml").read_text(encoding="utf-8")
    (tmp_path / "dagster.yaml").write_text(text[: text.index("storage:")], encoding="utf-8")
    with dg.DagsterInstance.from_config(str(tmp_path)) as instance:
        assert isinstance(instance.run_launcher, celery_launcher.WatchedCeleryRunLauncher)
        yield instance.run_launcher


@pytest.fixture
def worker(broker, tmp_path):
    (tmp_path / "slow_tasks.py").write_text(APP)
    process = subprocess.Popen(
        [CELERY, "-A", "slow_tasks", "worker", "-c", "1", "-l", "WARNING"],
        env={**os.environ, "PYTHONPATH": f"{CLUSTER}{os.pathsep}{tmp_path}", "ACCELMART_BROKER": broker},
        cwd=tmp_path,
        start_new_session=True,
    )
    yield process
    if process.poll() is None:
        os.killpg(process.pid, 9)
        process.wait()


def started(launcher, seconds):
    """Hand out a task; return the run that it stands for."""
    task = launcher.celery.send_task("execute_job", args=[seconds], queue="dagster")
    return SimpleNamespace(run_id=f"run of {seconds} s", tags={DAGSTER_CELERY_TASK_ID_TAG: task.id})


def test_a_run_of_a_killed_worker_has_failed(launcher, worker, monkeypatch):
    monkeypatch.setattr(celery_launcher, "_MISSING_S", 1)
    short = started(launcher, 0)
    health = launcher.check_run_worker_health
    wait_until(lambda: health(short).status == WorkerStatus.SUCCESS, "a task to end", 60)
    run = started(launcher, 600)
    wait_until(lambda: health(run).status == WorkerStatus.RUNNING, "a task to start", 60)
    for _ in range(2):
        time.sleep(1)
        assert health(run).status == WorkerStatus.RUNNING
    os.killpg(worker.pid, 9)
    worker.wait()
    assert health(run).status == WorkerStatus.RUNNING  # an answer may have been lost
    time.sleep(1)
    said = health(run)
    assert said.status == WorkerStatus.FAILED and "No worker works on this run" in said.msg
    assert health(short).status == WorkerStatus.SUCCESS


def test_the_worker_takes_its_settings_from_the_file_for_clusters(broker):
    code = "import dagster_celery.app as a; c = a.app.conf; print(c.broker_url, c.worker_disable_prefetch, c.worker_max_tasks_per_child)"
    environment = {**os.environ, "PYTHONPATH": str(CLUSTER), "ACCELMART_BROKER": broker}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [broker, "True", "1"]
