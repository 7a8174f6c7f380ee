"""The registry of price sources."""

from __future__ import annotations

from ingest.core.errors import AccelmartError
from ingest.core.list_source import ListSource
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

_ALL: tuple[ListSource, ...] = (
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


def price_source_named(name: str) -> ListSource:
    """The registered price source.

    Raises:
        AccelmartError: no such source; the message lists those there are.
    """
    if name not in PRICE_SOURCES:
        raise AccelmartError(f"there is no price source {name!r}. Price sources: {', '.join(PRICE_SOURCES)}")
    return PRICE_SOURCES[name]
