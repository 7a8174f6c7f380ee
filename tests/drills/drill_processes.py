"""Run steps of drills in processes of their own, and compare all outputs of a data root afterwards."""

import multiprocessing
import os
import subprocess
import sys
import time
import types
from contextlib import contextmanager
from multiprocessing import forkserver

import drill_steps
import duckdb
import pytest

from ingest.core.landing import Landing
from warehouse.outputs.repair import behind
from warehouse.publication.generation import damaged_generations, generations, is_intact
from warehouse.publication.pointer import publication

# as `make drills` sets it, every night: tests that repeat or draw do so as often as they can say something
IS_FULL = os.environ.get("DRILLS") == "full"
CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["drill_steps"])


@contextmanager
def read_only(folder):
    """Make a folder read-only by a mount, which root may not write to either."""
    subprocess.run(["mount", "--bind", folder, folder], check=True)
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", folder], check=True)
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def start(step, limit_bytes=None):
    """Start a step in a new process; return the process and the end of a pipe that gets its answer."""
    reading, writing = CONTEXT.Pipe(duplex=False)
    process = CONTEXT.Process(target=drill_steps.run, args=(step, writing, limit_bytes))
    with pytest.MonkeyPatch.context() as patch:
        # the server imports everything once; Python 3.11 does not hand it the search path
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
        forkserver.ensure_running()
        # without this every new process would import pytest again, which takes longer than most steps
        patch.setitem(sys.modules, "__main__", types.ModuleType("__main__"))
        process.start()
    writing.close()
    return process, reading


def answer_of(process, reading, timeout=60):
    """Wait for a step and return its answer; empty if it was killed."""
    process.join(timeout)
    assert process.exitcode is not None, "the step hangs"
    with reading:
        try:
            return reading.recv() if reading.poll() else ""
        except (EOFError, OSError):  # killed before its answer, or while it was sent
            return ""


def done(step, limit_bytes=None):
    """Run a step to its end and return its answer."""
    return answer_of(*start(step, limit_bytes))


def killed(step, after_s):
    """Kill a step with SIGKILL after so many seconds; return its answer, empty if it had not ended."""
    process, reading = start(step)
    time.sleep(after_s)
    process.kill()
    return answer_of(process, reading)


def seconds_of(step):
    """Return how long a step takes when nobody kills it."""
    started = time.monotonic()
    assert done(step) == "done"
    return time.monotonic() - started


def faults_of_outputs(home):
    """Return what is wrong with the outputs of a data root, whatever its tables."""
    return [
        *(f"{output.name} is behind" for output in behind(home)),
        *(f"{name} is damaged" for name in damaged_generations(home)),
        *["the published file is damaged"] * (not is_intact(home.published, publication(home).generation)),
        *(f"build left over: {path.name}" for path in home.builds.glob("*")),
    ]


def faults(root):
    """Return what is wrong with a data root: nothing may be behind, damaged, mixed or left over."""
    home = drill_steps.home_of(root)
    current = publication(home).generation
    with duckdb.connect() as db:
        db.execute(f"attach '{home.published}' as p (read_only)")
        in_file = db.execute("select distinct generation_id, count(*) over () from p.facts").fetchall()
        exported = db.read_parquet(f"{home.exports}/facts.parquet")
        in_exports = exported.unique("generation_id").fetchall()
    landing = Landing(home.landing_url)
    left = [p.name for p in home.root.rglob(".*") if p.name.endswith(".tmp")]
    return [
        *faults_of_outputs(home),
        *["an inode is shared"] * home.published.samefile(current.path),
        *[f"published file: {in_file}"] * (in_file != [(current.generation_id, drill_steps.ROWS)]),
        *[f"exports: {in_exports}"] * (in_exports != [(current.generation_id,)]),
        *(f"{p.key} is damaged" for p in landing.history("a-source") if not landing.intact(p)),
        *(f"left over: {name}" for name in left),
    ]


def kept_ids(root):
    """Return the ids of the kept generations."""
    return {g.generation_id for g in generations(drill_steps.home_of(root))}
