"""Open a warehouse file for reading, list its public columns, and say who keeps it from being opened."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

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


class PublicColumn(NamedTuple):
    """A column of a public table; its comment in the file is ``[unit] description``, without a unit the description."""

    table: str
    name: str
    data_type: str
    unit: str
    description: str
    is_nullable: bool


def public_columns(db: duckdb.DuckDBPyConnection) -> list[PublicColumn]:
    """Return the columns of every public table, by table, in their order."""
    rows = db.execute(
        r"""
        select
            table_name, column_name, data_type, regexp_extract(comment, '^\[([^\]]+)\] ', 1),
            regexp_replace(comment, '^\[[^\]]+\] ', ''), is_nullable
        from (select * replace (coalesce(comment, '') as comment) from duckdb_columns())
        where schema_name = 'main' and not internal
        order by table_name, column_index
        """
    ).fetchall()
    return [PublicColumn(*row) for row in rows]


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
