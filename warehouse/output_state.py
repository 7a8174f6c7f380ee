"""The outputs of a data root and the generation that each states: published file, exports, report, pages.

It compares ids and modification times, which takes milliseconds. `warehouse.outputs` makes those that are behind.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from accelmart.generation import as_generation_id
from ingest.core.stored_json import record_of
from warehouse.files import sha256_of
from warehouse.home import Home
from warehouse.publish import is_unchanged, publication, read_record

PUBLISHED, EXPORTS, REPORT, DOCS = "published file", "exports", "report", "docs"
METHODOLOGY, DICTIONARY, STATE = "methodology.md", "data-dictionary.md", "state.md"
EXPORTS_KEPT, DESCRIPTOR = ".exports", "datapackage.json"
_STATED = re.compile(r"^<!-- Generation: (\S+) -->$", flags=re.MULTILINE)
_HEAD_BYTES = 4096
_REPORT = re.compile(rb'<meta name="accelmart-generation" content="([^"]*)"( data-sha256="(\w*)")?>')


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
    """Return the outputs that are not those of the published generation; none if this root published nothing."""
    if not (record := read_record(home)):
        return []
    return [o for o in outputs(home) if o.generation_id != record.generation.generation_id]


def sealed(page: bytes) -> bytes:
    """Return a report that states its own SHA-256, beside its generation."""
    end = _REPORT.search(page).end() - 1  # type: ignore[union-attr]
    return page[:end] + f' data-sha256="{hashlib.sha256(page).hexdigest()}"'.encode() + page[end:]


def report_of(path: Path) -> str | None:
    """Return the generation id of a report; None if there is no report, or if it was changed.

    A report of before its hash was stated is taken for what it states.
    """
    try:
        page = path.read_bytes()
        if not (match := _REPORT.search(page, 0, _HEAD_BYTES)):
            return None
        start, end = match.span(2)
        is_whole = (
            match[2] is None or hashlib.sha256(page[:start] + page[end:]).hexdigest() == match[3].decode()
        )
        return as_generation_id(match[1].decode()) if is_whole else None
    except (OSError, ValueError):
        return None


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
        path = folder / DESCRIPTOR
        package = record_of(dict[str, Any], path.read_bytes(), path, "it is written again")
        return package["version"] == folder.name and all(
            resource["hash"] == f"sha256:{sha256_of(folder / resource['path'])}"
            for resource in package["resources"]
        )
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _stated(path: Path) -> str | None:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            match = _STATED.search(file.read(_HEAD_BYTES))
        return as_generation_id(match[1]) if match else None
    except (OSError, ValueError):
        return None
