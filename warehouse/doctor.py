"""What can be wrong with an installation, looked at without changing it; each finding says what to do."""

from __future__ import annotations

import fcntl
import os
import shutil
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from tempfile import TemporaryFile
from typing import Literal
from urllib.parse import urlsplit

import duckdb
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
from packaging.requirements import Requirement

from ingest.errors import AccelmartError, FetchFailed
from ingest.fetch.http import MIRROR_VARIABLE, HttpClient
from ingest.fetch.plan import plan_of
from ingest.landing import Landing
from ingest.mlperf.releases import inference_repository, training_repository
from ingest.prices.registry import PRICE_SOURCES
from ingest.prices.source import PriceSource
from ingest.source import (
    MLPERF_COLLECTION,
    MLPERF_INFERENCE,
    MLPERF_TRAINING,
    MLPERF_TRAINING_COLLECTION,
    SOURCES,
    upstream_url,
)
from ingest.specs.registry import SPEC_SOURCES
from ingest.urls import public_url
from warehouse.backup import SET_ASIDE
from warehouse.build import scenarios_file
from warehouse.home import DBT_PROJECT_DIR, SNAPSHOT_DIR, Home
from warehouse.publish import NoWarehouseError, generations_kept, read_generation
from warehouse.scenarios import read_scenarios

Status = Literal["ok", "warn", "fail"]

# a build needs about twice the published file beside it, and dbt and DuckDB spill on top
DISK_FAIL_BYTES, DISK_WARN_BYTES = 512 << 20, 2 << 30
DISK_FAIL_FILES, DISK_WARN_FILES = 2, 5
# the longest build measured takes minutes; a lock held for hours is a process that hangs
LOCK_HELD_TOO_LONG_S = 2 * 3600
# a certificate or an ETag is judged by the clock; polls are dated by it
CLOCK_WARN_S, CLOCK_FAIL_S = 60, 300
REACH_TIMEOUT_S = 5.0
_REACHED_AT_ONCE = 16
LOCK_FILE = DBT_PROJECT_DIR.parent / "requirements.lock"
_LISTS: dict[str, PriceSource] = {**PRICE_SOURCES, **SPEC_SOURCES}


@dataclass(frozen=True)
class Finding:
    """One line of the doctor.

    Args:
        check: what was looked at.
        status: ``ok``; ``warn``: it works, and something should be done; ``fail``: something does not work.
        found: what was found.
        remedy: what to do; empty when ok.
    """

    check: str
    status: Status
    found: str
    remedy: str = ""


def examine(home: Home, environment: Mapping[str, str], *, offline: bool) -> Iterator[Finding]:
    """Everything but Dagster.

    Args:
        home: the installation.
        environment: for keys and settings.
        offline: leave the network alone.
    """
    yield from python_and_packages()
    yield from settings(home)
    yield from storage(home)
    yield from locks(home)
    yield from builds(home)
    yield from published(home)
    yield from snapshot(SNAPSHOT_DIR)
    yield from keys(_LISTS.values(), environment)
    if not offline:
        yield from network(_addresses(environment))


def python_and_packages(lock: Path = LOCK_FILE) -> Iterator[Finding]:
    """The interpreter, and the installed packages against the lock they are tested with."""
    found = sys.version_info
    told = f"{found.major}.{found.minor}.{found.micro}"
    yield (
        Finding("python", "ok", told)
        if found >= (3, 11)
        else Finding("python", "fail", told, "install Python 3.11 or newer and make the environment anew")
    )
    missing = [r.name for r in _required() if _installed(r.name) is None]
    if missing:
        yield Finding(
            "packages",
            "fail",
            f"not installed: {', '.join(missing)}",
            "pip install --require-hashes -r requirements.lock",
        )
        return
    engines = ", ".join(f"{n} {_installed(n)}" for n in ("dagster", "dbt-core", "dbt-duckdb", "duckdb"))
    if not lock.exists():
        yield Finding("packages", "ok", f"{engines}; not compared, there is no {lock.name} beside the code")
        return
    other = [
        f"{r.name} {_installed(r.name)} ({r.specifier} in the lock)"
        for r in _locked(lock)
        if (v := _installed(r.name)) is not None and not r.specifier.contains(v, prereleases=True)
    ]
    yield (
        Finding(
            "packages",
            "warn",
            f"other versions than were tested: {', '.join(other)}",
            "pip install --require-hashes -r requirements.lock",
        )
        if other
        else Finding("packages", "ok", f"{engines}; as in {lock.name}")
    )


def _required() -> list[Requirement]:
    try:
        named = requires("accelmart") or []
    except PackageNotFoundError:
        named = []
    found = [Requirement(line) for line in named]
    return [r for r in found if r.marker is None or r.marker.evaluate({"extra": ""})]


