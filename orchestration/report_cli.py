"""`accelmart report`: the page with the published figures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from orchestration.output import progress, say

# a build that is running makes the report anyway
_WAIT_S = 900


def report(
    to: Annotated[
        Path | None, typer.Option(help="File or folder to write it to; default: beside the warehouse.")
    ] = None,
    open_: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
) -> None:
    """The published figures as one HTML file that needs no network. Every build makes it."""
    import webbrowser

    from orchestration import settings
    from warehouse.build import exclusive
    from warehouse.publish import read_generation
    from warehouse.report import Report, place_report, report_of, write_report

    home = settings.home()
    generation = read_generation(home.published)
    if to is not None:
        target = to.resolve()
        with progress("drawing"):
            made = write_report(home.published, target / home.report.name if target.is_dir() else target)
    elif report_of(home.report) == generation.generation_id:
        made = Report(home.report, generation.generation_id, home.report.stat().st_size)
    else:
        with exclusive(home, _WAIT_S):
            made = place_report(home)
    say(f"{made.path}: generation {made.generation_id}, {made.bytes:,} bytes")
    if open_ and not webbrowser.open(made.path.as_uri()):
        say("There is no browser to open it with here.")
