"""The doctor: eleven findings on an installation, each with its remedy. Nothing is changed."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, partial
from importlib.metadata import PackageNotFoundError, version
from tempfile import TemporaryFile
from typing import Any, Literal

import dagster as dg
import psutil
import sqlalchemy.exc
import yaml
from packaging.requirements import Requirement

from accelmart.urls import public_url
from ingest.core.errors import AccelmartError
from ingest.core.landing import MISSING, Landing
from ingest.core.payload import Payload
from ingest.mlperf.registry import MLPERF_SOURCES
from ingest.network import NETWORK_REMEDY, Answer, reach_hosts, source_addresses
from ingest.registry import LIST_SOURCES
from orchestration import settings
from orchestration.alerts import read_channels
from orchestration.http_clients import http_client
from orchestration.problems import list_problems
from warehouse.decisions.overrides import read_overrides
from warehouse.inputs.raw import damaged_parts
from warehouse.outputs.repair import PUBLISHED, behind
from warehouse.publication.generation import NoWarehouseError, damaged_generations, is_intact, read_generation
from warehouse.publication.outcome import last_outcome, shortened
from warehouse.publication.pointer import publication, published_here
from warehouse.storage.disk import build_needs
from warehouse.storage.home import DBT_PROJECT_DIR, Home
from warehouse.storage.locks import holder_of

LOCK_FILE = DBT_PROJECT_DIR.parent / "requirements.lock"
# a disk with less than this many times what a build needs is worth a warning; a build takes minutes
DISK_WARN_TIMES, BUILD_TOO_LONG_S = 4, 2 * 3600
REACH_TIMEOUT_S = 5.0
_DAGSTER_ERRORS = (OSError, dg.DagsterError, sqlalchemy.exc.SQLAlchemyError, yaml.YAMLError)

Status = Literal["ok", "warn", "fail"]
Found = Iterator[tuple[Status, str] | tuple[Status, str, str]]
"""Status, what was found, and its remedy if that is another than the check's; nothing where all is well."""


@dataclass(frozen=True)
class Finding:
    """One line of the doctor: it works (ok), it works but needs attention (warn), or it does not work (fail)."""

    check: str
    status: Status
    found: str
    remedy: str = ""


@dataclass(frozen=True)
class Installation:
    """What is examined."""

    home: Home

    @cached_property
    def answers(self) -> list[Answer]:
        """Return the answer of every host that a source is fetched from."""
        client = http_client(connect_timeout_seconds=REACH_TIMEOUT_S, read_timeout_seconds=REACH_TIMEOUT_S)
        addresses = source_addresses(settings.source_settings()).values()
        return list(reach_hosts((url for of_source in addresses for url in of_source), client))


def examine(home: Home, *, is_offline: bool = False) -> Iterator[Finding]:
    """Yield at least one finding of every check; `is_offline` leaves out the one that needs a network."""
    here = Installation(home)
    for check, (find, well, remedy) in CHECKS.items():
        if is_offline and find is find_network:
            continue
        findings = []
        try:
            for status, text, *own in find(here):
                findings.append(Finding(check, status, text, own[0] if own else remedy))
        except (AccelmartError, ValueError, psutil.Error, *_DAGSTER_ERRORS) as e:
            findings.append(Finding(check, "fail", public_url(" ".join(str(e).split()))[:400], remedy))
        yield from findings or [Finding(check, "ok", well)]


def find_packages(here: Installation) -> Found:
    """Compare the installed packages with those that are tested."""
    remedy = f"`{sys.executable} -m pip install --require-hashes -r {LOCK_FILE}`"
    for line in LOCK_FILE.read_text(encoding="utf-8").splitlines() if LOCK_FILE.exists() else ():
        if line[:1].isalnum():
            wanted = Requirement(line.removesuffix("\\").strip())
            if wanted.marker is None or wanted.marker.evaluate():
                try:
                    if not wanted.specifier.contains(installed := version(wanted.name), prereleases=True):
                        yield "warn", f"{wanted.name} {installed} is not {wanted.specifier}", remedy
                except PackageNotFoundError:
                    yield "fail", f"{wanted.name} is not installed", remedy


def find_settings(here: Installation) -> Found:
    """Read every setting, and every file of the user and the operator, as the commands do."""
    given = [setting for setting in settings.SETTINGS.values() if setting is not settings.ALERT_URLS]
    reads: list[Callable[[], Any]] = [*(setting.read for setting in given), read_channels]
    reads.append(partial(read_overrides, here.home))
    is_well = True
    for read in reads:
        try:
            read()
        except (AccelmartError, ValueError) as e:
            is_well = False
            yield "fail", str(e)
    if is_well and here.home.scenarios.exists():
        yield "warn", "the next version does not read scenarios.yaml", "`accelmart convert`"


