"""The warehouse as strangers may query it: read-only, no other files, bounded in rows, time, memory and size."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from accelmart.errors import QueryError, QuestionError
from accelmart.opening import another
from accelmart.published import Reader, Table, locate, open_database, query_errors

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True)
class Limits:
    """Bounds of one answer.

    Args:
        rows: most rows that may be asked for.
        seconds: longest time of an answer, waiting included; its process is ended then.
        at_once: most answers at once, each in a process of its own; further ones wait.
        characters: most characters of all values of a query's answer.
        memory_mb: memory of DuckDB, of each answer; one that needs more fails, and nothing is written to the disk.
        question_characters: most characters of the arguments of a question.
    """

    rows: int = 1_000
    seconds: float = 20
    at_once: int = 4
    characters: int = 400_000
    memory_mb: int = 1_000
    question_characters: int = 100_000


# Address space of a process that answers: DuckDB's own memory limit does not count one value of text
PROCESS_MB = 4_000


def bound_process() -> None:
    """Bound the address space of this process to `PROCESS_MB` where the system can; a query beyond it fails."""
    try:
        import resource
    except ImportError:  # Windows
        return
    most = PROCESS_MB * 1_000_000
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard == resource.RLIM_INFINITY or hard > most:
        with suppress(ValueError, OSError):  # macOS has the limit and refuses it
            resource.setrlimit(resource.RLIMIT_AS, (most, most))


@contextmanager
def ended_after(seconds: float) -> Iterator[None]:
    """End this process where the block takes longer, also when nobody waits for it any more; not on Windows."""
    if sys.platform == "win32":
        yield
        return
    signal.alarm(ceil(seconds))
    try:
        yield
    finally:
        signal.alarm(0)


class Access:
    """The warehouse of one place, opened again when another generation is published there.

    Args:
        where: file, folder or URL, see `accelmart.connect`; a URL is read once.
        limits: bounds of an answer.

    Raises:
        ReaderError: there is no warehouse, or it cannot be opened.
    """

    def __init__(self, where: Path | str | None = None, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self._where = where
        self._path = locate(where)
        self._stamp: tuple[int, int, int] | None = None
        self._db: duckdb.DuckDBPyConnection | None = None

    def _cursor(self) -> duckdb.DuckDBPyConnection:
        path = self._path if _is_url(self._where) else locate(self._where)
        stamp = _stamp(path)
        if self._db is None or (path, stamp) != (self._path, self._stamp):
            if self._db is not None:
                self._db.close()
            self._db, self._path, self._stamp = self._open(path), path, stamp
        return another(self._db)

    def _open(self, path: Path) -> duckdb.DuckDBPyConnection:
        return open_database(path, settings={"memory_limit": f"{self.limits.memory_mb}MB", "timezone": "UTC"})

    @contextmanager
    def reader(self) -> Iterator[Reader]:
        """Yield a reader of its own for one answer, of the generation that is published now."""
        cursor = self._cursor()
        try:
            yield Reader(cursor)
        finally:
            cursor.close()

    def query(self, statement: str, limit: int) -> tuple[Table, bool]:
        """Run one SELECT; return its first rows, and whether there are more.

        Raises:
            QuestionError: it is no single SELECT, or the limit is out of range.
            QueryError: it fails, or its answer is too large.
        """
        if not 1 <= limit <= self.limits.rows:
            raise QuestionError(f"limit is {limit}: it must be between 1 and {self.limits.rows}")
        with self.reader() as reader:
            check_statement(reader, statement)
            stream = reader.stream(statement)
            rows: list[tuple[Any, ...]] = []
            size = sum(len(name) for name in stream.columns)
            for row in stream.rows:
                if len(rows) == limit:
                    return Table(stream.columns, rows), True
                rows.append(row)
                size += sum(len(str(value)) for value in row)
                if size > self.limits.characters:
                    raise QueryError(
                        f"the answer is larger than {self.limits.characters:,} characters: select fewer columns or rows"
                    )
            return Table(stream.columns, rows), False


def check_statement(reader: Reader, statement: str) -> None:
    """Raise QuestionError unless the text is one SELECT (also FROM, WITH, DESCRIBE, SHOW, SUMMARIZE) or EXPLAIN."""
    with query_errors():
        kinds = [s.type.name for s in reader.statements(statement)]
    if len(kinds) != 1 or kinds[0] not in ("SELECT", "EXPLAIN"):
        raise QuestionError(
            f"one SELECT is allowed, and this is {', '.join(kinds).lower() or 'no statement'}: the warehouse is "
            "read-only"
        )


def _stamp(path: Path) -> tuple[int, int, int]:
    with suppress(OSError):
        info = path.stat()
        return info.st_ino, info.st_size, info.st_mtime_ns
    return 0, 0, 0


def _is_url(where: Path | str | None) -> bool:
    return where is not None and "://" in str(where)
