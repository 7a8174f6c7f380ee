"""Commands of the questions, from `accelmart rank` to `accelmart estimate …`.

A command declares the arguments of a function of the package and prints what it answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import typer

from accelmart import arguments as of
from accelmart import choosing, citing, comparing, estimate, owning, producing, ranking
from accelmart import pricing as offers
from accelmart.cli.describe import show
from accelmart.cli.output import (
    AllRows,
    Explain,
    Format,
    FormatOption,
    JsonOption,
    note,
    print_json,
    print_rows,
)
from accelmart.cli.rows import described
from accelmart.errors import EXIT_FAILED, EXIT_USAGE, CommandFailedError, QuestionError
from accelmart.names import ON_DEMAND
from accelmart.published import Table, reading

# what only the command has
_PRINTED = ("form", "as_json", "explain", "every_row")


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
    explain: Explain = False,
    every_row: AllRows = False,
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """What a million output tokens cost, by price level and offer.

    Of each accelerator the cheapest offer of each seller. Each accelerator has sellers of its own, so that these offers
    compare sellers; price levels (what an average neocloud would ask) compare accelerators.
    """
    _answer(ctx, ranking.rank)


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
    explain: Explain = False,
    every_row: AllRows = False,
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """What serves a model within a budget, cheapest first.

    An option is an accelerator, a number of it, and how it is paid: rent (on demand, at the price level), own (purchase
    and running cost of an owner) or have (running cost of accelerators one has). Options that can be recommended come
    first.
    """
    _answer(ctx, choosing.choose)


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
    explain: Explain = False,
    every_row: AllRows = False,
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """What your accelerators cost to run, and whether to sell them.

    Keeping them against selling them and renting others for the same tokens. Keeping costs their running, what they
    lose in value, and interest on what they would sell for today.
    """
    _answer(ctx, owning.keep_or_sell)


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
    explain: Explain = False,
    every_row: AllRows = False,
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """What a power limit carries: machines, tokens, cost, CO2e.

    For each accelerator, most tokens first. Machines are counted at the power that they take at full load, with host,
    network and cooling.
    """
    _answer(ctx, owning.power_budget)


def tokens(
    ctx: typer.Context,
    model: of.Model,
    scenario: of.MlperfScenario = "Server",
    explain: Explain = False,
    every_row: AllRows = False,
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """What a million tokens cost to produce, and what they are sold for.

    Input and output together, in the proportion of the benchmark: accelerators rented on demand at their price levels,
    at full use and at 30 % use, next to the prices that providers charge.
    """
    _answer(ctx, producing.tokens)


def electricity(
    ctx: typer.Context,
    model: of.Model,
    places: of.Places,
    scenario: of.MlperfScenario = "Server",
    pricing: of.PaidPricing = ON_DEMAND,
    explain: Explain = False,
    every_row: AllRows = False,
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """Electricity, carbon and rent of a million output tokens, by place.

    Of each accelerator in each place: electricity with PUE, its carbon and its cost, and the cheapest rent there.
    """
    _answer(ctx, producing.electricity)


def compare(
    ctx: typer.Context,
    a: of.AcceleratorA,
    b: of.AcceleratorB,
    explain: Explain = False,
    every_row: AllRows = False,
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """Two accelerators side by side: speed, cost, energy.

    What is known of both: specification, throughput, cost, rent, ownership, energy.
    """
    _answer(ctx, comparing.compare)


def alternatives(
    ctx: typer.Context,
    accelerator: of.AcceleratorFamily,
    explain: Explain = False,
    every_row: AllRows = False,
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """What the same MLPerf tasks cost on other accelerators.

    Of each task that was measured on the accelerator the best result of each accelerator, with its rent and what the
    task costs. Training is shown at the size at which most accelerators were measured.
    """
    _answer(ctx, comparing.alternatives)


def prices(
    ctx: typer.Context,
    accelerator: of.AcceleratorWord,
    quoted: of.Quoted = None,
    pricing: of.Pricing = ON_DEMAND,
    region: of.Region = None,
    provider: of.Provider = None,
    machine_size: of.MachineSize = None,
    as_of: of.AsOf = None,
    explain: Explain = False,
    every_row: AllRows = False,
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """Offers of each seller now; with --quoted, whether a price is low or high.

    One offer a seller, cheapest first. A quote is compared with the offers that count: at most 90 days old, of
    hyperscalers and neoclouds with machines of their own, and with the range that another neocloud would charge.
    """
    _answer(ctx, offers.prices)


def history(
    ctx: typer.Context,
    accelerator: of.AcceleratorWords,
    pricing: of.PaidPricing = ON_DEMAND,
    explain: Explain = False,
    every_row: AllRows = False,
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """How the price of an hour moved: level, index, changes.

    Changes of the price index over 1, 3 and 12 months with ranges, and a bar a month. The index follows prices of the
    same offers from month to month, so sellers that come and go do not move it.
    """
    _answer(ctx, offers.history)


def claims(
    ctx: typer.Context,
    by: of.ClaimedBy = None,
    explain: Explain = False,
    every_row: AllRows = False,
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """Which vendors' claims hold, checked against MLPerf results."""
    _answer(ctx, citing.claims)


