"""What assets work with, and the data versions they state."""

from __future__ import annotations

from typing import Any

import dagster as dg

from orchestration import settings
from warehouse.lake import Lake

# tag of a materialization; `dg` has no name for it
DATA_VERSION = "dagster/data_version"


class LakeResource(dg.ConfigurableResource):  # type: ignore[type-arg]
    """The lake under ``ACCELMART_HOME``; every run reads the variable again."""

    def get(self) -> Lake:
        """The lake."""
        return Lake(settings.home())


def last_data_version(
    instance: dg.DagsterInstance, key: dg.AssetKey, partition: str | None = None
) -> str | None:
    """Data version of the last materialization of an asset, or of one partition of it."""
    partitions = [partition] if partition else None
    records = instance.fetch_materializations(
        dg.AssetRecordsFilter(asset_key=key, asset_partitions=partitions), limit=1
    ).records
    if not records or not records[0].asset_materialization:
        return None
    return (records[0].asset_materialization.tags or {}).get(DATA_VERSION)


RESOURCES: dict[str, Any] = {"lake": LakeResource()}
"""Resources of all assets, by the names that the assets have for them."""
