"""The published warehouse file: where it lies, and a read-only connection to it."""

from __future__ import annotations

import os
from pathlib import Path

import duckdb


class NotPublishedError(FileNotFoundError):
    """There is no warehouse file; the message says how to make one."""


class QuestionError(ValueError):
    """An argument that cannot be used; the message names it and what is allowed."""


def published() -> Path:
    """Return the path of the published file: ``accelmart.duckdb`` below ``ACCELMART_HOME``, default ``data/``."""
    return Path(os.environ.get("ACCELMART_HOME") or "data").resolve() / "accelmart.duckdb"


def connect(database: Path | str | None = None) -> duckdb.DuckDBPyConnection:
    """Open the warehouse read-only.

    DuckDB refuses a second connection with other settings in one process, so there are none.

    Args:
        database: the file; None is the published one.

    Raises:
        NotPublishedError: there is no such file.
    """
    path = Path(database) if database is not None else published()
    if not path.exists():
        raise NotPublishedError(f"{path} does not exist. To make it: `make warehouse` or `accelmart build`")
    return duckdb.connect(str(path), read_only=True)
