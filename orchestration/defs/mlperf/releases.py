"""Partitions of MLPerf rounds: a sensor registers those that are bundled or landed."""

import dagster as dg

from ingest.mlperf.releases import release_order
from orchestration import settings
from orchestration.defs.mlperf.raw import RAW_ASSETS
from orchestration.policies import sensor_interval
from warehouse.active import known_rounds


@dg.sensor(
    name="register_landed_releases",
    description="Adds a partition for every MLPerf round that is bundled or landed, and asks for its parsing once.",
    # one selection for two sets of partitions: no job of its own
    asset_selection=dg.AssetSelection.assets(*(asset for *_, asset in RAW_ASSETS)),
    minimum_interval_seconds=sensor_interval(600),
    default_status=dg.DefaultSensorStatus.RUNNING,
)
def register_landed_releases(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
    """Register every bundled or landed MLPerf round as a partition, and parse it once."""
    new, requests = [], []
    for family, sources, partitions, asset in RAW_ASSETS:
        known = context.instance.get_dynamic_partitions(str(partitions.name))
        missing = sorted(known_rounds(settings.home(), *sources) - set(known), key=release_order)
        if missing:
            new.append(partitions.build_add_request(missing))
        requests += [
            dg.RunRequest(
                run_key=f"{family.name} {release}",
                asset_selection=sorted(asset.keys),
                partition_key=release,
            )
            for release in missing
        ]
    if not new:
        return dg.SkipReason("No new MLPerf rounds.")
    return dg.SensorResult(run_requests=requests, dynamic_partitions_requests=new)
