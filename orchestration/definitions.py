"""Everything Dagster sees: `dagster dev -m orchestration.definitions`."""

from __future__ import annotations

import dagster as dg

from orchestration import alerts
from orchestration.defs.mlperf import discovery, releases
from orchestration.defs.warehouse import assets as warehouse
from orchestration.defs.warehouse import inputs, scrub, sensors
from orchestration.landing import LANDING
from orchestration.metadata import described
from orchestration.raw import RAW, SNAPSHOTS
from orchestration.schedules import SCHEDULES

defs = dg.Definitions(
    assets=described(
        [
            *LANDING.values(),
            *SNAPSHOTS,
            *RAW.values(),
            *inputs.INPUTS,
            warehouse.dbt_models,
            warehouse.published_warehouse,
        ]
    ),
    schedules=SCHEDULES,
    jobs=[sensors.rebuild],
    sensors=[
        discovery.mlperf_discovery,
        releases.register_landed_releases,
        *sensors.SENSORS,
        alerts.run_failure_alerts,
        alerts.health_alerts,
        scrub.landing_scrub,
    ],
    # the steps of a build share one folder, owned by one process: its death is how a killed build is known
    executor=dg.in_process_executor,
)
