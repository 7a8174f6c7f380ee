"""dbt's manifest of the present project: what its nodes are called, and what the raw layer has for it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import dagster as dg

from orchestration import settings
from orchestration.publication import PUBLIC_SCHEMA
from warehouse.build import dbt

MANIFEST = dbt.manifest(settings.home())
NODES: dict[str, Any] = json.loads(MANIFEST.read_bytes())
SOURCES = {source["name"]: source for source in NODES["sources"].values()}
"""What dbt reads, by name of the table."""


def node_key(node: Mapping[str, Any]) -> dg.AssetKey:
    """Return the asset key of a node: public tables in the public schema, sources as raw, others by layer."""
    if node["resource_type"] == "source":
        return dg.AssetKey(["raw", node["name"]])
    return dg.AssetKey([PUBLIC_SCHEMA if node["schema"] == "main" else node["schema"], node["name"]])
