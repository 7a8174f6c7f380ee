"""Running the assets in this process, on the instance of this installation: what the command line does."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any
from uuid import uuid4

import dagster as dg
from yaml import YAMLError

from ingest.core.errors import AccelmartError
from ingest.core.payload import Payload
from ingest.core.source import Source
from ingest.mlperf.releases import normalise_release
from orchestration import settings
from orchestration.dagster_internals import open_event_log
from orchestration.policies import BY_HAND, words_of
from orchestration.raw_lists import raw_key
from orchestration.resources import RESOURCES, last_data_version, report
from warehouse.build import (
    Build,
    BuildOutcome,
    BuildRunningError,
    discard,
    exclusive,
    findings,
    sweep,
)
from warehouse.disk import build_needs, disk_full, is_disk_full
from warehouse.fingerprint import current_generation
from warehouse.home import Home
from warehouse.isolation import accept_payloads, read_isolated
from warehouse.lake import COLLECTION_KEY, Lake, data_version, releases_of
from warehouse.outcome import new_warnings, record_outcome, shortened
from warehouse.outputs import repair
from warehouse.overrides import read_overrides
from warehouse.price_fold import PRICE_POLLS
from warehouse.publish import PinnedError, predecessor, publication, refuse_if_pinned
from warehouse.raw import SERVING_POINTS, SPEC_VALUES
from warehouse.scenarios import read_scenarios

# What every installation needs, whatever its storage.
DAGSTER_SETTINGS = """\
telemetry:
  enabled: false
nux:
  enabled: false
concurrency:
  pools:
    # one writer: a run that builds the warehouse waits for the one before
    default_limit: 1
    granularity: run
  runs:
    max_concurrent_runs: 4
run_retries:
  # a run whose process died is started again; a failed step has its own retry policy
  enabled: true
  max_retries: 2
  retry_on_asset_or_op_failure: false
run_monitoring:
  enabled: true
  poll_interval_seconds: 30
  start_timeout_seconds: 300
  cancel_timeout_seconds: 120
  # the largest list takes minutes: a run of more than three hours hangs
  max_runtime_seconds: 10800
freshness:
  enabled: true
sensors:
  # a sensor that waits for a remote answer does not delay the others
  use_threads: true
  num_workers: 4
retention:
  schedule:
    purge_after_days: 90
  sensor:
    purge_after_days:
      skipped: 3
      success: 90
      failure: 90
  auto_materialize:
    purge_after_days:
      skipped: 3
      success: 90
      failure: 90
"""
_DAGSTER_YAML = f"""\
# Run history of the command line and the UI. Settings: https://docs.dagster.io/deployment/oss/dagster-yaml
{DAGSTER_SETTINGS}"""
# text that an earlier version wrote: replaced unless it was edited
_EARLIER_YAML = """\
# Run history of the command line and the UI. Settings: https://docs.dagster.io/deployment/oss/dagster-yaml
telemetry:
  enabled: false
nux:
  enabled: false
"""


class NothingFetchedError(AccelmartError):
    """No payload was fetched, or it is quarantined; the last good payload stays in use."""


class DagsterSettingsError(AccelmartError):
    """Dagster's settings cannot be used; nothing was done."""


class BuildFailedError(AccelmartError):
    """An asset or a check failed; the published warehouse is as it was.

    Args:
        message: what failed and what to do.
        is_recorded: whether the asset that failed has recorded the outcome.
    """

    def __init__(self, message: str, *, is_recorded: bool = False) -> None:
        self.is_recorded = is_recorded
        super().__init__(message)


def settle(home: Home) -> None:
    """See that ``DAGSTER_HOME`` is set, by default to ``dagster/`` below the data root, and has its settings."""
    if settings.DAGSTER_HOME.read() is None:
        home.dagster.mkdir(parents=True, exist_ok=True)
        path = home.dagster / "dagster.yaml"
        if not path.exists() or path.read_text(encoding="utf-8") == _EARLIER_YAML:
            path.write_text(_DAGSTER_YAML, encoding="utf-8")
        os.environ["DAGSTER_HOME"] = str(home.dagster)


