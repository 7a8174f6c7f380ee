"""`fct_price_interval` as an Apache Iceberg table, for engines that read those: one snapshot for each publication.

Off unless a catalog is named (``ACCELMART_ICEBERG_CATALOG``). pyiceberg writes it, through a SQL catalog.
"""

from __future__ import annotations

import json
from pathlib import Path

import duckdb

from ingest.core.errors import AccelmartError
from warehouse.files import read_derived, written_whole
from warehouse.home import Home
from warehouse.publish import publication

NAMESPACE, TABLE = "accelmart", "fct_price_interval"
GENERATION = "accelmart.generation-id"
"""Property of a snapshot: the generation that it holds."""


class IcebergError(AccelmartError):
    """pyiceberg is not installed, or the catalog or its location cannot be used."""


def publish_intervals(home: Home) -> int:
    """Write the intervals of the published generation as a new snapshot of the table, which is made if need be.

    Readers have the old snapshot or the new one: the catalog replaces one address. Rows are those of the DuckDB file,
    times are UTC with microseconds. A column that is new is added; earlier snapshots stay readable.

    Args:
        home: the data root, with a catalog.

    Returns:
        Number of rows.

    Raises:
        NoWarehouseError: nothing is published.
        IcebergError: pyiceberg is not installed, or catalog or location cannot be used.
    """
    try:
        from pyiceberg.catalog.sql import SqlCatalog
    except ImportError as e:
        raise IcebergError(f"Iceberg tables need: pip install 'accelmart[iceberg]' ({e})") from e
    generation = publication(home).generation
    with duckdb.connect(str(generation.path), read_only=True) as db:
        db.execute("set timezone = 'UTC'")
        rows = db.sql(f"from {TABLE} order by offer_id, valid_from").to_arrow_table()
    location = home.iceberg_location
    if "://" not in location:
        Path(location).mkdir(parents=True, exist_ok=True)
        location = Path(location).absolute().as_uri()
    try:
        catalog = SqlCatalog(NAMESPACE, uri=home.iceberg_catalog, warehouse=location)
        catalog.create_namespace_if_not_exists(NAMESPACE)
        table = catalog.create_table_if_not_exists((NAMESPACE, TABLE), schema=rows.schema)
        with table.transaction() as change:
            with change.update_schema() as schema:
                schema.union_by_name(rows.schema)
            write = change.overwrite if table.current_snapshot() else change.append
            write(rows, snapshot_properties={GENERATION: generation.generation_id})
    except Exception as e:  # catalogs and object stores have errors of their own
        words = f"{type(e).__name__}: {e}".replace(home.iceberg_catalog, "***")  # it may hold a password
        raise IcebergError(f"the Iceberg table in {home.iceberg_location} cannot be written ({words})") from e
    with written_whole(home.iceberg_stamp) as temporary:
        temporary.write_text(json.dumps(_stamp(home, generation.generation_id)), encoding="utf-8")
    return len(rows)


def iceberg_of(home: Home) -> str | None:
    """Return the generation that was last written to the catalog of a data root; None before the first."""
    written = read_derived(home.iceberg_stamp, dict, None) or {}
    generation_id = str(written.get("generation_id", ""))
    return generation_id if written == _stamp(home, generation_id) else None


def _stamp(home: Home, generation_id: str) -> dict[str, str]:
    # the address of the catalog may hold a password
    return {"location": home.iceberg_location, "generation_id": generation_id}
