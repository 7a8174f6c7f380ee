"""The command line. It runs the same assets as Dagster does.

Exit codes: 0 done; 1 it failed, and the message says what to do; 2 wrong usage; 3 there is no warehouse yet;
4 another build is running.

`accelmart --help` takes a fraction of a second: what a command needs is imported when it runs.
"""

from __future__ import annotations

import sys
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ingest.core.errors import AccelmartError
from orchestration import completion
from orchestration.build_cli import build, fetch, refresh
from orchestration.changes_cli import changes
from orchestration.choose_cli import choose
from orchestration.control_cli import hold, release, withdraw
from orchestration.estimate_cli import app as estimate_app
from orchestration.ops_cli import backup, doctor, prune, restore
from orchestration.output import (
    EXIT_FAILED,
    Format,
    FormatOption,
    JsonOption,
    complain,
    print_json,
    print_rows,
    progress,
    say,
)
from orchestration.rank_cli import rank
from orchestration.report_cli import report
from orchestration.status_cli import generation_record, status

EXIT_NO_WAREHOUSE, EXIT_BUSY = 3, 4

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
app.command(rich_help_panel=ASK)(rank)
app.command(rich_help_panel=ASK)(choose)
app.command(rich_help_panel=ASK)(changes)
app.command(rich_help_panel=SHOW)(report)
for _command in (status, hold, withdraw, release, backup, restore, prune, doctor):
    app.command(rich_help_panel=TEND)(_command)
app.command(rich_help_panel=FILL)(build)
app.command(rich_help_panel=FILL)(refresh)
app.command(rich_help_panel=FILL)(fetch)
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


@app.command(rich_help_panel=ASK)
def sql(
    statement: Annotated[str, typer.Argument(help="The query; - reads it from standard input.")],
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """Query the published warehouse, read-only. Tables need no schema name."""
    from orchestration import settings
    from warehouse.query import query

    text = sys.stdin.read() if statement == "-" else statement
    columns, rows = query(settings.home().published, text)
    print_rows(columns, rows, Format.json if as_json else form)


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
    from orchestration import settings
    from warehouse.build import exclusive
    from warehouse.export import publish_exports
    from warehouse.publish import rollback as run_rollback
    from warehouse.report import attempt, place_report

    home = settings.home()
    with exclusive(home, 0):
        generation = run_rollback(home, to)
        _, problem = attempt(lambda: place_report(home))
        publish_exports(home)
    if as_json:
        print_json(generation_record(generation))
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
    from orchestration import settings
    from warehouse.export import ExportForm
    from warehouse.export import export as run_export

    with progress("exporting"):
        done = run_export(settings.home().published, folder, ExportForm(form))
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
    from orchestration import settings
    from orchestration.graph import write_graph
    from orchestration.resources import write_dbt_docs
    from warehouse.docs import write_pages

    home = settings.home()
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

    from orchestration import settings
    from orchestration.runs import settle

    home = settings.home()
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
    from orchestration import settings
    from warehouse.home import SNAPSHOT_DIR
    from warehouse.lake import Lake, write_snapshot

    target = folder or SNAPSHOT_DIR
    lake = Lake(settings.home())
    if lake.holds.items:
        raise AccelmartError(
            f"release what is held before a snapshot is written: {lake.holds.items[0].describe()}"
        )
    files = write_snapshot(
        lake.parts_in_force(), map(lake.price_history, PRICE_SOURCES.values()), lake.spec_parts()[0], target
    )
    say(f"{len(files)} files, {sum(f.stat().st_size for f in files):,} bytes in {target}")


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
