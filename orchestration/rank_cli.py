"""`accelmart rank`: what a million output tokens cost."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Annotated

import typer

from orchestration import completion
from orchestration.output import Format, FormatOption, JsonOption, print_rows, print_table, say, say_wrapped

# what a terminal shows; the others are evidence, for who asks for it as csv or json
_HEADLINE_COLUMNS = {
    "accelerator_id": "accelerator",
    "release": "round",
    "number_format": "format",
    "output_tokens_per_s_per_accelerator": "tokens/s",
    "usd_per_output_mtok_median": "$/Mtok",
    "usd_per_output_mtok_low": "low",
    "usd_per_output_mtok_high": "high",
    "n_sellers": "sellers",
    "oldest_price_on": "seen since",
}
_OFFER_COLUMNS = {
    "usd_per_output_mtok": "$/Mtok",
    "accelerator_id": "accelerator",
    "provider": "seller",
    "pricing_model": "pricing",
    "usd_per_accelerator_hour": "$/hour",
    "price_seen_on": "price seen",
    "price_standing": "is",
    "fit": "fits",
}


def rank(
    model: Annotated[
        str,
        typer.Option(
            help="MLCommons' benchmark, such as llama3.1-405b.", autocompletion=completion.benchmarks
        ),
    ],
    scenario: Annotated[
        str,
        typer.Option(help="Offline, Server or Interactive.", autocompletion=completion.mlperf_scenarios),
    ] = "Server",
    pricing: Annotated[
        str | None,
        typer.Option(
            help="on_demand, spot, reserved_1y, reserved_3y, capacity_block, marketplace. Default: on_demand for the "
            "medians, all for the offers.",
            autocompletion=completion.pricing_models,
        ),
    ] = None,
    provider: Annotated[
        str | None, typer.Option(help="One provider.", autocompletion=completion.providers)
    ] = None,
    region: Annotated[str | None, typer.Option(help="A region (% is a wildcard) or a country code.")] = None,
    release: Annotated[
        str | None,
        typer.Option(
            help="An MLPerf round; default: each accelerator's latest.", autocompletion=completion.releases
        ),
    ] = None,
    at: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], help="Prices of that day; default: that of the newest price."),
    ] = None,
    limit: Annotated[int, typer.Option(help="Offers; 0 is all.")] = 20,
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """What a million output tokens cost, cheapest first.

    Measured throughput of MLPerf Inference and the prices in force: first the median over the sellers of each
    accelerator, then the cheapest offer of each seller. csv and json have the offers, with their evidence.
    """
    from orchestration import settings
    from warehouse.rank import headlines, price_current_days
    from warehouse.rank import rank as run_rank

    database = settings.home().published
    day = at.date() if at else None
    columns, rows = run_rank(
        database,
        model=model,
        scenario=scenario,
        pricing=pricing,
        provider=provider,
        region=region,
        release=release,
        day=day,
    )
    shown = rows[:limit] if limit else rows
    form = Format.json if as_json else form
    if form is not Format.table:
        print_rows(columns, shown, form)
        return
    as_of = rows[0][columns.index("price_as_of")] if rows else day
    say(_price_day(as_of, price_current_days(database)))
    if provider is None and region is None:
        head, body = headlines(
            database, model=model, scenario=scenario, pricing=pricing, release=release, day=day
        )
        say("")
        say_wrapped(
            "Median over the sellers with a recent price of a machine that holds the model, "
            f"{pricing or 'on_demand'}:"
        )
        _print(head, [row for row in body if row[head.index("n_sellers")]], _HEADLINE_COLUMNS)
        for row in body:
            if not row[head.index("n_sellers")]:
                say_wrapped(f"no median for {row[head.index('accelerator_id')]}: {row[head.index('reason')]}")
        say_wrapped(
            "Each accelerator has sellers of its own: compare the prices of one seller before you decide."
        )
    say("\nCheapest offer of each seller; what cannot be ranked stands last:")
    _print(columns, shown, _OFFER_COLUMNS)
    if len(rows) > len(shown):
        say(f"{len(rows) - len(shown)} more: --limit 0 shows all")
    say_wrapped(
        "A price seen on a day is no quote of today. MLPerf results are MLCommons'; dollars per token are derived "
        "here, at full use, and not verified by MLCommons. Submissions, offers and exact figures: --format csv or json."
    )


def _print(columns: list[str], rows: list[tuple[object, ...]], shown: dict[str, str]) -> None:
    """Print some columns under shorter names."""
    places = [columns.index(name) for name in shown]
    print_table(list(shown.values()), [tuple(row[place] for place in places) for row in rows])


def _price_day(as_of: date | None, current_days: int) -> str:
    """Say of which day prices are, and call for a refresh where that is long ago."""
    if as_of is None:
        return "No price is in force."
    age = (datetime.now(UTC).date() - as_of).days
    line = f"Prices as of {as_of}, {age} days before today."
    return f"{line} THEY ARE OLD: `accelmart refresh` fetches today's." if age > current_days else line
