"""`accelmart changes`: what changed from generation to generation."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from accelmart.changes import Kind
from accelmart.cli.output import Format, FormatOption, JsonOption, print_rows, print_table, say
from accelmart.published import Table

# Columns that a terminal shows; csv and json have all.
_SHOWN = ("changed_at", "kind", "description", "before", "after", "change_pct", "unit", "cause")


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

    New and withdrawn results, corrections; new, withdrawn and changed prices; changed best figures.
    """
    from accelmart.changes import find_changes

    result = find_changes(since=since, kinds=[str(k) for k in kind or ()])
    columns, rows = result.table.columns, result.table.rows
    shown = rows[: limit or None]
    if as_json or form is not Format.table:
        print_rows(Table(columns, shown), Format.json if as_json else form)
        return
    say(result.summary)
    if not rows:
        return
    places = [columns.index(name) for name in _SHOWN]
    moments = columns.index("changed_at")
    lines = [
        tuple(f"{row[i]:%Y-%m-%d %H:%M}" if i == moments else _rounded(row[i]) for i in places)
        for row in shown
    ]
    print_table(Table(list(_SHOWN), lines))
    if len(rows) > len(shown):
        say(f"{len(rows) - len(shown)} more: --limit 0 shows all")


def _rounded(value: Any) -> Any:
    return f"{value:,.6g}" if isinstance(value, float) else value
