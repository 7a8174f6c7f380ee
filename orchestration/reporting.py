"""What was built without Dagster, reported to its instance outside of any run."""

from __future__ import annotations

import dagster as dg

from orchestration.instance import instance
from orchestration.publication import PUBLISHED, materialization, table_events
from orchestration.raw import SNAPSHOTS, add_rounds, raw_events
from warehouse.inputs.active import select_active
from warehouse.publication.generation import Generation, NoWarehouseError
from warehouse.publication.pointer import publication
from warehouse.storage.home import Home


def report_publication(home: Home, generation: Generation, warnings: list[str], new: list[str]) -> None:
    """Report a publication by the command line: the file, each public table, and what was parsed for it."""
    with instance(home) as dagster_instance:
        _report(dagster_instance, home, generation, warnings, new)


def report_unknown(home: Home) -> None:
    """Report what is published, where the instance does not know it: it was built before Dagster was used here."""
    try:
        generation = publication(home).generation
    except NoWarehouseError:
        return
    with instance(home) as dagster_instance:
        known = dagster_instance.get_latest_materialization_event(PUBLISHED)
        event = known.asset_materialization if known else None
        if not event or event.metadata["generation"].value != generation.generation_id:
            _report(dagster_instance, home, generation, [], [])


def _report(
    dagster_instance: dg.DagsterInstance,
    home: Home,
    generation: Generation,
    warnings: list[str],
    new: list[str],
) -> None:
    active, tables = select_active(home), list(table_events(home, generation))
    add_rounds(dagster_instance, active)
    for event in (
        *(dg.AssetMaterialization(spec.key) for spec in SNAPSHOTS),
        *raw_events(active),
        *tables,
        materialization(home, generation, tables, warnings, new),
    ):
        dagster_instance.report_runless_asset_event(event)
