"""Commands of operation: `accelmart backup`, `restore`, `prune`, `doctor`."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

out = Console()
err = Console(stderr=True)

EXIT_FAILED = 1
_STYLE = {"ok": "green", "warn": "yellow", "fail": "bold red"}


def backup(
    target: Annotated[Path, typer.Argument(help="The archive to write (.tar or .tar.gz), or a folder.")],
) -> None:
    """Save landing zone, generations, own scenarios and Dagster's history into one checksummed archive."""
    from orchestration.doctor import dagster_home
    from warehouse.backup import backup as run_backup
    from warehouse.home import Home

    home = Home.from_environment()
    done = run_backup(home, dagster_home(home), target)
    out.print(
        f"Saved {len(done.files)} files, {done.bytes:,} bytes, to {done.path} ({done.path.stat().st_size:,} bytes)",
        soft_wrap=True,
        highlight=False,
    )
    out.print(f"published generation: {done.generation_id or 'none'}", soft_wrap=True)
    for words in done.left_out:
        out.print(f"not in it: {words}", soft_wrap=True, markup=False, highlight=False)


def restore(
    archive: Annotated[Path, typer.Argument(help="What `accelmart backup` wrote.")],
    to: Annotated[Path | None, typer.Option(help="Data root to fill; default: ACCELMART_HOME.")] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Though it is not empty: what is there is moved aside.")
    ] = False,
) -> None:
    """Bring a backup back, after every hash in it is checked. Stop daemon and webserver before."""
    from warehouse.backup import POSTGRES_DUMP
    from warehouse.backup import restore as run_restore
    from warehouse.home import Home

    home = Home.from_environment()
    done = run_restore(archive, to or home.root, force=force)
    out.print(
        f"Restored {len(done.backup.files)} files of {done.backup.made_at:%Y-%m-%d %H:%M} UTC to {done.root}",
        soft_wrap=True,
        highlight=False,
    )
    out.print(f"published generation: {done.backup.generation_id or 'none'}", soft_wrap=True)
    if done.set_aside:
        out.print(f"what was there is in {done.set_aside}: remove it when all is well", soft_wrap=True)
    if os.environ.get("ACCELMART_LANDING") and (done.root / "landing").exists():
        out.print(
            f"ACCELMART_LANDING is set: the landing zone of the backup is in {done.root / 'landing'}, copy it there",
            soft_wrap=True,
        )
    if (done.root / POSTGRES_DUMP).exists():
        out.print(
            f"Dagster's storage: pg_restore --clean --if-exists --dbname=$PGDATABASE {done.root / POSTGRES_DUMP}",
            soft_wrap=True,
        )
    for words in done.backup.left_out:
        out.print(f"not in it: {words}", soft_wrap=True, markup=False, highlight=False)


def prune(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would go, remove nothing.")] = False,
    quarantine_days: Annotated[int, typer.Option(help="Age of quarantined payloads to remove.", min=0)] = 90,
    repository_days: Annotated[int, typer.Option(help="Days a clone has not been used.", min=0)] = 30,
    run_days: Annotated[int, typer.Option(help="Age of runs of Dagster to remove.", min=1)] = 180,
    wait: Annotated[float, typer.Option(help="Seconds to wait for a build that is running.")] = 0,
) -> None:
    """Remove what can be made or fetched again. Landed payloads and their manifest are never touched."""
    from orchestration.retention import removable_runs, remove_run
    from orchestration.runs import instance
    from warehouse.backup import maintenance
    from warehouse.build import exclusive
    from warehouse.home import Home
    from warehouse.publish import generations_kept
    from warehouse.retention import removable, remove

    home = Home.from_environment()
    keep = generations_kept()
    with maintenance(home), exclusive(home, wait), instance(home) as found:
        items = removable(
            home,
            keep=keep,
            quarantine=timedelta(days=quarantine_days),
            repositories=timedelta(days=repository_days),
        )
        runs = removable_runs(found, timedelta(days=run_days))
        for item in items:
            out.print(
                f"{item.kind}: {item.path}, {item.bytes:,} bytes: {item.why}",
                soft_wrap=True,
                markup=False,
                highlight=False,
            )
        if runs:
            out.print(f"runs: {len(runs)} that ended more than {run_days} days ago", highlight=False)
        in_use = 0
        if not dry_run:
            in_use = sum(not remove(item) for item in items)
            for run_id in runs:
                remove_run(found, run_id)
    freed = sum(i.bytes for i in items)
    count = ", ".join(f"{n} {kind}s" for kind, n in Counter(i.kind for i in items).items()) or "nothing"
    verb = "Would remove" if dry_run else "Removed"
    out.print(f"{verb} {count}, {freed:,} bytes, {len(runs)} runs", highlight=False, soft_wrap=True)
    if in_use:
        out.print(f"{in_use} of them are in use and stay", highlight=False)


def doctor(
    offline: Annotated[bool, typer.Option("--offline", help="Leave the network alone.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Look at environment, disk, locks, data, Dagster and network; say what to do. Exit code 1 if something fails."""
    from orchestration import doctor as of_dagster
    from warehouse.doctor import Finding, examine
    from warehouse.home import Home

    home = Home.from_environment()

    def findings() -> Iterator[Finding]:
        yield from of_dagster.alerts()
        yield from of_dagster.dagster(home)
        yield from examine(home, os.environ, offline=offline)

    found = []
    for finding in findings():
        found.append(finding)
        if not as_json:
            out.print(f"[{_STYLE[finding.status]}]{finding.status:4}[/] ", end="")
            out.print(f"{finding.check}: {finding.found}", markup=False, highlight=False, soft_wrap=True)
            if finding.remedy:
                out.print(f"     → {finding.remedy}", markup=False, highlight=False, soft_wrap=True)
    failed = sum(f.status == "fail" for f in found)
    if as_json:
        sys.stdout.write(json.dumps([asdict(f) for f in found], indent=2, ensure_ascii=False) + "\n")
    else:
        warned = sum(f.status == "warn" for f in found)
        out.print(
            f"{len(found)} checks: {failed} failed, {warned} with a warning", highlight=False, soft_wrap=True
        )
    if failed:
        raise typer.Exit(EXIT_FAILED)
