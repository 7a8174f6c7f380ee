"""dbt as a child process, and what it found. Its end closes the database file."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

from accelmart.opening import quoted
from ingest.core.errors import AccelmartError
from warehouse.build.folder import MODELS, PROJECT_VARIABLE, Build, Step, opened
from warehouse.inputs.fingerprint import dbt_rules
from warehouse.inputs.price_spark import PRICE_JOINED
from warehouse.publication.generation import NotPublishableError
from warehouse.publication.outcome import BuildWarning
from warehouse.storage.files import read_yaml, replace_by_copy, sha256_of
from warehouse.storage.home import DBT_PROJECT_DIR, Home

TARGET = "build"
"""Of the project's profile: reads the folder of a build, where the default reads the bundled snapshot."""
MANIFEST = "manifest.json"
OUTLINE = "outline.duckdb"
"""Every table of the last build, without rows: what dbt's documentation describes."""
PARSED = "partial_parse.msgpack"
# dbt's own progress lines: `12 of 518 START sql table model …`
_STEP = re.compile(r"(\d+ of \d+) START (?!hook)")
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
ROWS_SHOWN = 5
WARNING_ROWS_MAX = 1000
_GOOD = {"success", "pass", "warn", "no-op"}


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


def call_dbt(words: Sequence[str], project: Path, target: Path, problem: str) -> None:
    """Run a command of dbt other than a build to its end.

    Args:
        words: the command.
        project: folder of the project; paths of its profile are relative to it.
        target: folder for what dbt writes.
        problem: what is not done if it fails.

    Raises:
        AccelmartError: it fails; the message is the problem, then what dbt printed.
    """
    command = [executable(), "--no-use-colors", *words, *arguments(project, target)]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AccelmartError(f"{problem}:\n{done.stdout}{done.stderr}")


def build_command(build: Build) -> list[str]:
    """Return dbt's command that builds and tests all.

    Unit tests test SQL, not data: they run in the suite. An exposure says who reads a table, and is nothing to build.
    """
    command = ["build", "--exclude-resource-type", "unit_test", "--exclude-resource-type", "exposure"]
    if (build.raw / PRICE_JOINED).exists():
        command += ["--vars", "are_prices_joined: true"]
    return command


def writer(folder: Path) -> duckdb.DuckDBPyConnection:
    """Return a connection that writes files as dbt does: with the options and settings of the project's profile.

    Args:
        folder: where what does not fit into its memory goes.
    """
    profile = read_yaml(DBT_PROJECT_DIR / "profiles.yml")["accelmart"]["outputs"][TARGET]
    options = {"preserve_insertion_order": True, "temp_directory": str(folder / "spill")}
    db = duckdb.connect(config={**profile["config_options"], **options})
    for name, value in profile["settings"].items():
        db.execute(f"set {name} = {quoted(value)}")
    return db


