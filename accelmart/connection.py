"""One opened warehouse, with every question as a method.

import accelmart

with accelmart.connect("https://example.org/accelmart") as warehouse:
    warehouse.sql("from mart_tco").df()
    warehouse.rank("llama3.1-405b").df()
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from accelmart import changes, choosing, citing, comparing, estimate, owning, pricing, producing, ranking
from accelmart.published import Reader, open_database, query_errors

if TYPE_CHECKING:
    import duckdb

_Arguments = ParamSpec("_Arguments")
_Answer = TypeVar("_Answer")


def _asked_here(
    question: Callable[_Arguments, _Answer],
) -> Callable[Concatenate[Warehouse, _Arguments], _Answer]:
    """Return a question as a method: the same arguments and answer, asked of this warehouse."""

    @wraps(question)
    def ask(self: Warehouse, /, *args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Answer:
        if "database" in kwargs:
            raise TypeError(f"{question.__name__} of an opened warehouse takes no database")
        return question(*args, **{**kwargs, "database": self})  # type: ignore[arg-type]

    return ask


class Warehouse(Reader):
    """A warehouse that is open for reading; made by `connect`.

    Every method but `sql` is the function of the same name in this package, asked of this warehouse, without its
    argument ``database``. A warehouse is used by one thread at a time.

    Attributes:
        connection: DuckDB's own connection.
    """

    rank = _asked_here(ranking.rank)
    headlines = _asked_here(ranking.headlines)
    choose = _asked_here(choosing.choose)
    compare = _asked_here(comparing.compare)
    alternatives = _asked_here(comparing.alternatives)
    prices = _asked_here(pricing.prices)
    keep_or_sell = _asked_here(owning.keep_or_sell)
    power_budget = _asked_here(owning.power_budget)
    tokens = _asked_here(producing.tokens)
    electricity = _asked_here(producing.electricity)
    evidence = _asked_here(citing.evidence)
    estimate_training = _asked_here(estimate.estimate_training)
    estimate_ownership = _asked_here(estimate.estimate_ownership)
    estimate_serving = _asked_here(estimate.estimate_serving)
    find_changes = _asked_here(changes.find_changes)

    @property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """DuckDB's own connection."""
        return self._db

    @property
    def generation_id(self) -> str:
        """Id of the published generation that is read."""
        return self.words("select generation_id from ops_generation")[0]

    def sql(self, statement: str, parameters: dict[str, Any] | None = None) -> duckdb.DuckDBPyRelation:
        """Return one SQL statement as a relation of DuckDB, which is computed when it is read.

        Args:
            statement: SQL of DuckDB; tables and macros need no schema name. Units end the names of columns.
            parameters: values for its ``$name``.

        Returns:
            A relation: ``.df()`` (pandas), ``.pl()`` (polars), ``.arrow()``, ``.fetchall()``, or another query on it.

        Raises:
            QueryError: the statement fails.
        """
        with query_errors():
            return self._db.sql(statement, params=parameters or None)

    def close(self) -> None:
        """Close the file; relations cannot be read any more."""
        self._db.close()

    def __enter__(self) -> Warehouse:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def connect(where: Path | str | None = None, *, external_access: bool = False) -> Warehouse:
    """Open a warehouse for reading.

    Args:
        where: a warehouse file; a data root, or a folder that `accelmart publish` wrote to; the URL (``https://``,
            ``s3://``, ``gs://``) of such a folder or of one file. What a URL has is downloaded once, checked by its
            hash and kept in ``ACCELMART_CACHE`` (default ``~/.cache/accelmart``). None: ``accelmart.duckdb`` in
            ``ACCELMART_HOME``, default ``data/``.
        external_access: let statements, and views in the file, read and write other files; not for a file of others.

    Returns:
        The warehouse; close it, or use it in a ``with`` block.

    Raises:
        NotPublishedError: there is no warehouse; the message says how to build or download one.
        PullError: a URL cannot be read, or its content is not what its hash states.
        QueryError: DuckDB cannot open the file.
    """
    return Warehouse(open_database(where, external_access=external_access))
