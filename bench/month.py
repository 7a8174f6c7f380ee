"""A month of one installation under `accelmart ui` with its daemon: a fault on most days, two new rounds, kills.

Run: python bench/month.py DATA [days=1-30] [folder] [start], where DATA has the real payloads of the price sources
(those of the tests), `days` may be a part of the month, such as 1-3 or 14,15, and `start` is a data root to copy in
place of a first build. Ctrl-C ends the month after the present day; the checks follow.

A schedule ticks once a minute at most, and a build takes about as long. So that what a day brings is published on that
day, it begins with runs over GraphQL that land the lists. All else is done by the daemon: parsing, rebuilds and
their retries, discovery of rounds, alerts, the end of orphaned runs. The day ends when no run is in progress
and its payloads are published, or the sensor states why they are not. The data root is a small filesystem of its own,
which can be filled: this needs the right to mount.

Prints a row for each day, and at the end what is amiss: a day without publication and reason, a fault without a
message, an alert that came twice or was never resolved, a lost payload, a table that differs from a clean build.
"""

import contextlib
import json
import os
import re
import shutil
import signal
import ssl
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from played import daemon_settings  # isort: skip

import dagster as dg
import dagster_ui
import duckdb
import replay_server as replay
from mlcommons import MLCommons
from replay_world import KEYS, world
from small_round import small_round
from small_training import small_training_round
from webhook import Receiver

from ingest.core.landing import Landing
from ingest.registry import LIST_SOURCES
from orchestration.landing import landing_key
from warehouse.inputs.fingerprint import current_generation
from warehouse.publication.generation import read_generation
from warehouse.publication.pointer import publication
from warehouse.storage.home import Home

HOSTS = {
    "vast": "console.vast.ai",
    "lambda": "lambda.ai",
    "coreweave": "www.coreweave.com",
    "ecb-reference-rates": "www.ecb.europa.eu",
    "runpod": "api.runpod.io",
    "nebius": "nebius.com",
    "oci-price-list": "apexapps.oracle.com",
}
DISK = "3g"
ROOM_MB = 40  # left on a full disk: enough for Dagster, not for a build
REBUILD_SENSOR = "rebuild_when_inputs_changed"
IN_PROGRESS = ("QUEUED", "NOT_STARTED", "STARTING", "STARTED", "CANCELING")
STORAGE_LIMIT_MB, REBUILD_LIMIT_S = 500, 90
# columns that describe the build, and ages at the time of the build
OF_THE_BUILD = re.compile(
    "generation_id|built_at|age_days|age_hours|input_fingerprint|as_of|as_of_day|previous_generation_id"
)
# tables that compare a generation with the previous one, which a clean build does not have
OF_THE_HISTORY = re.compile("stg_accelmart__previous_.*|int_changes__.*|mart_changes|ops_change_alarm")


@dataclass(frozen=True)
class Trouble:
    """A fault of one day.

    Args:
        name: what it is.
        source: the source that has it.
        fault: what its server does.
        words: regular expression of what a failed run or an alert says; empty where nothing is wrong for the user.
        path: the paths that it affects begin so.
    """

    name: str
    source: str
    fault: replay.Fault
    words: str
    path: str = "/"


