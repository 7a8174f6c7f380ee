"""What `accelmart choose` prints: options that serve a model within a budget, and why others are not recommended."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from accelmart.asked import age_note
from accelmart.cli.output import print_table, say, say_all
from accelmart.published import Row, Table
from accelmart.words import round_of

# options whose evidence is printed
_EXPLAINED = 3
_FIGURES = ("number", "cost US$", "low to high", "to pay US$", "$/Mtok", "J/token")


def show_options(options: Table, asked: dict[str, Any], limit: int) -> bool:
    """Print the options; return whether one is recommended."""
    rows = options.records()
    ranked = [row for row in rows if row["rank"] is not None]
    others = [row for row in rows if row["rank"] is None]
    if ranked:
        header = ["", "accelerator", "how", *_FIGURES]
        print_table(Table(header, [_ranked_cells(row) for row in ranked[: limit or None]]), right=_FIGURES)
        say_all(
            *(f"* {row['rank']}: {row['size_note']}" for row in ranked[: limit or None] if row["size_note"])
        )
    else:
        say("No option holds the model, keeps the limits and stays within the budget.")
        over = [
            r["paid_usd"] for r in others if r["reason"].endswith("the budget") and ";" not in r["reason"]
        ]
        if over:
            say(f"The cheapest that only exceeds the budget takes US$ {min(over):,.0f}.")
    if others:
        say("\nNot recommended:")
        cells = [
            (r["accelerator_id"], r["how"], _int(r["accelerators"]), _int(r["paid_usd"]), r["reason"])
            for r in others[: limit or None]
        ]
        print_table(Table(["accelerator", "how", "number", "to pay US$", "reason"], cells), right=_FIGURES)
    if limit and max(len(ranked), len(others)) > limit:
        say("--limit 0 shows all.")
    for row in ranked[: min(limit or _EXPLAINED, _EXPLAINED)]:
        say("")
        say_all(*_basis(row))
    say("")
    say_all(*options.notes, *_closing(rows, asked))
    return bool(ranked)


def _ranked_cells(row: Row) -> tuple[str, ...]:
    return (
        f"{row['rank']}",
        row["accelerator_id"],
        row["how"],
        _int(row["accelerators"]),
        _int(row["cost_usd"]),
        _range(row["cost_usd_low"], row["cost_usd_high"]),
        _int(row["paid_usd"]),
        _digits(row["usd_per_output_mtok"]) + (" *" if row["size_note"] else "  "),
        _digits(row["j_per_output_token"]),
    )


def _basis(row: Row) -> list[str]:
    """Return the evidence of an option and what is not known of it, a sentence each."""
    energy = [
        f"{kind} {_digits(row[f'j_per_output_token_{kind}'])} J"
        for kind in ("measured", "modelled")
        if row[f"j_per_output_token_{kind}"] is not None
    ]
    lines = [
        f"{row['rank']}. {row['accelerators']:,} x {row['accelerator_id']}, {row['how']}:",
        f"   Speed: MLPerf {round_of(row)} {row['benchmark_id']} {row['scenario']}, {row['submitter']}, "
        f"{row['result_accelerator_count']:,} x, {row['number_format']}: "
        f"{_digits(row['output_tokens_per_s_per_accelerator'])} output tokens/s each (result {row['result_id']}).",
        f"   Memory: {row['needed_memory_gb']:,.1f} GB needed, {row['machine_memory_gb']:,.1f} GB in a machine of "
        f"{row['machine_accelerators']:,}.",
    ]
    if row["how"] == "rent":
        level = row["n_sellers_of_level"]
        basis = f"price level of {level}" if level else f"median of {row['n_sellers']}"
        cheapest = f"US$ {row['cost_usd_cheapest']:,.0f} at {row['cheapest_provider']}"
        lines.append(
            f"   Price: {basis} on-demand seller{'' if (level or row['n_sellers']) == 1 else 's'}, US$ "
            f"{row['usd_per_accelerator_hour']:.2f} an hour; sellers of a machine that holds the model: "
            f"{row['sellers']}; cheapest {cheapest} (offer {row['cheapest_offer_id']})."
        )
    else:
        paid = f"purchase US$ {row['purchase_usd']:,.0f}, " if row["how"] == "own" else ""
        share = f" and a capital share of US$ {row['capital_usd']:,.0f}" if row["how"] == "own" else ""
        lines.append(
            f"   Ownership: {row['owner_scenario_id']}, capital: {row['capex_basis'].replace('_', ' ')} "
            f"as of {row['price_level'] or 'your own figures'}; {paid}running US$ {row['running_usd']:,.0f}{share}."
        )
    if energy:
        lines.append(
            f"   Energy per output token with PUE {row['pue']:g} ({row['pue_basis']}): {', '.join(energy)}; the "
            f"{row['energy_basis']} value counts."
        )
    lines.append(f"   Not known or uncertain: {row['unknown'] or 'nothing further'}.")
    return lines


def _closing(rows: list[Row], asked: dict[str, Any]) -> list[str]:
    day: date | None = rows[0]["price_as_of"] if rows else None
    oldest = min((row["oldest_price_on"] for row in rows if row["oldest_price_on"]), default=None)
    prices = age_note(day, oldest, datetime.now(UTC).date()) if day else "No price is current."
    return [
        f"Asked: {asked['tokens_per_day']:,.0f} output tokens a day for {asked['months']:g} months of 730 hours at "
        f"{asked['utilisation']:g} % of the measured throughput, US$ {asked['budget']:,.0f}. {prices}",
        "cost: the rent, or the cost of ownership over the months; options are ranked by it. to pay: the rent, or "
        "purchase and running cost; the budget bounds it. have: running cost alone. Machines run all the time. "
        "J/token is measured where it was metered, else modelled, at full use. Derived here from MLPerf results; not "
        "verified by MLCommons. Every figure and its evidence: --format csv or json.",
    ]


def _int(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}"


def _range(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{_short(low)} to {_short(high)}"


def _short(value: float) -> str:
    for size, letter in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"


def _digits(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
