"""Runs on several workers: each run is a task of Celery, and a run whose worker died is noticed.

Named in ``dagster.yaml`` (`deploy/cluster/dagster.yaml`). dagster-celery's own launcher believes what a worker last
said of a task; of a worker that was killed that is "started" for ever.
"""

import time
from typing import Any

import dagster as dg
from dagster_celery.launcher import CeleryRunLauncher
from dagster_celery.tags import DAGSTER_CELERY_TASK_ID_TAG

from orchestration.dagster_internals import CheckRunHealthResult, WorkerStatus

# an answer may be lost once; Dagster asks every 30 seconds
_MISSING_S = 20
_ANSWER_S = 2


class WatchedCeleryRunLauncher(CeleryRunLauncher):
    """Starts runs as tasks of Celery, and asks the workers whether they still work on them."""

    def __init__(self, **config: Any) -> None:
        super().__init__(**config)
        self._missing_since: dict[str, float] = {}

    def check_run_worker_health(self, run: dg.DagsterRun) -> CheckRunHealthResult:
        """Return FAILED for a run that no worker works on, as after a kill; Dagster then starts it again elsewhere."""
        said = super().check_run_worker_health(run)
        if said.status != WorkerStatus.RUNNING or self._is_worked_on(run.tags[DAGSTER_CELERY_TASK_ID_TAG]):
            self._missing_since.pop(run.run_id, None)
            return said
        since = self._missing_since.setdefault(run.run_id, time.monotonic())
        if time.monotonic() - since < _MISSING_S:
            return said
        return CheckRunHealthResult(
            WorkerStatus.FAILED, "No worker works on this run: its worker was killed, or cannot be reached."
        )

    def _is_worked_on(self, task_id: str) -> bool:
        answers = self.celery.control.inspect(timeout=_ANSWER_S).active() or {}
        return any(task["id"] == task_id for tasks in answers.values() for task in tasks)
