"""What serving so many output tokens a day would cost."""

from __future__ import annotations

import inspect
import math

from accelmart.errors import QuestionError
from accelmart.estimate import economics
from accelmart.estimate.measured_serving import serve_at_speed
from accelmart.estimate.request import NOT_OFFICIAL, Estimate, Request, requested
from accelmart.published import Database, Row
from accelmart.words import round_of

# figures in proportion to the price of an hour
_RENTS = ("usd_per_output_mtok_at_full_use", "usd_per_output_mtok", "rental_usd_per_day")
_BYTES = {
    **dict.fromkeys(("fp4", "mxfp4", "int4", "uint4"), 0.5),
    **dict.fromkeys(("fp8", "int8"), 1.0),
    **dict.fromkeys(("fp16", "bf16"), 2.0),
    "fp32": 4.0,
}

_ESTIMATED = """
select * from estimate_serving(
    $tokens_per_day::double, $speed::double, utilisation := $utilisation_pct::double,
    price := $usd_per_accelerator_hour::double, capex := $hardware_usd_per_accelerator::double,
    watts := $watts_per_accelerator::double, pue := $pue::double, electricity := $electricity_usd_per_kwh::double,
    kg_co2e_per_kwh := $kg_co2e_per_kwh::double, memory_gb_each := $memory_gb::double, params := $params::double,
    weight_bytes := $weight_bytes::double, kv_cache_bytes := $kv_bytes::double,
    context_length := $context_length::double, sequences := $sequences::double,
    depreciation_years := $depreciation_years::double,
    bought_together := accelerators_bought($accelerator::varchar, 1, node_size := $node::integer)
)
"""
# what no measured frontier depends on
_OF_MLPERF = (
    *("mlperf_scenario", "params", "kv_cache", "context_length", "sequences"),
    *("pue", "electricity", "grid", "capex", "depreciation_years"),
)


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
    scenario: str | None = None,
    mlperf_scenario: str = "Server",
    utilisation: float = 60,
    params: float | None = None,
    weights: str | None = None,
    kv_cache: str = "fp16",
    context_length: int = 8192,
    sequences: int = 16,
    pue: float | None = None,
    electricity: float | None = None,
    grid: str | None = None,
    capex: float | None = None,
    depreciation_years: float | None = None,
    database: Database = None,
) -> Estimate:
    """Estimate accelerators, cost, energy and memory of serving output tokens, a day or at a speed of each user.

    With ``tokens_per_s_per_user`` the answer is an MLPerf result whose limit on latency guarantees that speed, else
    read from a frontier that was measured outside of MLPerf, else null with a reason. Without it, MLPerf's throughput
    is used.

    Args:
        model: MLCommons' benchmark, such as ``llama3.1-405b``; any name together with ``params``. With
            ``tokens_per_s_per_user`` also a ``model_id`` of measured serving.
        tokens_per_day: output tokens a day, such as 1e9; needed unless ``tokens_per_s_per_user`` is given.
        tokens_per_s_per_user: output tokens per second that each user receives. Rent at the price level and ownership
            are in the answer without a price.
        workload: what was served, where frontiers of several workloads were measured.
        accelerator: key of dim_accelerator or a usual name; default: the cheapest per token of those measured and
            priced, without a price of those with a price level if there are any.
        price: dollars per accelerator-hour; at most one of price, provider and scenario, without one rent at the price
            level of the accelerator, with its range.
        provider: a seller: its lowest price in force.
        pricing: pricing model of the seller, or of the price level.
        scenario: an ownership scenario, such as ``hyperscaler``.
        mlperf_scenario: measured throughput of Server, Offline or Interactive.
        utilisation: per cent of the measured throughput that is used on average.
        params: (active) parameters of a model MLPerf does not have: throughput is extrapolated.
        weights: number format of the weights; default: the measured result's.
        kv_cache: number format of the KV cache.
        context_length: tokens of context of a sequence.
        sequences: sequences at a time in a replica.
        pue: power usage effectiveness, 1 to 5.
        electricity: dollars per kWh.
        grid: grid for CO2e, such as ``us_2022`` or ``world_2023``.
        capex: dollars per accelerator with its share of server, network, storage.
        depreciation_years: economic life of hardware in years.
        database: file, folder or URL of the warehouse, or one that is open; None is the published one.

    Returns:
        The estimate; dollars, joules and gigabytes as named, rent with low and high of the price level. ``size_note``
        is among the figures where the price is of fewer accelerators than were measured. State what ``extrapolations``
        says, and never rank a result with what stands ``apart``.

    Raises:
        QuestionError: an option cannot be used.
        NotPublishedError: there is no warehouse file.
    """
    given = {**locals()}
    if tokens_per_s_per_user is None:
        _check_load(given)
        with requested(given) as asked:
            return _serve_load(asked)
    _check_speed(given)
    with requested(given) as asked:
        return serve_at_speed(asked)


