"""What joins prices to runs: DuckDB in this process, or a server of Spark Connect. The SQL is one (`price_runs`)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from pathlib import Path
from typing import Protocol

import duckdb

from warehouse.fold_spark import SparkEngine
from warehouse.price_runs import run_bounds

DUCKDB = "duckdb"


class FoldEngine(Protocol):
    """Finds the runs of pieces of prices."""

    def runs(self, db: duckdb.DuckDBPyConnection, pieces: str, row: str) -> AbstractContextManager[str]:
        """Yield a query for `db` that gives the runs of pieces; it holds as long as the context.

        Args:
            db: a connection of DuckDB.
            pieces: a relation of it, as for `run_bounds`.
            row: its column with a number that grows with first_poll.
        """


class DuckDbEngine:
    """DuckDB, in the connection that asks."""

    @contextmanager
    def runs(self, db: duckdb.DuckDBPyConnection, pieces: str, row: str) -> Iterator[str]:
        """Yield the query itself; see `FoldEngine`."""
        yield run_bounds(pieces, row)


@cache
def fold_engine(address: str, exchange: Path, shared: str = "") -> FoldEngine:
    """Return the engine at an address.

    Args:
        address: `DUCKDB`, or the URL of a Spark Connect server (``sc://host:port``).
        exchange: folder that this machine and the server's workers see under the same path.
        shared: filesystem URL that both reach, in place of it; empty for none.
    """
    if address == DUCKDB:
        return DuckDbEngine()
    return SparkEngine(address, exchange, shared)
