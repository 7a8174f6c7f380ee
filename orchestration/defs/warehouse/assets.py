"""dbt models as assets, and the publication of what they gave: write, audit, publish."""

import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dagster as dg
import duckdb
import orjson
from dagster_dbt import DagsterDbtTranslator, DagsterDbtTranslatorSettings, DbtCliInvocation, dbt_assets

from ingest.core.cadence import PRICES
from orchestration import dbt_ahead, settings
from orchestration.asset_groups import PUBLICATION, SEEDS, group_of_model
from orchestration.check_results import results_of_before, without_known_warnings
from orchestration.dagster_internals import is_passed, open_event_log
from orchestration.dbt_state import read_lineage, write_lineage
from orchestration.dbt_tests import words_of_test
from orchestration.metadata import (
    code_metadata,
    column_lineage,
    columns_of,
    lineage_metadata,
)
from orchestration.policies import freshness_of
from orchestration.resources import Dbt, LakeResource, manifest, start_folder
from warehouse.build import (
    Build,
    close,
    discard,
    exclusive,
    findings,
    sweep,
)
from warehouse.database import open_as_it_is
from warehouse.fingerprint import current_generation
from warehouse.home import DBT_PROJECT_DIR, Home
from warehouse.lake import Lake
from warehouse.outcome import keep_warnings, last_outcome, read_warnings, record_outcome, warnings_of
from warehouse.outputs import EXPORTS, REPORT, outputs, repair
from warehouse.prepare import prepare
from warehouse.publish import Generation, predecessor, publication, publish, refuse_if_pinned
from warehouse.reuse import NOTHING_REUSED, Reused, remember_versions, reuse

PUBLISHED = dg.AssetKey(["published", "accelmart"])
PUBLIC_SCHEMA = "accelmart"
WARNINGS = "warnings"
# one run at a time: dagster.yaml sets the pool's limit; a lock covers builds from the command line
POOL = "warehouse_build"
# of a run that is to end at once when its inputs are those of what is published
ONLY_IF_NEW = "accelmart/only_if_new"
# tag of a run whose losses against the published generation an operator accepts
ACCEPT_CHANGES = "accelmart/accept_changes"
# tag of a run that takes over nothing from the published generation
FROM_SCRATCH = "accelmart/from_scratch"
# how long a run started in the UI waits for a build that is running
WAIT_S = 900


class Translator(DagsterDbtTranslator):
    """Groups by domain, and `reference` for the curated seeds."""

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
            return SEEDS
        return group_of_model(str(dbt_resource_props["name"]), str(dbt_resource_props["fqn"][1]))


def _build_of(lake: LakeResource, run_id: str) -> Build:
    return Build(lake.get().home.builds / run_id)


def _with_rules_in_words(parsed: dict[str, Any]) -> dict[str, Any]:
    """Return a manifest in which every test has its rules in words: dagster-dbt takes them for the description."""
    nodes = {
        unique_id: {**node, "meta": {**node["meta"], "description": " ".join(words_of_test(node))}}
        if node["resource_type"] == "test"
        else node
        for unique_id, node in parsed["nodes"].items()
    }
    return {**parsed, "nodes": nodes}


def _project() -> dict[str, Any]:
    parsed: dict[str, Any] = orjson.loads(manifest().read_bytes())
    return parsed


translator = Translator()
_PARSED = _with_rules_in_words(_project())


@dataclass(frozen=True)
class _Begun:
    """A build that dbt works on.

    Args:
        build: its folder and file.
        project: dbt's manifest.
        reused: what was taken over.
        command: of dbt.
        target: folder that dbt writes to.
        process: dbt at work; None if it is yet to be started.
    """

    build: Build
    project: dict[str, Any]
    reused: Reused
    command: list[str]
    target: Path
    process: subprocess.Popen[bytes] | None