def accuracy(
    ctx: typer.Context,
    explain: Explain = False,
    every_row: AllRows = False,
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """How wrong estimates were in past cases."""
    _answer(ctx, citing.accuracy)


def evidence(
    ctx: typer.Context,
    id: of.EvidenceId,  # noqa: A002  the word that readers know it by
    explain: Explain = False,
    every_row: AllRows = False,
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """What a figure rests on: its row, source, standing, citation."""
    _answer(ctx, citing.evidence)


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
    explain: Explain = False,
    every_row: AllRows = False,
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """Time, cost, energy and memory of a training run."""
    _answer(ctx, estimate.estimate_training)


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
    explain: Explain = False,
    every_row: AllRows = False,
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """Accelerators, cost, energy and memory of serving.

    Of so many output tokens a day, or at a speed of each user. At a speed the answer is an MLPerf result whose limit on
    latency guarantees it, else read from a frontier that was measured outside of MLPerf, else null with a reason.
    Without one, MLPerf's throughput is used.
    """
    _answer(ctx, estimate.estimate_serving)


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
    explain: Explain = False,
    every_row: AllRows = False,
    form: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """Own or rent over months, and where owning breaks even.

    Purchase, interest, running cost and residual value against rents; the formula is the macro rent_or_own. Each way
    has a cost with its range.
    """
    _answer(ctx, estimate.estimate_ownership)


def _answer(ctx: typer.Context, question: Callable[..., Any]) -> None:
    """Ask the question of a command with its arguments, and print the answer.

    Args:
        ctx: the command.
        question: function of the package.
    """
    asked = {name: value for name, value in ctx.params.items() if name not in _PRINTED}
    form = Format.json if ctx.params["as_json"] else Format(ctx.params["form"])
    with reading() as reader:
        try:
            given = {name: value for name, value in asked.items() if value is not None}
            answer = question(**given, database=reader)
        except QuestionError as e:
            raise _as_typed(e, ctx, asked) from e
        if form is Format.table:
            description, answered = described(question.__name__, answer, asked, reader)
            if not show(
                description, answered, explain=ctx.params["explain"], every_row=ctx.params["every_row"]
            ):
                raise typer.Exit(EXIT_FAILED)
            return
    for sentence in getattr(answer, "notes", ()):
        note(sentence)
    if isinstance(answer, Table):
        print_rows(answer, form)
    elif form is Format.json:
        print_json(asdict(answer))
    else:
        raise CommandFailedError(f"--format {form} needs rows: print this answer with --json", EXIT_USAGE)


def _as_typed(error: QuestionError, ctx: typer.Context, asked: Mapping[str, Any]) -> CommandFailedError:
    """Return the error with arguments by the names that they have here: wrong usage if it is about one."""
    flags = {p.name: p.opts[0] for p in ctx.command.params if p.name in asked and p.opts[0].startswith("--")}
    text = re.sub(r"^\w+(?= is )|\b[a-z]+(?:_[a-z]+)+\b", lambda m: flags.get(m[0], m[0]), str(error))
    return CommandFailedError(text, EXIT_FAILED if text == str(error) else EXIT_USAGE)
