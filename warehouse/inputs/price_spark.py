"""Join observed prices to intervals on a Spark Connect server: a cluster of Apache Spark, or Sail.

The SQL is that of the dbt model `int_price__joined`, which reads the result where there is one. Observed prices go to
the server as Parquet files and intervals come back as such, in a folder that both sides see, or in an object store
(``ACCELMART_SPARK_EXCHANGE``).
"""

from __future__ import annotations

import shutil
import socket
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

import duckdb
import jinja2
from fsspec.core import url_to_fs

from ingest.core.errors import AccelmartError
from warehouse.inputs.price_observations import PRICE_OBSERVATIONS, PRICE_POLLS
from warehouse.inputs.raw import PRICE_OFFERS
from warehouse.storage.home import DBT_PROJECT_DIR, Home

PRICE_JOINED, OBSERVED = "price_joined", "observed"
EXCHANGE = "spark.tmp"
"""Folder of the data root for what is handed over for a while."""
OBSERVED_MIN = 1_000_000
"""DuckDB joins fewer observed prices in less than a second (docs/reliability.md); a job of Spark starts slower."""
_PORT = 15002  # of Spark Connect, where a URL names none
_REACH_S = 10
_RETRIES = 4
_IMPORTING = Lock()
_MACROS = ("formulas", "identity", "offer_terms", "observed_prices")


class SparkError(AccelmartError):
    """Spark's client is not installed, or its server does not answer, or fails."""


def render_model(model: str, names: Mapping[str, str]) -> str:
    """Return the SQL of a dbt model of prices.

    Args:
        model: one that uses no macro of dbt itself.
        names: model that it reads, or ``observed`` → relation; others keep their names.
    """
    context = _macros() | {
        "ref": lambda name: names.get(name, name),
        "source": lambda _, name: name,
        "config": lambda **_: "",
        "var": lambda _: False,  # no prices are joined yet
    }
    if OBSERVED in names:
        context["observed_prices"] = lambda *_: f"select * from {names[OBSERVED]}"
    (path,) = DBT_PROJECT_DIR.glob(f"models/**/{model}.sql")
    return jinja2.Template(path.read_text(encoding="utf-8")).render(context)


def _macros() -> dict[str, Any]:
    environment = jinja2.Environment()  # noqa: S701  # SQL of the project, no page
    context: dict[str, Any] = {}
    for name in _MACROS:
        (path,) = DBT_PROJECT_DIR.glob(f"macros/*/{name}.sql")
        context |= vars(environment.from_string(path.read_text(encoding="utf-8"), context).module)
    return context


def create_observed(db: duckdb.DuckDBPyConnection, raw: Path) -> None:
    """Create the views that models of prices read, and ``observed``, over the raw tables of a build.

    Args:
        db: a connection of DuckDB.
        raw: the raw tables, one folder each.
    """
    for table in (PRICE_OFFERS, PRICE_OBSERVATIONS, PRICE_POLLS):
        files = str(raw / table / "*.parquet").replace("'", "''")
        db.execute(
            f"create view {table} as select * from "
            f"read_parquet('{files}', union_by_name = true, file_row_number = true)"
        )
    for model in ("stg_prices__offers", "stg_prices__polls"):
        db.execute(f"create view {model} as {render_model(model, {})}")
    query = _macros()["observed_prices"](PRICE_OFFERS, PRICE_OBSERVATIONS)
    db.execute(f"create view {OBSERVED} as {query}")


