"""Drills with several workers that share a store: one is killed at a random moment, another finishes.

The killed worker's data root is lost with it. In full length also a cluster of real processes.
"""

import hashlib
import os
import random
import shutil
import subprocess
import sys
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import drill_steps
import duckdb
import pytest
from drill_processes import done, faults, killed, seconds_of
from drill_steps import build_step, fetch_step, fold_step, in_environment, parse_step, step
from object_store import s3_server, settings_of, used_here
from small_training import small_training_round
from worker_cluster import cluster, wait_until

from ingest.core.landing import Landing
from warehouse.home import Home
from warehouse.lake import Lake
from warehouse.publish import publication

pytestmark = [pytest.mark.drills, pytest.mark.xdist_group("workers")]
SEED = 20261123
ACCELMART = Path(sys.executable).with_name("accelmart")


@pytest.fixture(scope="module")
def server():
    with s3_server() as address, pytest.MonkeyPatch.context() as patch, used_here(patch, address):
        yield settings_of(address)


@pytest.fixture
def store(server, request, monkeypatch):
    """Settings of a store of this test alone; a dead worker is replaced after two seconds."""
    name = request.node.name.replace("[", "-").replace("]", "")
    settings = {"ACCELMART_STORE": f"s3://warehouses/{name}", "ACCELMART_LEASE": "2"}
    for variable, value in settings.items():
        monkeypatch.setenv(variable, value)
    return {**server, **settings}


@contextmanager
def new_worker(tmp_path, number):
    """Yield the empty data root of a worker; it is lost afterwards."""
    root = tmp_path / f"worker{number}"
    root.mkdir()
    yield root
    shutil.rmtree(root)


def hashes_below(folder):
    """Return path → hash of every file that counts."""
    return {
        p.relative_to(folder).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest()
        for p in folder.rglob("*")
        if p.is_file() and not any(part.startswith(".") or part.endswith(".tmp") for part in p.parts[1:])
    }


def folded_rows(folder):
    """Return the rows of the tables of prices that a build reads: their order hangs on the number of threads."""
    lake = Lake(Home(folder.parent, "/nowhere"))
    files = {}
    for bundle in lake.price_bundles():
        for table, path in bundle.files.items():
            files.setdefault(table, []).append(str(path))
    with duckdb.connect() as db:
        return {
            table: db.execute(
                "select count(*), bit_xor(hash(t)) from read_parquet(?, union_by_name = true) t", [paths]
            ).fetchall()
            for table, paths in files.items()
        }


def land_round(settings, tmp_path):
    tree = tmp_path / "training_results_v5.0"
    for path, text in small_training_round().items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text)
    with new_worker(tmp_path, "lands") as root:
        command = [ACCELMART, "fetch", "mlperf-training", "--release", drill_steps.ROUND, "--from", tree]
        clean = {k: v for k, v in os.environ.items() if not k.startswith("DAGSTER_")}
        subprocess.run(
            command, env={**clean, **settings, "ACCELMART_HOME": str(root)}, check=True, capture_output=True
        )


@pytest.mark.parametrize(
    ("kind", "full", "short"), [("fetch", 10, 3), ("parse", 10, 2), ("fold", 10, 2), ("publish", 30, 4)]
)
def test_a_killed_worker_is_replaced_and_nothing_is_lost(
    kind, full, short, store, tmp_path, tries, report_drill
):
    moments, lost, unfinished = random.Random(SEED), [], 0
    function = {"fetch": fetch_step, "parse": parse_step, "fold": fold_step, "publish": build_step}[kind]
    if kind == "parse":
        land_round(store, tmp_path)
    assert done(step(int)) == "done"  # starts the process that all others are copies of
    with new_worker(tmp_path, "alone") as root:  # how long it takes, and what must come out
        alone = {**store, "ACCELMART_STORE": store["ACCELMART_STORE"] + "-alone"}
        if kind == "parse":
            alone["ACCELMART_STORE"] = store["ACCELMART_STORE"]
        whole = seconds_of(
            step(in_environment, alone, function, root, *(["whole"] if kind == "fetch" else []))
        )
        expected = {"parse": hashes_below, "fold": folded_rows}.get(kind, lambda _: None)(root / "raw")
    for number in range(tries(full, short)):
        here = dict(store)
        if kind in ("parse", "fold"):
            here["ACCELMART_STORE"] += f"-{number}"
        if kind == "parse":  # what is landed is there, and nothing is parsed
            copy_landing(store["ACCELMART_STORE"], here["ACCELMART_STORE"])
        name = [f"payload {number}"] if kind == "fetch" else []
        with new_worker(tmp_path, f"{number}a") as root:
            answer = killed(step(in_environment, here, function, root, *name), moments.uniform(0, whole))
            unfinished += not answer
        with new_worker(tmp_path, f"{number}b") as root:
            text = done(step(in_environment, here, function, root, *name))
            problems = [] if text == "done" else [f"the other worker: {text}"]
            problems += found(kind, root, here, expected, number)
        if problems:
            lost.append(f"try {number}: {problems}")
    report_drill(
        f"worker killed during {kind}", tries(full, short), lost, f"{unfinished} killed before the end"
    )


