"""dbt as a child process, and what it found. Its end closes the database file."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
from filelock import FileLock

from ingest.core.errors import AccelmartError
from warehouse.build_folder import PROJECT_VARIABLE, Build
from warehouse.files import written_whole
from warehouse.fingerprint import dbt_rules
from warehouse.home import DBT_PROJECT_DIR, Home
from warehouse.publish import NotPublishableError

BUILD_COMMAND = ("build", "--exclude-resource-type", "unit_test")
"""Unit tests test SQL, not data: they run in the suite."""
TARGET = "build"
"""Of the project's profile: reads the folder of a build, where the default reads the bundled snapshot."""
MANIFEST = "manifest.json"
COMPILED, PROJECT = "compiled", "accelmart"
PARSED = "partial_parse.msgpack"
LOCK = "manifest.lock"
_STAMP = "manifest.fingerprint"
# dbt's own progress lines: `12 of 518 START sql table model …`
_STEP = re.compile(r"(\d+ of \d+) START (?!hook)")
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
ROWS_SHOWN = 5


def executable() -> str:
    """Return dbt of the environment that runs this, whatever PATH says."""
    beside = Path(sys.executable).with_name("dbt")
    return str(beside) if beside.exists() else "dbt"


def arguments(project: Path, target: Path) -> list[str]:
    """Return the options of every dbt command: target and folders."""
    return [
        *("--target", TARGET),
        *("--project-dir", str(project), "--profiles-dir", str(project)),
        *("--target-path", str(target), "--log-path", str(target)),
    ]


