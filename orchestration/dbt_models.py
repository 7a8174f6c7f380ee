"""dbt models as assets: built, tested and published in one step, by `warehouse.build.driver.build_steps`."""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

import dagster as dg
import yaml
from dagster_dbt import (
    DagsterDbtTranslator,
    DagsterDbtTranslatorSettings,
    DbtCliResource,
    DbtProject,
    dbt_assets,
)

from ingest.core.cadence import PRICES
from orchestration import settings
from orchestration.manifest import MANIFEST, NODES, SOURCES, node_key
from orchestration.policies import code_at, freshness_of, stating_retries
from orchestration.publication import PUBLISHED, materialization, table_events
from warehouse.build import dbt
from warehouse.build.column_lineage import read_column_lineage
from warehouse.build.driver import build_steps
from warehouse.build.folder import Build, BuildOutcome, Step
from warehouse.storage.home import DBT_PROJECT_DIR, Home
from warehouse.storage.locks import WAIT_S

ORIGINS_SHOWN = 4
# one run at a time: dagster.yaml sets the pool's limit; a lock covers builds from the command line
POOL = "warehouse_build"
REBUILD = "rebuild_warehouse"
# tag of a run that ends at once when its inputs are those of the published warehouse
ONLY_IF_NEW = "accelmart/only_if_new"
# tag of a run whose losses against the published generation an operator accepts
ACCEPT_CHANGES = "accelmart/accept_changes"


