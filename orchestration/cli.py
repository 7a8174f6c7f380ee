"""The command line. It runs the same assets as Dagster does.

Exit codes: 0 done; 1 it failed, and the message says what to do; 2 wrong usage; 3 there is no warehouse yet;
4 another build is running.

`accelmart --help` takes a fraction of a second: what a command needs is imported when it runs.
"""

from __future__ import annotations

import sys
from dataclasses import asdict
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from ingest.errors import AccelmartError
from orchestration import completion
from orchestration.changes_cli import changes
from orchestration.estimate_cli import app as estimate_app
from orchestration.ops_cli import backup, doctor, prune, restore
from orchestration.output import (
    Format,
    FormatOption,
    JsonOption,
    complain,
    print_json,
    print_rows,
    print_table,
    progress,
    records,
    say,
)
from orchestration.report_cli import report

if TYPE_CHECKING:
    from orchestration.runs import BuildOutcome
    from warehouse.publish import Generation

EXIT_FAILED, EXIT_NO_WAREHOUSE, EXIT_BUSY = 1, 3, 4
REJECTS_SHOWN = 10
# the others are evidence, for who asks for it as csv or json
_RANK_COLUMNS = 14

# What `accelmart --help` groups commands under, in this order.
ASK, SHOW, FILL, TEND = "Ask", "Look and export", "Build and refresh", "Operate"
_PANELS = (ASK, SHOW, FILL, TEND)


class Grouped(TyperGroup):
    """Help in sections, in plain text: boxes of rich would cost more time than the rest of the start."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands of each panel."""
        shown = [(n, c) for n, c in self.commands.items() if not c.hidden]
        width = formatter.width - 6 - max(len(name) for name, _ in shown)
        for panel in _PANELS:
            rows = [
                (name, command.get_short_help_str(width))
                for name, command in shown
                if getattr(command, "rich_help_panel", None) == panel
            ]
            if rows:
                with formatter.section(panel):
                    formatter.write_dl(rows)


app = typer.Typer(
    cls=Grouped,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="An open warehouse of AI-accelerator economics: speed, cost and energy, with the evidence on every row.",
    epilog='First: accelmart build, then accelmart sql "show tables". Exit codes and settings: docs/cli.md.',
    pretty_exceptions_enable=False,
)

# --- commands that live in other modules: one line each ----------------------------------------------------------
# `app.command("name", rich_help_panel=ASK | SHOW | FILL | TEND)(function)`; a module imports what is heavy inside.
app.add_typer(estimate_app, name="estimate", rich_help_panel=ASK)
app.command(rich_help_panel=ASK)(changes)
app.command(rich_help_panel=SHOW)(report)
for _command in (backup, restore, prune, doctor):
    app.command(rich_help_panel=TEND)(_command)
# -----------------------------------------------------------------------------------------------------------------


def _version(is_asked: bool) -> None:
    if is_asked:
        from importlib.metadata import version

        say(f"accelmart {version('accelmart')}")
        raise typer.Exit


