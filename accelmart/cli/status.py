"""`accelmart status` of a reader: what the warehouse holds, three answers, and what to try next."""

from __future__ import annotations

import os
import shutil
import sys

from accelmart.cli.output import JsonOption, print_json, say, say_all
from accelmart.cli.texts import ShortNames
from accelmart.published import Reader, Row, reading

_MODEL = "deepseek-r1"

_CONTENT = """
select generation_id, built_at, (select count(*) from fct_inference_result) as inference_results,
    (select count(*) from fct_training_result) as training_results,
    (select count(*) from fct_price_interval) as prices, newest_price_day() as prices_as_of
from ops_generation
"""

_FASTEST = """
select *, newest_price_day() as day from mart_token_throughput
where benchmark_id = $model and scenario = 'Server' and is_representative
order by output_tokens_per_s_per_accelerator desc, accelerator_id limit 1
"""
# the lowest to rent, how many others overlap its range, and the same owned
_RENTED = """
with rented as (
    from mart_cost_headline
    where benchmark_id = $model and scenario = 'Server' and pricing_model = 'on_demand' and is_representative
        and coalesce(usd_per_output_mtok_at_level, usd_per_output_mtok_median) is not null
)
select h.*, o.usd_per_output_mtok as owned, o.usd_per_output_mtok_low as owned_low,
    o.usd_per_output_mtok_high as owned_high, o.scenario_id as owner, o.capex_basis, o.price_level, o.n_capex_figures,
    (
        select count(*) from rented as other
        where other.accelerator_id <> h.accelerator_id
            and other.usd_per_output_mtok_at_level_low <= h.usd_per_output_mtok_at_level_high
    ) as n_overlapping
from rented as h
left join mart_owned_cost_per_mtok as o
    on h.benchmark_id = o.benchmark_id and h.scenario = o.scenario and h.release = o.release
    and h.accelerator_id = o.accelerator_id and o.is_representative and o.is_default and o.scenario_id = default_owner()
order by h.usd_per_output_mtok_at_level nulls last, h.usd_per_output_mtok_median, h.accelerator_id
limit 1
"""


def status(as_json: JsonOption = False) -> None:
    """What the warehouse holds, three answers, and what to try next."""
    with reading() as reader:
        content = reader.one(_CONTENT)
        if as_json:
            print_json(content)
            return
        say(
            f"Generation {content['generation_id']}: {content['inference_results']:,} inference and "
            f"{content['training_results']:,} training results, {content['prices']:,} prices"
        )
        print_summary(reader)


def print_summary(reader: Reader) -> None:
    """Print answers from the warehouse, and commands that work as they are printed."""
    short = ShortNames(reader)
    for row in reader.rows(_FASTEST, {"model": _MODEL}):
        speed = f"{row['output_tokens_per_s_per_accelerator']:,.0f} output tokens/s"
        fastest = f"{row['accelerator_id']}, {speed} ({row['release']}, {row['submitter']})"
        say_all(short(f"{_MODEL} Server, per accelerator, prices as of {row['day']}. Fastest: {fastest}"))
    for row in reader.rows(_RENTED, {"model": _MODEL}):
        say_all(short(f"Rent: {row['accelerator_id']}, {_rent(row)}"))
        if row["owned"] is not None:
            month = f" of {row['price_level']}" if row["price_level"] else ""
            capital = f"{row['capex_basis'].replace('_', ' ')}{month}, n = {row['n_capex_figures']}"
            owned = f"{_range(row, 'owned')} per M output tokens ({row['owner']}; capital {capital})"
            say_all(f"Own: the same, {owned}")
    command = _command()
    for number, arguments in enumerate(
        (
            f"rank --model {_MODEL}",
            "compare B200 H100",
            f"choose --model {_MODEL} --tokens-per-day 1e9 --budget 1000000",
        )
    ):
        say(f"{'    ' if number else 'Try:'} {command} {arguments}")


def _rent(row: Row) -> str:
    """Return the cost at the price level with its range; without a level, the plain median over sellers."""
    if row["usd_per_output_mtok_at_level"] is None:
        return f"${row['usd_per_output_mtok_median']:.3g} per M output tokens (median of {row['n_sellers']} sellers)"
    overlap = f"; ranges of {row['n_overlapping']} others overlap" if row["n_overlapping"] else ""
    level = _range(row, "usd_per_output_mtok_at_level")
    size = f"; {row['size_note']}" if row["size_note"] else ""
    return f"{level} per M output tokens, {row['n_sellers_of_level']} sellers{overlap}{size}"


def _range(row: Row, name: str) -> str:
    usd, low, high = (row[f"{name}{end}"] for end in ("", "_low", "_high"))
    return f"${usd:.3g}" if low is None or high is None else f"${usd:.3g} (${low:.3g} to ${high:.3g})"


def _command() -> str:
    """Return how the command is typed here: by its name if the shell finds it, else by its path."""
    return (
        "accelmart" if shutil.which("accelmart") else min(sys.argv[0], os.path.relpath(sys.argv[0]), key=len)
    )