def _locked(lock: Path) -> Iterator[Requirement]:
    for line in lock.read_text(encoding="utf-8").splitlines():
        if line[:1].isalnum():
            found = Requirement(line.removesuffix("\\").strip())
            if found.marker is None or found.marker.evaluate():
                yield found


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def settings(home: Home) -> Iterator[Finding]:
    """What is set by environment and by the user's own file, as the commands will read it."""
    readers: dict[str, Callable[[], object]] = {
        "ACCELMART_GENERATIONS_KEPT": generations_kept,
        "HTTP settings": HttpClient,
    }
    stated = scenarios_file(home)
    if stated.exists():
        readers[stated.name] = lambda: read_scenarios(stated)
    for name, read in readers.items():
        try:
            read()
        except (AccelmartError, ValueError) as e:
            yield Finding("settings", "fail", f"{name}: {e}", "correct or unset it")
            continue
        yield Finding("settings", "ok", name)


def storage(home: Home) -> Iterator[Finding]:
    """The data root and the landing zone: there, ours to write, with room."""
    if not home.root.exists():
        yield Finding(
            "data root",
            "warn",
            f"{home.root} does not exist yet",
            "`accelmart build` makes it; or set ACCELMART_HOME to the right place",
        )
    else:
        yield _writable("data root", home.root)
        aside = sorted(home.root.glob(f"{SET_ASIDE}*"))
        if aside:
            yield Finding(
                "data root",
                "warn",
                f"{', '.join(p.name for p in aside)}: set aside by a restore",
                "remove it once the restored data are as they should be",
            )
    landing = home.local_landing
    if landing is None:
        yield _remote_landing(home)
    elif landing.exists() and not landing.is_relative_to(home.root):
        yield _writable("landing zone", landing)
    places = [home.root, *([landing] if landing else [])]
    seen: set[int] = set()
    for place in places:
        there = next(p for p in (place, *place.parents) if p.exists())
        device = there.stat().st_dev
        if device not in seen:
            seen.add(device)
            yield _room(there, home.published.stat().st_size if home.published.exists() else 0)


def _writable(check: str, folder: Path) -> Finding:
    if not folder.is_dir():
        return Finding(check, "fail", f"{folder} is no folder", "set ACCELMART_HOME to a folder")
    try:
        with TemporaryFile(dir=folder):
            pass
    except OSError as e:
        owner = folder.stat().st_uid
        return Finding(
            check,
            "fail",
            f"{folder} cannot be written: {e.strerror} (it belongs to user id {owner}, this is {os.geteuid()})",
            "run as the user the data belong to, or make room, or mount it writable",
        )
    return Finding(check, "ok", f"{folder} can be written")


def _remote_landing(home: Home) -> Finding:
    shown = public_url(home.landing_url)
    try:
        Landing(home.landing_url).keys(next(iter(SOURCES)))
    except (OSError, ValueError, ImportError) as e:
        return Finding(
            "landing zone",
            "fail",
            f"{shown}: {public_url(str(e))}",
            "check ACCELMART_LANDING and its credentials",
        )
    return Finding("landing zone", "ok", f"{shown} can be listed")


def _room(place: Path, published_bytes: int) -> Finding:
    usage = shutil.disk_usage(place)
    told = f"{usage.free / 2**30:,.1f} GiB free of {usage.total / 2**30:,.1f} at {place}"
    remedy = "`accelmart prune --dry-run` shows what may go; or give the data a larger disk"
    if usage.free < max(DISK_FAIL_BYTES, DISK_FAIL_FILES * published_bytes):
        return Finding("disk", "fail", f"{told}: too little for a build", remedy)
    if usage.free < max(DISK_WARN_BYTES, DISK_WARN_FILES * published_bytes):
        return Finding("disk", "warn", told, remedy)
    return Finding("disk", "ok", told)


def locks(home: Home) -> Iterator[Finding]:
    """Who holds what. A lock file nobody holds is free: the kernel frees a lock when its holder dies."""
    named = [home.build_lock, home.maintenance_lock, home.dbt_target / "manifest.lock"]
    free = []
    for path in (*named, *sorted(home.repositories.glob("*.lock"))):
        if not path.exists():
            continue
        holder = holder_of(path)
        if holder is None:
            free.append(path.name)
            continue
        told = f"{path.name} is held by {holder.told}"
        if holder.seconds is not None and holder.seconds > LOCK_HELD_TOO_LONG_S:
            yield Finding(
                "locks",
                "warn",
                f"{told} for {holder.seconds / 3600:.1f} hours",
                f"look at what it does; if it hangs: kill {holder.pid}. The next build cleans up behind it",
            )
        else:
            yield Finding("locks", "ok", told)
    if free:
        yield Finding("locks", "ok", f"free: {', '.join(free)}")


