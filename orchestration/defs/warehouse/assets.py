"""dbt models as assets, and the publication of what they gave: write, audit, publish."""

import json
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from typing import Any

import dagster as dg
import duckdb
from dagster_dbt import DagsterDbtTranslator, DagsterDbtTranslatorSettings, dbt_assets

from ingest.core.cadence import PRICES
from orchestration import settings
from orchestration.dagster_internals import open_event_log
from orchestration.dbt_state import PARSED
from orchestration.metadata import (
    code_metadata,
    column_lineage,
    columns_of,
    lineage_metadata,
    read_lineage,
    write_lineage,
)
from orchestration.policies import freshness_of
from orchestration.resources import Dbt, LakeResource, manifest
from warehouse.build import (
    Build,
    are_rules_tested,
    close,
    discard,
    exclusive,
    findings,
    note_tested_rules,
    sweep,
)
from warehouse.docs import DocumentationGapError, write_pages
from warehouse.export import ExportError, publish_exports
from warehouse.fingerprint import current_generation
from warehouse.home import DBT_PROJECT_DIR, Home
from warehouse.lake import Lake
from warehouse.outcome import keep_warnings, record_outcome, warnings_of
from warehouse.prepare import prepare
from warehouse.publish import keep_published, publish
from warehouse.report import attempt, place_report, write_report

GROUP = "warehouse"
PUBLISHED = dg.AssetKey(["published", "accelmart"])
PUBLIC_SCHEMA = "accelmart"
WARNINGS = "warnings"
# unit tests try the rules on rows of their own, the tests of seeds read nothing else: once for a state of the project,
# not with every new price
SEEDS = "seeds"
UNCHANGED_BY_DATA = ["--exclude-resource-type", "unit_test", "--exclude", f"path:{SEEDS},resource_type:test"]
# one run at a time: dagster.yaml sets the pool's limit; a lock covers builds from the command line
POOL = "warehouse_build"
# of a run that is to end at once when its inputs are those of what is published
ONLY_IF_NEW = "accelmart/only_if_new"
# tag of a run whose losses against the published generation an operator accepts
ACCEPT_CHANGES = "accelmart/accept_changes"
# how long a run started in the UI waits for a build that is running
WAIT_S = 900


class Translator(DagsterDbtTranslator):
    """Groups by layer: a model's folder, and `reference` for the curated seeds."""

    def __init__(self) -> None:
        super().__init__(settings=DagsterDbtTranslatorSettings(enable_source_tests_as_checks=True))

    def get_metadata(self, dbt_resource_props: Mapping[str, Any]) -> Mapping[str, Any]:
        """Columns with their types, and where the SQL or CSV stands."""
        path = DBT_PROJECT_DIR / str(dbt_resource_props["original_file_path"])
        return {**super().get_metadata(dbt_resource_props), **code_metadata(path)}

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


def _build_of(lake: LakeResource, run_id: str) -> Build:
    return Build(lake.get().home.builds / run_id)


translator = Translator()


@dbt_assets(manifest=manifest(), dagster_dbt_translator=translator, pool=POOL)
def dbt_models(context: dg.AssetExecutionContext, dbt: Dbt, lake: LakeResource) -> Iterator[Any]:
    """Build every model into a new file and test it; a test that fails stops what hangs on it, and the publication."""
    home = lake.get().home
    with ExitStack() as held:
        held.enter_context(exclusive(home, WAIT_S))
        if ONLY_IF_NEW in context.run.tags and not is_anything_new(lake.get()):
            context.log.info("Nothing new: the published warehouse is that of the present inputs.")
            return
        sweep(home)
        keep_published(home)
        with open_event_log(context.instance, context.op_execution_context.run_id):
            try:
                yield from _built(context, dbt, lake.get())
            except Exception as e:
                build = _build_of(lake, context.op_execution_context.run_id)
                record_outcome(home, "failed", problems=findings(build) or [str(e)])
                raise
        _HELD[context.op_execution_context.run_id] = held.pop_all()


# What a run has built stays its own until it is published: who came in between would sweep it away as left over.
# Held by this process, so that the kernel frees the lock at the latest when the run ends or dies.
_HELD: dict[str, ExitStack] = {}


def release(run_id: str) -> None:
    """Let others build: what this run built is published, or never will be."""
    if held := _HELD.pop(run_id, None):
        held.close()


def is_anything_new(lake: Lake) -> bool:
    """Whether a build would come out otherwise than what is published. Two builds of one fingerprint are equal."""
    return current_generation(lake.home) is None


