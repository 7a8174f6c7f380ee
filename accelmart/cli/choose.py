"""`accelmart choose`: which accelerators, rented or owned, serve a model within a budget."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Annotated

import typer

from accelmart.asked import age_note
from accelmart.cli import completion
from accelmart.cli.options import (
    DayOption,
    ModelOption,
    RegionOption,
    TokensPerDayOption,
    UtilisationOption,
    count,
)
from accelmart.cli.output import LINE_WIDTH, Format, FormatOption, JsonOption, print_rows, say, visible
from accelmart.published import DEFAULT_OWNER, Row
from accelmart.words import round_of


def choose(
    model: ModelOption,
    tokens_per_day: TokensPerDayOption,
    budget: Annotated[
        float,
        typer.Option(
            parser=count,
            help="Dollars that may be paid within the months: rent, or purchase and running cost.",
        ),
    ],
    months: Annotated[float, typer.Option(help="Months of 730 hours.")] = 12,
    region: RegionOption = None,
    max_j_per_token: Annotated[
        float | None,
        typer.Option(help="Most joules per output token, with PUE, at full use: measured, else modelled."),
    ] = None,
    max_ttft_ms: Annotated[
        float | None,
        typer.Option(
            help="Longest time to first token, 99th percentile: Server and Interactive results within it."
        ),
    ] = None,
    gpus_have: Annotated[
        str | None, typer.Option(help="Accelerators one has, such as 64xH100: at their running cost.")
    ] = None,
    scenario: Annotated[
        str,
        typer.Option(help="Server, Offline or Interactive.", autocompletion=completion.mlperf_scenarios),
    ] = "Server",
    utilisation: UtilisationOption = 60,
    owner: Annotated[
        str, typer.Option(help="An ownership scenario.", autocompletion=completion.ownership_scenarios)
    ] = DEFAULT_OWNER,
    at: DayOption = None,
    limit: Annotated[int, typer.Option(help="Options of each table; 0 is all.")] = 12,
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """What serves a model within a budget, cheapest first.

    Accelerator, number, and rent or own, from measured throughput of MLPerf Inference, prices in force and the cost of
    ownership.
    """
    from accelmart.choosing import choose as run_choose
    from accelmart.ranking import region_sentence

    options = run_choose(
        model,
        tokens_per_day,
        budget,
        months,
        region=region,
        max_j_per_token=max_j_per_token,
        max_ttft_ms=max_ttft_ms,
        gpus_have=gpus_have,
        scenario=scenario,
        utilisation=utilisation,
        owner=owner,
        as_of=at.date() if at else None,
    )
    form = Format.json if as_json else form
    if form is not Format.table:
        print_rows(options, form)
        return
    if sentence := region_sentence(model, region, as_of=at.date() if at else None):
        _wrapped(sentence)
    _print(
        options.records(),
        limit,
        budget=budget,
        months=months,
        tokens_per_day=tokens_per_day,
        utilisation=utilisation,
    )


def _print(rows: list[Row], limit: int, **asked: float) -> None:
    ranked = [row for row in rows if row["rank"] is not None]
    others = [row for row in rows if row["rank"] is None]
    over_budget = [
        row["paid_usd"] for row in others if row["reason"].endswith("the budget") and ";" not in row["reason"]
    ]
    if ranked:
        _table(
            (
                "",
                "accelerator",
                "how",
                "number",
                "cost US$",
                "low to high",
                "to pay US$",
                "$/Mtok",
                "J/token",
            ),
            [_ranked_cells(row) for row in _first(ranked, limit)],
        )
        for row in _first(ranked, limit):
            if row["size_note"]:
                _wrapped(f"* {row['rank']}: {row['size_note']}")
    else:
        say("No option holds the model, keeps the limits and stays within the budget.")
        if over_budget:
            say(f"The cheapest that only exceeds the budget takes US$ {min(over_budget):,.0f}.")
    _more(ranked, limit)
    if others:
        say("\nNot recommended:")
        _table(
            ("accelerator", "how", "number", "to pay US$", "reason"),
            [
                (r["accelerator_id"], r["how"], _int(r["accelerators"]), _int(r["paid_usd"]), r["reason"])
                for r in _first(others, limit)
            ],
        )
        _more(others, limit)
    for row in _first(ranked, min(limit or 3, 3)):
        say("")
        for line in _basis(row):
            _wrapped(line)
    _closing(rows, asked)


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


def _closing(rows: list[Row], asked: dict[str, float]) -> None:
    day: date | None = rows[0]["price_as_of"] if rows else None
    oldest = min((row["oldest_price_on"] for row in rows if row["oldest_price_on"]), default=None)
    prices = age_note(day, oldest, datetime.now(UTC).date()) if day else "No price is in force."
    say("")
    _wrapped(
        f"Asked: {asked['tokens_per_day']:,.0f} output tokens a day for {asked['months']:g} months of 730 hours at "
        f"{asked['utilisation']:g} % of the measured throughput, US$ {asked['budget']:,.0f}. {prices}"
    )
    _wrapped(
        "cost: the rent, or the cost of ownership over the months; options are ranked by it. to pay: the rent, or "
        "purchase and running cost; the budget bounds it. have: running cost alone. Machines run all the time. "
        "J/token is measured where it was metered, else modelled, at full use. Derived here from MLPerf results; not "
        "verified by MLCommons. Every figure and its evidence: --format csv or json."
    )


def _first(rows: list[Row], limit: int) -> list[Row]:
    return rows[:limit] if limit else rows


def _more(rows: list[Row], limit: int) -> None:
    if limit and len(rows) > limit:
        say(f"{len(rows) - limit} more: --limit 0 shows all")


def _table(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in header:
        is_figure = title in ("number", "low to high") or title.endswith(("US$", "/Mtok", "/token"))
        table.add_column(
            title, justify="right" if is_figure else "left", no_wrap=title != "reason", overflow="fold"
        )
    for row in rows:
        table.add_row(*(Text(visible(cell)) for cell in row))
    Console(width=LINE_WIDTH).print(table)


def _wrapped(text: str) -> None:
    import textwrap

    indent = " " * (len(text) - len(text.lstrip()))
    for line in textwrap.wrap(
        text, LINE_WIDTH, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False
    ):
        say(line)


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
