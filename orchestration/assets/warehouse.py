"""dbt models as assets, and the publication of what they gave: write, audit, publish."""

import os
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import dagster as dg
import duckdb
from dagster_dbt import DagsterDbtTranslator, DagsterDbtTranslatorSettings, DbtCliResource, dbt_assets

from orchestration.resources import LakeResource, manifest
from warehouse.build import (
    Build,
    are_rules_tested,
    close,
    discard,
    environment,
    exclusive,
    findings,
    note_tested_rules,
    prepare,
)
from warehouse.docs import DocumentationGapError, write_pages
from warehouse.export import ExportError, publish_exports
from warehouse.lake import Lake
from warehouse.publish import publish
from warehouse.scenarios import TABLE as OVERRIDES

PUBLISHED = dg.AssetKey(["published", "accelmart"])
PUBLIC_SCHEMA = "accelmart"
WARNINGS = "warnings"
# how long a run started in the UI waits for a build that is running
WAIT_S = 900


tco_overrides = dg.AssetSpec(
    dg.AssetKey(["raw", OVERRIDES]),
    group_name="raw",
    kinds={"yaml"},
    description="The user's own assumptions about ownership: scenarios.yaml in the data root, read with every build.",
)


class Translator(DagsterDbtTranslator):
    """Groups by layer: a model's folder, and `reference` for the curated seeds."""

    def __init__(self) -> None:
        super().__init__(settings=DagsterDbtTranslatorSettings(enable_source_tests_as_checks=True))

    def get_asset_key(self, dbt_resource_props: Mapping[str, Any]) -> dg.AssetKey:
        """Public tables are called after the public schema, the others after their layer."""
        key = super().get_asset_key(dbt_resource_props)
        is_mart = dbt_resource_props["resource_type"] == "model" and dbt_resource_props["fqn"][1] == "marts"
        return dg.AssetKey([PUBLIC_SCHEMA, key.path[-1]]) if is_mart else key

    def get_group_name(self, dbt_resource_props: Mapping[str, Any]) -> str | None:
        """Asset group of a dbt node."""
        if dbt_resource_props["resource_type"] == "seed":
            return "reference"
        return str(dbt_resource_props["fqn"][1])


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _build_of(lake: LakeResource, run_id: str) -> Build:
    return Build(lake.get().home.builds / run_id)


@dbt_assets(manifest=manifest(), dagster_dbt_translator=Translator(), pool="warehouse_build")
def dbt_models(context: dg.AssetExecutionContext, dbt: DbtCliResource, lake: LakeResource) -> Iterator[Any]:
    """Build every model into a new file and test it; a test that fails stops what hangs on it, and the publication."""
    home = lake.get().home
    with exclusive(home, WAIT_S):
        yield from _built(context, dbt, lake.get())


def _built(context: dg.AssetExecutionContext, dbt: DbtCliResource, lake: Lake) -> Iterator[Any]:
    build = prepare(lake, context.run_id)
    # dbt starts from the project as it was parsed last, and leaves nothing beside the code
    target = build.folder / "dbt"
    target.mkdir()
    shutil.copy2(lake.home.dbt_target / "partial_parse.msgpack", target)
    with _environment(environment(lake.home)):
        # unit tests try the rules on rows of their own: once for a state of the project, not with every new price
        left_out = ["--exclude-resource-type", "unit_test"] if are_rules_tested(lake.home) else []
        yield from dbt.cli(["build", *left_out], context=context, target_path=target).stream()


@dg.asset(key=PUBLISHED, group_name="published", kinds={"duckdb"}, deps=[dbt_models], pool="warehouse_build")
def published_warehouse(context: dg.AssetExecutionContext, lake: LakeResource) -> dg.MaterializeResult[None]:
    """The file people read: the audited build, renamed over the last one."""
    started = time.monotonic()
    build = _build_of(lake, context.run_id)
    home = lake.get().home
    close(build)
    warnings = findings(build, ("warn",))
    with exclusive(home, WAIT_S):
        generation = publish(build.database, home)
        # dbt build with a failed unit test would not have come here
        note_tested_rules(home)
    discard(build)
    exports: dict[str, Any] = {}
    try:
        exported = publish_exports(home)
        exports = {"exports": dg.MetadataValue.path(str(exported.folder)), "exports_bytes": exported.bytes}
        write_pages(home)
    except (ExportError, DocumentationGapError, OSError) as e:
        # the warehouse is published; its exports and pages of before stay
        warnings.append(f"exports and docs: {e}")
    with duckdb.connect(str(generation.path), read_only=True) as db:
        rows = {
            str(table): int(db.table(table).count("*").fetchall()[0][0])
            for (table,) in db.sql(
                "select table_name from duckdb_tables() where schema_name = 'main'"
            ).fetchall()
        }
    return dg.MaterializeResult(
        data_version=dg.DataVersion(generation.input_fingerprint[:16]),
        metadata={
            "generation": generation.generation_id,
            "path": dg.MetadataValue.path(str(generation.path)),
            "bytes": generation.path.stat().st_size,
            "dagster/row_count": sum(rows.values()),
            WARNINGS: dg.MetadataValue.json(warnings),
            "rows": dg.MetadataValue.json(rows),
            **exports,
            "duration_s": round(time.monotonic() - started, 3),
        },
    )
