"""Start the real `accelmart ui` on a free port, query it over GraphQL, and end all its processes."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil
import requests

from ingest.core.cadence import SCHEDULED

ACCELMART = Path(sys.executable).with_name("accelmart")
QUIET = {"ACCELMART_SCHEDULES": "; ".join(f"{cadence.name}=off" for cadence in SCHEDULED)}
_SELECTOR = {"repositoryLocationName": "orchestration.definitions", "repositoryName": "__repository__"}


class Ui:
    """Webserver, daemon and code server of one data root.

    Args:
        home: the data root.
        settings: further environment variables.
        timeout: limit of each wait, in seconds.
    """

    def __init__(self, home: Path, settings: dict[str, str], timeout: float = 600) -> None:
        self.home, self.timeout = home, timeout
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        ours = ("ACCELMART_", "DAGSTER_", "DBT_", "GITHUB_")
        clean = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        here = {"ACCELMART_HOME": str(home), "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
        self.log = home.with_name(f"{home.name}.ui.log")
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                [ACCELMART, "ui", "--port", str(port)],
                env=clean | here | settings,
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
        with requests.Session() as session:
            session.trust_env = False  # no proxy
            body = {"query": query, "variables": variables}
            response = session.post(f"{self.url}/graphql", json=body, timeout=60).json()
        assert not response.get("errors"), response["errors"]
        return response["data"]

    def wait(self, condition, what: str):
        """Wait until a condition is true, and return its value."""
        end = time.monotonic() + self.timeout
        while time.monotonic() < end:
            if value := condition():
                return value
            time.sleep(0.5)
        raise AssertionError(f"waited in vain for {what}: {self.log.read_text()[-3000:]}")

    def processes(self) -> list[psutil.Process]:
        """Return all processes started here, including runs, which inherit the data root."""
        mine = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if process.pid != os.getpid() and process.environ().get("ACCELMART_HOME") == str(self.home):
                    mine.append(process)
        return mine

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

    def add_partition(self, name: str, key: str) -> None:
        response = self.ask(
            "mutation($r: RepositorySelector!, $n: String!, $k: String!) {"
            " addDynamicPartition(repositorySelector: $r, partitionsDefName: $n, partitionKey: $k)"
            " { __typename } }",
            r=_SELECTOR,
            n=name,
            k=key,
        )
        # the sensor that registers landed and bundled rounds may have been first
        done = response["addDynamicPartition"]["__typename"]
        assert done in ("AddDynamicPartitionSuccess", "DuplicateDynamicPartitionError"), done

    def launch(self, key: list[str], config: dict | None = None, partition: str | None = None) -> str:
        """Materialise an asset, and return the id of the run."""
        selector = {**_SELECTOR, "pipelineName": "__ASSET_JOB", "assetSelection": [{"path": key}]}
        tags = [{"key": "dagster/partition", "value": partition}] if partition else []
        run = {"runConfigData": config or {}, "executionMetadata": {"tags": tags}, "mode": "default"}
        response = self.ask(
            "mutation($p: ExecutionParams!) { launchPipelineExecution(executionParams: $p) {"
            " __typename ... on LaunchRunSuccess { run { runId } } ... on PythonError { message }"
            " ... on RunConfigValidationInvalid { errors { message } } } }",
            p={"selector": selector, **run},
        )["launchPipelineExecution"]
        assert response["__typename"] == "LaunchRunSuccess", response
        return response["run"]["runId"]

    def runs(self, job: str | None = None, limit: int = 500) -> list[dict]:
        """Return runs, newest first."""
        response = self.ask(
            "query($f: RunsFilter, $n: Int) { runsOrError(filter: $f, limit: $n) { ... on Runs { results {"
            " runId status assetSelection { path } } } } }",
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

    def ticks(self, sensor: str, limit: int = 1000) -> list[dict]:
        """Return the ticks of a sensor, newest first."""
        response = self.ask(
            "query($s: SensorSelector!, $n: Int) { sensorOrError(sensorSelector: $s) { ... on Sensor { sensorState {"
            " ticks(limit: $n) { status skipReason timestamp error { message } } } } } }",
            s={**_SELECTOR, "sensorName": sensor},
            n=limit,
        )
        return response["sensorOrError"]["sensorState"]["ticks"]
