"""The registry of price sources."""

from __future__ import annotations

from ingest.core.source import Source
from ingest.prices import (
    aggregator,
    aws,
    azure,
    collected_points,
    coreweave,
    crusoe,
    curated_offers,
    ecb,
    epoch_prices,
    gcp,
    gcp_tpu_page,
    gpuhunt_catalog,
    hyperstack,
    lambda_cloud,
    nebius,
    oci,
    price_points,
    runpod,
    scaleway,
    skypilot,
    together,
    vast,
    verda,
)

_ALL: tuple[Source, ...] = (
    aws.SOURCE,
    azure.SOURCE,
    gcp.SOURCE,
    gcp_tpu_page.SOURCE_TPU,
    oci.SOURCE,
    runpod.SOURCE,
    vast.SOURCE,
    vast.ARCHIVE_SOURCE,
    scaleway.SOURCE,
    lambda_cloud.SOURCE,
    lambda_cloud.SOURCE_API,
    coreweave.SOURCE,
    nebius.SOURCE,
    crusoe.SOURCE,
    together.SOURCE,
    hyperstack.SOURCE,
    verda.SOURCE,
    skypilot.SOURCE,
    gpuhunt_catalog.SOURCE,
    curated_offers.SOURCE,
    price_points.SOURCE,
    collected_points.SOURCE,
    epoch_prices.SOURCE,
    aggregator.SOURCE,
    ecb.SOURCE,
)
PRICE_SOURCES = {s.name: s for s in _ALL}
