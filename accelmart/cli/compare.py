"""`accelmart compare`: two accelerators side by side; `accelmart evidence`: what a figure rests on."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from accelmart.cli import completion
from accelmart.cli.output import (
    Format,
    FormatOption,
    JsonOption,
    print_json,
    print_rows,
    print_table,
    say,
    say_wrapped,
    with_rounds,
)
from accelmart.published import Table

# Columns that a terminal shows; csv and json have all.
_SHOWN = ("topic", "item", "unit", "release", "value_a", "value_b", "a_to_b")

_Accelerator = Annotated[
    str,
    typer.Argument(
        help="Key of dim_accelerator or a usual name, such as H100.", autocompletion=completion.accelerators
    ),
]


def compare(
    a: _Accelerator, b: _Accelerator, form: FormatOption = Format.table, as_json: JsonOption = False
) -> None:
    """Two accelerators side by side: speed, cost, energy.

    What both have, in the latest round in which both stand. csv and json name the results and offers.
    """
    from accelmart.comparing import compare as run_compare

    table = run_compare(a, b)
    if as_json or form is not Format.table:
        print_rows(table, Format.json if as_json else form)
        return
    table = with_rounds(table)
    places = [table.columns.index(name) for name in _SHOWN]
    print_table(Table(list(_SHOWN), [tuple(row[p] for p in places) for row in table.rows]))
    notes = [row[table.columns.index(name)] for row in table.rows for name in ("size_note_a", "size_note_b")]
    for note in dict.fromkeys(filter(None, notes)):
        say_wrapped(f"Some rents: {note}")
    say_wrapped(
        "Derived here from MLPerf results and prices; not verified by MLCommons. Results and offers of each row: "
        "--format csv or json; what one rests on: accelmart evidence ID."
    )


def evidence(
    id_: Annotated[
        str, typer.Argument(metavar="ID", help="result_id, offer_id or claim_id of a row or an estimate.")
    ],
    as_json: JsonOption = False,
) -> None:
    """What a figure rests on: its row, source, standing, citation."""
    from accelmart.citing import evidence as find_evidence

    basis = find_evidence(id_)
    if as_json:
        print_json(asdict(basis))
        return
    say(f"{basis.kind} {basis.id}: {basis.standing}")
    say(f"Cite as: {basis.citation}")
    say(f"Licence of the source: {basis.licence or 'not stated'}")
    say("")
    print_table(Table(["column", "value"], [(n, v) for n, v in basis.record.items() if v is not None]))
