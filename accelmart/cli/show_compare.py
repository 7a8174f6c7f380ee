"""What `accelmart compare` and `accelmart evidence` print."""

from __future__ import annotations

from typing import Any

from accelmart.citing import Evidence
from accelmart.cli.output import print_table, say, say_all
from accelmart.published import Row, Table
from accelmart.words import round_of

_FEW_DIGITS = 4


def show_comparison(comparison: Table, asked: dict[str, Any], limit: int) -> bool:
    """Print two accelerators side by side; return whether anything is known of both."""
    records = comparison.records()
    say_all(*comparison.notes)
    if not records:
        say(f"Nothing is known of both {asked['a']} and {asked['b']}.")
        return False
    names = [records[0]["accelerator_a"], records[0]["accelerator_b"]]
    header = ["topic", "item", "unit", "round", *names, "ratio", *(f"behind {name}" for name in names)]
    print_table(Table(header, [_cells(record) for record in records]))
    notes = dict.fromkeys(r[name] for r in records for name in ("size_note_a", "size_note_b") if r[name])
    say_all(
        *(f"Some rents: {note}" for note in notes),
        "Derived here from MLPerf results and prices; not verified by MLCommons. Results and offers of each row: "
        "--format csv or json; what one rests on: accelmart evidence ID.",
    )
    return True


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


def show_evidence(basis: Evidence, asked: dict[str, Any], limit: int) -> bool:
    """Print what a figure rests on: its row, source, standing, citation."""
    say(f"{basis.kind} {basis.id}: {basis.standing}")
    say(f"Cite as: {basis.citation}")
    say(f"Licence of the source: {basis.licence or 'not stated'}")
    say("")
    print_table(Table(["column", "value"], [(n, v) for n, v in basis.record.items() if v is not None]))
    return True
