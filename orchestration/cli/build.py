"""Commands that fill the warehouse: `accelmart build`, `refresh`, `fetch`, `snapshot`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from accelmart.cli.output import JsonOption, complain, print_json, progress, say
from accelmart.errors import EXIT_FAILED
from accelmart.published import sql
from accelmart.spelling import did_you_mean
from ingest.core.errors import AccelmartError
from orchestration.cli import completion
from orchestration.cli.check import check as check_sources
from orchestration.cli.decisions import warn_of_earlier_form
from orchestration.cli.status import generation_record
from orchestration.settings import has_dagster

if TYPE_CHECKING:
    from ingest.core.source import Source
    from orchestration.fetching import FetchOutcome
    from warehouse.build.folder import BuildOutcome

NEW_WARNINGS_SHOWN = 5


def build(
    force: Annotated[bool, typer.Option("--force", help="Build although no input changed.")] = False,
    wait: Annotated[float, typer.Option(help="Seconds to wait for a build that is running.")] = 0,
    accept_changes: Annotated[
        bool,
        typer.Option(
            "--accept-changes",
            help="Publish though more is lost or moved against the published generation than the checks allow.",
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Parse what is new, build, test and publish; no network needed."""
    outcome = _build(force=force, accept_changes=accept_changes, wait=wait)
    if as_json:
        print_json(_built(outcome))
    else:
        _print_built(outcome)


def _build(*, force: bool = False, accept_changes: bool = False, wait: float = 0) -> BuildOutcome:
    from orchestration import settings
    from warehouse.build.driver import build as run_build

    home = settings.home()
    with progress("building", on_one_line=True) as show_step:
        outcome = run_build(
            home,
            force=force,
            accept_changes=accept_changes,
            wait_s=wait,
            keep=settings.GENERATIONS_KEPT.read(),
            on_step=show_step,
        )
    warn_of_earlier_form(home)
    if outcome.is_new and has_dagster(home):
        from orchestration.reporting import report_publication

        report_publication(home, outcome.generation, outcome.warnings, outcome.new_warnings)
    return outcome


def _built(outcome: BuildOutcome) -> dict[str, Any]:
    return {
        "is_new": outcome.is_new,
        "generation": generation_record(outcome.generation),
        "warnings": outcome.warnings,
        "new_warnings": outcome.new_warnings,
        "isolated": outcome.isolated,
        "rejects": _rejects() if outcome.is_new else [],
    }


def _print_built(outcome: BuildOutcome) -> None:
    if not outcome.is_new:
        say(_unchanged_line(outcome.generation.generation_id))
        for line in outcome.warnings:
            complain(f"warning, {line}")
        if not outcome.isolated:
            return
    else:
        say(f"Published generation {outcome.generation.generation_id} at {outcome.generation.path}")
    from warehouse.publication.outcome import shortened  # loads the parsers

    for line in outcome.isolated[:NEW_WARNINGS_SHOWN]:
        say(shortened(f"not used, {line}"))
    if len(outcome.isolated) > NEW_WARNINGS_SHOWN:
        say(
            f"{NEW_WARNINGS_SHOWN} of {len(outcome.isolated)} shown; the others: accelmart status, and "
            "accelmart sql \"from ops_reject where source = 'own-prices'\""
        )
    if not outcome.is_new:
        return
    if unmapped := _count("ops_unmapped"):
        say(f"Published with {unmapped} unmapped names. See: accelmart status --unmapped")
    noticed = [f"{len(outcome.warnings)} warnings: accelmart status --warnings"] if outcome.warnings else []
    if rejected := _count("ops_reject where severity <> 'out_of_scope'"):
        noticed.append(f'{rejected:,} records with problems: accelmart sql "from ops_reject"')
    if noticed:
        say(". ".join(noticed))
    for line in outcome.new_warnings[:NEW_WARNINGS_SHOWN]:
        say(shortened(f"new: {line}"))
    if len(outcome.new_warnings) > NEW_WARNINGS_SHOWN:
        say(f"and {len(outcome.new_warnings) - NEW_WARNINGS_SHOWN} more new warnings")


