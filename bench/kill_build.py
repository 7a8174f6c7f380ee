"""Kill `accelmart build` with SIGKILL at random moments; the next command must make everything whole again.

Run: python bench/kill_build.py [times=30] [seed]. Every third kill is after dbt has ended, between then and the
publication or its outputs. After each kill the published file is read, `accelmart build` runs once more, and then
every output is that of the published generation, nothing is left over and no process of the data root runs.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

from warehouse.outputs.repair import behind
from warehouse.publication.pointer import publication
from warehouse.storage.home import Home

ACCELMART = Path(sys.executable).with_name("accelmart")
ASK = (
    "import duckdb, sys; print(*duckdb.connect(sys.argv[1], read_only=True).execute("
    "'select generation_id, (select count(*) from fct_inference_result) from ops_generation').fetchone())"
)
AFTER_DBT_S = 5.0
"""About the time from dbt's end to the end of the command."""


def ask(path: Path) -> list[str]:
    """Return generation and number of rows, read by a new process."""
    done = subprocess.run([sys.executable, "-c", ASK, str(path)], capture_output=True, text=True, check=True)
    return done.stdout.split()


def run_build(environment: dict[str, str], *options: str) -> None:
    """Run a build to its end."""
    subprocess.run([ACCELMART, "build", *options], env=environment, check=True, stdout=subprocess.DEVNULL)


def kill_one(home: Home, environment: dict[str, str], seconds: float, *, is_after_dbt: bool) -> str:
    """Start a build and kill it after so many seconds, or so many after dbt has ended; return what happened."""
    results = home.builds / "current" / "dbt" / "run_results.json"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([ACCELMART, "build", "--force"], env=environment, **quiet) as build:
        while is_after_dbt and build.poll() is None and not results.exists():
            time.sleep(0.01)
        try:
            build.wait(seconds)
            return "had ended"
        except subprocess.TimeoutExpired:
            build.send_signal(signal.SIGKILL)
            return "killed after dbt" if is_after_dbt else "killed"


def processes_of(home: Home) -> list[str]:
    """Return the command lines of processes that work on a data root."""
    commands = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("ACCELMART_HOME") == str(home.root):
                commands.append(" ".join(process.cmdline()))
        except psutil.Error:
            continue
    return commands


def main() -> None:
    """Print one line per kill, and the verdict; exit code 1 if anything was lost."""
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(10**6)
    moments = random.Random(seed)
    print(f"seed {seed}")
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder), f"{folder}/landing")
        environment = {**os.environ, "ACCELMART_HOME": folder}
        run_build(environment)
        started = time.perf_counter()
        run_build(environment, "--force")
        whole = time.perf_counter() - started
        _, rows = ask(home.published)
        killed, lost = 0, 0
        while killed < times:
            is_after_dbt = killed % 3 == 2
            seconds = moments.uniform(0, AFTER_DBT_S) if is_after_dbt else moments.uniform(0.2, whole)
            outcome = kill_one(home, environment, seconds, is_after_dbt=is_after_dbt)
            killed += outcome != "had ended"
            generation, n_rows = ask(home.published)
            run_build(environment)
            problems = [
                *([f"{n_rows} rows instead of {rows}"] if n_rows != rows else []),
                *(f"{output.name} is behind" for output in behind(home)),
                *(f"left over: {path.name}" for path in home.builds.glob("*")),
                *processes_of(home),
            ]
            lost += bool(problems)
            published = publication(home).generation.generation_id
            print(
                f"{killed:3} {outcome}, {seconds:.1f} s: {generation}, then {published} {problems}",
                flush=True,
            )
    print(f"{killed} kills, {lost} lost")
    sys.exit(1 if lost else 0)


if __name__ == "__main__":
    main()
