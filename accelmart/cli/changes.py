"""`accelmart changes`: what changed from generation to generation."""

from __future__ import annotations

from typing import Annotated

import typer

from accelmart.changes import Kind
from accelmart.cli.describe import Answered, Description, Part, show
from accelmart.cli.output import AllRows, Explain, Format, FormatOption, JsonOption, print_rows
from accelmart.published import reading

_SHORT = Description(
    sentence="{summary}",
    refusal="{summary}",
    columns={
        "changed": "{changed_at:%Y-%m-%d %H:%M}",
        "what": "{description}",
        "kind": "{kind:words}",
        "before": "{before}",
        "after": "{after}",
        "change": "{change_pct:+.3g} %",
    },
    parts=(
        Part(
            {
                name: name
                for name in (
                    "changed_at",
                    "kind",
                    "description",
                    "before",
                    "after",
                    "change_pct",
                    "unit",
                    "cause",
                )
            }
        ),
    ),
)


def changes(
    since: Annotated[
        str,
        typer.Option(
            help="A generation's id or a day (2026-11-21): all that changed after it. "
            "Default: what changed with the published generation."
        ),
    ] = "",
    kind: Annotated[list[Kind] | None, typer.Option(help="One kind; can be given several times.")] = None,
    explain: Explain = False,
    every_row: AllRows = False,
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """What changed with a generation: results, prices, best figures.

    New and withdrawn results, corrections; new, withdrawn and changed prices; changed best figures.
    """
    from accelmart.changes import find_changes

    with reading() as reader:
        result = find_changes(since=since, kinds=[str(k) for k in kind or ()], database=reader)
        if as_json or form is not Format.table:
            print_rows(result.table, Format.json if as_json else form)
            return
        answer = Answered(result.table.records(), (), {"summary": result.summary}, reader)
        show(_SHORT, answer, explain=explain, every_row=every_row)
