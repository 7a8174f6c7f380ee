"""Everything Dagster sees: `dagster dev -m orchestration.definitions`."""

from __future__ import annotations

import dagster as dg

from orchestration import (
    alerts,
    build_inputs,
    dbt_models,
    landing_scrub,
    mlperf_discovery,
    mlperf_releases,
    orphaned_runs,
    rebuild,
)
from orchestration.landing import LANDING
from orchestration.policies import with_owners_and_code
from orchestration.raw import RAW, RAW_FOLLOWS_LANDING, SNAPSHOTS
from orchestration.schedules import SCHEDULES

defs = dg.Definitions(
    assets=with_owners_and_code(
        [
            *LANDING.values(),
            *SNAPSHOTS,
            *RAW.values(),
            *build_inputs.INPUTS,
            dbt_models.dbt_models,
            dbt_models.published_warehouse,
        ]
    ),
    schedules=SCHEDULES,
    jobs=[rebuild.rebuild],
    sensors=[
        mlperf_discovery.mlperf_discovery,
        mlperf_releases.register_landed_releases,
        RAW_FOLLOWS_LANDING,
        rebuild.rebuild_when_inputs_changed,
        orphaned_runs.orphaned_runs,
        landing_scrub.landing_scrub,
        alerts.run_failure_alerts,
        alerts.health_alerts,
    ],
    # the steps of a build share one folder, owned by one process: its death is how a killed build is known
    executor=dg.in_process_executor,
)
