"""Figures and changes of the published generation, for the next build, which compares itself with them.

A generation carries the figures it is compared by (``int_changes__figures``) and the changes reported so far
(``mart_changes``). Both are exported as raw tables before dbt runs; the comparison itself is SQL, in the dbt
project. They are no input of the data: another previous generation does not make a new build necessary.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

import duckdb

from accelmart.opening import open_file, quoted
from warehouse.publication.generation import Generation
from warehouse.storage.files import read_yaml
from warehouse.storage.home import DBT_PROJECT_DIR


class _Kept(NamedTuple):
    """A model of a generation that the next one reads, and the file that declares its columns."""

    schema: str
    model: str
    columns: str


FIGURES, CHANGES = "previous_figures", "previous_changes"
_KEPT = {
    FIGURES: _Kept("intermediate", "int_changes__figures", "models/audit/changes/_changes.yml"),
    CHANGES: _Kept("main", "mart_changes", "models/audit/changes/marts/_marts.yml"),
}


def export_previous(published: Generation | None, raw: Path) -> str | None:
    """Write what the published generation hands on, one Parquet file for each raw table of it.

    Args:
        published: the generation to compare with, from its kept copy; None for none. A damaged one hands on nothing.
        raw: folder of the raw tables of the build.

    Returns:
        Id of the generation exported; None where there is none to compare with: the tables are empty then.
    """
    if published:
        with suppress(duckdb.Error), open_file(published.path, writes_to=raw) as db:
            _export(db, raw)
            return published.generation_id
    with duckdb.connect() as db:
        _export(db, raw)
    return None


def _export(db: duckdb.DuckDBPyConnection, raw: Path) -> None:
    for table, kept in _KEPT.items():
        target = raw / table / "previous.parquet"
        target.parent.mkdir(parents=True, exist_ok=True)
        db.execute(f"copy ({_query(db, kept)}) to {quoted(target)} (format parquet)")


def _query(db: duckdb.DuckDBPyConnection, kept: _Kept) -> str:
    """The model's columns as the project declares them now; what an older generation does not have is null."""
    existing = {
        str(name)
        for (name,) in db.execute(
            "select column_name from duckdb_columns() where schema_name = ? and table_name = ?",
            [kept.schema, kept.model],
        ).fetchall()
    }
    columns = ", ".join(
        f'cast({name if name in existing else "null"} as {kind}) as "{name}"'
        for name, kind in _columns(kept.model, kept.columns)
    )
    return f"select {columns} from {kept.schema}.{kept.model}" if existing else f"select {columns} limit 0"  # noqa: S608


@cache
def _columns(model: str, file: str) -> list[tuple[str, str]]:
    declared = read_yaml(DBT_PROJECT_DIR / file)
    (model_entry,) = (m for m in declared["models"] if m["name"] == model)
    return [(c["name"], c["data_type"]) for c in model_entry["columns"]]
