"""`accelmart changes`: what changed from generation to generation."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from ingest.core.errors import AccelmartError
from orchestration.output import Format, FormatOption, JsonOption, print_rows, print_table, say

_GENERATION = re.compile(r"\d{8}T\d{6}-[0-9a-f]{6}")
# the others are evidence, for who asks for it as csv or json
_SHOWN = ("changed_at", "kind", "description", "before", "after", "change_pct", "unit", "cause")


class Kind(StrEnum):
    """What can change; the words of `mart_changes`."""

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


def changes(
    since: Annotated[
        str,
        typer.Option(
            help="A generation's id or a day (2026-11-21): all that changed after it. "
            "Default: what changed with the published generation."
        ),
    ] = "",
    kind: Annotated[list[Kind] | None, typer.Option(help="One kind; can be given several times.")] = None,
    limit: Annotated[int, typer.Option(help="Rows; 0 is all.")] = 50,
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """What changed with a generation: results, prices, best figures.

    New and withdrawn results, corrections; prices that came, went or moved; best figures that moved.
    """
    from orchestration import settings

    published = settings.home().published
    found = find_changes(published, since=since, kinds=[str(k) for k in kind or ()])
    columns, rows = found.columns, found.rows
    shown = rows[:limit] if limit else rows
    if as_json or form is not Format.table:
        print_rows(columns, shown, Format.json if as_json else form)
        return
    say(found.told)
    if not rows:
        return
    places = [columns.index(name) for name in _SHOWN]
    moments = columns.index("changed_at")
    lines = [
        tuple(f"{row[i]:%Y-%m-%d %H:%M}" if i == moments else _rounded(row[i]) for i in places)
        for row in shown
    ]
    print_table(_SHOWN, lines)
    if len(rows) > len(shown):
        say(f"{len(rows) - len(shown)} more: --limit 0 shows all")


class Found:
    """Rows of `mart_changes`, the newest and largest first, and what they are in a sentence."""

    def __init__(self, columns: list[str], rows: list[tuple[Any, ...]], told: str) -> None:
        self.columns, self.rows, self.told = columns, rows, told


def find_changes(published: Path, *, since: str, kinds: list[str]) -> Found:
    """Read the change log of the published generation.

    Args:
        published: the warehouse people read.
        since: a generation's id, a day, or empty for what changed with the published generation.
        kinds: kinds of change; empty is all.

    Raises:
        AccelmartError: `since` is neither a generation's id nor a day.
        NoWarehouseError: nothing is published.
    """
    from warehouse.query import query

    _, ((generation, previous, built_at),) = query(
        published, "select generation_id, previous_generation_id, built_at from ops_generation"
    )
    which, parameters, after = _since(since, str(generation))
    columns, rows = query(
        published,
        f"""
        select * from mart_changes
        where {which} and (len($kinds) = 0 or list_contains($kinds, kind))
        order by changed_at desc, kind, abs(change_pct) desc nulls last, relation, figure, subject
        """,  # noqa: S608
        {**parameters, "kinds": kinds},
    )
    if not since:
        after = f"between {previous} and {generation} ({built_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC)"
        if previous is None:
            return Found(
                columns, rows, f"{generation} is a first generation: there is nothing to compare it with."
            )
    place = columns.index("kind")
    counts = {k.value: sum(row[place] == k.value for row in rows) for k in Kind}
    told = ", ".join(f"{n} {name}" for name, n in counts.items() if n)
    return Found(columns, rows, f"Changes {after}: {told or 'none'}")


def _since(since: str, generation: str) -> tuple[str, dict[str, Any], str]:
    """A condition on `mart_changes`, its parameters, and the same in words."""
    if not since:
        return "generation_id = $generation", {"generation": generation}, ""
    if _GENERATION.fullmatch(since):
        # an id begins with the time it was made: one that left no change behind has its place too
        return "generation_id > $generation", {"generation": since}, f"after generation {since}"
    try:
        moment = datetime.fromisoformat(since)
    except ValueError as e:
        raise AccelmartError(
            f"--since {since!r} is neither a generation's id (accelmart status lists them) nor a day such as 2026-11-21"
        ) from e
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return "changed_at >= $moment", {"moment": moment}, f"since {moment:%Y-%m-%d %H:%M} UTC"


def _rounded(value: Any) -> Any:
    return f"{value:,.6g}" if isinstance(value, float) else value
