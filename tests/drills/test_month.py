"""Thirty days of one installation in a few minutes: a refresh every day, a build every tenth, a fault on most days.

After every refresh each source either has its new payload or says why not and keeps its last one; on every day all
outputs are those of one generation. At the end the warehouse equals a clean build from the landing zone, row by row.
"""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import duckdb
import pytest
import replay_server as replay
from replay_world import KEYS, world
from typer.testing import CliRunner
from urllib3.util import Retry

from accelmart.errors import EXIT_BUSY
from ingest.core.landing import Landing
from ingest.core.landing_scrub import scrub
from orchestration import http_clients
from orchestration.cli import app
from warehouse.home import Home

DAYS, BUILD_EVERY = 30, 10
HOSTS = {
    "vast": "console.vast.ai",
    "lambda": "lambda.ai",
    "coreweave": "www.coreweave.com",
    "ecb-reference-rates": "www.ecb.europa.eu",
    "runpod": "api.runpod.io",
    "nebius": "nebius.com",
    "oci-price-list": "apexapps.oracle.com",
}
# a build knows when it was made, and what the generation before it was
OF_THE_BUILD = (
    "ops_generation",
    "stg_accelmart__previous_",
    "int_changes__",
    "mart_changes",
    "ops_change_alarm",
)


def _offers(asked, reply, change):
    document = json.loads(reply.body)
    document["offers"] = change(document["offers"])
    return replace(reply, body=json.dumps(document).encode())


def moved(day):
    """Vast.ai's offers of a day: every price moves."""
    return replay.altered(
        lambda asked, reply: _offers(
            asked,
            reply,
            lambda offers: [o | {"dph_total": round(o["dph_total"] * (1 + day / 200), 6)} for o in offers],
        )
    )


def named(name):
    """Vast.ai's first offer under another name."""
    return replay.altered(
        lambda asked, reply: _offers(
            asked, reply, lambda offers: [o | {"gpu_name": name} for o in offers[:1]] + offers[1:]
        )
    )


def doubled():
    """Every offer of Vast.ai twice."""
    return replay.altered(lambda asked, reply: _offers(asked, reply, lambda offers: offers * 2))


def emptied():
    """Vast.ai without offers."""
    return replay.altered(lambda asked, reply: _offers(asked, reply, lambda offers: []))


def nothing():
    """An empty body."""
    return replay.altered(lambda asked, reply: replace(reply, body=b""))


