"""The publication, and each table of it, as events in Dagster."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import dagster as dg

from accelmart.opening import open_file
from warehouse.publication.generation import Generation, kept_path
from warehouse.storage.database import public_columns, public_tables
from warehouse.storage.home import Home

# tag of a materialization; `dg` has no name for it
DATA_VERSION = "dagster/data_version"
_SHOWN = 20
PUBLIC_SCHEMA = "accelmart"
PUBLISHED = dg.AssetKey(["published", "accelmart"])


def materialization(
    home: Home,
    generation: Generation,
    tables: Sequence[dg.AssetMaterialization],
    warnings: list[str],
    new: list[str],
    seconds: float | None = None,
) -> dg.AssetMaterialization:
    """Return the event of a publication.

    Args:
        home: the installation.
        generation: the published one.
        tables: the events of its tables.
        warnings: rows of checks that warn, and outputs that could not be made, one line each.
        new: those that the generation before did not have.
        seconds: time that the build took; None if it is not known.
    """
    rows = {event.asset_key.path[-1]: event.metadata["dagster/row_count"].value for event in tables}
    metadata: dict[str, Any] = {
        "generation": generation.generation_id,
        "path": dg.MetadataValue.path(str(home.published)),
        "bytes": generation.bytes,
        "dagster/row_count": sum(rows.values()),
        "rows": dg.MetadataValue.json(rows),
        "current_prices": rows.get("mart_price_current", 0),
        "unmapped_names": rows.get("ops_unmapped", 0),
        "warnings": len(warnings),
        "new_warnings": len(new),
        "first_new_warnings": dg.MetadataValue.md("\n".join(f"* {line}" for line in new[:_SHOWN])),
        "report": dg.MetadataValue.path(str(home.report)),
        "exports": dg.MetadataValue.path(str(home.exports)),
        **({"duration_s": round(seconds, 3)} if seconds is not None else {}),
    }
    return dg.AssetMaterialization(
        PUBLISHED, metadata=metadata, tags={DATA_VERSION: generation.input_fingerprint[:16]}
    )


def table_events(home: Home, generation: Generation) -> Iterator[dg.AssetMaterialization]:
    """Yield the event of each public table of a published generation: rows, newest day of its data, generation."""
    with open_file(kept_path(home, generation.generation_id)) as db:
        days = defaultdict[str, list[str]](list)
        for column in public_columns(db):
            if column.data_type == "DATE" or column.data_type.startswith("TIMESTAMP"):
                days[column.table].append(f"max(cast({column.name} as date))")
        for table in public_tables(db):
            newest = f"greatest({', '.join(days[table.name])})" if days[table.name] else "null"
            rows, day = db.sql(f"select count(*), {newest} from {table.name}").fetchall()[0]  # noqa: S608
            built_on = generation.built_at.date()
            yield dg.AssetMaterialization(
                dg.AssetKey([PUBLIC_SCHEMA, table.name]),
                metadata={
                    "dagster/row_count": int(rows),
                    "newest_day": str(min(day, built_on)) if day else "none",
                    "generation": generation.generation_id,
                    "sql": dg.MetadataValue.md(f'`accelmart sql "from {table.name}"`'),
                    "report": dg.MetadataValue.path(str(home.report)),
                },
                tags={DATA_VERSION: generation.input_fingerprint[:16]},
            )
