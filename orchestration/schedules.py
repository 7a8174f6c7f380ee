"""Schedules of landing: one for each cadence, every source in a run of its own. Times: `ingest/core/cadence.py`."""

from collections.abc import Iterator, Sequence

import dagster as dg

from ingest.core.cadence import SCHEDULED, Cadence
from ingest.core.source import Source, plan_of
from ingest.registry import LIST_SOURCES
from orchestration import settings
from orchestration.landing import is_fetched, landing_key
from orchestration.policies import UNDER_WAY

# tag of a run that fetches: its source
SOURCE = "accelmart/source"


def _schedule_of(cadence: Cadence, cron: str, sources: Sequence[Source]) -> dg.ScheduleDefinition:
    fetch = dg.define_asset_job(
        f"fetch_{cadence.name}",
        selection=dg.AssetSelection.assets(*(landing_key(s) for s in sources)),
        description=f"Fetches {cadence.title}.",
    )

    @dg.schedule(
        name=f"refresh_{cadence.name}",
        cron_schedule=cron,
        execution_timezone="UTC",
        job=fetch,
        default_status=dg.DefaultScheduleStatus.RUNNING
        if settings.AUTOMATION.read()
        else dg.DefaultScheduleStatus.STOPPED,
        description=f"Fetches {cadence.title}, each source in its own run: a slow one never delays the others. "
        "ACCELMART_SCHEDULES changes the times or turns the schedule off.",
    )
    def refresh(context: dg.ScheduleEvaluationContext) -> Iterator[dg.RunRequest | dg.SkipReason]:
        moment = context.scheduled_execution_time.isoformat()
        under_way = {
            run.tags.get(SOURCE): f"{run.tags.get(SOURCE)} is still being fetched (run {run.run_id})"
            for run in context.instance.get_runs(dg.RunsFilter(job_name=fetch.name, statuses=UNDER_WAY))
        }
        given = settings.source_settings()
        reasons = {s.name: plan_of(s, given)[1] or under_way.get(s.name) for s in sources}
        skipped = [f"{name}: {reason}" for name, reason in reasons.items() if reason]
        for reason in skipped:
            context.log.info(reason)
        if len(skipped) == len(sources):
            yield dg.SkipReason("\n".join(skipped))
        for source in sources:
            if reasons[source.name] is None:
                yield dg.RunRequest(
                    run_key=f"{source.name} {moment}",
                    asset_selection=[landing_key(source)],
                    tags={SOURCE: source.name},
                )

    return refresh


SCHEDULES = [
    _schedule_of(cadence, cron, sources)
    for cadence in SCHEDULED
    if (sources := [s for s in LIST_SOURCES.values() if s.cadence is cadence and is_fetched(s)])
    and (cron := settings.cron_of(cadence))
]
"""One schedule for each cadence that is switched on."""
