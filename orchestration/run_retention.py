"""Retention of Dagster's runs. A run that holds current state is kept, whatever its age."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg

_FINISHED = [dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]

KEPT_DAYS = 7
"""With marketplaces fetched hourly, Dagster's SQLite files stay below 500 MB in a month; see docs/operations.md."""


def removable_runs(
    instance: dg.DagsterInstance, older_than: timedelta, checks: Iterable[dg.AssetCheckKey]
) -> list[str]:
    """Return old finished runs, except those that hold the latest event of an asset, partition or check.

    Removing a run removes its events. Builds compare with the latest materialization of an asset and of
    each of its partitions, and with the latest evaluation of each check.

    Args:
        instance: Dagster's.
        older_than: least age of a run's last change.
        checks: every asset check that is defined.

    Returns:
        Run ids, oldest first.
    """
    records = instance.get_run_records(
        dg.RunsFilter(statuses=_FINISHED, updated_before=datetime.now(UTC) - older_than)
    )
    if not records:
        return []
    kept = set(_latest_runs(instance, checks))
    return [r.dagster_run.run_id for r in reversed(records) if r.dagster_run.run_id not in kept]


def remove_run(instance: dg.DagsterInstance, run_id: str) -> None:
    """Remove a run, its events and what its steps printed."""
    instance.compute_log_manager.delete_logs(prefix=[run_id])
    instance.delete_run(run_id)
    # with SQLite Dagster empties the file of the run's events, which keeps its size
    for suffix in ("", "-wal", "-shm"):
        Path(instance.root_directory, "history", "runs", f"{run_id}.db{suffix}").unlink(missing_ok=True)


def _latest_runs(instance: dg.DagsterInstance, checks: Iterable[dg.AssetCheckKey]) -> Iterator[str]:
    storage, keys = instance.event_log_storage, instance.get_asset_keys()
    for entry in (r.asset_entry for r in instance.get_asset_records(keys)):
        latest = entry.last_materialization
        yield from filter(None, (entry.last_run_id, latest.run_id if latest else None))
    for key in keys:
        by_partition = storage.get_latest_storage_id_by_partition(
            key, dg.DagsterEventType.ASSET_MATERIALIZATION
        )
        if ids := list(by_partition.values()):
            chosen = dg.AssetRecordsFilter(asset_key=key, storage_ids=ids)
            records = instance.fetch_materializations(chosen, limit=len(ids)).records
            yield from (r.event_log_entry.run_id for r in records)
    for record in storage.get_latest_asset_check_execution_by_key(list(checks)).values():
        yield record.run_id
