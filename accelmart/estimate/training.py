"""What training a model on so many tokens would cost."""

from __future__ import annotations

from accelmart.estimate.request import Estimate, ask
from accelmart.published import Database


def estimate_training(
    params: float,
    tokens: float,
    accelerator: str,
    gpus: int,
    *,
    price: float | None = None,
    provider: str | None = None,
    pricing: str = "on_demand",
    region: str | None = None,
    scenario: str | None = None,
    layers: int | None = None,
    hidden: int | None = None,
    sequence_length: int | None = None,
    mfu: float | None = None,
    precision: str | None = None,
    total_params: float | None = None,
    pue: float | None = None,
    electricity: float | str | None = None,
    grid: str | None = None,
    capex: float | None = None,
    depreciation_years: float | None = None,
    database: Database = None,
) -> Estimate:
    """Estimate time, cost, energy and memory of training a model on so many tokens.

    Args:
        params: parameters, such as 70e9; of a mixture of experts all of a known one, or the active ones with
            ``total_params``.
        tokens: trained tokens, such as 15e12.
        accelerator: key of dim_accelerator or a usual name, such as ``H100``.
        gpus: accelerators that work on it.
        price, scenario: dollars per accelerator-hour, or an ownership scenario such as ``hyperscaler``.
        provider, pricing: a seller: its lowest price in force. Of price, provider and scenario at most one; without one
            rent at the price level of the accelerator, with its range.
        region: a place (Germany or DE, EU, us-east-1): the median rent of its sellers, its grid and its price of
            electricity; price, provider, scenario, grid and electricity replace them.
        layers, hidden, sequence_length: of the transformer; default: of the known model that size.
        mfu: per cent of the dense peak of ``precision``; default: what was measured.
        precision: number format of the run: bf16, fp8 or fp4; default: the measured one, with ``mfu`` bf16.
        total_params: all parameters of a mixture of experts, which memory holds.
        pue: power usage effectiveness, 1 to 5.
        electricity: dollars per kWh, or a place whose price is known.
        grid: grid for CO2e: a place such as ``Germany``, or a grid_id such as ``us_2022``.
        capex: dollars per accelerator with its share of server, network, storage; default: mart_tco's, or a list price.
        depreciation_years: economic life of hardware in years.
        database: file, folder or URL of the warehouse, or one that is open; None is the published one.

    Returns:
        The estimate; dollars, hours, joules and gigabytes as named, with low and high where the speed has them; a
        rental also with those of the price level.

    Raises:
        QuestionError: an option cannot be used, or nothing measured or published can stand for the run.
        NotPublishedError: there is no warehouse file.
    """
    return ask(
        "estimate_training",
        database,
        params=params,
        tokens=tokens,
        accelerator=accelerator,
        gpus=gpus,
        price=price,
        provider=provider,
        pricing=pricing,
        region=region,
        scenario=scenario,
        layers=layers,
        hidden=hidden,
        sequence_length=sequence_length,
        mfu=mfu,
        number_format=precision,
        total_params=total_params,
        pue=pue,
        electricity=electricity,
        grid=grid,
        capex=capex,
        depreciation_years=depreciation_years,
    )
