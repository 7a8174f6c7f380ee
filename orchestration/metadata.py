"""What the UI shows beside an asset: whose it is, where its code and its source are, where its columns come from."""

import logging
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import dagster as dg
import duckdb

from orchestration import settings

ROOT = Path(__file__).resolve().parent.parent
OWNERS = ["team:accelmart"]
"""Of every asset: an e-mail address or ``team:name``."""
COLUMNS_COME_FROM = "columns come from"


def code_reference(path: Path, line: int | None = None) -> dg.UrlCodeReference | dg.LocalFileCodeReference:
    """Where code stands: in the repository ``ACCELMART_REPOSITORY_URL`` names, else in the file on this machine.

    Args:
        path: of a file of this project.
        line: from 1.
    """
    repository = settings.REPOSITORY_URL.read()
    if not repository:
        return dg.LocalFileCodeReference(file_path=str(path), line_number=line or 1)
    end = f"#L{line}" if line else ""
    return dg.UrlCodeReference(url=f"{repository}/{path.relative_to(ROOT).as_posix()}{end}", label="source")


def code_metadata(path: Path, line: int | None = None) -> dict[str, Any]:
    """Metadata that links an asset to its code."""
    with warnings.catch_warnings():
        # known to be in beta; the lock pins the version this was tried with
        warnings.simplefilter("ignore", dg.BetaWarning)
        value = dg.CodeReferencesMetadataValue(code_references=[code_reference(path, line)])
    return {"dagster/code_references": value}


def described(assets: list[Any]) -> list[Any]:
    """The assets with owners and links to their code, where they have none yet."""
    return [_described(asset) for asset in assets]


def _described(asset: Any) -> Any:
    if isinstance(asset, dg.AssetSpec):
        return asset.replace_attributes(owners=OWNERS)
    code = _code_of(asset)
    return asset.map_asset_specs(
        lambda spec: spec.replace_attributes(owners=spec.owners or OWNERS, metadata={**code, **spec.metadata})
    )


def _code_of(asset: dg.AssetsDefinition) -> dict[str, Any]:
    function = getattr(asset.op.compute_fn, "decorated_fn", None)
    if function is None:
        return {}
    code = function.__code__
    return code_metadata(Path(code.co_filename), code.co_firstlineno)


# --- columns -----------------------------------------------------------------------------------------------------


def column_lineage(
    manifest: Mapping[str, Any], compiled: Path, columns: Mapping[str, Mapping[str, str]]
) -> dict[str, dict[str, list[tuple[str, str]]]]:
    """Which columns of which tables each column of a model is made of, read from the compiled SQL.

    Args:
        manifest: dbt's.
        compiled: folder of the compiled models of one project.
        columns: relation name, without quotes → column → type, of every table of the built file.

    Returns:
        dbt's unique id → column → [(unique id of a parent, its column)]. Models sqlglot does not understand are left
        out: lineage is for orientation, no figure depends on it.
    """
    from sqlglot import exp, parse_one
    from sqlglot.errors import SqlglotError
    from sqlglot.lineage import lineage
    from sqlglot.optimizer.qualify import qualify
    from sqlglot.optimizer.scope import build_scope
    from sqlglot.schema import MappingSchema

    # it logs every statement that it does not understand; such a model has no lineage
    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
    nodes = {**manifest["nodes"], **manifest["sources"]}
    by_model: dict[str, dict[str, list[tuple[str, str]]]] = {}
    for unique_id, node in manifest["nodes"].items():
        path = compiled / node["original_file_path"]
        if node["resource_type"] != "model" or not path.exists():
            continue
        sql = path.read_text(encoding="utf-8")
        parents = {}
        for parent in (p for p in node["depends_on"]["nodes"] if p in nodes):
            relation = _relation(nodes[parent])
            parents[relation] = parent
            # a raw table is read from files: give it back its name
            sql = (
                sql.replace(str(nodes[parent]["relation_name"]), relation)
                if parent in manifest["sources"]
                else sql
            )
        schema = MappingSchema(dialect="duckdb")
        for relation in parents:
            if relation in columns:
                table = exp.to_table(relation, dialect="duckdb")
                schema.add_table(table, dict(columns[relation]), dialect="duckdb", match_depth=False)
        try:
            tree = qualify(
                parse_one(sql, dialect="duckdb"),
                schema=schema,
                dialect="duckdb",
                validate_qualify_columns=False,
                identify=False,
            )
            of_model = {}
            # all columns in one walk: asked for one by one, it copies the whole statement for each
            nodes_of = lineage(
                None,
                tree,
                schema=schema,
                dialect="duckdb",
                scope=build_scope(tree),
                trim_selects=False,
                copy=False,
            )
            for column, node_of in nodes_of.items():
                leaves = set()
                for leaf in node_of.walk():
                    read = leaf.expression.find(exp.Table) if not leaf.downstream else None
                    if read is not None and (parent := parents.get(_plain(read))):
                        leaves.add((parent, leaf.name.rpartition(".")[2].strip('"').lower()))
                of_model[column.lower()] = sorted(leaves)
            by_model[unique_id] = of_model
        except (SqlglotError, ValueError, KeyError, RecursionError):
            continue
    return by_model


def _relation(node: Mapping[str, Any]) -> str:
    if node["resource_type"] == "source":
        return f"raw.{node['name']}"
    return ".".join(p.strip('"') for p in str(node["relation_name"]).split(".")[-2:]).lower()


def _plain(table: Any) -> str:
    return ".".join(part.name for part in table.parts[-2:]).lower()


def lineage_metadata(
    of_model: Mapping[str, list[tuple[str, str]]], keys: Mapping[str, dg.AssetKey]
) -> dict[str, dg.MetadataValue[Any]]:
    """Return a model's lineage, from `column_lineage`, as metadata of a materialization.

    Twice: as Dagster's column lineage, which its API returns and Dagster+ draws, and as a Markdown table, because the
    open source UI does not draw column lineage.
    """
    lineage = dg.TableColumnLineage(
        {
            column: [dg.TableColumnDep(asset_key=keys[p], column_name=c) for p, c in deps if p in keys]
            for column, deps in of_model.items()
        }
    )
    rows = [
        f"| {column} | {', '.join(f'{d.asset_key.path[-1]}.{d.column_name}' for d in deps)} |"
        for column, deps in lineage.deps_by_column.items()
    ]
    return {
        "dagster/column_lineage": dg.MetadataValue.column_lineage(lineage),
        COLUMNS_COME_FROM: dg.MetadataValue.md("\n".join(["| column | comes from |", "|---|---|", *rows])),
    }


def columns_of(database: Path) -> dict[str, dict[str, str]]:
    """``schema.table`` → column → type, of every table of a built file."""
    tables: dict[str, dict[str, str]] = {}
    with duckdb.connect(str(database), read_only=True) as db:
        for schema, table, column, kind in db.execute(
            "select schema_name, table_name, column_name, data_type from duckdb_columns()"
        ).fetchall():
            tables.setdefault(f"{schema}.{table}".lower(), {})[column] = kind
    return tables