def run_dbt(build: Build, on_step: Callable[[str], None]) -> bool:
    """Build and test every model of a prepared build; return whether no model and no test failed.

    Args:
        build: from `warehouse.prepare.prepare`.
        on_step: called with dbt's progress, such as ``12 of 518``.
    """
    options = arguments(build.project, build.target)
    process = subprocess.Popen(
        [executable(), "--no-use-colors", *BUILD_COMMAND, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        cwd=build.project,
        env={**os.environ, PROJECT_VARIABLE: str(build.project)},
    )
    assert process.stdout
    with process, (build.folder / "dbt.log").open("w", encoding="utf-8") as log:
        try:
            for line in process.stdout:
                log.write(line)
                for step in _STEP.findall(line):
                    on_step(step)
        except BaseException:
            process.kill()
            raise
    return process.returncode == 0


# --- what dbt parsed ---------------------------------------------------------------------------------------------


def start_from_parsed(home: Home, build: Build) -> None:
    """Let a build start from what dbt parsed last: dbt parses only the files that have changed since."""
    build.target.mkdir()
    if _stamp(home)[1:] == _state(home):
        shutil.copy2(home.dbt_target / PARSED, build.target)


def keep_parsed(home: Home, build: Build) -> None:
    """Keep what dbt parsed for the next build, its manifest for Dagster's definitions, its SQL for column lineage."""
    (home.dbt_target / _STAMP).unlink(missing_ok=True)
    shutil.rmtree(home.dbt_target / COMPILED, ignore_errors=True)
    shutil.copytree(build.target / COMPILED / PROJECT, home.dbt_target / COMPILED)
    for name in (PARSED, MANIFEST):
        shutil.copyfile(build.target / name, home.dbt_target / name)
    _write_stamp(home)


def manifest(home: Home) -> Path:
    """Return dbt's manifest of the present project, parsed where a file of it or an engine has changed.

    Raises:
        AccelmartError: the project does not parse; the message is dbt's own.
    """
    target = home.dbt_target
    target.mkdir(parents=True, exist_ok=True)
    with FileLock(target / LOCK):
        if (target / MANIFEST).exists() and _stamp(home) == [dbt_rules(), *_state(home)]:
            return target / MANIFEST
        for name in (_STAMP, PARSED):
            (target / name).unlink(missing_ok=True)
        done = subprocess.run(
            [executable(), "--no-use-colors", "parse", *arguments(DBT_PROJECT_DIR, target)],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise AccelmartError(f"the dbt project does not parse:\n{done.stdout}{done.stderr}")
        _write_stamp(home)
    return target / MANIFEST


def _state(home: Home) -> list[str]:
    """Return the folders that dbt's parsed seeds point to, and the hash of what it parsed.

    What was parsed elsewhere is of no use, and dbt would build the SQL of a damaged file.
    """
    path = home.dbt_target / PARSED
    digest = hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else "missing"
    return [str(DBT_PROJECT_DIR), str(home.builds), digest]


def _stamp(home: Home) -> list[str]:
    """Return the fingerprint of the project that was parsed, and `_state` then; empty if nothing was."""
    try:
        return (home.dbt_target / _STAMP).read_text(encoding="utf-8").splitlines()
    except OSError:
        return []


def _write_stamp(home: Home) -> None:
    with written_whole(home.dbt_target / _STAMP) as temporary:
        temporary.write_text("\n".join([dbt_rules(), *_state(home)]), encoding="utf-8")


# --- results -----------------------------------------------------------------------------------------------------


def dbt_results(build: Build, statuses: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return the results of dbt's run that ended in one of these states (default: all); empty when dbt left none."""
    path = build.target / "run_results.json"
    if not path.exists():
        return []
    results = json.loads(path.read_text(encoding="utf-8"))["results"]
    return [r for r in results if not statuses or r["status"] in statuses]


def list_failures(build: Build) -> list[str]:
    """Return which dbt tests and models failed, with the first rows each test returned.

    Returns:
        One line a test, ``name: column value, …; …``. Hooks at the end of the run follow from what failed before them:
        they are listed only where nothing else failed. Where dbt left no results, the end of its output.
    """
    lines: list[str] = []
    hooks: list[str] = []
    for result in dbt_results(build, ("fail", "error")):
        kind, _, name = result["unique_id"].split(".")[:3]
        is_test = kind == "test" and result["status"] != "error"
        rows = _rows_found(build, result["compiled_code"]) if is_test else ""
        text = rows or _COLOURS.sub("", str(result["message"]))
        (hooks if kind == "operation" else lines).append(f"{kind} {name}: {text}")
    return lines or hooks or _last_output(build)


def _last_output(build: Build) -> list[str]:
    try:
        lines = (build.folder / "dbt.log").read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    return [line.strip() for line in lines if line.strip()][-ROWS_SHOWN:]


def _rows_found(build: Build, query: str) -> str:
    try:
        with duckdb.connect(str(build.database), read_only=True) as db:
            # the compiled test names the catalog dbt attached the file under, and raw files as dbt sees them
            db.execute("set file_search_path = ?", [str(build.raw)])
            result = db.execute(query)
            names = [c[0] for c in result.description or []]
            rows = result.fetchall()
    except duckdb.Error:
        return ""
    shown = ["; ".join(", ".join(_cells(names, row)) for row in rows[:ROWS_SHOWN])]
    if len(rows) > ROWS_SHOWN:
        shown.append(f"and {len(rows) - ROWS_SHOWN} more")
    return " ".join(shown)


def _cells(names: list[str], row: tuple[object, ...]) -> Iterator[str]:
    return (f"{n} {v}" for n, v in zip(names, row, strict=True) if v is not None)


def check_whole(build: Build) -> None:
    """Check that the closed file has every table that dbt built, and nothing beside it that belongs to it.

    Raises:
        NotPublishableError: it needs a write-ahead log, cannot be opened, or lacks a table.
    """
    if build.database.with_name(build.database.name + ".wal").exists():
        raise NotPublishableError(f"{build.database} still has a write-ahead log. Build again")
    built = {
        r["relation_name"].replace('"', "").partition(".")[2]
        for r in dbt_results(build, ("success",))
        if r["unique_id"].partition(".")[0] in ("model", "seed") and r["relation_name"]
    }
    try:
        with duckdb.connect(str(build.database), read_only=True) as db:
            rows = db.execute("select schema_name || '.' || table_name from duckdb_tables()").fetchall()
    except duckdb.Error as e:
        raise NotPublishableError(f"{build.database} cannot be read: {e}. Build again") from e
    if missing := built - {name for (name,) in rows}:
        raise NotPublishableError(f"{build.database} lacks {', '.join(sorted(missing))}. Build again")
