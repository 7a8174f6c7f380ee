"""Arguments of the questions as commands and agents' tools take them: type, meaning, the words a shell completes.

Names and defaults are those of the functions of the package.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from accelmart.errors import ReaderError
from accelmart.estimate import parse_count
from accelmart.published import reading


def _number(meaning: str) -> Any:
    """Return an option that takes a number with or without a magnitude, such as 405B."""
    return typer.Option(help=meaning, parser=_count, metavar="NUMBER")


def _count(text: str | float) -> float:
    try:
        return parse_count(text)
    except ValueError as e:
        raise typer.BadParameter(str(e)) from None


def _keys(statement: str) -> Callable[[str], list[str]]:
    """Return a completion with the keys that a statement reads; it never fails."""

    def complete(incomplete: str) -> list[str]:
        try:
            with reading() as reader:
                return [key for key in reader.words(statement) if key.startswith(incomplete)]
        except ReaderError:
            return []  # no warehouse yet, or one of another version

    return complete


_accelerators = _keys("select accelerator_id from dim_accelerator order by all")
_benchmarks = _keys("select distinct benchmark_id from mart_token_throughput order by all")
_mlperf_scenarios = _keys("select distinct scenario from mart_token_throughput order by all")
_owners = _keys("select distinct scenario_id from mart_tco order by all")
_pricing_models = _keys("select distinct pricing_model from mart_price_current order by all")
_providers = _keys("select distinct provider from mart_price_current order by all")
_releases = _keys("select distinct release from fct_inference_result order by all")

_PART = "Key of dim_accelerator or a usual name, such as H100"
_PAID = "Pricing model of the seller, or of the price level."

Model = Annotated[
    str,
    typer.Option(
        help="MLCommons' benchmark, such as llama3.1-405b; case, hyphens and dots do not matter.",
        autocompletion=_benchmarks,
    ),
]
MlperfScenario = Annotated[
    str,
    typer.Option(
        help="Measured throughput of Server, Offline or Interactive.", autocompletion=_mlperf_scenarios
    ),
]
Owner = Annotated[
    str | None,
    typer.Option(
        help="An ownership scenario, such as hyperscaler; where one is needed, default: a small buyer.",
        autocompletion=_owners,
    ),
]
Pricing = Annotated[
    str | None,
    typer.Option(
        help="on_demand, spot, reserved_1y, reserved_3y, capacity_block, marketplace; or all.",
        autocompletion=_pricing_models,
    ),
]
PaidPricing = Annotated[str, typer.Option(help=_PAID, autocompletion=_pricing_models)]
Provider = Annotated[
    str | None,
    typer.Option(
        help="A seller's key or common name, such as aws or amazon; None is all.", autocompletion=_providers
    ),
]
PaidProvider = Annotated[
    str | None, typer.Option(help="A seller: its lowest price in force.", autocompletion=_providers)
]
Region = Annotated[
    str | None,
    typer.Option(
        help="A region's name (% is a wildcard), a country (Germany or DE), or a group: EU, Europe, Asia; None is all. "
        "Offers without a region are in none: a note counts their sellers."
    ),
]
Site = Annotated[
    str | None,
    typer.Option(
        help="A place, such as Germany, EU or us-east-1: the median rent of its sellers, its grid, its price of "
        "electricity."
    ),
]
Release = Annotated[
    str | None,
    typer.Option(
        help="An MLPerf round, such as v6.0; None is any: the best available result stands for the accelerator.",
        autocompletion=_releases,
    ),
]
MaxJoules = Annotated[
    float | None,
    _number(
        "Most joules per output token at full use with PUE (the owner's, or a default where one rents): measured where "
        "there are some, else modelled (energy_basis). What takes more is not ranked."
    ),
]
Carbon = Annotated[
    bool,
    typer.Option(
        "--carbon",
        help="Rank the offers that cost little more than the cheapest by kg CO2e of their electricity, lowest first.",
    ),
]
MaxExtraCost = Annotated[
    float | None,
    _number("With carbon: per cent that an offer may cost above the cheapest of a known grid; default 10."),
]
AsOf = Annotated[
    str | None,
    typer.Option(help="Prices and rounds of that day, YYYY-MM-DD; default: the day of the newest price."),
]
TokensPerDay = Annotated[float, _number("Output tokens a day.")]
ServedPerDay = Annotated[
    float | None,
    _number("Output tokens a day, such as 1e9; needed unless tokens_per_s_per_user is given."),
]
Budget = Annotated[
    float,
    _number("US dollars that may be paid within the months: the rent, or the purchase and the running cost."),
]
Months = Annotated[float, _number("Months of 730 hours.")]
WholeMonths = Annotated[int, typer.Option(help="Whole months of 730 hours, at most 120.")]
MaxFirstToken = Annotated[
    float | None,
    _number(
        "Longest time to first token in milliseconds, 99th percentile. Results of Server and Interactive count then; "
        "without it, results of `scenario`."
    ),
]
_HAVE = "Accelerators you have, such as A100-80GB:64 or 64xA100-80GB."
Have = Annotated[str, typer.Option(help=_HAVE)]
MayHave = Annotated[str | None, typer.Option(help=_HAVE)]
Age = Annotated[
    int | None,
    typer.Option(
        help="Age of the accelerators in months; default: 36, or since they came out if that is less."
    ),
]
Megawatts = Annotated[
    float | None, _number("Power of the site with cooling, in megawatts; or give machines.")
]
MachineSize = Annotated[
    int | None, typer.Option(help="Least accelerators of a machine; default: any, also one of unknown size.")
]
Machines = Annotated[
    int | None,
    typer.Option(help="Most machines: racks of a rack-scale system, else servers; or give megawatts."),
]
Utilisation = Annotated[float, _number("Per cent of the measured throughput that is used on average.")]
HoursUsed = Annotated[float, _number("Hours used, in per cent; up to 1 a share of them (0.6 is 60 %).")]
AcceleratorA = Annotated[
    str,
    typer.Argument(help=f"{_PART}; what it was taken for is a note.", autocompletion=_accelerators),
]
AcceleratorB = Annotated[str, typer.Argument(help="The other one.", autocompletion=_accelerators)]
AcceleratorWord = Annotated[str, typer.Argument(help=f"{_PART}.", autocompletion=_accelerators)]
AcceleratorWords = Annotated[
    str,
    typer.Argument(help=f"{_PART}; several are separated by commas.", autocompletion=_accelerators),
]
AcceleratorFamily = Annotated[
    str,
    typer.Argument(help=f"{_PART}, or the beginning of names, such as TPU.", autocompletion=_accelerators),
]
Quoted = Annotated[
    float | None,
    _number("Dollars per accelerator-hour that a seller charges you: where it lies among all sellers."),
]
Accelerator = Annotated[str, typer.Option(help=f"{_PART}.", autocompletion=_accelerators)]
AnyAccelerator = Annotated[
    str | None,
    typer.Option(
        help=f"{_PART}; default: the cheapest per token of those measured and priced, without a price of those with a "
        "price level if there are any.",
        autocompletion=_accelerators,
    ),
]
ClaimedBy = Annotated[str | None, typer.Option(help="Who made them, such as NVIDIA,AMD; None is all.")]
EvidenceId = Annotated[
    str,
    typer.Argument(
        help="result_id of an MLPerf result, offer_id of a price (its newest interval) or claim_id; columns such as "
        "evidence_a, cheapest_offer_id and rests_on hold them."
    ),
]
Gpus = Annotated[int, typer.Option(help="Accelerators; machines are bought whole.")]
Params = Annotated[
    float,
    _number(
        "Parameters, such as 70e9; of a mixture of experts all of a known one, or the active ones with total_params."
    ),
]
ServedParams = Annotated[
    float | None,
    _number("(Active) parameters of a model MLPerf does not have, by any name: throughput is extrapolated."),
]
TotalParams = Annotated[float | None, _number("All parameters of a mixture of experts, which memory holds.")]
Tokens = Annotated[float, _number("Trained tokens, such as 15e12.")]
Price = Annotated[
    float | None,
    _number(
        "Dollars per accelerator-hour; at most one of price, provider and scenario, without one rent at the price "
        "level of the accelerator, with its range."
    ),
]
Layers = Annotated[
    int | None,
    typer.Option(
        help="Of the transformer, with hidden and sequence_length; default: of the known model that size."
    ),
]
Hidden = Annotated[int | None, typer.Option(help="Width of the residual stream.")]
SequenceLength = Annotated[int | None, typer.Option(help="Tokens of a sequence.")]
Mfu = Annotated[float | None, _number("Per cent of the dense peak of precision; default: what was measured.")]
Precision = Annotated[
    str | None,
    typer.Option(
        help="Number format of the run: bf16, fp8 or fp4; default: the measured one, with mfu bf16."
    ),
]
Places = Annotated[
    str,
    typer.Option(
        help="Separated by commas: countries (Germany or DE), groups (EU, Europe, Asia), US states (US-TX), regions of "
        "clouds."
    ),
]
Pue = Annotated[float | None, _number("Power usage effectiveness, 1 to 5.")]
Electricity = Annotated[
    str | None, typer.Option(help="Dollars per kWh, or a place whose price is known: Germany, DE, US-TX.")
]
Grid = Annotated[
    str | None,
    typer.Option(
        help="Grid for CO2e: a place such as Germany, EU, US-TX or europe-west4, or a grid_id such as us_2022."
    ),
]
Capex = Annotated[
    float | None,
    _number(
        "Dollars per accelerator with its share of server, network, storage; default: mart_tco's, or a list price."
    ),
]
DepreciationYears = Annotated[float | None, _number("Economic life of hardware in years.")]
SpeedPerUser = Annotated[
    float | None,
    _number(
        "Output tokens per second that each user receives; the model can be a model_id of measured serving. Rent at "
        "the price level and ownership are in the answer without a price."
    ),
]
Workload = Annotated[
    str | None, typer.Option(help="What was served, where frontiers of several workloads were measured.")
]
Weights = Annotated[
    str | None, typer.Option(help="Number format of the weights; default: the measured result's.")
]
KvCache = Annotated[str, typer.Option(help="Number format of the KV cache.")]
ContextLength = Annotated[int, typer.Option(help="Tokens of context of a sequence.")]
Sequences = Annotated[int, typer.Option(help="Sequences at a time in a replica.")]
PriceEach = Annotated[
    float | None,
    _number("Dollars that one accelerator costs; default: of the scenario, with its range."),
]
PriceIs = Annotated[
    str,
    typer.Option(
        help="all-in, or server: without network and storage, which are added in the published proportion."
    ),
]
Running = Annotated[float | None, _number("Dollars an hour of running one accelerator.")]
Residual = Annotated[float | None, _number("Per cent of the price for which hardware is sold in the end.")]
Interest = Annotated[float | None, _number("Per cent a year.")]
Rent = Annotated[float | None, _number("Dollars per accelerator-hour on demand; default: the price level.")]
Rent1y = Annotated[float | None, _number("The same under a commitment of a year; default: that of sellers.")]
Rent3y = Annotated[
    float | None,
    _number("The same under a commitment of three years; default: that of sellers, or a published one."),
]
