"""What `accelmart estimate` prints: figures first, then what they rest on."""

from __future__ import annotations

from typing import Any

from accelmart.cli.output import print_table, say, say_all, say_wrapped
from accelmart.estimate import Estimate
from accelmart.published import Table
from accelmart.tables import console, draw


def show_estimate(done: Estimate, asked: dict[str, Any], limit: int) -> bool:
    """Print an estimate; return whether it has a figure."""
    out = console()
    apart = [("measured apart", row) for row in done.apart]
    reason = done.figures.get("reason")
    for title, values in (("estimated", done.figures), ("assumed", done.inputs), *apart):
        known = [(name, _figure(v)) for name, v in values.items() if v is not None and v is not reason]
        unknown = [name for name, value in values.items() if value is None]
        out.print(draw((title, ""), known))
        if unknown:
            say_wrapped(f"unknown: {', '.join(unknown)}")
        say("")
    if reason:
        say_wrapped(f"No figure: {reason}.")
    for title, sentences in (
        ("Rests on", done.rests_on + [f"point {name}" for name in done.points] or ["no MLPerf result"]),
        ("Extrapolated", done.extrapolations or ["nothing"]),
        ("Basis", [*done.notes, *done.basis]),
    ):
        for sentence in sentences:
            say(f"{title}: {sentence}")
    return reason is None


def show_ownership(ways: Table, asked: dict[str, Any], limit: int) -> bool:
    """Print what owning and each way of renting cost, and where owning breaks even."""
    rows, names = ways.records(), ["option", "standing"]
    for figure in ("usd", "months_to_break_even", "break_even_utilisation_pct"):
        names += [figure, f"{figure}_low", f"{figure}_high"]
    header = [
        n.replace("months_to_break_even", "month").replace("break_even_utilisation_pct", "%") for n in names
    ]
    cells = [tuple("" if row[n] is None else _figure(row[n]) for n in names) for row in rows]
    print_table(Table(header, cells))
    say_all(*(f"{row['option']}: {row['basis'] or row['reason']}." for row in rows), *ways.notes)
    say_wrapped(
        "month and %: month, and % of the hours used, from when owning costs no more than that rent. No order: the "
        "ranges overlap. Formula: macro rent_or_own; every figure: --format csv or json."
    )
    return bool(rows)


def _figure(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        if value >= 1e15:
            return f"{value:.4g}"
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
