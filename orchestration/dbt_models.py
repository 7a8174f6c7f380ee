"""dbt models as assets: built, tested and published in one step, by `warehouse.build.driver.build_steps`."""

import math
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from functools import partial
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
from orchestration.policies import code_at, freshness_of, stating_retries
from orchestration.publication import PUBLISHED, materialization
from warehouse.build import dbt
from warehouse.build.driver import build_steps
from warehouse.build.folder import Build, BuildOutcome, Step
from warehouse.storage.home import DBT_PROJECT_DIR, Home
from warehouse.storage.locks import WAIT_S

PUBLIC_SCHEMA = "accelmart"
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
        key = super().get_asset_key(dbt_resource_props)
        return dg.AssetKey([PUBLIC_SCHEMA, key.path[-1]]) if key.path[0] == "main" else key

    def get_metadata(self, dbt_resource_props: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the metadata of a node, with units before the descriptions of its columns and a link to its file."""
        columns = {
            name: {**column, "description": f"[{unit}] {column['description']}"}
            for name, column in dbt_resource_props.get("columns", {}).items()
            if (unit := column["meta"].get("unit"))
        }
        described = {**dbt_resource_props, "columns": {**dbt_resource_props.get("columns", {}), **columns}}
        path = DBT_PROJECT_DIR / str(dbt_resource_props["original_file_path"])
        return {**super().get_metadata(described), **code_at(str(path))}

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


@dbt_assets(
    manifest=dbt.manifest(settings.home()),
    # no `project`: dbt would run in its folder, where a build has one of its own
    dagster_dbt_translator=Translator(
        settings=DagsterDbtTranslatorSettings(enable_source_tests_as_checks=True)
    ),
    pool=POOL,
)
def dbt_models(context: dg.AssetExecutionContext) -> Iterator[Any]:
    """Build every model into a new file, test it and publish it; a test that fails prevents the publication.

    Raises:
        dagster.Failure: only a part of the tables was asked for, or a model or a test failed.
    """
    if context.is_subset:
        raise dg.Failure(
            f"The tables are built and published together: launch the job {REBUILD}.", allow_retries=False
        )
    home, started = settings.home(), time.monotonic()
    steps = build_steps(
        home,
        partial(_run_dbt, context),
        force=ONLY_IF_NEW not in context.run.tags,
        accept_changes=context.run.tags.get(ACCEPT_CHANGES, "").lower() == "true",
        wait_s=WAIT_S,
        keep=settings.GENERATIONS_KEPT.read(),
    )
    with stating_retries(), closing(steps):
        for step in steps:
            if isinstance(step, Step):
                context.log.info(step.words)
            elif isinstance(step, BuildOutcome):
                _report(context, home, step, time.monotonic() - started)
            else:
                yield _without_ids(step)


def _run_dbt(context: dg.AssetExecutionContext, build: Build) -> Iterator[Any]:
    """Run dbt on a build, and yield its results as events of the run."""
    dbt_of_build = DbtCliResource(
        project_dir=str(build.project),
        profiles_dir=str(build.project),
        target=dbt.TARGET,
        dbt_executable=dbt.executable(),
    )
    command = dbt.build_command(build)
    yield from dbt_of_build.cli(
        command, context=context, target_path=build.target, raise_on_error=False
    ).stream()


def _report(context: dg.AssetExecutionContext, home: Home, done: BuildOutcome, seconds: float) -> None:
    if done.is_new:
        event = materialization(home, done.generation, done.warnings, done.new_warnings, seconds)
        context.log_event(event)
        return
    context.log.info("Nothing new: the published warehouse is that of the present inputs.")
    for problem in done.warnings:
        context.log.warning(problem)


def _without_ids(event: Any) -> Any:
    """Return an event of dbt; a check that passed has no metadata but its duration.

    Dagster keeps the results of checks for ever, and stores each four times.
    """
    if not isinstance(event, dg.AssetCheckResult) or not event.passed:
        return event
    return dg.AssetCheckResult(
        passed=True,
        severity=event.severity,
        asset_key=event.asset_key,
        check_name=event.check_name,
        metadata={name: value for name, value in event.metadata.items() if name == "Execution Duration"},
    )


published_warehouse = dg.AssetSpec(
    PUBLISHED,
    group_name="publication",
    kinds={"duckdb"},
    deps=sorted(dbt_models.keys),
    description=f"The file people read: an audited build, renamed over the last one. {REBUILD} makes it.",
    # with every daily refresh of prices at the latest
    freshness_policy=freshness_of(PRICES),
)
