"""`accelmart estimate`: what training a model or serving it would cost, and whether to rent or own."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from accelmart.cli import completion
from accelmart.cli.options import DayOption, ModelOption, UtilisationOption, count
from accelmart.cli.output import (
    Format,
    FormatOption,
    JsonOption,
    console,
    print_json,
    print_rows,
    print_table,
    say_wrapped,
    visible,
)
from accelmart.published import DEFAULT_OWNER, Table

if TYPE_CHECKING:
    from accelmart.estimate import Estimate

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="What training, serving or owning would cost.",
)


class EstimateFormat(StrEnum):
    """How an estimate is printed."""

    table = "table"
    json = "json"


_Accelerator = Annotated[
    str,
    typer.Option(
        help="Key of dim_accelerator, such as nvidia-h100-sxm-80gb.", autocompletion=completion.accelerators
    ),
]
_Price = Annotated[
    float | None,
    typer.Option(
        help="Dollars per accelerator-hour; default: the price level of the accelerator, with its range."
    ),
]
_Provider = Annotated[
    str | None,
    typer.Option(help="A seller: its lowest price in force.", autocompletion=completion.providers),
]
_Pricing = Annotated[str, typer.Option(help="Pricing model of --provider or of the price level.")]
_Scenario = Annotated[
    str | None,
    typer.Option(
        help="An ownership scenario, such as hyperscaler.", autocompletion=completion.ownership_scenarios
    ),
]
_Pue = Annotated[float | None, typer.Option(help="Power usage effectiveness, 1 to 5.")]
_Electricity = Annotated[float | None, typer.Option(help="Dollars per kWh.")]
_Grid = Annotated[str | None, typer.Option(help="Grid for CO2e, such as us_2022 or world_2023.")]
_Capex = Annotated[
    float | None, typer.Option(help="Dollars per accelerator with its share of server, network, storage.")
]
_Years = Annotated[float | None, typer.Option(help="Economic life of hardware in years.")]
_Form = Annotated[EstimateFormat, typer.Option("--format", "-f", help="How to print.")]


@app.command()
def training(
    params: Annotated[
        float,
        typer.Option(
            parser=count,
            help="Parameters, such as 70B or 405e9; of a mixture of experts all (671B), or the active ones with "
            "--total-params.",
        ),
    ],
    tokens: Annotated[float, typer.Option(parser=count, help="Trained tokens, such as 15T or 15e12.")],
    accelerator: _Accelerator,
    gpus: Annotated[int, typer.Option(help="Accelerators.")],
    price: _Price = None,
    provider: _Provider = None,
    pricing: _Pricing = "on_demand",
    scenario: _Scenario = None,
    layers: Annotated[int | None, typer.Option(help="Layers; default: of the known model that size.")] = None,
    hidden: Annotated[int | None, typer.Option(help="Hidden size.")] = None,
    sequence_length: Annotated[int | None, typer.Option(help="Tokens of a sequence.")] = None,
    mfu: Annotated[
        float | None,
        typer.Option(help="MFU in per cent of the peak of --precision; default: what was measured."),
    ] = None,
    precision: Annotated[
        str | None,
        typer.Option(
            help="Number format of the run: bf16, fp8 or fp4; default: the measured one, with --mfu bf16."
        ),
    ] = None,
    pue: _Pue = None,
    electricity: _Electricity = None,
    grid: _Grid = None,
    capex: _Capex = None,
    depreciation_years: _Years = None,
    total_params: Annotated[
        float | None, typer.Option(parser=count, help="All parameters of a mixture of experts, for memory.")
    ] = None,
    form: _Form = EstimateFormat.table,
    as_json: JsonOption = False,
) -> None:
    """Time, cost by rental and by outlay, energy and memory of a training run."""
    from accelmart.estimate import Price, Site, estimate_training

    done = estimate_training(
        params=params,
        tokens=tokens,
        accelerator=accelerator,
        gpus=gpus,
        price=Price(price, provider, pricing, scenario),
        site=Site(pue, electricity, grid),
        layers=layers,
        hidden=hidden,
        sequence_length=sequence_length,
        mfu=mfu,
        precision=precision,
        capex=capex,
        depreciation_years=depreciation_years,
        total_params=total_params,
    )
    _print(done, EstimateFormat.json if as_json else form)


@app.command()
def serving(
    model: ModelOption,
    tokens_per_day: Annotated[
        float | None,
        typer.Option(
            parser=count,
            help="Output tokens a day, such as 1B or 1e9; needed unless --tokens-per-s-per-user is given.",
        ),
    ] = None,
    tokens_per_s_per_user: Annotated[
        float | None,
        typer.Option(
            help="Output tokens/s of each user: from an MLPerf result whose limit guarantees it, else from a frontier "
            "measured outside of MLPerf (`accelmart sql 'from mlperf_serving_at(50)'` and `'from "
            "serving_frontier_at(50)'` list them). Needs no price."
        ),
    ] = None,
    workload: Annotated[
        str | None,
        typer.Option(
            help="With --tokens-per-s-per-user: what was served, where several workloads were measured."
        ),
    ] = None,
    accelerator: Annotated[
        str | None,
        typer.Option(
            help="Key of dim_accelerator; default: the cheapest per token.",
            autocompletion=completion.accelerators,
        ),
    ] = None,
    price: _Price = None,
    provider: _Provider = None,
    pricing: _Pricing = "on_demand",
    scenario: _Scenario = None,
    mlperf_scenario: Annotated[
        str, typer.Option(help="Measured throughput of Server, Offline or Interactive.")
    ] = "Server",
    utilisation: UtilisationOption = 60,
    params: Annotated[
        float | None,
        typer.Option(parser=count, help="Parameters of a model MLPerf does not have: extrapolates."),
    ] = None,
    weights: Annotated[
        str | None, typer.Option(help="Number format of the weights; default: the result's.")
    ] = None,
    kv_cache: Annotated[str, typer.Option(help="Number format of the KV cache.")] = "fp16",
    context_length: Annotated[int, typer.Option(help="Tokens of context of a sequence.")] = 8192,
    sequences: Annotated[int, typer.Option(help="Sequences at a time in a replica.")] = 16,
    pue: _Pue = None,
    electricity: _Electricity = None,
    grid: _Grid = None,
    capex: _Capex = None,
    depreciation_years: _Years = None,
    form: _Form = EstimateFormat.table,
    as_json: JsonOption = False,
) -> None:
    """Accelerators, cost, energy and memory of serving so many output tokens a day, or at a speed of each user."""
    from accelmart.estimate import Price, Site, estimate_serving

    done = estimate_serving(
        model=model,
        tokens_per_day=tokens_per_day,
        tokens_per_s_per_user=tokens_per_s_per_user,
        workload=workload,
        accelerator=accelerator,
        price=Price(price, provider, pricing, scenario),
        mlperf_scenario=mlperf_scenario,
        utilisation=utilisation,
        params=params,
        weights=weights,
        kv_cache=kv_cache,
        context_length=context_length,
        sequences=sequences,
        site=Site(pue, electricity, grid),
        capex=capex,
        depreciation_years=depreciation_years,
    )
    _print(done, EstimateFormat.json if as_json else form)


@app.command()
def ownership(
    accelerator: _Accelerator,
    gpus: Annotated[int, typer.Option(help="Accelerators; machines are bought whole.")],
    months: Annotated[int, typer.Option(help="Whole months of 730 hours, at most 120.")],
    utilisation: Annotated[float, typer.Option(help="Hours used: per cent, or a share up to 1.")] = 60,
    scenario: Annotated[
        str, typer.Option(help="Ownership scenario.", autocompletion=completion.ownership_scenarios)
    ] = DEFAULT_OWNER,
    price_each: Annotated[float | None, typer.Option(help="Dollars that one accelerator costs.")] = None,
    price_is: Annotated[str, typer.Option(help="all-in, or server: network and storage on top.")] = "all-in",
    running: Annotated[float | None, typer.Option(help="Dollars an hour of running one.")] = None,
    residual_pct: Annotated[float | None, typer.Option(help="Per cent of the price it sells for.")] = None,
    interest_pct: Annotated[float | None, typer.Option(help="Interest, per cent a year.")] = None,
    rent: Annotated[float | None, typer.Option(help="Dollars per accelerator-hour on demand.")] = None,
    rent_1y: Annotated[float | None, typer.Option(help="The same, committed for a year.")] = None,
    rent_3y: Annotated[float | None, typer.Option(help="The same, committed for three years.")] = None,
    as_of: DayOption = None,
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """Own or rent over months: purchase, interest, running cost and residual value against rents."""
    from accelmart.estimate import Given, estimate_ownership

    given = Given(price_each, price_is, running, residual_pct, interest_pct, rent, rent_1y, rent_3y)
    table = estimate_ownership(
        accelerator, gpus, months, utilisation, scenario=scenario, given=given, as_of=as_of and as_of.date()
    )
    if as_json or form is not Format.table:
        print_rows(table, Format.json if as_json else form)
        return
    rows, names = table.records(), ["option", "standing"]
    for figure in ("usd", "months_to_break_even", "break_even_utilisation_pct"):
        names += [figure, f"{figure}_low", f"{figure}_high"]
    header = [
        n.replace("months_to_break_even", "month").replace("break_even_utilisation_pct", "%") for n in names
    ]
    print_table(
        Table(header, [tuple("" if row[n] is None else _figure(row[n]) for n in names) for row in rows])
    )
    for row in rows:
        say_wrapped(f"{row['option']}: {row['basis'] or row['reason']}.")
    say_wrapped(
        "month and %: month, and % of the hours used, from when owning costs no more than that rent. No order: the "
        "ranges overlap. Formula: macro rent_or_own; every figure: --format csv or json."
    )


def _print(done: Estimate, form: EstimateFormat) -> None:
    if form is EstimateFormat.json:
        print_json(asdict(done))
        return
    from rich.table import Table

    out = console()
    apart = [("measured apart", row) for row in done.apart]
    for title, values in (("assumed", done.inputs), ("estimated", done.figures), *apart):
        table = Table(title, "", box=None, pad_edge=False, header_style="bold")
        for name, value in values.items():
            table.add_row(name, visible(_figure(value)))
        out.print(table, markup=False, highlight=False)
        out.print()
    for title, sentences in (
        ("Rests on", done.rests_on + [f"point {name}" for name in done.points] or ["no MLPerf result"]),
        ("Extrapolated", done.extrapolations or ["nothing"]),
        ("Basis", done.basis),
    ):
        for sentence in sentences:
            out.print(visible(f"{title}: {sentence}"), markup=False, highlight=False, soft_wrap=True)


def _figure(value: Any) -> str:
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        if value >= 1e15:
            return f"{value:.4g}"
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
