"""Measured serving outside of MLPerf: payloads parsed, one asset a source and three tables."""

from collections.abc import Iterator

import dagster as dg

from ingest.core.cadence import SERVING
from ingest.registry import SERVING_SOURCES
from orchestration.policies import retry_policy
from orchestration.raw_lists import RawTable, raw_specs, readable_check, report_parts
from warehouse.raw import SERVING_FAMILY, SERVING_POINTS

SERVING_SNAPSHOT = dg.AssetKey(["snapshot", "serving"])
READABLE = "every_measurement_is_readable"

serving_snapshot = dg.AssetSpec(
    SERVING_SNAPSHOT,
    group_name="landing_serving",
    kinds={"parquet"},
    description="Measured serving shipped with the code, extracted by the same parsers; see NOTICE for its owners.",
)

TABLES = (
    RawTable(
        SERVING_POINTS, "Every measured configuration, in the source's words beside typed values.", SERVING
    ),
    RawTable(
        SERVING_FAMILY.rejects,
        "Configurations that cannot be trusted, and what is out of scope.",
        SERVING,
    ),
    RawTable(SERVING_FAMILY.reconciliation, "What became of every configuration of a payload.", SERVING),
)


@dg.multi_asset(
    name="serving_raw",
    specs=raw_specs(list(SERVING_SOURCES.values()), TABLES, group="raw_serving", snapshot=SERVING_SNAPSHOT),
    can_subset=True,
    retry_policy=retry_policy(),
    check_specs=[readable_check(READABLE, SERVING_POINTS)],
)
def serving_raw(
    context: dg.AssetExecutionContext,
) -> Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]:
    """Parse the measurements that are new."""
    yield from report_parts(context, SERVING_SOURCES, TABLES, READABLE)
