"""Commands that build, refresh and operate the warehouse; `accelmart` adds them by an entry point (pyproject.toml).

What a command needs is imported when it runs: `accelmart --help` imports these modules and must stay quick.
"""

from __future__ import annotations

import errno
import signal
from typing import Any

import typer
from typer.core import TyperCommand

from accelmart.cli.panels import FILL, SHOW, TEND
from accelmart.errors import EXIT_BUSY, EXIT_NO_WAREHOUSE, CommandFailedError
from ingest.core.errors import AccelmartError
from orchestration.cli.build import build, fetch, refresh, snapshot
from orchestration.cli.decisions import EARLIER_NAMES, accept, convert, exclude, freeze, unfreeze
from orchestration.cli.operate import doctor, prune, rollback
from orchestration.cli.outputs import docs, export, publish, report, ui
from orchestration.cli.status import status

__all__ = ["app"]


def _end(number: int, _: object) -> None:
    """End as Ctrl-C does: child processes and the files of an unfinished build go."""
    raise SystemExit(128 + number)


class PipelineCommand(TyperCommand):
    """A command whose known conditions end with a message and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command.

        Raises:
            CommandFailedError: a known condition of the pipeline, with its exit code.
        """
        signal.signal(signal.SIGTERM, _end)
        try:
            return super().invoke(ctx)
        except AccelmartError as e:
            from warehouse.publication.generation import NoWarehouseError
            from warehouse.storage.locks import BuildRunningError

            codes = {NoWarehouseError: EXIT_NO_WAREHOUSE, BuildRunningError: EXIT_BUSY}
            raise CommandFailedError(str(e), codes.get(type(e), e.exit_code)) from e
        except Exception as error:
            import duckdb
            from sqlalchemy.exc import SQLAlchemyError

            from orchestration import settings
            from warehouse.storage.disk import build_needs, disk_full, full_path, is_disk_full, refusal_of

            home, cause = settings.home(), error
            if isinstance(error, SQLAlchemyError | duckdb.Error) and not is_disk_full(error):
                cause = refusal_of(home.root) or error  # databases say less than their folder
            if isinstance(cause, OSError) and cause.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
                raise CommandFailedError(
                    f"{cause.filename or home.root} cannot be written ({cause.strerror}). What is published is "
                    "unchanged. Check its owner and mount, or set ACCELMART_HOME"
                ) from error
            if not is_disk_full(cause):
                raise
            raise CommandFailedError(
                str(disk_full(full_path(cause) or home.root, build_needs(home)))
            ) from error


app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
for _panel, _commands in (
    (SHOW, (report, export, publish, docs, ui)),
    (FILL, (build, refresh, fetch)),
    (TEND, (status, freeze, exclude, unfreeze, accept, convert)),
    (TEND, (prune, doctor, rollback, snapshot)),
):
    for _command in _commands:
        app.command(cls=PipelineCommand, rich_help_panel=_panel)(_command)
for _command in EARLIER_NAMES:
    app.command(cls=PipelineCommand, hidden=True)(_command)