def half():
    """Half of a document."""
    return replay.altered(lambda asked, reply: replace(reply, body=reply.body[: len(reply.body) // 2]))


@dataclass
class Fault:
    """A fault of one day.

    Args:
        name: what it is.
        source: the source that has it.
        fault: what its server does.
        words: part of the message; empty where the refresh succeeds all the same.
    """

    name: str
    source: str
    fault: replay.Fault
    words: str


FAULTS = {
    1: [Fault("500", "lambda", replay.server_error(), "answered 500")],
    2: [
        Fault("403", "runpod", replay.refusal(403), "answered 403"),
        Fault("404", "nebius", replay.refusal(404), "404"),
    ],
    3: [Fault("login page", "lambda", replay.html_instead(), "Please log in")],
    4: [Fault("changed layout", "coreweave", replay.changed_layout(), "layout has changed")],
    5: [
        Fault("no JSON", "vast", replay.not_json(), "JSON"),
        Fault("429", "lambda", replay.too_many_requests("0"), "429"),
    ],
    7: [Fault("broken off", "ecb-reference-rates", replay.reset_mid_body(), "broke off")],
    8: [Fault("dropped", "runpod", replay.dropped(), "")],
    9: [Fault("redirect loop", "oci-price-list", replay.redirect_loop(), "redirect")],
    10: [Fault("cut gzip", "nebius", replay.truncated_gzip(), "")],
    13: [Fault("empty body", "lambda", nothing(), ""), Fault("no offers", "vast", emptied(), "")],
    14: [Fault("half a document", "runpod", half(), "")],
    15: [Fault("unknown name", "vast", named("Q900 Ultra"), None)],
    16: [
        Fault("formula and escape sequence as name", "vast", named("=cmd|' /C calc'!A0\x1b[2J\u202e"), None)
    ],
    19: [Fault("every offer twice", "vast", doubled(), None)],
    20: [Fault("renamed fields", "oci-price-list", replay.changed_layout(), "")],
}


@dataclass
class Month:
    """The installation and its upstreams."""

    home: Home
    upstream: replay.ReplayServer
    call: Callable[..., subprocess.CompletedProcess]
    counts: dict[str, int]

    def refresh(self, day):
        """Refresh every source, and compare what it says with the landing zone."""
        landing = Landing(self.home.landing_url)
        before = {name: landing.history(name) for name in HOSTS}
        self.upstream.heal()
        self.upstream.fault("console.vast.ai", "/api/v0/bundles", moved(day))
        faults = FAULTS.get(day, [])
        for fault in faults:
            self.upstream.fault(HOSTS[fault.source], "/", fault.fault)
        done = CliRunner().invoke(app, ["refresh", "--no-build", *HOSTS])
        failing = {f.source: f for f in faults if f.words is not None}
        assert done.exit_code == (1 if failing else 0), done.output
        for name in HOSTS:
            new = landing.history(name)[len(before[name]) :]
            good = [p for p in new if p.outcome != "quarantined"]
            if name in failing:
                said = [line for line in done.stderr.splitlines() if name in line and HOSTS[name] in line]
                assert said and failing[name].words in " ".join(said), (failing[name].name, done.stderr)
                assert not good, failing[name].name
            else:
                assert good, (day, name, done.stderr)
        self.counts["faults"] += len(faults)
        self.counts["payloads"] += sum(len(landing.history(name)) - len(before[name]) for name in HOSTS)

    def build(self, *options, is_good=True):
        """Build, and see that all outputs are of one generation."""
        done = self.call("build", *options)
        assert (done.returncode == 0) is is_good, done.stdout + done.stderr
        self.is_whole()
        self.counts["builds"] += 1
        return done

    def is_whole(self):
        """See that every output is that of the published generation, and every payload is used or named."""
        with duckdb.connect(str(self.home.published), read_only=True) as db:
            ((generation,),) = db.execute("select generation_id from ops_generation").fetchall()
            ((unbalanced,),) = db.execute(
                "select count(*) from ops_reconciliation where not is_balanced"
            ).fetchall()
            ((future,),) = db.execute(
                "select count(*) from fct_price_interval where valid_from > now()"
            ).fetchall()
        assert (unbalanced, future) == (0, 0)
        package = json.loads((self.home.exports / "datapackage.json").read_text(encoding="utf-8"))
        assert package["version"] == generation
        assert generation in self.home.report.read_text(encoding="utf-8")[:4000]
        return generation


def damaged_payload(month):
    """A byte of a stored payload flips: the doctor names it, and a fetch brings it again."""
    landing = Landing(month.home.landing_url)
    path = Path(landing.address(landing.latest("coreweave", "pricing")))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    done = month.call("doctor", "--offline")
    assert done.returncode == 1 and "the object of coreweave" in done.stdout
    assert month.call("fetch", "coreweave", "--key", "pricing").returncode == 0
    assert scrub(landing).damages == []


def killed_build(month):
    """A build is killed in its middle."""
    before = month.is_whole()
    with month.call.start("build", "--force") as build:
        time.sleep(12)
        build.send_signal(signal.SIGKILL)
    assert month.is_whole() == before


def two_at_once(month):
    """Two builds at once: the one that comes later is refused, and nothing is lost."""
    with month.call.start("build") as first:
        second = month.call("build")
        assert {first.wait(timeout=300), second.returncode} <= {0, EXIT_BUSY}
    month.build()


def bad_scenario(month):
    """A mistake in the user's scenarios."""
    month.home.scenarios.write_text("scenarios: [{name: x, nonsense: 1}]\n", encoding="utf-8")
    before = month.is_whole()
    refused = month.build(is_good=False)
    assert "nonsense" in refused.stderr and month.is_whole() == before
    month.home.scenarios.unlink()


def bad_override(month):
    """A mistake in the user's own lines of a seed."""
    folder = month.home.root / "overrides"
    folder.mkdir(exist_ok=True)
    (folder / "cloud_regions.csv").write_text(
        "nebius,xx(,DE,fixed,Nowhere,https://nebius.com,\n", encoding="utf-8"
    )
    before = month.is_whole()
    month.build(is_good=False)
    assert month.is_whole() == before
    (folder / "cloud_regions.csv").unlink()


def no_room(month):
    """No file may grow over sixty megabytes: as on a full disk, the build fails, and what is published stays."""
    before = month.is_whole()
    done = month.call("build", "--force", limit_bytes=60_000_000)
    assert done.returncode == 1 and "Traceback" not in done.stderr, done.stderr
    assert month.is_whole() == before


HAPPENINGS = {
    12: [killed_build],
    17: [damaged_payload],
    21: [bad_scenario, bad_override],
    22: [two_at_once],
    26: [no_room],
}


@pytest.fixture
def month(built_home, price_data, tmp_path, monkeypatch):
    copy = shutil.copytree(
        built_home, tmp_path / "home", symlinks=True, ignore=shutil.ignore_patterns("*.lock", "builds")
    )
    home = Home(copy, str(copy / "landing"))
    with world(price_data) as upstream:
        settings = {
            "ACCELMART_MIRROR": upstream.url,
            "ACCELMART_RETRY_DELAY": "0",
            "NO_PROXY": "127.0.0.1",
            **KEYS,
        }
        command = _Command(home, settings)
        for name in os.environ.keys() - command.environment.keys():
            monkeypatch.delenv(name)
        for name, value in command.environment.items():
            monkeypatch.setenv(name, value)
        quick = partial(http_clients.http_client, retry=Retry(4))
        monkeypatch.setattr(http_clients, "http_client", quick)
        yield Month(home, upstream, command, {"faults": 0, "payloads": 0, "builds": 0})


class _Command:
    """Runs the installed command on one data root."""

    def __init__(self, home, settings):
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("ACCELMART_", "DAGSTER_", "DBT_"))}
        self.environment = clean | settings | {"ACCELMART_HOME": str(home.root), "COLUMNS": "300"}
        self.folder = home.root

    def start(self, *arguments, **more):
        """Start it in a process group of its own."""
        return subprocess.Popen(
            [Path(sys.executable).with_name("accelmart"), *arguments],
            env=self.environment, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True, **more,
        )  # fmt: skip

    def __call__(self, *arguments, limit_bytes=None):
        """Run it to its end."""

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes))

        with self.start(*arguments, preexec_fn=limit if limit_bytes else None) as process:
            out, err = process.communicate(timeout=300)
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)


