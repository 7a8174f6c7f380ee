"""A build: raw parts in force → dbt → one closed DuckDB file. Nothing is ever changed in place."""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import duckdb
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
from filelock import FileLock, Timeout

from ingest.core.errors import AccelmartError
from warehouse.changes import export_previous
from warehouse.files import written_whole
from warehouse.holds import TABLE as HOLDS
from warehouse.holds import Holds, read_holds, write_holds
from warehouse.home import DBT_PROJECT_DIR, Home
from warehouse.isolation import TABLE as ISOLATED
from warehouse.isolation import write_isolated
from warehouse.lake import Lake, complete_tables, data_version, link_tables
from warehouse.overrides import TABLE as REFERENCE_OVERRIDES
from warehouse.overrides import fingerprint as overrides_fingerprint
from warehouse.overrides import write_overrides_table
from warehouse.price_fold import Bundle
from warehouse.publish import NotPublishableError
from warehouse.raw import RawPart
from warehouse.scenarios import FILE_NAME as SCENARIOS_FILE
from warehouse.scenarios import TABLE as OVERRIDES
from warehouse.scenarios import write_overrides

# What else decides the outcome, beside our own code and the parts.
_ENGINES = ("duckdb", "dbt-core", "dbt-duckdb")
_PROJECT_FILES = ("*.sql", "*.yml", "*.csv", "*.md")
_RULES_MARK = "unit_tests.passed"
_DERIVED_FOLDERS = {"target", "logs"}


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


BUILD_INFO = "build_info"


def environment(home: Home) -> dict[str, str]:
    """What the dbt profile and sources read.

    The same for every build, through a link to the current one: dbt parses the whole project anew when
    such a value changes.
    """
    current = home.builds / "current"
    return {"ACCELMART_BUILD_DB": str(current / "build.duckdb"), "ACCELMART_BUILD_RAW": str(current / "raw")}