# What a run has begun and built stays its own until it is published: who came in between would sweep it away as left
# over. The lock is held by this process, so that the kernel frees it at the latest when the run ends or dies.
_BEGUN: dict[str, _Begun] = {}
_HELD: dict[str, ExitStack] = {}


def begin(
    home: Home, run_id: str, dbt: Dbt, *, is_accepted: bool, is_from_scratch: bool, is_all: bool = True
) -> None:
    """Prepare the build of a run and let dbt work, also before the run starts. The caller holds `exclusive`.

    Args:
        home: whose warehouse.
        run_id: of the run.
        dbt: the resource.
        is_accepted: publish although more was lost or moved than the checks allow.
        is_from_scratch: take over nothing from the published generation.
        is_all: the run is of all dbt models; otherwise dagster-dbt starts dbt, as it knows of which.
    """
    build, project = prepare(home, run_id, accept_changes=is_accepted), _project()
    reused = reuse(home, build, project, from_scratch=is_from_scratch)
    state = build.folder / "reused"
    reused.write_state(state)
    target, at_work = start_folder(build), dbt.of(build)
    command = ["build", "--exclude", "result:success", "--state", str(state)]
    arguments = at_work.arguments(command, target)
    process = dbt_ahead.run(home, arguments, build.project) if is_all else None
    _BEGUN[run_id] = _Begun(build, project, reused, command, target, process)


def made_anew(home: Home, run_id: str, instance: dg.DagsterInstance) -> dg.AssetSelection:
    """Return what a run that has begun makes: models and tests that are not taken over, and the publication.

    What is taken over keeps its last materialization, and a test its last result. Where these are not of what is
    published, because Dagster has none, the last build failed or a test did not pass, the run records them again.

    Args:
        home: whose warehouse.
        run_id: of the run; `begin` was called for it.
        instance: Dagster's.
    """
    reused, nodes = _BEGUN[run_id].reused, _BEGUN[run_id].project["nodes"]
    last = last_outcome(home)
    known = set(instance.get_asset_keys()) if last and last.status == "published" else set()
    unchanged = known.intersection(translator.get_asset_key(nodes[u]) for u in reused.tables)
    tests = {u.split(".")[2] for u in reused.tests}
    results = instance.event_log_storage.get_latest_asset_check_execution_by_key(
        [check.key for check in dbt_models.check_specs]
    )
    passed = {key for key, record in results.items() if known and is_passed(record)}
    checks = [c.key for c in dbt_models.check_specs if c.name not in tests or c.key not in passed]
    assets = dg.AssetSelection.assets(*(dbt_models.keys - unchanged), PUBLISHED)
    return assets.without_checks() | dg.AssetSelection.checks(*checks)


def release(run_id: str) -> None:
    """Let others build: what this run built is published, or never will be."""
    if (begun := _BEGUN.pop(run_id, None)) and begun.process:
        dbt_ahead.end(begun.process)  # still at work if the run was interrupted
    if held := _HELD.pop(run_id, None):
        held.close()


@dbt_assets(manifest=_PARSED, dagster_dbt_translator=translator, pool=POOL)
def dbt_models(context: dg.AssetExecutionContext, dbt: Dbt, lake: LakeResource) -> Iterator[Any]:
    """Build every model into a new file and test it; a test that fails stops what hangs on it, and the publication."""
    home, run_id = lake.get().home, context.op_execution_context.run_id
    with ExitStack() as held:
        held.enter_context(exclusive(home, WAIT_S))
        if run_id not in _BEGUN:
            if ONLY_IF_NEW in context.run.tags and not is_anything_new(lake.get()):
                context.log.info("Nothing new: the published warehouse is that of the present inputs.")
                return
            refuse_if_pinned(home)
            sweep(home)
            for problem in repair(home, is_read=True):
                context.log.warning(problem)
        with open_event_log(context.instance, run_id):
            try:
                if run_id not in _BEGUN:
                    begin(
                        home,
                        run_id,
                        dbt,
                        is_accepted=_is_tagged(context, ACCEPT_CHANGES),
                        is_from_scratch=_is_tagged(context, FROM_SCRATCH),
                        is_all=not context.is_subset,
                    )
                yield from _built(context, dbt, home, _BEGUN[run_id])
            except Exception as e:
                record_outcome(home, "failed", problems=findings(_build_of(lake, run_id)) or [str(e)])
                raise
        _HELD[run_id] = held.pop_all()


