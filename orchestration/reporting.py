"""What was built without Dagster, reported to its instance outside of any run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from graphlib import TopologicalSorter

import dagster as dg

from orchestration.instance import instance
from orchestration.manifest import NODES, node_key
from orchestration.mlperf_discovery import DISCOVERY
from orchestration.publication import PUBLISHED, materialization, table_events
from orchestration.raw import INPUTS, SNAPSHOTS, add_rounds, raw_events
from warehouse.inputs.active import select_active
from warehouse.publication.generation import Generation, NoWarehouseError
from warehouse.publication.pointer import publication
from warehouse.storage.home import Home


def report_publication(home: Home, generation: Generation, warnings: list[str], new: list[str]) -> None:
    """Report a publication by the command line: the file, each public table, and what was parsed for it."""
    with instance(home) as dagster_instance:
        _report(dagster_instance, home, generation, warnings, new)


def report_unknown(home: Home) -> list[str]:
    """Report what is published, where the instance does not know it: it was built before Dagster was used here.

    Returns:
        Schedules, and the discovery of rounds, that an earlier version ran by default.
    """
    try:
        generation = publication(home).generation
    except NoWarehouseError:
        return []
    with instance(home) as dagster_instance:
        known = dagster_instance.get_latest_materialization_event(PUBLISHED)
        event = known.asset_materialization if known else None
        if not event or event.metadata["generation"].value != generation.generation_id:
            _report(dagster_instance, home, generation, [], [])
        return sorted(
            state.name
            for state in dagster_instance.all_instigator_state()
            if state.status.value == "DECLARED_IN_CODE"
            and (state.instigator_type.value == "SCHEDULE" or state.name == DISCOVERY)
        )


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
        *(dg.AssetMaterialization(spec.key) for spec in (*SNAPSHOTS, *INPUTS)),
        *raw_events(active),
        *_in_order(tables),
        materialization(home, generation, tables, warnings, new),
    ):
        dagster_instance.report_runless_asset_event(event)


def _in_order(tables: Sequence[dg.AssetMaterialization]) -> Iterator[dg.AssetMaterialization]:
    """Yield the event of each model and seed after those it reads; Dagster shows one that is older as out of date."""
    public = {event.asset_key: event for event in tables}
    for name in TopologicalSorter(NODES["parent_map"]).static_order():
        node = NODES["nodes"].get(name, {})
        if node.get("resource_type") in ("model", "seed") and node["config"]["materialized"] != "ephemeral":
            key = node_key(node)
            yield public.get(key) or dg.AssetMaterialization(key)