@dataclass
class Month:
    """The installation, its upstreams and what was noticed."""

    home: Home
    ui: dagster_ui.Ui
    upstream: replay.ReplayServer
    mlcommons: MLCommons
    receiver: Receiver
    settings: dict[str, str]
    wrong_certificate: str
    day: int = 0
    amiss: list[str] = field(default_factory=list)
    last_status: dict[str, str] = field(default_factory=dict)  # of each source's run
    alerts_due: set[str] = field(default_factory=set)  # runs that failed after one that did not
    n_landed: int = 0
    n_unchanged: int = 0

    # --- what happens on a day -----------------------------------------------------------------------------------

    def offers(self, change: Callable[[list[dict]], list[dict]] = list) -> replay.Fault:
        """Return Vast.ai's offers of this day, whose prices move every fifth day, with a change."""

        def answer(asked: replay.Asked, reply: replay.Reply) -> replay.Reply:
            document = json.loads(reply.body)
            moved = [
                o | {"dph_total": round(o["dph_total"] * (1 + self.day // 5 / 40), 6)}
                for o in document["offers"]
            ]
            return replace(reply, body=json.dumps(document | {"offers": change(moved)}).encode())

        return replay.altered(answer)

    def kill_in_mid_build(self) -> None:
        """Wait until a rebuild is running, kill all processes at once, and start the daemon again."""
        self.ui.wait(
            lambda: any(r["status"] == "STARTED" for r in self.ui.runs("rebuild_warehouse", limit=3)),
            "a rebuild to start",
        )
        time.sleep(12)
        self.ui.kill()
        self.ui = dagster_ui.Ui(self.home.root, self.settings).__enter__()

    def fill_disk(self) -> None:
        """Fill the disk except some room."""
        free_mb = shutil.disk_usage(self.home.root).free >> 20
        with (self.home.root / ".filler").open("wb") as filler:
            for _ in range(free_mb - ROOM_MB):
                filler.write(bytes(1 << 20))

    def free_disk(self) -> None:
        """Remove what fills the disk."""
        (self.home.root / ".filler").unlink(missing_ok=True)

    def damage_payload(self) -> None:
        """Flip one bit of a stored payload that is in use."""
        landing = Landing(self.home.landing_url)
        path = Path(landing.address(landing.latest("coreweave", "pricing")))
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)

    def write_bad_scenario(self) -> None:
        """Make a mistake in the user's scenarios."""
        self.home.overrides.mkdir(exist_ok=True)
        (self.home.overrides / "scenarios.csv").write_text("nonsense\n", encoding="utf-8")

    def remove_bad_scenario(self) -> None:
        """Remove the user's scenarios."""
        (self.home.overrides / "scenarios.csv").unlink(missing_ok=True)

    # --- a day ---------------------------------------------------------------------------------------------------

    def live(self, day: int) -> None:
        """Land the lists of this day with its faults, wait until the daemon is done, and check."""
        begun, self.day = time.monotonic(), day
        landing = Landing(self.home.landing_url)
        before = {name: len(landing.history(name)) for name in HOSTS}
        n_messages = len(self.receiver.taken)
        self.upstream.heal()
        self.upstream.fault(HOSTS["vast"], "/api/v0/bundles", self.offers())
        troubles = troubles_of(self).get(day, [])
        for trouble in troubles:
            self.upstream.fault(HOSTS[trouble.source], trouble.path, trouble.fault)
        events = happenings(self).get(day, [])
        for event in events:
            if event.is_before:
                event.do()
        since = time.time()
        # as by a schedule, every source in a run of its own; those with a fault yesterday are asked again
        names = {"vast", *(t.source for d in (day - 1, day) for t in troubles_of(self).get(d, []))}
        asked = sorted(names if self.last_status else HOSTS)
        runs = {name: self.ui.launch(list(landing_key(LIST_SOURCES[name]).path)) for name in asked}
        for event in events:
            if not event.is_before:
                event.do()
        failed = []
        for name, run in runs.items():
            status = self.ui.run_ended(run)
            if status == "FAILURE":
                failed.append(name)
                self.alerts_due |= {run} if self.last_status.get(name) != status else set()
            self.last_status[name] = status
        reason = self.settle(since)
        reports = "".join(map(self.words_of_run, runs.values())) + "\n".join(
            body["message"] for _, _, body in self.receiver.taken[n_messages:]
        )
        missing = [e for e in (*troubles, *events) if e.words and not re.search(e.words, reports, re.S)]
        self.amiss += [f"day {day}: no report of: {e.name} ({e.words})" for e in missing]
        titles = [e.name for e in (*troubles, *events)]
        failing = {t.source for t in troubles}
        for name in asked:
            new = landing.history(name)[before[name] :]
            self.n_landed += sum(p.outcome == "landed" for p in new)
            self.n_unchanged += sum(p.outcome == "unchanged" for p in new)
            if name not in failing and not any(p.outcome != "quarantined" for p in new):
                self.amiss.append(f"day {day}: {name} has neither a fault nor a payload")
        is_published = current_generation(self.home) is not None
        if not is_published and not reason:
            self.amiss.append(f"day {day}: neither published nor a reason")
        outcome = publication(self.home).generation.generation_id if is_published else f"kept: {reason}"
        cells = (day, ", ".join(titles) or "-", ", ".join(failed) or "-", outcome)
        print("|", *(f"{cell} |" for cell in cells), f"{time.monotonic() - begun:.0f} s |", flush=True)

    def settle(self, since: float) -> str:
        """Wait until no run is in progress and the sensors have seen what was landed; return why it is unpublished."""

        def reason() -> str | None:
            with contextlib.suppress(OSError):  # the webserver of a busy machine may not answer in time
                now = time.time()
                if any(r["status"] in IN_PROGRESS for r in self.ui.runs(limit=20)):
                    return None
                seen = {}
                for name in ("mlperf_discovery", "health_alerts", REBUILD_SENSOR):
                    (seen[name],) = self.ui.ticks(name, limit=1) or [None]
                    if seen[name] is None or seen[name]["status"] == "STARTED":
                        return None
                    if seen[name]["timestamp"] < max(since, self._last_end()):
                        return None
                said = seen[REBUILD_SENSOR]["skipReason"] or ""
                if "Nothing new" in said or "failed" in said:
                    return said if now - self._last_end() > 4 else None
            return None

        said: str = self.ui.wait(reason, "the warehouse to settle")
        return said if "failed" in said else ""

    def _last_end(self) -> float:
        with self.instance() as instance:
            return max((r.end_time or 0 for r in instance.get_run_records(limit=5)), default=0)

    def instance(self) -> dg.DagsterInstance:
        """Open Dagster's instance of this installation."""
        os.environ["DAGSTER_HOME"] = str(self.home.dagster)
        return dg.DagsterInstance.get()

    def words_of_run(self, run: str) -> str:
        """Return the messages of the failed steps of a run, and of those that were tried again."""
        with self.instance() as instance:
            events = [e.dagster_event for e in instance.all_logs(run) if e.dagster_event]
            return "\n".join(
                f"{e.message} {e.event_specific_data}"
                for e in events
                if e.is_step_failure or e.is_step_up_for_retry or e.is_run_failure
            )

    # --- the end -------------------------------------------------------------------------------------------------

    def check_alerts(self) -> None:
        """Every problem is opened and resolved by turns, and open at the end only if it is still listed."""
        listed = subprocess.run(
            [dagster_ui.ACCELMART, "status", "--json"], env=self.environment(), stdout=subprocess.PIPE, check=False
        )  # fmt: skip
        still_open = {p["title"] for p in json.loads(listed.stdout)["problems"]}
        titles = [title for _, title in self.receiver.alerts() if not title.startswith("Run failed")]
        of_problems: dict[str, list[bool]] = {}
        for title in titles:
            of_problems.setdefault(title.removeprefix("Resolved: "), []).append(
                title.startswith("Resolved: ")
            )
        for title, states in of_problems.items():
            expected = [bool(n % 2) for n in range(len(states))]
            if states != expected or states[-1] == (title in still_open):
                self.amiss.append(
                    f"alert {title}: {states} (is resolved), open at the end: {title in still_open}"
                )
        unsent = still_open - of_problems.keys()
        self.amiss += [f"open, but no alert was sent: {title}" for title in unsent]
        pages = Counter(
            re.findall(r"/runs/([0-9a-f-]{36})", json.dumps([b for *_, b in self.receiver.taken]))
        )
        self.amiss += [f"{n} alerts of one failed run: {run}" for run, n in pages.items() if n > 1]
        with self.instance() as instance:
            rebuilds = {r.run_id for r in instance.get_runs(dg.RunsFilter(job_name="rebuild_warehouse"))}
        self.amiss += [f"no alert of the failed run {run}" for run in self.alerts_due - pages.keys()]
        self.amiss += [
            f"a second alert of one incident: {run}" for run in pages.keys() - self.alerts_due - rebuilds
        ]
        n_resolved = sum(states.count(True) for states in of_problems.values())
        print(
            f"alerts: {len(titles) - n_resolved} problems opened, {n_resolved} resolved; {len(pages)} failed runs"
        )
        print(f"{len(still_open)} problems are open: {', '.join(sorted(still_open))[:600]}")

    def environment(self) -> dict[str, str]:
        """Return the environment of a command on this installation."""
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("ACCELMART_", "DAGSTER_"))}
        return {**clean, **self.settings, "ACCELMART_HOME": str(self.home.root), "NO_PROXY": "127.0.0.1"}

    def check_runs(self) -> None:
        """State how long rebuilds took and what Dagster stores."""
        with self.instance() as instance:
            records = instance.get_run_records(dg.RunsFilter(job_name="rebuild_warehouse"))
            counts = Counter(r.dagster_run.status.value for r in instance.get_run_records())
        took = [
            r.end_time - r.start_time
            for r in records
            if r.dagster_run.status == dg.DagsterRunStatus.SUCCESS and r.end_time and r.start_time
        ]
        stored = sum(p.stat().st_size for p in self.home.dagster.rglob("*") if p.is_file()) / 1e6
        print(f"runs: {dict(counts)}; {len(took)} rebuilds, median {statistics.median(took):.0f} s, longest "
              f"{max(took):.0f} s; Dagster stores {stored:.0f} MB")  # fmt: skip
        if stored > STORAGE_LIMIT_MB:
            self.amiss.append(f"Dagster stores {stored:.0f} MB, more than {STORAGE_LIMIT_MB}")
        if statistics.median(took) > REBUILD_LIMIT_S:
            self.amiss.append(f"a rebuild takes {statistics.median(took):.0f} s, more than {REBUILD_LIMIT_S}")

    def check_files(self) -> None:
        """Every payload is whole and accounted for, and nothing is left of builds."""
        landing = Landing(self.home.landing_url)
        self.amiss += [f"damaged: {p.title}" for p in landing.history() if landing.problem_of(p)]
        halves = [str(p) for p in self.home.builds.glob("*") if not p.is_symlink()]
        halves += [str(p) for p in self.home.root.rglob("*.wal") if "dagster" not in p.parts]
        self.amiss += [f"left over: {name}" for name in halves]
        with duckdb.connect(str(self.home.published), read_only=True) as db:
            unbalanced = db.execute("from ops_reconciliation where not is_balanced").fetchall()
        self.amiss += [f"not balanced: {row}" for row in unbalanced]
        generations = [
            read_generation(p).generation_id for p in sorted(self.home.generations.glob("*.duckdb"))
        ]
        print(
            f"payloads: {self.n_landed} landed, {self.n_unchanged} unchanged; generations kept: {len(generations)}"
        )
        if publication(self.home).generation.generation_id != generations[-1]:
            self.amiss.append("the newest generation is not published")