class SparkServer:
    """A server of Spark Connect.

    Args:
        url: of the server, ``sc://host:port``.
        exchange: folder for what is handed over; without `shared`, the workers see it under the same path.
        shared: filesystem URL for them that this machine and the workers reach; empty for none.
        observed_min: fewer observed prices are left to DuckDB.
    """

    def __init__(self, url: str, exchange: Path, shared: str = "", observed_min: int = OBSERVED_MIN) -> None:
        self.url, self._exchange, self._shared, self._observed_min = url, exchange, shared, observed_min

    def join(self, raw: Path) -> bool:
        """Join the observed prices of a build, and write the raw table ``price_joined`` for `int_price__joined`.

        Args:
            raw: the raw tables of the build.

        Returns:
            Whether it was written: not of few prices.

        Raises:
            SparkError: the server does not answer, or fails.
        """
        with duckdb.connect() as db:
            db.execute("set timezone = 'UTC'")
            create_observed(db, raw)
            ((n,),) = db.execute(f"select count(*) from {OBSERVED}").fetchall()
            if n < max(self._observed_min, 1):
                return False
            shutil.rmtree(self._exchange, ignore_errors=True)  # left by a killed build
            self._exchange.mkdir(parents=True)
            folder = Path(mkdtemp(prefix="spark-", dir=self._exchange)).absolute()
            # workers of another user write beside what this process wrote
            folder.chmod(0o777)
            for relation in (OBSERVED, "stg_prices__polls"):
                target = str(folder / relation).replace("'", "''")
                db.execute(f"copy (from {relation}) to '{target}' (format parquet, per_thread_output true)")
        try:
            if self._shared:
                self._join_there(folder)
            else:
                self._join(f"file://{folder}")
            (raw / PRICE_JOINED).mkdir()
            for path in (folder / PRICE_JOINED).glob("*.parquet"):
                shutil.copyfile(path, raw / PRICE_JOINED / path.name)
        finally:
            shutil.rmtree(self._exchange, ignore_errors=True)
        return True

    def _join_there(self, folder: Path) -> None:
        """Join prices that were copied to where the workers reach them, and copy the intervals from there."""
        url = f"{self._shared.rstrip('/')}/{folder.name}"
        try:
            files, there = url_to_fs(url, use_listings_cache=False)
            observed = list(folder.rglob("*.parquet"))
            files.put(
                [str(path) for path in observed],
                [f"{there}/{path.relative_to(folder).as_posix()}" for path in observed],
            )
            self._join(url)
            joined = [name for name in files.find(f"{there}/{PRICE_JOINED}") if name.endswith(".parquet")]
            files.get(joined, [str(folder / PRICE_JOINED / Path(name).name) for name in joined])
            files.rm(there, recursive=True)
        except (
            ImportError,
            ValueError,
            OSError,
        ) as e:  # s3fs and gcsfs translate errors of their servers to these
            raise SparkError(f"{self._shared} cannot be used for prices on Spark ({e})") from e

    def _join(self, folder: str) -> None:
        spark, retries, failures = _client()
        suffix = folder.rpartition("/")[2].replace("-", "_")
        self._reach()
        try:
            session = spark.builder.remote(self.url).create()
            try:
                # a server that is gone is tried for four seconds, not for ten minutes
                session.client.set_retry_policies([retries(max_retries=_RETRIES)])
                names = {model: f"{model}_{suffix}" for model in (OBSERVED, "stg_prices__polls")}
                for model, view in names.items():
                    session.read.parquet(f"{folder}/{model}").createOrReplaceTempView(view)
                session.sql(render_model("int_price__joined", names)).write.parquet(
                    f"{folder}/{PRICE_JOINED}"
                )
            finally:
                session.stop()
        except failures as e:
            words = (str(e).splitlines() or [type(e).__name__])[0]
            raise SparkError(
                f"prices on Spark at {self.url} failed: {words}. Is the server up, and do its workers reach "
                f"{folder}? Without Spark: unset ACCELMART_SPARK_URL"
            ) from e

    def _reach(self) -> None:
        """Connect once: Spark's client would try for ten minutes."""
        server = urlsplit(self.url)
        try:
            socket.create_connection((server.hostname or "", server.port or _PORT), _REACH_S).close()
        except OSError as e:
            raise SparkError(
                f"no Spark Connect server answers at {self.url} ({e}): start it, or unset ACCELMART_SPARK_URL"
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
        raise SparkError(f"prices on Spark need: pip install 'accelmart[spark]' ({e})") from e
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


def server_of(home: Home) -> SparkServer | None:
    """Return the server that an installation names; None without one."""
    if not home.spark_url:
        return None
    return SparkServer(home.spark_url, home.root / EXCHANGE, home.spark_exchange)
