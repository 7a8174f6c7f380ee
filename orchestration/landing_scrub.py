"""A sensor that reads the landing zone again, a part at each tick, and fetches what is damaged."""

from collections.abc import Iterator

import dagster as dg

from ingest.core.landing import MISSING, Landing
from ingest.core.landing_scrub import Damage, scrub
from ingest.registry import SOURCES
from orchestration import settings
from orchestration.landing import LANDING, is_asked, landing_key
from orchestration.policies import sensor_interval

# a tick has to end within a minute
_SECONDS = 20.0


@dg.sensor(
    name="landing_scrub",
    description="Compares stored payloads with their SHA-256, a part at each tick; a damaged one is fetched again.",
    asset_selection=dg.AssetSelection.assets(*LANDING.values()),
    minimum_interval_seconds=sensor_interval(3600),
    default_status=dg.DefaultSensorStatus.RUNNING,
)
def landing_scrub(context: dg.SensorEvaluationContext) -> dg.SensorResult:
    """Compares stored payloads with their sha256, sets damaged ones aside, and fetches those in force again."""
    landing = Landing(settings.home().landing_url)
    part = scrub(landing, after=context.cursor or "", seconds=_SECONDS)
    requests: list[dg.RunRequest] = []
    for damage in part.damages:
        if damage.problem != MISSING:
            context.log.warning(
                f"{damage.payload.title}: {damage.problem}; now at {landing.set_aside(damage.payload)}"
            )
        requests += _fetches(damage)
    return dg.SensorResult(
        run_requests=requests,
        skip_reason=None
        if requests
        else f"{part.checked} objects, {part.bytes / 2**20:,.1f} MiB read; {len(part.damages)} are damaged"
        + "".join(f"\n{damage.payload.title}: {damage.problem}" for damage in part.damages),
        cursor=part.next,
    )


def _fetches(damage: Damage) -> Iterator[dg.RunRequest]:
    payload = damage.payload
    if not damage.is_in_force:
        return
    run_key = f"{payload.source} {payload.key} {payload.sha256} of {payload.fetched_at.isoformat()}"
    source = SOURCES.get(payload.source)
    if source and (source.repository or is_asked(source)):
        yield dg.RunRequest(
            run_key=run_key,
            asset_selection=[landing_key(source)],
            partition_key=payload.key if source.has_releases else None,
        )
