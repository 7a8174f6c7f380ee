"""Dagster's instance of this installation: its folder, its settings, and how it is opened."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg
from yaml import YAMLError

from ingest.core.errors import AccelmartError
from orchestration import settings
from warehouse.home import Home

# What every installation needs, whatever its storage.
DAGSTER_SETTINGS = """\
telemetry:
  enabled: false
nux:
  enabled: false
concurrency:
  pools:
    # one writer: a run that builds the warehouse waits for the one before
    default_limit: 1
    granularity: run
  runs:
    max_concurrent_runs: 4
run_retries:
  # a run whose process died is started again; a failed step has its own retry policy
  enabled: true
  max_retries: 2
  retry_on_asset_or_op_failure: false
run_monitoring:
  enabled: true
  poll_interval_seconds: 30
  start_timeout_seconds: 300
  cancel_timeout_seconds: 120
  # the largest list takes minutes: a run of more than three hours hangs
  max_runtime_seconds: 10800
freshness:
  enabled: true
sensors:
  # a sensor that waits for a remote answer does not delay the others
  use_threads: true
  num_workers: 4
retention:
  schedule:
    purge_after_days: 90
  sensor:
    purge_after_days:
      skipped: 3
      success: 90
      failure: 90
  auto_materialize:
    purge_after_days:
      skipped: 3
      success: 90
      failure: 90
"""
_DAGSTER_YAML = f"""\
# Run history of the command line and the UI. Settings: https://docs.dagster.io/deployment/oss/dagster-yaml
{DAGSTER_SETTINGS}"""
# text that an earlier version wrote: replaced unless it was edited
_EARLIER_YAML = """\
# Run history of the command line and the UI. Settings: https://docs.dagster.io/deployment/oss/dagster-yaml
telemetry:
  enabled: false
nux:
  enabled: false
"""


class DagsterSettingsError(AccelmartError):
    """Dagster's settings cannot be used; nothing was done."""


def ensure_dagster_home(home: Home) -> None:
    """See that ``DAGSTER_HOME`` is set, by default to ``dagster/`` below the data root, and has its settings."""
    if settings.DAGSTER_HOME.read() is None:
        home.dagster.mkdir(parents=True, exist_ok=True)
        path = home.dagster / "dagster.yaml"
        if not path.exists() or path.read_text(encoding="utf-8") == _EARLIER_YAML:
            path.write_text(_DAGSTER_YAML, encoding="utf-8")
        os.environ["DAGSTER_HOME"] = str(home.dagster)


@contextmanager
def instance(home: Home) -> Iterator[dg.DagsterInstance]:
    """Dagster's instance of this installation.

    Raises:
        DagsterSettingsError: its settings cannot be used.
    """
    ensure_dagster_home(home)
    try:
        opened = dg.DagsterInstance.get()
    except (dg.DagsterError, YAMLError) as e:
        lines = [line.strip() for line in str(e).splitlines() if line.strip()]
        cause = next((line for line in lines if line.startswith("Error 1")), " ".join(lines))
        path = Path(str(settings.DAGSTER_HOME.read())) / "dagster.yaml"
        raise DagsterSettingsError(
            f"{path} cannot be used: {cause[:300]}. Correct it, or remove it: the next command writes it again"
        ) from e
    with opened as dagster_instance:
        yield dagster_instance
