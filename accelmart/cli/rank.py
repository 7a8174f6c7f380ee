"""`accelmart rank`: what a million output tokens cost."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime
from typing import Annotated, Any

import typer

from accelmart.asked import age_note, oldest_price
from accelmart.cli import completion
from accelmart.cli.options import DayOption, ModelOption, RegionOption
from accelmart.cli.output import (
    Format,
    FormatOption,
    JsonOption,
    print_rows,
    print_table,
    say,
    say_wrapped,
    with_rounds,
)
from accelmart.errors import QuestionError
from accelmart.published import Row, Table
from accelmart.words import round_of

# Columns that a terminal shows, and their headings; csv and json have all.
_HEADLINE_COLUMNS = {
    "accelerator_id": "accelerator",
    "release": "round",
    "number_format": "format",
    "usd_per_output_mtok_at_level": "$/Mtok",
    "usd_per_output_mtok_at_level_low": "low",
    "usd_per_output_mtok_at_level_high": "high",
    "n_sellers_of_level": "n",
    "usd_per_output_mtok_cheapest": "cheapest",
    "same_seller_ratio": "same",
    "n_same_sellers": "n",
    "usd_per_output_mtok_median": "median",
    "n_sellers": "n",
    "size_note": "note",
}
_OFFER_COLUMNS = {
    "usd_per_output_mtok": "$/Mtok",
    "size_note": "note",
    "accelerator_id": "accelerator",
    "provider": "seller",
    "pricing_model": "pricing",
    "usd_per_accelerator_hour": "$/hour",
    "region": "region",
    "fit": "fits",
}
_CARBON_COLUMNS = {
    "carbon_rank": "rank",
    "kg_co2e_per_output_mtok": "kg CO2e/Mtok",
    "kg_co2e_per_output_mtok_low": "low",
    "kg_co2e_per_output_mtok_high": "high",
    "usd_per_output_mtok": "$/Mtok",
    "extra_cost_pct": "extra %",
    "size_note": "note",
    "accelerator_id": "accelerator",
    "provider": "seller",
    "pricing_model": "pricing",
    "region": "region",
    "grid_level": "grid of",
    "grid_year": "grid year",
}


def rank(
    model: ModelOption,
    scenario: Annotated[
        str,
        typer.Option(help="Offline, Server or Interactive.", autocompletion=completion.mlperf_scenarios),
    ] = "Server",
    pricing: Annotated[
        str,
        typer.Option(
            help="on_demand, spot, reserved_1y, reserved_3y, capacity_block, marketplace; or all.",
            autocompletion=completion.pricing_models,
        ),
    ] = "on_demand",
    provider: Annotated[
        str | None,
        typer.Option(help="One seller, such as aws or amazon.", autocompletion=completion.providers),
    ] = None,
    region: RegionOption = None,
    release: Annotated[
        str | None,
        typer.Option(
            help="An MLPerf round; default: each accelerator's best available result of any.",
            autocompletion=completion.releases,
        ),
    ] = None,
    max_j_per_token: Annotated[
        float | None, typer.Option(help="Most joules per output token, with PUE: measured, else modelled.")
    ] = None,
    at: DayOption = None,
    carbon: Annotated[
        bool, typer.Option("--carbon", help="Lowest carbon first, among offers of nearly the lowest cost.")
    ] = False,
    max_extra_cost: Annotated[
        float | None,
        typer.Option(
            help="With --carbon: how many per cent an offer may cost above the cheapest one of a known grid. "
            "Default: 10."
        ),
    ] = None,
    limit: Annotated[int, typer.Option(help="Offers; 0 is all.")] = 20,
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """What a million output tokens cost, cheapest first.

    Measured throughput of MLPerf Inference and the prices in force: first each accelerator at its price level, then the
    cheapest offer of each seller. With --carbon, kg CO2e of the electricity of a million output
    tokens, lowest first. csv and json have the offers, with their evidence.
    """
    from accelmart.ranking import rank as run_rank
    from accelmart.ranking import rank_by_carbon, region_sentence

    day = at.date() if at else None
    narrowed: dict[str, Any] = {"pricing": pricing, "provider": provider, "region": region}
    narrowed |= {"release": release, "as_of": day}
    if max_extra_cost is not None and not carbon:
        raise QuestionError("--max-extra-cost is an option of --carbon: add --carbon")
    if max_j_per_token is not None and carbon:
        raise QuestionError("--max-j-per-token is no option of --carbon: leave one of them out")
    if carbon:
        extra = 10.0 if max_extra_cost is None else max_extra_cost
        offers = rank_by_carbon(model, scenario, max_extra_cost_pct=extra, **narrowed)
    else:
        offers = run_rank(model, scenario, max_j_per_token=max_j_per_token, **narrowed)
    form = Format.json if as_json else form
    if form is not Format.table:
        print_rows(Table(offers.columns, offers.rows[: limit or None]), form)
        return
    _print_price_days(offers, "carbon_rank_reason" if carbon else "rank_reason")
    if sentence := region_sentence(model, region, pricing=pricing, as_of=day):
        say_wrapped(sentence)
    if carbon:
        _print_by_carbon(offers, extra, limit)
        return
    if provider is None and region is None and max_j_per_token is None:
        _print_levels(model, scenario, None if pricing == "all" else pricing, release, day)
    _print_by_cost(offers, pricing, limit)


def _print_by_cost(offers: Table, pricing: str, limit: int) -> None:
    """Print the cheapest offers, how many more there are or do not rank, and what the figures are."""
    reason = offers.columns.index("rank_reason")
    ranked = Table(offers.columns, [row for row in offers.rows if row[reason] is None])
    if ranked.rows:
        say(f"\nCheapest offer of each seller, {'every pricing model' if pricing == 'all' else pricing}:")
        _print(Table(ranked.columns, ranked.rows[: limit or None]), _OFFER_COLUMNS)
        if limit and len(ranked) > limit:
            say(f"{len(ranked) - limit} more: --limit 0 shows all")
    else:
        say("\nNo offer can be ranked.")
    _print_unranked(offers, "rank_reason")
    if pricing != "all":
        say("Other pricing models: --pricing spot, reserved_1y, ... or all.")
    say_wrapped(
        "A price seen on a day is no quote of today. MLPerf results are MLCommons'; dollars per token are derived "
        "here, at full use, and not verified by MLCommons. Submissions, offers and exact figures: --format csv or json."
    )


def _print_by_carbon(offers: Table, extra: float, limit: int) -> None:
    """Print the offers that rank by carbon, how many do not and why, and what the figures are.

    Args:
        offers: rows of carbon_per_mtok.
        extra: how many per cent an offer may cost above the cheapest one of a known grid.
        limit: offers to print; 0 is all.
    """
    rank = offers.columns.index("carbon_rank")
    ranked = Table(offers.columns, [row for row in offers.rows if row[rank] is not None])
    if ranked.rows:
        say("")
        say_wrapped(
            f"Lowest carbon first, among the offers that cost at most {extra:g} % more than the cheapest one of a "
            f"known grid (${min(r['usd_per_output_mtok'] for r in ranked.records()):.4g}/Mtok):"
        )
        _print(Table(ranked.columns, ranked.rows[: limit or None]), _CARBON_COLUMNS)
        if limit and len(ranked) > limit:
            say(f"{len(ranked) - limit} more: --limit 0 shows all")
    else:
        say("No offer ranks by carbon.")
    _print_unranked(offers, "carbon_rank_reason")
    say_wrapped(
        "Carbon is that of the modelled electricity of the machines with PUE, on the average grid of a year: not what "
        "one more kilowatt-hour emits, nor the making of the hardware. The year of the grid is not that of the price. "
        "Low and high are those of the energy and of the figures for the grid. Derived here, not verified by MLCommons."
    )


def _print_unranked(offers: Table, column: str) -> None:
    """Print how many offers have each reason not to rank, and their lowest cost."""
    for reason, number in Counter(r[column] for r in offers.records() if r[column]).most_common():
        costs = [r["usd_per_output_mtok"] for r in offers.records() if r[column] == reason]
        say_wrapped(
            f"not ranked: {number} offer{'s' if number > 1 else ''}, from ${min(costs):.4g}/Mtok: {reason}"
        )


def _print_levels(
    model: str, scenario: str, pricing: str | None, release: str | None, day: date | None
) -> None:
    """Print the cost of each accelerator at its price level, and why an accelerator has none."""
    from accelmart.ranking import headlines

    levels = headlines(model, scenario, pricing=pricing, release=release, as_of=day)
    say("")
    say_wrapped(
        f"{pricing or 'on_demand'}, at the price level of each accelerator (what an average neocloud would ask), "
        "with low and high of that level and its n sellers. Ranges that overlap give no order. same: cost of a token "
        "against the first line at the n sellers of both. cheapest and median: of the n sellers with a recent price "
        "of a machine that holds the model."
    )
    shown = [
        row
        for row, record in zip(levels.rows, levels.records(), strict=True)
        if record["usd_per_output_mtok_at_level"] is not None or record["n_sellers"]
    ]
    _print(Table(levels.columns, shown), _HEADLINE_COLUMNS)
    for record in levels.records():
        _print_beside(record)
        if moved := record["level_moved_since_oldest_pct"]:
            say_wrapped(
                f"prices of {record['accelerator_id']} moved by {moved:+.0f} % since the oldest in its level"
            )
        if record["rests_on_one_seller"]:
            say_wrapped(f"the level of {record['accelerator_id']} rests on one seller")
        if record["level_reason"] and not record["apart_reason"]:
            also = (
                f"; {record['reason']}"
                if record["reason"] and record["reason"] != record["level_reason"]
                else ""
            )
            say_wrapped(f"no level for {record['accelerator_id']}: {record['level_reason']}{also}")


def _print_beside(record: Row) -> None:
    """Print what stands beside a headline: a result without rank, or a newest round that differs by over 10 %."""
    part, measured = record["accelerator_id"], record["output_tokens_per_s_per_accelerator"]
    if record["apart_reason"]:
        say_wrapped(
            f"apart, without rank: {part}, {record['apart_reason']}: {measured:,.1f} tokens/s, {round_of(record)}, "
            f"{record['submitter']}"
        )
    elif abs(record["newest_release_median"] / measured - 1) > 0.1:
        say_wrapped(
            f"{part}: {measured:,.1f} tokens/s, {round_of(record)}; the median of {record['newest_release']} is "
            f"{record['newest_release_median']:,.1f} (n {record['newest_release_n_results']})"
        )


def _print(table: Table, shown: dict[str, str]) -> None:
    """Print some columns under shorter names, and the notes on sizes as footnotes."""
    table = with_rounds(table)
    places = [table.columns.index(name) for name in shown]
    note = table.columns.index("size_note")
    notes = list(dict.fromkeys(row[note] for row in table.rows if row[note]))
    marks = {words: f"[{number}]" for number, words in enumerate(notes, 1)}
    print_table(
        Table(
            list(shown.values()),
            [tuple(marks.get(row[p]) if p == note else row[p] for p in places) for row in table.rows],
        )
    )
    for words, mark in marks.items():
        say(f"{mark} {words}")


def _print_price_days(offers: Table, reason: str) -> None:
    """Print the day of the prices and the age of the oldest that ranks; recommend a refresh if the day is long ago."""
    from accelmart.ranking import price_current_days

    as_of: date = offers.records()[0]["price_as_of"]
    today = datetime.now(UTC).date()
    line = age_note(as_of, oldest_price(offers, "price_seen_on", reason), today)
    is_old = (today - as_of).days > price_current_days()
    say_wrapped(f"{line} THEY ARE OLD: `accelmart refresh` fetches today's." if is_old else line)
