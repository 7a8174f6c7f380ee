"""A plugin of dbt-duckdb (dbt_project/profiles.yml): no search for garbage while dbt builds.

dbt holds its project in a million objects that live as long as its process. Python's cyclic garbage collector walks
through them again and again, and finds nothing: seven percent of the time of a build.
"""

from __future__ import annotations

import gc
from typing import Any

from dbt.adapters.duckdb.plugins import BasePlugin


class Plugin(BasePlugin):  # type: ignore[misc]
    """Switches the collector off when dbt opens the database. Reference counts still free what is not used."""

    def initialize(self, plugin_config: dict[str, Any]) -> None:
        """Called by dbt-duckdb once in a process.

        Args:
            plugin_config: none is used.
        """
        gc.disable()
