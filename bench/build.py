"""Time, CPU and memory of builds and of commands that read, as a table: minimum, median and maximum.

Run: python bench/build.py [--runs 5]. Every case runs the installed command on data roots of its own. CPU is user and
system time of the command and all its processes; memory is the sum over them, sampled every second (in the first
second ten times; more often would slow them down), as proportional set size if available (shared pages counted once).
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[1]
PRICES = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,StorageGiB,Price,Region,GpuInfo,SpotPrice\n"
OFFER = "{count}x-H100,H100,{count},75,722,800,{price},default,,\n"
PUBLISHED = "Published generation"
COMMAND = "from accelmart.cli import main; main()"


@dataclass(frozen=True)
class Measured:
    """One run of a command: seconds on the clock, seconds of CPU, peak MB."""

    wall_s: float
    cpu_s: float
    mb: float


def _bytes_of(process: psutil.Process) -> int:
    try:
        full = process.memory_full_info()
        return getattr(full, "pss", 0) or full.rss
    except psutil.Error:
        return 0


def measure(home: Path, *arguments: str, checkout: Path = ROOT, says: str = "") -> Measured:
    """Run one command of a checkout on a data root; end the bench where it fails, or does not print these words."""
    started, before, peak = time.perf_counter(), os.times(), 0
    with subprocess.Popen(
        [sys.executable, "-c", COMMAND, *arguments],
        env={**os.environ, "ACCELMART_HOME": str(home), "PYTHONPATH": str(checkout)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=checkout,
    ) as command:
        watched = psutil.Process(command.pid)
        while command.poll() is None:
            try:
                family = [watched, *watched.children(recursive=True)]
            except psutil.Error:
                break
            peak = max(peak, sum(_bytes_of(p) for p in family))
            with suppress(subprocess.TimeoutExpired):
                command.wait(0.1 if time.perf_counter() < started + 1 else 1)
        words = command.stdout.read().decode() if command.stdout else ""
    if command.returncode or says not in words:
        sys.exit(f"accelmart {' '.join(arguments)} failed with {command.returncode}: {words}")
    wall, after = time.perf_counter() - started, os.times()
    cpu = sum(after[2:4]) - sum(before[2:4])
    return Measured(wall, cpu, peak / 1e6)


class Bench:
    """The cases. Each is called with the number of the run.

    Args:
        folder: where data roots and a copy of the checkout go.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.home, self.copy = folder, folder / "home", folder / "checkout"
        ignored = shutil.ignore_patterns(".venv", ".git", "data", "__pycache__", ".*_cache")
        shutil.copytree(ROOT, self.copy, ignore=ignored, symlinks=True)

    def first(self, run: int) -> Measured:
        """Build in an empty data root."""
        shutil.rmtree(self.home, ignore_errors=True)
        return measure(self.home, "build", says=PUBLISHED)

    def nothing_new(self, run: int) -> Measured:
        """Build again."""
        return measure(self.home, "build", says="Nothing new")

    def price(self, run: int) -> Measured:
        """Build after one price list changed."""
        catalog = self.folder / "vms.csv"
        offers = (OFFER.format(count=count, price=count * (1.2 + run / 100)) for count in (1, 2, 3))
        catalog.write_text(PRICES + "".join(offers), encoding="utf-8")
        measure(self.home, "fetch", "skypilot-catalog", "--key", "hyperbolic", "--from", str(catalog))
        return measure(self.home, "build", says=PUBLISHED)

    def seed(self, run: int) -> Measured:
        """Build after one line was added to a seed that many models read."""
        return self._edited(
            "dbt_project/seeds/cloud_regions.csv", f"nebius,bench{run},FI,fixed,Bench,https://nebius.com,\n"
        )

    def model(self, run: int) -> Measured:
        """Build after a model in the middle was edited."""
        return self._edited("dbt_project/models/intermediate/prices/int_price__current.sql", f"\n-- {run}\n")

    def _edited(self, path: str, text: str) -> Measured:
        with (self.copy / path).open("a", encoding="utf-8") as file:
            file.write(text)
        return measure(self.home, "build", checkout=self.copy, says=PUBLISHED)

    def forced(self, run: int) -> Measured:
        """Build everything again."""
        return measure(self.home, "build", "--force", says=PUBLISHED)

    def sql(self, run: int) -> Measured:
        """Count the results."""
        return measure(self.home, "sql", "select count(*) from fct_inference_result")

    def rank(self, run: int) -> Measured:
        """Rank accelerators by cost."""
        return measure(self.home, "rank", "--model", "llama3.1-405b")


def spread(values: list[float], digits: int) -> str:
    """Minimum, median and maximum."""
    return " / ".join(f"{v:.{digits}f}" for v in (min(values), statistics.median(values), max(values)))


def main() -> None:
    """Print a Markdown table, one row per case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(Path(name))
        cases: dict[str, Callable[[int], Measured]] = {
            "first build": bench.first,
            "nothing new": bench.nothing_new,
            "build after one price list changed": bench.price,
            "build after a line was added to a seed": bench.seed,
            "build after a model was edited": bench.model,
            "build of everything": bench.forced,
            "`accelmart sql`": bench.sql,
            "`accelmart rank`": bench.rank,
        }
        print(f"{psutil.cpu_count()} cores, {runs} runs: minimum / median / maximum\n")
        print("| case | seconds | CPU seconds | peak MB |\n| --- | --- | --- | --- |")
        for case, run in cases.items():
            measured = [run(number) for number in range(runs)]
            print(
                f"| {case} | {spread([m.wall_s for m in measured], 2)} | {spread([m.cpu_s for m in measured], 2)} "
                f"| {spread([m.mb for m in measured], 0)} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
