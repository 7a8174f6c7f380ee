"""Kill `accelmart build` with SIGKILL at random times; after each kill the published file must be readable.

Run: python bench/kill_build.py [times=20] [seed]. At the end one build must succeed and leave no temporary files.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ACCELMART = Path(sys.executable).with_name("accelmart")
ASK = (
    "import duckdb, sys; print(*duckdb.connect(sys.argv[1], read_only=True).execute("
    "'select generation_id, (select count(*) from fct_inference_result) from ops_generation').fetchone())"
)


def ask(path: Path) -> list[str]:
    """Return generation and number of rows, read by a new process."""
    done = subprocess.run([sys.executable, "-c", ASK, str(path)], capture_output=True, text=True, check=True)
    return done.stdout.split()


def main() -> None:
    """Print one line per kill, and the verdict."""
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(10**6)
    moments = random.Random(seed)
    print(f"seed {seed}")
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        environment = {**os.environ, "ACCELMART_HOME": folder}
        subprocess.run([ACCELMART, "build"], env=environment, check=True, stdout=subprocess.DEVNULL)
        started = time.perf_counter()
        subprocess.run(
            [ACCELMART, "build", "--force"], env=environment, check=True, stdout=subprocess.DEVNULL
        )
        whole = time.perf_counter() - started
        path = home / "accelmart.duckdb"
        before, rows = ask(path)
        killed = 0
        while killed < times:
            after = moments.uniform(0.2, whole)
            with subprocess.Popen(
                [ACCELMART, "build", "--force"],
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            ) as build:
                try:
                    build.wait(after)
                    outcome = "had ended"
                except subprocess.TimeoutExpired:
                    build.send_signal(signal.SIGKILL)
                    outcome = "killed"
                    killed += 1
            generation, n_rows = ask(path)
            if n_rows != rows:
                sys.exit(f"{n_rows} rows instead of {rows}")
            print(
                f"{killed:3} {outcome} after {after:5.1f} s: {generation} has {n_rows} rows",
                flush=True,
            )
        subprocess.run(
            [ACCELMART, "build", "--force"], env=environment, check=True, stdout=subprocess.DEVNULL
        )
        last, n_rows = ask(path)
        left = [p.name for p in (home / "builds").iterdir() if not p.is_symlink()]
        if n_rows != rows or last <= before or left:
            sys.exit(f"the next build failed: {last}, {n_rows} rows, left over: {left}")
        print(f"the next build succeeded: {last}; nothing left over")


if __name__ == "__main__":
    main()