def _is_tagged(context: dg.AssetExecutionContext, tag: str) -> bool:
    return context.run.tags.get(tag, "").lower() == "true"


def is_anything_new(lake: Lake) -> bool:
    """Whether a build would come out otherwise than what is published. Two builds of one fingerprint are equal."""
    return current_generation(lake.home) is None


def _built(context: dg.AssetExecutionContext, dbt: Dbt, home: Home, begun: _Begun) -> Iterator[Any]:
    build, reused = begun.build, begun.reused
    at_work = _dbt_at_work(context, dbt.of(build), begun)
    lineage = _Lineage(home, begun.project)
    for unique_id in reused.tables:
        key = translator.get_asset_key(begun.project["nodes"][unique_id])
        if key in context.selected_asset_keys:  # an ephemeral model is no asset
            since = dg.MetadataValue.text(reused.generation_id)
            metadata = {"unchanged since": since, **lineage.of(unique_id)}
            yield dg.MaterializeResult(asset_key=key, metadata=metadata)
    published = predecessor(home)
    before = read_warnings(home, published.generation_id) if published else None
    evaluated = set()
    for event in without_known_warnings(map(lineage.added, at_work.stream()), build, before):
        if isinstance(event, dg.AssetCheckResult):
            evaluated.add((event.asset_key, event.check_name))
        yield event
    not_run = [c for c in context.selected_asset_check_keys if (c.asset_key, c.name) not in evaluated]
    yield from results_of_before(not_run, read_warnings(home, reused.generation_id) or [])
    _keep_lineage(home, begun)


def _dbt_at_work(context: dg.AssetExecutionContext, dbt: Dbt, begun: _Begun) -> DbtCliInvocation:
    if begun.process is None:
        return dbt.cli(begun.command, context=context, target_path=begun.target)
    return DbtCliInvocation(
        process=begun.process,
        manifest=_PARSED,
        dagster_dbt_translator=translator,
        project_dir=begun.build.project,
        target_path=begun.target,
        raise_on_error=True,
        cli_version=dbt.version,
        context=context,
    )


class _Lineage:
    """Column lineage as far as an earlier build recorded it, as metadata of materializations."""

    def __init__(self, home: Home, project: Mapping[str, Any]) -> None:
        # dagster-dbt asks the database after every model, and DuckDB belongs to dbt while it builds
        self._kept = read_lineage(home.dbt_target)
        self._keys = {
            unique_id: translator.get_asset_key(node)
            for unique_id, node in {**project["nodes"], **project["sources"]}.items()
            if node["resource_type"] in ("model", "seed", "source")
        }

    def of(self, unique_id: str) -> dict[str, dg.MetadataValue[Any]]:
        """Return the metadata of a model; none where its lineage is not known."""
        of_model = self._kept.get(unique_id)
        return lineage_metadata(of_model, self._keys) if of_model else {}

    def added(self, event: Any) -> Any:
        """Return an event of dbt, that of a model with its lineage."""
        unique_id = event.metadata.get("unique_id") if isinstance(event, dg.Output) else None
        metadata = self.of(str(unique_id.value)) if unique_id is not None else {}
        return event.with_metadata({**event.metadata, **metadata}) if metadata else event


def _keep_lineage(home: Home, begun: _Begun) -> None:
    if not read_lineage(home.dbt_target):
        build, project = begun.build, begun.project
        compiled = begun.target / "compiled" / project["metadata"]["project_name"]
        # a model that was taken over is not compiled; its SQL is that of before
        before = read_lineage(home.dbt_target, of_any_project=True)
        unchanged = {u: of_model for u, of_model in before.items() if u in begun.reused.tables}
        made = column_lineage(project, compiled, columns_of(build.database))
        write_lineage(home.dbt_target, unchanged | made)


