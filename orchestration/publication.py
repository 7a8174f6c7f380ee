"""The publication as an event in Dagster: logged by a run, or reported outside any run by the command line."""

from typing import Any

import dagster as dg

from accelmart.opening import open_file
from orchestration.instance import instance
from warehouse.publication.generation import Generation, kept_path
from warehouse.storage.database import public_tables
from warehouse.storage.home import Home

# tag of a materialization; `dg` has no name for it
DATA_VERSION = "dagster/data_version"
_SHOWN = 20
PUBLISHED = dg.AssetKey(["published", "accelmart"])


def materialization(
    home: Home, generation: Generation, warnings: list[str], new: list[str], seconds: float | None = None
) -> dg.AssetMaterialization:
    """Return the event of a publication.

    Args:
        home: the installation.
        generation: the published one.
        warnings: rows of checks that warn, and outputs that could not be made, one line each.
        new: those that the generation before did not have.
        seconds: time that the build took; None if it is not known.
    """
    rows = _rows_of_public_tables(home, generation)
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


def report_publication(home: Home, generation: Generation, warnings: list[str], new: list[str]) -> None:
    """Report a publication by the command line to Dagster's instance."""
    with instance(home) as dagster_instance:
        dagster_instance.report_runless_asset_event(materialization(home, generation, warnings, new))


def _rows_of_public_tables(home: Home, generation: Generation) -> dict[str, int]:
    """Return the number of rows of each public table."""
    with open_file(kept_path(home, generation.generation_id)) as db:
        return {t.name: int(db.table(t.name).count("*").fetchall()[0][0]) for t in public_tables(db)}
