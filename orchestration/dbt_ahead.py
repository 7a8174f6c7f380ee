"""dbt's process, started while Dagster starts: each takes seconds to import, and a machine has more than one core.

The process imports dbt, loads the project, which it parses where that has not been done, and waits for its command.
"""

from __future__ import annotations

import fcntl
import gc
import io
import json
import os
import shutil
import subprocess
import sys
import time
from contextlib import redirect_stdout, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from filelock import FileLock

from ingest.core.process import end_process
from orchestration.dbt_state import LOCK, PARSED, is_current, unpack, write_stamp
from warehouse.build import PROJECT_VARIABLE
from warehouse.fingerprint import dbt_rules
from warehouse.home import DBT_PROJECT_DIR, Home

# as dagster-dbt sets them for the processes that it starts
_ENVIRONMENT = {
    "DAGSTER_DBT_CLI": "true",
    "DBT_LOG_FORMAT": "json",
    "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
    "PYTHONUNBUFFERED": "1",
}
# dbt goes on before its events are read: a pipe of the usual size would hold those of a few models
_PIPE_BYTES = 1 << 20
# folders in which dbt loads the project, which takes seconds
_LOADING, _LOADING_S = ".loading-", 600
_waiting: list[subprocess.Popen[bytes]] = []


def start(home: Home) -> None:
    """Start a process that imports dbt. It ends by itself when this one does, or when nobody needs it (`end_waiting`).

    Args:
        home: whose warehouse is to be built; a build that is killed leaves the process to `warehouse.build.sweep`.
    """
    if not _waiting:
        process = subprocess.Popen(
            [sys.executable, "-m", "orchestration.dbt_ahead", str(home.dbt_target)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, **_ENVIRONMENT, PROJECT_VARIABLE: str(home.builds / "next")},
        )
        _waiting.append(process)
        assert process.stdout
        with suppress(AttributeError, OSError):  # where the system allows it
            fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


def run(home: Home, arguments: list[str], project: Path) -> subprocess.Popen[bytes]:
    """Let dbt carry out a command: the process that waits, or another one where that has ended.

    Args:
        home: whose warehouse is built; holds the parsed project.
        arguments: of dbt's command line.
        project: folder of the project, in which dbt works.

    Returns:
        The process, which writes its events to standard output and ends with dbt's exit code.

    Raises:
        OSError: dbt's process cannot be started.
    """
    if not any(process.poll() is None for process in _waiting):
        end_waiting()
        start(home)
    process = _waiting.pop()
    command = {"arguments": arguments, "project": str(project), "rules": dbt_rules()}
    assert process.stdin
    process.stdin.write(json.dumps(command).encode() + b"\n")
    process.stdin.flush()
    process.args = ["dbt", *arguments]
    return process


def end_waiting() -> None:
    """End the process that waits, if no command was given to it."""
    while _waiting:
        end(_waiting.pop())


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and wait for its end."""
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream:
            with suppress(OSError):  # what was not sent is lost
                stream.close()


def _wait(target: Path) -> None:
    """Import dbt, load the project, carry out a command and end with its exit code; or end with standard input."""
    gc.disable()  # from the start; `orchestration.dbt_plugin` does it for every dbt, when that opens the database
    from orchestration.dbt_internals import leave_out_unread

    leave_out_unread()
    rules, manifest = _loaded(target)
    line = sys.stdin.readline()
    if not line:
        return
    command = json.loads(line)
    if command["rules"] != rules:
        _, manifest = _loaded(target)
    from dbt.cli.main import dbtRunner

    os.chdir(command["project"])
    os.environ[PROJECT_VARIABLE] = command["project"]
    done = dbtRunner(manifest).invoke(command["arguments"])
    if done.exception:
        print(done.exception)
    end_process(0 if done.success else 1 if done.exception is None else 2)


def _loaded(target: Path) -> tuple[str, Any]:
    """Return the fingerprint of the project, and dbt's manifest of it; None where the project does not parse.

    What is not parsed yet is parsed into dbt's folder; `orchestration.resources.manifest` waits for it.
    """
    rules = dbt_rules()
    target.mkdir(parents=True, exist_ok=True)
    with FileLock(target / LOCK):
        if not is_current(target) and not unpack(target):
            manifest = _parsed(target)
            if manifest:
                write_stamp(target)
            return rules, manifest
    for left in target.glob(f"{_LOADING}*"):
        if left.stat().st_mtime < time.time() - _LOADING_S:  # of a process that was killed while it loaded
            shutil.rmtree(left, ignore_errors=True)
    with TemporaryDirectory(prefix=_LOADING, dir=target) as folder:
        shutil.copy2(target / PARSED, folder)
        return rules, _parsed(Path(folder), "--no-write-json")


def _parsed(folder: Path, *options: str) -> Any:
    import dbt.task.build  # noqa: F401  what the command line imports only then
    from dbt.cli.main import dbtRunner

    places = ("--project-dir", str(DBT_PROJECT_DIR), "--profiles-dir", str(DBT_PROJECT_DIR))
    outputs = ("--target-path", str(folder), "--log-path", str(folder), *options)
    with redirect_stdout(
        io.StringIO()
    ):  # `orchestration.resources.manifest` reports what is wrong with the project
        return dbtRunner().invoke(["--log-level-file", "none", "parse", *places, *outputs]).result


if __name__ == "__main__":
    _wait(Path(sys.argv[1]))