def _built(context: dg.AssetExecutionContext, dbt: Dbt, lake: Lake) -> Iterator[Any]:
    is_accepted = context.run.tags.get(ACCEPT_CHANGES, "").lower() == "true"
    build = prepare(lake.home, context.op_execution_context.run_id, accept_changes=is_accepted)
    # dbt starts from the project as it was parsed last, and leaves nothing beside the code
    target = build.folder / "dbt"
    target.mkdir()
    shutil.copy2(lake.home.dbt_target / PARSED, target)
    left_out = UNCHANGED_BY_DATA if are_rules_tested(lake.home) else []
    evaluated = set()
    events = dbt.of(build).cli(["build", *left_out], context=context, target_path=target).stream()
    for event in _with_lineage(lake.home, events):
        if isinstance(event, dg.AssetCheckResult):
            evaluated.add((event.asset_key, event.check_name))
        yield event
    if left_out:
        yield from _passed_before(context, evaluated)
    _keep_lineage(lake.home, build)


def _passed_before(
    context: dg.AssetExecutionContext, evaluated: set[tuple[dg.AssetKey | None, str | None]]
) -> Iterator[dg.AssetCheckResult]:
    """Report the tests of seeds that were left out as passed: they passed with this very project."""
    for check in context.selected_asset_check_keys:
        if check.asset_key.path[0] == SEEDS and (check.asset_key, check.name) not in evaluated:
            yield dg.AssetCheckResult(
                passed=True,
                asset_key=check.asset_key,
                check_name=check.name,
                description="Passed before; neither this project nor its engines have changed since.",
            )


def _with_lineage(home: Home, events: Iterable[Any]) -> Iterator[Any]:
    """Add column lineage to dbt's events of models, as far as an earlier build recorded it."""
    # dagster-dbt asks the database after every model, and DuckDB belongs to dbt while it builds
    kept = read_lineage(home.dbt_target)
    keys = {unique_id: translator.get_asset_key(node) for unique_id, node in _nodes().items()} if kept else {}
    for event in events:
        unique_id = event.metadata.get("unique_id") if isinstance(event, dg.Output) else None
        of_model = kept.get(str(unique_id.value)) if unique_id is not None else None
        yield (
            event.with_metadata({**event.metadata, **lineage_metadata(of_model, keys)}) if of_model else event
        )


def _keep_lineage(home: Home, build: Build) -> None:
    if not read_lineage(home.dbt_target):
        parsed = json.loads((build.folder / "dbt" / "manifest.json").read_text(encoding="utf-8"))
        compiled = build.folder / "dbt" / "compiled" / parsed["metadata"]["project_name"]
        write_lineage(home.dbt_target, column_lineage(parsed, compiled, columns_of(build.database)))


def _nodes() -> dict[str, Any]:
    parsed = json.loads(manifest().read_text(encoding="utf-8"))
    return {
        unique_id: node
        for unique_id, node in {**parsed["nodes"], **parsed["sources"]}.items()
        if node["resource_type"] in ("model", "seed", "source")
    }


@dg.asset(
    key=PUBLISHED,
    group_name=GROUP,
    kinds={"duckdb"},
    deps=[dbt_models],
    pool=POOL,
    # with every daily refresh of prices at the latest
    freshness_policy=freshness_of(PRICES),
)
def published_warehouse(context: dg.AssetExecutionContext, lake: LakeResource) -> dg.MaterializeResult[None]:
    """The file people read: the audited build, renamed over the last one."""
    started = time.monotonic()
    build = _build_of(lake, context.op_execution_context.run_id)
    home = lake.get().home
    close(build)
    warnings = warnings_of(build)
    # drawn from what was audited, put in place after it; a report that cannot be made unpublishes nothing
    draft = build.folder / "report.html"
    _, problem = attempt(lambda: write_report(build.database, draft))
    with exclusive(home, WAIT_S):
        generation = publish(build.database, home, keep=settings.GENERATIONS_KEPT.read())
        report, problem = (None, problem) if problem else attempt(lambda: place_report(home, draft))
        # dbt build with a failed unit test, or a failed test of a seed, would not have come here
        note_tested_rules(home)
        keep_warnings(home, generation.generation_id, warnings)
        record_outcome(home, "published", generation_id=generation.generation_id)
    discard(build)
    release(context.op_execution_context.run_id)
    of_report: dict[str, Any] = (
        {"report": dg.MetadataValue.path(str(report.path)), "report_bytes": report.bytes} if report else {}
    )
    exports: dict[str, Any] = {}
    try:
        exported = publish_exports(home)
        exports = {"exports": dg.MetadataValue.path(str(exported.folder)), "exports_bytes": exported.bytes}
        write_pages(home)
    except (ExportError, DocumentationGapError, OSError) as e:
        # the warehouse is published; its exports and pages of before stay
        problem = "; ".join(filter(None, [problem, f"exports and docs: {e}"]))
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
            **of_report,
            WARNINGS: dg.MetadataValue.json([*(w.line for w in warnings), *([problem] if problem else [])]),
            "rows": dg.MetadataValue.json(rows),
            **exports,
            "duration_s": round(time.monotonic() - started, 3),
        },
    )
