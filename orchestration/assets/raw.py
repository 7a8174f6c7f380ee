"""Raw: payloads parsed to typed Parquet, one partition a round, every record accounted for."""

import time
from collections.abc import Iterator

import dagster as dg
import pandas as pd

from ingest.mlperf.records import PARSER_VERSION
from orchestration.assets.landing import (
    COLLECTION_LANDING,
    INFERENCE_LANDING,
    SNAPSHOT,
    inference_releases,
)
from orchestration.resources import LakeResource
from warehouse.lake import data_version, samples
from warehouse.raw import RECONCILIATION, REJECTS, RESULTS

_DESCRIPTIONS = {
    RESULTS: "Every result of a round, in the source's words beside the typed value; one row per result and dialect.",
    REJECTS: "Records that are no row, and remarks, each with file, position, problem and remedy.",
    RECONCILIATION: "What became of every record: in = rows + duplicates + merged + rejects.",
}


def raw_key(table: str) -> dg.AssetKey:
    """Asset key of a raw table."""
    return dg.AssetKey(["raw", table])


@dg.multi_asset(
    name="mlperf_inference_raw",
    specs=[
        dg.AssetSpec(
            raw_key(table),
            deps=[INFERENCE_LANDING, COLLECTION_LANDING, SNAPSHOT],
            group_name="raw",
            kinds={"python", "parquet"},
            description=text,
            code_version=str(PARSER_VERSION),
        )
        for table, text in _DESCRIPTIONS.items()
    ],
    partitions_def=inference_releases,
)
def mlperf_inference_raw(
    context: dg.AssetExecutionContext, lake: LakeResource
) -> Iterator[dg.MaterializeResult[None]]:
    """Parse one round: what is landed of it, else the snapshot's."""
    started = time.monotonic()
    release = context.partition_key
    parts = lake.get().parts_in_force(release)
    accounts = [p.account for p in parts]
    rows = {
        RESULTS: sum(a.rows_out for a in accounts),
        REJECTS: sum(a.rejects + a.remarks for a in accounts),
        RECONCILIATION: len(accounts),
    }
    sample = pd.DataFrame([row for p in parts for row in samples(p)])
    for table, count in rows.items():
        metadata: dict[str, dg.MetadataValue] = {
            "dagster/row_count": dg.MetadataValue.int(count),
            "records_in": dg.MetadataValue.int(sum(a.records_in for a in accounts)),
            "rejects": dg.MetadataValue.int(sum(a.rejects for a in accounts)),
            "bytes": dg.MetadataValue.int(sum(p.path(table).stat().st_size for p in parts)),
            "duration_s": dg.MetadataValue.float(round(time.monotonic() - started, 3)),
            "dialects": dg.MetadataValue.text(", ".join(a.dialect for a in accounts)),
        }
        if table == RESULTS and len(sample):
            metadata["sample"] = dg.MetadataValue.md(_markdown(sample))
        yield dg.MaterializeResult(
            asset_key=raw_key(table),
            data_version=dg.DataVersion(data_version(parts)),
            metadata=metadata,
        )


def _markdown(frame: pd.DataFrame) -> str:
    lines = ["| " + " | ".join(frame.columns) + " |", "| " + " | ".join("---" for _ in frame.columns) + " |"]
    lines += ["| " + " | ".join(str(v).replace("|", "/") for v in row) + " |" for row in frame.to_numpy()]
    return "\n".join(lines)


@dg.asset_check(asset=raw_key(RECONCILIATION), blocking=True)
def every_record_is_accounted_for(lake: LakeResource) -> dg.AssetCheckResult:
    """Records in = rows + duplicates + merged + rejects, for every part in force."""
    accounts = [p.account for p in lake.get().parts_in_force()]
    lost = [f"{a.release} {a.dialect}" for a in accounts if not a.is_balanced]
    return dg.AssetCheckResult(
        passed=not lost,
        metadata={
            "records_in": sum(a.records_in for a in accounts),
            "rows_out": sum(a.rows_out for a in accounts),
            "unbalanced": ", ".join(lost) or "none",
        },
    )
