"""dbt models as assets: built into a new file, tested and published in one step, as `warehouse.build.build` does."""

import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import dagster as dg
from dagster_dbt import DagsterDbtTranslator, DagsterDbtTranslatorSettings, DbtCliResource, dbt_assets

from ingest.core.cadence import PRICES
from orchestration import settings
from orchestration.check_results import count_new_rows
from orchestration.dbt_tests import words_of_test
from orchestration.metadata import code_metadata, column_lineage, columns_of, lineage_metadata
from orchestration.policies import freshness_of, stating_retries
from orchestration.publication import PUBLISHED, materialization
from warehouse import dbt
from warehouse.build import failure_of, publish_build, recording_failure
from warehouse.build_folder import Build, remove_stale
from warehouse.column_dictionary import column_meanings
from warehouse.fingerprint import current_generation
from warehouse.home import DBT_PROJECT_DIR, Home
from warehouse.locks import exclusive
from warehouse.outcome import read_warnings
from warehouse.outputs import repair
from warehouse.prepare import prepare, select_inputs
from warehouse.publish import predecessor, refuse_if_pinned

PUBLIC_SCHEMA = "accelmart"
# one run at a time: dagster.yaml sets the pool's limit; a lock covers builds from the command line
POOL = "warehouse_build"
REBUILD = "rebuild_warehouse"
# tag of a run that ends at once when its inputs are those of the published warehouse
ONLY_IF_NEW = "accelmart/only_if_new"
# tag of a run whose losses against the published generation an operator accepts
ACCEPT_CHANGES = "accelmart/accept_changes"
# how long a run started in the UI waits for a build that is running
WAIT_S = 900


class Translator(DagsterDbtTranslator):
    """Public tables under the public schema, and every node with its columns and code."""

    def __init__(self) -> None:
        super().__init__(settings=DagsterDbtTranslatorSettings(enable_source_tests_as_checks=True))

    def get_metadata(self, dbt_resource_props: Mapping[str, Any]) -> Mapping[str, Any]:
        """Columns with their types, and where the SQL or CSV stands."""
        path = DBT_PROJECT_DIR / str(dbt_resource_props["original_file_path"])
        return {**super().get_metadata(dbt_resource_props), **code_metadata(path)}

    def get_asset_key(self, dbt_resource_props: Mapping[str, Any]) -> dg.AssetKey:
        """Public tables are called after the public schema, the others after their layer."""
        key = super().get_asset_key(dbt_resource_props)
        return dg.AssetKey([PUBLIC_SCHEMA, key.path[-1]]) if key.path[0] == "main" else key


def _with_descriptions(parsed: dict[str, Any]) -> dict[str, Any]:
    """Return a manifest in which tests and columns have the descriptions that the UI shows.

    Those of tests are their rules in words, those of columns stand in the dictionary.
    """
    meanings = column_meanings()
    nodes = {}
    for unique_id, node in parsed["nodes"].items():
        if node["resource_type"] == "test":
            node = {**node, "meta": {**node["meta"], "description": " ".join(words_of_test(node))}}
        columns = {
            name: {
                **column,
                "description": meanings.get((name, node["name"])) or meanings.get((name, ""), ""),
            }
            for name, column in node["columns"].items()
        }
        nodes[unique_id] = {**node, "columns": columns}
    return {**parsed, "nodes": nodes}


def _parsed_project() -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(dbt.manifest(settings.home()).read_bytes())
    return _with_descriptions(parsed)


_TRANSLATOR = Translator()


@dbt_assets(manifest=_parsed_project(), dagster_dbt_translator=_TRANSLATOR, pool=POOL)
def dbt_models(context: dg.AssetExecutionContext) -> Iterator[Any]:
    """Build every model into a new file, test it and publish it; a test that fails prevents the publication.

    Raises:
        dagster.Failure: only a part of the tables was asked for, or a model or a test failed.
    """
    if context.is_subset:
        raise dg.Failure(
            f"The tables are built and published together: launch the job {REBUILD}.", allow_retries=False
        )
    home = settings.home()
    with stating_retries(), exclusive(home, WAIT_S), recording_failure(home):
        if ONLY_IF_NEW in context.run.tags and current_generation(home):
            context.log.info("Nothing new: the published warehouse is that of the present inputs.")
            return
        yield from _build(context, home)


def _build(context: dg.AssetExecutionContext, home: Home) -> Iterator[Any]:
    """Do what `warehouse.build.build` does, with dbt's results as events of the run."""
    started = time.monotonic()
    refuse_if_pinned(home)
    remove_stale(home)
    for problem in repair(home, is_read=True):
        context.log.warning(problem)
    is_accepted = context.run.tags.get(ACCEPT_CHANGES, "").lower() == "true"
    build = prepare(home, select_inputs(home), accept_changes=is_accepted)
    before = predecessor(home)
    known = read_warnings(home, before.generation_id) if before else None
    running = _dbt_of(build).cli(
        list(dbt.BUILD_COMMAND), context=context, target_path=build.target, raise_on_error=False
    )
    lineage = _lineage_of_last_build(home, before.path) if before else {}
    events = (_with_lineage(event, lineage) for event in running.stream())
    yield from count_new_rows(events, build, known or [])
    if not running.is_successful():
        raise failure_of(home, build)
    done = publish_build(home, build, keep=settings.GENERATIONS_KEPT.read())
    context.log_event(materialization(home, done.generation, done.lines, time.monotonic() - started))


def _lineage_of_last_build(home: Home, database: Path) -> dict[str, dict[str, dg.MetadataValue[Any]]]:
    """Return the column lineage of each model as metadata, by dbt's unique id, read from the SQL of the last build.

    dagster-dbt would ask the database for it after each model, which takes a minute a build.
    """
    project = json.loads(dbt.manifest(home).read_bytes())
    keys = {
        unique_id: _TRANSLATOR.get_asset_key(node)
        for unique_id, node in {**project["nodes"], **project["sources"]}.items()
        if node["resource_type"] in ("model", "seed", "source")
    }
    of_models = column_lineage(project, home.dbt_target / dbt.COMPILED, columns_of(database))
    return {unique_id: lineage_metadata(of_model, keys) for unique_id, of_model in of_models.items()}


def _with_lineage(event: Any, lineage: Mapping[str, Mapping[str, Any]]) -> Any:
    unique_id = event.metadata.get("unique_id") if isinstance(event, dg.Output) else None
    added = lineage.get(str(unique_id.value)) if unique_id is not None else None
    return event.with_metadata({**event.metadata, **added}) if added else event


def _dbt_of(build: Build) -> DbtCliResource:
    return DbtCliResource(
        project_dir=str(build.project),
        profiles_dir=str(build.project),
        target=dbt.TARGET,
        dbt_executable=dbt.executable(),
    )


published_warehouse = dg.AssetSpec(
    PUBLISHED,
    group_name="publication",
    kinds={"duckdb"},
    deps=sorted(dbt_models.keys),
    description=f"The file people read: an audited build, renamed over the last one. {REBUILD} makes it.",
    metadata=code_metadata(Path(__file__)),
    # with every daily refresh of prices at the latest
    freshness_policy=freshness_of(PRICES),
)
