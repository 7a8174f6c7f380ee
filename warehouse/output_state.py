"""The outputs of a data root and the generation that each states: published file, exports, report, pages.

It compares ids and modification times, which takes milliseconds. `warehouse.outputs` makes those that are behind.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from warehouse.files import sha256_of
from warehouse.home import Home
from warehouse.publish import NoWarehouseError, is_unchanged, publication

PUBLISHED, EXPORTS, REPORT, DOCS = "published file", "exports", "report", "docs"
METHODOLOGY, DICTIONARY, STATE = "methodology.md", "data-dictionary.md", "state.md"
EXPORTS_KEPT, DESCRIPTOR = ".exports", "datapackage.json"
_STATED = {
    ".html": re.compile(r'<meta name="accelmart-generation" content="([^"]*)">'),
    ".md": re.compile(r"^<!-- Generation: (\S+) -->$", flags=re.MULTILINE),
}
_HEAD_BYTES = 4096


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


def outputs(home: Home) -> list[Output]:
    """Return every output with its generation; of large files, size, mode and time are read, not the contents.

    Raises:
        NoWarehouseError: nothing is published.
    """
    current = publication(home).generation
    is_current = is_unchanged(home.published, current)
    return [
        Output(PUBLISHED, home.published, current.generation_id if is_current else None),
        Output(EXPORTS, home.exports, exports_of(home)),
        Output(REPORT, home.report, report_of(home.report)),
        Output(DOCS, home.docs, pages_of(home.docs)),
    ]


def behind(home: Home) -> list[Output]:
    """Return the outputs that are not those of the published generation; none if nothing is published."""
    try:
        generation_id = publication(home).generation.generation_id
        return [output for output in outputs(home) if output.generation_id != generation_id]
    except NoWarehouseError:
        return []


def is_settled(home: Home) -> bool:
    """Return whether no killed or failed command left anything: all outputs are current, nothing is half done."""
    try:
        last = json.loads(home.last_build.read_text(encoding="utf-8"))["generation_id"]
        is_recorded = last == publication(home).generation.generation_id
    except (OSError, ValueError, KeyError, NoWarehouseError):
        return False
    is_clean = not any(home.builds.glob("*")) and not any(home.root.glob(".restore*"))
    return is_recorded and is_clean and not behind(home)


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
            resource["hash"] == f"sha256:{sha256_of(folder / resource['path'])}"
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
