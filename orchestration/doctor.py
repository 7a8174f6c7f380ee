"""The doctor's look at Dagster: its folder, daemon, runs, concurrency slots, and the settings of alerts."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
import sqlalchemy.exc
import yaml
from dagster import DagsterRunStatus

from ingest.core.urls import public_url
from orchestration import settings
from orchestration.alerts import read_channels
from warehouse.doctor.finding import Finding
from warehouse.home import Home

# a run holds no file open: it is only suspicious long after every timeout has passed
RUN_TOO_LONG_S = 6 * 3600
_RUNS_SEEN = 50


def dagster_home(home: Home) -> Path:
    """``DAGSTER_HOME``, or the folder below the data root."""
    return settings.DAGSTER_HOME.read() or home.dagster


def environment() -> Iterator[Finding]:
    """Check the environment variables."""
    wrong = False
    for setting in settings.SETTINGS.values():
        try:
            setting.read()
        except settings.SettingError as e:
            wrong = True
            yield Finding("settings", "fail", str(e), "correct or unset it")
    if not wrong:
        given = [s.name for s in settings.SETTINGS.values() if s.text()]
        yield Finding("settings", "ok", f"set: {', '.join(given) or 'none'}")


def alerts() -> Iterator[Finding]:
    """Check whether failures send alerts."""
    try:
        channels = read_channels()
    except settings.SettingError as e:
        yield Finding("alerts", "fail", str(e), "correct it in the environment of the code location")
        return
    if channels:
        yield Finding("alerts", "ok", f"go to {', '.join(str(c[0].service_name) for c in channels)}")
    else:
        remedy = f"set {settings.ALERT_URLS.name}; see docs/operations.md"
        yield Finding("alerts", "warn", "no alert is sent when something fails", remedy)


def dagster(home: Home) -> Iterator[Finding]:
    """Dagster's storage, daemon, last runs and slots."""
    folder = dagster_home(home)
    if not (folder / "dagster.yaml").exists():
        yield Finding(
            "dagster",
            "ok",
            "Dagster was not used in this data root; `accelmart ui` starts it, a server takes deploy/dagster.yaml",
        )
        return
    try:
        with dg.DagsterInstance.from_config(str(folder)) as instance:
            yield Finding("dagster", "ok", f"{folder}, runs in {_storage(instance)}")
            yield from daemon(instance)
            yield from runs(instance)
            yield from slots(instance)
    except (OSError, dg.DagsterError, sqlalchemy.exc.SQLAlchemyError, yaml.YAMLError) as e:
        words = public_url(" ".join(str(e).split()))[:400]
        yield Finding(
            "dagster",
            "fail",
            f"its storage cannot be read: {words}",
            f"check {folder}/dagster.yaml, who may write there, and that PostgreSQL (if used) runs and PGHOST, PGUSER, "
            "PGPASSWORD and PGDATABASE are set",
        )


def _storage(instance: dg.DagsterInstance) -> str:
    return "PostgreSQL" if "postgres" in type(instance.run_storage).__module__ else "SQLite"


def daemon(instance: dg.DagsterInstance) -> Iterator[Finding]:
    """Heartbeats of the daemon's parts: without them nothing runs by itself."""
    statuses = instance.get_daemon_statuses()
    start = "start it: `accelmart ui` here; on a server `systemctl start accelmart-daemon` or `docker compose up -d`"
    beats = [s.last_heartbeat.timestamp for s in statuses.values() if s.last_heartbeat]
    if not beats:
        yield Finding("daemon", "warn", "it has never run: nothing is refreshed by itself", start)
        return
    silent = sorted(name for name, s in statuses.items() if s.required and not s.healthy)
    errors = sorted(name for name, s in statuses.items() if s.last_heartbeat and s.last_heartbeat.errors)
    last = datetime.fromtimestamp(max(beats), UTC)
    if silent:
        yield Finding(
            "daemon",
            "fail",
            f"no heartbeat of {', '.join(silent)}; the last of any was at {last:%Y-%m-%d %H:%M} UTC",
            start,
        )
    elif errors:
        yield Finding(
            "daemon", "warn", f"errors in {', '.join(errors)}", "look at Deployment → Daemons in the UI"
        )
    else:
        yield Finding("daemon", "ok", f"all its {len(statuses)} parts are alive")


def runs(instance: dg.DagsterInstance) -> Iterator[Finding]:
    """Check the last runs: report those that failed without a later success and those that run for too long."""
    records = instance.get_run_records(limit=_RUNS_SEEN)
    if not records:
        yield Finding("runs", "ok", "none yet")
        return
    latest: dict[tuple[object, ...], dg.RunRecord] = {}
    for record in records:  # newest first
        run = record.dagster_run
        target = (run.job_name, tuple(sorted(run.asset_selection or ())), run.tags.get("dagster/partition"))
        latest.setdefault(target, record)
    failed = [r for r in latest.values() if r.dagster_run.status == DagsterRunStatus.FAILURE]
    long = [
        r
        for r in records
        if r.dagster_run.status in (DagsterRunStatus.STARTED, DagsterRunStatus.STARTING)
        and time.time() - (r.start_time or r.create_timestamp.timestamp()) > RUN_TOO_LONG_S
    ]
    if failed:
        listed = ", ".join(
            f"{_name(r.dagster_run)} at {r.update_timestamp:%Y-%m-%d %H:%M}" for r in failed[:3]
        )
        yield Finding(
            "runs",
            "warn",
            f"{len(failed)} of the last {len(records)} failed and did not succeed since: {listed}",
            "read their errors in the UI, under Runs; the last good data stay in use",
        )
    if long:
        listed = ", ".join(f"{r.dagster_run.run_id[:8]} ({_name(r.dagster_run)})" for r in long[:3])
        yield Finding(
            "runs",
            "warn",
            f"under way for more than {RUN_TOO_LONG_S // 3600} hours: {listed}",
            "look at it in the UI; if its process is gone, terminate it there (Force termination)",
        )
    if not failed and not long:
        newest = records[0]
        yield Finding(
            "runs",
            "ok",
            f"the last, {_name(newest.dagster_run)}, {newest.dagster_run.status.value.lower()} at "
            f"{newest.update_timestamp:%Y-%m-%d %H:%M}",
        )


def _name(run: dg.DagsterRun) -> str:
    assets = sorted(k.to_user_string() for k in run.asset_selection or ())
    return assets[0] if assets else run.job_name


def slots(instance: dg.DagsterInstance) -> Iterator[Finding]:
    """Concurrency slots held by runs that are over: the pools' own stale locks."""
    storage = instance.event_log_storage
    stale = []
    pools = sorted(storage.get_concurrency_keys()) if storage.supports_global_concurrency_limits else []
    for pool in pools:
        info = storage.get_concurrency_info(pool)
        for run_id in {s.run_id for s in info.claimed_slots}:
            run = instance.get_run_by_id(run_id)
            if run is None or run.is_finished:
                stale.append(f"{pool} by run {run_id[:8]}")
    if stale:
        yield Finding(
            "slots",
            "fail",
            f"held by runs that are over: {', '.join(stale)}",
            "free them in the UI under Deployment → Concurrency; run_monitoring frees them by itself",
        )
    elif pools:
        yield Finding("slots", "ok", f"none is held by a run that is over; pools: {', '.join(pools)}")
