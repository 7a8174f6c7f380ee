"""Commands of operation: `accelmart rollback`, `prune`, `doctor`."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from accelmart.cli.output import JsonOption, complain, print_json, say
from accelmart.errors import EXIT_FAILED
from ingest.core.errors import AccelmartError
from orchestration.cli import completion
from orchestration.cli.status import generation_record

if TYPE_CHECKING:
    from warehouse.storage.home import Home

_COLOUR = {"ok": typer.colors.GREEN, "warn": typer.colors.YELLOW, "fail": typer.colors.RED}


def rollback(
    to: Annotated[
        str | None,
        typer.Option(
            help="A generation's id; default: the one before.", autocompletion=completion.generations
        ),
    ] = None,
    pin: Annotated[
        bool,
        typer.Option("--pin", help="Keep it published: nothing else is built or published until --unpin."),
    ] = False,
    unpin: Annotated[
        bool, typer.Option("--unpin", help="End the pin; publish nothing. The next build may publish again.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Publish an earlier generation again.

    Damaged ones are skipped and named.
    """
    from orchestration import settings
    from warehouse.outputs.repair import repair
    from warehouse.publication import pointer
    from warehouse.storage.locks import exclusive

    if unpin and (pin or to):
        raise AccelmartError("--unpin publishes nothing: leave --pin and --to out")
    home = settings.home()
    with exclusive(home, 0):
        done = pointer.unpin(home) if unpin else pointer.rollback(home, to, pin=pin)
        problems = repair(home)
    generation = done.generation
    if as_json:
        print_json({**generation_record(generation), "is_pinned": done.is_pinned, "damaged": done.damaged})
    elif unpin:
        say(
            f"Generation {generation.generation_id} is not pinned any more. The next build may publish another."
        )
    else:
        say(f"Published generation {generation.generation_id} again{', pinned' if done.is_pinned else ''}.")
    for name in done.damaged:
        complain(f"warning, generation {name} is damaged and was skipped. To remove it: accelmart prune")
    for problem in problems:
        complain(f"warning, {problem}")


def prune(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would go, remove nothing.")] = False,
    quarantine_days: Annotated[int, typer.Option(help="Age of quarantined payloads to remove.", min=0)] = 90,
    run_days: Annotated[int, typer.Option(help="Age of runs of Dagster to remove.", min=1)] = 7,
    wait: Annotated[float, typer.Option(help="Seconds to wait for a build that is running.")] = 0,
) -> None:
    """Remove what can be made or fetched again. Landed payloads and their manifest are never touched."""
    from orchestration import settings
    from warehouse.publication.retention import removable, remove
    from warehouse.storage.disk import is_disk_full
    from warehouse.storage.locks import exclusive

    home = settings.home()
    keep = settings.GENERATIONS_KEPT.read()
    runs: list[str] = []
    with exclusive(home, wait):
        items = removable(home, keep=keep, quarantine=timedelta(days=quarantine_days))
        for item in items:
            say(f"{item.kind}: {item.path}, {item.bytes:,} bytes: {item.why}")
            if not dry_run:
                remove(item)
        try:
            runs = _prune_runs(home, timedelta(days=run_days), dry_run=dry_run)
        except Exception as e:  # Dagster opens its storage for writing
            if not is_disk_full(e):
                raise
            complain("warning, runs of Dagster stay: the disk is full. When there is room: accelmart prune")
    freed = sum(i.bytes for i in items)
    count = ", ".join(f"{n} {kind}s" for kind, n in Counter(i.kind for i in items).items()) or "nothing"
    verb = "Would remove" if dry_run else "Removed"
    say(f"{verb} {count}, {freed:,} bytes, {len(runs)} runs")


def _prune_runs(home: Home, older_than: timedelta, *, dry_run: bool) -> list[str]:
    """Remove old runs of Dagster, where it is used; return their ids."""
    from orchestration import settings

    if not settings.has_dagster(home):
        return []
    from orchestration.instance import instance
    from orchestration.run_retention import removable_runs, remove_run

    with instance(home) as dagster_instance:
        from orchestration.definitions import defs  # takes long, and room where nothing is parsed yet

        checks = defs.resolve_asset_graph().asset_check_keys
        runs = removable_runs(dagster_instance, older_than, checks)
        if runs:
            say(f"runs: {len(runs)} that ended more than {older_than.days} days ago")
        for run_id in () if dry_run else runs:
            remove_run(dagster_instance, run_id)
    return runs


def doctor(
    offline: Annotated[bool, typer.Option("--offline", help="Leave the network alone.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Look for what is wrong here, and say what to do about it.

    Packages, settings, disk, data, Dagster, sources and network. Exit code 1 if something fails.
    """
    from orchestration import settings
    from orchestration.doctor import examine

    results = []
    for finding in examine(settings.home(), is_offline=offline):
        results.append(finding)
        if not as_json:
            typer.secho(f"{finding.status:4} ", nl=False, fg=_COLOUR[finding.status])
            say(f"{finding.check}: {finding.found}")
            if finding.remedy:
                say(f"     → {finding.remedy}")
    failed = sum(f.status == "fail" for f in results)
    if as_json:
        print_json([asdict(f) for f in results])
    else:
        warned = sum(f.status == "warn" for f in results)
        say(f"{len(results)} findings: {failed} failed, {warned} with a warning")
    if failed:
        raise typer.Exit(EXIT_FAILED)