def _unchanged_line(generation_id: str) -> str:
    from orchestration import settings
    from warehouse.publication.pointer import publication

    if publication(settings.home()).is_pinned:
        return f"Generation {generation_id} is pinned: nothing is built. To build again: accelmart rollback --unpin"
    return f"Nothing new: generation {generation_id} is up to date."


def _count(relation: str) -> int:
    return int(sql(f"select count(*) from {relation}").rows[0][0])  # noqa: S608


def _rejects() -> list[dict[str, Any]]:
    """Return records that were rejected or kept with a defect."""
    return sql(
        "select severity, source, payload_key, payload_member, problem from ops_reject "
        "where severity <> 'out_of_scope' order by all"
    ).records()


def refresh(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            help="Sources of lists: prices, specifications, measured serving; default: all that are fetched.",
            autocompletion=completion.lists,
        ),
    ] = None,
    wait: Annotated[float, typer.Option(help="Seconds to wait for a build that is running.")] = 0,
    no_build: Annotated[bool, typer.Option("--no-build", help="Fetch only.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Try every source once and report; land and build nothing.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Fetch prices, specifications and measured serving, then build. A source that fails keeps its last good data."""

    from ingest.core.source import plan_of
    from ingest.registry import LIST_SOURCES
    from orchestration import settings

    if unknown := [name for name in sources or () if name not in LIST_SOURCES]:
        near = did_you_mean(unknown[0], LIST_SOURCES) or f" Sources: {', '.join(LIST_SOURCES)}"
        raise AccelmartError(f"there is no source {unknown[0]!r} to refresh.{near}")
    if check:
        raise typer.Exit(EXIT_FAILED if check_sources(sources or [], as_json=as_json) else 0)
    results: list[dict[str, Any]] = []
    asked = []
    for name in sources or LIST_SOURCES:
        reason = plan_of(LIST_SOURCES[name], settings.source_settings())[1]
        if reason is None:
            asked.append(LIST_SOURCES[name])
        elif sources or LIST_SOURCES[name].needs:
            results.append({"source": name, "skipped": reason})
            _unless(as_json, f"{name}: {reason}")
    failed = _fetch(asked, results, as_json=as_json)
    document: dict[str, Any] = {"sources": results, "failed": len(failed), "build": None}
    try:
        if not no_build:
            built = _build(wait=wait)
            document["build"] = _built(built)
            if not as_json:
                _print_built(built)
    finally:
        if as_json:  # results of the fetches are printed even if the build fails
            print_json(document)
    if failed:
        again = " ".join(["accelmart refresh", *failed]) if len(failed) < len(asked) else "accelmart refresh"
        complain(
            f"{len(failed)} of {len(asked)} sources failed; their last good prices are in force. "
            f"To do: `accelmart doctor`, then `{again}`"
        )
        raise typer.Exit(EXIT_FAILED)


def _fetch(asked: list[Source], results: list[dict[str, Any]], *, as_json: bool) -> list[str]:
    """Fetch sources at once, report each as it comes, and return the names of those that failed."""
    from ingest.network import NoNetworkError, require_network, source_addresses
    from orchestration import settings
    from orchestration.fetching import fetch as fetch_sources
    from orchestration.http_clients import http_client

    failed = []
    with progress("fetching") as show_step:
        try:
            addresses = source_addresses(settings.source_settings())
            require_network([url for source in asked for url in addresses.get(source.name, [])], http_client)
        except NoNetworkError as e:
            complain(str(e))
            results += [{"source": source.name, "problem": "there is no network"} for source in asked]
            return [source.name for source in asked]
        for number, outcome in enumerate(fetch_sources(asked), 1):
            place = f"({number}/{len(asked)})"
            show_step(f"{outcome.source} {place}")
            results.append(_counts_of(outcome))
            if outcome.problem:
                failed.append(outcome.source)
                complain(f"{outcome.source}: {outcome.problem} {place}")
            elif not as_json:
                counts = f"{outcome.landed} new, {outcome.unchanged} unchanged, {outcome.bytes:,} bytes"
                say(f"{outcome.source}: {counts} {place}")
    return failed


def _unless(as_json: bool, text: str) -> None:
    if not as_json:
        say(text)


def fetch(
    source: Annotated[
        str,
        typer.Argument(
            help="mlperf-inference, mlperf-training, one of their -collection, or a price source.",
            autocompletion=completion.sources,
        ),
    ],
    release: Annotated[str | None, typer.Option(help="The MLPerf round, such as v5.1.")] = None,
    origin: Annotated[
        str, typer.Option("--from", help="File, folder, tarball, URL or git repository; default: upstream.")
    ] = "",
    ref: Annotated[str, typer.Option(help="Branch, tag or commit of a git repository.")] = "",
    key: Annotated[
        str, typer.Option(help="Of a price source: one key of its plan; with --from, <key> or <key>@<date>.")
    ] = "",
    as_json: JsonOption = False,
) -> None:
    """Bring one payload into the landing zone. `accelmart build` then uses it."""
    from ingest.mlperf.registry import MLPERF_SOURCES
    from ingest.registry import SOURCES
    from orchestration.fetching import fetch as fetch_sources
    from orchestration.landing import FetchConfig

    if source not in SOURCES:
        near = did_you_mean(source, SOURCES) or f" Sources: {', '.join(SOURCES)}"
        raise AccelmartError(f"there is no source {source!r}.{near}")
    config = FetchConfig(key=release or key, origin=_absolute(origin), ref=ref)
    with progress(f"fetching {source}"):
        (outcome,) = fetch_sources([SOURCES[source]], config)
    if outcome.problem:
        raise AccelmartError(outcome.problem)
    if source not in MLPERF_SOURCES:
        if as_json:
            print_json(_counts_of(outcome))
        else:
            say(f"{source}: {outcome.landed} new, {outcome.unchanged} unchanged, {outcome.bytes:,} bytes")
        return
    (payload,) = outcome.payloads
    if as_json:
        names = ("source", "key", "outcome", "url", "fetched_at", "sha256", "bytes", "details")
        print_json({name: getattr(payload, name) for name in names})
        return
    say(
        f"{payload.source} {payload.key}: {payload.outcome}, {payload.bytes:,} bytes, sha256 {payload.sha256[:16]}…"
    )
    details = payload.details
    if "members_seen" in details:
        say(
            f"{details['members_kept']} of {details['members_seen']} files kept, "
            f"{details['members_refused_count']} refused"
        )
        for name, reason in details["members_refused"][:10]:
            say(f"refused: {name}: {reason}")


def _counts_of(outcome: FetchOutcome) -> dict[str, Any]:
    return {name: getattr(outcome, name) for name in ("source", "problem", "landed", "unchanged", "bytes")}


def _absolute(origin: str) -> str:
    """A path as seen from here, before anything changes the working directory; anything else as it is."""
    return str(Path(origin).resolve()) if origin and Path(origin).exists() else origin


def snapshot(
    folder: Annotated[
        Path | None, typer.Option(help="Where to; default: the one shipped with the code.")
    ] = None,
) -> None:
    """Rewrite the bundled snapshot (for maintainers)."""
    from orchestration import settings
    from warehouse.build.bundle import write_snapshot
    from warehouse.inputs.active import select_active
    from warehouse.storage.home import SNAPSHOT_DIR

    target = folder or SNAPSHOT_DIR
    active = select_active(settings.home())
    if held := active.holds.items:
        raise AccelmartError(f"unfreeze this before a snapshot is written: {held[0].describe()}")
    write_snapshot(active, target)
    files = list(target.rglob("*.parquet"))
    say(f"{len(files)} files, {sum(f.stat().st_size for f in files):,} bytes in {target}")
