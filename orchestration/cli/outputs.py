"""Commands that show and write what is published: `accelmart report`, `export`, `docs`, `ui`."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import typer

from accelmart.cli.output import JsonOption, note, print_json, progress, say


def report(
    to: Annotated[
        Path | None, typer.Option(help="File or folder to write it to; default: beside the warehouse.")
    ] = None,
    open_: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
) -> None:
    """The published figures as one HTML file that needs no network. Every build makes it."""
    import webbrowser

    from orchestration import settings
    from warehouse.outputs.report import Report, place_report, report_of, write_report
    from warehouse.publication.pointer import publication
    from warehouse.storage.locks import WAIT_S, exclusive

    home = settings.home()
    generation = publication(home).generation
    if to is not None:
        target = to.resolve()
        with progress("drawing"):
            made = write_report(generation.path, target / home.report.name if target.is_dir() else target)
    elif report_of(home) == generation.generation_id:
        made = Report(home.report, generation.generation_id, home.report.stat().st_size)
    else:
        with exclusive(home, WAIT_S):
            made = place_report(home)
    say(f"{made.path}: generation {made.generation_id}, {made.bytes:,} bytes")
    if open_ and not webbrowser.open(made.path.as_uri()):
        say("There is no browser to open it with here.")


def export(
    folder: Annotated[
        Path, typer.Argument(help="Is made; an earlier export there is replaced. With --duckdb: the file.")
    ],
    form: Annotated[
        Literal["parquet", "csv"], typer.Option("--format", "-f", help="What files.")
    ] = "parquet",
    duckdb: Annotated[
        bool, typer.Option("--duckdb", help="One DuckDB file with the public tables alone, without macros.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Write every public table as a file, with a descriptor."""
    from orchestration import settings
    from warehouse.outputs.export import ExportForm, export_duckdb
    from warehouse.outputs.export import export as run_export

    with progress("exporting"):
        published = settings.home().published
        done = export_duckdb(published, folder) if duckdb else run_export(published, folder, ExportForm(form))
    if as_json:
        print_json(asdict(done))
    elif duckdb:
        say(f"{done.relations} tables, {done.bytes:,} bytes in {done.folder}")
    else:
        say(f"{done.relations} tables, {done.bytes:,} bytes and datapackage.json in {done.folder}")


def publish(
    to: Annotated[
        str,
        typer.Option("--to", help="A folder, s3://bucket/path, gs://bucket/path, or what fsspec writes to."),
    ],
    keep: Annotated[int, typer.Option(help="Generations that stay there.")] = 3,
    as_json: JsonOption = False,
) -> None:
    """Write what is published here to a place that others read.

    DuckDB file, Parquet, answers as JSON, report, documentation, checksums; readers see one whole generation at any
    time. They use `accelmart.connect(URL)` or `accelmart pull URL`.
    """
    from orchestration import settings
    from warehouse.outputs.site import publish_site

    with progress("publishing"):
        done = publish_site(settings.home(), to, keep=keep)
    if as_json:
        print_json(asdict(done))
        return
    wrote = f"{done.files} files, {done.bytes:,} bytes" if done.is_new else "it was there already"
    say(f"{done.url} names generation {done.generation_id}: {wrote}")
    if done.removed:
        say(f"removed there: {', '.join(done.removed)}")


def docs(
    folder: Annotated[Path | None, typer.Argument(help="Where to; default: docs/ in the data root.")] = None,
    with_dbt: Annotated[
        bool, typer.Option("--dbt", help="dbt's documentation too: one HTML page, works from disk.")
    ] = False,
    with_site: Annotated[
        bool,
        typer.Option(
            "--site",
            help="The website too: report, SQL console and documentation in site/ (needs MkDocs).",
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Write the data dictionary, the appendix of formulas and sources, and the state of the warehouse."""
    from orchestration import settings
    from orchestration.dbt_docs import write_dbt_docs
    from orchestration.docs_site import write_docs_site
    from warehouse.outputs.docs import write_pages
    from warehouse.storage.locks import WAIT_S, exclusive

    home = settings.home()
    target = (folder or home.docs).absolute()
    # pages beside the warehouse are outputs of a build too
    held = exclusive(home, WAIT_S) if folder is None else nullcontext()
    with held, progress("documenting") as show_step:
        pages = write_pages(home, target)
        others: list[Path] = []
        if with_dbt:
            show_step("dbt")
            others.append(write_dbt_docs(home, target / "dbt"))
        if with_site:
            show_step("site")
            others.append(write_docs_site(home, settings.SITE_URL.read()))
            if not (home.site / "console.html").exists():
                note(
                    "The site has no SQL console: its packages of npm are not installed. To add it: make site"
                )
    if as_json:
        print_json({"written": [str(path) for path in (*pages, *others)]})
        return
    say(f"{len(pages)} pages in {target}. Start with {pages[0].relative_to(target)}")
    for path in others:
        say(str(path))


def ui(
    port: Annotated[int, typer.Option(help="Port to listen on.", min=1, max=65535)] = 3000,
    host: Annotated[str, typer.Option(help="Address to listen on; in a container 0.0.0.0.")] = "127.0.0.1",
    workspace: Annotated[
        Path | None, typer.Option(help="The webserver alone, of this workspace, as on a server.", exists=True)
    ] = None,
) -> None:
    """Dagster on this installation: lineage, runs, checks, schedules.

    Webserver and daemon on 127.0.0.1, so that all runs by itself; pages of other origins are refused. Ends with Ctrl-C.
    """
    import os

    from orchestration import settings
    from orchestration.instance import ensure_dagster_home
    from orchestration.reporting import report_unknown
    from orchestration.ui import DEVELOPMENT, WEBSERVER, run_ui

    home = settings.home()
    ensure_dagster_home(home)
    if not workspace:
        ran_by_default = report_unknown(home)
        if not settings.AUTOMATION.read():
            say("Schedules and the discovery of rounds are off; what you turn on under Automation stays on.")
            if ran_by_default:
                say(f"These ran by themselves before and stop now: {', '.join(ran_by_default)}.")
    environment = {
        **os.environ,  # noqa: TID251  # handed on to a child process
        # the same data root for every run that is started there, wherever it runs
        "ACCELMART_HOME": str(home.root),
        # `dg`, which supersedes it, is for projects of its own layout
        "PYTHONWARNINGS": "ignore:Function `dev_command` is superseded",
    }
    program = (*WEBSERVER, str(workspace)) if workspace else DEVELOPMENT
    public = settings.UI_URL.read() if settings.UI_URL.text() else ""
    raise typer.Exit(run_ui(program, (host, port), environment, public=public, say=say))
