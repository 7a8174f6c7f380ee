"""Export public tables as files, described as a data package (https://datapackage.org/standard/data-package/, 2.0) and
in Croissant (`warehouse.outputs.croissant`).

The descriptor is written from the warehouse file: descriptions and units from its comments, sources and licences from
``ops_reconciliation``. A folder is complete when it appears.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any
from uuid import uuid4

import duckdb

from accelmart.opening import another, open_file, problem_of, quoted
from ingest.core.errors import AccelmartError
from ingest.core.stored_json import record_of
from warehouse.outputs.answers import NOTE
from warehouse.outputs.answers_csv import ANSWERS, ANSWERS_DESCRIPTION, answers_fields, answers_query
from warehouse.outputs.croissant import CROISSANT, croissant
from warehouse.publication.generation import Generation, read_generation
from warehouse.publication.pointer import own_publication
from warehouse.storage.database import PublicColumn, PublicTable, public_columns, public_tables
from warehouse.storage.files import link_whole, sha256_of, sync_path
from warehouse.storage.home import Home

EXPORTS_KEPT, DESCRIPTOR = ".exports", "datapackage.json"
_PROFILE = "https://datapackage.org/profiles/2.0/{}.json"
# the rule of `accelmart.cli.output.FORMULA_STARTS`, for DuckDB
_FORMULA = r"^[\s\p{Z}]*[=+@\x{ff1d}\x{ff0b}\x{ff0d}\x{ff20}-]|^[\t\r]"
# what nobody sees, but tabs and ends of lines
_HIDDEN = r"[^\P{C}\t\n\r]|[\p{Zl}\p{Zp}]"
# bytes 8 to 12 of a file of DuckDB
_DUCKDB_MAGIC = b"DUCK"


class ExportForm(StrEnum):
    """File format of an export."""

    parquet = "parquet"
    csv = "csv"


_MEDIATYPES = {ExportForm.parquet: "application/vnd.apache.parquet", ExportForm.csv: "text/csv"}


class ExportError(AccelmartError):
    """The folder cannot be written, or holds files other than an export."""


@dataclass(frozen=True)
class Export:
    """A written export.

    Args:
        folder: folder of the files.
        generation_id: the exported generation.
        relations: number of tables.
        bytes: size of all files.
    """

    folder: Path
    generation_id: str
    relations: int
    bytes: int


def export(
    database: Path,
    folder: Path,
    form: ExportForm = ExportForm.parquet,
) -> Export:
    """Write every public table and the descriptor.

    Args:
        database: the published file.
        folder: target folder; an earlier export there is replaced.
        form: Parquet (zstd) or CSV (lists as JSON, times in UTC, an apostrophe before text that would be a formula).

    Raises:
        NoWarehouseError: nothing is published.
        ExportError: the folder cannot be written, or holds files other than an export.
    """
    generation = read_generation(database)
    target = folder.absolute()
    if target.exists() and not (target / DESCRIPTOR).exists() and (target.is_file() or any(target.iterdir())):
        raise ExportError(f"{folder} is not an earlier export: it has no {DESCRIPTOR}. Choose another folder")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        made = target.parent / f".{target.name}.{uuid4().hex}"
        made.mkdir()
        try:
            done = _write(generation, made, form)
            aside = made.with_name(made.name + ".old")
            if target.is_symlink():
                target.unlink()
            elif target.exists():
                target.rename(aside)
            made.rename(target)
            shutil.rmtree(aside, ignore_errors=True)
        finally:
            shutil.rmtree(made, ignore_errors=True)
    except (OSError, duckdb.Error) as e:
        raise _export_error(database, folder, e) from e
    return Export(target, generation.generation_id, *done)


def export_duckdb(database: Path, target: Path) -> Export:
    """Write one DuckDB file with the public tables and their comments, without macros and internal tables.

    Args:
        database: the published file.
        target: the file; an earlier DuckDB file there is replaced.

    Raises:
        NoWarehouseError: nothing is published.
        ExportError: the file cannot be written, or another file is there.
    """
    generation = read_generation(database)
    path = target.absolute()
    aside = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        if path.is_dir() or (path.exists() and _magic(path) != _DUCKDB_MAGIC):
            raise ExportError(f"{target} is no DuckDB file. Name a new one, such as accelmart-public.duckdb")
        path.parent.mkdir(parents=True, exist_ok=True)
        with open_file(generation.path, writes_to=path.parent) as db:
            db.execute(f"attach {quoted(aside)} as public (storage_version 'v1.2.0')")
            db.execute("begin")
            tables = public_tables(db)
            for name, comment, _ in tables:
                db.execute(f'create table public.main."{name}" as from main."{name}"')
                db.execute(f'comment on table public.main."{name}" is {quoted(comment)}')
            for c in public_columns(db):
                text = f"[{c.unit}] {c.description}" if c.unit else c.description
                db.execute(f'comment on column public.main."{c.table}"."{c.name}" is {quoted(text)}')
            db.execute("commit")
        sync_path(aside)
        aside.replace(path)
    except (OSError, duckdb.Error) as e:
        raise _export_error(database, target, e) from e
    finally:
        aside.unlink(missing_ok=True)
    return Export(path, generation.generation_id, len(tables), path.stat().st_size)


def _export_error(database: Path, target: Path, error: Exception) -> ExportError:
    if isinstance(error, (OSError, duckdb.IOException)):
        return ExportError(f"{target} cannot be written: {error}")
    return ExportError(problem_of(database, error))


def _magic(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(12)[8:]


def publish_exports(home: Home) -> Export:
    """Write the published generation below ``.exports/`` and point the link ``exports`` to it atomically.

    The folder of an earlier generation is removed together with that generation.

    Raises:
        NoWarehouseError: nothing is published.
        ExportError: the export cannot be written; the earlier exports are unchanged.
    """
    generation = own_publication(home).generation
    kept = home.root / EXPORTS_KEPT
    folder = kept / generation.generation_id
    if not _is_whole(folder):
        export(generation.path, folder)
    try:
        link_whole(folder.relative_to(home.root), home.exports)
    except OSError as e:
        raise ExportError(f"{home.exports} cannot be linked: {e}") from e
    known = {path.stem for path in home.generations.glob("*.duckdb")} | {generation.generation_id}
    for old in kept.iterdir():
        if old.name not in known:  # also temporary folders of killed processes
            shutil.rmtree(old, ignore_errors=True)
    files = list(folder.glob("*.parquet"))
    return Export(home.exports, generation.generation_id, len(files), sum(f.stat().st_size for f in files))


def exports_of(home: Home) -> str | None:
    """Return the generation id of the exports of a data root; None if there are none, or they were changed."""
    folder = home.exports.resolve()
    is_link = home.exports.is_symlink() and folder.parent == (home.root / EXPORTS_KEPT).resolve()
    return folder.name if is_link and _is_whole(folder) else None


def _is_whole(folder: Path) -> bool:
    """Whether every file of an export is as its descriptor says: read to its end, a few megabytes in all."""
    try:
        path = folder / DESCRIPTOR
        package = record_of(dict[str, Any], path.read_bytes(), path, "it is written again")
        return (
            package["version"] == folder.name
            and (folder / CROISSANT).read_text(encoding="utf-8") == croissant(package)
            and all(
                resource["hash"] == f"sha256:{sha256_of(folder / resource['path'])}"
                for resource in package["resources"]
            )
        )
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _write(generation: Generation, folder: Path, form: ExportForm) -> tuple[int, int]:
    with open_file(generation.path, writes_to=folder, settings={"timezone": "UTC"}) as db:
        fields: dict[str, list[dict[str, Any]]] = {}
        columns = public_columns(db)
        for column in columns:
            fields.setdefault(column.table, []).append(_field(column))

        def resource(table: PublicTable) -> dict[str, Any]:
            with another(db) as cursor:
                held = _with_constraints_that_hold(cursor, table.name, fields[table.name])
                relation = f'main."{table.name}"'
                return _write_one(cursor, relation, folder / f"{table.name}.{form}", table.comment, held)

        with ThreadPoolExecutor(os.cpu_count()) as threads:
            resources = list(threads.map(resource, public_tables(db)))
        n_tables = len(resources)
        if flat := answers_fields(columns):
            path = folder / f"{ANSWERS}.csv"
            shown = [_field(column) for column in flat]
            resources.append(_write_one(db, f"({answers_query(flat)})", path, ANSWERS_DESCRIPTION, shown))
        package = {
            "$schema": _PROFILE.format("datapackage"),
            "name": "accelmart",
            "title": "Accelmart: AI-accelerator economics",
            "description": f"Speed, cost and energy of AI accelerators, with the evidence on every row. {NOTE}",
            "version": generation.generation_id,
            "created": generation.built_at.isoformat(),
            "inputFingerprint": generation.input_fingerprint,
            "keywords": [
                "MLPerf",
                "accelerators",
                "GPU",
                "cloud prices",
                "energy",
                "total cost of ownership",
            ],
            "licenses": _licences(db),
            "sources": _sources(db),
            "resources": resources,
        }
    (folder / DESCRIPTOR).write_text(
        json.dumps(package, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    (folder / CROISSANT).write_text(croissant(package), encoding="utf-8")
    sync_path(folder)
    return n_tables, sum(int(r["bytes"]) for r in resources)


def _write_one(
    db: duckdb.DuckDBPyConnection,
    relation: str,
    path: Path,
    comment: str,
    fields: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """Write the rows of a relation to a file, in the form that its name ends with, and return its description."""
    form = ExportForm(path.suffix[1:])
    if form is ExportForm.parquet:
        units = json.dumps({f["name"]: f["unit"] for f in fields if "unit" in f}, ensure_ascii=False)
        written = db.execute(
            f"copy (from {relation}) to {quoted(path)} (format parquet, compression zstd, "
            f"kv_metadata {{description: {quoted(comment)}, units: {quoted(units)}}})"
        )
    else:
        replaced = [r for f in fields if (r := _csv_cell(f["name"], f["type"]))]
        chosen = f"* replace ({', '.join(replaced)})" if replaced else "*"
        written = db.execute(
            f"copy (select {chosen} from {relation}) to {quoted(path)} "  # noqa: S608
            "(format csv, header, timestampformat '%Y-%m-%dT%H:%M:%SZ')"
        )
    ((rows,),) = written.fetchall()
    return {
        "$schema": _PROFILE.format("dataresource"),
        "name": path.stem,
        "type": "table",
        "path": path.name,
        "format": str(form),
        "mediatype": _MEDIATYPES[form],
        **({"encoding": "utf-8"} if form is ExportForm.csv else {}),
        "description": comment,
        "bytes": path.stat().st_size,
        "hash": f"sha256:{sha256_of(path)}",
        "rows": rows,
        "schema": {"$schema": _PROFILE.format("tableschema"), "fields": fields},
    }


def _csv_cell(name: str, kind: str) -> str:
    """Return how a column is written to CSV; empty: as it is.

    A list becomes JSON. A text is without what nobody sees; one that a spreadsheet would take for a formula gets an
    apostrophe in front.
    """
    column = f'"{name}"'
    if kind == "array":
        return f"regexp_replace(to_json({column}), '{_HIDDEN}', '', 'g') as {column}"
    if kind == "string":
        text = f"regexp_replace({column}, '{_HIDDEN}', '', 'g')"
        return f"if(regexp_matches({text}, '{_FORMULA}'), '''' || {text}, {text}) as {column}"
    return ""


def _with_constraints_that_hold(
    db: duckdb.DuckDBPyConnection, table: str, fields: Sequence[Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    """Return the fields; a text is required only where none is empty, which data packages take for missing."""
    texts = [f["name"] for f in fields if f["type"] == "string" and "constraints" in f]
    counted = ", ".join(f"count(*) filter (\"{name}\" = '')" for name in texts)
    ((_, *counts),) = db.execute(f'select count(*), {counted} from main."{table}"').fetchall()  # noqa: S608
    empty = {name for name, n in zip(texts, counts, strict=True) if n}
    return [{k: v for k, v in f.items() if k != "constraints" or f["name"] not in empty} for f in fields]


def _field(column: PublicColumn) -> dict[str, Any]:
    return {
        "name": column.name,
        "type": _table_schema_type(column.data_type),
        "description": column.description,
        **({"unit": column.unit} if column.unit else {}),
        **({} if column.is_nullable else {"constraints": {"required": True}}),
    }


def _table_schema_type(data_type: str) -> str:
    """Return the Table Schema type of a DuckDB type.

    Raises:
        ExportError: the DuckDB type has no mapping.
    """
    if data_type.endswith("[]"):
        return "array"
    plain = data_type.partition("(")[0]
    known = {
        "VARCHAR": "string",
        "BOOLEAN": "boolean",
        "DATE": "date",
        "TIMESTAMP": "datetime",
        "TIMESTAMP WITH TIME ZONE": "datetime",
        **dict.fromkeys(("DOUBLE", "FLOAT", "DECIMAL"), "number"),
        **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"), "integer"),
    }
    if plain not in known:
        raise ExportError(
            f"DuckDB type {data_type} has no Table Schema type: add one in warehouse/outputs/export.py"
        )
    return known[plain]


def _licences(db: duckdb.DuckDBPyConnection) -> list[dict[str, str]]:
    """Return the licences of the sources of this generation; the licence of the code is in LICENSE."""
    rows = db.execute(
        "select licence::text, string_agg(distinct source, ', ' order by source) from ops_reconciliation "
        "where licence is not null group by licence order by licence"
    ).fetchall()
    identifier = re.compile(r"[A-Za-z0-9][\w.-]*")
    return [
        {
            # the standard uses identifiers of Open Definition; a licence without one is named in the title
            "name": licence if identifier.fullmatch(licence) else "notspecified",
            "title": f"{licence}: {sources}",
        }
        for licence, sources in rows
    ]


def _sources(db: duckdb.DuckDBPyConnection) -> list[dict[str, str]]:
    rows = db.execute(
        "select distinct source, payload_key, payload_url, licence, payload_sha256 from ops_reconciliation "
        "where source is not null order by all"
    ).fetchall()
    return [
        {
            "title": f"{source} {key}",
            "path": url or "",
            "license": licence or "",
            "hash": f"sha256:{sha256}",
        }
        for source, key, url, licence, sha256 in rows
    ]