def find_storage(here: Installation) -> Found:
    """Check that data root and landing zone can be written, and that there is room for a build."""
    home, landing = here.home, here.home.local_landing
    if not home.root.exists():
        yield "warn", f"{home.root} does not exist yet", "`accelmart build`; or correct ACCELMART_HOME"
        return
    if landing is None:
        Landing(home.landing_url).newest(next(iter(MLPERF_SOURCES)))  # raises if it cannot be listed
    for folder in {home.root, landing if landing and landing.exists() else home.root}:
        with TemporaryFile(dir=folder):  # raises if it cannot be written
            needed, free = build_needs(home), shutil.disk_usage(folder).free
        if free < DISK_WARN_TIMES * needed:
            text = f"{free / 2**30:,.1f} GiB are free at {folder}; a build needs {needed / 2**30:,.1f}"
            yield "fail" if free < needed else "warn", text


def find_damaged_payloads(here: Installation) -> Found:
    """Compare every object of a local landing zone with its SHA-256."""
    if here.home.local_landing is None:
        return
    landing = Landing(here.home.landing_url)
    # the newest record of each object: of a payload that was quarantined once and good at another time, both
    records = {(p.sha256, p.outcome == "quarantined"): p for p in landing.history()}
    for (sha256, is_quarantined), payload in sorted(records.items(), key=lambda item: item[0]):
        problem = landing.problem_of(payload)
        if problem is None or (is_quarantined and problem == MISSING):  # `prune` removes old quarantined ones
            continue
        newest = landing.latest(payload.source, payload.key)
        text = f"the object of {payload.title}: {problem}"
        if not is_quarantined and newest and newest.sha256 == sha256:
            yield "fail", text, _fetch_again(payload)
        else:
            yield "warn", text


def _fetch_again(payload: Payload) -> str:
    source = MLPERF_SOURCES.get(payload.source)
    option = f" --key {payload.key}" if source is None else ""
    option += f" --release {payload.key}" if source and source.has_releases else ""
    return f"`accelmart fetch {payload.source}{option}`"


def find_interrupted_builds(here: Installation) -> Found:
    """Find a build that hangs, the leftover of a killed one, and the error of the last one."""
    home, pid = here.home, holder_of(here.home.build_lock)
    left = [p.name for p in sorted(home.builds.glob("*"))]
    if left and pid is None:
        yield "warn", f"{len(left)} ended without publishing: {', '.join(left[:3])}"
    if pid and (age := time.time() - psutil.Process(pid).create_time()) > BUILD_TOO_LONG_S:
        remedy = f"`kill {pid}` if it hangs; the next build removes its files"
        yield "warn", f"process {pid} holds {home.build_lock} for {age / 3600:.1f} hours", remedy
    last = last_outcome(home)
    if last is not None and last.status == "failed":
        text = f"the last one failed at {last.at}: {shortened(' '.join(last.problems[:1]))}"
        yield "fail", text, "`accelmart status` shows the rows: correct the cause, then `accelmart build`"


def find_published(here: Installation) -> Found:
    """Compare the published file and the kept generations with their hashes, and open the file."""
    home = here.home
    if not home.published.exists() and published_here(home) is None:
        yield "warn", f"{home.published} does not exist", "`accelmart build` makes it and needs no network"
        return
    current = publication(home)
    name, damaged = current.generation.generation_id, damaged_generations(home)
    again = f"`accelmart rollback --to {name}` copies the undamaged one of file and kept copy"
    is_same = is_intact(home.published, current.generation)
    if not is_same:
        remedy = () if name in damaged else (again,)
        yield "fail", f"{home.published} is changed or damaged: it differs from generation {name}", *remedy
    elif name in damaged:
        yield "fail", f"the kept copy of generation {name} is damaged", again
    else:
        try:
            read_generation(home.published)
        except NoWarehouseError as e:  # another program has it open
            yield "fail", str(e), again
    if others := [one for one in damaged if one != name or not is_same]:
        yield "fail", f"damaged generations: {', '.join(others)}", "`accelmart prune` removes them"
    if home.published.with_name(f"{home.published.name}.wal").exists():
        yield "warn", "a program wrote a write-ahead log beside it", "`accelmart build` removes the log"
    if current.is_pinned:
        yield "warn", f"{name} is pinned: nothing else is published", "`accelmart rollback --unpin`"


