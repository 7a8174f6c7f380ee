"""What changed from generation to generation, as `mart_changes` has it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from accelmart.errors import QueryError, QuestionError
from accelmart.generation import is_generation_id
from accelmart.published import Database, Row, Table, reading


class Kind(StrEnum):
    """Kinds of change; the words of `mart_changes`."""

    new_result = "new_result"
    withdrawn_result = "withdrawn_result"
    corrected_result = "corrected_result"
    new_price = "new_price"
    ended_price = "ended_price"
    changed_price = "changed_price"
    moved_best = "moved_best"
    moved_figure = "moved_figure"
    new_source = "new_source"
    vanished_source = "vanished_source"


@dataclass(frozen=True)
class Changes:
    """Rows of `mart_changes`, the newest and largest first.

    Args:
        table: the rows.
        summary: counts by kind in a sentence.
    """

    table: Table
    summary: str


def find_changes(*, since: str = "", kinds: Sequence[str] = (), database: Database = None) -> Changes:
    """Read the change log of the published generation.

    Args:
        since: a generation's id or a day; empty for what changed with the published generation.
        kinds: kinds of change; empty is all.
        database: file, folder or URL of the warehouse, or one that is open; None is the published one.

    Raises:
        QuestionError: `since` is neither a generation's id nor a day.
        NotPublishedError: there is no warehouse file.
    """
    with reading(database) as reader:
        published = reader.one("select generation_id, previous_generation_id, built_at from ops_generation")
        condition, parameters, after = _since(since, published)
        table = reader.table(
            f"""
            select * from mart_changes
            where {condition} and (len($kinds) = 0 or list_contains($kinds, kind))
            order by changed_at desc, kind, abs(change_pct) desc nulls last, relation, figure, subject
            """,  # noqa: S608
            {**parameters, "kinds": list(kinds)},
        )
    if not since and published["previous_generation_id"] is None:
        return Changes(
            table,
            f"{published['generation_id']} is a first generation: there is nothing to compare it with.",
        )
    place = table.columns.index("kind")
    counts = {k.value: sum(row[place] == k.value for row in table.rows) for k in Kind}
    counted = ", ".join(f"{n} {name}" for name, n in counts.items() if n)
    return Changes(table, f"Changes {after}: {counted or 'none'}")


def _since(since: str, published: Row) -> tuple[str, Row, str]:
    """Return a condition on `mart_changes`, its parameters, and the same in words."""
    if not since:
        generation, built_at = published["generation_id"], published["built_at"]
        if not isinstance(built_at, datetime):
            raise QueryError(f"the file does not state when it was built: {str(built_at)[:40]!r}")
        words = (
            f"between {published['previous_generation_id']} and {generation} "
            f"({built_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC)"
        )
        return "generation_id = $generation", {"generation": generation}, words
    if is_generation_id(since):
        # an id begins with the time of its build, so one without changes has its place in the order too
        return "generation_id > $generation", {"generation": since}, f"after generation {since}"
    try:
        moment = datetime.fromisoformat(since)
    except ValueError as e:
        raise QuestionError(
            f"--since {since!r} is neither a generation's id (accelmart status lists them) nor a day such as 2026-11-21"
        ) from e
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return "changed_at >= $moment", {"moment": moment}, f"since {moment:%Y-%m-%d %H:%M} UTC"
