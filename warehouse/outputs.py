"""The outputs of a data root, and their repair: published file, exports, report, pages, and the outcome of the build.

`repair` makes all of them those of the published generation. Every command and run that builds, publishes, restores or
rolls back calls it, as does the sensor of the rebuild. It compares ids and modification times, which takes
milliseconds, and does work only where an output is behind. This module is quick to import: what writes an output is
imported when one is written.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from warehouse.disk import disk_full, is_disk_full
from warehouse.home import Home
from warehouse.iceberg import iceberg_of
from warehouse.publish import NoWarehouseError, Publication, is_unchanged, keep_published, publication

PUBLISHED, EXPORTS, REPORT, DOCS, ICEBERG = "published file", "exports", "report", "docs", "Iceberg table"
METHODOLOGY, DICTIONARY, STATE = "methodology.md", "data-dictionary.md", "state.md"
EXPORTS_KEPT, DESCRIPTOR = ".exports", "datapackage.json"
_STATED = {
    ".html": re.compile(r'<meta name="accelmart-generation" content="([^"]*)">'),
    ".md": re.compile(r"^<!-- Generation: (\S+) -->$", flags=re.MULTILINE),
}
_HEAD_BYTES = 4096
_COMMANDS = {REPORT: "accelmart report", DOCS: "accelmart docs"}


@dataclass(frozen=True)
class Output:
    """One output of a data root.

    Args:
        name: ``published file``, ``exports``, ``report``, ``docs`` or, where a catalog is named, ``Iceberg table``.
        path: where it is.
        generation_id: the generation that it is of; None if it is missing, changed or does not state it.
    """

    name: str
    path: Path
    generation_id: str | None


def outputs(home: Home) -> list[Output]:
    """Return every output with its generation; of large files, size, mode and time are read, not the contents.

    Raises:
        NoWarehouseError: nothing is published.
    """
    current = publication(home)
    is_current = not current.is_recorded or is_unchanged(home.published, current.generation)
    iceberg = [Output(ICEBERG, home.iceberg_stamp, iceberg_of(home))] if home.iceberg_catalog else []
    return [
        Output(PUBLISHED, home.published, current.generation.generation_id if is_current else None),
        Output(EXPORTS, home.exports, exports_of(home)),
        Output(REPORT, home.report, report_of(home.report)),
        Output(DOCS, home.docs, pages_of(home.docs)),
        *iceberg,
    ]


def behind(home: Home) -> list[Output]:
    """Return the outputs that are not those of the published generation; none if nothing is published."""
    try:
        generation_id = publication(home).generation.generation_id
        return [output for output in outputs(home) if output.generation_id != generation_id]
    except NoWarehouseError:
        return []


def report_of(path: Path) -> str | None:
    """Return the generation id of a report; None if there is no report."""
    return _stated(path)


def pages_of(folder: Path) -> str | None:
    """Return the generation id that every page of a folder states; None if a page is missing or they differ."""
    ids = {_stated(folder / name) for name in (METHODOLOGY, DICTIONARY, STATE)}
    return ids.pop() if len(ids) == 1 else None


def exports_of(home: Home) -> str | None:
    """Return the generation id of the exports of a data root; None if there are none, or they were changed."""
    folder = home.exports.resolve()
    is_link = home.exports.is_symlink() and folder.parent == (home.root / EXPORTS_KEPT).resolve()
    return folder.name if is_link and is_whole_export(folder) else None


def is_whole_export(folder: Path) -> bool:
    """Whether every file of an export is as its descriptor says: read to its end, a few megabytes in all."""
    try:
        package = json.loads((folder / DESCRIPTOR).read_text(encoding="utf-8"))
        return package["version"] == folder.name and all(
            resource["hash"]
            == f"sha256:{hashlib.sha256((folder / resource['path']).read_bytes()).hexdigest()}"
            for resource in package["resources"]
        )
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _stated(path: Path) -> str | None:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            match = _STATED[path.suffix].search(file.read(_HEAD_BYTES))
    except OSError:
        return None
    return match[1] if match else None


def repair(home: Home, *, is_read: bool = False) -> list[str]:
    """Finish an interrupted restore or publication: make every output that of the published generation.

    The caller holds `warehouse.build.exclusive`.

    Args:
        home: the installation.
        is_read: compare the contents of the published file and its kept copy; otherwise size, mode and time.

    Returns:
        One message for each output that could not be made; its earlier state is unchanged.
    """
    if any(home.root.glob(".restore-*")):
        from warehouse.restore import finish_restore

        finish_restore(home)
    _remove_temporary(home)
    problems = []
    if problem := _attempt(home, PUBLISHED, partial(keep_published, home, is_read=is_read)):
        problems.append(problem)
    try:
        current = publication(home)
    except NoWarehouseError:
        return problems
    makers = {EXPORTS: _make_exports, REPORT: _make_report, DOCS: _make_pages, ICEBERG: _make_iceberg}
    names = [output.name for output in behind(home) if output.name in makers]
    with ThreadPoolExecutor() as threads:
        done = threads.map(lambda name: _attempt(home, name, partial(makers[name], home)), names)
        problems += [problem for problem in done if problem]
    _repair_outcome(home, current)
    return problems


def _attempt(home: Home, name: str, make: Callable[[], object]) -> str:
    try:
        make()
    except Exception as e:  # noqa: BLE001  one output must not keep the others, nor a build, from being made
        cause = str(disk_full(home.root)) if is_disk_full(e) else f"{type(e).__name__}: {e}"
        again = _COMMANDS.get(name, "accelmart build")
        return (
            f"The {name} of the published generation {_were(name)} not made ({cause}). To try again: {again}"
        )
    return ""


def _were(name: str) -> str:
    return "were" if name in (EXPORTS, DOCS) else "was"


def _make_exports(home: Home) -> None:
    from warehouse.export import publish_exports

    publish_exports(home)


def _make_report(home: Home) -> None:
    from warehouse.report import place_report

    place_report(home)


def _make_pages(home: Home) -> None:
    from warehouse.docs import write_pages

    write_pages(home)


def _make_iceberg(home: Home) -> None:
    from warehouse.iceberg import publish_intervals

    publish_intervals(home)


def _repair_outcome(home: Home, current: Publication) -> None:
    """Record the publication as the last build if the process that published was killed before it did."""
    try:
        at = datetime.fromisoformat(json.loads(home.last_build.read_text(encoding="utf-8"))["at"])
    except FileNotFoundError:
        return
    except (ValueError, KeyError, TypeError):
        at = None
    if at is None or at < current.generation.built_at:
        from warehouse.outcome import record_outcome

        record_outcome(home, "published", generation_id=current.generation.generation_id)


def _remove_temporary(home: Home) -> None:
    """Remove temporary files that killed processes left beside outputs; only a holder of the lock writes them."""
    places = (home.published, home.publication, home.report, home.exports, home.last_build)
    names = [place.name for place in places]
    left = [path for name in names for path in home.root.glob(f".{name}.*.tmp")]
    left += [*home.generations.glob(".*.tmp"), *home.docs.glob(".*.tmp")]
    for path in left:
        path.unlink(missing_ok=True)
    for folder in (home.root / EXPORTS_KEPT).glob(".*"):
        shutil.rmtree(folder, ignore_errors=True)
