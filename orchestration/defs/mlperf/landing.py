"""Landing: unchanged payloads, one asset per source. Only landing assets access the network."""

import dagster as dg

from ingest.core.cadence import ROUNDS
from ingest.core.fetch import land_origin
from ingest.core.landing import Landing
from ingest.core.payload import Payload
from ingest.core.payloads import Judge
from ingest.core.source import Source
from ingest.mlperf.registry import (
    MLPERF_COLLECTION,
    MLPERF_INFERENCE,
    MLPERF_SOURCES,
    MLPERF_TRAINING,
    MLPERF_TRAINING_COLLECTION,
)
from orchestration import http_clients, settings
from orchestration.policies import freshness_of, judged, retry_policy
from warehouse.home import Home
from warehouse.parsing import keep_parts

GROUP = "landing_mlperf"
COLLECTION_KEY = "all"
INFERENCE_LANDING = dg.AssetKey(["landing", "mlperf_inference"])
COLLECTION_LANDING = dg.AssetKey(["landing", "mlperf_inference_collection"])
TRAINING_COLLECTION_LANDING = dg.AssetKey(["landing", "mlperf_training_collection"])
TRAINING_LANDING = dg.AssetKey(["landing", "mlperf_training"])
SNAPSHOT = dg.AssetKey(["snapshot", "mlperf"])

inference_releases = dg.DynamicPartitionsDefinition(name="mlperf_inference_releases")
training_releases = dg.DynamicPartitionsDefinition(name="mlperf_training_releases")


class FetchConfig(dg.Config):
    """Where a payload comes from.

    Args:
        origin: file, folder, tarball, URL or git repository; empty is the source's own address.
        ref: branch, tag or commit of a git repository; empty is its default branch.
    """

    origin: str = ""
    ref: str = ""


def land(home: Home, source: Source, key: str, config: FetchConfig) -> Payload:
    """Fetch one payload of a source into the landing zone, and parse it.

    Raises:
        FetchFailed: nothing came. The client has tried again already where that could help.
        PayloadRejected: the payload is quarantined, or its rows cannot be written; the last good one stays in force.
    """
    judge = Judge(source, key)
    payload = land_origin(
        Landing(home.landing_url),
        source,
        key,
        config.origin or source.address(key),
        http_clients.http_client(),
        home.repositories,
        judge,
        ref=config.ref or None,
    )
    keep_parts(home, source, payload, judge.parts)
    return payload


def _result(payload: Payload) -> dg.MaterializeResult[None]:
    return dg.MaterializeResult(
        data_version=dg.DataVersion(payload.sha256[:16]),
        metadata={
            "outcome": payload.outcome,
            "bytes": payload.bytes,
            "sha256": payload.sha256,
            "url": dg.MetadataValue.url(payload.url),
            "licence": payload.licence,
            "fetched_at": dg.MetadataValue.timestamp(payload.fetched_at),
            "details": dg.MetadataValue.json(payload.details),
        },
    )


def _landed(
    context: dg.AssetExecutionContext, source: str, key: str, config: FetchConfig
) -> dg.MaterializeResult[None]:
    with judged(context):
        return _result(land(settings.home(), MLPERF_SOURCES[source], key, config))


@dg.asset(
    key=INFERENCE_LANDING,
    group_name=GROUP,
    kinds={"git", "file"},
    partitions_def=inference_releases,
    retry_policy=retry_policy(),
    freshness_policy=freshness_of(ROUNDS),
)
def mlperf_inference_release(
    context: dg.AssetExecutionContext, config: FetchConfig
) -> dg.MaterializeResult[None]:
    """One MLPerf Inference round as MLCommons publishes it: its summary file, or the parsed part of its tree."""
    return _landed(context, MLPERF_INFERENCE, context.partition_key, config)


@dg.asset(
    key=TRAINING_LANDING,
    group_name=GROUP,
    kinds={"git", "file"},
    partitions_def=training_releases,
    retry_policy=retry_policy(),
    freshness_policy=freshness_of(ROUNDS),
)
def mlperf_training_release(
    context: dg.AssetExecutionContext, config: FetchConfig
) -> dg.MaterializeResult[None]:
    """One MLPerf Training round as MLCommons publishes it: systems and logs."""
    return _landed(context, MLPERF_TRAINING, context.partition_key, config)


@dg.asset(key=COLLECTION_LANDING, group_name=GROUP, kinds={"git", "file"}, retry_policy=retry_policy())
def mlperf_inference_collection(
    context: dg.AssetExecutionContext, config: FetchConfig
) -> dg.MaterializeResult[None]:
    """MLCommons' own collection of MLPerf Inference entries, v2.0 to v4.1."""
    return _landed(context, MLPERF_COLLECTION, COLLECTION_KEY, config)


@dg.asset(
    key=TRAINING_COLLECTION_LANDING, group_name=GROUP, kinds={"git", "file"}, retry_policy=retry_policy()
)
def mlperf_training_collection(
    context: dg.AssetExecutionContext, config: FetchConfig
) -> dg.MaterializeResult[None]:
    """MLCommons' own collection of MLPerf Training results, 1.0 to 3.0."""
    return _landed(context, MLPERF_TRAINING_COLLECTION, COLLECTION_KEY, config)


ASSET_OF_SOURCE = {
    MLPERF_INFERENCE: mlperf_inference_release,
    MLPERF_COLLECTION: mlperf_inference_collection,
    MLPERF_TRAINING: mlperf_training_release,
    MLPERF_TRAINING_COLLECTION: mlperf_training_collection,
}
RELEASES_OF_SOURCE = {MLPERF_INFERENCE: inference_releases, MLPERF_TRAINING: training_releases}

snapshot = dg.AssetSpec(
    SNAPSHOT,
    group_name=GROUP,
    kinds={"parquet"},
    description=(
        "Facts shipped with the code, extracted by the same parsers. A live payload of the same round and "
        "form takes their place."
    ),
)
