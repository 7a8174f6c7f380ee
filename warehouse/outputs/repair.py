"""The outputs of a data root: published file, exports, report, pages; each states the generation that it is of.

`repair` makes all of them those of the published generation. Every command and run that builds, publishes or rolls
back calls it, as does the sensor of the rebuild. It does work only where an output is behind.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC
from functools import partial
from pathlib import Path

from warehouse.outputs.docs import pages_of, write_pages
from warehouse.outputs.export import EXPORTS_KEPT, exports_of, publish_exports
from warehouse.outputs.report import place_report, report_of
from warehouse.publication.generation import Publication, is_intact
from warehouse.publication.outcome import last_outcome, record_outcome
from warehouse.publication.pointer import published_here, repair_published
from warehouse.publication.retention import left_of_fetches
from warehouse.storage.disk import disk_full, is_disk_full
from warehouse.storage.files import remove_path
from warehouse.storage.home import Home

PUBLISHED, EXPORTS, REPORT, DOCS = "published file", "exports", "report", "docs"
_COMMANDS = {REPORT: "accelmart report", DOCS: "accelmart docs"}


@dataclass(frozen=True)
class Output:
    """One output of a data root.

    Args:
        name: ``published file``, ``exports``, ``report`` or ``docs``.
        path: where it is.
        generation_id: the generation that it is of; None if it is missing, changed or does not state it.
    """

    name: str
    path: Path
    generation_id: str | None


def behind(home: Home) -> list[Output]:
    """Return the outputs that are not those of the published generation; none if this root published nothing.

    Published file, exports and report are read to their ends and compared with their SHA-256.
    """
    if not (published := published_here(home)):
        return []
    current = published.generation
    is_current = is_intact(home.published, current)
    outputs = [
        Output(PUBLISHED, home.published, current.generation_id if is_current else None),
        Output(EXPORTS, home.exports, exports_of(home)),
        Output(REPORT, home.report, report_of(home)),
        Output(DOCS, home.docs, pages_of(home.docs)),
    ]
    return [o for o in outputs if o.generation_id != current.generation_id]


def repair(home: Home) -> list[str]:
    """Finish an interrupted publication: make every output that of the published generation.

    A root that published nothing has none: a downloaded copy is left as it is.
    The caller holds `warehouse.storage.locks.exclusive`.

    Returns:
        One message for each output that could not be made; its earlier state is unchanged.
    """
    _remove_temporary(home)
    problems = attempt(home, PUBLISHED, partial(repair_published, home))
    if not (published := published_here(home)):
        return problems
    makers: dict[str, Callable[[Home], object]] = {
        EXPORTS: publish_exports,
        REPORT: place_report,
        DOCS: write_pages,
    }
    names = [output.name for output in behind(home) if output.name in makers]
    with ThreadPoolExecutor() as threads:
        done = threads.map(lambda name: attempt(home, name, partial(makers[name], home)), names)
        problems += [problem for of_output in done for problem in of_output]
    problems += attempt(home, "record of the build", partial(_repair_outcome, home, published))
    return problems


def attempt(home: Home, name: str, make: Callable[[], object]) -> list[str]:
    """Return no message, or why an output of what is published could not be made."""
    try:
        make()
    except Exception as e:  # noqa: BLE001  one output must not keep the others, nor a build, from being made
        cause = str(disk_full(home.root)) if is_disk_full(e) else f"{type(e).__name__}: {e}"
        again = _COMMANDS.get(name, "accelmart build")
        return [f"{name} of the published generation: not made ({cause}). To try again: {again}"]
    return []


def _repair_outcome(home: Home, current: Publication) -> None:
    """Record the publication as the last build if the process that published was killed before it did."""
    if not home.last_build.exists():
        return
    last = last_outcome(home)
    if last is None or last.at < current.generation.built_at.astimezone(UTC).isoformat():
        record_outcome(home, "published", generation_id=current.generation.generation_id)


def _remove_temporary(home: Home) -> None:
    """Remove what killed processes left: beside outputs, which only a holder of the lock writes, and of fetches."""
    places = (home.published, home.publication, home.report, home.exports, home.last_build)
    names = [place.name for place in places]
    left = [path for name in names for path in home.root.glob(f".{name}.*.tmp")]
    left += [*home.generations.glob(".*.tmp"), *home.docs.rglob(".*.tmp")]
    for path in left:
        path.unlink(missing_ok=True)
    for path in left_of_fetches(home):
        remove_path(path)
    for folder in (home.root / EXPORTS_KEPT).glob(".*"):
        shutil.rmtree(folder, ignore_errors=True)
