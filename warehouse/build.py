"""A build under way: its folder, its lock, what dbt found, and how it ended. Nothing is ever changed in place.

`warehouse.prepare` fills the folder. This module is quick to import: `accelmart build` asks it first.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import psutil
from filelock import FileLock, Timeout

from ingest.core.errors import AccelmartError
from warehouse.home import DBT_PROJECT_DIR, Home
from warehouse.publish import Generation, NotPublishableError

# dbt's own variable: where it works
PROJECT_VARIABLE = "DBT_PROJECT_DIR"


class BuildRunningError(AccelmartError):
    """Another build holds the lock."""


@dataclass(frozen=True)
class Build:
    """One build under way, in a folder of its own.

    Args:
        folder: holds the raw links and the file being built.
    """

    folder: Path

    @property
    def database(self) -> Path:
        """The file being built."""
        return self.folder / "build.duckdb"

    @property
    def raw(self) -> Path:
        """The parts in force, by raw table."""
        return self.folder / "raw"

    @property
    def project(self) -> Path:
        """The dbt project, linked into the folder: its paths to the file and to the parts are relative to it."""
        return self.folder / "project"


def link_project(folder: Path) -> Path:
    """Link the dbt project's files and folders into ``project`` below a folder, and return that path.

    dbt works in its project's folder, and resolves the paths of its profile and of its sources there.
    """
    project = folder / "project"
    project.mkdir(parents=True)
    for entry in DBT_PROJECT_DIR.iterdir():
        if not entry.name.startswith(".") and entry.name not in ("target", "logs"):
            (project / entry.name).symlink_to(entry)
    return project


@dataclass(frozen=True)
class BuildOutcome:
    """What a build did.

    Args:
        generation: the one in force.
        is_new: whether this build published it.
        parsed: rounds that were parsed for it.
        warnings: rows of checks that warn, and problems with the report and the exports, one line each.
        new_warnings: those that the generation before did not have.
        isolated: payloads that failed checks and are not used, one line each.
    """

    generation: Generation
    is_new: bool
    parsed: list[str]
    warnings: list[str]
    new_warnings: list[str] = field(default_factory=list)
    isolated: list[str] = field(default_factory=list)


@contextmanager
def exclusive(home: Home, wait_s: float) -> Iterator[None]:
    """One build at a time. The kernel frees the lock when its holder dies; within a process it can be nested.

    Where several workers share a store, the data root is first brought up to date with it, and what is new is given
    back at the end; one worker at a time does that (`warehouse.store.shared`).

    Raises:
        BuildRunningError: another build, here or on another worker, goes on for longer than `wait_s`.
        StoreError: the store cannot be reached.
        LeaseLostError: another worker has taken over; what was built is not published.
    """
    home.root.mkdir(parents=True, exist_ok=True)
    lock = FileLock(home.build_lock, is_singleton=True)
    started = time.monotonic()
    try:
        lock.acquire(timeout=wait_s)
    except Timeout as e:
        raise BuildRunningError(
            f"another build is running (lock {home.build_lock}). Wait for it, or call again with --wait SECONDS"
        ) from e
    try:
        if not home.store_url or lock.lock_counter > 1:
            yield
            return
        from warehouse.store import LeaseHeldError, shared

        try:
            with shared(home, wait_s - (time.monotonic() - started)):
                yield
        except LeaseHeldError as e:
            raise BuildRunningError(str(e)) from e
    finally:
        lock.release()


def follow_store(home: Home) -> None:
    """Where several workers share a store, have here what they published; not while this data root is built in.

    Raises:
        StoreError: the store cannot be reached.
    """
    if not home.store_url:
        return
    from warehouse.store import follow

    home.root.mkdir(parents=True, exist_ok=True)
    with suppress(Timeout), FileLock(home.build_lock, is_singleton=True).acquire(timeout=0):
        follow(home)


def raw_lock(home: Home) -> FileLock:
    """Return the lock of the raw layer of this data root; within a process it can be nested."""
    home.root.mkdir(parents=True, exist_ok=True)
    return FileLock(home.raw_lock, is_singleton=True)


@contextmanager
def raw_layer(home: Home) -> Iterator[None]:
    """One process at a time folds prices or links what was folded: a new fold removes the one before."""
    with raw_lock(home) as lock, parsing(home, is_folding=True, is_nested=lock.lock_counter > 1):
        yield


@contextmanager
def parsing(home: Home, *, is_folding: bool = False, is_nested: bool = False) -> Iterator[None]:
    """Parse payloads: where several workers share a store, what one has parsed is there for all.

    Args:
        home: the installation.
        is_folding: prices are folded; the caller holds `raw_lock`.
        is_nested: a surrounding block takes care of the store, as `exclusive` does.
    """
    if not home.store_url or is_nested or FileLock(home.build_lock, is_singleton=True).is_locked:
        yield
        return
    from warehouse.store import shared_raw

    with shared_raw(home, is_folding=is_folding):
        yield


def close(build: Build) -> None:
    """Checkpoint the built file, so that it needs no write-ahead log.

    Raises:
        NotPublishableError: it cannot be opened or checkpointed.
    """
    try:
        with duckdb.connect(str(build.database)) as db:
            db.execute("checkpoint")
    except duckdb.Error as e:
        raise NotPublishableError(f"{build.database} cannot be closed: {e}. Build again") from e


def discard(build: Build) -> None:
    """Remove a build's folder."""
    shutil.rmtree(build.folder, ignore_errors=True)


