"""What runs by itself after landing: the raw layer, the rebuild of the warehouse, and the end of orphaned runs."""

import json
import time
from collections.abc import Sequence
from datetime import timedelta

import dagster as dg
import psutil

from orchestration import settings
from orchestration.defs.warehouse import assets as warehouse
from orchestration.policies import sensor_interval
from orchestration.raw import RAW
from orchestration.retention import KEPT_DAYS, removable_runs, remove_run
from orchestration.schedules import UNDER_WAY
from warehouse.fingerprint import current_generation, input_fingerprint
from warehouse.home import Home
from warehouse.locks import BuildRunningError, exclusive
from warehouse.output_state import behind
from warehouse.outputs import repair
from warehouse.publish import NoWarehouseError, publication

# tag of a rebuild: fingerprint of the inputs it is for
INPUTS = "accelmart/inputs"
_REBUILD_TRIES = 3
_REBUILD_WAITS = 15  # times as long as a failed fetch
_REBUILDS_LOOKED_AT = 100

rebuild = dg.define_asset_job(
    warehouse.REBUILD,
    selection=dg.AssetSelection.assets(warehouse.dbt_models),
    description="dbt into a new file, tests on it, publication. The raw layer is taken as it is.",
)


# --- the raw layer -----------------------------------------------------------------------------------------------

raw_follows_landing = dg.AutomationConditionSensorDefinition(
    "raw_follows_landing",
    target=dg.AssetSelection.assets(*RAW.values()),
    description="Parses what was landed.",
    minimum_interval_seconds=sensor_interval(30),
    default_status=dg.DefaultSensorStatus.RUNNING,
)


# --- the warehouse -----------------------------------------------------------------------------------------------


@dg.sensor(
    name="rebuild_when_inputs_changed",
    description="Asks for a build when payloads, seeds, models or settings differ from those that are published.",
    job=rebuild,
    minimum_interval_seconds=sensor_interval(30),
    default_status=dg.DefaultSensorStatus.RUNNING,
)
def rebuild_when_inputs_changed(
    context: dg.SensorEvaluationContext,
) -> dg.SensorResult | dg.SkipReason:
    """Rebuilds and publishes the whole warehouse, in one run, when anything it is made of has changed."""
    # A sensor rather than automation conditions on the models, because what decides is one thing and not of assets:
    # the fingerprint of all inputs, of which the dbt project, its engines and the user's scenarios are no assets.
    # Conditions are evaluated model by model, and a run of the models whose condition happens to hold would
    # be a warehouse of which a part is missing; here it is all of it or nothing. What changes while others are still
    # being fetched is built once.
    home = settings.home()
    _repair(context, home)
    if (pinned := _pinned(home)) is not None:
        return dg.SkipReason(
            f"Generation {pinned} is pinned: nothing is built until `accelmart rollback --unpin`."
        )
    if current_generation(home):
        return dg.SensorResult(
            skip_reason="Nothing new: the published warehouse is that of the present inputs.", cursor="{}"
        )
    inputs = input_fingerprint(home)
    built, tried = _rebuilds(context.instance, inputs)
    under_way = context.instance.get_runs(dg.RunsFilter(statuses=UNDER_WAY))
    if any(run.job_name == rebuild.name for run in under_way):
        return dg.SkipReason("A rebuild is under way; what has changed meanwhile is built after it.")
    if reason := _not_again_yet(tried):
        return dg.SkipReason(reason)
    since = json.loads(context.cursor or "{}").get("since", time.time())
    fetching = [run for run in under_way if _brings_inputs(run)]
    hold = settings.REBUILD_HOLD.read()
    cursor = json.dumps({"since": since})
    if fetching and time.time() - since < hold:
        return dg.SensorResult(
            skip_reason=f"Inputs have changed; {len(fetching)} runs that may bring more are waited for, "
            f"{hold} s at most.",
            cursor=cursor,
        )
    request = dg.RunRequest(
        run_key=f"{inputs} after {built.run_id if built else 'nothing'}, try {len(tried) + 1}",
        tags={INPUTS: inputs, warehouse.ONLY_IF_NEW: "true"},
    )
    return dg.SensorResult(run_requests=[request], cursor=cursor)


def _repair(context: dg.SensorEvaluationContext, home: Home) -> None:
    """Make the outputs those of the published generation, as after a kill; a build that is running does it itself."""
    if not behind(home):
        return
    try:
        with exclusive(home, 0):
            for problem in repair(home):
                context.log.warning(problem)
    except BuildRunningError:
        return


def _pinned(home: Home) -> str | None:
    try:
        current = publication(home)
    except NoWarehouseError:
        return None
    return current.generation.generation_id if current.is_pinned else None


def _rebuilds(instance: dg.DagsterInstance, inputs: str) -> tuple[dg.DagsterRun | None, list[dg.RunRecord]]:
    """The last rebuild that succeeded, and what was tried with these inputs since then, newest first."""
    tried: list[dg.RunRecord] = []
    for record in instance.get_run_records(dg.RunsFilter(job_name=rebuild.name), limit=_REBUILDS_LOOKED_AT):
        run = record.dagster_run
        if run.status == dg.DagsterRunStatus.SUCCESS:
            return run, tried
        if run.tags.get(INPUTS) == inputs and run.is_finished:
            tried.append(record)
    return None, tried


def _not_again_yet(tried: Sequence[dg.RunRecord]) -> str | None:
    """Why a rebuild that failed is not tried again (now); newest first."""
    if not tried:
        return None
    last = tried[0].dagster_run
    if last.status == dg.DagsterRunStatus.CANCELED:
        return f"The rebuild of these inputs was cancelled (run {last.run_id}). Start it by hand, or wait for new ones."
    if len(tried) >= _REBUILD_TRIES:
        return (
            f"These inputs failed {len(tried)} times, last in run {last.run_id}, which says why. The published "
            "warehouse is as it was. Correct what is named there and start rebuild_warehouse, or wait for new inputs."
        )
    wait = _REBUILD_WAITS * settings.RETRY_DELAY.read() * 4 ** (len(tried) - 1)
    ended = tried[0].end_time or tried[0].create_timestamp.timestamp()
    if time.time() - ended < wait:
        return (
            f"Run {last.run_id} failed with these inputs; tried again {wait} s after it, or with new inputs."
        )
    return None


def _brings_inputs(run: dg.DagsterRun) -> bool:
    return any(key.path[0] in ("landing", "raw") for key in run.asset_selection or ())


# --- runs without a process --------------------------------------------------------------------------------------


@dg.sensor(
    name="orphaned_runs",
    description=f"Ends runs whose process died, so that the next one can start; removes runs of {KEPT_DAYS} days ago.",
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


SENSORS = [
    raw_follows_landing,
    rebuild_when_inputs_changed,
    orphaned_runs,
]