def run_dbt(build: Build) -> Iterator[Step]:
    """Build and test every model of a prepared build, in a child process; yield how far it has come."""
    options = arguments(build.project, build.target)
    process = subprocess.Popen(
        [executable(), "--no-use-colors", *build_command(build), *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        cwd=build.project,
        env={**os.environ, PROJECT_VARIABLE: str(build.project)},  # noqa: TID251  # handed on to a child process
    )
    assert process.stdout
    with process, (build.folder / "dbt.log").open("w", encoding="utf-8") as log:
        try:
            for line in process.stdout:
                log.write(line)
                yield from (Step(MODELS, progress) for progress in _STEP.findall(line))
        except BaseException:
            process.kill()
            raise


# --- what dbt parsed ---------------------------------------------------------------------------------------------


def start_from_parsed(home: Home, build: Build) -> None:
    """Let dbt parse only the files that have changed since the last build."""
    build.target.mkdir()
    for kept in home.dbt_target.glob(f"{_place(home)}-*.msgpack"):
        if kept.stem.endswith(sha256_of(kept)):  # dbt would build the SQL of a damaged file
            shutil.copyfile(kept, build.target / PARSED)


def keep_parsed(home: Home, build: Build) -> None:
    """Keep what dbt parsed for the next build and for Dagster's definitions; the caller holds the lock of builds."""
    for earlier in home.dbt_target.glob("*.msgpack"):
        earlier.unlink()
    parsed = build.target / PARSED
    replace_by_copy(parsed, home.dbt_target / f"{_place(home)}-{sha256_of(parsed)}.msgpack")
    keep_manifest(home, build.target)


def keep_outline(home: Home, build: Build) -> None:
    """Keep the tables of a closed build without their rows, for `OUTLINE`; the published file lacks some of them."""
    outline = build.folder / OUTLINE
    with writer(build.folder) as db:
        db.execute(f"attach {quoted(build.database)} as built (read_only)")
        db.execute(f"attach {quoted(outline)} as outline")
        db.execute("copy from database built to outline (schema)")
    replace_by_copy(outline, home.dbt_target / OUTLINE)


def _place(home: Home) -> str:
    """Return a name for the folders that dbt's parsed seeds point to: what was parsed elsewhere is of no use."""
    return hashlib.sha256(f"{DBT_PROJECT_DIR}\n{home.builds}".encode()).hexdigest()[:16]


def keep_manifest(home: Home, folder: Path) -> Path:
    """Keep the manifest that dbt wrote into a folder as that of the present project; several processes may write it."""
    kept = home.dbt_target / dbt_rules()[:16] / MANIFEST
    if not kept.exists():
        replace_by_copy(folder / MANIFEST, kept)
    for other in home.dbt_target.glob("*/"):
        if other != kept.parent:
            shutil.rmtree(other, ignore_errors=True)
    return kept


def manifest(home: Home) -> Path:
    """Return dbt's manifest of the present project, which dbt parses if a file of it or an engine has changed.

    Raises:
        AccelmartError: the project does not parse; the message is dbt's own.
    """
    kept = home.dbt_target / dbt_rules()[:16] / MANIFEST
    if kept.exists():
        return kept
    with TemporaryDirectory(prefix="accelmart-parse-") as target:
        call_dbt(["parse"], DBT_PROJECT_DIR, Path(target), "the dbt project does not parse")
        return keep_manifest(home, Path(target))


# --- results -----------------------------------------------------------------------------------------------------


def dbt_results(build: Build, statuses: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return the results of dbt's run that ended in one of these states (default: all); empty when dbt left none."""
    path = build.target / "run_results.json"
    if not path.exists():
        return []
    results = json.loads(path.read_text(encoding="utf-8"))["results"]
    return [r for r in results if not statuses or r["status"] in statuses]


def is_successful(build: Build) -> bool:
    """Whether dbt came to its end and no model and no test failed."""
    statuses = {r["status"] for r in dbt_results(build)}
    return bool(statuses) and statuses <= _GOOD


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


def warnings_of(build: Build) -> list[BuildWarning]:
    """Return every row that the build's checks of severity warn returned."""
    out: list[BuildWarning] = []
    if not (results := dbt_results(build, ("warn",))):
        return out
    with opened(build) as db:
        for result in results:
            name = result["unique_id"].split(".")[2]
            rows = db.execute(result["compiled_code"])
            columns = [c[0] for c in rows.description or []]
            for row in rows.fetchmany(WARNING_ROWS_MAX):
                cells = {c: v for c, v in zip(columns, row, strict=True) if v is not None}
                words = ", ".join(f"{c} {v}" for c, v in cells.items())
                subject = ", ".join(v for v in cells.values() if isinstance(v, str))
                out.append(BuildWarning(name, words, subject))
    return out


def _last_output(build: Build) -> list[str]:
    try:
        lines = (build.folder / "dbt.log").read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    return [line.strip() for line in lines if line.strip()][-ROWS_SHOWN:]


def _rows_found(build: Build, query: str) -> str:
    try:
        with opened(build) as db:
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
        with opened(build) as db:
            rows = db.execute("select schema_name || '.' || table_name from duckdb_tables()").fetchall()
    except duckdb.Error as e:
        raise NotPublishableError(f"{build.database} cannot be read: {e}. Build again") from e
    if missing := built - {name for (name,) in rows}:
        raise NotPublishableError(f"{build.database} lacks {', '.join(sorted(missing))}. Build again")
