"""Runs of Dagster in a state, as the daemon would have recorded them."""

import uuid

import dagster as dg
from dagster import DagsterRunStatus as Status

_EVENTS = {
    Status.SUCCESS: dg.DagsterEventType.RUN_SUCCESS,
    Status.FAILURE: dg.DagsterEventType.RUN_FAILURE,
    Status.STARTED: dg.DagsterEventType.RUN_START,
    Status.CANCELED: dg.DagsterEventType.RUN_CANCELED,
}


def run_of(instance, job="rebuild_warehouse", status=Status.SUCCESS, tags=None, **more):
    """Add a run of a job to an instance."""
    run = dg.DagsterRun(
        job_name=job, run_id=str(uuid.uuid4()), status=Status.NOT_STARTED, tags=tags or {}, **more
    )
    instance.add_run(run)
    if status in _EVENTS:
        instance.report_dagster_event(dg.DagsterEvent(_EVENTS[status].value, job), run.run_id)
    return run
