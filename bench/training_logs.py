"""Compare MLCommons' summarizer on unpacked training releases with our parser on their tarballs.

Run: python bench/training_logs.py [--runs 5] [--peer-runs 1] training_results_v5.1.tar.gz …

Each runs in a separate process, one after the other, ours both straight from the tarball and through the landing zone
(download the tarball, parse it, land it), of which each step is shown apart. CPU seconds are user and system time of
all its processes, memory is the peak resident set size of the largest one. Unpacking, which the summarizer needs, is
not counted. Of a release with files at which the summarizer stops, both read what is left, packed again; the whole is
read by ours alone. Exit code 1 when a score or an energy of the summarizer is not ours too.
"""

import argparse
import csv
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
TOLERANCE = 1e-6
PRINT = """
rows = [(r.location, r.minutes, r.energy_official_j) for r in results]
print(json.dumps(rows))
"""
STRAIGHT = """
import json, sys
from pathlib import Path
from ingest.core.trees import read_tarball
from ingest.mlperf.training import parse_training_tree
from ingest.mlperf.training_layout import PATTERNS
with open(sys.argv[1], "rb") as file:
    results = parse_training_tree(read_tarball(file, PATTERNS), release=sys.argv[2]).results.rows
"""
SETUP = """
import hashlib, json, sys, tempfile, time
from pathlib import Path
from accelmart.http import HttpClient
from ingest.core.fetch import Origin, download, fetch_payload
from ingest.core.landing import Landing
from ingest.core.payloads import parse
from ingest.mlperf.registry import MLPERF_SOURCES, MLPERF_TRAINING, TRAINING_RESULTS
source, folder = MLPERF_SOURCES[MLPERF_TRAINING], tempfile.TemporaryDirectory()
landing = Landing(folder.name)
wanted = Origin(key=sys.argv[2], place=sys.argv[1], checkouts=Path(folder.name))
"""
LANDED = (
    SETUP
    + """
_, parts = fetch_payload(landing, source, wanted, HttpClient())
(results,) = (part.parsed.rows for part in parts if part.dialect == TRAINING_RESULTS)
"""
)
STEPS = (
    SETUP
    + """
def lap(step):
    global before
    now = time.process_time()
    seconds[step], before = now - before, now
seconds, before = {}, time.process_time()
with download(landing, source, wanted, HttpClient()) as file:
    lap("download")
    parse(file)
    lap("parse")
    landing.store(file.blocks(), file.evidence)
    lap("land")
    blocks = [block for block in file.blocks()]
    lap("of which pack")
    digest = hashlib.sha256()
    for block in blocks:
        digest.update(block)
    lap("hash")
print(", ".join(f"{step} {used:.2f}" for step, used in seconds.items()))
"""
)
# files at which the summarizer stops
UNREADABLE = {"v0.7": ("Alibaba",), "v4.0": ("smc-*-power/results/*/*/power",)}
MISSPELT = {"v0.7": {"divison": "division", "number of nodes": "number_of_nodes"}}


class Use(NamedTuple):
    """What one process used: wall seconds, CPU seconds, peak MB."""

    wall: float
    cpu: float
    peak_mb: float


def measure(command: list[str], folder: Path) -> tuple[Use, str]:
    """Return what a process used and printed."""
    with (folder / "output").open("w+b") as output:
        started = time.perf_counter()
        process = subprocess.Popen(
            command,
            cwd=folder,
            stdout=output,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"{' '.join(command)[:120]} failed with {process.returncode}")
        output.seek(0)
        use = Use(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)
        return use, output.read().decode(errors="replace")


Rows = dict[str, tuple[float, float | None]]
"""Location of a result → (minutes, joules)."""


def official_rows(table: Path) -> Rows:
    """Return the results of the summarizer's detailed table."""
    out = {}
    with table.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            submitter, system = re.findall(r"/main/(.*)/systems/(.*)\.json$", row["details_url"])[0]
            for column, value in row.items():
                if value and column.endswith(":time_to_train"):
                    benchmark = column.split(":")[0]
                    energy = row.get(f"{benchmark}:Energy")
                    out[f"{submitter}/results/{system}/{benchmark}"] = (
                        float(value),
                        float(energy) if energy else None,
                    )
    return out


def unpack(tarball: Path, release: str, folder: Path) -> tuple[Path, Path]:
    """Unpack a release without, or with corrections of, what the summarizer stops at.

    Returns:
        The tree, and a tarball of it: the given one where there was nothing to change.
    """
    shutil.unpack_archive(tarball, folder)
    (tree,) = [path for path in folder.iterdir() if path.is_dir()]
    for pattern in UNREADABLE.get(release, ()):
        for path in [*tree.glob(pattern)]:
            shutil.rmtree(path)
        print(f"  left out for the summarizer: {pattern}")
    for wrong, right in MISSPELT.get(release, {}).items():
        for path in tree.glob("*/systems/*.json"):
            text = path.read_text("utf-8", "replace")
            path.write_text(text.replace(f'"{wrong}"', f'"{right}"'), "utf-8")
    if release in UNREADABLE or release in MISSPELT:
        tarball = Path(shutil.make_archive(str(folder / "readable"), "gztar", folder, tree.name))
    return tree, tarball


