"""Commands of the questions, from `accelmart rank` to `accelmart estimate …`.

A command declares the arguments of a function of the package and prints what it answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict
from typing import Annotated, Any

import typer

from accelmart import arguments as of
from accelmart import choosing, citing, comparing, estimate, owning, producing, ranking
from accelmart import pricing as offers
from accelmart.cli import show
from accelmart.cli.output import Format, FormatOption, JsonOption, note, print_json, print_rows
from accelmart.errors import EXIT_FAILED, EXIT_USAGE, CommandFailedError, QuestionError
from accelmart.names import ON_DEMAND
from accelmart.published import Table

Limit = Annotated[int, typer.Option(help="Rows; 0 is all.")]
Others = Annotated[int, typer.Option(help="Other accelerators a task; 0 is all.")]
# what only the command has
_PRINTED = ("form", "as_json", "limit")


def rank(
    ctx: typer.Context,
    model: of.Model,
    scenario: of.MlperfScenario = "Server",
    pricing: of.Pricing = ON_DEMAND,
    provider: of.Provider = None,
    region: of.Region = None,
    release: of.Release = None,
    max_j_per_token: of.MaxJoules = None,
    carbon: of.Carbon = False,
    max_extra_cost_pct: of.MaxExtraCost = None,
    as_of: of.AsOf = None,
    limit: Limit = 20,
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """What a million output tokens cost, by price level and offer.

    Of each accelerator the cheapest offer of each seller. Each accelerator has sellers of its own, so that these offers
    compare sellers; price levels (what an average neocloud would ask) compare accelerators.
    """
    _answer(ctx, ranking.rank, show.show_ranking)


def choose(
    ctx: typer.Context,
    model: of.Model,
    tokens_per_day: of.TokensPerDay,
    budget: of.Budget,
    months: of.Months = 12,
    region: of.Region = None,
    max_j_per_token: of.MaxJoules = None,
    max_ttft_ms: of.MaxFirstToken = None,
    have: of.MayHave = None,
    scenario: of.MlperfScenario = "Server",
    utilisation: of.Utilisation = 60,
    owner: of.Owner = None,
    as_of: of.AsOf = None,
    limit: Limit = 12,
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """What serves a model within a budget, cheapest first.

    An option is an accelerator, a number of it, and how it is paid: rent (on demand, at the price level), own (purchase
    and running cost of an owner) or have (running cost of accelerators one has). Options that can be recommended come
    first.
    """
    _answer(ctx, choosing.choose, show.show_options, cuts_files=False)


def keep_or_sell(
    ctx: typer.Context,
    model: of.Model,
    have: of.Have,
    months: of.WholeMonths = 24,
    age_months: of.Age = None,
    scenario: of.MlperfScenario = "Server",
    utilisation: of.Utilisation = 60,
    owner: of.Owner = None,
    as_of: of.AsOf = None,
    limit: Limit = 12,
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """What your accelerators cost to run, and whether to sell them.

    Keeping them against selling them and renting others for the same tokens. Keeping costs their running, what they
    lose in value, and interest on what they would sell for today.
    """
    _answer(ctx, owning.keep_or_sell, show.show_keeping)


def power_budget(
    ctx: typer.Context,
    model: of.Model,
    megawatts: of.Megawatts = None,
    machines: of.Machines = None,
    months: of.Months = 24,
    scenario: of.MlperfScenario = "Server",
    utilisation: of.Utilisation = 60,
    owner: of.Owner = None,
    as_of: of.AsOf = None,
    limit: Limit = 12,
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """What a power limit carries: machines, tokens, cost, CO2e.

    For each accelerator, most tokens first. Machines are counted at the power that they take at full load, with host,
    network and cooling.
    """
    _answer(ctx, owning.power_budget, show.show_power)


def tokens(
    ctx: typer.Context,
    model: of.Model,
    scenario: of.MlperfScenario = "Server",
    limit: Limit = 12,
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """What a million tokens cost to produce, and what they are sold for.

    Input and output together, in the proportion of the benchmark: accelerators rented on demand at their price levels,
    at full use and at 30 % use, next to the prices that providers charge.
    """
    _answer(ctx, producing.tokens, show.show_tokens, cuts_files=False)


def electricity(
    ctx: typer.Context,
    model: of.Model,
    places: of.Places,
    scenario: of.MlperfScenario = "Server",
    pricing: of.PaidPricing = ON_DEMAND,
    limit: Limit = 12,
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """Electricity, carbon and rent of a million output tokens, by place.

    Of each accelerator in each place: electricity with PUE, its carbon and its cost, and the cheapest rent there.
    """
    _answer(ctx, producing.electricity, show.show_electricity, cuts_files=False)


def compare(
    ctx: typer.Context,
    a: of.AcceleratorA,
    b: of.AcceleratorB,
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """Two accelerators side by side: speed, cost, energy.

    What is known of both: specification, throughput, cost, rent, ownership, energy.
    """
    _answer(ctx, comparing.compare, show.show_comparison)


def alternatives(
    ctx: typer.Context,
    accelerator: of.AcceleratorFamily,
    limit: Others = 4,
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """What the same MLPerf tasks cost on other accelerators.

    Of each task that was measured on the accelerator the best result of each accelerator, with its rent and what the
    task costs. Training is shown at the size at which most accelerators were measured.
    """
    _answer(ctx, comparing.alternatives, show.show_alternatives, cuts_files=False)


def prices(
    ctx: typer.Context,
    accelerator: of.AcceleratorWord,
    quoted: of.Quoted = None,
    pricing: of.Pricing = ON_DEMAND,
    region: of.Region = None,
    provider: of.Provider = None,
    as_of: of.AsOf = None,
    limit: Limit = 12,
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """Offers of each seller now; with --quoted, whether a price is low or high.

    One offer a seller, cheapest first. A quote is compared with the offers that count: at most 90 days old, of
    hyperscalers and neoclouds with machines of their own, and with the range that another neocloud would charge.
    """
    _answer(ctx, offers.prices, show.show_prices, cuts_files=False)


def evidence(
    ctx: typer.Context,
    id: of.EvidenceId,  # noqa: A002  the word that readers know it by
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """What a figure rests on: its row, source, standing, citation."""
    _answer(ctx, citing.evidence, show.show_evidence)


def training(
    ctx: typer.Context,
    params: of.Params,
    tokens: of.Tokens,
    accelerator: of.Accelerator,
    gpus: of.Gpus,
    price: of.Price = None,
    provider: of.PaidProvider = None,
    pricing: of.PaidPricing = ON_DEMAND,
    region: of.Site = None,
    scenario: of.Owner = None,
    layers: of.Layers = None,
    hidden: of.Hidden = None,
    sequence_length: of.SequenceLength = None,
    mfu: of.Mfu = None,
    precision: of.Precision = None,
    total_params: of.TotalParams = None,
    pue: of.Pue = None,
    electricity: of.Electricity = None,
    grid: of.Grid = None,
    capex: of.Capex = None,
    depreciation_years: of.DepreciationYears = None,
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """Time, cost, energy and memory of a training run."""
    _answer(ctx, estimate.estimate_training, show.show_estimate)


def serving(
    ctx: typer.Context,
    model: of.Model,
    tokens_per_day: of.ServedPerDay = None,
    tokens_per_s_per_user: of.SpeedPerUser = None,
    workload: of.Workload = None,
    accelerator: of.AnyAccelerator = None,
    price: of.Price = None,
    provider: of.PaidProvider = None,
    pricing: of.PaidPricing = ON_DEMAND,
    region: of.Site = None,
    scenario: of.Owner = None,
    mlperf_scenario: of.MlperfScenario = "Server",
    utilisation: of.Utilisation = 60,
    params: of.ServedParams = None,
    weights: of.Weights = None,
    kv_cache: of.KvCache = "fp16",
    context_length: of.ContextLength = 8192,
    sequences: of.Sequences = 16,
    pue: of.Pue = None,
    electricity: of.Electricity = None,
    grid: of.Grid = None,
    capex: of.Capex = None,
    depreciation_years: of.DepreciationYears = None,
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """Accelerators, cost, energy and memory of serving.

    Of so many output tokens a day, or at a speed of each user. At a speed the answer is an MLPerf result whose limit on
    latency guarantees it, else read from a frontier that was measured outside of MLPerf, else null with a reason.
    Without one, MLPerf's throughput is used.
    """
    _answer(ctx, estimate.estimate_serving, show.show_estimate)


def ownership(
    ctx: typer.Context,
    accelerator: of.Accelerator,
    gpus: of.Gpus,
    months: of.WholeMonths,
    utilisation: of.HoursUsed = 60,
    scenario: of.Owner = None,
    price_each: of.PriceEach = None,
    price_is: of.PriceIs = "all-in",
    running: of.Running = None,
    residual_pct: of.Residual = None,
    interest_pct: of.Interest = None,
    rent: of.Rent = None,
    rent_1y: of.Rent1y = None,
    rent_3y: of.Rent3y = None,
    as_of: of.AsOf = None,
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """Own or rent over months, and where owning breaks even.

    Purchase, interest, running cost and residual value against rents; the formula is the macro rent_or_own. Each way
    has a cost with its range.
    """
    _answer(ctx, estimate.estimate_ownership, show.show_ownership)


def _answer(
    ctx: typer.Context,
    question: Callable[..., Any],
    show_answer: Callable[[Any, dict[str, Any], int], bool],
    *,
    cuts_files: bool = True,
) -> None:
    """Ask the question of a command with its arguments, and print the answer.

    Args:
        ctx: the command.
        question: function of the package.
        show_answer: prints it for people, at most so many rows (0 is all); returns whether there was anything to
            answer with.
        cuts_files: whether csv and json have at most as many rows, too.
    """
    asked = {name: value for name, value in ctx.params.items() if name not in _PRINTED}
    form = Format.json if ctx.params["as_json"] else Format(ctx.params["form"])
    limit = ctx.params.get("limit", 0)
    try:
        answer = question(**{name: value for name, value in asked.items() if value is not None})
    except QuestionError as e:
        flags = {
            p.name: p.opts[0] for p in ctx.command.params if p.name in asked and p.opts[0].startswith("--")
        }
        # an argument that the message is about, by the name that it has here
        text = re.sub(r"^\w+(?= is )|\b[a-z]+(?:_[a-z]+)+\b", lambda m: flags.get(m[0], m[0]), str(e))
        raise CommandFailedError(text, EXIT_FAILED if text == str(e) else EXIT_USAGE) from e
    if form is Format.table:
        if not show_answer(answer, asked, limit):
            raise typer.Exit(EXIT_FAILED)
        return
    for sentence in getattr(answer, "notes", ()):
        note(sentence)
    if isinstance(answer, Table):
        rows = answer.rows[: limit or None] if cuts_files else answer.rows
        print_rows(Table(answer.columns, rows), form)
    elif form is Format.json:
        print_json(asdict(answer))
    else:
        raise QuestionError(f"{form} needs rows: print this answer as a table or as json")