def _new_generation_id() -> str:
    """Time first, so that names sort by age; a random end, so that two never collide."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"


def project_files() -> list[Path]:
    """Everything of the dbt project that decides what comes out."""
    return sorted(
        path
        for pattern in _PROJECT_FILES
        for path in DBT_PROJECT_DIR.rglob(pattern)
        if not _DERIVED_FOLDERS & set(path.relative_to(DBT_PROJECT_DIR).parts)
    )


def project_fingerprint() -> str:
    """Hash over names and contents of the dbt project's files."""
    digest = hashlib.sha256()
    for path in project_files():
        digest.update(str(path.relative_to(DBT_PROJECT_DIR)).encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def input_fingerprint(
    home: Home, parts: list[RawPart], tables: list[Bundle | RawPart], holds: Holds | None = None
) -> str:
    """Hash of all a build's inputs: two builds of one fingerprint hold the same data.

    Args:
        home: the installation.
        parts: MLPerf parts in force.
        tables: folded prices and specifications in force.
        holds: the holds `parts` and `tables` were chosen by; None reads those in force.
    """
    engines = [f"{name}=={version(name)}" for name in (*_ENGINES, "accelmart")]
    stated = scenarios_file(home)
    own = hashlib.sha256(stated.read_bytes()).hexdigest() if stated.exists() else ""
    words = [
        data_version(parts),
        data_version(tables),
        project_fingerprint(),
        own,
        overrides_fingerprint(home),
        *engines,
    ]
    words.append((read_holds(home) if holds is None else holds).fingerprint())
    return hashlib.sha256("\n".join(words).encode()).hexdigest()


def scenarios_file(home: Home) -> Path:
    """The user's own assumptions about ownership, if there are any."""
    return home.root / SCENARIOS_FILE


def _rules_fingerprint() -> str:
    """What dbt's unit tests and the tests of seeds depend on: the project and the engines, never the data."""
    engines = [f"{name}=={version(name)}" for name in _ENGINES]
    return hashlib.sha256("\n".join([project_fingerprint(), *engines]).encode()).hexdigest()


def are_rules_tested(home: Home) -> bool:
    """Whether unit tests and tests of seeds passed already with this project and these engines.

    New data does not change that.
    """
    mark = home.dbt_target / _RULES_MARK
    return mark.exists() and mark.read_text(encoding="utf-8") == _rules_fingerprint()


def note_tested_rules(home: Home) -> None:
    """Remember that unit tests and tests of seeds passed."""
    with written_whole(home.dbt_target / _RULES_MARK) as temporary:
        temporary.write_text(_rules_fingerprint(), encoding="utf-8")


_BUILD_INFO = pa.schema(
    [
        ("generation_id", pa.string()),
        ("previous_generation_id", pa.string()),
        ("built_at", pa.timestamp("us", "UTC")),
        ("input_fingerprint", pa.string()),
        ("code_version", pa.string()),
        ("are_changes_accepted", pa.bool_()),
    ]
)


def prepare(lake: Lake, name: str, *, accept_changes: bool = False) -> Build:
    """A fresh folder with the parts in force and the build's own particulars, linked as the current build.

    To be called by who holds `exclusive`.

    Args:
        lake: where the parts are.
        name: of the folder.
        accept_changes: let the build pass though it lost, or moved, more against the published generation
            than the checks allow.
    """
    build = Build(lake.home.builds / name)
    build.folder.mkdir(parents=True)
    write_overrides(scenarios_file(lake.home), build.raw / OVERRIDES / "overrides.parquet")
    write_overrides_table(lake.home, build.raw / REFERENCE_OVERRIDES / "overrides.parquet")
    parts = lake.parts_in_force()
    tables = lake.tables()
    link_tables([*parts, *tables], build.raw)
    complete_tables(build.raw, may_be_empty=lake.holds.has_withdrawals)
    write_isolated(lake.home, lake.isolated.values(), build.raw / ISOLATED / "isolated.parquet")
    write_holds(lake.holds, lake.home.published, build.raw / HOLDS / "holds.parquet")
    info = {
        "generation_id": _new_generation_id(),
        "previous_generation_id": export_previous(lake.home.published, build.raw),
        "built_at": datetime.now(UTC),
        "input_fingerprint": input_fingerprint(lake.home, parts, tables, lake.holds),
        "code_version": version("accelmart"),
        "are_changes_accepted": accept_changes,
    }
    (build.raw / BUILD_INFO).mkdir()
    pq.write_table(pa.Table.from_pylist([info], _BUILD_INFO), build.raw / BUILD_INFO / "build.parquet")
    link = lake.home.builds / "current"
    link.unlink(missing_ok=True)
    link.symlink_to(build.folder.name, target_is_directory=True)
    return build


@contextmanager
def exclusive(home: Home, wait_s: float) -> Iterator[None]:
    """One build at a time. The kernel frees the lock when its holder dies; within a process it can be nested.

    Raises:
        BuildRunningError: another build holds it for longer than `wait_s`.
    """
    home.root.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(home.build_lock, is_singleton=True).acquire(timeout=wait_s):
            yield
    except Timeout as e:
        raise BuildRunningError(
            f"another build is running (lock {home.build_lock}). Wait for it, or call again with --wait SECONDS"
        ) from e


def close(build: Build) -> None:
    """Checkpoint the built file, so that it is whole by itself.

    Raises:
        NotPublishableError: it cannot be opened, or its log does not go.
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
    """End what killed builds left running and remove their folders. To be called by who holds `exclusive`.

    Returns:
        Names of the folders removed.
    """
    for process in _orphans(home):
        with suppress(psutil.NoSuchProcess):  # it ended by itself meanwhile
            process.kill()
            process.wait(timeout=10)
    gone = []
    for folder in sorted(p for p in home.builds.glob("*") if not p.is_symlink()):
        shutil.rmtree(folder, ignore_errors=True)
        gone.append(folder.name)
    return gone


def _orphans(home: Home) -> list[psutil.Process]:
    """dbt processes of this home's builds. Who asks holds the lock, so the build they belong to is dead."""
    mine = environment(home)["ACCELMART_BUILD_DB"]
    found = []
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and process.environ().get("ACCELMART_BUILD_DB") == mine:
                found.append(process)
        except psutil.Error:
            continue  # gone meanwhile, or another user's
    return found


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
            # the compiled test names the catalog dbt attached the file under
            found = db.execute(query)
            names = [c[0] for c in found.description or []]
            rows = found.fetchall()
    except duckdb.Error:
        return ""
    shown = ["; ".join(_told(names, row) for row in rows[:ROWS_SHOWN])]
    if len(rows) > ROWS_SHOWN:
        shown.append(f"and {len(rows) - ROWS_SHOWN} more")
    return " ".join(shown)


def _told(names: list[str], row: tuple[object, ...]) -> str:
    return ", ".join(f"{n} {v}" for n, v in zip(names, row, strict=True) if v is not None)
