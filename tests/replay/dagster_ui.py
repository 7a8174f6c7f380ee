"""Start the real `accelmart ui` on a free port, query it over GraphQL, and end all its processes."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import psutil

from ingest.core.cadence import SCHEDULED

ACCELMART = Path(sys.executable).with_name("accelmart")
QUIET = {"ACCELMART_SCHEDULES": "; ".join(f"{cadence.name}=off" for cadence in SCHEDULED)}


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Ui:
    """Webserver, daemon and code server of one data root.

    Args:
        home: the data root.
        settings: further environment variables.
        timeout: limit of each wait, in seconds.
    """

    def __init__(self, home: Path, settings: dict[str, str], timeout: float = 600) -> None:
        self.home, self.timeout = home, timeout
        self.url = f"http://127.0.0.1:{(port := free_port())}"
        clean = {
            k: v
            for k, v in os.environ.items()
            if not k.startswith(("ACCELMART_", "DAGSTER_", "DBT_", "GITHUB_"))
        }
        self.log = home.with_name(f"{home.name}.ui.log")
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                [ACCELMART, "ui", "--port", str(port)],
                env={
                    **clean,
                    "ACCELMART_HOME": str(home),
                    "NO_PROXY": "127.0.0.1",
                    "no_proxy": "127.0.0.1",
                    **settings,
                },
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def __enter__(self) -> Ui:
        try:
            self.wait(self._is_up, "the UI to answer")
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        self.end()

    def _is_up(self) -> bool:
        assert self.process.poll() is None, f"it ended: {self.log.read_text()[-3000:]}"
        try:
            response = self.ask(
                "{ workspaceOrError { ... on Workspace { locationEntries { loadStatus "
                "locationOrLoadError { __typename } } } } }"
            )
        except OSError:
            return False
        entries = response["workspaceOrError"].get("locationEntries", [])
        kinds = [(e["loadStatus"], (e["locationOrLoadError"] or {}).get("__typename")) for e in entries]
        assert ("LOADED", "PythonError") not in kinds, self.log.read_text()[-3000:]
        return kinds == [("LOADED", "RepositoryLocation")]

    def ask(self, query: str, **variables: object) -> dict:
        request = urllib.request.Request(
            f"{self.url}/graphql",
            json.dumps({"query": query, "variables": variables}).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as answer:
            response = json.load(answer)
        assert not response.get("errors"), response["errors"]
        return response["data"]

    def wait(self, condition, what: str):
        """Wait until a condition is true, and return its value."""
        end = time.monotonic() + self.timeout
        while time.monotonic() < end:
            if value := condition():
                return value
            time.sleep(0.5)
        raise AssertionError(f"waited {self.timeout:g} s for {what}: {self.log.read_text()[-3000:]}")

    def processes(self) -> list[psutil.Process]:
        """Return all processes started here, including runs, which inherit the data root."""
        processes = []
        for process in psutil.process_iter():
            try:
                if process.pid != os.getpid() and process.environ().get("ACCELMART_HOME") == str(self.home):
                    processes.append(process)
            except psutil.Error:
                continue
        return processes

    def kill(self) -> None:
        """SIGKILL for every process at once, as in a power cut."""
        for _ in range(3):  # a process may start another one meanwhile
            mine = self.processes()
            for process in mine:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.kill()
            psutil.wait_procs(mine, timeout=10)
        self.process.wait(timeout=10)

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=15)
        self.kill()

    # --- actions of a user --------------------------------------------------------------------------------

    def add_partition(self, name: str, key: str) -> None:
        response = self.ask(
            "mutation($r: RepositorySelector!, $n: String!, $k: String!) {"
            " addDynamicPartition(repositorySelector: $r, partitionsDefName: $n, partitionKey: $k)"
            " { __typename } }",
            r=self._selector(), n=name, k=key,
        )  # fmt: skip
        # the sensor that registers landed and bundled rounds may have been first
        done = response["addDynamicPartition"]["__typename"]
        assert done in ("AddDynamicPartitionSuccess", "DuplicateDynamicPartitionError"), done

    def launch(self, keys: list[list[str]], config: dict | None = None, partition: str | None = None) -> str:
        """Materialise assets, and return the id of the run."""
        tags = [{"key": "dagster/partition", "value": partition}] if partition else []
        response = self.ask(
            "mutation($p: ExecutionParams!) { launchPipelineExecution(executionParams: $p) {"
            " __typename ... on LaunchRunSuccess { run { runId } } ... on PythonError { message }"
            " ... on RunConfigValidationInvalid { errors { message } } } }",
            p={
                "selector": {
                    **self._selector(),
                    "pipelineName": "__ASSET_JOB",
                    "assetSelection": [{"path": key} for key in keys],
                },
                "runConfigData": config or {},
                "executionMetadata": {"tags": tags},
                "mode": "default",
            },
        )["launchPipelineExecution"]
        assert response["__typename"] == "LaunchRunSuccess", response
        return response["run"]["runId"]

    def runs(self, job: str | None = None, limit: int = 500) -> list[dict]:
        """Return runs, newest first."""
        response = self.ask(
            "query($f: RunsFilter, $n: Int) { runsOrError(filter: $f, limit: $n) { ... on Runs { results {"
            " runId jobName status tags { key value } assetSelection { path } } } } }",
            f={"pipelineName": job} if job else {},
            n=limit,
        )
        return response["runsOrError"]["results"]

    def run_ended(self, run_id: str) -> str:
        """Wait for the end of a run, and return its status."""

        def ended():
            status = self.ask("query($r: ID!) { runOrError(runId: $r) { ... on Run { status } } }", r=run_id)[
                "runOrError"
            ]["status"]
            return status if status in ("SUCCESS", "FAILURE", "CANCELED") else None

        return self.wait(ended, f"run {run_id} to end")

    def ticks(self, name: str, kind: str = "sensor", limit: int = 1000) -> list[dict]:
        """Return the ticks of a sensor or schedule, newest first."""
        selector = {**self._selector(), f"{kind}Name": name}
        body = (
            f"{{ ticks(limit: {limit})"
            " { status skipReason timestamp runIds error { message causes { message } } } }"
        )
        if kind == "sensor":
            query = (
                f"query($s: SensorSelector!) {{ sensorOrError(sensorSelector: $s) {{ ... on Sensor "
                f"{{ sensorState {body} }} }} }}"
            )
            return self.ask(query, s=selector)["sensorOrError"]["sensorState"]["ticks"]
        query = (
            f"query($s: ScheduleSelector!) {{ scheduleOrError(scheduleSelector: $s) {{ ... on Schedule "
            f"{{ scheduleState {body} }} }} }}"
        )
        return self.ask(query, s=selector)["scheduleOrError"]["scheduleState"]["ticks"]

    @staticmethod
    def _selector() -> dict[str, str]:
        return {
            "repositoryLocationName": "orchestration.definitions",
            "repositoryName": "__repository__",
        }
