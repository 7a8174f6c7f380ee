"""Specifications of accelerators and electricity grids: payloads parsed, one asset a source and four tables."""

from collections.abc import Iterator

import dagster as dg

from ingest.core.cadence import SPECIFICATIONS
from ingest.core.source import Source
from ingest.energy.registry import GRID_SOURCES
from ingest.mlperf import described_systems
from ingest.registry import REFERENCE_SOURCES
from orchestration.defs.mlperf.landing import INFERENCE_LANDING, TRAINING_LANDING
from orchestration.policies import retry_policy
from orchestration.raw_lists import RawTable, raw_specs, readable_check, report_parts
from warehouse.raw import GRID_INTENSITIES, SPEC_RECONCILIATION, SPEC_REJECTS, SPEC_VALUES

SPEC_SNAPSHOT = dg.AssetKey(["snapshot", "specs"])
READABLE = "every_specification_is_readable"

spec_snapshot = dg.AssetSpec(
    SPEC_SNAPSHOT,
    group_name="landing_specs",
    kinds={"parquet"},
    description="Specifications shipped with the code, extracted by the same parsers; see NOTICE for their owners.",
)


def _has_grids(source: Source) -> bool:
    return source.name in GRID_SOURCES


TABLES = (
    RawTable(
        SPEC_VALUES,
        "Every figure of a specification table, in the source's words beside the typed value.",
        SPECIFICATIONS,
        lambda source: not _has_grids(source),
    ),
    RawTable(
        GRID_INTENSITIES,
        "Carbon intensity of the electricity of countries, US states and cloud regions.",
        SPECIFICATIONS,
        _has_grids,
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
        list(REFERENCE_SOURCES.values()),
        TABLES,
        group="raw_specs",
        snapshot=SPEC_SNAPSHOT,
        # the archive of a round describes its systems too
        also_read={described_systems.SOURCE.name: [INFERENCE_LANDING, TRAINING_LANDING]},
    ),
    can_subset=True,
    retry_policy=retry_policy(),
    check_specs=[readable_check(READABLE, SPEC_VALUES)],
)
def specs_raw(
    context: dg.AssetExecutionContext,
) -> Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]:
    """Parse the specifications that are new."""
    yield from report_parts(context, REFERENCE_SOURCES, TABLES, READABLE)
