"""Everything Dagster sees: `dagster dev -m orchestration.definitions`. Each domain stands in `orchestration.defs`."""

from __future__ import annotations

import dagster as dg

from orchestration import alerts
from orchestration.defs.mlperf import discovery, landing, raw, releases
from orchestration.defs.prices import assets as prices
from orchestration.defs.prices import schedules as price_schedules
from orchestration.defs.serving import assets as serving
from orchestration.defs.serving import schedules as serving_schedules
from orchestration.defs.specs import assets as specs
from orchestration.defs.specs import schedules as spec_schedules
from orchestration.defs.warehouse import assets as warehouse
from orchestration.defs.warehouse import inputs, scrub, sensors
from orchestration.list_landing import LIST_LANDING
from orchestration.metadata import described


def _mlperf() -> dg.Definitions:
    return dg.Definitions(
        assets=described(
            [
                *landing.ASSET_OF_SOURCE.values(),
                landing.snapshot,
                raw.mlperf_inference_raw,
                raw.mlperf_training_raw,
            ]
        ),
        asset_checks=raw.CHECKS,
        sensors=[discovery.mlperf_discovery, releases.register_landed_releases],
    )


def _lists() -> dg.Definitions:
    return dg.Definitions(
        assets=described(
            [
                *LIST_LANDING.values(),
                prices.price_snapshot,
                prices.prices_raw,
                specs.spec_snapshot,
                specs.specs_raw,
                serving.serving_snapshot,
                serving.serving_raw,
            ]
        ),
        schedules=[*price_schedules.SCHEDULES, *spec_schedules.SCHEDULES, *serving_schedules.SCHEDULES],
    )


def _warehouse() -> dg.Definitions:
    return dg.Definitions(
        assets=described([*inputs.INPUTS, warehouse.dbt_models, warehouse.published_warehouse]),
        jobs=[sensors.rebuild],
        sensors=[*sensors.SENSORS, alerts.run_failure_alerts, alerts.health_alerts, scrub.landing_scrub],
    )


# the one `Definitions` at module level: Dagster refuses a module with more
defs = dg.Definitions.merge(
    _mlperf(),
    _lists(),
    _warehouse(),
    dg.Definitions(
        # The steps of a build share one folder, owned by one process: its death is how a killed build is known.
        executor=dg.in_process_executor,
    ),
)
