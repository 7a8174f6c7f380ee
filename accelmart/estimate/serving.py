"""What serving so many output tokens a day would cost."""

from __future__ import annotations

from accelmart.estimate.request import Estimate, ask
from accelmart.published import Database


def estimate_serving(
    model: str,
    tokens_per_day: float | None = None,
    *,
    tokens_per_s_per_user: float | None = None,
    workload: str | None = None,
    accelerator: str | None = None,
    price: float | None = None,
    provider: str | None = None,
    pricing: str = "on_demand",
    region: str | None = None,
    scenario: str | None = None,
    mlperf_scenario: str = "Server",
    utilisation: float = 60,
    params: float | None = None,
    weights: str | None = None,
    kv_cache: str = "fp16",
    context_length: int = 8192,
    sequences: int = 16,
    pue: float | None = None,
    electricity: float | str | None = None,
    grid: str | None = None,
    capex: float | None = None,
    depreciation_years: float | None = None,
    database: Database = None,
) -> Estimate:
    """Estimate accelerators, cost, energy and memory of serving output tokens, a day or at a speed of each user.

    Args:
        model: MLCommons' benchmark, such as ``llama3.1-405b``; any name together with ``params``. With
            ``tokens_per_s_per_user`` also a ``model_id`` of measured serving.
        tokens_per_day: output tokens a day, such as 1e9; needed unless ``tokens_per_s_per_user`` is given.
        tokens_per_s_per_user: output tokens per second that each user receives. The answer is an MLPerf result whose
            limit on latency guarantees it, else a frontier measured outside of MLPerf, else null with a reason.
        workload: what was served, where frontiers of several workloads were measured.
        accelerator: key of dim_accelerator or a usual name; default: the cheapest per token of those with a price.
        price, provider, pricing, region, scenario: what an hour costs, as in `estimate_training`.
        mlperf_scenario: measured throughput of Server, Offline or Interactive.
        utilisation: per cent of the measured throughput that is used on average.
        params: (active) parameters of a model MLPerf does not have: throughput is extrapolated.
        weights, kv_cache: number formats; of the weights by default that of the measured result.
        context_length, sequences: tokens of context, and sequences at a time in a replica.
        pue, electricity, grid, capex, depreciation_years: site and hardware, as in `estimate_training`.
        database: file, folder or URL of the warehouse, or one that is open; None is the published one.

    Returns:
        The estimate, units in the names. ``size_note`` is set where the price is of fewer accelerators than were
        measured. State what ``extrapolations`` says, and never rank a result with what stands ``apart``.

    Raises:
        QuestionError: an option cannot be used.
        NotPublishedError: there is no warehouse file.
    """
    return ask(
        "estimate_serving",
        database,
        model=model,
        tokens_per_day=tokens_per_day,
        tokens_per_s_per_user=tokens_per_s_per_user,
        workload=workload,
        accelerator=accelerator,
        price=price,
        provider=provider,
        pricing=pricing,
        region=region,
        scenario=scenario,
        mlperf_scenario=mlperf_scenario,
        utilisation=utilisation,
        params=params,
        weights=weights,
        kv_cache=kv_cache,
        context_length=context_length,
        sequences=sequences,
        pue=pue,
        electricity=electricity,
        grid=grid,
        capex=capex,
        depreciation_years=depreciation_years,
    )
