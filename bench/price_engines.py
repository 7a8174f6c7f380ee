"""The same prices joined to intervals by DuckDB, Sail and any Spark Connect server: times, and every row compared.

Run: python bench/price_engines.py [--days 700] [--offers 30000] [--remote sc://host:port ...]. Needs the extra `dev`.
Sail is started by this script; for `--remote` see docs/reliability.md. Workers of Spark need
the temporary folder (TMPDIR) under the same path. Exit code 1: a row differs.
"""

import argparse
import json
import resource
import shutil
import sys
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path

import duckdb

sys.path.insert(0, str(Path(__file__).resolve().parent))

from price_history import generate, observed_in
from pysail.spark import SparkConnectServer

from warehouse.inputs.price_observations import write_observations
from warehouse.inputs.price_spark import PRICE_JOINED, SparkServer, create_observed, render_model
from warehouse.inputs.raw import PRICE_OFFERS


def main() -> None:
    """Print a Markdown table, a row for each engine."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=700)
    parser.add_argument("--offers", type=int, default=30_000)
    parser.add_argument("--remote", action="append", default=[], help="a Spark Connect server")
    given = parser.parse_args()
    sail = SparkConnectServer(ip="127.0.0.1", port=0)
    sail.start(background=True)
    host, port = sail.listening_address
    differing = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        # in a process of its own: the memory of this one is that of joining
        made = get_context("spawn").Process(target=generate, args=(folder, given.days, given.offers, 1))
        made.start()
        made.join()
        raw = folder / "raw"
        raw.mkdir()
        (raw / PRICE_OFFERS).symlink_to(folder / "history" / "raw" / PRICE_OFFERS)
        write_observations([observed_in(folder / "history")], raw)
        print("| engine | seconds | CPU s of this process | rows | rows that differ from DuckDB |")
        print("| --- | --- | --- | --- | --- |")
        with duckdb.connect() as db:
            create_observed(db, raw)
            started, cpu = time.perf_counter(), time.process_time()
            db.execute(f"create table ours as {render_model('int_price__joined', {})}")
            ((n,),) = db.execute("select count(*) from ours").fetchall()
            print(f"| DuckDB | {_since(started, cpu)} | {n:,} | |", flush=True)
            for url in (f"sc://{host}:{port}", *given.remote):
                shutil.rmtree(raw / PRICE_JOINED, ignore_errors=True)
                started, cpu = time.perf_counter(), time.process_time()
                SparkServer(url, folder / "exchange", observed_min=0).join(raw)
                taken = _since(started, cpu)
                columns = ", ".join(row[0] for row in db.execute("describe ours").fetchall())
                theirs = f"select {columns} from '{raw / PRICE_JOINED}/*.parquet'"
                ((found,),) = db.execute(
                    f"select count(*) from ((from ours except all {theirs}) union all ({theirs} except all from ours))"
                ).fetchall()
                differing += found
                print(f"| {url} | {taken} | {n:,} | {found:,} |", flush=True)
        observed = json.loads((folder / "tally.json").read_text())[0]["observations"]
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
        print(f"\n{observed:,} observations; peak of this process {peak:,.0f} MB")
    sail.stop()
    sys.exit(bool(differing))


def _since(started: float, cpu: float) -> str:
    return f"{time.perf_counter() - started:.1f} | {time.process_time() - cpu:.1f}"


if __name__ == "__main__":
    main()
