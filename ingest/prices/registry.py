"""The registry of price sources."""

from __future__ import annotations

from ingest.core.source import Source
from ingest.prices import (
    aws,
    azure,
    collected,
    coreweave,
    crusoe,
    ecb,
    gcp,
    gpuhunt_catalog,
    hyperstack,
    lambda_cloud,
    nebius,
    oci,
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
    *collected.COLLECTIONS,
    collected.OWN_PRICES,
    ecb.SOURCE,
)
PRICE_SOURCES = {s.name: s for s in _ALL}
