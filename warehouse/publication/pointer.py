"""What is published: the pointer ``published.json`` names a kept generation; replacing it is the publication.

The published file is a copy of that generation with its own inode, so that a program that writes to the published file
leaves the generation unchanged. `repair_published` finishes an interrupted publication and replaces a damaged file.

DuckDB allows one writing process. A second `connect` in a process that still has the old file open returns the old
database: long-running readers must close it first, or open a generation by its own path.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from accelmart.generation import GenerationId
from accelmart.opening import open_file
from ingest.core.errors import AccelmartError
from warehouse.publication.generation import (
    Generation,
    NotPublishableError,
    NoWarehouseError,
    Publication,
    as_kept,
    damaged_generations,
    generations,
    is_intact,
    read_generation,
    read_record,
    record_path,
    remove_generation,
    sha256_if_readable,
    superseded_generations,
    written_record,
)
from warehouse.storage.files import remove_write_permission, sync_path, written_whole
from warehouse.storage.home import GENERATIONS_TO_KEEP, Home

log = logging.getLogger(__name__)


class PinnedError(AccelmartError):
    """The published generation is pinned: nothing else may be published."""


class NothingToRollBackToError(AccelmartError):
    """The generation to roll back to does not exist or is damaged."""


@dataclass(frozen=True)
class RolledBack(Publication):
    """Result of a rollback or of `unpin`.

    Args:
        damaged: ids of generations that were skipped because they are damaged.
    """

    damaged: tuple[GenerationId, ...] = ()


# --- reading -----------------------------------------------------------------------------------------------------


def published_here(home: Home) -> Publication | None:
    """Return what a build of this root published; None if nothing, or if the pointer is lost or damaged."""
    return read_record(home, home.publication)


def publication(home: Home) -> Publication:
    """Return what readers see: what a build of this root published, or a copy that was downloaded.

    Raises:
        NoWarehouseError: nothing is published, or the copy cannot be read.
    """
    return published_here(home) or Publication(read_generation(home.published))


def own_publication(home: Home) -> Publication:
    """Return what a build of this root published.

    Raises:
        NoWarehouseError: nothing; the published file may be a copy that was downloaded, which is for readers alone.
    """
    if published := published_here(home):
        return published
    raise NoWarehouseError(
        f"{home.root} has no build of its own"
        + (f": {home.published.name} in it is a downloaded copy" if home.published.exists() else "")
        + ". To make one: `make warehouse` or `accelmart build`"
    )


def predecessor(home: Home) -> Generation | None:
    """Return the generation that the next build is compared with: the published one, from its kept file."""
    published = published_here(home)
    return published.generation if published else None


def refuse_if_pinned(home: Home) -> None:
    """Raise PinnedError if the published generation is pinned."""
    published = published_here(home)
    if published and published.is_pinned:
        raise PinnedError(
            f"generation {published.generation.generation_id} is pinned: nothing else is built or published. "
            "To end that: accelmart rollback --unpin"
        )


# --- publication -------------------------------------------------------------------------------------------------


def publish(
    build: Path,
    home: Home,
    *,
    keep: int = GENERATIONS_TO_KEEP,
    before: Callable[[Generation], None] = lambda generation: None,
) -> Generation:
    """Keep an audited, closed build as a generation and publish it. The caller holds the lock of builds.

    Args:
        build: the new file; it is moved.
        home: the installation.
        keep: how many generations stay, at least 1.
        before: called with the kept generation before it is published: writes what belongs to the generation.

    Raises:
        PinnedError: the published generation is pinned.
        NotPublishableError: the file has a write-ahead log or no generation id, or it was compared with a generation
            other than the published one.
    """
    wal = build.with_name(build.name + ".wal")
    if wal.exists():
        raise NotPublishableError(
            f"{build} still has a write-ahead log: close its connections, then build again"
        )
    try:
        generation = read_generation(build)
    except NoWarehouseError as e:
        raise NotPublishableError(str(e)) from e
    repair_published(home)
    refuse_if_pinned(home)
    _check_comparison(build, home)
    kept = as_kept(home, generation, build)
    home.generations.mkdir(parents=True, exist_ok=True)
    remove_write_permission(build)
    sync_path(build)
    build.replace(kept.path)
    sync_path(home.generations)
    before(kept)
    publish_kept(home, kept)
    for old in superseded_generations(home, keep, kept.generation_id):
        remove_generation(old)
    sync_path(home.generations)
    return replace(kept, path=home.published)


def publish_kept(home: Home, generation: Generation, *, is_pinned: bool = False) -> None:
    """Publish a kept generation: write its record, replace the pointer, then the published file.

    All that needs room is written aside before: on a full disk, pointer and file stay as they were. The caller holds
    the lock of builds.

    Args:
        home: the installation.
        generation: kept, with SHA-256 and size.
        is_pinned: whether nothing else may be published until the pin is removed.
    """
    with (
        _copied(generation.path, home.published),
        written_record(home.publication, generation, is_pinned=is_pinned),
        written_record(record_path(generation), generation),
    ):
        pass
    _log_of(home).unlink(missing_ok=True)


@contextmanager
def _copied(source: Path, target: Path) -> Iterator[None]:
    """Copy a file aside; at the end of the block the copy, which is read-only, replaces the target."""
    with written_whole(target, is_read_only=True) as temporary:
        shutil.copyfile(source, temporary)
        sync_path(temporary)
        yield


def _log_of(home: Home) -> Path:
    """Return the write-ahead log beside the published file; DuckDB would apply it to the file that takes its place."""
    return home.published.with_name(home.published.name + ".wal")


def _check_comparison(build: Path, home: Home) -> None:
    """Raise NotPublishableError unless the build was compared with its predecessor."""
    current = predecessor(home)
    if current is None:
        return  # there is nothing to compare with
    with open_file(build) as db:
        row = db.execute("select previous_generation_id from ops_generation").fetchone()
    if row != (current.generation_id,):
        raise NotPublishableError(
            f"{build} was compared with generation {row[0] if row else None}, but {current.generation_id} was "
            "published meanwhile: build again"
        )


# --- rollback ----------------------------------------------------------------------------------------------------


def rollback(home: Home, to: str | None = None, *, pin: bool = False) -> RolledBack:
    """Publish an earlier generation again. What is replaced is not opened.

    Args:
        home: the installation.
        to: id of the generation; None is the newest undamaged one before the published one.
        pin: keep it published until `unpin`; a pin that is set stays.

    Raises:
        NoWarehouseError: nothing was ever published.
        NothingToRollBackToError: no such generation exists, or it is damaged; the message lists those that are not.
    """
    published = published_here(home)
    if published is None or to == published.generation.generation_id:
        repair_published(home)  # either copy of it may be undamaged
        published = published_here(home)
    current = published.generation.generation_id if published else None
    kept = generations(home)
    if not kept and not home.published.exists():
        publication(home)  # raises
    damaged = tuple(name for name in damaged_generations(home) if to is None or name == to)
    candidates = [
        g
        for g in kept
        if g.generation_id not in damaged
        and (g.generation_id == to if to else current is None or g.generation_id < current)
    ]
    if not candidates:
        raise _nothing_to_roll_back_to(to, current, kept, damaged)
    chosen = candidates[-1]
    is_pinned = pin or bool(published and published.is_pinned)
    publish_kept(home, chosen, is_pinned=is_pinned)
    return RolledBack(replace(chosen, path=home.published), is_pinned, damaged)


def _nothing_to_roll_back_to(
    to: str | None, current: str | None, kept: list[Generation], damaged: tuple[GenerationId, ...]
) -> NothingToRollBackToError:
    undamaged = ", ".join(g.generation_id for g in kept if g.generation_id not in damaged) or "none"
    if to is not None and to in damaged:
        problem = f"generation {to} is damaged"
    elif to is not None:
        problem = f"there is no generation {to}"
    elif damaged:
        problem = f"the earlier generations are damaged: {', '.join(sorted(damaged))}"
    elif current is not None:
        problem = f"{current} is the oldest generation kept"
    else:
        problem = "no generation is kept"
    return NothingToRollBackToError(
        f"{problem}. Undamaged: {undamaged}. To make a new generation: accelmart build --force"
    )


def unpin(home: Home) -> RolledBack:
    """End the pin of the published generation.

    Raises:
        NoWarehouseError: nothing is published.
    """
    current = publication(home)
    if current.is_pinned:
        with written_record(home.publication, current.generation):
            pass
    return RolledBack(current.generation)


# --- repair ------------------------------------------------------------------------------------------------------


def repair_published(home: Home) -> None:
    """Make the published file and its kept generation equal again, whichever of them is undamaged.

    If both are damaged, or the pointer is lost, the pointer is written again: it names the generation whose file is
    published, or the newest undamaged one. A root without one has built nothing: its published file is a copy for
    readers, and stays as it is. The caller holds `warehouse.storage.locks.exclusive`.
    """
    stated, published = published_here(home), sha256_if_readable(home.published)
    generation = _undamaged(home, stated.generation, published) if stated else None
    if generation is None:
        undamaged = [g for g in generations(home) if is_intact(g.path, g)]
        if not undamaged:
            return
        generation = next((g for g in undamaged if g.sha256 == published), undamaged[-1])
    if not is_intact(generation.path, generation):
        with _copied(home.published, generation.path):
            pass
    record = read_record(home, record_path(generation))
    if record is None or record.generation != generation:
        with written_record(record_path(generation), generation):
            pass
    if stated is None or stated.generation != generation:
        log.warning(
            "%s or its generation was damaged: it names %s now", home.publication, generation.generation_id
        )
        with written_record(home.publication, generation, is_pinned=bool(stated and stated.is_pinned)):
            pass
    if published != generation.sha256 or _log_of(home).exists():
        with _copied(generation.path, home.published):
            pass
        _log_of(home).unlink(missing_ok=True)
    for file in (generation.path, home.published):
        remove_write_permission(file)


def _undamaged(home: Home, stated: Generation, published: str | None) -> Generation | None:
    """Return the published generation if its kept or its published file is undamaged; otherwise remove it.

    Args:
        home: the installation.
        stated: as the pointer states it. Where its record differs, the one that a file agrees with is right.
        published: SHA-256 of the published file; None if there is none.
    """
    record = read_record(home, record_path(stated))
    for generation in (record.generation if record else stated, stated):
        is_same = generation.path == stated.path
        if is_same and (published == generation.sha256 or is_intact(generation.path, generation)):
            return generation
    remove_generation(stated.path)
    return None
