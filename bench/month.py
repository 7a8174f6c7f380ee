"""A month of operation in shortened days, under the real daemon, with faults of every kind.

Run: python bench/month.py DATA [days=30] [folder] [built], where DATA has the real payloads of the price sources
(those of the tests), and `built` is a data root to start from instead of a build. One day takes one minute: the
schedules run every minute. The replay server of the tests serves all upstreams, including GitHub and a result
repository. Builds use a small filesystem of their own, which can be filled: this needs the right to mount.

Prints at the end: whether the marts equal a clean rebuild from the landing zone, row by row; locks, unfinished builds
and generations; the message of each fault in the instance; the outcome of every tick. Exit code 1 if a check fails.
"""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from played import daemon_settings, settle  # isort: skip

import dagster_ui
import duckdb
import replay_server as replay
from filelock import FileLock, Timeout
from mlcommons import MLCommons
from replay_world import world
from small_round import small_round

from warehouse.home import Home
from warehouse.publish import read_generation

SCHEDULES = ("refresh_marketplaces", "refresh_prices", "refresh_exchange_rates")
BUILD_DISK = "400m"
# columns that describe the build, and ages at the time of the build
OF_THE_BUILD = {
    "generation_id",
    "built_at",
    "age_days",
    "age_hours",
    "input_fingerprint",
    "as_of",
    "as_of_day",
    "previous_generation_id",
}
# tables that compare a generation with the previous one, which a clean build does not have
OF_THE_HISTORY = {
    "stg_accelmart__previous_changes",
    "stg_accelmart__previous_figures",
    "int_changes__compared",
    "int_changes__found",
    "mart_changes",
    "ops_change_alarm",
}
ROUND = "inference_results_v6.1"


@dataclass
class Month:
    """The replayed upstreams, and the expected traces of each fault."""

    home: Path
    ui: dagster_ui.Ui
    upstream: replay.ReplayServer
    mlcommons: MLCommons
    settings: dict[str, str]
    expected: dict[str, str] = field(default_factory=dict)  # fault → text that must appear in the instance
    day: int = 0

    def trouble(self, name: str, host: str, words: str, fault: replay.Fault) -> None:
        """Set a fault until `healed`."""
        self.expected[name] = f"{re.escape(host)}.*({words})"
        self.upstream.fault(host, "/", fault)

    def healed(self) -> None:
        """Remove all faults; prices continue to change."""
        self.upstream.heal()
        self.upstream.fault("console.vast.ai", "/api/v0/bundles", replay.altered(self._moved))

    def _moved(self, asked: replay.Asked, reply: replay.Reply) -> replay.Reply:
        document = json.loads(reply.body)
        for offer in document["offers"]:
            offer["dph_total"] = round(offer["dph_total"] * (1 + self.day / 200), 6)
        return replace(reply, body=json.dumps(document).encode())

    def new_round(self, rate: int) -> None:
        """Commit to a result repository: first a new round, later a correction."""
        self.mlcommons.push(ROUND, small_round(rate))

    def in_mid_build(self) -> None:
        """Wait until a rebuild is running, and kill all processes."""
        self.expected["power cut in mid-build"] = "is gone: it was killed"
        end = time.monotonic() + 300
        while time.monotonic() < end:
            if any(r["status"] == "STARTED" for r in self.ui.runs("rebuild_warehouse")):
                break
            time.sleep(0.5)
        time.sleep(3)
        self.ui.kill()
        time.sleep(5)
        self.ui = dagster_ui.Ui(self.home, self.settings).__enter__()

    def full_disk(self) -> None:
        """Fill the filesystem of the builds."""
        self.expected["full disk"] = "No space left|[Cc]ould not write"
        with contextlib.suppress(OSError), (self.home / "builds" / ".filler").open("wb") as filler:
            while filler.write(b"\0" * (1 << 20)):
                filler.flush()

    def room_again(self) -> None:
        """Free the filesystem of the builds."""
        (self.home / "builds" / ".filler").unlink()


