"""Dagster's storage in PostgreSQL: Debian's real server, through the settings a server uses."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from postgres_server import BINARIES, postgres_server

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"


@pytest.fixture(scope="module")
def server():
    with postgres_server() as (settings, _):
        yield settings


PROBE = """
import dagster as dg
from dagster._core.definitions.run_request import InstigatorType
from dagster._core.remote_origin import (
    InProcessCodeLocationOrigin, RemoteInstigatorOrigin, RemoteRepositoryOrigin,
)
from dagster._core.scheduler.instigation import InstigatorState, InstigatorStatus, ScheduleInstigatorData
from dagster._core.types.loadable_target_origin import LoadableTargetOrigin
from orchestration.raw import raw_layer

with dg.DagsterInstance.get() as instance:
    for part in (instance.run_storage, instance.event_log_storage, instance.schedule_storage):
        assert "postgres" in type(part).__module__, part
    done = dg.materialize([raw_layer], instance=instance)
    location = InProcessCodeLocationOrigin(LoadableTargetOrigin(module_name="orchestration.definitions"))
    origin = RemoteInstigatorOrigin(RemoteRepositoryOrigin(location, "__repository__"), "prices")
    instance.add_instigator_state(
        InstigatorState(
            origin, InstigatorType.SCHEDULE, InstigatorStatus.RUNNING,
            ScheduleInstigatorData(cron_schedule="23 5 * * *", start_timestamp=1.0),
        )
    )
    # the pool's single slot is held in PostgreSQL too
    instance.event_log_storage.set_concurrency_slots("warehouse_build", 1)
    assert instance.event_log_storage.get_concurrency_info("warehouse_build").slot_count == 1
print("RUN", done.run_id)
"""


def test_runs_events_and_schedules_are_kept_in_postgresql(server, tmp_path):
    home = tmp_path / "home"
    (home / "dagster").mkdir(parents=True)
    shutil.copy(DEPLOY / "dagster.yaml", home / "dagster")
    environment = {**os.environ, **server, "ACCELMART_HOME": str(home), "DAGSTER_HOME": str(home / "dagster")}
    done = subprocess.run(
        [sys.executable, "-c", PROBE],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    run_id = done.stdout.split()[-1]

    # the tables are listed by the server itself
    def ask(query):
        asked = subprocess.run(
            [BINARIES / "psql", "-XAtc", query], env=environment, capture_output=True, text=True, check=True
        )
        return asked.stdout.splitlines()

    assert ask("select run_id, status from runs") == [f"{run_id}|SUCCESS"]
    kinds = set(ask(f"select dagster_event_type from event_logs where run_id = '{run_id}'"))
    assert {"ASSET_MATERIALIZATION", "PIPELINE_SUCCESS"} <= kinds
    assert '["raw", "spec_values"]' in ask("select asset_key from asset_keys")
    assert ask("select status from instigators") == ["RUNNING"]
    assert not list((home / "dagster").rglob("*.db"))  # and no other file
