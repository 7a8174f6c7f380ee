"""The `accelmart` command: questions to the published file, and the commands of the pipeline where it is installed.

Exit codes: 0 done; 1 failed, the message says what to do; 2 wrong usage; 3 there is no warehouse yet; 4 another build
is running; 141 nobody read the output to its end.

`accelmart --help` takes a fraction of a second: what a command needs is imported when it runs.
"""

from __future__ import annotations

import os
import sys
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from accelmart.cli.changes import changes
from accelmart.cli.mcp import mcp
from accelmart.cli.output import Format, FormatOption, JsonOption, complain, print_fitting, print_rows, say
from accelmart.cli.panels import ASK, PANELS
from accelmart.cli.pull import pull
from accelmart.cli.questions import (
    accuracy,
    alternatives,
    choose,
    claims,
    compare,
    electricity,
    evidence,
    history,
    keep_or_sell,
    ownership,
    power_budget,
    prices,
    rank,
    serving,
    tokens,
    training,
)
from accelmart.cli.status import status
from accelmart.errors import EXIT_UNREAD, CommandFailedError, ReaderError
from accelmart.published import reading

COMMANDS = "accelmart.commands"
"""Group of entry points (pyproject.toml) with further commands."""

# Commands of the pipeline, named here to tell a command that is not installed from a mistyped one; its status says more
# than that of a reader.
PIPELINE_COMMANDS = (
    *("report", "export", "publish", "docs", "ui", "build", "refresh", "fetch", "status"),
    *("freeze", "exclude", "unfreeze", "accept", "convert", "hold", "withdraw", "release"),
    *("prune", "doctor", "rollback", "snapshot"),
)


class Commands(TyperGroup):
    """The readers' commands, and those of the pipeline once one of them or the help is asked for.

    Help is in sections and plain text: boxes of rich would cost more time than the rest of the start.
    """

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands installed."""
        self._add_pipeline()
        return list(self.commands)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command; None if there is none of that name.

        Raises:
            CommandFailedError: it is a command of the pipeline, which is not installed.
        """
        if cmd_name in self.commands and cmd_name not in PIPELINE_COMMANDS:
            return self.commands[cmd_name]
        if not self._add_pipeline() and cmd_name in PIPELINE_COMMANDS and cmd_name not in self.commands:
            raise CommandFailedError(
                f"`accelmart {cmd_name}` needs the pipeline, which is not installed here: run `make warehouse` in a "
                "checkout of Accelmart's repository, and the command there"
            )
        return self.commands.get(cmd_name)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; it ends as other tools do, quietly, if nobody reads its output any more (`| head`)."""
        try:
            answer = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(EXIT_UNREAD) from None
        return answer

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands of each section."""
        self._add_pipeline()
        shown = [(n, c) for n, c in self.commands.items() if not c.hidden]
        width = formatter.width - 6 - max(len(name) for name, _ in shown)
        for panel in PANELS:
            rows = [
                (name, command.get_short_help_str(width))
                for name, command in shown
                if getattr(command, "rich_help_panel", None) == panel
            ]
            if rows:
                with formatter.section(panel):
                    formatter.write_dl(rows)

    def _add_pipeline(self) -> bool:
        """Load the pipeline's commands; return whether it is installed."""
        if "build" in self.commands:
            return True
        if find_spec("orchestration") is None or find_spec("dagster") is None:
            return False
        for point in entry_points(group=COMMANDS):
            self.commands.update(typer.main.get_group(point.load()).commands)
        return True


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="An open warehouse of AI-accelerator economics: speed, cost and energy, with the evidence on every row.",
    epilog='First: accelmart build, or accelmart pull URL. Then: accelmart sql "show tables". Exit codes and settings: '
    "docs/cli.md.",
    pretty_exceptions_enable=False,
)


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


def sql(
    statement: Annotated[str, typer.Argument(help="The query; - reads it from standard input.")],
    every_row: Annotated[
        bool, typer.Option("--all", help="Print all rows, also those wider than the terminal.")
    ] = False,
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """Query the published warehouse, read-only. Tables need no schema name."""
    text = sys.stdin.read() if statement == "-" else statement
    with reading() as reader:
        done = reader.stream(text)
        if form is Format.table and not as_json:
            print_fitting(done, every_row=every_row)
        else:
            print_rows(done, Format.json if as_json else form)


for _command in (
    *(rank, choose, keep_or_sell, power_budget, compare, alternatives, prices, history, tokens, electricity),
    *(claims, accuracy, evidence, changes, sql, pull, status, mcp),
):
    app.command(rich_help_panel=ASK)(_command)
_estimates = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="What training, serving or owning would cost."
)
for _estimate in (training, serving, ownership):
    _estimates.command()(_estimate)
app.add_typer(_estimates, name="estimate", rich_help_panel=ASK)


def main() -> None:
    """Run the command; print a known condition as one message, without a traceback."""
    try:
        app()
    except ReaderError as e:
        complain(f"accelmart: {e}")
        sys.exit(e.exit_code)
