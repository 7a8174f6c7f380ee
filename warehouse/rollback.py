"""Publish an earlier generation again, and pin or unpin what is published."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ingest.core.errors import AccelmartError
from warehouse.home import Home
from warehouse.publish import (
    Generation,
    Publication,
    as_kept,
    damaged_generations,
    generations,
    is_intact,
    keep_published,
    make_read_only,
    place,
    publication,
    read_record,
    record_earlier,
    write_publication,
)


class NothingToRollBackToError(AccelmartError):
    """The generation to roll back to does not exist or is damaged."""


@dataclass(frozen=True)
class RolledBack:
    """Result of a rollback.

    Args:
        generation: the generation published again.
        is_pinned: whether it is pinned.
        damaged: ids of generations that were skipped because they are damaged.
    """

    generation: Generation
    is_pinned: bool
    damaged: list[str]


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
    stored = read_record(home)
    if stored is None:
        record_earlier(home)
        stored = read_record(home)
    current = str(stored["generation_id"]) if stored is not None else None
    if to is not None and to == current:
        keep_published(home, is_read=True)  # either copy of it may be undamaged
    kept = generations(home)
    if current is None and not kept and not home.published.exists():
        publication(home)  # raises
    candidates = [
        g
        for g in reversed(kept)
        if (g.generation_id == to if to is not None else current is None or g.generation_id < current)
    ]
    damaged = [name for name in damaged_generations(home) if to is None or name == to]
    chosen = None
    for candidate in candidates:
        of_file = candidate if candidate.sha256 else as_kept(home, candidate, candidate.path)
        if is_intact(of_file.path, of_file):
            chosen = of_file
            break
        damaged.append(candidate.generation_id)
    if chosen is None:
        raise _nothing_to_roll_back_to(to, current, kept, damaged)
    is_pinned = pin or bool(stored and stored.get("is_pinned"))
    make_read_only(chosen.path, chosen)
    write_publication(home, chosen, is_pinned=is_pinned)
    place(home, chosen)
    return RolledBack(replace(chosen, path=home.published), is_pinned, sorted(damaged))


def _nothing_to_roll_back_to(
    to: str | None, current: str | None, kept: list[Generation], damaged: list[str]
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


def unpin(home: Home) -> Publication:
    """End the pin of the published generation.

    Raises:
        NoWarehouseError: nothing is published.
    """
    current = publication(home)
    if current.is_recorded:
        write_publication(home, current.generation)
    return replace(current, is_pinned=False)