@contextmanager
def instance(home: Home) -> Iterator[dg.DagsterInstance]:
    """Dagster's instance of this installation.

    Raises:
        DagsterSettingsError: its settings cannot be used.
    """
    settle(home)
    try:
        opened = dg.DagsterInstance.get()
    except (dg.DagsterError, YAMLError) as e:
        lines = [line.strip() for line in str(e).splitlines() if line.strip()]
        cause = next((line for line in lines if line.startswith("Error 1")), " ".join(lines))
        path = Path(str(settings.DAGSTER_HOME.read())) / "dagster.yaml"
        raise DagsterSettingsError(
            f"{path} cannot be used: {cause[:300]}. Correct it, or remove it: the next command writes it again"
        ) from e
    with opened as dagster_instance:
        yield dagster_instance


# name of the job of `dg.materialize`; Dagster's UI shows its runs without one
_AD_HOC = "__ephemeral_asset_job__"
# dbt's own progress lines: `12 of 518 START sql table model …`
_DBT_STEP = re.compile(r"(\d+ of \d+) START (?!hook)")


class _Log(io.TextIOBase):
    """Write dbt's output to a file and report each step."""

    def __init__(self, file: IO[str], on_step: Callable[[str], None]) -> None:
        self._file, self._on_step = file, on_step

    def write(self, text: str, /) -> int:
        """Write the text to the file."""
        for step in _DBT_STEP.findall(text):
            self._on_step(f"models and tests: {step}")
        return self._file.write(text)

    def flush(self) -> None:
        """As the file's."""
        self._file.flush()


def _materialize(
    dagster_instance: dg.DagsterInstance,
    assets: list[Any],
    *,
    partition_key: str | None = None,
    run_config: dict[str, Any] | None = None,
    selection: list[Any] | dg.AssetSelection | None = None,
    tags: dict[str, str] | None = None,
    on_step: Callable[[str], None] | None = None,
    run_id: str | None = None,
) -> dg.ExecuteInProcessResult:
    # dbt's own output goes to a file: a command prints only the result
    log = settings.home().dagster / "last_run.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with (
        log.open("w", encoding="utf-8") as words,
        redirect_stdout(_Log(words, on_step) if on_step else words),
        open_event_log(dagster_instance),
    ):
        # as `dg.materialize` does it, which takes no run id
        chosen = dg.define_asset_job(_AD_HOC, selection=selection)
        job = dg.Definitions(assets=assets, resources=RESOURCES, jobs=[chosen]).resolve_job_def(chosen.name)
        return job.execute_in_process(
            run_id=run_id,
            instance=dagster_instance,
            partition_key=partition_key,
            # events belong into the event store, not onto the terminal of a command
            run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}, **(run_config or {})},
            tags={BY_HAND: "true", **(tags or {})},
            raise_on_error=False,
        )


def fetch(source: Source, *, release: str | None, origin: str, ref: str) -> Payload:
    """Land one payload by running its asset.

    Args:
        source: registered source.
        release: the round, for sources that have rounds.
        origin: file, folder, tarball, URL or repository; empty is the source's own address.
        ref: branch, tag or commit.

    Raises:
        AccelmartError: the release is missing or superfluous.
        NothingFetchedError: no payload was fetched, or it is quarantined.
    """
    from orchestration.defs.mlperf import landing

    if source.has_releases and not release:
        raise AccelmartError(
            f"{source.name} comes by round: say which with --release, such as --release v5.1"
        )
    if release and not source.has_releases:
        raise AccelmartError(f"{source.name} is not split by round: leave --release out")
    home = settings.home()
    key = normalise_release(release) if release else COLLECTION_KEY
    asset = landing.ASSET_OF_SOURCE[source.name]
    with instance(home) as dagster_instance:
        if release:
            dagster_instance.add_dynamic_partitions(str(landing.RELEASES_OF_SOURCE[source.name].name), [key])
        done = _materialize(
            dagster_instance,
            [asset],
            partition_key=key if release else None,
            run_config={"ops": {asset.op.name: {"config": {"origin": origin, "ref": ref}}}},
        )
    lake = Lake(home)
    history = lake.landing.history(source.name, key)
    if not done.success:
        raise NothingFetchedError(_problem(done))
    return history[-1]


