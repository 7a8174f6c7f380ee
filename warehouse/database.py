"""Open a warehouse file for reading, and say who keeps it from being opened."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb


def open_as_it_is(path: Path) -> duckdb.DuckDBPyConnection:
    """Open the file that is at this path now, read-only.

    `duckdb.connect(path)` returns the file that the process opened first, even if another file has been published at
    that path since. Attaching resolves the path again.

    Raises:
        duckdb.Error: the path is not a database file, or the file is open for writing.
    """
    db = duckdb.connect()
    try:
        quoted = str(path).replace("'", "''")
        db.execute(f"attach '{quoted}' as warehouse (read_only)")
        db.execute("use warehouse")
    except BaseException:
        db.close()
        raise
    return db


_LOCK_HOLDER = re.compile(r"Conflicting lock is held in (?P<program>.+?) \(PID (?P<pid>\d+)\)")


def lock_message(path: Path, error: BaseException) -> str | None:
    """Return what to do about a file that another process has open for writing; None if the error has another cause.

    Args:
        path: the file that cannot be opened.
        error: of DuckDB, which names the process.
    """
    holder = _LOCK_HOLDER.search(str(error))
    if holder is None:
        return None
    command = _command_of(int(holder["pid"])) or holder["program"]
    return (
        f"{path} is open for writing in process {holder['pid']} ({command}), which locks out every reader. Close it "
        f"there, and read with `duckdb -readonly {path}`; `accelmart doctor` names the command that replaces the file"
    )


def _command_of(pid: int) -> str:
    try:
        return (
            Path(f"/proc/{pid}/cmdline")
            .read_bytes()
            .replace(b"\0", b" ")
            .decode(errors="replace")
            .strip()[:120]
        )
    except OSError:
        return ""
