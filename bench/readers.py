"""Readers query continuously while generations are published: no error, and no mixture of generations.

Run: python bench/readers.py [publishes=50] [readers=8]. It publishes copies of the warehouse of ACCELMART_HOME in a
separate data root. Each copy has its generation id in three tables; a query joins all three, which reveals a mixture of
generations. Half of the readers open the file for every query, as `accelmart sql` does; half keep a connection for a
while, as a notebook does, and must see one generation on it. Times are from the query to the last row, including the
opening of the file if any; first without, then with publications.
"""

import json
import multiprocessing as mp
import shutil
import sys
import tempfile
import time
from multiprocessing.synchronize import Event
from pathlib import Path

import duckdb

from orchestration import settings
from warehouse.publication.generation import read_generation
from warehouse.publication.pointer import publish
from warehouse.storage.home import Home

MARKED = {"fct_training_result": "notes", "mart_source_health": "status"}
QUERY = """
select g.generation_id, min(t.notes), max(t.notes), min(h.status), max(h.status), count(*), any_value(i.n)
from ops_generation as g
cross join fct_training_result as t
cross join mart_source_health as h
cross join (select count(*) as n from fct_inference_result where throughput_per_accelerator > 1000) as i
group by g.generation_id
"""
QUERIES_OF_A_NOTEBOOK = 20
PAUSE_S = 0.5


def read(number: int, path: Path, stop: Event, target: Path) -> None:
    """Query until stopped, and record the results."""
    keeps = number % 2 == 1
    seen = []
    while not stop.is_set():
        try:
            started = time.perf_counter()
            with duckdb.connect(str(path), read_only=True) as db:
                generations = set()
                for _ in range(QUERIES_OF_A_NOTEBOOK if keeps else 1):
                    ((*marks, rows, _n),) = db.execute(QUERY).fetchall()
                    ended = time.perf_counter()
                    generations.add(marks[0])
                    is_mixed = len(set(marks)) > 1 or len(generations) > 1 or not rows
                    seen.append([time.time(), ended - started, marks[0], is_mixed, ""])
                    started = time.perf_counter()
        except Exception as e:  # noqa: BLE001  every error of a reader is reported
            seen.append([time.time(), 0.0, "", False, f"{type(e).__name__}: {e}"])
    target.write_text(json.dumps(seen))


def mark(base: Path, target: Path, generation: str, previous: str) -> None:
    """Write a copy as a new generation with its id in every marked table."""
    shutil.copyfile(base, target)
    with duckdb.connect(str(target)) as db:
        db.execute(
            "update ops_generation set generation_id = ?, previous_generation_id = ?", [generation, previous]
        )
        for table, column in MARKED.items():
            db.execute(f"update {table} set {column} = ?", [generation])
        db.execute("checkpoint")


def see_a_mixture(base: Path, target: Path) -> None:
    """Check that a mixture of two generations is detected."""
    mark(base, target, "one", "none")
    with duckdb.connect(str(target)) as db:
        db.execute(
            "update mart_source_health set status = 'other' where source = (select min(source) from mart_source_health)"
        )
        ((*marks, _rows, _n),) = db.execute(QUERY).fetchall()
    target.unlink()
    if len(set(marks)) == 1:
        sys.exit("a mixed generation would not be seen")


def summary(name: str, seen: list[list[object]]) -> str:
    """Return one line of figures."""
    times = sorted(float(str(s[1])) * 1000 for s in seen if not s[4])
    at = {p: times[min(len(times) - 1, int(len(times) * p / 100))] for p in (50, 95, 99)}
    return (
        f"{name:34} {len(times):6} queries  p50 {at[50]:7.1f} ms  p95 {at[95]:7.1f} ms  p99 {at[99]:7.1f} ms  "
        f"max {times[-1]:7.1f} ms"
    )


def main() -> None:
    """Print the figures and the verdict."""
    publishes = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    readers = int(sys.argv[2]) if len(sys.argv) > 2 else 8
    base = settings.home().published
    read_generation(base)
    with tempfile.TemporaryDirectory(dir=base.parent) as folder:
        home = Home(Path(folder), str(Path(folder) / "landing"))
        see_a_mixture(base, home.root / "mixture.duckdb")
        name = "20000101T{:06d}-000000".format
        mark(base, home.root / "next.duckdb", name(0), "none")
        publish(home.root / "next.duckdb", home)
        context = mp.get_context("spawn")
        stop = context.Event()
        files = [home.root / f"reader{i}.json" for i in range(readers)]
        crowd = [context.Process(target=read, args=(i, home.published, stop, f)) for i, f in enumerate(files)]
        for process in crowd:
            process.start()
        time.sleep(3)  # wait until all readers have started
        quiet_from = time.time()
        time.sleep(max(10, publishes * PAUSE_S))
        busy_from = time.time()
        for number in range(1, publishes + 1):
            mark(base, home.root / "next.duckdb", name(number), name(number - 1))
            publish(home.root / "next.duckdb", home)
            time.sleep(PAUSE_S)
        busy_to = time.time()
        stop.set()
        for process in crowd:
            process.join()
        all_seen = [json.loads(f.read_text()) for f in files]
    errors = [s[4] for seen in all_seen for s in seen if s[4]]
    mixed = sum(bool(s[3]) for seen in all_seen for s in seen)
    generations = {s[2] for seen in all_seen for s in seen if s[2]}
    print(
        f"{readers} readers, {publishes} publishes of {base.stat().st_size / 1e6:.0f} MB in {busy_to - busy_from:.0f} s"
    )
    for word, crowd_seen in (
        ("opened for each query", all_seen[0::2]),
        ("connection kept", all_seen[1::2]),
    ):
        of_all = [s for seen in crowd_seen for s in seen]
        print(summary(f"{word}, quiet", [s for s in of_all if quiet_from <= s[0] < busy_from]))
        print(summary(f"{word}, publishing", [s for s in of_all if busy_from <= s[0] <= busy_to]))
    print(f"errors: {len(errors)}, mixed generations: {mixed}, generations seen: {len(generations)}")
    if errors or mixed or len(generations) < publishes / 2:
        sys.exit("\n".join(errors[:5]) or "a reader saw a mixed generation, or too few generations")


if __name__ == "__main__":
    main()
