"""Landing by the command line: rounds by their assets, in this process; lists several at once, then reported."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from multiprocessing.pool import ThreadPool
from typing import Any

import dagster as dg

from ingest.core.errors import AccelmartError
from ingest.core.landing import Landing
from ingest.core.payload import Payload
from ingest.core.source import Source
from ingest.mlperf.releases import normalise_release
from orchestration import settings
from orchestration.defs.mlperf import landing
from orchestration.instance import instance
from orchestration.list_landing import Fetched, PriceFetchConfig, land_lists, materialization, problem_of
from orchestration.policies import BY_HAND, words_of, words_of_error

_AT_ONCE = 8


class NothingFetchedError(AccelmartError):
    """No payload was fetched, or it is quarantined; the last good payload stays in use."""


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
    if source.has_releases and not release:
        raise AccelmartError(
            f"{source.name} comes by round: say which with --release, such as --release v5.1"
        )
    if release and not source.has_releases:
        raise AccelmartError(f"{source.name} is not split by round: leave --release out")
    home = settings.home()
    key = normalise_release(release) if release else landing.COLLECTION_KEY
    asset = landing.ASSET_OF_SOURCE[source.name]
    with instance(home) as dagster_instance:
        if release:
            dagster_instance.add_dynamic_partitions(str(landing.RELEASES_OF_SOURCE[source.name].name), [key])
        config = {"ops": {asset.op.name: {"config": {"origin": origin, "ref": ref}}}}
        done = _materialize(dagster_instance, asset, config, partition_key=key if release else None)
    history = Landing(home.landing_url).history(source.name, key)
    if not done.success:
        raise NothingFetchedError(_problem(done))
    return history[-1]


def fetch_lists(sources: Sequence[Source], *, key: str = "", origin: str = "") -> Iterator[ListOutcome]:
    """Land lists of several sources at once, and report them to Dagster; a source that fails holds up no other.

    Args:
        sources: registered sources of lists.
        key: one key of a source's plan; empty is all.
        origin: a file or folder in place of upstream.

    Yields:
        One outcome a source, as they come.
    """
    home, config = settings.home(), PriceFetchConfig(key=key, origin=origin)

    def land(source: Source) -> tuple[Source, list[Fetched], str]:
        try:
            fetched = land_lists(home, source, config)
            return source, fetched, problem_of(source, fetched)
        except Exception as error:  # noqa: BLE001  # whatever it is, it is this source's alone
            return source, [], words_of_error(error)

    with instance(home) as dagster_instance, ThreadPool(_AT_ONCE) as pool:
        for source, fetched, problem in pool.imap_unordered(land, sources):
            event = materialization(source, fetched)
            if not problem:
                dagster_instance.report_runless_asset_event(event)
            counts = {n: int(str(event.metadata[n].value)) for n in ("landed", "unchanged", "bytes")}
            yield ListOutcome(source.name, problem, **counts)


@dataclass(frozen=True)
class ListOutcome:
    """Result of fetching a source of lists: numbers of new and of unchanged payloads, and the problem if any."""

    source: str
    problem: str
    landed: int
    unchanged: int
    bytes: int


def _materialize(
    dagster_instance: dg.DagsterInstance,
    asset: dg.AssetsDefinition,
    run_config: dict[str, Any],
    partition_key: str | None = None,
) -> dg.ExecuteInProcessResult:
    with redirect_stdout(StringIO()):  # a command prints only the result
        return dg.materialize(
            [asset],
            instance=dagster_instance,
            partition_key=partition_key,
            # events belong into the event store, not onto the terminal of a command
            run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}, **run_config},
            tags={BY_HAND: "true"},
            raise_on_error=False,
        )


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