def plan(month: Month, days: int) -> dict[int, list[Callable[[], object]]]:
    """Return the events of each day, scaled from a plan of 30 days."""
    happenings = [
        (2, lambda: month.trouble("Vast.ai answers 500", "console.vast.ai", "answered 500", replay.server_error())),
        (4, month.healed),
        (5, lambda: month.trouble("CoreWeave has a new layout", "www.coreweave.com", "layout has changed",
                                  replay.changed_layout())),
        (7, month.healed),
        (8, lambda: month.new_round(1600)),
        (11, month.in_mid_build),
        (14, lambda: month.trouble("Lambda shows a login page", "lambda.ai", 'titled "Please log in"',
                                   replay.html_instead())),
        (16, month.healed),
        (17, month.full_disk),
        (19, month.room_again),
        (21, lambda: month.trouble("GitHub refuses", "api.github.com", "answered 403", replay.refusal(403))),
        (23, month.healed),
        (24, lambda: month.new_round(3200)),
        (26, lambda: month.trouble("the ECB is cut off", "www.ecb.europa.eu", "broke off", replay.reset_mid_body())),
        (28, month.healed),
    ]  # fmt: skip
    events: dict[int, list[Callable[[], object]]] = {}
    for day, what in happenings:
        events.setdefault(max(1, round(day * days / 30)), []).append(what)
    return events


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """Mount a separate filesystem for builds, which can be full alone."""
    folder.mkdir(parents=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={BUILD_DISK}", "tmpfs", folder], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", folder], check=False)


def main() -> int:
    """Run the month, wait until no run is left, and compare."""
    data = Path(sys.argv[1])
    days = int(sys.argv[2]) if len(sys.argv) > 2 else 30
    base = Path(sys.argv[3]) if len(sys.argv) > 3 else Path(tempfile.mkdtemp(prefix="accelmart-month-"))
    home = base / "home"
    started = time.monotonic()
    with small_disk(home / "builds"), world(data) as upstream:
        mlcommons = MLCommons(upstream, base, limit=10**6)
        mlcommons.github.push("inference_results_v5.1", "a" * 40)
        settings = daemon_settings(upstream, mlcommons, "* * * * *")
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("ACCELMART_", "DAGSTER_"))}
        if len(sys.argv) > 4:
            ignored = shutil.ignore_patterns("*.lock", "builds")
            shutil.copytree(sys.argv[4], home, symlinks=True, ignore=ignored, dirs_exist_ok=True)
        subprocess.run(
            [dagster_ui.ACCELMART, "build"], env={**clean, "ACCELMART_HOME": str(home)}, check=True
        )
        ui = dagster_ui.Ui(home, settings).__enter__()
        month = Month(home, ui, upstream, mlcommons, settings)
        try:
            month.healed()
            todo = plan(month, days)
            for month.day in range(1, days + 1):
                begun = time.monotonic()
                for what in todo.get(month.day, ()):
                    what()
                counts = Counter(r["status"] for r in month.ui.runs())
                print(f"day {month.day}: {dict(counts)}", flush=True)
                time.sleep(max(0.0, 60 - (time.monotonic() - begun)))
            month.healed()
            accounts = [account(month.ui, name) for name in SCHEDULES]
            month.ui.kill()
            quiet = {**settings, **dagster_ui.QUIET, "ACCELMART_REBUILD_HOLD": "5"}
            month.ui = dagster_ui.Ui(home, quiet).__enter__()
            settle(month.ui)
            problems = [p for a in accounts for p in a]
            problems += visible(month)
        finally:
            month.ui.end()
        problems += left_over(home) + differences(home, base / "clean")
    print(f"{days} days in {(time.monotonic() - started) / 60:.1f} min")
    for problem in problems:
        print(f"AMISS: {problem}")
    print("all is well" if not problems else f"{len(problems)} things are amiss")
    if not problems and len(sys.argv) <= 3:
        shutil.rmtree(base)
    return 1 if problems else 0