@dataclass(frozen=True)
class Event:
    """Something that is not an upstream's fault; `words` as of `Trouble`."""

    name: str
    do: Callable[[], object]
    words: str = ""
    is_before: bool = True


def happenings(month: Month) -> dict[int, list[Event]]:
    """Return what happens on each day beside upstream faults."""
    push = month.mlcommons.push
    return {
        6: [Event("a new round of inference", lambda: push("inference_results_v7.0", small_round(1600)))],
        10: [Event("power cut in mid-build", month.kill_in_mid_build, "", is_before=False)],
        12: [Event("a correction of the round", lambda: push("inference_results_v7.0", small_round(3200)))],
        17: [Event("full disk", month.fill_disk, "No space left|[Cc]ould not write|used up")],
        18: [Event("room again", month.free_disk)],
        23: [Event("a new round of training", lambda: push("training_results_v7.0", small_training_round()))],
        26: [Event("a damaged stored payload", month.damage_payload)],
        28: [Event("a mistake in scenarios.csv", month.write_bad_scenario, "1 cells instead of")],
        29: [Event("the mistake corrected", month.remove_bad_scenario)],
    }


def troubles_of(month: Month) -> dict[int, list[Trouble]]:
    """Return the faults of each day."""

    def body(change: Callable[[bytes], bytes]) -> replay.Fault:
        return replay.altered(lambda asked, reply: replace(reply, body=change(reply.body)))

    def redirect(url: str) -> replay.Fault:
        moved = replay.Reply(b"", 302, "text/plain", {"Location": url}, etag="")
        return replay.altered(lambda asked, reply: moved)

    def named(name: str) -> replay.Fault:
        return month.offers(lambda offers: [o | {"gpu_name": name} for o in offers[:1]] + offers[1:])

    def times_thousand(offers: list[dict]) -> list[dict]:
        return [o | {"dph_total": o["dph_total"] * 1000} for o in offers]

    def a_minute_late(_: replay.Asked, reply: replay.Reply) -> replay.Reply:
        time.sleep(65)
        return reply

    no_robots = body(lambda b: b"User-agent: *\nDisallow: /\n")
    return {
        1: [Trouble("500", "lambda", replay.server_error(), "answered 500")],
        2: [
            Trouble("404", "nebius", replay.refusal(404), "answered 404"),
            Trouble("403", "runpod", replay.refusal(403), "answered 403"),
        ],
        3: [Trouble("a login page", "lambda", replay.html_instead(), "Please log in")],
        4: [Trouble("a changed layout", "coreweave", replay.changed_layout(), "layout has changed")],
        5: [
            Trouble("no JSON", "vast", replay.not_json(), "JSON"),
            Trouble("429", "lambda", replay.too_many_requests("0"), "answered 429"),
        ],
        7: [Trouble("broken off in mid-body", "ecb-reference-rates", replay.reset_mid_body(), "broke off")],
        8: [Trouble("connection reset", "runpod", replay.dropped(), "runpod")],
        9: [Trouble("redirect loop", "oci-price-list", replay.redirect_loop(), "redirect")],
        10: [Trouble("truncated gzip", "nebius", replay.truncated_gzip(), "nebius")],
        12: [Trouble("half of a document", "runpod", body(lambda b: b[: len(b) // 2]), "runpod")],
        13: [
            Trouble("an empty body", "lambda", body(lambda b: b""), "lambda"),
            Trouble("no offers", "vast", month.offers(lambda offers: []), "vast"),
        ],
        14: [Trouble("prices × 1000", "vast", month.offers(times_thousand), "vast")],
        15: [Trouble("half of the list", "vast", month.offers(lambda o: o[: len(o) // 2]), "")],
        16: [Trouble("an unknown accelerator", "vast", named("Q900 Ultra"), "Q900 Ultra")],
        18: [
            Trouble("robots.txt forbids", "coreweave", no_robots, "robots.txt does not allow", "/robots.txt")
        ],
        19: [Trouble("every offer twice", "vast", month.offers(lambda offers: offers * 2), "")],
        20: [Trouble("renamed fields", "oci-price-list", replay.changed_layout(), "oci-price-list")],
        21: [Trouble("redirect to another host", "lambda", redirect("https://elsewhere.example/"), "lambda")],
        22: [Trouble("a gzip bomb", "coreweave", body(lambda b: bytes(256 << 20)), "limit")],
        24: [
            Trouble("silence for a minute", "ecb-reference-rates", replay.altered(a_minute_late).once(), "")
        ],
        25: [Trouble("an untrusted certificate", "nebius", redirect(month.wrong_certificate), "TLS")],
        27: [
            Trouble("a formula as a name", "vast", named("=cmd|' /C calc'!A0\x1b[2J\u202e"), "unmapped"),
            Trouble("the damaged payload again", "coreweave", replay.altered(lambda asked, reply: reply), ""),
        ],
    }


@contextlib.contextmanager
def untrusted_server(folder: Path) -> Iterator[str]:
    """Serve HTTPS with a certificate that nobody trusts, and yield the URL."""
    both = folder / "untrusted.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-keyout", both, "-out", folder / "certificate.pem"], check=True, capture_output=True,
    )  # fmt: skip
    both.write_bytes(both.read_bytes() + (folder / "certificate.pem").read_bytes())
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(both)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"https://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """Mount a separate filesystem for a data root, which can be full alone."""
    folder.mkdir(parents=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", folder], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", folder], check=False)


def differences(home: Home, clean: Home) -> list[str]:
    """Compare the published tables with those of a clean build from the landing zone, row by row."""
    clean.root.mkdir()
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("ACCELMART_", "DAGSTER_"))}
    environment |= {"ACCELMART_HOME": str(clean.root), "ACCELMART_LANDING": clean.landing_url}
    if (home.root / "overrides").exists():
        shutil.copytree(home.root / "overrides", clean.root / "overrides")
    subprocess.run([dagster_ui.ACCELMART, "build"], env=environment, check=True, stdout=subprocess.DEVNULL)
    problems, n_rows, n_tables = [], 0, 0
    with duckdb.connect() as db:
        db.execute(f"attach '{home.published}' as month (read_only)")
        db.execute(f"attach '{clean.published}' as clean (read_only)")
        tables = db.execute(
            "select schema_name, table_name, list(column_name order by column_name) from duckdb_columns() "
            "join duckdb_tables() using (database_name, schema_name, table_name) where database_name = 'month' "
            "group by all order by all"
        ).fetchall()
        for schema, table, columns in tables:
            if OF_THE_HISTORY.fullmatch(table):
                continue
            listed = ", ".join(f'"{c}"' for c in columns if not OF_THE_BUILD.fullmatch(c)) or "1"
            sides = [f'select {listed} from {side}."{schema}"."{table}"' for side in ("month", "clean")]
            for one, other, where in ((*sides, "the month"), (*sides[::-1], "the clean build")):
                rows = db.execute(f"{one} except all {other}").fetchall()
                if rows:
                    problems.append(
                        f"{schema}.{table}: {len(rows)} rows only in {where}: {str(rows[0])[:300]}"
                    )
            n_rows += db.execute(f"select count(*) from ({sides[0]})").fetchall()[0][0]
            n_tables += 1
    print(f"{n_tables} tables, {n_rows:,} rows compared with a clean build")
    return problems


def days_of(text: str) -> list[int]:
    """Return the days of a text such as 1-30 or 14,15."""
    parts = [part.partition("-") for part in text.split(",")]
    return [day for first, _, last in parts for day in range(int(first), int(last or first) + 1)]


def main() -> int:
    """Run the days, wait until no run is left, and compare."""
    days = days_of(sys.argv[2] if len(sys.argv) > 2 else "1-30")
    base = Path(sys.argv[3]) if len(sys.argv) > 3 else Path(tempfile.mkdtemp(prefix="accelmart-month-"))
    home = Home(base / "home", str(base / "home" / "landing"))
    started, n_days, stop = time.monotonic(), 0, threading.Event()
    signal.signal(signal.SIGINT, lambda *_: stop.set())
    base.mkdir(exist_ok=True)
    with small_disk(home.root), untrusted_server(base) as url, world(Path(sys.argv[1])) as upstream, \
            Receiver() as receiver:  # fmt: skip
        mlcommons = MLCommons(upstream, base)
        mlcommons.github.left = 10**6
        mlcommons.github.push("inference_results_v5.1", "a" * 40)
        settings = {
            **daemon_settings(upstream, mlcommons, "* * * * *"),
            **dagster_ui.QUIET,
            **KEYS,
            "ACCELMART_RETRY_DELAY": "2",
            "ACCELMART_SENSOR_INTERVAL": "10",
            "ACCELMART_PRIVATE_HOSTS": "127.0.0.1",
            "ACCELMART_ALERT_URLS": receiver.url,
            "ACCELMART_SOURCES_OFF": ",".join(n for n in LIST_SOURCES if n not in HOSTS),
        }
        os.environ |= {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("ACCELMART_", "DAGSTER_"))}
        first = {**clean, "ACCELMART_HOME": str(home.root)}
        if len(sys.argv) > 4:
            shutil.copytree(sys.argv[4], home.root, symlinks=True, dirs_exist_ok=True)
        subprocess.run([dagster_ui.ACCELMART, "build"], env=first, check=True)
        ui = dagster_ui.Ui(home.root, settings).__enter__()
        month = Month(home, ui, upstream, mlcommons, receiver, settings, url)
        try:
            print(
                "| day | what happens | failed | published | took |\n| --- | --- | --- | --- | --- |",
                flush=True,
            )
            for day in days:
                if stop.is_set():
                    break
                n_days += 1
                try:
                    month.live(day)
                except (AssertionError, OSError) as error:
                    month.amiss.append(f"day {day} did not end: {str(error)[:1000]}")
            month.check_alerts()
            month.check_runs()
        finally:
            month.ui.end()
        month.check_files()
        month.amiss += differences(home, Home(base / "clean", home.landing_url))
        print(f"{n_days} days in {(time.monotonic() - started) / 60:.0f} min")
        for problem in month.amiss:
            print(f"AMISS: {problem}")
    return 1 if month.amiss else 0


if __name__ == "__main__":
    sys.exit(main())
