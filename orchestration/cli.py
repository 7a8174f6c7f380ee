"""The command line. It runs the same assets as Dagster does.

Exit codes: 0 done; 1 it failed, and the message says what to do; 2 wrong usage; 3 there is no warehouse yet;
4 another build is running.
"""

from __future__ import annotations

import csv
import json
import sys
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from ingest.errors import AccelmartError
from orchestration.estimate_cli import app as estimate_app

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="An open warehouse of AI-accelerator economics.",
    pretty_exceptions_enable=False,
)
app.add_typer(estimate_app, name="estimate")
out = Console()
err = Console(stderr=True)

EXIT_FAILED, EXIT_NO_WAREHOUSE, EXIT_BUSY = 1, 3, 4
REJECTS_SHOWN = 10
# the others are evidence, for who asks for it as csv or json
_RANK_COLUMNS = 14


class Format(StrEnum):
    """How `accelmart sql` prints."""

    table = "table"
    csv = "csv"
    json = "json"


@app.command()
def build(
    force: Annotated[bool, typer.Option("--force", help="Build although no input changed.")] = False,
    wait: Annotated[float, typer.Option(help="Seconds to wait for a build that is running.")] = 0,
) -> None:
    """Parse what is new, build, test and publish the warehouse. Works without a network."""
    from orchestration.runs import build as run_build

    with err.status("building …") if err.is_terminal else _nothing():
        outcome = run_build(force=force, wait_s=wait)
    if not outcome.is_new:
        out.print(
            f"Nothing new: generation {outcome.generation.generation_id} is up to date.", soft_wrap=True
        )
        return
    out.print(
        f"Published generation {outcome.generation.generation_id} at {outcome.generation.path}",
        soft_wrap=True,
    )
    if outcome.parsed:
        out.print(f"Parsed: {', '.join(outcome.parsed)}", soft_wrap=True)
    for warning in outcome.warnings:
        out.print(f"warning, {warning}", soft_wrap=True, markup=False, highlight=False)
    _left_out()


@app.command()
def refresh(
    sources: Annotated[
        list[str] | None,
        typer.Argument(help="Sources of prices and specifications; default: all that are fetched."),
    ] = None,
    wait: Annotated[float, typer.Option(help="Seconds to wait for a build that is running.")] = 0,
    no_build: Annotated[bool, typer.Option("--no-build", help="Fetch only.")] = False,
) -> None:
    """Fetch price lists and specifications, then build. A source that fails keeps its last good prices."""
    import os

    from ingest.fetch.plan import plan_of
    from ingest.prices.registry import PRICE_SOURCES
    from ingest.specs.registry import SPEC_SOURCES
    from orchestration.runs import fetch_prices

    lists = {**PRICE_SOURCES, **SPEC_SOURCES}
    if unknown := [name for name in sources or () if name not in lists]:
        raise AccelmartError(f"there is no source {unknown[0]!r} to refresh. Sources: {', '.join(lists)}")
    chosen = [lists[name] for name in sources or lists]
    asked = []
    for source in chosen:
        reason = plan_of(source, os.environ)[1]
        if reason is None:
            asked.append(source)
        elif sources or source.needs:
            out.print(f"{source.name}: {reason}", soft_wrap=True, markup=False, highlight=False)
    failed = 0
    for source in asked:
        with err.status(f"fetching {source.name} …") if err.is_terminal else _nothing():
            (outcome,) = fetch_prices([source])
        if outcome.problem:
            failed += 1
            err.print(f"{source.name}: {outcome.problem}", style="red", markup=False, soft_wrap=True)
        else:
            out.print(
                f"{source.name}: {outcome.landed} new, {outcome.unchanged} unchanged, {outcome.bytes:,} bytes",
                soft_wrap=True,
            )
    if not no_build:
        build(wait=wait)
    if failed:
        err.print(f"{failed} of {len(asked)} sources failed; their last good prices are in force.")
        raise typer.Exit(EXIT_FAILED)


