"""Check the data root, the landing zone, the disk and the locks."""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

import psutil

from ingest.core.landing import Landing
from ingest.core.landing_scrub import scrub
from ingest.core.payload import Payload
from ingest.core.urls import public_url
from ingest.mlperf.registry import MLPERF_SOURCES
from warehouse.backup import SET_ASIDE
from warehouse.disk import build_needs
from warehouse.doctor.finding import Finding
from warehouse.home import Home

# a disk with less than this many times what a build needs is worth a warning
DISK_WARN_TIMES = 4
# the longest measured build takes minutes: a process that holds a lock for hours hangs
LOCK_HELD_TOO_LONG_S = 2 * 3600


def storage(home: Home) -> Iterator[Finding]:
    """Check that the data root and the landing zone exist, are writable and have enough free space."""
    if not home.root.exists():
        yield Finding(
            "data root",
            "warn",
            f"{home.root} does not exist yet",
            "`accelmart build` makes it; or set ACCELMART_HOME to the right folder",
        )
    else:
        yield _writable("data root", home.root)
        aside = sorted(home.root.glob(f"{SET_ASIDE}*"))
        if aside:
            yield Finding(
                "data root",
                "warn",
                f"{', '.join(p.name for p in aside)}: set aside by a restore",
                "remove it once you have checked the restored data",
            )
    landing = home.local_landing
    if landing is None:
        yield _remote_landing(home)
    elif landing.exists() and not landing.is_relative_to(home.root):
        yield _writable("landing zone", landing)
    places = [home.root, *([landing] if landing else [])]
    seen: set[int] = set()
    for place in places:
        existing = next(p for p in (place, *place.parents) if p.exists())
        device = existing.stat().st_dev
        if device not in seen:
            seen.add(device)
            yield _room(existing, build_needs(home))


def _writable(check: str, folder: Path) -> Finding:
    if not folder.is_dir():
        return Finding(check, "fail", f"{folder} is not a folder", "set ACCELMART_HOME to a folder")
    try:
        with TemporaryFile(dir=folder):
            pass
    except OSError as e:
        owner = folder.stat().st_uid
        return Finding(
            check,
            "fail",
            f"{folder} cannot be written: {e.strerror} (owner: user id {owner}, this process: {os.geteuid()})",
            "run as the user who owns the data, or free disk space, or mount it writable",
        )
    return Finding(check, "ok", f"{folder} can be written")


def _remote_landing(home: Home) -> Finding:
    shown = public_url(home.landing_url)
    try:
        Landing(home.landing_url).keys(next(iter(MLPERF_SOURCES)))
    except (OSError, ValueError, ImportError) as e:
        return Finding(
            "landing zone",
            "fail",
            f"{shown}: {public_url(str(e))}",
            "check ACCELMART_LANDING and its credentials",
        )
    return Finding("landing zone", "ok", f"{shown} can be listed")


def _room(place: Path, needed_bytes: int) -> Finding:
    usage = shutil.disk_usage(place)
    shown = f"{usage.free / 2**30:,.1f} GiB free of {usage.total / 2**30:,.1f} at {place}"
    remedy = "`accelmart prune --dry-run` lists what can be removed; or use a larger disk"
    if usage.free < needed_bytes:
        return Finding("disk", "fail", f"{shown}: too little for a build", remedy)
    if usage.free < DISK_WARN_TIMES * needed_bytes:
        return Finding("disk", "warn", shown, remedy)
    return Finding("disk", "ok", shown)


def payloads(home: Home) -> Iterator[Finding]:
    """Compare every stored payload of a local landing zone with its sha256."""
    if home.local_landing is None or not home.local_landing.exists():
        return
    landing = Landing(home.landing_url)
    part = scrub(landing)
    for damage in part.damages:
        payload = damage.payload
        yield Finding(
            "payloads",
            "fail" if damage.is_in_force else "warn",
            f"the object of {payload.source} {payload.key} of {payload.fetched_at:%Y-%m-%d %H:%M} UTC is not what was "
            f"stored: {damage.problem}",
            fetch_again(payload) if damage.is_in_force else "restore the landing zone from a backup",
        )
    if not part.damages and part.checked:
        yield Finding(
            "payloads",
            "ok",
            f"{part.checked} objects, {part.bytes / 2**20:,.1f} MiB, are as they were stored",
        )
    for payload in landing.ahead_of_clock():
        yield Finding(
            "payloads",
            "warn",
            f"{payload.source} {payload.key} of {payload.fetched_at:%Y-%m-%d %H:%M} UTC is not used before that time",
            f"correct the clock that is wrong, then {fetch_again(payload)}",
        )


def fetch_again(payload: Payload) -> str:
    """Return the command that brings a payload once more."""
    source = MLPERF_SOURCES.get(payload.source)
    if source is None:
        return f"`accelmart fetch {payload.source} --key {payload.key}`"
    return f"`accelmart fetch {payload.source}{f' --release {payload.key}' if source.has_releases else ''}`"


def locks(home: Home) -> Iterator[Finding]:
    """Report the process that holds each lock. A lock file without a holder is free: the kernel releases locks."""
    named = [home.build_lock, home.maintenance_lock, home.dbt_target / "manifest.lock"]
    free = []
    for path in named:
        if not path.exists():
            continue
        holder = holder_of(path)
        if holder is None:
            free.append(path.name)
            continue
        shown = f"{path.name} is held by {holder.description}"
        if holder.seconds is not None and holder.seconds > LOCK_HELD_TOO_LONG_S:
            yield Finding(
                "locks",
                "warn",
                f"{shown} for {holder.seconds / 3600:.1f} hours",
                f"check what it does; if it hangs: kill {holder.pid}. The next build removes its files",
            )
        else:
            yield Finding("locks", "ok", shown)
    if free:
        yield Finding("locks", "ok", f"free: {', '.join(free)}")


@dataclass(frozen=True)
class Holder:
    """The process that holds a lock.

    Args:
        pid: process id; None if unknown.
        command: command line of the process.
        seconds: seconds since the process started.
    """

    pid: int | None = None
    command: str = ""
    seconds: float | None = None

    @property
    def description(self) -> str:
        """Return the process id and command for a message."""
        return f"process {self.pid} ({self.command})" if self.pid else "an unknown process"


def holder_of(path: Path) -> Holder | None:
    """Return the process that holds the lock on a file, or None if it is free."""
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
