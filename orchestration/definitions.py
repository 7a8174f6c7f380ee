"""Everything Dagster sees: `dagster dev -m orchestration.definitions`."""

from __future__ import annotations

import dagster as dg

from orchestration import alerts, automation, discovery
from orchestration.assets import changes, landing, prices, raw, warehouse
from orchestration.metadata import described
from orchestration.resources import LakeResource, dbt_resource

defs = dg.Definitions(
    assets=described(
        [
            *landing.ASSET_OF_SOURCE.values(),
            landing.snapshot,
            *prices.LIST_LANDING.values(),
            prices.price_snapshot,
            raw.mlperf_inference_raw,
            raw.mlperf_training_raw,
            prices.prices_raw,
            prices.specs_raw,
            warehouse.tco_overrides,
            warehouse.reference_overrides,
            warehouse.isolated_payloads,
            warehouse.source_holds,
            *changes.previous_generation,
            warehouse.dbt_models,
            warehouse.published_warehouse,
        ]
    ),
    asset_checks=raw.CHECKS,
    jobs=[automation.rebuild],
    schedules=automation.schedules(),
    sensors=[*automation.SENSORS, discovery.mlperf_discovery, *alerts.SENSORS],
    resources={"lake": LakeResource(), "dbt": dbt_resource()},
    # The steps of a build share one folder, owned by one process: its death is how a killed build is known.
    executor=dg.in_process_executor,
)
