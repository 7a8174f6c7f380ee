"""One build: its folder with raw links, dbt project and the file being built, and its outcome."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import duckdb
import psutil

from warehouse.publication.generation import Generation, NotPublishableError
from warehouse.storage.home import DBT_PROJECT_DIR, Home

PROJECT_VARIABLE = "DBT_PROJECT_DIR"
"""dbt's own variable for the folder it works in; it also tells the dbt processes of a data root from others."""
MODELS = "models and tests"
"""Name of the step that dbt does."""


@dataclass(frozen=True)
class Build:
    """One build in progress.

    Args:
        folder: holds the raw links, the dbt project and the file being built.
    """

    folder: Path

    @property
    def database(self) -> Path:
        """The file being built."""
        return self.folder / "build.duckdb"

    @property
    def published(self) -> Path:
        """What of it is published, before it has its name."""
        return self.folder / "published.duckdb"

    @property
    def raw(self) -> Path:
        """The active parts, by raw table."""
        return self.folder / "raw"

    @property
    def project(self) -> Path:
        """The dbt project, linked into the folder: its paths to the file and to the parts are relative to it."""
        return self.folder / "project"

    @property
    def target(self) -> Path:
        """What dbt writes: manifest, run results, compiled SQL, log."""
        return self.folder / "dbt"


@dataclass(frozen=True)
class BuildOutcome:
    """What a build did.

    Args:
        generation: the published one.
        is_new: whether this build published it.
        warnings: rows of checks that warn, and problems with the report and the exports, one line each.
        new_warnings: those that the generation before did not have.
        isolated: payloads that failed checks and lines of the user's price files that are not used, one line each.
    """

    generation: Generation
    is_new: bool
    warnings: list[str] = field(default_factory=list)
    new_warnings: list[str] = field(default_factory=list)
    isolated: list[str] = field(default_factory=list)


class Step(NamedTuple):
    """A step of a build that begins, or how far it has come.

    Args:
        name: one of `warehouse.build.driver.STEPS`.
        progress: such as ``12 of 324``; empty at the begin.
    """

    name: str
    progress: str = ""

    @property
    def words(self) -> str:
        """Name and progress, for people."""
        return f"{self.name}: {self.progress}" if self.progress else self.name


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


def opened(build: Build) -> duckdb.DuckDBPyConnection:
    """Open the file of a build read-only, as dbt has it: its compiled tests name the catalog and the raw files."""
    return duckdb.connect(str(build.database), read_only=True, config={"file_search_path": str(build.raw)})


def discard(build: Build) -> None:
    """Remove a build's folder."""
    shutil.rmtree(build.folder, ignore_errors=True)


def remove_stale(home: Home) -> list[str]:
    """End the processes of killed builds and remove their folders. The caller holds the lock of builds.

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
