"""What is used of Dagster that is not public, and why. No other file imports from `dagster._core` or `dagster._utils`.

Checked with dagster 1.13.27: none of these has a public counterpart there.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import timedelta
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import dagster as dg

# what a run launcher answers about a run
from dagster._core.launcher import CheckRunHealthResult, WorkerStatus

# tags of a run: its partition, and whether Dagster will start it again after a failure; `dg` has no names for them
from dagster._core.storage.tags import PARTITION_NAME_TAG, WILL_RETRY_TAG
from sqlalchemy import Connection, Engine
from sqlalchemy.event import listen
from sqlalchemy.pool import QueuePool

if TYPE_CHECKING:
    # what `Definitions.resolve_asset_graph` and `RepositoryDefinition.asset_graph` return; `dg` has no name for it
    from dagster._core.definitions.assets.graph.asset_graph import AssetGraph
    from dagster._core.storage.event_log.sqlite.sqlite_event_log import SqliteEventLogStorage

__all__ = [
    "PARTITION_NAME_TAG",
    "WILL_RETRY_TAG",
    "AssetGraph",
    "CheckRunHealthResult",
    "WorkerStatus",
    "fail_window",
    "is_failed",
    "is_passed",
    "is_planned",
    "open_event_log",
]


def fail_window(policy: dg.FreshnessPolicy) -> timedelta:
    """Return the age past which an asset is stale.

    `dg.FreshnessPolicy.time_window` makes a policy of a class that is not public; the windows are its attributes.

    Raises:
        TypeError: the policy is of another kind.
    """
    window = getattr(policy, "fail_window", None)
    if window is None:
        raise TypeError(f"alerts know time windows, no {type(policy).__name__}")
    age: timedelta = window.to_timedelta()
    return age


def is_failed(record: Any) -> bool:
    """Return whether the latest evaluation of a check failed. The status of a check's record is not public."""
    return _status(record) == "FAILED"


def is_passed(record: Any) -> bool:
    """Return whether the latest evaluation of a check passed."""
    return _status(record) == "SUCCEEDED"


def is_planned(record: Any) -> bool:
    """Return whether a check is not evaluated yet in its latest run."""
    return _status(record) == "PLANNED"


def _status(record: Any) -> str:
    return str(record.status.value)


@contextmanager
def open_event_log(instance: dg.DagsterInstance, *run_ids: str) -> Iterator[None]:
    """Keep connections to an event log in SQLite open: that of all runs, and those of single ones.

    Dagster opens and closes a connection for every event. Closing the last connection writes SQLite's log into its
    file and waits for the disk: thousands of times in a build. Dagster also makes an engine for each connection, which
    compiles every statement again: here each file has one engine, which keeps its connections. Dagster has no setting
    for any of this.
    """
    # an instance that exists has loaded them; definitions load faster without
    from dagster._core.storage.event_log.sqlite import sqlite_event_log
    from dagster._core.storage.runs.sqlite import sqlite_run_storage

    storage = instance.event_log_storage
    with ExitStack() as kept:
        if isinstance(storage, sqlite_event_log.SqliteEventLogStorage):
            for module in (sqlite_event_log, sqlite_run_storage):
                kept.enter_context(_one_engine_a_file(module))
            kept.enter_context(_schema_known(storage))
            for shard in (sqlite_event_log.INDEX_SHARD_NAME, *run_ids):
                connection = kept.enter_context(closing(sqlite3.connect(storage.path_for_shard(shard))))
                # a file is opened by its first reader; none holds up a writer once it has read
                connection.execute("select count(*) from sqlite_master").fetchall()
        yield


@contextmanager
def _schema_known(storage: SqliteEventLogStorage) -> Iterator[None]:
    """Let an event log look once at what cannot change while it is open, and make the files of new runs in one step.

    Dagster inspects the columns of the index file with every event of an asset. The file of a run is made by way of its
    migrations, which takes a third of a second: here it gets the tables of the index file, which are the same.
    """
    index = storage.path_for_shard("index")
    make = storage._initdb

    def make_file(engine: Engine, for_index_shard: bool = False) -> None:
        if for_index_shard or not _copy_schema(Path(index), Path(str(engine.url.database))):
            make(engine, for_index_shard)

    inspect = storage._has_asset_key_index_cols_on_connection
    answers: list[bool] = []

    def has_columns(connection: Connection) -> bool:
        if not answers:
            answers.append(inspect(connection))
        return answers[0]

    replaced: dict[str, Any] = {
        "_initdb": make_file,
        "_has_asset_key_index_cols_on_connection": has_columns,
        "has_secondary_index": cache(storage.has_secondary_index),
    }
    before = {name: method for name, method in vars(storage).items() if name in replaced}
    vars(storage).update(replaced)
    try:
        yield
    finally:
        for name in replaced:
            del vars(storage)[name]
        vars(storage).update(before)


def _copy_schema(index: Path, new: Path) -> bool:
    """Create the tables of one SQLite file in another one that is empty; return whether it was."""
    with (
        closing(sqlite3.connect(index)) as known,
        closing(sqlite3.connect(new, isolation_level=None)) as empty,
    ):
        tables = "select sql from sqlite_master where sql is not null and name not like 'sqlite_%'"
        statements = [sql for (sql,) in known.execute(tables)]
        revision = known.execute("select version_num from alembic_version").fetchall()
        empty.execute("pragma journal_mode = wal")
        empty.execute("begin immediate")
        if is_new := not empty.execute("select count(*) from sqlite_master").fetchone()[0]:
            for statement in statements:
                empty.execute(statement)
            empty.executemany("insert into alembic_version values (?)", revision)
        empty.execute("commit")
    return is_new


@contextmanager
def _one_engine_a_file(module: ModuleType) -> Iterator[None]:
    """Let a module of Dagster reuse the engine it made for a file before, and its connections."""
    make: Callable[..., Any] = vars(module)["create_engine"]
    engines: dict[str, Any] = {}

    def create_engine(url: str, **options: Any) -> Any:
        if url not in engines:
            engine = make(url, **(options | {"poolclass": QueuePool}))
            # with a write-ahead log a power cut loses the last events at most, and no event waits for the disk
            listen(engine, "connect", lambda connection, _: connection.execute("pragma synchronous = normal"))
            # Dagster disposes of an engine after each use, which closes its connections
            engines[url], engine.dispose = (engine, engine.dispose), lambda: None
        return engines[url][0]

    vars(module)["create_engine"] = create_engine
    try:
        yield
    finally:
        vars(module)["create_engine"] = make
        for _, dispose in engines.values():
            dispose()