def fetch_prices(sources: list[Source], *, key: str = "", origin: str = "") -> list[PriceFetchOutcome]:
    """Land price lists by running their assets; a source that fails does not hold up the others.

    Args:
        sources: registered price sources.
        key: one key of a source's plan; empty is all.
        origin: a file or folder in place of upstream.
    """
    from orchestration.list_landing import LIST_LANDING

    home = settings.home()
    outcomes = []
    with instance(home) as dagster_instance:
        for source in sources:
            asset = LIST_LANDING[source.name]
            config = {"ops": {asset.op.name: {"config": {"key": key, "origin": origin}}}}
            done = _materialize(dagster_instance, [asset], run_config=config)
            counts: dict[str, int] = {}
            for event in done.get_asset_materialization_events():
                values = event.materialization.metadata
                counts = {n: int(str(values[n].value)) for n in ("landed", "unchanged", "bytes")}
            problem = "" if done.success else _problem(done)
            outcomes.append(PriceFetchOutcome(source.name, problem, **counts))
    return outcomes


@dataclass(frozen=True)
class PriceFetchOutcome:
    """Result of fetching a price source: numbers of new and of unchanged payloads, or the problem."""

    source: str
    problem: str
    landed: int = 0
    unchanged: int = 0
    bytes: int = 0


def build(
    *,
    force: bool = False,
    accept_changes: bool = False,
    wait_s: float = 0,
    on_step: Callable[[str], None] = lambda step: None,
) -> BuildOutcome:
    """Parse what is new, build, audit and publish; nothing when no input changed.

    Args:
        force: build although no input changed.
        accept_changes: publish even if the checks against the published generation fail.
        wait_s: how long to wait for a build that is running.
        on_step: called with a few words at each step.

    Raises:
        BuildRunningError: another build is running.
        BuildFailedError: an asset or a check failed; the message names them.
        ScenariosRejected: the user's scenarios.yaml is not what it should be.
        OverridesRejected: a file in overrides/ is not what it should be.
    """
    home = settings.home()
    try:
        if home.scenarios.exists():
            read_scenarios(home.scenarios)  # nothing is parsed or built with assumptions that cannot be meant
        read_overrides(home)
        with exclusive(home, wait_s), instance(home) as dagster_instance:
            return _build(home, dagster_instance, force=force, accept_changes=accept_changes, on_step=on_step)
    except (BuildRunningError, PinnedError):
        raise
    except BuildFailedError as e:
        if not e.is_recorded:
            record_outcome(home, "failed", problems=[str(e)])
        raise
    except AccelmartError as e:
        record_outcome(home, "failed", problems=str(e).splitlines())
        raise


def _build(
    home: Home,
    dagster_instance: dg.DagsterInstance,
    *,
    force: bool,
    accept_changes: bool,
    on_step: Callable[[str], None],
) -> BuildOutcome:
    from orchestration.defs.mlperf import raw
    from orchestration.defs.prices.assets import prices_raw
    from orchestration.defs.serving.assets import serving_raw
    from orchestration.defs.specs.assets import specs_raw
    from orchestration.defs.warehouse import assets as warehouse

    sweep(home)
    problems = repair(home, is_read=True)
    if force or accept_changes:
        refuse_if_pinned(home)
    if accept_changes:
        accept_payloads(home, read_isolated(home))
    lake = Lake(home)
    parsed = _parse_changed(dagster_instance, lake, on_step)
    on_step("raw lists")
    _fold_changed(dagster_instance, lake)
    if not force and (current := current_generation(home)):
        return BuildOutcome(current, False, parsed, problems, isolated=_isolated_lines(home))
    refuse_if_pinned(home)
    published = predecessor(home)
    run_id = str(uuid4())
    selection: Any = [warehouse.dbt_models, warehouse.published_warehouse]
    with suppress(Exception):  # the run fails in the same way, and records it
        warehouse.begin(home, run_id, RESOURCES["dbt"], is_accepted=accept_changes, is_from_scratch=force)
        selection = warehouse.made_anew(home, run_id, dagster_instance)
    done = _materialize(
        dagster_instance,
        [
            warehouse.dbt_models,
            warehouse.published_warehouse,
            prices_raw,
            specs_raw,
            serving_raw,
            *(asset for *_, asset in raw.RAW_ASSETS),
        ],
        selection=selection,
        tags={
            tag: "true"
            for tag, is_set in ((warehouse.ACCEPT_CHANGES, accept_changes), (warehouse.FROM_SCRATCH, force))
            if is_set
        },
        on_step=on_step,
        run_id=run_id,
    )
    warehouse.release(run_id)
    if not done.success:
        failed_build = Build(home.builds / run_id)
        failed = findings(failed_build) or _problem(done).splitlines()
        if is_disk_full(BuildFailedError("\n".join(failed))):
            discard(failed_build)
            raise disk_full(home.root, build_needs(home))
        raise BuildFailedError(
            "the build failed; the published warehouse is as it was.\n"
            + "\n".join(shortened(line) for line in failed)
            + "\nAll of it: accelmart status --json. What to do: docs/operations.md, A build fails",
            is_recorded=True,
        )
    generation = replace(publication(home).generation, path=home.published)
    new = new_warnings(home, generation.generation_id, published.generation_id if published else None)
    return BuildOutcome(
        generation, True, parsed, _warnings(done), [w.line for w in new], isolated=_isolated_lines(home)
    )


