"""Which columns each column of a model is computed from, read off the SQL that dbt compiled."""

from __future__ import annotations

import json
import logging
from collections import ChainMap
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import Scope, build_scope

from warehouse.build.dbt import MANIFEST, dbt_results
from warehouse.build.folder import Build, opened
from warehouse.inputs.fingerprint import dbt_rules
from warehouse.storage.files import written_whole
from warehouse.storage.home import Home

Schema = dict[str, Any]
"""Schema → table → column → type."""
Origins = dict[str, set[str]]
"""Column → columns that its expression reads, as ``table.column``; join keys and filters are not among them."""
logging.getLogger("sqlglot").setLevel(logging.ERROR)  # warns of each pivot, whose columns have no lineage
FILE = "column_lineage.json"


def keep_column_lineage(home: Home, build: Build) -> None:
    """Keep the column lineage of the present project, once for each version of it: it follows from the code alone."""
    kept = home.dbt_target / dbt_rules()[:16] / FILE
    if kept.exists():
        return
    lineage = {
        table: {column: sorted(read) for column, read in columns.items() if read}
        for table, columns in column_lineage(build).items()
    }
    with written_whole(kept) as temporary:
        temporary.write_text(json.dumps(lineage, sort_keys=True), encoding="utf-8")


def read_column_lineage(home: Home) -> dict[str, dict[str, list[str]]]:
    """Return table → column → the columns it is computed from; empty before the first build of the present project."""
    kept = home.dbt_target / dbt_rules()[:16] / FILE
    return json.loads(kept.read_bytes()) if kept.exists() else {}


def column_lineage(build: Build) -> dict[str, Origins]:
    """Return the origins of the columns of each model of a build that is in SQL, and that sqlglot understands."""
    manifest = json.loads((build.target / MANIFEST).read_bytes())
    schema = _schema_of(build, manifest)
    lineage = {}
    for result in dbt_results(build, ("success",)):
        node = manifest["nodes"].get(result["unique_id"], {})
        if node.get("resource_type") == "model" and node["language"] == "sql":
            code = _with_names_of_sources(result["compiled_code"], manifest)
            try:
                lineage[node["name"]] = origins(code, schema)
            except SqlglotError:  # a statement it cannot resolve has no lineage
                continue
    return lineage


def _schema_of(build: Build, manifest: dict[str, Any]) -> Schema:
    """Return the columns of every table of a build, and of its sources."""
    schema: Schema = {}
    with opened(build) as db:
        for name, table, column, data_type in db.sql(
            "select schema_name, table_name, column_name, data_type from duckdb_columns() order by column_index"
        ).fetchall():
            schema.setdefault(name, {}).setdefault(table, {})[column] = data_type
        for source in manifest["sources"].values():
            described = db.sql(f"from {source['relation_name']} limit 0")
            columns = zip(described.columns, map(str, described.types), strict=True)
            schema.setdefault(source["source_name"], {})[source["name"]] = dict(columns)
    return schema


def _with_names_of_sources(code: str, manifest: dict[str, Any]) -> str:
    """Replace the files that sources are read from by the sources' names."""
    for source in manifest["sources"].values():
        code = code.replace(source["relation_name"], f"{source['source_name']}.{source['name']}")
    return code


def origins(code: str, schema: Schema) -> Origins:
    """Return which columns of tables each column of a query is computed from.

    Args:
        code: one query in DuckDB's SQL.
        schema: of the tables it reads.

    Raises:
        SqlglotError: a name cannot be resolved.
    """
    tree = sqlglot.parse_one(code, dialect="duckdb")
    for table in tree.find_all(exp.Table):
        table.set("catalog", None)
    qualified = qualify(tree, dialect="duckdb", schema=schema, validate_qualify_columns=False)
    scope = build_scope(qualified)
    tables = {table for of_schema in schema.values() for table in of_schema}
    of_query = _origins_of(scope, {}) if scope else {}
    # what a query unnests has an alias as a table has
    return {name: {o for o in read if o.partition(".")[0] in tables} for name, read in of_query.items()}


def _origins_of(scope: Scope, known: dict[int, Origins]) -> Origins:
    if id(scope) in known:
        return known[id(scope)]
    columns = known[id(scope)] = Origins()  # a recursive query reads itself
    query = scope.expression
    if isinstance(query, exp.SetOperation):
        branches = [_origins_of(branch, known) for branch in scope.set_operation_scopes]
        is_by_name = query.args.get("by_name")
        for names in zip(*([branches[0]] * len(branches) if is_by_name else branches), strict=False):
            columns[names[0]] = set[str]().union(
                *(branch.get(column, set()) for branch, column in zip(branches, names, strict=True))
            )
    elif isinstance(query, exp.Query):
        inner = (s for subquery in scope.subquery_scopes for s in subquery.traverse())
        sources = ChainMap(scope.sources, *(s.sources for s in inner))
        for selected in query.selects:
            read = columns[selected.alias_or_name] = set()
            for column in selected.find_all(exp.Column):
                source = sources.get(column.table)
                if isinstance(source, exp.Table):
                    read.add(f"{source.name}.{column.name}")
                elif isinstance(source, Scope):
                    read |= _origins_of(source, known).get(column.name, set())
    return columns