def found(kind, root, settings, expected, number):
    """Return what is wrong after the other worker has finished."""
    if kind == "fetch":
        landing = Landing(f"{settings['ACCELMART_STORE']}/landing")
        history = landing.history("a-source")
        return [
            *(f"{p.key} is damaged" for p in history if not landing.intact(p)),
            *([] if len({p.sha256 for p in history}) == number + 1 else ["a payload is missing"]),
        ]
    if kind == "publish":
        return [f for f in faults(root) if "left over" not in f]
    seen = hashes_below(root / "raw") if kind == "parse" else folded_rows(root / "raw")
    return [] if seen == expected else ["what was made differs"]


def copy_landing(from_url, to_url):
    import fsspec

    files = fsspec.filesystem("s3")
    for path in files.find(f"{from_url}/landing"):
        files.copy(path, path.replace(from_url.removeprefix("s3://"), to_url.removeprefix("s3://"), 1))


@cache
def is_full():
    return os.environ.get("ACCELMART_DRILLS") == "full"


def test_a_killed_build_of_the_whole_warehouse_is_finished_by_another_worker(store, tmp_path, report_drill):
    if not is_full():
        pytest.skip("minutes for each try: only in full length")
    moments, lost, ids = random.Random(SEED), [], set()
    clean = {k: v for k, v in os.environ.items() if not k.startswith("DAGSTER_")}
    for number in range(10):
        here = {**clean, **store, "ACCELMART_STORE": f"{store['ACCELMART_STORE']}-{number}"}
        with new_worker(tmp_path, f"{number}a") as root:
            process = subprocess.Popen(
                [ACCELMART, "build"], env={**here, "ACCELMART_HOME": str(root)}, stderr=subprocess.DEVNULL,
                start_new_session=True,
            )  # fmt: skip
            try:
                process.wait(moments.uniform(1, 32))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                process.wait()
        with new_worker(tmp_path, f"{number}b") as root:
            other = subprocess.run(
                [ACCELMART, "build", "--wait", "60"], env={**here, "ACCELMART_HOME": str(root)},
                capture_output=True, text=True, check=False,
            )  # fmt: skip
            if other.returncode:
                lost.append(f"try {number}: {other.stderr[-300:]}")
                continue
            with duckdb.connect(str(root / "accelmart.duckdb"), read_only=True) as db:
                ids.add(
                    db.sql(
                        "select count(*), sum(result)::decimal(30, 3) from fct_inference_result"
                    ).fetchall()[0]
                )
    if len(ids) != 1:
        lost.append(f"rows differ: {ids}")
    report_drill("worker killed during a whole build", 10, lost)


def test_a_cluster_goes_on_after_a_worker_is_killed(tmp_path, report_drill):
    if not is_full():
        pytest.skip("minutes: only in full length")
    lost = []
    with cluster(tmp_path) as running:
        running.start("one")
        running.start("two")
        at = wait_until(
            lambda: next((n for n, w in running.workers.items() if w.is_at_work), None), "a build"
        )
        running.kill(at)
        (other,) = running.workers.values()
        wait_until(lambda: (other.home / "accelmart.duckdb").exists(), "the other worker to publish", 600)
        wait_until(lambda: (running.ui.home / "accelmart.duckdb").exists(), "the code location to follow")
        runs = {r["runId"]: r["status"] for r in running.ui.runs("rebuild_warehouse")}
        if sorted(runs.values()) != ["FAILURE", "SUCCESS"]:
            lost.append(f"runs: {runs}")
        home = drill_steps.home_of(running.ui.home)
        if (
            publication(home).generation.sha256
            != publication(drill_steps.home_of(other.home)).generation.sha256
        ):
            lost.append("the control has another generation")
    report_drill("worker killed in a cluster of Celery", 1, lost)
