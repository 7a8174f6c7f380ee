"""Raw: payloads parsed to typed Parquet, one partition a round, every record accounted for."""

from collections.abc import Iterator, Sequence

import dagster as dg

from ingest.core.cadence import ROUNDS
from ingest.mlperf.records import PARSER_VERSION
from ingest.mlperf.training_records import TRAINING_PARSER_VERSION
from orchestration import settings
from orchestration.defs.mlperf.landing import (
    COLLECTION_LANDING,
    INFERENCE_LANDING,
    SNAPSHOT,
    TRAINING_COLLECTION_LANDING,
    TRAINING_LANDING,
    inference_releases,
    training_releases,
)
from orchestration.policies import follows_landing, freshness_of, judged, retry_policy
from orchestration.raw_lists import describe, raw_key
from warehouse.active import INFERENCE_SOURCES, TRAINING_SOURCES, select_active
from warehouse.raw import INFERENCE_FAMILY, TRAINING_FAMILY, Family, data_version

# the collection states scored results; single runs and configurations are in the trees of rounds alone
ROUNDS_ONLY = frozenset({"mlperf_training_runs", "mlperf_training_configurations"})


def _specs(
    family: Family, round_: dg.AssetKey, collection: dg.AssetKey, version: int, records: dict[str, str]
) -> list[dg.AssetSpec]:
    """Return the specs of a family's tables, each with the landing assets that have rows of it."""
    texts = records | {
        family.rejects: "Records that are no row, and remarks, each with file, position, problem and remedy.",
        family.reconciliation: "What became of every record: in = rows + duplicates + merged + rejects.",
    }
    return [
        dg.AssetSpec(
            raw_key(table),
            deps=[round_, *([] if table in ROUNDS_ONLY else [collection]), SNAPSHOT],
            group_name="raw_mlperf",
            kinds={"python", "parquet"},
            description=text,
            code_version=str(version),
            automation_condition=follows_landing(),
            freshness_policy=freshness_of(ROUNDS),
        )
        for table, text in texts.items()
    ]


def _materialized(
    context: dg.AssetExecutionContext, family: Family, sources: Sequence[str]
) -> Iterator[dg.MaterializeResult[None]]:
    """Report each table of one round, of its landed payloads or else the snapshot; parse what is not parsed yet."""
    with judged(context):
        parts = select_active(settings.home(), sources).parts
    of_round = [p for p in parts if p.account.release == context.partition_key]
    for table in family.tables:
        yield dg.MaterializeResult(
            asset_key=raw_key(table),
            data_version=dg.DataVersion(data_version(of_round)),
            metadata=describe(table, of_round),
        )


@dg.multi_asset(
    name="mlperf_inference_raw",
    specs=_specs(
        INFERENCE_FAMILY,
        INFERENCE_LANDING,
        COLLECTION_LANDING,
        PARSER_VERSION,
        {
            "mlperf_inference_results": "Every result of a round, in the source's words beside the typed value; "
            "one row per result and dialect."
        },
    ),
    partitions_def=inference_releases,
    retry_policy=retry_policy(),
)
def mlperf_inference_raw(
    context: dg.AssetExecutionContext,
) -> Iterator[dg.MaterializeResult[None]]:
    """Parse one MLPerf Inference round."""
    yield from _materialized(context, INFERENCE_FAMILY, INFERENCE_SOURCES)


@dg.multi_asset(
    name="mlperf_training_raw",
    specs=_specs(
        TRAINING_FAMILY,
        TRAINING_LANDING,
        TRAINING_COLLECTION_LANDING,
        TRAINING_PARSER_VERSION,
        {
            "mlperf_training_runs": "Every run of a round, read from its log.",
            "mlperf_training_results": "Every benchmark of every system of a round, scored by MLCommons' rule.",
            "mlperf_training_configurations": "Every configuration file that a submitter can run, with its number "
            "format and the evidence for it.",
        },
    ),
    partitions_def=training_releases,
    retry_policy=retry_policy(),
)
def mlperf_training_raw(
    context: dg.AssetExecutionContext,
) -> Iterator[dg.MaterializeResult[None]]:
    """Parse one MLPerf Training round."""
    yield from _materialized(context, TRAINING_FAMILY, TRAINING_SOURCES)


RAW_ASSETS = (
    (INFERENCE_FAMILY, INFERENCE_SOURCES, inference_releases, mlperf_inference_raw),
    (TRAINING_FAMILY, TRAINING_SOURCES, training_releases, mlperf_training_raw),
)


def _accounted_for(family: Family, sources: Sequence[str]) -> dg.AssetChecksDefinition:
    @dg.asset_check(asset=raw_key(family.reconciliation), blocking=True, name="every_record_is_accounted_for")
    def check() -> dg.AssetCheckResult:
        """Records in = rows + duplicates + merged + rejects, for every part in force."""
        accounts = [p.account for p in select_active(settings.home(), sources).parts if p.family is family]
        lost = [f"{a.release} {a.dialect}" for a in accounts if not a.is_balanced]
        return dg.AssetCheckResult(
            passed=not lost,
            metadata={
                "records_in": sum(a.records_in for a in accounts),
                "rows_out": sum(a.rows_out for a in accounts),
                "unbalanced": ", ".join(lost) or "none",
            },
        )

    return check


CHECKS = [_accounted_for(family, sources) for family, sources, _, _ in RAW_ASSETS]
