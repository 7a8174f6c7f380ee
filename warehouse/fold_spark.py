"""The fold of prices through Spark Connect: on a cluster of Apache Spark, or on Sail, a server with that protocol.

Pieces of prices go to the server as Parquet files and runs come back as such, in a folder that both sides see, or in an
object store (``ACCELMART_SPARK_EXCHANGE``).
"""

from __future__ import annotations

import shutil
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

import duckdb

from ingest.core.errors import AccelmartError
from warehouse.places import Place, place_at
from warehouse.price_runs import OFFER_TERMS, run_bounds

PIECES_MIN = 1_000_000
"""Fewer pieces are joined by DuckDB: in less than a second (docs/capacity.md), which a job of Spark takes to start."""
_PORT = 15002  # of Spark Connect, where a URL names none
_REACH_S = 10
_RETRIES = 4
_IMPORTING = Lock()
_KEY = ("stream", "offer_id", *OFFER_TERMS, "first_poll", "last_poll")


class SparkError(AccelmartError):
    """Spark's client is not installed, or its server does not answer, or fails."""


class SparkEngine:
    """A server of Spark Connect.

    Args:
        url: of the server, ``sc://host:port``.
        exchange: folder for pieces and runs; without `shared`, the workers see it under the same path.
        shared: filesystem URL for them that this machine and the workers reach; empty for none.
        pieces_min: fewer pieces are joined by DuckDB.
    """

    def __init__(self, url: str, exchange: Path, shared: str = "", pieces_min: int = PIECES_MIN) -> None:
        self.url, self._exchange, self._pieces_min = url, exchange, pieces_min
        self._shared = place_at(shared) if shared else None

    @contextmanager
    def runs(self, db: duckdb.DuckDBPyConnection, pieces: str, row: str) -> Iterator[str]:
        """Yield a query over the runs that Spark found; see `FoldEngine`.

        Raises:
            SparkError: the server does not answer, or fails.
        """
        ((n,),) = db.execute(f"select count(*) from {pieces}").fetchall()
        if n < max(self._pieces_min, 1):
            yield run_bounds(pieces, row)
            return
        self._exchange.mkdir(parents=True, exist_ok=True)
        folder = Path(mkdtemp(prefix="spark-", dir=self._exchange)).absolute()
        try:
            # workers of another user write beside what this process wrote
            folder.chmod(0o777)
            columns = ", ".join((*_KEY, row, "polls_to_close"))
            target = str(folder / "pieces").replace("'", "''")
            db.execute(
                f"copy (select {columns} from {pieces}) to '{target}' (format parquet, per_thread_output true)"
            )
            if self._shared is None:
                self._join(f"file://{folder}", row)
            else:
                self._join_there(self._shared, folder, row)
            result = str(folder / "runs" / "*.parquet").replace("'", "''")
            yield f"select {', '.join(_KEY)}, first_row from read_parquet('{result}')"
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _join_there(self, shared: Place, folder: Path, row: str) -> None:
        """Join pieces that were copied to a place that the workers reach, and copy the runs from it."""
        try:
            for path in sorted((folder / "pieces").iterdir()):
                shared.put(f"{folder.name}/pieces/{path.name}", path)
            self._join(f"{shared.address}/{folder.name}", row)
            for name in shared.sizes(f"{folder.name}/runs"):
                if name.endswith(".parquet"):
                    shared.get(f"{folder.name}/runs/{name}", folder / "runs" / name)
            shared.remove(folder.name)
        except OSError as e:  # s3fs and gcsfs translate errors of their servers to these
            raise SparkError(f"{shared.address} cannot be used for the fold on Spark ({e})") from e

    def _join(self, folder: str, row: str) -> None:
        spark, retries, failures = _client()
        view = folder.rpartition("/")[2].replace("-", "_")
        self._reach()
        try:
            session = spark.builder.remote(self.url).create()
            try:
                # a server that is gone is tried for four seconds, not for ten minutes
                session.client.set_retry_policies([retries(max_retries=_RETRIES)])
                session.read.parquet(f"{folder}/pieces").createOrReplaceTempView(view)
                session.sql(run_bounds(view, row)).write.parquet(f"{folder}/runs")
            finally:
                session.stop()
        except failures as e:
            words = (str(e).splitlines() or [type(e).__name__])[0]
            raise SparkError(
                f"the fold on Spark at {self.url} failed: {words}. Is the server up, and do its workers reach "
                f"{folder}? Without Spark: ACCELMART_FOLD_ENGINE=duckdb"
            ) from e

    def _reach(self) -> None:
        """Connect once: Spark's client would try for ten minutes."""
        server = urlsplit(self.url)
        try:
            socket.create_connection((server.hostname or "", server.port or _PORT), _REACH_S).close()
        except OSError as e:
            raise SparkError(
                f"no Spark Connect server answers at {self.url} ({e}): start it, or set ACCELMART_FOLD_ENGINE=duckdb"
            ) from e


def _client() -> tuple[Any, Any, type[Exception]]:
    """Return class of sessions, class of rules of trying again, and class of errors of Spark's client."""
    try:
        # slow to load, and installed only where Spark is used; imported by two threads at once it fails
        with _IMPORTING, _main_with_a_file():
            from pyspark.errors import PySparkException
            from pyspark.sql.connect.client.retries import DefaultPolicy
            from pyspark.sql.connect.session import SparkSession
    except ImportError as e:
        raise SparkError(f"the fold on Spark needs: pip install 'accelmart[spark]' ({e})") from e
    return SparkSession, DefaultPolicy, PySparkException


@contextmanager
def _main_with_a_file() -> Iterator[None]:
    """Give the main module a file: without one, as under `python -c`, Spark's client looks for a JVM, and exits."""
    main = sys.modules["__main__"]
    if hasattr(main, "__file__"):
        yield
        return
    main.__file__ = "-c"
    try:
        yield
    finally:
        del main.__file__