def _check_speed(given: Row) -> None:
    """Raise QuestionError if an option cannot be used with a speed of each user."""
    defaults = inspect.signature(estimate_serving).parameters
    if changed := [name for name in _OF_MLPERF if given[name] != defaults[name].default]:
        raise QuestionError(
            f"{', '.join(changed)} cannot be combined with tokens_per_s_per_user: a measured frontier does not "
            "depend on it"
        )
    if given["accelerator"] is None and any(
        given[name] is not None for name in ("price", "provider", "scenario")
    ):
        raise QuestionError(
            "price, provider and scenario need accelerator with tokens_per_s_per_user; rent and ownership are "
            "answered without them"
        )


def _check_load(given: Row) -> None:
    """Raise QuestionError if the load is missing, or an option cannot be used without a speed of each user."""
    if given["workload"] is not None:
        raise QuestionError("workload needs tokens_per_s_per_user: MLPerf's workloads are its benchmarks")
    if given["tokens_per_day"] is None:
        raise QuestionError("tokens_per_day is missing: give it, or tokens_per_s_per_user")
    for name in ("weights", "kv_cache"):
        if given[name] is not None and given[name] not in _BYTES:
            raise QuestionError(f"{name} is {given[name]}: it must be one of {', '.join(_BYTES)}")
    if given["accelerator"] is None and given["price"] is not None:
        raise QuestionError("price needs accelerator: it is the price of one; name any of dim_accelerator")


def _serve_load(asked: Request) -> Estimate:
    """Estimate from the throughput of the best MLPerf result."""
    done = asked.done
    asked.mlperf_scenario = asked.names.key("MLPerf scenario", asked.mlperf_scenario)
    if asked.params is None or asked.names.is_known("model", asked.model):
        asked.model = asked.names.key("model", asked.model)
    model, factor = _served_model(asked)
    result, rate = _chosen(asked, model["benchmark_id"])
    part = asked.one("from dim_accelerator where accelerator_id = $chosen", chosen=result["chosen"])
    weights = _weights(asked, part, result)
    done.inputs = {
        "model": asked.model,
        "benchmark_id": model["benchmark_id"],
        "params": asked.params if asked.params is not None else model["parameters"],
        "tokens_per_day": asked.tokens_per_day,
        "accelerator": result["chosen"],
        "mlperf_scenario": asked.mlperf_scenario,
        "utilisation_pct": asked.utilisation,
        "weights": weights,
        "kv_cache": asked.kv_cache,
        "context_length": asked.context_length,
        "sequences": asked.sequences,
        **rate,
    }
    speed = _speed(asked, result, weights, factor)
    kv_bytes = _kv_cache(asked, model, weights)
    done.inputs |= economics.costs(asked, part["accelerator_id"])
    figures = asked.one(
        _ESTIMATED,
        **done.inputs,
        speed=speed,
        memory_gb=part["memory_gb"],
        weight_bytes=_BYTES[weights],
        kv_bytes=kv_bytes or 0,
        # an extrapolated result says nothing about the nodes of this accelerator
        node=result["accelerators_per_node"] if result["accelerator_id"] == result["chosen"] else None,
    )
    done.figures = economics.with_price_range(figures, rate, _RENTS)
    done.figures["uncertainty_basis"] = f"one result; {economics.price_uncertainty(rate)}"
    economics.note_purchase(asked)
    _mark_other_size(asked, result)
    done.basis.append(
        "A replica is the fewest accelerators that hold it; whole replicas are paid and powered all day at full "
        "draw, so energy per token is an upper bound at low utilisation."
    )
    served = {"benchmark": result["benchmark_id"], "mlperf_scenario": asked.mlperf_scenario}
    done.figures |= economics.measured_energy(asked, result["chosen"], served)
    if kv_bytes is None:
        done.figures |= {"kv_cache_bytes_per_token": None, "kv_cache_gb": None}
    return done


_SIZE_NOTE = """
select size_note([f.machine_accelerators], $measured) as note
from mart_price_current as c
inner join fct_price_interval as f on c.best_offer_id = f.offer_id
where c.provider = $provider and c.pricing_model = $pricing and c.accelerator_id = $chosen
order by f.valid_from desc limit 1
"""