def sweep(home: Home) -> list[str]:
    """End the processes of killed builds and remove their folders. The caller holds `exclusive`.

    Returns:
        Names of the folders removed.
    """
    for process in _orphans(home):
        with suppress(psutil.NoSuchProcess):  # ended by itself meanwhile
            process.kill()
            process.wait(timeout=10)
    removed = []
    for folder in sorted(home.builds.glob("*")):
        shutil.rmtree(folder, ignore_errors=True)
        removed.append(folder.name)
    return removed


def _orphans(home: Home) -> list[psutil.Process]:
    """Return the dbt processes of this home's builds. The caller holds the lock, so their build is dead."""
    builds = str(home.builds) + os.sep
    orphans = []
    own = {os.getpid(), *(child.pid for child in psutil.Process().children(recursive=True))}
    for process in psutil.process_iter():
        try:
            if process.pid not in own and process.environ().get(PROJECT_VARIABLE, "").startswith(builds):
                orphans.append(process)
        except psutil.Error:
            continue  # ended meanwhile, or belongs to another user
    return orphans


ROWS_SHOWN = 5
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def dbt_results(build: Build, statuses: tuple[str, ...]) -> list[dict[str, Any]]:
    """Results of dbt's run that ended in one of these states; empty when dbt left none."""
    path = build.folder / "dbt" / "run_results.json"
    if not path.exists():
        return []
    return [r for r in json.loads(path.read_text(encoding="utf-8"))["results"] if r["status"] in statuses]


def findings(build: Build, statuses: tuple[str, ...] = ("fail", "error")) -> list[str]:
    """Which dbt tests and models ended in one of these states, with the first rows each test returned.

    Args:
        build: as dbt left it.
        statuses: ``fail`` and ``error`` keep a build from publication, ``warn`` does not.

    Returns:
        One line a test, ``name: column value, …; …``. Hooks at the end of the run follow from what failed before them:
        they are listed only where nothing else failed.
    """
    lines: list[str] = []
    hooks: list[str] = []
    for result in dbt_results(build, statuses):
        kind, _, name = result["unique_id"].split(".")[:3]
        is_test = kind == "test" and result["status"] != "error"
        rows = _rows_found(build, result["compiled_code"]) if is_test else ""
        words = rows or _COLOURS.sub("", str(result["message"]))
        (hooks if kind == "operation" else lines).append(f"{kind} {name}: {words}")
    return lines or hooks


def _rows_found(build: Build, query: str) -> str:
    try:
        with duckdb.connect(str(build.database), read_only=True) as db:
            # the compiled test names the catalog dbt attached the file under, and raw files as dbt sees them
            db.execute("set file_search_path = ?", [str(build.project)])
            result = db.execute(query)
            names = [c[0] for c in result.description or []]
            rows = result.fetchall()
    except duckdb.Error:
        return ""
    shown = ["; ".join(_cells(names, row) for row in rows[:ROWS_SHOWN])]
    if len(rows) > ROWS_SHOWN:
        shown.append(f"and {len(rows) - ROWS_SHOWN} more")
    return " ".join(shown)


def _cells(names: list[str], row: tuple[object, ...]) -> str:
    return ", ".join(f"{n} {v}" for n, v in zip(names, row, strict=True) if v is not None)
