"""Everything Dagster sees: `dagster dev -m orchestration.definitions`."""

from __future__ import annotations

import dagster as dg

from orchestration.assets import changes, landing, prices, raw, warehouse
from orchestration.resources import LakeResource, dbt_resource

rebuild = dg.define_asset_job(
    "rebuild_warehouse",
    selection=dg.AssetSelection.assets(warehouse.dbt_models, warehouse.published_warehouse),
    description="dbt into a new file, tests on it, publication. The raw layer is taken as it is.",
)

defs = dg.Definitions(
    assets=[
        *landing.ASSET_OF_SOURCE.values(),
        landing.snapshot,
        *prices.LIST_LANDING.values(),
        prices.price_snapshot,
        raw.mlperf_inference_raw,
        raw.mlperf_training_raw,
        prices.prices_raw,
        prices.specs_raw,
        warehouse.tco_overrides,
        *changes.previous_generation,
        warehouse.dbt_models,
        warehouse.published_warehouse,
    ],
    asset_checks=raw.CHECKS,
    jobs=[rebuild],
    resources={"lake": LakeResource(), "dbt": dbt_resource()},
    # The steps of a build share one folder, owned by one process: its death is how a killed build is known.
    executor=dg.in_process_executor,
)