def _mark_other_size(asked: Request, result: Row) -> None:
    """State another number of accelerators than measured: of the fleet, and as ``size_note`` of a seller's machine."""
    fleet, size = asked.done.figures["accelerators"], result["accelerator_count"]
    if fleet != size:
        asked.done.extrapolate(
            "scale",
            f"To another scale: measured on a system of {size:,}, used for {fleet:,} as replicas of "
            f"{asked.done.figures['fewest_accelerators'] or 1:,} at the same throughput per accelerator.",
        )
    for row in asked.rows(_SIZE_NOTE, measured=result["accelerator_count"], chosen=result["chosen"]):
        if row["note"] is not None:
            asked.done.figures["size_note"] = row["note"]
            asked.done.extrapolate("machine", f"To another machine: {row['note']}.")


def _chosen(asked: Request, benchmark: str) -> tuple[Row, Row]:
    """Return the result that the estimate rests on, with the accelerator in ``chosen``, and what an hour costs."""
    done, accelerator = asked.done, asked.accelerator
    candidates = {row["accelerator_id"]: row for row in asked.rows(_MEASURED, benchmark=benchmark)}
    if accelerator is not None:
        candidates = {accelerator: candidates.get(accelerator) or _by_bandwidth(asked, candidates)}
    rates = economics.prices(asked, candidates)
    # a plain median stands for its own sellers only: never before a price level
    has_level = any("usd_per_accelerator_hour_low" in rate for rate in rates.values())
    compared = [a for a, rate in rates.items() if not has_level or "usd_per_accelerator_hour_low" in rate]
    chosen = min(compared, key=lambda a: rates[a]["usd_per_accelerator_hour"] / candidates[a]["tokens_per_s"])
    rate, result = economics.take_rate(asked, rates[chosen]), candidates[chosen]
    if accelerator is None:
        done.basis.append(
            f"{chosen} is the cheapest per token of {len(compared)} accelerators measured and priced"
            f"{' at a price level' if has_level else ''}."
        )
    done.rest_on(result["result_id"])
    done.basis.append(
        f"Measured: MLPerf Inference {round_of(result)} {result['submission_id']}, closed, {result['submitter']}, "
        f"{result['system_name']}, {result['benchmark_id']} {asked.mlperf_scenario}: "
        f"{result['output_tokens_per_s_per_accelerator']:,.1f} output tokens/s per {result['accelerator_id']} "
        f"(result {result['result_id']}), the best available result of any round. {NOT_OFFICIAL}"
    )
    return {**result, "chosen": chosen}, rate


def _weights(asked: Request, part: Row, result: Row) -> str:
    """Return the number format of the weights: as asked for, else the smallest of the part from the result's on."""
    measured: str | None = asked.weights or result["weight_number_formats"]
    if asked.weights is None:
        if measured in ("fp4", "mxfp4") and part["fp4_dense_tflops"] is None:
            measured = "fp8"
        if measured == "fp8" and part["fp8_dense_tflops"] is None:
            measured = "fp16"
    if measured in _BYTES:
        return measured
    asked.done.basis.append("The result does not say the format of its weights: fp16 is assumed for memory.")
    return "fp16"


def _speed(asked: Request, result: Row, weights: str, factor: float) -> float:
    """Return output tokens per second of one accelerator, extrapolated to part, model and format."""
    tokens_per_s: float = result["tokens_per_s"] * factor
    if result["accelerator_id"] != result["chosen"]:
        asked.done.extrapolate(
            "accelerator",
            f"To another accelerator: measured on {result['accelerator_id']}, taken to {result['chosen']} in "
            f"proportion to memory bandwidth (x {result['ratio']:.3f}), which bounds decoding; it is not measured "
            "there.",
        )
    measured = result["weight_number_formats"]
    if measured in _BYTES and _BYTES[weights] > _BYTES[measured]:
        # more bytes to read for each token; fewer are not counted as a gain
        share = _BYTES[measured] / _BYTES[weights]
        tokens_per_s *= share
        asked.done.extrapolate(
            "format",
            f"To another number format: measured with weights in {measured}, taken to {weights} in inverse proportion "
            f"to their bytes (x {share:.3g}).",
        )
    return tokens_per_s


