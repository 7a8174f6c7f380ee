"""A sensor that ends runs whose process died, and removes old runs."""

import time
from datetime import timedelta

import dagster as dg
import psutil

from orchestration.policies import sensor_interval
from orchestration.run_retention import KEPT_DAYS, removable_runs, remove_run


@dg.sensor(
    name="orphaned_runs",
    description=f"Ends runs whose process died, so that the next can start. Removes runs older than {KEPT_DAYS} days.",
    minimum_interval_seconds=sensor_interval(60),
    default_status=dg.DefaultSensorStatus.RUNNING,
)
def orphaned_runs(context: dg.SensorEvaluationContext) -> dg.SkipReason:
    """Mark runs as failed whose process is gone, as after a power cut. The code server reports only its own."""
    assert context.repository_def is not None
    checks = context.repository_def.asset_graph.asset_check_keys
    for run_id in removable_runs(context.instance, timedelta(days=KEPT_DAYS), checks):
        remove_run(context.instance, run_id)
    if not isinstance(context.instance.run_launcher, dg.DefaultRunLauncher):
        return dg.SkipReason("Runs are not processes of this machine: their launcher looks after them.")
    lost = []
    for record in context.instance.get_run_records(
        dg.RunsFilter(statuses=[dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.CANCELING])
    ):
        process = _process_of(context.instance, record)
        if process is not None and not _is_alive(process, record):
            lost.append(record.dagster_run.run_id)
            context.instance.report_run_failed(
                record.dagster_run,
                f"Process {process} of this run is gone: it was killed, or the machine or the daemon was stopped.",
            )
    if not lost:
        return dg.SkipReason("Every run that is under way has its process.")
    return dg.SkipReason(f"Marked as failed, their processes are gone: {', '.join(lost)}")


def _process_of(instance: dg.DagsterInstance, record: dg.RunRecord) -> int | None:
    """Return the process id of a run, from the event of its start; None if there is none."""
    events = instance.all_logs(record.dagster_run.run_id, of_type=dg.DagsterEventType.ENGINE_EVENT)
    for event in reversed(events):
        metadata = event.dagster_event.engine_event_data.metadata if event.dagster_event else {}
        if "pid" in metadata:
            return int(str(metadata["pid"].value))
    return None


def _is_alive(process: int, record: dg.RunRecord) -> bool:
    try:
        running = psutil.Process(process)
        # the number may be another process's by now
        started_before = running.create_time() <= (record.start_time or time.time()) + 1
        return started_before and running.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
