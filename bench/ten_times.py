"""Ten times the inference results: CPU time of dbt, and size of the file that it builds.

Run: python bench/ten_times.py [--times 10] [--keep DIR]. The results of the bundled snapshot are repeated under further
systems, submission ids and payload hashes, so that every key stays unique. dbt then builds all seeds and models into a
new file, without tests. CPU time is that of the dbt process with its start, which takes 6 s without any data.

Exit code 1: the file is larger than 150 MB, models cost more than 25 CPU seconds more than with the snapshot as it is,
or results are lost.
"""

import argparse
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb

from warehouse.build.folder import link_project
from warehouse.storage.home import SNAPSHOT_DIR

CPU_S_MAX = 25
MB_MAX = 150
# columns that tell one copy of a row from another, by raw table
KEYS = {
    "mlperf_inference_results": ("platform", "submission_id_published", "location", "payload_sha256"),
    "mlperf_inference_rejects": ("payload_sha256",),
    "mlperf_inference_reconciliation": ("payload_sha256",),
}


def repeat(raw: Path, times: int) -> None:
    """Write further copies of all inference results beside the first."""
    with duckdb.connect() as db:
        for table, keys in KEYS.items():
            for path in sorted((raw / table).glob("*.parquet")):
                for copy in range(1, times):
                    columns = ", ".join(f"{key} || '-{copy}' as {key}" for key in keys)
                    target = path.with_name(f"{path.stem}__copy{copy}.parquet")
                    db.execute(
                        f"copy (select * replace ({columns}) from read_parquet('{path}')) to '{target}' "
                        "(format parquet, compression zstd)"
                    )


def build(project: Path) -> float:
    """Build all seeds and models; return CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    dbt = [str(Path(sys.executable).with_name("dbt")), "build", "--quiet"]
    subprocess.run(
        [*dbt, "--exclude-resource-type", "test", "--exclude-resource-type", "unit_test"],
        check=True,
        cwd=project,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(folder: Path, times: int) -> tuple[float, float, int]:
    """Return (CPU seconds, MB of the file, inference results) of a build with so many copies."""
    place = folder / f"times_{times}"
    project = link_project(place)
    raw = place / "warehouse" / "snapshot"
    shutil.copytree(SNAPSHOT_DIR, raw)
    repeat(raw, times)
    cpu_s = build(project)
    database = project / "target" / "dev.duckdb"
    with duckdb.connect(str(database)) as db:
        db.execute("checkpoint")
        ((rows,),) = db.execute("select count(*) from main.fct_inference_result").fetchall()
    return cpu_s, database.stat().st_size / 1e6, rows


def main() -> None:
    """Measure both, print, compare."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--times", type=int, default=10)
    arguments.add_argument("--keep", type=Path, help="folder of the builds, kept")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = (given.keep or Path(name)).resolve()
        results = {}
        for times in (1, given.times):
            results[times] = measure(folder, times)
            cpu_s, mb, rows = results[times]
            print(f"{times:3} times: {rows:,} inference results, {cpu_s:.1f} CPU s, {mb:.0f} MB", flush=True)
    (cpu_s, _, rows), (cpu_s_more, mb, rows_more) = results[1], results[given.times]
    more = cpu_s_more - cpu_s
    print(f"{more:.1f} CPU s more (at most {CPU_S_MAX}), {mb:.0f} MB (at most {MB_MAX})")
    wrong = (
        [f"{rows_more} results instead of {rows * given.times}"] if rows_more != rows * given.times else []
    )
    wrong += [f"{more:.1f} CPU s more"] if more > CPU_S_MAX else []
    wrong += [f"{mb:.0f} MB"] if mb > MB_MAX else []
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
