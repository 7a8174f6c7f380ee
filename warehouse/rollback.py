"""Publish an earlier generation again, and pin or unpin what is published."""

from __future__ import annotations

from dataclasses import dataclass, replace

from accelmart.generation import GenerationId
from ingest.core.errors import AccelmartError
from warehouse.home import Home
from warehouse.publish import (
    Generation,
    Publication,
    damaged_generations,
    generations,
    keep_published,
    publication,
    publish_kept,
    read_record,
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
    damaged: list[GenerationId]


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
    record = read_record(home)
    if record is None or to == record.generation.generation_id:
        keep_published(home, is_read=True)  # either copy of it may be undamaged
        record = read_record(home)
    current = record.generation.generation_id if record else None
    kept = generations(home)
    if not kept and not home.published.exists():
        publication(home)  # raises
    damaged = [name for name in damaged_generations(home, is_read=True) if to is None or name == to]
    candidates = [
        g
        for g in kept
        if g.generation_id not in damaged
        and (g.generation_id == to if to else current is None or g.generation_id < current)
    ]
    if not candidates:
        raise _nothing_to_roll_back_to(to, current, kept, damaged)
    chosen = candidates[-1]
    is_pinned = pin or bool(record and record.is_pinned)
    publish_kept(home, chosen, is_pinned=is_pinned)
    return RolledBack(replace(chosen, path=home.published), is_pinned, damaged)


def _nothing_to_roll_back_to(
    to: str | None, current: str | None, kept: list[Generation], damaged: list[GenerationId]
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
    if current.is_pinned:
        write_publication(home, current.generation)
    return replace(current, is_pinned=False)
