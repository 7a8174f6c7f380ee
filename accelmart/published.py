"""The published warehouse file: where it is, and how it is read. DuckDB is imported when a file is opened."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import unquote, urlsplit

from accelmart.errors import NotPublishedError, QueryError, QuestionError
from accelmart.opening import is_of_version, open_file, path_of, problem_of
from accelmart.remote import FILE_NAME, POINTER, cached, read_pointer
from accelmart.tables import as_html, as_text, distinct

if TYPE_CHECKING:
    import duckdb
    import pandas as pd

Row = dict[str, Any]

_ROWS_AT_ONCE = 2_048


@dataclass(frozen=True)
class Table:
    """The answer to a question.

    `print` shows its first rows, a notebook draws them.

    Args:
        columns: names; the unit of a figure ends its name.
        rows: values in the order of the columns.
        notes: sentences on the answer: what names were taken for, what it excludes.
    """

    columns: list[str]
    rows: list[tuple[Any, ...]]
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the first rows in columns, their number and the notes."""
        return as_text(self)

    def _repr_html_(self) -> str:
        """Return the first rows as HTML, for notebooks."""
        return as_html(self)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.rows)

    def records(self) -> list[Row]:
        """Return the rows as dictionaries; of several columns of one name, see `distinct`."""
        names = distinct(self.columns)
        return [dict(zip(names, row, strict=True)) for row in self.rows]

    def df(self) -> pd.DataFrame:
        """Return the rows as a DataFrame of pandas (extra ``frames``).

        Raises:
            ImportError: pandas is not installed; the message says how to install it.
        """
        try:
            import pandas as pd
        except ImportError as e:
            raise ImportError(f"a DataFrame needs pandas ({e}): pip install 'accelmart[frames]'") from e

        return pd.DataFrame(self.rows, columns=self.columns)


@dataclass(frozen=True)
class Stream:
    """The answer to a statement, read while it is used: its size does not matter.

    Args:
        columns: names.
        rows: values in the order of the columns; can be read once, while the file is open.
    """

    columns: list[str]
    rows: Iterator[tuple[Any, ...]]

    def table(self) -> Table:
        """Read all of it."""
        return Table(self.columns, list(self.rows))


def published() -> Path:
    """Return the path of the published file: ``accelmart.duckdb`` below ``ACCELMART_HOME``, default ``data/``."""
    return Path(os.environ.get("ACCELMART_HOME") or "data").resolve() / FILE_NAME


def locate(where: Path | str | None = None) -> Path:
    """Return the local warehouse file of a place; a remote one is downloaded first, unless the cache has it.

    Args:
        where: a file; a folder with ``accelmart.duckdb`` (a data root) or ``latest.json`` (`accelmart publish`); a URL
            (``https://``, ``s3://``, ``gs://``) of such a folder or file; None is the published file, see `published`.

    Raises:
        NotPublishedError: there is no warehouse at that place.
        PullError: a URL cannot be read, or its content is not what its hash states.
    """
    if where is None:
        path = published()
    elif str(where).startswith("file://"):
        path = Path(unquote(urlsplit(str(where)).path))
    elif "://" in str(where):
        return cached(str(where))
    else:
        path = Path(where)
    if path.is_dir():
        path = _in_folder(path)
    if not path.exists():
        raise NotPublishedError(
            f"{path} does not exist. To make it: `make warehouse` or `accelmart build`; to download a published one: "
            "`accelmart pull URL`; to read another one: set ACCELMART_HOME to its folder"
        )
    return path


def _in_folder(folder: Path) -> Path:
    if (folder / POINTER).exists() and not (folder / FILE_NAME).exists():
        return read_pointer(str(folder)).local_path
    return folder / FILE_NAME


def open_database(
    where: Path | str | None = None,
    *,
    external_access: bool = False,
    settings: Mapping[str, str] | None = None,
) -> duckdb.DuckDBPyConnection:
    """Open the warehouse read-only.

    Args:
        where: file, folder or URL, see `locate`; None is the published one.
        external_access: let statements, and views in the file, read and write other files.
        settings: of DuckDB, see `accelmart.opening.open_file`.

    Returns:
        DuckDB's connection. Tables and macros need no schema name.

    Raises:
        NotPublishedError: there is no such file.
        PullError: a URL cannot be read.
        QueryError: DuckDB cannot open it.
    """
    path = locate(where)
    import duckdb

    try:
        return open_file(path, external_access=external_access, settings=settings)
    except duckdb.Error as e:
        raise QueryError(problem_of(path, e)) from e