@dataclass(frozen=True)
class Holder:
    """Who holds a lock.

    Args:
        pid: of the process; None if it cannot be known.
        command: its command line.
        seconds: since it was started.
    """

    pid: int | None = None
    command: str = ""
    seconds: float | None = None

    @property
    def told(self) -> str:
        """For people."""
        return (
            f"process {self.pid} ({self.command})" if self.pid else "a process that cannot be seen from here"
        )


def holder_of(path: Path) -> Holder | None:
    """Who holds the lock on a file, or None if it is free."""
    table = Path("/proc/locks")
    if not table.exists():
        return Holder() if _is_taken(path) else None
    inode = path.stat().st_ino
    for line in table.read_text(encoding="ascii").splitlines():
        words = line.split()
        if words[1] != "FLOCK" or words[5].rpartition(":")[2] != str(inode):
            continue
        pid = int(words[4])
        try:
            process = psutil.Process(pid)
            command = " ".join(process.cmdline())[:120]
            # inode numbers are unique within a filesystem only
            if not any(Path(f.path) == path.resolve() for f in process.open_files()):
                continue
            return Holder(pid, command, time.time() - process.create_time())
        except (psutil.AccessDenied, psutil.NoSuchProcess, ValueError):
            return Holder() if _is_taken(path) else None
    return None


def _is_taken(path: Path) -> bool:
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
    return False


def builds(home: Home) -> Iterator[Finding]:
    """Folders of builds that were killed."""
    folders = [p.name for p in sorted(home.builds.glob("*")) if not p.is_symlink()]
    is_running = home.build_lock.exists() and holder_of(home.build_lock) is not None
    if folders and not is_running:
        yield Finding(
            "builds",
            "warn",
            f"{len(folders)} ended without publication: {', '.join(folders[:3])}",
            "the next build removes them, as does `accelmart prune`; why it ended is in its run: `accelmart ui`",
        )
    else:
        yield Finding("builds", "ok", "one is running" if folders else "none is left over")


def published(home: Home) -> Iterator[Finding]:
    """The published file: there, and whole. Every block is read, against DuckDB's own checksums."""
    rollback = (
        "`accelmart rollback` publishes the generation before, `accelmart build --force` makes a new one"
    )
    if not home.published.exists():
        yield Finding(
            "published",
            "warn",
            f"{home.published} does not exist",
            "`accelmart build` makes it, without a network",
        )
        return
    try:
        generation = read_generation(home.published)
        tables = _read_whole(home.published)
    except NoWarehouseError as e:
        yield Finding("published", "fail", str(e), rollback)
        return
    except duckdb.Error as e:
        yield Finding("published", "fail", f"{home.published} is damaged: {str(e)[:300]}", rollback)
        return
    if home.published.with_name(home.published.name + ".wal").exists():
        yield Finding(
            "published",
            "warn",
            "a write-ahead log lies beside the published file: somebody wrote into it",
            "open it read-only (duckdb -readonly); `accelmart build --force` makes it anew",
        )
    age = (datetime.now(UTC) - generation.built_at).total_seconds() / 86400
    yield Finding(
        "published", "ok", f"{generation.generation_id}, {age:,.1f} days old, {tables} tables read whole"
    )
    broken = []
    for path in sorted(home.generations.glob("*.duckdb")):
        try:
            read_generation(path)
        except NoWarehouseError:
            broken.append(path.name)
    if broken:
        yield Finding(
            "generations",
            "fail",
            f"cannot be opened: {', '.join(broken)}",
            "remove them; they are for rollback only",
        )


def _read_whole(path: Path) -> int:
    with duckdb.connect(str(path), read_only=True) as db:
        tables = db.execute("select database_name, schema_name, table_name from duckdb_tables()").fetchall()
        for names in tables:
            quoted = ".".join('"' + n.replace('"', '""') + '"' for n in names)
            db.execute(f"select bit_xor(hash(t)) from {quoted} as t").fetchall()  # noqa: S608
    return len(tables)


def snapshot(folder: Path) -> Iterator[Finding]:
    """The facts shipped with the code can be read."""
    files = sorted(folder.rglob("*.parquet"))
    remedy = "check the code out anew, or install it again"
    if not files:
        yield Finding("snapshot", "fail", f"there is nothing in {folder}", remedy)
        return
    for path in files:
        try:
            pq.read_table(path)
        except (OSError, pa.ArrowException) as e:
            yield Finding("snapshot", "fail", f"{path} cannot be read: {e}", remedy)
            return
    yield Finding("snapshot", "ok", f"{len(files)} files")


