"""All models of prices at 1, 10 and 100 times the price changes of the bundled snapshot: CPU time and rows.

Run: python bench/price_models.py [--times 1 10 100] [--keep DIR]. Every moment of a price list becomes so many, a
minute apart, each with a price of its own: the days, offers and sellers of the snapshot, and so many times the
intervals. dbt builds the snapshot once; then its SQL of the models in the folders `prices`, from parsed lists to
marts, runs in the order of its graph, in a process of its own for each number, with the settings of a build.

Exit code 1: the models together take more than 120 times the CPU time for 100 times the moments.
"""

import argparse
import importlib.util
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

import duckdb
import yaml

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from warehouse.build.folder import link_project  # noqa: E402
from warehouse.storage.home import SNAPSHOT_DIR  # noqa: E402

RATIO_MAX = 1.2
TIMES = [1, 10, 100]
MOMENTS = "(select unnest(range({times})) as k)"
# raw table → its rows, k minutes later; polls keep the order of time
LATER = {
    "price_offers": "select * replace (price * (1 + k / 10000) as price, observed_at + to_minutes(k) as observed_at)",
    "price_polls": "select * replace ((poll - 1) * {times} + k + 1 as poll, polled_at + to_minutes(k) as polled_at)",
    "price_observations": "select * replace ("
    "(first_poll - 1) * {times} + k * (last_poll - first_poll + 1) + 1 as first_poll, "
    "(first_poll - 1) * {times} + (k + 1) * (last_poll - first_poll + 1) as last_poll, "
    "observation * {times} + k as observation, observed_at + to_minutes(k) as observed_at)",
}


def repeat(raw: Path, times: int) -> None:
    """Write raw tables in which every price was seen so many times, each time with another price."""
    with duckdb.connect() as db:
        for table, rows in LATER.items():
            source = f"read_parquet('{SNAPSHOT_DIR}/{table}/*.parquet', union_by_name = true)"
            shutil.rmtree(raw / table)
            (raw / table).mkdir()
            db.execute(
                f"copy ({rows.format(times=times)} from {source} cross join {MOMENTS.format(times=times)}) "
                f"to '{raw / table / 'all.parquet'}' (format parquet, compression zstd)"
            )


def build(folder: Path) -> Path:
    """Build the warehouse of the snapshot, without tests, and return the folder of the dbt project."""
    project = link_project(folder)
    shutil.copytree(SNAPSHOT_DIR, folder / "warehouse" / "snapshot")
    dbt = [str(Path(sys.executable).with_name("dbt")), "build", "--quiet"]
    exclude = ["--exclude-resource-type", "test", "--exclude-resource-type", "unit_test"]
    subprocess.run([*dbt, *exclude], check=True, cwd=project)
    return project


def models(project: Path) -> list[dict]:
    """Return dbt's nodes of the price tables, each after those it reads."""
    manifest = json.loads((project / "target" / "manifest.json").read_text())
    nodes = {
        name: node
        for name, node in manifest["nodes"].items()
        if node["resource_type"] == "model"
        and Path(node["path"]).parts[1] == "prices"
        and Path(node["path"]).parts[0] != "staging"
    }
    ordered: dict[str, dict] = {}

    def add(name: str) -> None:
        for parent in nodes[name]["depends_on"]["nodes"]:
            if parent in nodes:
                add(parent)
        ordered.setdefault(name, nodes[name])

    for name in nodes:
        add(name)
    return [node for node in ordered.values() if node["config"]["materialized"] == "table"]


def run_models(project: Path) -> dict:
    """Make the tables again, and return CPU seconds by table, and the number of intervals."""
    profile = yaml.safe_load((project / "profiles.yml").read_text())["accelmart"]["outputs"]["dev"]
    spent = {}
    with duckdb.connect(str(project / profile["path"]), config=profile["config_options"]) as db:
        db.execute("set timezone = 'UTC'")
        db.execute(f"set threads = {profile['threads']}")
        for name, value in profile["settings"].items():
            db.execute(f"set {name} = '{project / value if name == 'file_search_path' else value}'")
        db.execute("create or replace view stg_prices__polls as from staging.stg_prices__polls")
        for node in models(project):
            started = time.process_time()
            if node["language"] == "python":
                spec = importlib.util.spec_from_file_location(
                    node["name"], project / node["original_file_path"]
                )
                module = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(module)
                frame = module.model(SimpleNamespace(ref=lambda name: db.table(f"intermediate.{name}")), db)
                db.register("frame", frame)
                made = "frame"
            else:
                compiled = project / "target" / "compiled" / node["package_name"] / node["original_file_path"]
                made = f"({compiled.read_text()})"
            db.execute(f"create or replace table {node['relation_name']} as from {made}")
            spent[node["name"]] = time.process_time() - started
        ((n,),) = db.execute("select count(*) from fct_price_interval").fetchall()
    return {"intervals": n, "cpu_s": spent}


def measure(folder: Path, times: list[int]) -> list[str]:
    """Measure, print, and return the failed expectations."""
    project = build(folder)
    results = []
    for n in times:
        repeat(folder / "warehouse" / "snapshot", n)
        polls = f"from read_parquet('{folder}/warehouse/snapshot/price_polls/*.parquet')"
        with duckdb.connect(str(project / "target" / "dev.duckdb")) as db:
            db.execute(f"create or replace table staging.stg_prices__polls as {polls}")
        done = subprocess.run(
            [sys.executable, __file__, "--run", str(project)], check=True, capture_output=True, text=True
        )
        results.append(json.loads(done.stdout))
    names = list(results[0]["cpu_s"])
    print(f"{'CPU seconds':32}" + "".join(f"{n:>12} ×" for n in times))
    for name in sorted(names, key=lambda name: -results[-1]["cpu_s"][name]):
        print(f"{name:32}" + "".join(f"{r['cpu_s'][name]:12.2f}  " for r in results))
    totals = [sum(r["cpu_s"].values()) for r in results]
    print(f"{'all':32}" + "".join(f"{total:12.2f}  " for total in totals))
    print(f"{'intervals':32}" + "".join(f"{r['intervals']:12,}  " for r in results))
    ratio = totals[-1] / totals[0]
    most = RATIO_MAX * times[-1] / times[0]
    print(
        f"{ratio:.1f} times the CPU time for {times[-1] / times[0]:.0f} times the moments (at most {most:.0f})"
    )
    return [f"all price models take {ratio:.1f} times the CPU time"] if ratio > most else []


def main() -> None:
    """Measure all, print, compare."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--times", type=int, nargs="+", default=TIMES)
    arguments.add_argument("--keep", type=Path, help="folder of the builds, kept")
    arguments.add_argument("--run", type=Path, help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.run:
        print(json.dumps(run_models(given.run)))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = given.keep or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        wrong = measure(folder.resolve(), given.times)
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