def _kv_cache(asked: Request, model: Row, weights: str) -> float | None:
    """Return bytes of KV cache of one token of context; None where the model's dimensions are not known."""
    if model["layers"] is None or asked.params is not None:
        asked.done.basis.append(
            f"Memory of a replica: weights in {weights} alone; the model's dimensions are not known, its KV cache "
            "comes on top."
        )
        return None
    asked.done.basis.append(
        f"Memory of a replica: weights in {weights}, KV cache in {asked.kv_cache} for {asked.sequences:,} sequences "
        f"of {asked.context_length:,} tokens (dimensions: {model['architecture_url']}); activations come on top. GB "
        "are 1e9 bytes."
    )
    row = asked.one(
        "select coalesce(kv_cache_bytes_per_token($layers::double, $kv_heads::double, $head_dim::double, "
        "$bytes::double), $layers::double * $kv_latent_values::double * $bytes::double) as b",
        **model,
        bytes=_BYTES[asked.kv_cache],
    )
    return float(row["b"])


_MODELS = """
select distinct t.benchmark_id, b.accuracy_target, a.parameters, a.active_parameters,
    a.layers, a.kv_heads, a.head_dim, a.kv_latent_values, a.source_url as architecture_url
from mart_token_throughput as t
inner join dim_benchmark as b on t.benchmark_id = b.benchmark_id and b.suite_kind = 'inference'
left join seeds.model_architectures as a
    on regexp_replace(lower(b.benchmark_family), '[^a-z0-9]', '', 'g')
    = regexp_replace(lower(a.model_id), '[^a-z0-9]', '', 'g')
where t.scenario = $mlperf_scenario
order by b.accuracy_target desc nulls last, t.benchmark_id
"""


def _served_model(asked: Request) -> tuple[Row, float]:
    """Return the benchmark that stands for a model, and the factor from its throughput to the model's."""
    models, params = {row["benchmark_id"]: row for row in asked.rows(_MODELS)}, asked.params
    if known := models.get(asked.model):
        if params is not None and known["active_parameters"] is not None:
            raise QuestionError(
                f"params is {params:g}: {asked.model} is measured and needs none; leave it out"
            )
        return known, 1.0
    if params is None:
        raise QuestionError(
            f"model is {asked.model}: there is no measured token result ({asked.mlperf_scenario}). Models: "
            f"{', '.join(sorted(models))}; for another model give params (above 0)"
        )
    # one number of parameters is a dense model's: experts that are loaded and not used cost something else
    nearest = min(
        (row for row in models.values() if row["active_parameters"]),
        key=lambda r: (
            r["active_parameters"] != r["parameters"],
            abs(math.log(r["active_parameters"] / params)),
        ),
    )
    factor = nearest["active_parameters"] / params
    asked.done.extrapolate(
        "model",
        f"To another model: measured on {nearest['benchmark_id']} of {nearest['active_parameters']:.4g} active "
        f"parameters, taken to {params:.4g} in inverse proportion (x {factor:.3f}); prompts, answers and limits on "
        "latency differ.",
    )
    return nearest, factor


_MEASURED = """
select t.*, t.output_tokens_per_s_per_accelerator as tokens_per_s, f.weight_number_formats, f.accelerators_per_node
from mart_token_throughput as t
left join fct_inference_result as f using (result_id)
where t.benchmark_id = $benchmark and t.scenario = $mlperf_scenario and t.is_representative
"""
_NEAREST_IN_BANDWIDTH = """
select d.accelerator_id, mine.memory_bandwidth_gb_s / d.memory_bandwidth_gb_s as ratio
from dim_accelerator as d, dim_accelerator as mine
where mine.accelerator_id = $accelerator and list_contains($measured, d.accelerator_id)
    and mine.memory_bandwidth_gb_s > 0 and d.memory_bandwidth_gb_s > 0
order by d.vendor is distinct from mine.vendor, abs(ln(ratio)), d.accelerator_id
limit 1
"""


def _by_bandwidth(asked: Request, measured: dict[str, Row]) -> Row:
    """Return the result of the part nearest in memory bandwidth, in proportion to it."""
    for row in asked.rows(_NEAREST_IN_BANDWIDTH, measured=list(measured)):
        nearest = measured[row["accelerator_id"]]
        return {**nearest, "ratio": row["ratio"], "tokens_per_s": nearest["tokens_per_s"] * row["ratio"]}
    raise QuestionError(
        f"accelerator is {asked.accelerator}: not measured, and without a memory bandwidth nothing can be taken from "
        f"others. Measured: {', '.join(sorted(measured))}"
    )