@pytest.mark.drills
@pytest.mark.skipif(os.environ.get("ACCELMART_DRILLS") != "full", reason="it takes six minutes: make drills")
def test_a_month_with_a_fault_of_another_kind_on_most_days(month, report_drill):
    for day in range(1, DAYS + 1):
        month.refresh(day)
        for happening in HAPPENINGS.get(day, ()):
            happening(month)
            month.counts["faults"] += 1
        if day % BUILD_EVERY == 0:
            month.build()
        month.is_whole()
    kinds = sum(map(len, FAULTS.values())) + sum(map(len, HAPPENINGS.values()))
    assert kinds == month.counts["faults"] >= 20
    clean = Home(month.home.root.with_name("clean"), month.home.landing_url)
    clean.root.mkdir()
    of_clean = _Command(clean, {"ACCELMART_LANDING": month.home.landing_url, "NO_PROXY": "127.0.0.1"})
    assert of_clean("build").returncode == 0
    tables, rows = compared(month.home.published, clean.published)
    note = f"{month.counts}; {tables} tables, {rows:,} rows equal a clean build"
    report_drill(f"{DAYS} days, each kind of fault once", kinds, [], note)


def compared(one, other):
    """Compare two warehouses row by row, and return the number of tables and of rows."""
    with duckdb.connect() as db:
        db.execute(f"attach '{one}' as one (read_only)")
        db.execute(f"attach '{other}' as other (read_only)")
        tables = db.execute(
            "select schema_name, table_name from duckdb_tables() where database_name = 'one' order by all"
        ).fetchall()
        rows = 0
        for schema, table in [t for t in tables if not t[1].startswith(OF_THE_BUILD)]:
            columns = [
                name
                for (name,) in db.execute(
                    "select column_name from duckdb_columns() where database_name = 'one' and schema_name = ? "
                    "and table_name = ? order by 1", [schema, table],
                ).fetchall()
                if not name.startswith(("age_", "generation_id", "built_at", "as_of", "input_fingerprint"))
            ]  # fmt: skip
            listed = ", ".join(f'"{name}"' for name in columns)
            sides = [f'select {listed} from {side}."{schema}"."{table}"' for side in ("one", "other")]
            for a, b in (sides, sides[::-1]):
                ((n,),) = db.execute(f"select count(*) from ({a} except all {b})").fetchall()
                assert n == 0, (schema, table, db.execute(f"({a} except all {b}) limit 2").fetchall())
            rows += db.execute(f"select count(*) from ({sides[0]})").fetchall()[0][0]
    return len(tables), rows
