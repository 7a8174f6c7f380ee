"""What serving so many output tokens a day would cost."""

from __future__ import annotations

import math
from dataclasses import replace

from accelmart.asked import Names
from accelmart.errors import QuestionError
from accelmart.estimate import economics
from accelmart.estimate.measured_serving import serve_at_speed
from accelmart.estimate.options import NOT_OFFICIAL, Estimate, Rate, Request, above_zero, optional
from accelmart.published import Database, Reader, Row, reading
from accelmart.words import round_of

# figures in proportion to the price of an hour
_RENTS = ("usd_per_output_mtok_at_full_use", "usd_per_output_mtok", "rental_usd_per_day")
_BYTES = {
    "fp32": 4.0,
    "fp16": 2.0,
    "bf16": 2.0,
    "fp8": 1.0,
    "int8": 1.0,
    "fp4": 0.5,
    "mxfp4": 0.5,
    "int4": 0.5,
    "uint4": 0.5,
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
    asked = Request(**{name: value for name, value in locals().items() if name != "database"})
    if tokens_per_s_per_user is None:
        if workload is not None:
            raise QuestionError("workload needs tokens_per_s_per_user: MLPerf's workloads are its benchmarks")
        return _by_mlperf(asked, database)
    if changed := asked.changed(_OF_MLPERF):
        raise QuestionError(
            f"{', '.join(changed)} cannot be combined with tokens_per_s_per_user: a measured frontier does not "
            "depend on it"
        )
    return serve_at_speed(asked, database)


def _check(asked: Request) -> None:
    """Raise QuestionError if a number or a number format is missing or cannot be used."""
    if asked.tokens_per_day is None:
        raise QuestionError("tokens_per_day is missing: give it, or tokens_per_s_per_user")
    above_zero("tokens_per_day", asked.tokens_per_day)
    optional("utilisation", asked.utilisation, highest=100, unit="per cent")
    optional("params", asked.params)
    above_zero("context_length", asked.context_length)
    above_zero("sequences", asked.sequences)
    for name, value in (("weights", asked.weights), ("kv_cache", asked.kv_cache)):
        if value is not None and value not in _BYTES:
            raise QuestionError(f"{name} is {value}: it must be one of {', '.join(_BYTES)}")
    asked.check_costs()


def _by_mlperf(asked: Request, database: Database) -> Estimate:
    """Estimate from the throughput of the best MLPerf result."""
    _check(asked)
    done = Estimate()
    with reading(database) as reader:
        names = Names(reader)
        scenario = names.key("MLPerf scenario", asked.mlperf_scenario)
        asked = replace(asked, mlperf_scenario=scenario, model=_model_named(names, asked))
        asked, done.notes = asked.resolved(names), names.notes
        if asked.accelerator is None and asked.price is not None:
            raise QuestionError(
                "price needs accelerator: it is the price of one; name any of dim_accelerator"
            )
        model_row, factor = _served_model(reader, asked, done)
        result, rate = _chosen(reader, model_row["benchmark_id"], asked, done)
        part = economics.accelerator_of(reader, result["chosen"])
        number_format = _weights(part, result, asked.weights, done)
        tokens_per_s = _speed(result, number_format, factor, done)
        kv_bytes = _kv_cache(reader, model_row, asked, number_format, done)
        costs = economics.costs(reader, part, asked, done)
        done.inputs = _inputs(asked, model_row, result["chosen"], number_format) | rate.inputs() | costs
        # an extrapolated result says nothing about the nodes of this accelerator
        node = result["accelerators_per_node"] if result["accelerator_id"] == result["chosen"] else None
        further = {
            "speed": tokens_per_s,
            "memory_gb": part["memory_gb"],
            "weight_bytes": _BYTES[number_format],
            "kv_bytes": kv_bytes or 0,
            "depreciation_years": asked.depreciation_years,
            "node": node,
        }
        figures = reader.computed(_ESTIMATED, done.inputs | further)
        done.figures = rate.spread(figures, _RENTS) | {"uncertainty_basis": f"one result; {rate.uncertainty}"}
        done.basis += economics.purchase(done.figures)
        _mark_smaller_machine(reader, done, result, asked)
        _add_evidence(reader, done, result, kv_bytes)
    return done


def _model_named(names: Names, asked: Request) -> str:
    """Return the benchmark that a model names, or the name of another model, of which the parameters are given."""
    if asked.params is not None and not names.is_known("model", asked.model):
        return asked.model
    return names.key("model", asked.model)


def _inputs(asked: Request, model_row: Row, accelerator: str, number_format: str) -> Row:
    """Return what the estimate is made of, units in the names."""
    return {
        "model": asked.model,
        "benchmark_id": model_row["benchmark_id"],
        "params": asked.params if asked.params is not None else model_row["parameters"],
        "tokens_per_day": asked.tokens_per_day,
        "accelerator": accelerator,
        "mlperf_scenario": asked.mlperf_scenario,
        "utilisation_pct": asked.utilisation,
        "weights": number_format,
        "kv_cache": asked.kv_cache,
        "context_length": asked.context_length,
        "sequences": asked.sequences,
    }


def _add_evidence(reader: Reader, done: Estimate, result: Row, kv_bytes: float | None) -> None:
    """Add the measured energy beside the modelled one, what a replica is, and the extrapolation to another scale."""
    done.basis.append(
        "A replica is the fewest accelerators that hold it; whole replicas are paid and powered all day at full "
        "draw, so energy per token is an upper bound at low utilisation."
    )
    served = (result["benchmark_id"], done.inputs["mlperf_scenario"])
    done.figures |= economics.measured_energy(reader, result["chosen"], served, done)
    if kv_bytes is None:
        done.figures |= {"kv_cache_bytes_per_token": None, "kv_cache_gb": None}
    fleet, size = done.figures["accelerators"], result["accelerator_count"]
    if fleet != size:
        done.extrapolate(
            "scale",
            f"To another scale: measured on a system of {size:,}, used for {fleet:,} as replicas of "
            f"{done.figures['fewest_accelerators'] or 1:,} at the same throughput per accelerator.",
        )


def _mark_smaller_machine(reader: Reader, done: Estimate, result: Row, asked: Request) -> None:
    """Put ``size_note`` beside the cost of tokens if a seller's price is of fewer accelerators than were measured."""
    if asked.provider is None:
        return
    rows = reader.rows(
        """
        select size_note([f.machine_accelerators], $measured) as note
        from mart_price_current as c
        inner join fct_price_interval as f on c.best_offer_id = f.offer_id
        where c.provider = $provider and c.pricing_model = $pricing and c.accelerator_id = $accelerator
        order by f.valid_from desc limit 1
        """,
        {
            "measured": result["accelerator_count"],
            "provider": asked.provider,
            "pricing": asked.pricing,
            "accelerator": result["chosen"],
        },
    )
    if not rows or rows[0]["note"] is None:
        return
    note = rows[0]["note"]
    marked: Row = {}
    for name, value in done.figures.items():
        marked[name] = value
        if name == "usd_per_output_mtok":
            marked["size_note"] = note
    done.figures = marked
    done.extrapolate("machine", f"To another machine: {note}.")


def _chosen(reader: Reader, benchmark: str, asked: Request, done: Estimate) -> tuple[Row, Rate]:
    """Return the result that the estimate rests on, with the accelerator in ``chosen``, and what an hour costs."""
    scenario, accelerator = asked.mlperf_scenario, asked.accelerator
    candidates = _measured_throughput(reader, benchmark, scenario)
    if accelerator is not None and accelerator not in candidates:
        candidates[accelerator] = _throughput_by_bandwidth(reader, accelerator, candidates)
    if accelerator is not None:
        candidates = {accelerator: candidates[accelerator]}
    rates = economics.prices(reader, asked, list(candidates))
    priced = {a: r for a, r in candidates.items() if a in rates}
    # a plain median stands for its own sellers only: never before a price level
    has_level = any(rates[a].low is not None for a in priced)
    compared = [a for a in priced if rates[a].low is not None or not has_level]
    chosen = min(compared, key=lambda a: rates[a].usd / priced[a]["tokens_per_s"])
    rate = rates[chosen]
    done.basis.append(rate.words)
    result = priced[chosen]
    if accelerator is None:
        done.basis.append(
            f"{chosen} is the cheapest per token of {len(compared)} accelerators measured and priced"
            f"{' at a price level' if has_level else ''}."
        )
    done.rest_on(result["result_id"])
    done.basis.append(
        f"Measured: MLPerf Inference {round_of(result)} {result['submission_id']}, closed, {result['submitter']}, "
        f"{result['system_name']}, {result['benchmark_id']} {scenario}: "
        f"{result['measured_tokens_per_s']:,.1f} output tokens/s per {result['accelerator_id']} "
        f"(result {result['result_id']}), the best available result of any round. {NOT_OFFICIAL}"
    )
    return {**result, "chosen": chosen}, rate


def _weights(part: Row, result: Row, weights: str | None, done: Estimate) -> str:
    """Number format of the weights: as asked for, else the result's."""
    number_format = weights or _format_on(part, result["weight_number_formats"])
    if number_format in _BYTES:
        return number_format
    done.basis.append("The result does not say the format of its weights: fp16 is assumed for memory.")
    return "fp16"


def _speed(result: Row, number_format: str, factor: float, done: Estimate) -> float:
    """Return output tokens per second of one accelerator, extrapolated to part, model and format."""
    chosen = result["chosen"]
    tokens_per_s: float = result["tokens_per_s"] * factor
    if result["accelerator_id"] != chosen:
        done.extrapolate(
            "accelerator",
            f"To another accelerator: measured on {result['accelerator_id']}, taken to {chosen} in proportion to "
            f"memory bandwidth (x {result['ratio']:.3f}), which bounds decoding; it is not measured there.",
        )
    measured_format = result["weight_number_formats"]
    if measured_format in _BYTES and _BYTES[number_format] > _BYTES[measured_format]:
        # more bytes to read for each token; fewer are not counted as a gain
        tokens_per_s *= _BYTES[measured_format] / _BYTES[number_format]
        done.extrapolate(
            "format",
            f"To another number format: measured with weights in {measured_format}, taken to {number_format} in "
            f"inverse proportion to their bytes (x {_BYTES[measured_format] / _BYTES[number_format]:.3g}).",
        )
    return tokens_per_s


def _kv_cache(
    reader: Reader, model_row: Row, asked: Request, number_format: str, done: Estimate
) -> float | None:
    """Return bytes of KV cache of one token of context; None where the model's dimensions are not known."""
    if model_row["layers"] is None or asked.params is not None:
        done.basis.append(
            f"Memory of a replica: weights in {number_format} alone; the model's dimensions are not known, its KV "
            "cache comes on top."
        )
        return None
    done.basis.append(
        f"Memory of a replica: weights in {number_format}, KV cache in {asked.kv_cache} for {asked.sequences:,} "
        f"sequences of {asked.context_length:,} tokens (dimensions: {model_row['architecture_url']}); activations come "
        "on top. GB are 1e9 bytes."
    )
    row = reader.one(
        "select coalesce(kv_cache_bytes_per_token($layers::double, $heads::double, $size::double, $bytes::double), "
        "$layers::double * $latent::double * $bytes::double) as b",
        {
            "layers": model_row["layers"],
            "heads": model_row["kv_heads"],
            "size": model_row["head_dim"],
            "latent": model_row["kv_latent_values"],
            "bytes": _BYTES[asked.kv_cache],
        },
    )
    return float(row["b"])


def _served_model(reader: Reader, asked: Request, done: Estimate) -> tuple[Row, float]:
    """Return the benchmark that stands for a model, and the factor from its throughput to the model's."""
    params, scenario = asked.params, asked.mlperf_scenario
    rows = reader.rows(
        """
        select distinct t.benchmark_id, b.accuracy_target, a.parameters, a.active_parameters,
            a.layers, a.kv_heads, a.head_dim, a.kv_latent_values, a.source_url as architecture_url
        from mart_token_throughput as t
        inner join dim_benchmark as b on t.benchmark_id = b.benchmark_id and b.suite_kind = 'inference'
        left join seeds.model_architectures as a
            on regexp_replace(lower(b.benchmark_family), '[^a-z0-9]', '', 'g')
            = regexp_replace(lower(a.model_id), '[^a-z0-9]', '', 'g')
        where t.scenario = $scenario
        order by b.accuracy_target desc nulls last, t.benchmark_id
        """,
        {"scenario": scenario},
    )
    for row in rows:
        if row["benchmark_id"] == asked.model:
            if params is not None and row["active_parameters"] is not None:
                raise QuestionError(
                    f"params is {params:g}: {row['benchmark_id']} is measured and needs none; leave it out"
                )
            return row, 1.0
    if params is None:
        raise QuestionError(
            f"model is {asked.model}: there is no measured token result ({scenario}). Models: "
            f"{', '.join(sorted(r['benchmark_id'] for r in rows))}; for another model give params (above 0)"
        )
    sized = [r for r in rows if r["active_parameters"]]
    # one number of parameters is a dense model's: experts that are loaded and not used cost something else
    nearest = min(
        sized,
        key=lambda r: (
            r["active_parameters"] != r["parameters"],
            abs(math.log(r["active_parameters"] / params)),
        ),
    )
    factor = nearest["active_parameters"] / params
    done.extrapolate(
        "model",
        f"To another model: measured on {nearest['benchmark_id']} of {nearest['active_parameters']:.4g} active "
        f"parameters, taken to {params:.4g} in inverse proportion (x {factor:.3f}); prompts, answers and limits on "
        "latency differ.",
    )
    return nearest, factor


def _format_on(part: Row, measured: str | None) -> str | None:
    """The measured format, or the smallest above it that the part calculates with."""
    if measured in ("fp4", "mxfp4") and part["fp4_dense_tflops"] is None:
        return "fp8" if part["fp8_dense_tflops"] is not None else "fp16"
    if measured == "fp8" and part["fp8_dense_tflops"] is None:
        return "fp16"
    return measured


def _measured_throughput(reader: Reader, benchmark: str, scenario: str) -> dict[str, Row]:
    rows = reader.rows(
        """
        select t.*, t.output_tokens_per_s_per_accelerator as tokens_per_s,
            t.output_tokens_per_s_per_accelerator as measured_tokens_per_s, 1.0::double as ratio,
            f.weight_number_formats, f.accelerators_per_node
        from mart_token_throughput as t
        left join fct_inference_result as f using (result_id)
        where t.benchmark_id = $benchmark and t.scenario = $scenario and t.is_representative
        """,
        {"benchmark": benchmark, "scenario": scenario},
    )
    return {r["accelerator_id"]: r for r in rows}


def _throughput_by_bandwidth(reader: Reader, accelerator: str, measured: dict[str, Row]) -> Row:
    """The result of the part nearest in memory bandwidth, in proportion to it."""
    rows = reader.rows(
        """
        select d.accelerator_id, mine.memory_bandwidth_gb_s / d.memory_bandwidth_gb_s as ratio
        from dim_accelerator as d, dim_accelerator as mine
        where mine.accelerator_id = $id and list_contains($measured, d.accelerator_id)
            and mine.memory_bandwidth_gb_s > 0 and d.memory_bandwidth_gb_s > 0
        order by d.vendor is distinct from mine.vendor, abs(ln(ratio)), d.accelerator_id
        limit 1
        """,
        {"id": accelerator, "measured": list(measured)},
    )
    if not rows:
        raise QuestionError(
            f"accelerator is {accelerator}: not measured, and without a memory bandwidth nothing can be taken from "
            f"others. Measured: {', '.join(sorted(measured))}"
        )
    nearest = measured[rows[0]["accelerator_id"]]
    return {**nearest, "ratio": rows[0]["ratio"], "tokens_per_s": nearest["tokens_per_s"] * rows[0]["ratio"]}
