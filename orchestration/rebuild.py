"""The job that builds and publishes the warehouse, and the sensor that asks for it when an input has changed."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import dagster as dg

from orchestration import dbt_models, settings
from orchestration.policies import UNDER_WAY, sensor_interval
from orchestration.raw import raw_layer
from orchestration.schedules import SOURCE
from warehouse.inputs.fingerprint import current_generation, input_fingerprint
from warehouse.outputs.repair import behind, repair
from warehouse.publication.generation import NoWarehouseError
from warehouse.publication.pointer import publication
from warehouse.storage.home import Home
from warehouse.storage.locks import BuildRunningError, exclusive

# tag of a rebuild: the published generation and the inputs it is for
INPUTS = "accelmart/inputs"
_TRIES = 3
HOLD_S = 600
"""How long a rebuild waits for a fetch under way, from its start: it may bring more."""
_WAITS = 15  # times as long as a failed fetch

rebuild = dg.define_asset_job(
    dbt_models.REBUILD,
    selection=dg.AssetSelection.assets(raw_layer, dbt_models.dbt_models),
    description="Parses the latest data from each source, builds the warehouse with dbt, tests it and publishes it.",
)


@dg.sensor(
    name="rebuild_when_inputs_changed",
    description="Starts a build when data, models or settings have changed since the last publication.",
    job=rebuild,
    minimum_interval_seconds=sensor_interval(30),
    default_status=dg.DefaultSensorStatus.RUNNING,
)
def rebuild_when_inputs_changed(context: dg.SensorEvaluationContext) -> dg.RunRequest | dg.SkipReason:
    """Rebuild and publish the whole warehouse, in one run, when anything it is made of has changed.

    A sensor rather than automation conditions on the models: what decides is the fingerprint of all inputs, of which
    the dbt project, its engines and the user's files are no assets, and conditions would build a part of the tables.
    """
    home = settings.home()
    _repair_outputs(context, home)
    try:
        published = publication(home)
    except NoWarehouseError:
        published = None
    if published and published.is_pinned:
        name = published.generation.generation_id
        return dg.SkipReason(
            f"Generation {name} is pinned: nothing is built until `accelmart rollback --unpin`."
        )
    if current_generation(home):
        return dg.SkipReason("Nothing new: the published warehouse is that of the present inputs.")
    under_way = context.instance.get_run_records(dg.RunsFilter(statuses=UNDER_WAY))
    if any(record.dagster_run.job_name == rebuild.name for record in under_way):
        return dg.SkipReason("A rebuild is under way; what has changed meanwhile is built after it.")
    inputs = f"{published.generation.generation_id if published else 'none'} {input_fingerprint(home)}"
    tried = context.instance.get_run_records(dg.RunsFilter(job_name=rebuild.name, tags={INPUTS: inputs}))
    if reason := _wait_after_failure(tried):
        return dg.SkipReason(reason)
    now = time.time()
    fetching = [r for r in under_way if _brings_inputs(r) and now - r.create_timestamp.timestamp() < HOLD_S]
    if fetching:
        return dg.SkipReason(f"Inputs have changed; {len(fetching)} runs that may bring more are waited for.")
    if reason := _wait_after_success(context.instance):
        return dg.SkipReason(reason)
    tags = {INPUTS: inputs, dbt_models.ONLY_IF_NEW: "true"}
    return dg.RunRequest(run_key=f"{inputs}, try {len(tried) + 1}", tags=tags)


def _repair_outputs(context: dg.SensorEvaluationContext, home: Home) -> None:
    """Make the outputs those of the published generation, as after a kill; a build that is running does it itself."""
    if behind(home):
        try:
            with exclusive(home, 0):
                for problem in repair(home):
                    context.log.warning(problem)
        except BuildRunningError:
            return


def _wait_after_failure(tried: Sequence[dg.RunRecord]) -> str | None:
    """Return why a rebuild is not asked for (yet), given the runs of the same inputs, newest first."""
    failed = [r for r in tried if r.dagster_run.status == dg.DagsterRunStatus.FAILURE]
    if tried and tried[0].dagster_run.status == dg.DagsterRunStatus.CANCELED:
        run_id = tried[0].dagster_run.run_id
        return f"The rebuild of these inputs was cancelled (run {run_id}). Start it by hand, or wait for new ones."
    if not failed:
        return None
    last = failed[0].dagster_run
    if len(failed) >= _TRIES:
        return (
            f"These inputs failed {len(failed)} times, last in run {last.run_id}, which has the reason. The published "
            "warehouse is as it was. Correct what is named there and start rebuild_warehouse, or wait for new inputs."
        )
    wait = _WAITS * settings.RETRY_DELAY.read() * 4 ** (len(failed) - 1)
    if time.time() - (failed[0].end_time or failed[0].create_timestamp.timestamp()) < wait:
        return (
            f"Run {last.run_id} failed with these inputs; tried again {wait} s after it, or with new inputs."
        )
    return None


def _wait_after_success(instance: dg.DagsterInstance) -> str | None:
    """Return why scheduled fetches wait for a rebuild; None if one is due, or something else has changed the inputs."""
    rebuilds = dg.RunsFilter(job_name=rebuild.name, statuses=[dg.DagsterRunStatus.SUCCESS])
    last = next(iter(instance.get_run_records(rebuilds, limit=1)), None)
    if last is None:
        return None
    due = last.create_timestamp + timedelta(seconds=settings.REBUILD_INTERVAL.read())
    since = instance.get_run_records(dg.RunsFilter(updated_after=last.create_timestamp))
    fetches = [r for r in since if _brings_inputs(r)]
    is_scheduled = bool(fetches) and all(SOURCE in r.dagster_run.tags for r in fetches)
    if datetime.now(UTC) >= due or not is_scheduled:
        return None
    return f"Inputs have changed; the next rebuild is due at {due:%H:%M} UTC. Start {rebuild.name} to publish them now."


def _brings_inputs(record: dg.RunRecord) -> bool:
    return any(key.path[0] == "landing" for key in record.dagster_run.asset_selection or ())