@app.command()
def fetch(
    source: Annotated[
        str,
        typer.Argument(
            help="mlperf-inference, mlperf-training, one of their -collection, or a price source."
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
) -> None:
    """Bring one payload into the landing zone. `accelmart build` then uses it."""
    from ingest.prices.registry import PRICE_SOURCES
    from ingest.source import source_named
    from ingest.specs.registry import SPEC_SOURCES
    from orchestration.runs import NothingFetchedError, fetch_prices
    from orchestration.runs import fetch as run_fetch

    lists = {**PRICE_SOURCES, **SPEC_SOURCES}
    if source in lists:
        (outcome,) = fetch_prices([lists[source]], key=key, origin=_absolute(origin))
        if outcome.problem:
            raise NothingFetchedError(outcome.problem)
        out.print(
            f"{source}: {outcome.landed} new, {outcome.unchanged} unchanged, {outcome.bytes:,} bytes",
            soft_wrap=True,
        )
        return
    payload = run_fetch(source_named(source), release=release, origin=_absolute(origin), ref=ref)
    out.print(
        f"{payload.source} {payload.key}: {payload.outcome}, {payload.bytes:,} bytes, sha256 {payload.sha256[:16]}…",
        soft_wrap=True,
    )
    details = payload.details
    if "members_seen" in details:
        out.print(
            f"{details['members_kept']} of {details['members_seen']} files kept, "
            f"{details['members_refused_count']} refused"
        )
        for name, reason in details["members_refused"][:10]:
            out.print(f"refused: {name}: {reason}", soft_wrap=True, markup=False, highlight=False)


@app.command()
def status(
    assumptions: Annotated[
        bool,
        typer.Option("--assumptions", help="What ownership costs rest on, each with its source and date."),
    ] = False,
) -> None:
    """Sources, their age, rows and rejects, quarantined payloads, and the published generation."""
    from ingest.landing import Landing
    from warehouse.home import Home
    from warehouse.publish import generations, read_generation
    from warehouse.query import query

    home = Home.from_environment()
    if assumptions:
        _print_table(
            *query(
                home.published,
                "select kind, scenario_id, accelerator_id, parameter, value, unit, basis, is_calibrated, "
                "is_overridden, as_of, source_url, note from mart_tco_assumptions "
                "order by kind desc, scenario_id, accelerator_id, parameter",
            )
        )
        return
    quarantined = Landing(home.landing_url).quarantined()
    for payload in quarantined[-10:]:
        out.print(
            f"quarantined: {payload.source} {payload.key} at {payload.fetched_at:%Y-%m-%d %H:%M}: {payload.reason}"
        )
    generation = read_generation(home.published)
    kept = [g.generation_id for g in generations(home)]
    out.print(
        f"published: {generation.generation_id}, built {generation.built_at:%Y-%m-%d %H:%M %Z}",
        soft_wrap=True,
    )
    out.print(f"generations kept: {', '.join(kept)}", soft_wrap=True)
    _print_table(
        *query(
            home.published,
            """
            select source, last_success_at::date as fetched,
                round(date_diff('hour', last_success_at, now()) / 24.0, 1) as age_days,
                payloads, records_in, rows, rejects, status
            from mart_source_health order by source
            """,
        )
    )
    _print_table(
        *query(
            home.published,
            "select source, payload_key, dialect, records_in, rows_out, duplicates, merged, rejects, left_out, remarks "
            "from ops_reconciliation order by source, payload_key, release, dialect",
        )
    )


@app.command()
def sql(
    statement: Annotated[str, typer.Argument(help="The query; - reads it from standard input.")],
    form: Annotated[Format, typer.Option("--format", "-f", help="How to print.")] = Format.table,
) -> None:
    """Query the published warehouse, read-only. Tables need no schema name."""
    from warehouse.home import Home
    from warehouse.query import query

    text = sys.stdin.read() if statement == "-" else statement
    columns, rows = query(Home.from_environment().published, text)
    _print(columns, rows, form)


def _print(columns: list[str], rows: list[tuple[Any, ...]], form: Format) -> None:
    if form is Format.json:
        records = [dict(zip(columns, row, strict=True)) for row in rows]
        sys.stdout.write(json.dumps(records, indent=2, default=str, ensure_ascii=False) + "\n")
    elif form is Format.csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)
    else:
        _print_table(columns, rows)


@app.command()
def rank(
    model: Annotated[str, typer.Option(help="MLCommons' benchmark, such as llama3.1-405b.")],
    scenario: Annotated[str, typer.Option(help="Offline, Server or Interactive.")] = "Server",
    pricing: Annotated[
        str | None,
        typer.Option(help="on_demand, spot, reserved_1y, reserved_3y, capacity_block, marketplace."),
    ] = None,
    provider: Annotated[str | None, typer.Option(help="One provider.")] = None,
    region: Annotated[str | None, typer.Option(help="A region (% is a wildcard) or a country code.")] = None,
    release: Annotated[
        str | None, typer.Option(help="An MLPerf round; default: each accelerator's latest.")
    ] = None,
    at: Annotated[datetime | None, typer.Option(formats=["%Y-%m-%d"], help="Prices of that day.")] = None,
    limit: Annotated[int, typer.Option(help="Rows; 0 is all.")] = 20,
    form: Annotated[Format, typer.Option("--format", "-f", help="How to print.")] = Format.table,
) -> None:
    """What a million output tokens cost, cheapest first: measured throughput and the prices in force."""
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
    if form is not Format.table:
        _print(columns, shown, form)
        return
    _print_table(columns[:_RANK_COLUMNS], [row[:_RANK_COLUMNS] for row in shown])
    if len(rows) > len(shown):
        out.print(f"{len(rows) - len(shown)} more: --limit 0 shows all")
    out.print(
        f"Prices as of {day}; price_seen_on is the day a price was last seen, no quote of today. "
        "MLPerf results are MLCommons' (release, submission id); dollars per token are derived here, at full use, "
        "and not verified by MLCommons. Offer ids, sources and systems: --format csv or json."
    )


@app.command()
def rollback(
    to: Annotated[str | None, typer.Option(help="A generation's id; default: the one before.")] = None,
) -> None:
    """Publish an earlier generation again."""
    from warehouse.build import exclusive
    from warehouse.home import Home
    from warehouse.publish import rollback as run_rollback

    home = Home.from_environment()
    with exclusive(home, 0):
        generation = run_rollback(home, to)
    out.print(f"Published generation {generation.generation_id} again.", soft_wrap=True)


@app.command()
def ui(port: Annotated[int, typer.Option(help="Port on 127.0.0.1.")] = 3000) -> None:
    """Dagster on this installation: lineage, runs, checks, and what runs by itself. Ends with Ctrl-C."""
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


@app.command()
def snapshot(
    folder: Annotated[
        Path | None, typer.Option(help="Where to; default: the one shipped with the code.")
    ] = None,
) -> None:
    """Write the parts in force as the bundled snapshot (for maintainers; see the README)."""
    from ingest.prices.registry import PRICE_SOURCES
    from warehouse.home import SNAPSHOT_DIR, Home
    from warehouse.lake import Lake, write_snapshot

    target = folder or SNAPSHOT_DIR
    lake = Lake(Home.from_environment())
    files = write_snapshot(
        lake.parts_in_force(), map(lake.price_history, PRICE_SOURCES.values()), lake.spec_parts()[0], target
    )
    out.print(
        f"{len(files)} files, {sum(f.stat().st_size for f in files):,} bytes in {target}", soft_wrap=True
    )


def _left_out() -> None:
    """Say what a build left out: nothing is dropped silently."""
    from warehouse.home import Home
    from warehouse.query import query

    columns, rows = query(
        Home.from_environment().published,
        "select severity, source, payload_key, payload_member, problem from ops_reject "
        "where severity <> 'left_out' order by all",
    )
    if rows:
        out.print(
            f'Rejected, or kept with a defect: {len(rows)} (accelmart sql "from ops_reject" shows all)',
            soft_wrap=True,
        )
        _print_table(columns, rows[:REJECTS_SHOWN])


def _absolute(origin: str) -> str:
    """A path as seen from here, before anything changes the working directory; anything else as it is."""
    return str(Path(origin).resolve()) if origin and Path(origin).exists() else origin


def _print_table(columns: list[str], rows: list[tuple[Any, ...]]) -> None:
    table = Table(*columns, box=None, pad_edge=False, header_style="bold")
    for row in rows:
        table.add_row(*("" if v is None else f"{v:,.4g}" if _is_small(v) else f"{v}" for v in row))
    # A pipe has no width: print what there is, never cut a figure.
    console = out if out.is_terminal else Console(width=10_000, soft_wrap=True)
    console.print(table)
    out.print(f"({len(rows)} rows)")


def _is_small(value: Any) -> bool:
    return isinstance(value, float) and abs(value) < 1


class _nothing:  # noqa: N801
    def __enter__(self) -> None: ...
    def __exit__(self, *_: object) -> None: ...


def main() -> None:
    """Entry point: known conditions are told in one message, never as a traceback."""
    try:
        app()
    except AccelmartError as e:
        from warehouse.build import BuildRunningError
        from warehouse.publish import NoWarehouseError

        err.print(f"accelmart: {e}", style="red", markup=False, highlight=False, soft_wrap=True)
        code = {NoWarehouseError: EXIT_NO_WAREHOUSE, BuildRunningError: EXIT_BUSY}.get(type(e), EXIT_FAILED)
        sys.exit(code)


if __name__ == "__main__":
    main()