def account(ui: dagster_ui.Ui, name: str) -> list[str]:
    """Check that every tick of a schedule started a run, was skipped with a reason, or failed with a message."""

    def ended() -> list[dict]:
        ticks_now = ui.ticks(name, "schedule")
        return [] if any(t["status"] == "STARTED" for t in ticks_now) else ticks_now

    # one tick may be running now
    ticks = sorted(ui.wait(ended, f"the ticks of {name} to end"), key=lambda t: t["timestamp"])
    minutes = {int(t["timestamp"]) // 60 for t in ticks}
    missing = set(range(min(minutes), max(minutes) + 1)) - minutes
    unexplained = [
        t
        for t in ticks
        if not (
            (t["status"] == "SUCCESS" and t["runIds"])
            or (t["status"] == "SKIPPED" and t["skipReason"])
            or (t["status"] == "FAILURE" and t["error"])
        )
    ]
    counts = Counter(t["status"].lower() for t in ticks)
    scheduled = len(minutes) + len(missing)
    print(f"{name}: {scheduled} scheduled = {dict(counts)}, {len(missing)} never ticked")
    problems = [f"{name}: no tick for {len(missing)} of {scheduled} minutes"] if missing else []
    return problems + [f"{name}: a tick without account: {t}" for t in unexplained]


def visible(month: Month) -> list[str]:
    """Check that the instance shows the message of each fault."""
    import dagster as dg

    os.environ["DAGSTER_HOME"] = str(month.home / "dagster")
    words = []
    with dg.DagsterInstance.get() as instance:
        # an error solved by a retry is in the log of a successful run
        for record in instance.get_run_records():
            for event in instance.all_logs(record.dagster_run.run_id):
                dagster_event = event.dagster_event
                if dagster_event and (
                    dagster_event.is_step_failure
                    or dagster_event.is_step_up_for_retry
                    or dagster_event.is_run_failure
                    or dagster_event.is_engine_event
                ):
                    words.append(
                        (
                            f"run {record.dagster_run.run_id[:8]}",
                            f"{dagster_event.message} {dagster_event.event_specific_data}",
                        )
                    )
    for tick in month.ui.ticks("mlperf_discovery"):
        if tick["error"]:
            chain = [tick["error"], *tick["error"]["causes"]]
            words.append(("tick of mlperf_discovery", "\n".join(e["message"] for e in chain)))
    problems = []
    for name, pattern in month.expected.items():
        seen = [(where, text) for where, text in words if re.search(pattern, text, re.S)]
        if seen:
            where, text = seen[0]
            match = re.search(pattern, text, re.S)
            print(f"{name}: {len(seen)} times, such as {where}: …{match[0][-200:] if match else ''}…")
        else:
            problems.append(f"{name} is nowhere to be seen ({pattern})")
    return problems


def left_over(home: Path) -> list[str]:
    """Check for held locks, unfinished builds and unreadable generations."""
    place = Home(home, str(home / "landing"))
    problems = []
    try:
        FileLock(place.build_lock).acquire(timeout=0).lock.release()
    except Timeout:
        problems.append(f"{place.build_lock} is held, but its process has ended")
    halves = [p.name for p in place.builds.glob("*") if not p.is_symlink()]
    wals = [p.name for p in home.rglob("*.wal")]
    temporary = [str(p) for p in home.rglob(".*.tmp") if "dagster" not in p.parts]
    generations = [read_generation(p).generation_id for p in sorted(place.generations.glob("*.duckdb"))]
    published = read_generation(place.published).generation_id
    print(f"generations: {', '.join(generations)}; published: {published}")
    # the next build removes the files of a killed one; a build has run since
    problems += [f"left over in builds: {', '.join(halves)}"] if halves else []
    problems += [f"left over: {', '.join(wals + temporary)}"] if wals + temporary else []
    return problems + ([] if published == generations[-1] else [f"{published} is not the newest generation"])


def differences(home: Path, clean: Path) -> list[str]:
    """Compare the marts with those of a clean build from the landing zone, row by row."""
    clean.mkdir()
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("ACCELMART_", "DAGSTER_"))}
    environment |= {"ACCELMART_HOME": str(clean), "ACCELMART_LANDING": str(home / "landing")}
    subprocess.run([dagster_ui.ACCELMART, "build"], env=environment, check=True, stdout=subprocess.DEVNULL)
    problems, rows, left_out = [], 0, Counter()
    with duckdb.connect() as db:
        db.execute(f"attach '{home / 'accelmart.duckdb'}' as month (read_only)")
        db.execute(f"attach '{clean / 'accelmart.duckdb'}' as clean (read_only)")
        tables = db.execute(
            "select database_name, schema_name, table_name, list(column_name) from duckdb_columns() "
            "join duckdb_tables() using (database_name, schema_name, table_name) "
            "where database_name in ('month', 'clean') group by all"
        ).fetchall()
        of = {(d, s, t): set(c) for d, s, t, c in tables}
        names = {(s, t) for d, s, t in of}
        for schema, table in sorted(n for n in names if n[1] not in OF_THE_HISTORY):
            columns = of.get(("month", schema, table))
            if columns is None or columns != of.get(("clean", schema, table)):
                problems.append(f"{schema}.{table} is not in both")
                continue
            compared = sorted(columns - OF_THE_BUILD)
            left_out.update(columns & OF_THE_BUILD)
            listed = ", ".join(f'"{c}"' for c in compared) or "1"
            side = f'select {listed} from {{}}."{schema}"."{table}"'
            month, clean_rows = side.format("month"), side.format("clean")
            (count,) = db.execute(f"select count(*) from ({month})").fetchone()
            rows += count
            for a, b, which in ((month, clean_rows, "month"), (clean_rows, month, "clean")):
                (n,) = db.execute(f"select count(*) from ({a} except all {b})").fetchone()
                if n:
                    example = db.execute(f"({a} except all {b}) limit 1").fetchall()
                    problems.append(
                        f"{schema}.{table}: {n} rows only in {which}, such as {str(example)[:300]}"
                    )
    print(f"{len(names)} tables, {rows} rows compared; columns left out: {dict(left_out)}")
    return problems


if __name__ == "__main__":
    sys.exit(main())