class Translator(DagsterDbtTranslator):
    """Public tables under the public schema, the others under their layer, each with a link to its code."""

    def get_asset_key(self, dbt_resource_props: Mapping[str, Any]) -> dg.AssetKey:
        """Return the key of a model, seed or source."""
        return node_key(dbt_resource_props)

    def get_group_name(self, dbt_resource_props: Mapping[str, Any]) -> str | None:
        """Return the group of a node: dimensions and facts are one, the others that of their folder."""
        if dbt_resource_props["name"].startswith(("dim_", "fct_")):
            return "facts"
        return super().get_group_name(dbt_resource_props)

    def get_description(self, dbt_resource_props: Mapping[str, Any]) -> str:
        """Return the description of a node, without its SQL, which its link leads to."""
        return str(dbt_resource_props["description"])

    def get_metadata(self, dbt_resource_props: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the metadata of a node: its columns with unit and origin, their lineage, and a link to its file."""
        name = str(dbt_resource_props["name"])
        lineage = _LINEAGE.get(name, {})
        columns = {
            column: {**described, "description": _description_of(described, lineage.get(column, []))}
            for column, described in dbt_resource_props.get("columns", {}).items()
        }
        path = DBT_PROJECT_DIR / str(dbt_resource_props["original_file_path"])
        return {
            **super().get_metadata({**dbt_resource_props, "columns": columns}),
            **(
                {"dagster/table_name": f"accelmart.main.{name}"}
                if dbt_resource_props["schema"] == "main"
                else {}
            ),
            **({"dagster/column_lineage": _lineage_of(lineage)} if lineage else {}),
            **code_at(str(path)),
        }

    def get_asset_check_spec(
        self,
        asset_spec: dg.AssetSpec,
        manifest: Mapping[str, Any],
        unique_id: str,
        project: DbtProject | None,
    ) -> dg.AssetCheckSpec | None:
        """Return the check of a test: its description, and what its line in YAML asks for."""
        spec = super().get_asset_check_spec(asset_spec, manifest, unique_id, project)
        if spec is None:
            return None
        test = manifest["nodes"][unique_id]
        asked = dict((test.get("test_metadata") or {}).get("kwargs", {}))
        asked.pop("model", None)
        words = (
            yaml.safe_dump(asked, default_flow_style=True, sort_keys=False, width=math.inf) if asked else ""
        )
        return spec._replace(description=f"{test['description']} {words}".strip())


def _description_of(column: Mapping[str, Any], origins: Sequence[str]) -> str:
    """Return unit, description and origin of a column; the UI has no other place for the origin."""
    unit = f"[{column['meta']['unit']}] " if column["meta"].get("unit") else ""
    more = f" and {len(origins) - ORIGINS_SHOWN} more" if len(origins) > ORIGINS_SHOWN else ""
    origin = f" From: {', '.join(origins[:ORIGINS_SHOWN])}{more}." if origins else ""
    return f"{unit}{column['description']}{origin}"


def _lineage_of(lineage: Mapping[str, Sequence[str]]) -> dg.TableColumnLineage:
    """Return the lineage of a table's columns in Dagster's terms."""
    return dg.TableColumnLineage(
        {
            name: [
                dg.TableColumnDep(_KEYS[table], column)
                for table, column in (origin.split(".") for origin in origins)
            ]
            for name, origins in lineage.items()
        }
    )


_LINEAGE = read_column_lineage(settings.home())
_TRANSLATOR = Translator(settings=DagsterDbtTranslatorSettings(enable_source_tests_as_checks=True))
_KEYS = {n["name"]: node_key(n) for n in (*NODES["nodes"].values(), *SOURCES.values())}


# no `project`: dbt would run in its folder, where a build has one of its own
@dbt_assets(manifest=MANIFEST, dagster_dbt_translator=_TRANSLATOR, pool=POOL)
def dbt_models(context: dg.AssetExecutionContext) -> Iterator[Any]:
    """Build every table into a new file, test it and publish it, whichever tables were asked for.

    A test that fails prevents the publication. What was built is reported of every table; public ones with rows.

    Raises:
        dagster.Failure: a model or a test failed.
    """
    home, started = settings.home(), time.monotonic()
    built, tables = list[Any](), list[dg.AssetMaterialization]()
    steps = build_steps(
        home,
        _run_dbt,
        force=ONLY_IF_NEW not in context.run.tags,
        accept_changes=context.run.tags.get(ACCEPT_CHANGES, "").lower() == "true",
        wait_s=WAIT_S,
        keep=settings.GENERATIONS_KEPT.read(),
    )
    with stating_retries(), closing(steps):
        try:
            for step in steps:
                if isinstance(step, Step):
                    context.log.info(step.words)
                elif isinstance(step, BuildOutcome):
                    tables = list(table_events(home, step.generation)) if step.is_new else []
                    _report(context, home, step, tables, time.monotonic() - started)
                else:
                    built.append(step)
        except Exception:
            # nothing was published: what was found is reported, and no table
            for event in built:
                if not isinstance(event, dg.AssetMaterialization):
                    yield from _in_run(context, event, {})
            raise
        published = {event.asset_key: event.metadata for event in tables}
        for event in built:
            yield from _in_run(context, event, published)


def _in_run(
    context: dg.AssetExecutionContext, event: Any, published: Mapping[dg.AssetKey, Mapping[str, Any]]
) -> Iterator[Any]:
    """Yield an event of what the run was asked for, and report that of anything else; public tables with their rows."""
    if isinstance(event, dg.AssetMaterialization):
        event = event.with_metadata({**event.metadata, **published.get(event.asset_key, {})})
        if event.asset_key in context.selected_asset_keys:
            yield dg.MaterializeResult(asset_key=event.asset_key, metadata=event.metadata)
        else:
            context.log_event(event)
    elif isinstance(event, dg.AssetCheckEvaluation):
        shown = _without_ids(event)
        if event.asset_check_key in context.selected_asset_check_keys:
            yield dg.AssetCheckResult(**shown)
        else:
            context.instance.report_runless_asset_event(dg.AssetCheckEvaluation(**shown))
    else:
        yield event


def _run_dbt(build: Build) -> Iterator[Any]:
    """Run dbt on a build, and yield its results as events."""
    dbt_of_build = DbtCliResource(
        project_dir=str(build.project),
        profiles_dir=str(build.project),
        target=dbt.TARGET,
        dbt_executable=dbt.executable(),
    )
    # without the run's context: dbt builds all tables, whichever of them were asked for
    yield from dbt_of_build.cli(
        dbt.build_command(build), manifest=MANIFEST, dagster_dbt_translator=_TRANSLATOR, target_path=build.target,
        raise_on_error=False,
    ).stream()  # fmt: skip


def _report(
    context: dg.AssetExecutionContext,
    home: Home,
    done: BuildOutcome,
    tables: list[dg.AssetMaterialization],
    seconds: float,
) -> None:
    if done.is_new:
        event = materialization(home, done.generation, tables, done.warnings, done.new_warnings, seconds)
        context.log_event(event)
        return
    context.log.info("Nothing new: the published warehouse is that of the present inputs.")
    for problem in done.warnings:
        context.log.warning(problem)


def _without_ids(event: dg.AssetCheckEvaluation) -> dict[str, Any]:
    """Return the fields of a result of a test; one that passed has no metadata but its duration.

    Dagster keeps the results of checks for ever, and stores each four times.
    """
    return {
        "passed": event.passed,
        "severity": event.severity,
        "asset_key": event.asset_key,
        "check_name": event.check_name,
        "metadata": {
            name: value
            for name, value in event.metadata.items()
            if not event.passed or name == "Execution Duration"
        },
    }


published_warehouse = dg.AssetSpec(
    PUBLISHED,
    group_name="published",
    kinds={"duckdb"},
    deps=sorted(dbt_models.keys),
    description=f"The warehouse file that people query. {REBUILD} replaces it with a newly built and tested one.",
    # with every daily refresh of prices at the latest
    freshness_policy=freshness_of(PRICES),
)
