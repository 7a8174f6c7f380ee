"""The one way to open a warehouse file. Every file is opened as that of a stranger.

It is read-only, and its statements and views reach no other file, load no extension, change no setting and write
nothing to the disk. DuckDB is imported when a file is opened.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb

CATALOG = "warehouse"
"""What an opened file is called in SQL; its tables and macros need no such prefix."""

LIMITS: dict[str, Any] = {"memory_limit": "4GB", "temp_directory": "", "max_temp_directory_size": "0KB"}
"""Of one opened file, unless its opener sets others: a question that needs more memory fails, and spills nothing."""

_NO_EXTENSIONS = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}
_LOCK_HOLDER = re.compile(r"Conflicting lock is held in (?P<program>.+?) \(PID (?P<pid>\d+)\)")


def open_file(
    path: Path,
    *,
    external_access: bool = False,
    writes_to: Path | None = None,
    settings: Mapping[str, str] | None = None,
) -> duckdb.DuckDBPyConnection:
    """Open the warehouse file that is at a path now, read-only.

    It is attached to a database in memory: the path is resolved again, and the settings are those of this connection
    alone, whatever else of the process has the file, or an earlier one at that path, open.

    Args:
        path: the file.
        external_access: let statements, and views in the file, read and write other files; nothing is limited then.
        writes_to: the one folder that statements may read and write.
        settings: further ones of DuckDB, such as ``timezone``; they replace those of `LIMITS`.

    Returns:
        A connection; another one to the same opened file is `another`.

    Raises:
        duckdb.Error: the path is not a database file, or the file is open for writing; see `lock_message`.
    """
    import duckdb

    db = duckdb.connect(config={} if external_access else {**_NO_EXTENSIONS, **LIMITS})
    try:
        db.execute(f"attach {quoted(path.absolute())} as {CATALOG} (type duckdb, read_only)")
        db.execute(f"use {CATALOG}")
        for name, value in (settings or {}).items():
            db.execute(f"set global {name} = {quoted(value)}")
        if external_access:
            # by itself DuckDB looks for a data frame where `sql` is called, which is in this package
            db.execute("set python_scan_all_frames = true")
        else:
            if writes_to:
                db.execute(f"set allowed_directories = [{quoted(writes_to.absolute())}]")
            db.execute("set enable_external_access = false")
            db.execute("set lock_configuration = true")
    except BaseException:
        db.close()
        raise
    return db


def another(db: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Return a further connection to a file that `open_file` opened, for another thread or answer."""
    cursor = db.cursor()
    cursor.execute(f"use {CATALOG}")
    return cursor


def path_of(db: duckdb.DuckDBPyConnection) -> Path:
    """Return the path of a file that `open_file` opened, as DuckDB states it where no macro of the file can."""
    with db.cursor() as elsewhere:
        names = elsewhere.execute(
            "select path from duckdb_databases() where database_name = ?", [CATALOG]
        ).fetchall()
    return Path(names[0][0]) if names else Path("the warehouse")


def quoted(text: object) -> str:
    """Return a text as a literal of SQL."""
    return "'" + str(text).replace("'", "''") + "'"


def problem_of(path: Path, error: BaseException) -> str:
    """Return why a file cannot be opened, or a statement of this package fails on it, and what to do.

    Args:
        path: of the file.
        error: of DuckDB.
    """
    cause = str(error).strip().partition("\n")[0]
    if holder := _LOCK_HOLDER.search(str(error)):
        program = _command_of(int(holder["pid"])) or holder["program"]
        return (
            f"{path} is open for writing in process {holder['pid']} ({program}), which locks out every reader. Close "
            f"it there, and read with `duckdb -readonly {path}`; `accelmart doctor` names the command that replaces it"
        )
    if is_of_version(error):
        return (
            f"{path} was built by an earlier version of Accelmart ({cause}): run `accelmart build`, or "
            "`accelmart pull` for a downloaded one"
        )
    return f"{path} cannot be opened or read ({cause}). To replace it: `accelmart build --force`"


def is_of_version(error: BaseException | None) -> bool:
    """Whether a statement of this package fails because the file lacks a table, column or macro of this version."""
    import duckdb

    return isinstance(error, (duckdb.BinderException, duckdb.CatalogException))


def _command_of(pid: int) -> str:
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return ""
    return command.replace(b"\0", b" ").decode(errors="replace").strip()[:120]
