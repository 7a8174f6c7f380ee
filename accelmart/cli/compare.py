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
)
from accelmart.published import Row, Table
from accelmart.words import round_of

# what a terminal shows of a row; csv and json have all columns
_FEW_DIGITS = 4

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

    What both have. Inference: the best available result of each, of any round; beside its ratio, where it differs by
    more than 10 %, that of the medians in the newest round with both. csv and json name the results and offers.
    """
    from accelmart.comparing import compare as run_compare

    table = run_compare(a, b)
    if as_json or form is not Format.table:
        print_rows(table, Format.json if as_json else form)
        return
    records = table.records()
    names = [records[0]["accelerator_a"], records[0]["accelerator_b"]] if records else [a, b]
    header = ["topic", "item", "unit", "round", *names, "ratio", *(f"behind {name}" for name in names)]
    print_table(Table(header, [_cells(record) for record in records]))
    notes = [row[table.columns.index(name)] for row in table.rows for name in ("size_note_a", "size_note_b")]
    for note in dict.fromkeys(filter(None, notes)):
        say_wrapped(f"Some rents: {note}")
    say_wrapped(
        "Derived here from MLPerf results and prices; not verified by MLCommons. Results and offers of each row: "
        "--format csv or json; what one rests on: accelmart evidence ID."
    )


def _cells(record: Row) -> tuple[object, ...]:
    values = [_ranged(record[f"value_{x}"], record[f"low_{x}"], record[f"high_{x}"]) for x in "ab"]
    ratio = _ranged(record["a_to_b"], record["a_to_b_low"], record["a_to_b_high"])
    if record["medians_note"]:
        ratio = f"{ratio}; {record['medians_note']}"
    rounds = " / ".join(dict.fromkeys(r for r in (record["release_a"], record["release_b"]) if r))
    where = (record["topic"], record["item"], record["unit"], round_of({**record, "release": rounds}))
    return (*where, *values, ratio, record["detail_a"], record["detail_b"])


def _ranged(value: float | None, low: float | None, high: float | None) -> str | None:
    if value is None:
        return None
    digits = [
        f"{x:.{_FEW_DIGITS}g}" if abs(x) < 10**_FEW_DIGITS else f"{x:.0f}"
        for x in (value, low, high)
        if x is not None
    ]
    return f"{digits[0]} ({digits[1]} to {digits[2]})" if len(digits) == 3 else digits[0]


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
