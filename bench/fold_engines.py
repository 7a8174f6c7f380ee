"""The same observations folded by DuckDB, Sail and any Spark Connect server: times side by side, every row compared.

Run: python bench/fold_engines.py [--days 700] [--offers 30000] [--remote sc://host:port ...]. Needs the extra `dev`.
Sail is started by this script; a cluster of Spark for `--remote` is started as docs/capacity.md tells. Its workers see
the temporary folder (TMPDIR) under the same path.

Time is on the clock, for the whole history, from parsed lists to intervals; CPU is that of this process alone, in
which Sail runs too. Exit code 1: a row differs.
"""

import argparse
import json
import resource
import sys
import tempfile
import time
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "warehouse"))

from fold_comparison import verify_fold
from price_history import generate, history
from pysail.spark import SparkConnectServer

from warehouse.fold_engine import DuckDbEngine, FoldEngine
from warehouse.fold_spark import SparkEngine


def main() -> None:
    """Print a Markdown table, a row for each engine."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=700)
    parser.add_argument("--offers", type=int, default=30_000)
    parser.add_argument("--remote", action="append", default=[], help="a Spark Connect server")
    parser.add_argument("--only-duckdb", action="store_true", help="for more than the others are made for")
    given = parser.parse_args()
    sail = SparkConnectServer(ip="127.0.0.1", port=0)
    sail.start(background=True)
    host, port = sail.listening_address
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        # in a process of its own: the memory of this one is that of folding
        made = get_context("spawn").Process(target=generate, args=(folder, given.days, given.offers, 1))
        made.start()
        made.join()
        exchange = folder / "exchange"
        engines: dict[str, FoldEngine] = {
            "DuckDB": DuckDbEngine(),
            **(
                {}
                if given.only_duckdb
                else {"Sail": SparkEngine(f"sc://{host}:{port}", exchange, pieces_min=0)}
            ),
            **{url: SparkEngine(url, exchange, pieces_min=0) for url in given.remote},
        }
        whole = replace(history(folder / "history"), engine=engines["DuckDB"])
        print("| engine | seconds | CPU s of this process | rows | rows that differ from DuckDB |")
        print("| --- | --- | --- | --- | --- |")
        differing = 0
        for engine_name, engine in engines.items():
            started, cpu = time.perf_counter(), time.process_time()
            if engine_name == "DuckDB":
                whole.bundles()
                seconds, cpu_s = time.perf_counter() - started, time.process_time() - cpu
                print(f"| {engine_name} | {seconds:.1f} | {cpu_s:.1f} | | |", flush=True)
                continue
            (done,) = verify_fold([whole], engine)
            seconds, cpu_s = time.perf_counter() - started, time.process_time() - cpu
            differing += done.differing
            row = f"| {engine_name} | {seconds:.1f} | {cpu_s:.1f} | {done.rows:,} | {done.differing:,} |"
            print(row, flush=True)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
        observed = json.loads((folder / "tally.json").read_text())[0]["observations"]
        print(f"\n{observed:,} observations; peak of this process {peak:,.0f} MB")
    sail.stop()
    sys.exit(bool(differing))


if __name__ == "__main__":
    main()