def _isolated_lines(home: Home) -> list[str]:
    return [shortened(f"{item.name}: {item.problem}") for item in read_isolated(home)]


def _parse_changed(
    dagster_instance: dg.DagsterInstance, lake: Lake, on_step: Callable[[str], None]
) -> list[str]:
    """Parse every round whose payloads or parser changed, and report its tables to Dagster, outside any run."""
    from orchestration.defs.mlperf import raw

    changed = []
    with open_event_log(dagster_instance):
        for family, partitions, _ in raw.RAW_ASSETS:
            on_step(f"{family.name} rounds")
            parts = lake.parts_in_force(family)
            releases = releases_of(parts)
            dagster_instance.add_dynamic_partitions(str(partitions.name), releases)
            for release in releases:
                of_round = [p for p in parts if p.account.release == release]
                if data_version(of_round) == last_data_version(
                    dagster_instance, raw_key(family.reconciliation), release
                ):
                    continue
                for result in raw.tables_of_round(family, of_round):
                    report(dagster_instance, result, release)
                changed.append(f"{family.name} {release}")
    return changed


def _fold_changed(dagster_instance: dg.DagsterInstance, lake: Lake) -> None:
    """Run the raw assets of lists when what they read changed since they last ran."""
    from orchestration.defs.prices import assets as prices
    from orchestration.defs.serving.assets import serving_raw
    from orchestration.defs.specs.assets import specs_raw

    bundles, unreadable = prices.price_bundles(lake)
    specs, unreadable_specs = lake.spec_parts()
    points, unreadable_points = lake.serving_parts()
    for asset, table, version, is_odd in (
        (prices.prices_raw, PRICE_POLLS, data_version(bundles), bool(unreadable)),
        (specs_raw, SPEC_VALUES, data_version(specs), bool(unreadable_specs)),
        (serving_raw, SERVING_POINTS, data_version(points), bool(unreadable_points)),
    ):
        if is_odd or version != last_data_version(dagster_instance, raw_key(table)):
            done = _materialize(dagster_instance, [asset])
            if not done.success:
                raise BuildFailedError(f"{table} cannot be made: {_problem(done)}")


def _problem(done: dg.ExecuteInProcessResult) -> str:
    """Return what failed: failed checks by name, otherwise the step's error."""
    shown = ("dagster_dbt/failed_row_count", "unbalanced")
    checks = [
        f"check {e.check_name} of {e.asset_key.to_user_string()} failed: "
        + ", ".join(f"{k} {v.value}" for k, v in e.metadata.items() if k in shown)
        for e in done.get_asset_check_evaluations()
        if not e.passed and e.severity == dg.AssetCheckSeverity.ERROR
    ]
    errors = words_of(event for event in done.all_events if event.is_step_failure)
    return (
        "\n".join([*checks, *([errors] if errors else [])])
        or "the run failed; see `accelmart ui` or the Dagster event log"
    )


def _warnings(done: dg.ExecuteInProcessResult) -> list[str]:
    """Return the failures of non-blocking checks, from the metadata of the published asset."""
    from orchestration.defs.warehouse.assets import PUBLISHED, WARNINGS

    for event in done.get_asset_materialization_events():
        if event.asset_key == PUBLISHED:
            lines = event.materialization.metadata[WARNINGS].value
            return [str(line) for line in lines] if isinstance(lines, list) else []
    return []