def official(tree: Path, release: str, runs: int) -> tuple[list[Use], Rows]:
    """Run the summarizer; return what it used and its results."""
    folder = tree.parent
    # the table takes the submitter from the system file: several folders may have the same
    folders = defaultdict(list)
    for path in tree.glob("*/systems/*.json"):
        submitter = json.loads(path.read_text("utf-8", "replace"))["submitter"]
        folders[f"{submitter}/results/{path.stem}"].append(f"{path.parts[-3]}/results/{path.stem}")
    table = str(folder / "official.csv")
    arguments = [f"{tree}/{{*}}", "training", f"{release[1:]}.0", "--csv", table]
    command = [sys.executable, "-m", "mlperf_logging.result_summarizer", *arguments]
    uses = [measure(command, folder)[0] for _ in range(runs)]
    rows = {}
    for location, values in official_rows(folder / "official_detailed.csv").items():
        system, benchmark = location.rsplit("/", 1)
        there = [folder for folder in folders[system] if (tree / folder / benchmark).is_dir()]
        if len(there) == 1:
            rows[f"{there[0]}/{benchmark}"] = values
        else:
            print(f"  not compared: {location}, of the folders {', '.join(there)}")
    return uses, rows


def ours(script: str, tarball: Path, release: str, runs: int) -> tuple[list[Use], Rows]:
    """Run our parser; return what it used and its results."""
    uses = []
    with tempfile.TemporaryDirectory() as name:
        for _ in range(runs):
            command = [sys.executable, "-c", script + PRINT, str(tarball), release]
            use, printed = measure(command, Path(name))
            uses.append(use)
    return uses, {row[0]: (row[1], row[2]) for row in json.loads(printed) if row[1] is not None}


def show(what: str, uses: list[Use], peer: list[Use] | None) -> None:
    """Print minimum, median and maximum of what the runs used, and how many times as much the peer used."""
    cells = []
    for name, unit, digits in (("wall", "s", 2), ("cpu", "s", 2), ("peak_mb", "MB", 0)):
        column = sorted(getattr(use, name) for use in uses)
        low, middle, high = column[0], statistics.median(column), column[-1]
        spread = f" ({low:.{digits}f} to {high:.{digits}f})" if len(column) > 1 else ""
        ratio = ""
        if peer and name != "peak_mb":
            ratio = f" [{statistics.median(getattr(use, name) for use in peer) / middle:.1f}x]"
        cells.append(f"{name} {middle:.{digits}f} {unit}{spread}{ratio}")
    print(f"  {what:<24} {'; '.join(cells)}", flush=True)


def disagreements(theirs: Rows, our: Rows) -> int:
    """Print how many scores and energies agree; return how many do not."""
    bad = [
        key
        for key, (minutes, _) in theirs.items()
        if key not in our or abs(our[key][0] / minutes - 1) > TOLERANCE
    ]
    powered = {key: joules for key, (_, joules) in theirs.items() if joules is not None and key in our}
    bad_j = [key for key, joules in powered.items() if abs((our[key][1] or 0) / joules - 1) > TOLERANCE]
    print(
        f"  scores equal to {TOLERANCE:g}: {len(theirs) - len(bad)} of {len(theirs)} "
        f"(only ours: {len(our.keys() - theirs.keys())}); energies: {len(powered) - len(bad_j)} of {len(powered)}"
    )
    for key in [*bad, *bad_j]:
        print(f"  {key}: {theirs[key]} there, {our.get(key)} here")
    return len(bad) + len(bad_j)


def main() -> None:
    """Print time, memory and agreement for each release."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tarballs", nargs="+", type=Path)
    parser.add_argument("--runs", type=int, default=5, help="of our parser, for each release and each way")
    parser.add_argument("--peer-runs", type=int, default=1, help="of the summarizer, for each release")
    options = parser.parse_args()
    print(f"{len(os.sched_getaffinity(0))} cores; median (minimum to maximum) of {options.runs} runs")
    bad = 0
    for tarball in map(Path.resolve, options.tarballs):
        release = re.findall(r"v\d+\.\d+", tarball.name)[-1]
        print(f"{release}: {tarball.name}")
        with tempfile.TemporaryDirectory() as folder:
            tree, readable = unpack(tarball, release, Path(folder))
            peer, theirs = official(tree, release, options.peer_runs)
            show("official summarizer", peer, None)
            for what, script in (("this parser", STRAIGHT), ("through the landing zone", LANDED)):
                uses, rows = ours(script, readable, release, options.runs)
                show(what, uses, peer)
                bad += disagreements(theirs, rows)
            command = [sys.executable, "-c", STEPS, str(readable), release]
            print(f"  its steps, CPU s: {measure(command, Path(folder))[1].strip()}")
        if readable != tarball:
            show("the whole, this parser", ours(STRAIGHT, tarball, release, options.runs)[0], None)
    if bad:
        sys.exit(f"{bad} figures disagree")


if __name__ == "__main__":
    main()