def keys(sources: Iterable[PriceSource], environment: Mapping[str, str]) -> Iterator[Finding]:
    """Which sources want a key, and whether it is set. Never what it is."""

    def is_set(name: str) -> bool:
        return bool(environment.get(name, "").strip())

    for source in sources:
        if missing := [n for n in source.needs if not is_set(n)]:
            yield Finding(
                f"key: {source.name}",
                "warn",
                f"{', '.join(missing)} not set: this source is not asked",
                f"set it in the environment of daemon and commands, or do without; see {source.home_url}",
            )
        elif source.needs or source.optional:
            told = [f"{n} set" for n in source.needs] + [
                f"{n} {'set' if is_set(n) else 'not set (optional)'}" for n in source.optional
            ]
            yield Finding(f"key: {source.name}", "ok", ", ".join(told))


def _addresses(environment: Mapping[str, str]) -> dict[str, list[str]]:
    """Source → one address of each host it is fetched from; sources that are not fetched are left out."""
    found: dict[str, list[str]] = {}
    for name, source in _LISTS.items():
        fetches, _ = plan_of(source, environment)
        by_host = {urlsplit(f.first.url).netloc: f.first.url for f in reversed(fetches)}
        if by_host:
            found[name] = list(by_host.values())
    # a repository that exists stands for all of them: they are on one host
    found[MLPERF_INFERENCE] = [inference_repository("v5.0")]
    found[MLPERF_TRAINING] = [training_repository("v5.0")]
    for name in (MLPERF_COLLECTION, MLPERF_TRAINING_COLLECTION):
        found[name] = [upstream_url(SOURCES[name], None)]
    return found


def network(addresses: Mapping[str, list[str]]) -> Iterator[Finding]:
    """Whether each source can be reached, all at once, one request a host; and what their clocks say of ours.

    Args:
        addresses: source → URLs, one a host.
    """
    try:
        client = HttpClient(
            connect_timeout_seconds=REACH_TIMEOUT_S, read_timeout_seconds=REACH_TIMEOUT_S, retries=0
        )
    except ValueError as e:
        yield Finding("network", "fail", f"no source can be asked: {e}", "correct or unset it")
        return
    hosts = {urlsplit(url).netloc.rpartition("@")[2]: url for urls in addresses.values() for url in urls}
    with ThreadPoolExecutor(_REACHED_AT_ONCE) as pool:
        answers = dict(zip(hosts, pool.map(lambda url: _reached(client, url), hosts.values()), strict=True))
    for name, urls in sorted(addresses.items()):
        found = [answers[urlsplit(url).netloc.rpartition("@")[2]].finding for url in urls]
        worst: Status = max((f.status for f in found), key=("ok", "warn", "fail").index)
        yield Finding(
            f"network: {name}",
            worst,
            "; ".join(f.found for f in found if f.status == worst),
            next((f.remedy for f in found if f.status == worst), ""),
        )
    yield from _clock([a.skew for a in answers.values() if a.skew is not None])


@dataclass(frozen=True)
class _Answer:
    finding: Finding
    skew: float | None = None


def _reached(client: HttpClient, url: str) -> _Answer:
    host = urlsplit(url).netloc.rpartition("@")[2]
    started = time.time()
    try:
        status, date = client.reach(url)
    except FetchFailed as e:
        return _Answer(
            Finding(
                host,
                "fail",
                str(e).partition(". To fix: ")[0],
                f"{e.remedy}; its last good data stay in force",
            )
        )
    ended = time.time()
    skew = None
    if date:
        try:
            # a Date header has whole seconds: half a one on average
            skew = (started + ended) / 2 - (parsedate_to_datetime(date).timestamp() + 0.5)
        except (TypeError, ValueError):
            skew = None
    told = f"{host} answered {status} in {ended - started:.1f} s"
    if status == 429 or status >= 500:
        return _Answer(Finding(host, "warn", told, "it is there and has trouble of its own: try later"), skew)
    return _Answer(Finding(host, "ok", told), skew)


def _clock(skews: list[float]) -> Iterator[Finding]:
    if not skews:
        yield Finding(
            "clock",
            "warn",
            "not compared: no server told its time",
            f"see the network's lines above; a mirror ({MIRROR_VARIABLE}) should pass Date on",
        )
        return
    # one server's clock may be off, hardly the median
    skew = statistics.median(skews)
    told = f"{abs(skew):.0f} s {'ahead of' if skew > 0 else 'behind'} {len(skews)} servers"
    remedy = "set the clock and keep it set (NTP, such as systemd-timesyncd): prices are dated by it"
    if abs(skew) > CLOCK_FAIL_S:
        yield Finding("clock", "fail", told, remedy)
    elif abs(skew) > CLOCK_WARN_S:
        yield Finding("clock", "warn", told, remedy)
    else:
        yield Finding("clock", "ok", f"within {CLOCK_WARN_S} s of {len(skews)} servers")
