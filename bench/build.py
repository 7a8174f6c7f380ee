"""Wall time and peak memory of `accelmart build`: cold, forced, and without new inputs, on a new data root.

Run: python bench/build.py. Memory is the sum over the process and its children, sampled ten times per second, as
proportional set size if available (shared pages counted once).
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

ACCELMART = Path(sys.executable).with_name("accelmart")


def _bytes_of(process: psutil.Process) -> int:
    try:
        full = process.memory_full_info()
        return getattr(full, "pss", 0) or full.rss
    except psutil.Error:
        return 0


def measure(home: str, *arguments: str) -> tuple[float, float]:
    """Return (seconds, peak MB) of one command."""
    started = time.perf_counter()
    peak = 0
    with subprocess.Popen(
        [ACCELMART, *arguments], env={**os.environ, "ACCELMART_HOME": home}, stdout=subprocess.DEVNULL
    ) as command:
        watched = psutil.Process(command.pid)
        while command.poll() is None:
            try:
                family = [watched, *watched.children(recursive=True)]
            except psutil.Error:
                break
            peak = max(peak, sum(_bytes_of(p) for p in family))
            time.sleep(0.1)
    if command.returncode:
        sys.exit(f"accelmart {' '.join(arguments)} failed with {command.returncode}")
    return time.perf_counter() - started, peak / 1e6


def main() -> None:
    """Print one line per case."""
    with tempfile.TemporaryDirectory() as home:
        print(f"{psutil.cpu_count()} cores")
        for name, arguments in (
            ("first build", ("build",)),
            ("second build, nothing new", ("build",)),
            ("forced build", ("build", "--force")),
            ("query", ("sql", "select count(*) from fct_inference_result")),
        ):
            seconds, peak = measure(home, *arguments)
            print(f"{name:26} {seconds:6.1f} s  {peak:6.0f} MB peak")


if __name__ == "__main__":
    main()
