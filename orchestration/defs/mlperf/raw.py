"""Raw: payloads parsed to typed Parquet, one partition a round, every record accounted for."""

from collections.abc import Iterator, Sequence

import dagster as dg

from ingest.core.cadence import ROUNDS
from ingest.mlperf.records import PARSER_VERSION
from ingest.mlperf.training_records import TRAINING_PARSER_VERSION
from orchestration.defs.mlperf.landing import (
    COLLECTION_LANDING,
    GROUP,
    INFERENCE_LANDING,
    SNAPSHOT,
    TRAINING_COLLECTION_LANDING,
    TRAINING_LANDING,
    inference_releases,
    training_releases,
)
from orchestration.policies import follows_landing, freshness_of, judged, retry_policy
from orchestration.raw_lists import raw_key
from orchestration.resources import LakeResource
from warehouse.lake import Lake, data_version, samples
from warehouse.raw import INFERENCE_FAMILY, TRAINING_FAMILY, Family, RawPart

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
            group_name=GROUP,
            kinds={"python", "parquet"},
            description=text,
            code_version=str(version),
            automation_condition=follows_landing(),
            freshness_policy=freshness_of(ROUNDS),
        )
        for table, text in texts.items()
    ]


def _materialized(
    context: dg.AssetExecutionContext, lake: Lake, family: Family
) -> Iterator[dg.MaterializeResult[None]]:
    """Parse one round, from its landed payloads or else the snapshot, and report each table."""
    with judged(context):
        parts = lake.parts_in_force(family, context.partition_key)
    yield from tables_of_round(family, parts)


def tables_of_round(family: Family, parts: Sequence[RawPart]) -> Iterator[dg.MaterializeResult[None]]:
    """Yield what each table of a family has of one round.

    Args:
        family: the tables.
        parts: those in force of the round.
    """
    for table in family.tables:
        of_table = [p for p in parts if table in p.tables]
        metadata: dict[str, dg.MetadataValue] = {
            "dagster/row_count": dg.MetadataValue.int(sum(_rows(p, family, table) for p in of_table)),
            "records_in": dg.MetadataValue.int(sum(p.account.records_in for p in of_table)),
            "rejects": dg.MetadataValue.int(sum(p.account.rejects for p in of_table)),
            "bytes": dg.MetadataValue.int(sum(p.path(table).stat().st_size for p in of_table)),
            "dialects": dg.MetadataValue.text(", ".join(p.account.dialect for p in of_table)),
        }
        sample = [row for p in of_table for row in samples(p)] if table in family.records else []
        if sample:
            metadata["sample"] = dg.MetadataValue.md(_markdown(sample))
        yield dg.MaterializeResult(
            asset_key=raw_key(table),
            data_version=dg.DataVersion(data_version(parts)),
            metadata=metadata,
        )


def _rows(part: RawPart, family: Family, table: str) -> int:
    account = part.account
    if table in family.records:
        return account.rows_out
    return account.rejects + account.remarks if table == family.rejects else 1


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
    context: dg.AssetExecutionContext, lake: LakeResource
) -> Iterator[dg.MaterializeResult[None]]:
    """Parse one MLPerf Inference round."""
    yield from _materialized(context, lake.get(), INFERENCE_FAMILY)


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
    context: dg.AssetExecutionContext, lake: LakeResource
) -> Iterator[dg.MaterializeResult[None]]:
    """Parse one MLPerf Training round."""
    yield from _materialized(context, lake.get(), TRAINING_FAMILY)


RAW_ASSETS = (
    (INFERENCE_FAMILY, inference_releases, mlperf_inference_raw),
    (TRAINING_FAMILY, training_releases, mlperf_training_raw),
)


def _markdown(rows: list[dict[str, object]]) -> str:
    columns = list(dict.fromkeys(name for row in rows for name in row))
    lines = ["| " + " | ".join(columns) + " |", "| " + " | ".join("---" for _ in columns) + " |"]
    lines += [
        "| " + " | ".join(str(row.get(name, "")).replace("|", "/") for name in columns) + " |" for row in rows
    ]
    return "\n".join(lines)


def _accounted_for(family: Family) -> dg.AssetChecksDefinition:
    @dg.asset_check(asset=raw_key(family.reconciliation), blocking=True, name="every_record_is_accounted_for")
    def check(lake: LakeResource) -> dg.AssetCheckResult:
        """Records in = rows + duplicates + merged + rejects, for every part in force."""
        accounts = [p.account for p in lake.get().parts_in_force(family)]
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


CHECKS = [_accounted_for(family) for family, _, _ in RAW_ASSETS]
