"""Specifications of accelerators and electricity grids: payloads parsed, one asset a source and four tables."""

from collections.abc import Iterator

import dagster as dg

from ingest.core.cadence import SPECIFICATIONS
from ingest.core.source import Source
from ingest.energy.registry import GRID_SOURCES
from ingest.registry import REFERENCE_SOURCES
from ingest.specs import mlperf_systems
from orchestration.defs.mlperf.landing import INFERENCE_LANDING, TRAINING_LANDING
from orchestration.policies import judged, retry_policy
from orchestration.raw_lists import UNREADABLE, RawTable, raw_key, raw_specs, source_key, source_of
from orchestration.resources import LakeResource
from warehouse.lake import data_version
from warehouse.raw import GRID_INTENSITIES, SPEC_RECONCILIATION, SPEC_REJECTS, SPEC_VALUES
from warehouse.spec_values import spec_records

GROUP = "specs"
SPEC_SNAPSHOT = dg.AssetKey(["snapshot", "specs"])
READABLE = "every_specification_is_readable"

spec_snapshot = dg.AssetSpec(
    SPEC_SNAPSHOT,
    group_name=GROUP,
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
        group=GROUP,
        snapshot=SPEC_SNAPSHOT,
        # the archive of a round describes its systems too
        also_read={mlperf_systems.SOURCE.name: [INFERENCE_LANDING, TRAINING_LANDING]},
    ),
    can_subset=True,
    retry_policy=retry_policy(),
    check_specs=[
        dg.AssetCheckSpec(
            READABLE,
            asset=raw_key(SPEC_VALUES),
            description="A stored payload that its parser cannot read any more is named; the others are used.",
        )
    ],
)
def specs_raw(
    context: dg.AssetExecutionContext, lake: LakeResource
) -> Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]:
    """Parse the specifications that are new."""
    with judged(context):
        parts, problems = lake.get().spec_parts()
    selected = context.selected_asset_keys
    for source in REFERENCE_SOURCES.values():
        if source_key(source) in selected:
            of_source = [p for p in parts if source_of(p.stem) == source.name]
            yield dg.MaterializeResult(
                asset_key=source_key(source),
                data_version=dg.DataVersion(data_version(of_source)),
                metadata={"files": len(of_source)},
            )
    for table in (t.name for t in TABLES):
        if raw_key(table) in selected:
            rows = [spec_records(p) for p in parts if p.record_table == table]
            yield dg.MaterializeResult(
                asset_key=raw_key(table),
                data_version=dg.DataVersion(data_version(parts)),
                metadata={"files": len(parts), **({"dagster/row_count": sum(rows)} if rows else {})},
            )
    if context.selected_asset_check_keys:
        yield dg.AssetCheckResult(
            asset_key=raw_key(SPEC_VALUES),
            check_name=READABLE,
            passed=not problems,
            severity=dg.AssetCheckSeverity.WARN,
            metadata={UNREADABLE: dg.MetadataValue.json(problems)},
        )
