"""The file that is published: a copy of the built one without the internal tables that nobody reads.

A build has every table that dbt makes. Of the schemas staging and intermediate the published file keeps what a function
of the file, or an exposure of the dbt project (`models/exposures.yml`), depends on.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb

from accelmart.opening import quoted
from warehouse.build.dbt import MANIFEST, writer
from warehouse.build.folder import Build
from warehouse.publication.generation import NotPublishableError

INTERNAL_SCHEMAS = ("staging", "intermediate")


def write_published(build: Build) -> Path:
    """Write the file that is published into the folder of a closed build, whose own file loses its internal tables.

    Returns:
        Its path. Comments, views, functions and constraints are those of the build, and so is the order of rows.

    Raises:
        NotPublishableError: DuckDB cannot write it, as on a full disk.
    """
    kept = kept_tables(json.loads((build.target / MANIFEST).read_bytes()))
    try:
        with writer(build.folder) as db:
            db.execute(f"attach {quoted(build.database)} as built")
            db.execute(f"attach {quoted(build.published)} as published")
            internal = db.execute(
                "select schema_name, table_name from duckdb_tables() where database_name = 'built' "
                "and list_contains(?, schema_name)",
                [list(INTERNAL_SCHEMAS)],
            ).fetchall()
            for schema, table in sorted({*internal} - kept):
                db.execute(f'drop table built.{schema}."{table}"')
            db.execute("copy from database built to published")
    except duckdb.Error as e:
        raise NotPublishableError(f"{build.published} cannot be written: {e}. Build again") from e
    return build.published


def kept_tables(manifest: dict[str, Any]) -> set[tuple[str, str]]:
    """Return schema and name of the internal tables that functions and exposures of a manifest of dbt depend on."""
    readers = [*manifest["functions"].values(), *manifest["exposures"].values()]
    read = (manifest["nodes"].get(name) for reader in readers for name in reader["depends_on"]["nodes"])
    return {(node["schema"], node["alias"]) for node in read if node and node["schema"] in INTERNAL_SCHEMAS}
