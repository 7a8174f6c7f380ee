"""Partitions of MLPerf rounds: a sensor registers those that are bundled or landed."""

import dagster as dg

from ingest.mlperf.releases import release_order
from orchestration import settings
from orchestration.policies import sensor_interval
from orchestration.raw import DOMAINS, RAW, bundled_rounds
from warehouse.active import known_rounds

_BY_ROUND = [(domain, domain.releases) for domain in DOMAINS if domain.releases is not None]


@dg.sensor(
    name="register_landed_releases",
    description="Adds a partition for every MLPerf round that is bundled or landed, and asks for the parsing of others "
    "than bundled ones.",
    # one selection for two sets of partitions: no job of its own
    asset_selection=dg.AssetSelection.assets(*(RAW[domain.name] for domain, _ in _BY_ROUND)),
    minimum_interval_seconds=sensor_interval(600),
    default_status=dg.DefaultSensorStatus.RUNNING,
)
def register_landed_releases(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
    """Register every bundled or landed MLPerf round as a partition; one that is not bundled is parsed by a run."""
    new, requests, events = [], [], []
    for domain, partitions in _BY_ROUND:
        known = context.instance.get_dynamic_partitions(str(partitions.name))
        missing = sorted(known_rounds(settings.home(), *domain.sources) - set(known), key=release_order)
        if not missing:
            continue
        new.append(partitions.build_add_request(missing))
        parsed = [event for event in bundled_rounds(domain) if event.partition in missing]
        events += parsed
        requests += [
            dg.RunRequest(
                run_key=f"{domain.family.name} {release}",
                asset_selection=sorted(RAW[domain.name].keys),
                partition_key=release,
            )
            for release in missing
            if release not in {event.partition for event in parsed}
        ]
    if not new:
        return dg.SkipReason("No new MLPerf rounds.")
    return dg.SensorResult(run_requests=requests, dynamic_partitions_requests=new, asset_events=events)