@app.callback()
def _accelmart(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


@app.command(rich_help_panel=FILL)
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
        _tell_built(outcome)


def _build(*, force: bool = False, accept_changes: bool = False, wait: float = 0) -> BuildOutcome:
    from orchestration.runs import build as run_build

    with progress("building") as tell:
        return run_build(force=force, accept_changes=accept_changes, wait_s=wait, tell=tell)


def _built(outcome: BuildOutcome) -> dict[str, Any]:
    return {
        "is_new": outcome.is_new,
        "generation": _generation(outcome.generation),
        "parsed": outcome.parsed,
        "warnings": outcome.warnings,
        "rejects": records(*_rejects()) if outcome.is_new else [],
    }


def _tell_built(outcome: BuildOutcome) -> None:
    if not outcome.is_new:
        say(f"Nothing new: generation {outcome.generation.generation_id} is up to date.")
        return
    say(f"Published generation {outcome.generation.generation_id} at {outcome.generation.path}")
    if outcome.parsed:
        say(f"Parsed: {', '.join(outcome.parsed)}")
    for warning in outcome.warnings:
        say(f"warning, {warning}")
    columns, rows = _rejects()
    if rows:
        say(f'Rejected, or kept with a defect: {len(rows)} (accelmart sql "from ops_reject" shows all)')
        print_table(columns, rows[:REJECTS_SHOWN])


def _generation(generation: Generation) -> dict[str, Any]:
    return {
        "generation_id": generation.generation_id,
        "built_at": generation.built_at.isoformat(),
        "input_fingerprint": generation.input_fingerprint,
        "path": str(generation.path),
    }


def _rejects() -> tuple[list[str], list[tuple[Any, ...]]]:
    """What a build left out: nothing is dropped silently."""
    from warehouse.home import Home
    from warehouse.query import query

    return query(
        Home.from_environment().published,
        "select severity, source, payload_key, payload_member, problem from ops_reject "
        "where severity <> 'left_out' order by all",
    )


@app.command(rich_help_panel=FILL)
def refresh(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            help="Sources of prices and specifications; default: all that are fetched.",
            autocompletion=completion.lists,
        ),
    ] = None,
    wait: Annotated[float, typer.Option(help="Seconds to wait for a build that is running.")] = 0,
    no_build: Annotated[bool, typer.Option("--no-build", help="Fetch only.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Fetch price lists and specifications, then build. A source that fails keeps its last good prices."""
    import os

    from ingest.fetch.plan import plan_of
    from ingest.prices.registry import PRICE_SOURCES
    from ingest.specs.registry import SPEC_SOURCES
    from ingest.words import did_you_mean

    lists = {**PRICE_SOURCES, **SPEC_SOURCES}
    if unknown := [name for name in sources or () if name not in lists]:
        raise AccelmartError(
            f"there is no source {unknown[0]!r} to refresh.{did_you_mean(unknown[0], lists)} "
            f"Sources: {', '.join(lists)}"
        )
    from orchestration.runs import fetch_prices

    told: list[dict[str, Any]] = []
    asked = []
    for name in sources or lists:
        reason = plan_of(lists[name], os.environ)[1]
        if reason is None:
            asked.append(lists[name])
        elif sources or lists[name].needs:
            told.append({"source": name, "skipped": reason})
            _unless(as_json, f"{name}: {reason}")
    failed = 0
    with progress("fetching") as tell:
        for number, source in enumerate(asked, 1):
            tell(f"{source.name} ({number} of {len(asked)})")
            (outcome,) = fetch_prices([source])
            told.append(asdict(outcome))
            if outcome.problem:
                failed += 1
                complain(f"{source.name}: {outcome.problem}")
            else:
                _unless(
                    as_json,
                    f"{source.name}: {outcome.landed} new, {outcome.unchanged} unchanged, {outcome.bytes:,} bytes",
                )
    document: dict[str, Any] = {"sources": told, "failed": failed, "build": None}
    try:
        if not no_build:
            built = _build(wait=wait)
            document["build"] = _built(built)
            if not as_json:
                _tell_built(built)
    finally:
        if as_json:  # what was fetched is told, however the build ends
            print_json(document)
    if failed:
        complain(f"{failed} of {len(asked)} sources failed; their last good prices are in force.")
        raise typer.Exit(EXIT_FAILED)


def _unless(as_json: bool, text: str) -> None:
    if not as_json:
        say(text)


@app.command(rich_help_panel=FILL)
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
    from ingest.prices.registry import PRICE_SOURCES
    from ingest.source import SOURCES, source_named
    from ingest.specs.registry import SPEC_SOURCES
    from ingest.words import meant

    lists = {**PRICE_SOURCES, **SPEC_SOURCES}
    if source not in {**SOURCES, **lists} and (near := meant(source, [*SOURCES, *lists])):
        raise AccelmartError(
            f"there is no source {source!r}. Did you mean {', '.join(near)}? "
            f"Sources: {', '.join(SOURCES)}; price lists and specifications: {', '.join(lists)}"
        )
    from orchestration.runs import NothingFetchedError, fetch_prices
    from orchestration.runs import fetch as run_fetch

    if source in lists:
        with progress(f"fetching {source}"):
            (outcome,) = fetch_prices([lists[source]], key=key, origin=_absolute(origin))
        if outcome.problem:
            raise NothingFetchedError(outcome.problem)
        if as_json:
            print_json(asdict(outcome))
            return
        say(f"{source}: {outcome.landed} new, {outcome.unchanged} unchanged, {outcome.bytes:,} bytes")
        return
    with progress(f"fetching {source}"):
        payload = run_fetch(source_named(source), release=release, origin=_absolute(origin), ref=ref)
    details = payload.details
    if as_json:
        told = ("source", "key", "outcome", "url", "fetched_at", "sha256", "bytes")
        print_json({name: getattr(payload, name) for name in told} | {"details": details})
        return
    say(
        f"{payload.source} {payload.key}: {payload.outcome}, {payload.bytes:,} bytes, sha256 {payload.sha256[:16]}…"
    )
    if "members_seen" in details:
        say(
            f"{details['members_kept']} of {details['members_seen']} files kept, "
            f"{details['members_refused_count']} refused"
        )
        for name, reason in details["members_refused"][:10]:
            say(f"refused: {name}: {reason}")


@app.command(rich_help_panel=TEND)
def status(
    assumptions: Annotated[
        bool,
        typer.Option("--assumptions", help="What ownership costs rest on, each with its source and date."),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """The published generation; sources, their age, rows and rejects."""
    from ingest.landing import Landing
    from warehouse.home import Home
    from warehouse.publish import generations, read_generation
    from warehouse.query import query

    home = Home.from_environment()
    if assumptions:
        stated = query(
            home.published,
            "select kind, scenario_id, accelerator_id, parameter, value, unit, basis, is_calibrated, "
            "is_overridden, as_of, source_url, note from mart_tco_assumptions "
            "order by kind desc, scenario_id, accelerator_id, parameter",
        )
        print_rows(*stated, Format.json if as_json else Format.table)
        return
    quarantined = Landing(home.landing_url).quarantined()
    generation = read_generation(home.published)
    kept = [g.generation_id for g in generations(home)]
    health = query(
        home.published,
        """
        select source, last_success_at::date as fetched,
            round(date_diff('hour', last_success_at, now()) / 24.0, 1) as age_days,
            payloads, records_in, rows, rejects, status
        from mart_source_health order by source
        """,
    )
    accounts = query(
        home.published,
        "select source, payload_key, dialect, records_in, rows_out, duplicates, merged, rejects, left_out, remarks "
        "from ops_reconciliation order by source, payload_key, release, dialect",
    )
    if as_json:
        told = ("source", "key", "url", "fetched_at", "sha256", "bytes", "reason")
        print_json(
            {
                "published": _generation(generation),
                "generations": kept,
                "quarantined": [{name: getattr(p, name) for name in told} for p in quarantined],
                "sources": records(*health),
                "payloads": records(*accounts),
            }
        )
        return
    for payload in quarantined[-10:]:
        say(
            f"quarantined: {payload.source} {payload.key} at {payload.fetched_at:%Y-%m-%d %H:%M}: {payload.reason}"
        )
    say(f"published: {generation.generation_id}, built {generation.built_at:%Y-%m-%d %H:%M %Z}")
    say(f"generations kept: {', '.join(kept)}")
    print_table(*health)
    print_table(*accounts)


@app.command(rich_help_panel=ASK)
def sql(
    statement: Annotated[str, typer.Argument(help="The query; - reads it from standard input.")],
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """Query the published warehouse, read-only. Tables need no schema name."""
    from warehouse.home import Home
    from warehouse.query import query

    text = sys.stdin.read() if statement == "-" else statement
    columns, rows = query(Home.from_environment().published, text)
    print_rows(columns, rows, Format.json if as_json else form)


@app.command(rich_help_panel=ASK)
def rank(
    model: Annotated[
        str,
        typer.Option(
            help="MLCommons' benchmark, such as llama3.1-405b.", autocompletion=completion.benchmarks
        ),
    ],
    scenario: Annotated[
        str,
        typer.Option(help="Offline, Server or Interactive.", autocompletion=completion.mlperf_scenarios),
    ] = "Server",
    pricing: Annotated[
        str | None,
        typer.Option(
            help="on_demand, spot, reserved_1y, reserved_3y, capacity_block, marketplace.",
            autocompletion=completion.pricing_models,
        ),
    ] = None,
    provider: Annotated[
        str | None, typer.Option(help="One provider.", autocompletion=completion.providers)
    ] = None,
    region: Annotated[str | None, typer.Option(help="A region (% is a wildcard) or a country code.")] = None,
    release: Annotated[
        str | None,
        typer.Option(
            help="An MLPerf round; default: each accelerator's latest.", autocompletion=completion.releases
        ),
    ] = None,
    at: Annotated[datetime | None, typer.Option(formats=["%Y-%m-%d"], help="Prices of that day.")] = None,
    limit: Annotated[int, typer.Option(help="Rows; 0 is all.")] = 20,
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """What a million output tokens cost, cheapest first.

    Measured throughput of MLPerf Inference and the prices in force.
    """
    from warehouse.home import Home
    from warehouse.rank import rank as run_rank

    day = (at or datetime.now(UTC)).date()
    columns, rows = run_rank(
        Home.from_environment().published,
        model=model,
        scenario=scenario,
        pricing=pricing,
        provider=provider,
        region=region,
        release=release,
        day=day,
    )
    shown = rows[:limit] if limit else rows
    form = Format.json if as_json else form
    if form is not Format.table:
        print_rows(columns, shown, form)
        return
    print_table(columns[:_RANK_COLUMNS], [row[:_RANK_COLUMNS] for row in shown])
    if len(rows) > len(shown):
        say(f"{len(rows) - len(shown)} more: --limit 0 shows all")
    say(
        f"Prices as of {day}; price_seen_on is the day a price was last seen, no quote of today. "
        "MLPerf results are MLCommons' (release, submission id); dollars per token are derived here, at full use, "
        "and not verified by MLCommons. Offer ids, sources and systems: --format csv or json."
    )


@app.command(rich_help_panel=TEND)
def rollback(
    to: Annotated[
        str | None,
        typer.Option(
            help="A generation's id; default: the one before.", autocompletion=completion.generations
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Publish an earlier generation again."""
    from warehouse.build import exclusive
    from warehouse.export import publish_exports
    from warehouse.home import Home
    from warehouse.publish import rollback as run_rollback
    from warehouse.report import attempt, place_report

    home = Home.from_environment()
    with exclusive(home, 0):
        generation = run_rollback(home, to)
        _, problem = attempt(lambda: place_report(home))
        publish_exports(home)
    if as_json:
        print_json(_generation(generation))
    else:
        say(f"Published generation {generation.generation_id} again.")
    if problem:
        complain(f"warning, {problem}")


class FileForm(StrEnum):
    """What files `accelmart export` writes."""

    parquet = "parquet"
    csv = "csv"


@app.command(rich_help_panel=SHOW)
def export(
    folder: Annotated[Path, typer.Argument(help="Is made; an earlier export there is replaced.")],
    form: Annotated[FileForm, typer.Option("--format", "-f", help="What files.")] = FileForm.parquet,
    as_json: JsonOption = False,
) -> None:
    """Write every public table as a file, with a descriptor."""
    from warehouse.export import ExportForm
    from warehouse.export import export as run_export
    from warehouse.home import Home

    with progress("exporting"):
        done = run_export(Home.from_environment().published, folder, ExportForm(form))
    if as_json:
        print_json(asdict(done))
    else:
        say(f"{done.relations} tables, {done.bytes:,} bytes and datapackage.json in {done.folder}")


@app.command(rich_help_panel=SHOW)
def docs(
    folder: Annotated[Path | None, typer.Argument(help="Where to; default: docs/ in the data root.")] = None,
    with_dbt: Annotated[
        bool, typer.Option("--dbt", help="dbt's documentation too: one HTML page, works from disk.")
    ] = False,
    no_state: Annotated[
        bool, typer.Option("--no-state", help="Only what follows from the code, as kept in docs/.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Write methodology, data dictionary and asset graph as in force."""
    from orchestration.graph import write_graph
    from orchestration.resources import write_dbt_docs
    from warehouse.docs import write_pages
    from warehouse.home import Home

    home = Home.from_environment()
    target = (folder or home.docs).absolute()
    with progress("documenting") as tell:
        written = [*write_pages(home, target, with_state=not no_state), write_graph(target)]
        if with_dbt:
            tell("dbt")
            written.append(write_dbt_docs(home, target / "dbt"))
    if as_json:
        print_json({"written": [str(path) for path in written]})
    else:
        for path in written:
            say(str(path))


@app.command(rich_help_panel=SHOW)
def ui(port: Annotated[int, typer.Option(help="Port on 127.0.0.1.")] = 3000) -> None:
    """Dagster on this installation: lineage, runs, checks, schedules.

    Webserver and daemon on 127.0.0.1, so that all runs by itself. Ends with Ctrl-C.
    """
    import os

    from orchestration.runs import settle
    from warehouse.home import Home

    home = Home.from_environment()
    settle(home)
    # the same data root for every run that is started there, wherever it runs
    os.environ["ACCELMART_HOME"] = str(home.root)
    # `dg`, which it is superseded by, is for projects of its own layout
    os.environ["PYTHONWARNINGS"] = "ignore:Function `dev_command` is superseded"
    dagster = str(Path(sys.executable).with_name("dagster"))
    os.execv(  # noqa: S606
        dagster, [dagster, "dev", "-m", "orchestration.definitions", "-h", "127.0.0.1", "-p", str(port)]
    )


@app.command(rich_help_panel=TEND)
def snapshot(
    folder: Annotated[
        Path | None, typer.Option(help="Where to; default: the one shipped with the code.")
    ] = None,
) -> None:
    """Write the bundled snapshot anew (for maintainers)."""
    from ingest.prices.registry import PRICE_SOURCES
    from warehouse.home import SNAPSHOT_DIR, Home
    from warehouse.lake import Lake, write_snapshot

    target = folder or SNAPSHOT_DIR
    lake = Lake(Home.from_environment())
    files = write_snapshot(
        lake.parts_in_force(), map(lake.price_history, PRICE_SOURCES.values()), lake.spec_parts()[0], target
    )
    say(f"{len(files)} files, {sum(f.stat().st_size for f in files):,} bytes in {target}")


def _absolute(origin: str) -> str:
    """A path as seen from here, before anything changes the working directory; anything else as it is."""
    return str(Path(origin).resolve()) if origin and Path(origin).exists() else origin


def main() -> None:
    """Entry point: known conditions are told in one message, never as a traceback."""
    try:
        app()
    except AccelmartError as e:
        from warehouse.build import BuildRunningError
        from warehouse.publish import NoWarehouseError

        complain(f"accelmart: {e}")
        code = {NoWarehouseError: EXIT_NO_WAREHOUSE, BuildRunningError: EXIT_BUSY}.get(type(e), EXIT_FAILED)
        sys.exit(code)


if __name__ == "__main__":
    main()
