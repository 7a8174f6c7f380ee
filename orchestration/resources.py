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


RESOURCES: dict[str, Any] = {"lake": LakeResource()}
"""Resources of all assets, by the names that the assets have for them."""
