"""Steps of drills: commands on a small data root, each run in a process of its own that can be killed.

The exports are the real ones; report and pages, which need the tables of a whole warehouse, are one line each.
"""

import errno
import itertools
import os
import random
import resource
import signal
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import yaml
from made import store

from ingest.core.landing import Landing
from warehouse.build.folder import remove_stale
from warehouse.outputs import repair as outputs
from warehouse.outputs.docs import APPENDIX, DICTIONARY, STATE
from warehouse.publication.generation import generations
from warehouse.publication.outcome import keep_warnings, record_outcome
from warehouse.publication.pointer import predecessor, publication, publish, rollback
from warehouse.publication.retention import removable, remove
from warehouse.storage.files import replace_by_copy, written_whole
from warehouse.storage.home import DBT_PROJECT_DIR, Home
from warehouse.storage.locks import exclusive

ROWS = 20_000
WAIT_S = 30
PAYLOAD_BYTES = 1_000_000


def home_of(root):
    """Return the data root of a drill."""
    return Home(Path(root), f"{root}/landing")


def one_line_report(home):
    generation_id = publication(home).generation.generation_id
    kept = home.generations / f"{generation_id}.html"
    with written_whole(kept) as temporary:
        temporary.write_text(f'<meta name="accelmart-generation" content="{generation_id}">' + "words " * 100)
    replace_by_copy(kept, home.report)


def one_line_pages(home):
    generation_id = publication(home).generation.generation_id
    for name in (APPENDIX, DICTIONARY, STATE):
        with written_whole(home.docs / name) as temporary:
            temporary.write_text(f"<!-- Generation: {generation_id} -->\n")


def built_file(home, generation_id):
    """A build of one table, with the generation id in every row."""
    path = home.builds / generation_id / "build.duckdb"
    path.parent.mkdir(parents=True)
    previous = predecessor(home)
    profile = yaml.safe_load((DBT_PROJECT_DIR / "profiles.yml").read_text(encoding="utf-8"))
    readable_by = profile["accelmart"]["outputs"]["build"]["config_options"]["storage_compatibility_version"]
    with duckdb.connect(str(path), config={"storage_compatibility_version": readable_by}) as db:
        db.execute(
            "create table ops_generation as select ? as generation_id, ?::varchar as previous_generation_id, "
            "?::timestamptz as built_at, 'f' as input_fingerprint",
            [generation_id, previous.generation_id if previous else None, datetime.now(UTC)],
        )
        db.execute(
            "create table facts as select i, ? as generation_id from range(?) t(i)", [generation_id, ROWS]
        )
        db.execute(
            "create table ops_reconciliation (source varchar, payload_key varchar, payload_url varchar, "
            "licence varchar, payload_sha256 varchar)"
        )
        for table in ("ops_generation", "facts", "ops_reconciliation"):
            db.execute(f"comment on table {table} is 'a table'")
    return path


def build_step(root, generation_id=""):
    """What a build does, without dbt: repair, build, publish, repair."""
    home = home_of(root)
    generation_id = generation_id or f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{time.time_ns() % 16**6:06x}"
    with exclusive(home, WAIT_S):
        remove_stale(home)
        outputs.repair(home)
        path = built_file(home, generation_id)
        publish(path, home, before=lambda g: keep_warnings(home, g.generation_id, []))
        record_outcome(home, "published", generation_id=generation_id)
        path.parent.rmdir()
        return outputs.repair(home)


def rollback_step(root):
    """Publish the oldest or the newest generation, whichever is not published."""
    home = home_of(root)
    with exclusive(home, WAIT_S):
        kept = [g.generation_id for g in generations(home)]
        now = publication(home).generation.generation_id
        rollback(home, kept[0] if now != kept[0] else kept[-1])
        return outputs.repair(home)


def prune_step(root):
    home = home_of(root)
    with exclusive(home, WAIT_S):
        old = timedelta(days=1)
        for item in removable(home, keep=1, quarantine=old):
            remove(item)
    return []


def fetch_step(root, name):
    """Land a payload that compression does not make smaller."""
    payload = name.encode() + random.Random(name).randbytes(PAYLOAD_BYTES)
    landing = Landing(home_of(root).landing_url)
    store(landing, payload, source="a-source", key="all")
    return []


def next_command(root):
    """What every build begins with; also the sensor's tick and a rollback."""
    home = home_of(root)
    with exclusive(home, WAIT_S):
        remove_stale(home)
        return outputs.repair(home)


def failing_at(number, root, step):
    """Run a step whose write, rename, link, removal or fsync number so and so below a root fails as on a bad disk.

    Returns:
        The problems of the step; where it ended without that many operations, their number alone.
    """
    seen, changed, fsync = (
        itertools.count(),
        ("os.rename", "os.remove", "os.link", "os.symlink", "os.mkdir", "os.rmdir"),
        os.fsync,
    )
    is_over = False

    def count():
        if not is_over and next(seen) == number:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    def hook(event, arguments):
        is_write = event == "open" and (arguments[2] or 0) & (os.O_WRONLY | os.O_RDWR)
        if (is_write or event in changed) and any(str(a).startswith(root) for a in arguments[:2]):
            count()

    def failing_fsync(descriptor):
        count()
        fsync(descriptor)

    sys.addaudithook(hook)
    os.fsync = failing_fsync
    problems = step()
    is_over = True
    n_operations = next(seen)
    return problems if n_operations > number else [n_operations]


def run(step, answer, limit_bytes=None):
    """Run a step in the process of a drill; write `done`, or the error, when it ends."""
    outputs.place_report, outputs.write_pages = one_line_report, one_line_pages
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    if limit_bytes is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes))
    try:
        problems = step()
        text = "done" if not problems else f"problems: {problems}"
    except Exception as e:  # noqa: BLE001  the drill reads the error
        text = f"{type(e).__name__}: {e}"
    with suppress(OSError):
        answer.send(text[:4000])
