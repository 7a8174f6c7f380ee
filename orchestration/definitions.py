"""Everything Dagster sees: `dagster dev -m orchestration.definitions`."""

from __future__ import annotations

import dagster as dg

from orchestration import (
    alerts,
    dbt_models,
    mlperf_discovery,
    orphaned_runs,
    rebuild,
)
from orchestration.landing import LANDING
from orchestration.policies import with_owners_and_code
from orchestration.raw import INPUTS, MLPERF_TABLES, SNAPSHOTS, raw_layer
from orchestration.schedules import SCHEDULES

defs = dg.Definitions(
    assets=with_owners_and_code(
        [
            *LANDING.values(),
            *SNAPSHOTS,
            *MLPERF_TABLES,
            raw_layer,
            *INPUTS,
            dbt_models.dbt_models,
            dbt_models.published_warehouse,
        ]
    ),
    schedules=SCHEDULES,
    jobs=[rebuild.rebuild],
    sensors=[
        mlperf_discovery.mlperf_discovery,
        rebuild.rebuild_when_inputs_changed,
        orphaned_runs.orphaned_runs,
        alerts.run_failure_alerts,
        alerts.health_alerts,
    ],
    # the steps of a build share one folder, owned by one process: its death is how a killed build is known
    executor=dg.in_process_executor,
)
