"""Retention: find and remove files that are no longer needed.

Landed payloads and their manifest are always kept, so that a clean rebuild gives the same data. Removed files can be
regenerated or fetched again, or were never used.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import fsspec

from ingest.core.aside import is_left
from ingest.core.landing import Landing
from warehouse.publication.generation import (
    damaged_generations,
    kept_path,
    remove_generation,
    superseded_generations,
)
from warehouse.publication.pointer import published_here
from warehouse.storage.files import remove_path
from warehouse.storage.home import Home


@dataclass(frozen=True)
class Removable:
    """A file or folder that may be removed.

    Args:
        kind: ``quarantined payload``, ``generation``, ``killed build``, ``checkout`` or ``temporary file``.
        path: a path; a URL in a remote landing zone.
        bytes: size.
        why: reason why it may be removed.
    """

    kind: str
    path: str
    bytes: int
    why: str


def removable(home: Home, *, keep: int, quarantine: timedelta) -> list[Removable]:
    """Return everything that may be removed.

    Call it while holding `warehouse.storage.locks.exclusive`: otherwise the folder of a running build counts as killed.

    Args:
        home: the installation.
        keep: number of generations to keep.
        quarantine: age from which a quarantined payload may be removed; its manifest entry with the reason is kept.
    """
    now = datetime.now(UTC)
    return [
        *_quarantined(Landing(home.landing_url), now - quarantine),
        *_generations(home, keep),
        *_builds(home),
        *_left(home),
    ]


def remove(item: Removable) -> bool:
    """Remove a file or folder.

    Returns:
        False if it was already removed.
    """
    if "://" in item.path:
        files, path = fsspec.core.url_to_fs(item.path)
        if not files.exists(path):
            return False
        files.rm_file(path)
        return True
    place = Path(item.path)
    existed = place.exists()
    if item.kind == "generation":
        remove_generation(place)
    else:
        remove_path(place)
    return existed and not place.exists()


def _quarantined(landing: Landing, before: datetime) -> Iterator[Removable]:
    newest = {p.sha256: p for p in landing.quarantined()}  # oldest first: the last entry of a payload wins
    for payload in newest.values():
        if payload.fetched_at >= before:
            continue
        address = landing.address(payload)
        files, path = fsspec.core.url_to_fs(address)
        if files.exists(path):
            yield Removable(
                "quarantined payload",
                address,
                int(files.size(path)),
                f"{payload.source} {payload.key} of {payload.fetched_at:%Y-%m-%d} was never accepted; "
                "its manifest entry with the reason is kept",
            )


def _generations(home: Home, keep: int) -> Iterator[Removable]:
    current = published_here(home)
    published = current.generation.generation_id if current else None
    damaged = damaged_generations(home)
    for name in damaged:
        if name != published:
            path = kept_path(home, name)
            yield Removable("generation", str(path), path.stat().st_size, "damaged")
    for path in superseded_generations(home, keep, published):
        if path.stem in damaged:
            continue
        yield Removable(
            "generation", str(path), path.stat().st_size, f"older than the last {keep} generations"
        )


def _builds(home: Home) -> Iterator[Removable]:
    for folder in sorted(home.builds.glob("*")):
        yield Removable("killed build", str(folder), _size(folder), "the build ended without publishing")


def _left(home: Home) -> Iterator[Removable]:
    landing = home.local_landing
    roots = [home.root, *([landing] if landing and not landing.is_relative_to(home.root) else [])]
    files = [
        path for root in roots for path in sorted(root.rglob(".*.tmp")) if path.is_file() and is_left(path)
    ]
    for path in dict.fromkeys((*files, *left_of_fetches(home))):
        kind, size = ("checkout", _size(path)) if path.is_dir() else ("temporary file", path.stat().st_size)
        yield Removable(kind, str(path), size, "left by a killed process")


def left_of_fetches(home: Home) -> list[Path]:
    """Return the temporary files of killed fetches: of payloads and of parsed rows, and checkouts."""
    landing = home.local_landing
    names = [*home.raw.glob("*/.*.tmp"), *home.repositories.glob("checkout-*")]
    names += (landing / "tmp").glob(".*.tmp") if landing else []
    return [path for path in names if is_left(path)]


def _size(folder: Path) -> int:
    return sum(p.stat().st_size for p in folder.rglob("*") if p.is_file() and not p.is_symlink())
