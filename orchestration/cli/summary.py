"""`accelmart status --short`: what is published, three answers, the report, and what to do next, in about ten lines."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from accelmart.cli.output import say
from accelmart.published import DEFAULT_OWNER, Reader, Row, reading

if TYPE_CHECKING:
    from warehouse.home import Home

_WIDTH = 110
_MODEL = "deepseek-r1"

_CONTENT = """
select (select count(*) from fct_inference_result) as inference, (select count(*) from fct_training_result) as training,
    (select count(*) from fct_price_interval) as prices, (select count(*) from ops_unmapped) as unmapped,
    newest_price_day() as price_day
"""

_FASTEST = """
select t.* from mart_token_throughput as t
where t.benchmark_id = $model and t.scenario = 'Server' and t.is_representative
order by t.output_tokens_per_s_per_accelerator desc, t.accelerator_id limit 1
"""
_RENTED = """
select h.* from mart_cost_headline as h
where h.benchmark_id = $model and h.scenario = 'Server' and h.pricing_model = 'on_demand' and h.is_representative
    and coalesce(h.usd_per_output_mtok_at_level, h.usd_per_output_mtok_median) is not null
order by h.usd_per_output_mtok_at_level nulls last, h.usd_per_output_mtok_median, h.accelerator_id
limit 1
"""
# the accelerator that is cheapest to rent, owned
_OWNED = """
from mart_owned_cost_per_mtok
where benchmark_id = $benchmark_id and scenario = $scenario and release = $release and accelerator_id = $accelerator_id
    and is_representative and scenario_id = $owner and is_default and usd_per_output_mtok is not null
"""


def print_summary(home: Home) -> None:
    """Print what the published generation holds, three answers from it, the report, commands to go on with, warnings.

    Raises:
        NoWarehouseError: nothing is published.
    """
    from warehouse.outcome import read_warnings
    from warehouse.publish import publication

    generation = publication(home).generation
    with reading(home.published) as reader:
        content, answers = reader.one(_CONTENT), _answers(reader)
    _line(
        f"{generation.generation_id}: {content['inference']:,} inference and {content['training']:,} training results, "
        f"{content['prices']:,} prices as of {content['price_day']}"
    )
    for answer in answers:
        _line(answer)
    _line(
        f"Warehouse: {_near(home.published)}  Report: {_near(home.report) if home.report.exists() else 'none'}"
    )
    command = _command()
    for number, arguments in enumerate(_next_commands()):
        say(f"{'Next:' if number == 0 else '     '} {command} {arguments}")
    warnings = len(read_warnings(home, generation.generation_id) or [])
    _line(
        f"{warnings} known warnings, {content['unmapped']} unmapped names. See: accelmart status --warnings, --unmapped"
    )


def _answers(reader: Reader) -> list[str]:
    """Return a sentence for each question that the warehouse has an answer to."""
    answers = []
    for row in reader.rows(_FASTEST, {"model": _MODEL}):
        answers.append(
            f"Fastest: {row['accelerator_id']}, {row['output_tokens_per_s_per_accelerator']:,.0f} output tokens/s each "
            f"({_where(row)}; {row['submitter']})"
        )
    for row in reader.rows(_RENTED, {"model": _MODEL}):
        note = f"; {row['size_note']}" if row["size_note"] else ""
        answers.append(
            f"Rent: {row['accelerator_id']}, {_rent(row)} per million output tokens ({_where(row)}; "
            f"{_rent_basis(row)}{note})"
        )
        cell = {key: row[key] for key in ("benchmark_id", "scenario", "release", "accelerator_id")}
        for owned in reader.rows(_OWNED, {**cell, "owner": DEFAULT_OWNER}):
            answers.append(
                f"Own: the same, {_with_range(owned, 'usd_per_output_mtok')} per million output tokens "
                f"({DEFAULT_OWNER}, capital: {owned['capex_basis'].replace('_', ' ')} as of {owned['price_level']})"
            )
    return answers


def _rent(row: Row) -> str:
    """Return the cost at the price level with its range; without a level, the plain median over sellers."""
    if row["usd_per_output_mtok_at_level"] is None:
        return f"plain median ${row['usd_per_output_mtok_median']:.3g}"
    return _with_range(row, "usd_per_output_mtok_at_level")


def _with_range(row: Row, name: str) -> str:
    usd, low, high = (row[f"{name}{end}"] for end in ("", "_low", "_high"))
    return f"${usd:.3g}" if low is None or high is None else f"${usd:.3g} (${low:.3g} to ${high:.3g})"


def _rent_basis(row: Row) -> str:
    if row["usd_per_output_mtok_at_level"] is None:
        return f"{_sellers(row['n_sellers'])}; no price level: {row['level_reason']}"
    return f"price level of {_sellers(row['n_sellers_of_level'])}"


def _sellers(n: int) -> str:
    return "one seller" if n == 1 else f"{n} sellers"


def _next_commands() -> tuple[str, ...]:
    return (
        f"rank --model {_MODEL}",
        f"choose --model {_MODEL} --tokens-per-day 1e9 --budget 1000000",
        "refresh    # fetch today's prices",
    )


def _where(row: Row) -> str:
    number_format = f" {row['number_format']}" if row["number_format"] else ""
    return f"{row['benchmark_id']} {row['scenario']}{number_format}, {row['release']}"


def _near(path: Path) -> str:
    """Return a path as seen from the working directory, if it lies in it."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def _command() -> str:
    """Return how the command is typed here: by its name if the shell finds it, else by its path."""
    return (
        "accelmart" if shutil.which("accelmart") else min(sys.argv[0], os.path.relpath(sys.argv[0]), key=len)
    )


def _line(text: str) -> None:
    for line in textwrap.wrap(
        text, _WIDTH, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False
    ):
        say(line)
