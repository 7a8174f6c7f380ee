"""Dagster's storage in PostgreSQL: Debian's real server, through the settings a server uses."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from postgres_server import BINARIES, postgres_server

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"


PROBE = """
import dagster as dg
from orchestration.raw import raw_layer

with dg.DagsterInstance.get() as instance:
    for part in (instance.run_storage, instance.event_log_storage, instance.schedule_storage):
        assert "postgres" in type(part).__module__, part
    done = dg.materialize([raw_layer], instance=instance)
print("RUN", done.run_id)
"""


def test_runs_and_events_are_kept_in_postgresql(tmp_path):
    home = tmp_path / "home"
    (home / "dagster").mkdir(parents=True)
    shutil.copy(DEPLOY / "dagster.yaml", home / "dagster")

    def output_of(*command):
        asked = subprocess.run(
            command, env=environment, cwd=tmp_path, stdout=subprocess.PIPE, text=True, check=True
        )
        return asked.stdout.splitlines()

    with postgres_server() as (server, _):
        environment = (
            os.environ | server | {"ACCELMART_HOME": str(home), "DAGSTER_HOME": str(home / "dagster")}
        )
        run_id = output_of(sys.executable, "-c", PROBE)[-1].split()[-1]
        # the tables are listed by the server itself
        runs, kinds, keys = (
            output_of(BINARIES / "psql", "-XAtc", query)
            for query in (
                "select run_id, status from runs",
                f"select dagster_event_type from event_logs where run_id = '{run_id}'",
                "select asset_key from asset_keys",
            )
        )
    assert runs == [f"{run_id}|SUCCESS"]
    assert {"ASSET_MATERIALIZATION", "PIPELINE_SUCCESS"} <= set(kinds)
    assert '["raw", "spec_values"]' in keys
    assert not list((home / "dagster").rglob("*.db"))  # and no other file