def _of_outputs(home: Home, generation_id: str) -> dict[str, Any]:
    """Return path and size of report and exports as metadata, if they are of the published generation."""
    metadata: dict[str, Any] = {}
    for output in outputs(home):
        if output.name in (REPORT, EXPORTS) and output.generation_id == generation_id:
            files = [output.path] if output.path.is_file() else list(output.path.iterdir())
            metadata[output.name] = dg.MetadataValue.path(str(output.path))
            metadata[f"{output.name}_bytes"] = sum(f.stat().st_size for f in files)
    return metadata


def _rows_of_public_tables(path: Path) -> dict[str, int]:
    """Return the number of rows of each public table of a warehouse file; of none if the file cannot be read."""
    try:
        with open_as_it_is(path) as db:
            tables = db.sql("select table_name from duckdb_tables() where schema_name = 'main'").fetchall()
            return {str(table): int(db.table(table).count("*").fetchall()[0][0]) for (table,) in tables}
    except duckdb.Error:
        return {}


@dg.asset(
    key=PUBLISHED,
    group_name=PUBLICATION,
    kinds={"duckdb"},
    deps=[dbt_models],
    pool=POOL,
    # with every daily refresh of prices at the latest
    freshness_policy=freshness_of(PRICES),
)
def published_warehouse(context: dg.AssetExecutionContext, lake: LakeResource) -> dg.MaterializeResult[None]:
    """The file people read: the audited build, renamed over the last one.

    For every public table an observation has its rows, and the change against the generation before.
    """
    started = time.monotonic()
    build = _build_of(lake, context.op_execution_context.run_id)
    home = lake.get().home
    close(build)
    begun = _BEGUN.get(context.op_execution_context.run_id)
    reused, project = (begun.reused, begun.project) if begun else (NOTHING_REUSED, _project())
    unchanged = {unique_id.split(".")[2] for unique_id in reused.tests}
    before = read_warnings(home, reused.generation_id) or []
    warnings = [*warnings_of(build), *(w for w in before if w.check in unchanged)]

    def keep_notes(generation: Generation) -> None:
        names = {w.check for w in warnings}
        remember_versions(home, generation.generation_id, reused.versions, project, names)
        keep_warnings(home, generation.generation_id, warnings)

    with exclusive(home, WAIT_S):
        earlier = predecessor(home)
        rows_before = _rows_of_public_tables(earlier.path) if earlier else {}
        generation = publish(build.database, home, keep=settings.GENERATIONS_KEPT.read(), before=keep_notes)
        record_outcome(home, "published", generation_id=generation.generation_id)
        # the warehouse is published whatever becomes of the other outputs
        problems = repair(home)
    discard(build)
    release(context.op_execution_context.run_id)
    rows = _rows_of_public_tables(publication(home).generation.path)
    for table, n in rows.items():
        change = {"change_of_rows": n - rows_before[table]} if table in rows_before else {}
        context.log_event(
            dg.AssetObservation(
                dg.AssetKey([PUBLIC_SCHEMA, table]), metadata={"dagster/row_count": n, **change}
            )
        )
    return dg.MaterializeResult(
        data_version=dg.DataVersion(generation.input_fingerprint[:16]),
        metadata={
            "generation": generation.generation_id,
            "path": dg.MetadataValue.path(str(generation.path)),
            "bytes": generation.path.stat().st_size,
            "dagster/row_count": sum(rows.values()),
            **_of_outputs(home, generation.generation_id),
            WARNINGS: dg.MetadataValue.json([*(w.line for w in warnings), *problems]),
            "rows": dg.MetadataValue.json(rows),
            "duration_s": round(time.monotonic() - started, 3),
        },
    )
