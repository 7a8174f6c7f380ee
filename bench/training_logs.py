"""Compare MLCommons' summarizer on an unpacked training release with our parser on its tarball.

Run: python bench/training_logs.py <training_results_v5.0.tar.gz> [v5.0]. Each runs in a separate process, one after the
other; memory is the peak resident set size. Unpacking, which the summarizer needs, is not counted.
"""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOLERANCE = 1e-6
OURS = """
import json, resource, sys
from pathlib import Path
from ingest.core.archive import iter_tarball
from ingest.mlperf.training import parse_training_tree
from ingest.mlperf.training_layout import PATTERNS
tree = parse_training_tree(iter_tarball(Path(sys.argv[1]), PATTERNS), release=sys.argv[2])
rows = [(r.location, r.minutes, r.energy_official_j) for r in tree.results.rows]
print(json.dumps({"rows": rows, "blocks_written": resource.getrusage(resource.RUSAGE_SELF).ru_oublock}))
"""


def measure(command: list[str], folder: Path) -> tuple[float, float, str]:
    """Return (seconds, peak MB, output) of one process."""
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
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"{' '.join(command)[:120]} failed with {process.returncode}")
        output.seek(0)
        return seconds, usage.ru_maxrss / 1024, output.read().decode(errors="replace")


def official_rows(table: Path) -> dict[str, tuple[float, float | None]]:
    """Return location of each result → (minutes, joules) of the summarizer's detailed table."""
    out = {}
    with table.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            submitter, system = re.findall(r"/main/(.*)/systems/(.*)\.json$", row["details_url"])[0]
            for column, value in row.items():
                if value and column.endswith(":time_to_train"):
                    benchmark = column.split(":")[0]
                    energy = row[f"{benchmark}:Energy"]
                    out[f"{submitter}/results/{system}/{benchmark}"] = (
                        float(value),
                        float(energy) if energy else None,
                    )
    return out


def main() -> None:
    """Print times, memory and agreement."""
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    tarball = Path(sys.argv[1]).resolve()
    release = sys.argv[2] if len(sys.argv) > 2 else re.findall(r"v\d+\.\d+", tarball.name)[-1]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.unpack_archive(tarball, folder)
        (tree,) = [path for path in folder.iterdir() if path.is_dir()]
        # the table takes the submitter from the system file, which may differ from the folder
        folders = {
            f"{json.loads(path.read_text('utf-8', 'replace'))['submitter']}/results/{path.stem}": (
                f"{path.parts[-3]}/results/{path.stem}"
            )
            for path in tree.glob("*/systems/*.json")
        }
        arguments = [f"{tree}/{{*}}", "training", f"{release[1:]}.0", "--csv", str(folder / "official.csv")]
        official = [sys.executable, "-m", "mlperf_logging.result_summarizer", *arguments]
        their_s, their_mb, _ = measure(official, folder)
        our_s, our_mb, printed = measure([sys.executable, "-c", OURS, str(tarball), release], folder)
        theirs = {}
        for location, values in official_rows(folder / "official_detailed.csv").items():
            system, benchmark = location.rsplit("/", 1)
            theirs[f"{folders[system]}/{benchmark}"] = values
    report = json.loads(printed)
    ours = {
        location: (minutes, energy) for location, minutes, energy in report["rows"] if minutes is not None
    }
    same = sum(
        key in ours and abs(ours[key][0] / minutes - 1) <= TOLERANCE for key, (minutes, _) in theirs.items()
    )
    powered = {key: energy for key, (_, energy) in theirs.items() if energy is not None}
    same_j = sum(
        abs((ours[key][1] or 0) / joules - 1) <= TOLERANCE for key, joules in powered.items() if key in ours
    )
    print(f"{release}, {len(os.sched_getaffinity(0))} cores")
    print(f"official summarizer {their_s:7.2f} s  {their_mb:5.0f} MB peak")
    print(
        f"this parser         {our_s:7.2f} s  {our_mb:5.0f} MB peak  {report['blocks_written']} blocks written"
    )
    print(f"ratio               {their_s / our_s:7.1f}")
    print(
        f"scores equal to {TOLERANCE:g}: {same} of {len(theirs)}; only ours: {len(ours.keys() - theirs.keys())}"
    )
    print(f"energies equal to {TOLERANCE:g}: {same_j} of {len(powered)}")
    if same != len(theirs) or same_j != len(powered):
        sys.exit("they disagree")


if __name__ == "__main__":
    main()
