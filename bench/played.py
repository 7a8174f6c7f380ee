"""Shared by benches of a whole installation: the real daemon, and the replayed upstreams of the tests.

Import it before any module of the tests: it adds their folders to the path.
"""

import contextlib
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / p) for p in ("replay", "ingest", "ingest/prices", "drills", "e2e")]

import dagster_ui  # noqa: E402
from mlcommons import MLCommons  # noqa: E402
from replay_server import ReplayServer  # noqa: E402

from ingest.core.cadence import EXCHANGE_RATES, MARKETPLACES, PRICES, SCHEDULED  # noqa: E402
from ingest.registry import LIST_SOURCES  # noqa: E402

ASKED = ("vast", "lambda", "coreweave", "ecb-reference-rates")
"""Price sources that are fetched; one of each schedule at least."""


def daemon_settings(upstream: ReplayServer, mlcommons: MLCommons, cron: str) -> dict[str, str]:
    """Return the environment of a daemon that fetches the sources of `ASKED` and MLPerf rounds from replayed upstreams.

    Args:
        upstream: the replay server.
        mlcommons: the replayed result repositories.
        cron: when each price schedule ticks.
    """
    others = [n for n in LIST_SOURCES if n not in ASKED]
    return {
        "ACCELMART_AUTOMATION": "on",
        "ACCELMART_SCHEDULES": "; ".join(
            f"{c.name}={cron if c in (MARKETPLACES, PRICES, EXCHANGE_RATES) else 'off'}" for c in SCHEDULED
        ),
        **mlcommons.settings,
        "ACCELMART_MIRROR": upstream.url,
        "ACCELMART_SENSOR_INTERVAL": "5",
        "ACCELMART_RETRY_DELAY": "1",
        "ACCELMART_REBUILD_INTERVAL": "0",
        "ACCELMART_SOURCES_OFF": ",".join(others),
    }


def calm(ui: dagster_ui.Ui) -> str:
    """Return what the sensor of rebuilds said after the last run: nothing new, or a failure. Empty: not yet."""
    with contextlib.suppress(OSError):  # the webserver of a busy machine may not answer in time
        runs = ui.ask("{ runsOrError(limit: 40) { ... on Runs { results { status endTime } } } }")
        ended = [run["endTime"] for run in runs["runsOrError"]["results"]]
        if None in ended or time.time() - max(ended, default=0) < 10:
            return ""
        for name in ("mlperf_discovery", "rebuild_when_inputs_changed"):
            (tick,) = ui.ticks(name, limit=1) or [None]
            if tick is None or tick["status"] == "STARTED" or tick["timestamp"] < max(ended, default=0):
                return ""
        said = tick["skipReason"] or ""
        return said if "Nothing new" in said or "failed" in said else ""
    return ""


def once_an_hour(wait: timedelta) -> str:
    """Return a cron expression of hourly ticks, the first about `wait` from now."""
    return f"{(datetime.now(UTC) + wait).minute} * * * *"