def find_late_outputs(here: Installation) -> Found:
    """Compare exports and report with their hashes, the generation of these and of the pages with the published one,
    and what is parsed with its hashes.
    """
    for output in behind(here.home):
        if output.name != PUBLISHED:
            of = f"of generation {output.generation_id}" if output.generation_id else "missing or damaged"
            yield "fail", f"{output.path} is {of}, not as published"
    for account in damaged_parts(here.home.raw):
        yield "fail", f"the parsed rows of {account} are damaged"


def _opened(home: Home) -> dg.DagsterInstance:
    return dg.DagsterInstance.from_config(str(settings.DAGSTER_HOME.read() or home.dagster))


def find_dagster(here: Installation) -> Found:
    """Read Dagster's storage, and compare the version of its tables with that of the installed Dagster."""
    if not settings.has_dagster(here.home):
        return
    with _opened(here.home) as instance:
        instance.get_runs_count()
        for storage in (instance.run_storage, instance.event_log_storage):
            if (versions := storage.alembic_version()) and versions[0] != versions[1]:
                yield "fail", "its tables are of an earlier version", "`dagster instance migrate`"


def find_daemon(here: Installation) -> Found:
    """Read the heartbeats of Dagster's daemon, and which schedules and sensors are off."""
    if not settings.has_dagster(here.home):
        return
    if not settings.ALERT_URLS.text():
        yield "warn", "no alert is sent when something fails", f"set {settings.ALERT_URLS.name}"
    with suppress(*_DAGSTER_ERRORS), _opened(here.home) as instance:
        statuses = instance.get_daemon_statuses()
        beats = [s.last_heartbeat.timestamp for s in statuses.values() if s.last_heartbeat]
        if silent := sorted(name for name, s in statuses.items() if s.required and not s.healthy):
            last = f"{datetime.fromtimestamp(max(beats), UTC):%Y-%m-%d %H:%M} UTC" if beats else "none yet"
            text = f"nothing runs by itself: no heartbeat of {', '.join(silent)} (last: {last})"
            yield "fail" if beats else "warn", text
        for state in instance.all_instigator_state():
            if not state.is_running:
                kind = state.instigator_type.value.lower()
                remedy = f"`dagster {kind} start -m orchestration.definitions {state.name}`"
                yield "warn", f"the {kind} {state.name} is off", remedy


def find_failing_sources(here: Installation) -> Found:
    """Find sources without a key, sources that were last fetched long ago, and payloads that are not used."""
    environment = settings.source_settings()
    for source in LIST_SOURCES.values():
        if (missing := [n for n in source.needs if n not in environment]) and not source.needs_because:
            names = ", ".join(missing)
            yield (
                "warn",
                f"{source.name} is not fetched without {names}",
                f"set {names}; see {source.home_url}",
            )
    for problem in list_problems(here.home):
        if problem.id.partition(":")[0] in ("stale", "quarantined", "isolated"):
            text, _, remedy = problem.detail.partition(" To fix: ")
            yield "warn", f"{problem.title}: {text}", remedy or "look at it; a later payload takes its place"


def find_network(here: Installation) -> Found:
    """Ask every host of a source once."""
    failed = [f"{a.host}: {a.problem}" for a in here.answers if a.problem]
    if len(failed) == len(here.answers):
        yield "fail", f"none of {len(failed)} servers can be used; {failed[0]}"
    else:
        yield from (("warn", text, "try later; its last good data stay published") for text in failed)


CHECKS: dict[str, tuple[Callable[[Installation], Found], str, str]] = {
    "packages": (find_packages, "as in requirements.lock", "check out the code again"),
    "settings": (find_settings, "all are valid, overrides too", "correct it, or unset or remove it"),
    "storage": (find_storage, "writable, with room for a build", "`accelmart prune`; run as the owner"),
    "landing": (find_damaged_payloads, "every object is as it was stored", "take it from a backup"),
    "builds": (find_interrupted_builds, "none hangs, failed or was killed", "`accelmart prune` removes it"),
    "published": (find_published, "as published", "`accelmart rollback` or `accelmart build --force`"),
    "outputs": (
        find_late_outputs,
        "of the published generation, and whole",
        "`accelmart build` writes them again",
    ),
    "dagster": (find_dagster, "readable, or not used here", "correct dagster.yaml; start its PostgreSQL"),
    "daemon": (find_daemon, "it runs, or is not used", "`accelmart ui`, or systemctl start accelmart-daemon"),
    "sources": (find_failing_sources, "fetched on time", "`accelmart refresh`"),
    "network": (find_network, "every server answers", NETWORK_REMEDY),
}
"""Check → its function, what holds if it finds nothing, and its remedy."""
