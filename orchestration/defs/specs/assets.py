"""Specifications of accelerators: payloads parsed, one asset a source and three tables."""

from collections.abc import Iterator

import dagster as dg

from ingest.core.cadence import SPECIFICATIONS
from ingest.specs import mlperf_systems
from ingest.specs.registry import SPEC_SOURCES
from orchestration.defs.mlperf.landing import INFERENCE_LANDING, TRAINING_LANDING
from orchestration.policies import judged, retry_policy
from orchestration.raw_lists import RawTable, made_of_parts, raw_specs, readable_check
from orchestration.resources import LakeResource
from warehouse.raw import SPEC_RECONCILIATION, SPEC_REJECTS, SPEC_VALUES

GROUP = "specs"
SPEC_SNAPSHOT = dg.AssetKey(["snapshot", "specs"])
READABLE = "every_specification_is_readable"

spec_snapshot = dg.AssetSpec(
    SPEC_SNAPSHOT,
    group_name=GROUP,
    kinds={"parquet"},
    description="Specifications shipped with the code, extracted by the same parsers; see NOTICE for their owners.",
)

TABLES = (
    RawTable(
        SPEC_VALUES,
        "Every figure of a specification table, in the source's words beside the typed value.",
        SPECIFICATIONS,
    ),
    RawTable(
        SPEC_REJECTS,
        "Figures that cannot be trusted, and what was left out by reason.",
        SPECIFICATIONS,
    ),
    RawTable(SPEC_RECONCILIATION, "What became of every figure of a payload.", SPECIFICATIONS),
)


@dg.multi_asset(
    name="specs_raw",
    specs=raw_specs(
        list(SPEC_SOURCES.values()),
        TABLES,
        group=GROUP,
        snapshot=SPEC_SNAPSHOT,
        # the archive of a round describes its systems too
        also_read={mlperf_systems.SOURCE.name: [INFERENCE_LANDING, TRAINING_LANDING]},
    ),
    can_subset=True,
    retry_policy=retry_policy(),
    check_specs=[readable_check(READABLE, SPEC_VALUES)],
)
def specs_raw(
    context: dg.AssetExecutionContext, lake: LakeResource
) -> Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]:
    """Parse the specifications that are new."""
    with judged(context):
        parts, problems = lake.get().spec_parts()
    yield from made_of_parts(context, SPEC_SOURCES.values(), TABLES, parts, problems, READABLE)