class Reader:
    """The published file, open for several statements on one connection.

    Args:
        db: an open connection.
    """

    def __init__(self, db: duckdb.DuckDBPyConnection) -> None:
        self._db = db

    def table(self, statement: str, parameters: Row | None = None) -> Table:
        """Run one statement of this package: a table or column that the file lacks is a question of its version."""
        try:
            return self.stream(statement, parameters).table()
        except QueryError as e:
            if e.__cause__ is None or not is_of_version(e.__cause__):
                raise
            raise QueryError(problem_of(path_of(self._db), e.__cause__)) from e.__cause__

    def stream(self, statement: str, parameters: Row | None = None) -> Stream:
        """Run one statement of the user, and read its rows while they are used; see `sql` for errors."""
        with query_errors():
            done = self._db.execute(statement, parameters or {})
            columns = [c[0] for c in done.description or []]
        return Stream(columns, _fetched(done))

    def ask(self, function: str, /, **arguments: Any) -> Table:
        """Return the answer of one table function of the file, such as ``ask("rent_rates", accelerator="H100")``.

        Args:
            function: its name; docs/sql.md lists them.
            arguments: by name; any other has the default of the function.

        Raises:
            QuestionError: the function refuses an argument, such as a name that stands for nothing.
            QueryError: the function fails, the file does not have it, or it does not have an argument.
        """
        import duckdb

        for name in (function, *arguments):
            if not name.isidentifier():
                raise QuestionError(f"{name!r} is no name of a function or argument")
        given = ", ".join(f"{name} := ${name}" for name in arguments)
        try:
            return self.stream(f"from {function}({given})", arguments).table()
        except QueryError as e:
            if not isinstance(e.__cause__, duckdb.InvalidInputException):
                raise
            raise QuestionError(str(e.__cause__).removeprefix("Invalid Input Error: ")) from e

    def statements(self, text: str) -> list[Any]:
        """Return the statements of a text as DuckDB parses them; their ``type`` is a `duckdb.StatementType`."""
        return list(self._db.extract_statements(text))

    def rows(self, statement: str, parameters: Row | None = None) -> list[Row]:
        """Return the rows of one statement as dictionaries."""
        return self.table(statement, parameters).records()

    def one(self, statement: str, parameters: Row | None = None) -> Row:
        """Return the first row of one statement as a dictionary; without one, QueryError names the statement."""
        if rows := self.rows(statement, parameters):
            return rows[0]
        raise QueryError(
            f"the file has no row for {' '.join(statement.split())[:200]!r}: it is no whole warehouse"
        )

    def words(self, statement: str, parameters: Row | None = None) -> list[str]:
        """Return the first column of one statement as text."""
        return [str(row[0]) for row in self.table(statement, parameters).rows]


# Where a question finds the warehouse: file, folder or URL (see `locate`), an open one, or None: the published one.
Database: TypeAlias = Path | str | Reader | None


def _fetched(done: duckdb.DuckDBPyConnection) -> Iterator[tuple[Any, ...]]:
    while True:
        with query_errors():
            rows = done.fetchmany(_ROWS_AT_ONCE)
        if not rows:
            return
        yield from rows


@contextmanager
def query_errors() -> Iterator[None]:
    """Raise QueryError, with what to do next, for errors of DuckDB."""
    import duckdb

    try:
        yield
    except duckdb.OutOfMemoryException as e:
        cause = str(e).partition("\n")[0]
        raise QueryError(
            f"the query needs too much memory: {cause}. Ask for less, or filter before joining"
        ) from e
    except duckdb.Error as e:
        raise QueryError(
            f"the query fails: {e}. Tables: `show tables`; columns: `from columns_of('<table>')`"
        ) from e


@contextmanager
def reading(database: Database = None, *, external_access: bool = False) -> Iterator[Reader]:
    """Open the warehouse as `open_database` does, and close it; one that is open already stays open."""
    if isinstance(database, Reader):
        yield database
        return
    with open_database(database, external_access=external_access) as db:
        yield Reader(db)


def sql(
    statement: str,
    parameters: Row | None = None,
    *,
    database: Database = None,
    external_access: bool = False,
) -> Table:
    """Run one SQL statement on the warehouse, read-only.

    Args:
        statement: SQL of DuckDB; tables and macros need no schema name.
        parameters: values for its ``$name``.
        database: file, folder or URL of the warehouse, or one that is open; None is the published one.
        external_access: let it, and views in the file, read and write other files; not for a file of others.

    Returns:
        Columns and rows.

    Raises:
        NotPublishedError: there is no warehouse file.
        QueryError: the statement fails.
    """
    with reading(database, external_access=external_access) as reader:
        return reader.stream(statement, parameters).table()
