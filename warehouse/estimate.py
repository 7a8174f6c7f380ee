"""What training a model or serving it would cost: time, money, energy, memory.

Formulas and assumptions are macros and seeds of the published file (``estimate_training``, ``estimate_serving``,
``seeds.estimate_constants``); here the measured result, the price and the power that go into them are chosen, and
every choice and every extrapolation is put into words.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ingest.errors import AccelmartError
from ingest.words import did_you_mean, plain
from warehouse.query import query

Row = dict[str, Any]

_BYTES = {
    "fp32": 4.0,
    "fp16": 2.0,
    "bf16": 2.0,
    "fp8": 1.0,
    "int8": 1.0,
    "fp4": 0.5,
    "mxfp4": 0.5,
    "int4": 0.5,
}
_BYTES["uint4"] = 0.5
_PEAKS = ("bf16", "fp8", "fp4")
# within so much a model is the known one, as published counts are rounded (405B is 405.85e9)
_SAME_MODEL = 0.01
_SAME_SCALE = 0.10
_NOT_OFFICIAL = "Derived here from MLPerf results; not verified by MLCommons."


class EstimateError(AccelmartError):
    """An option that cannot be used; the message names it and what is allowed."""


@dataclass(frozen=True)
class Price:
    """How an accelerator-hour is paid: exactly one of ``usd``, ``provider`` and ``scenario``.

    Args:
        usd: dollars per accelerator-hour.
        provider: a seller of mart_price_current; its lowest price in force.
        pricing: pricing model of that seller.
        scenario: an ownership scenario of mart_tco.
    """

    usd: float | None = None
    provider: str | None = None
    pricing: str = "on_demand"
    scenario: str | None = None


@dataclass(frozen=True)
class Site:
    """Where it runs; None takes the default of mart_energy and the constants.

    Args:
        pue: at least 1.
        electricity: dollars per kWh.
        grid: key of the seed grid_intensity.
    """

    pue: float | None = None
    electricity: float | None = None
    grid: str | None = None


@dataclass
class Estimate:
    """An estimate and all it rests on.

    Args:
        inputs: what it was made of, units in the names.
        figures: what came out, units in the names; None where something is unknown, and ``basis`` says what.
        basis: each choice in a sentence.
        extrapolations: where nothing measured fits, in a sentence each; empty when all was measured.
        results: ids of the MLPerf results used.
    """

    inputs: Row = field(default_factory=dict)
    figures: Row = field(default_factory=dict)
    basis: list[str] = field(default_factory=list)
    extrapolations: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)


def estimate_training(
    database: Path,
    *,
    params: float,
    tokens: float,
    accelerator: str,
    gpus: int,
    price: Price,
    site: Site | None = None,
    layers: int | None = None,
    hidden: int | None = None,
    sequence_length: int | None = None,
    mfu: float | None = None,
    precision: str = "bf16",
    capex: float | None = None,
    depreciation_years: float | None = None,
    total_params: float | None = None,
) -> Estimate:
    """Training of a model on so many tokens.

    Args:
        database: the published file.
        params: parameters (of a mixture of experts, the active ones).
        tokens: trained tokens.
        accelerator: key of dim_accelerator.
        gpus: accelerators that work on it.
        price: how an accelerator-hour is paid.
        site: PUE, electricity, grid.
        layers: of the transformer, with ``hidden`` and ``sequence_length``; None takes a known model's.
        hidden: width of the residual stream.
        sequence_length: tokens of a sequence.
        mfu: per cent of the dense peak of ``precision``; None takes the nearest measured.
        precision: bf16, fp8 or fp4: what MFU is stated against.
        capex: all-in dollars of one accelerator; None takes mart_tco's or the street price.
        depreciation_years: economic life of hardware.
        total_params: all parameters of a mixture of experts, which memory holds; None: as many as ``params``.

    Returns:
        The estimate; dollars, hours, joules and gigabytes as named.

    Raises:
        EstimateError: an option cannot be used.
        NoWarehouseError: nothing is published.
    """
    site = site or Site()
    _above_zero("--params", params)
    _above_zero("--tokens", tokens)
    _above_zero("--gpus", gpus)
    _optional("--mfu", mfu, highest=100, unit="per cent of the dense peak")
    _optional("--capex", capex, unit="dollars per accelerator")
    _optional("--depreciation-years", depreciation_years, unit="years")
    _optional("--total-params", total_params)
    if total_params is not None and total_params < params:
        raise EstimateError(
            f"--total-params is {total_params:g}: it must be at least --params, the active ones ({params:g})"
        )
    _check_site(site)
    _check_price(price)
    if precision not in _PEAKS:
        raise EstimateError(f"--precision is {precision}: it must be one of {', '.join(_PEAKS)}")
    given = [layers, hidden, sequence_length]
    if any(v is not None for v in given) and None in given:
        raise EstimateError("--layers, --hidden and --sequence-length go together: give all three or none")
    for option, value in zip(("--layers", "--hidden", "--sequence-length"), given, strict=True):
        _optional(option, value)
    part = _accelerator(database, accelerator)
    peak = part[f"{precision}_dense_tflops"]
    if peak is None:
        known = [p for p in _PEAKS if part[f"{p}_dense_tflops"] is not None]
        raise EstimateError(
            f"--precision is {precision}: {accelerator} has no dense {precision} peak in the specifications "
            f"(it has {', '.join(known) or 'none'})"
        )

    done = Estimate()
    if layers is None:
        layers, hidden, sequence_length = _dimensions(database, params, done)
    else:
        done.basis.append("FLOPs per token are 6·P + 12·L·d·s with the dimensions given.")
    reference = _training_reference(database, params, part, gpus, precision)
    if mfu is not None:
        done.basis.append(
            f"MFU of {mfu:g} % of the dense {precision.upper()} peak is an input, not measured."
        )
        if reference:
            done.basis.append(
                f"For comparison, the nearest measured: {_training_words(reference, precision)}"
            )
    elif reference is None:
        raise EstimateError(
            f"no measured training result can stand for {accelerator} at {precision}: give --mfu (above 0, at most 100)"
        )
    else:
        mfu = reference["mfu"]
        done.results.append(reference["result_id"])
        done.basis.append(f"Nearest measured: {_training_words(reference, precision)} {_NOT_OFFICIAL}")
        done.basis.append(
            f"MLPerf does not log the precision of a run, {precision.upper()} is only what MFU is stated against: "
            "training in BF16 alone can be slower than a run that used FP8; --mfu takes another share."
        )
        _training_extrapolations(reference, params, sequence_length, part, gpus, done)
    usd_per_hour, words = _prices(database, price, [accelerator])[accelerator]
    done.basis.append(words)
    hardware = _hardware(database, part, price, capex, done)
    watts = _watts(database, accelerator, done)
    where = _site(database, site, price.scenario, accelerator, done)
    done.basis.append(
        "Time is of training alone: failures, restarts and evaluations beyond MLPerf's are not counted."
    )
    done.basis.append(
        "Memory is weights, gradients and optimiser of mixed-precision Adam (16 bytes a parameter"
        f"{f', all {total_params:.4g}' if total_params else ''}), sharded over all accelerators; activations and "
        "buffers come on top. GB are 1e9 bytes."
    )
    done.basis.append(
        "Outlay is the hardware bought for the run at 80 % of creation, staff 18 %, power 2 % (shares of a public "
        "cost breakdown of 2023); rental and outlay are two ways to count, never added."
    )
    done.inputs = {
        "params": params,
        "total_params": total_params or params,
        "tokens": tokens,
        "accelerator": accelerator,
        "gpus": gpus,
        "layers": layers,
        "hidden": hidden,
        "sequence_length": sequence_length,
        "mfu_pct": mfu,
        "precision": precision,
        "dense_peak_tflops": peak,
        "usd_per_accelerator_hour": usd_per_hour,
        "hardware_usd_per_accelerator": hardware,
        "power_basis": "modelled" if watts is not None else None,
        "watts_per_accelerator": watts,
        **where,
    }
    done.figures = _one(
        database,
        """
        select * from estimate_training(
            $params::double, $tokens::double, $gpus::bigint, $mfu::double, $peak::double,
            layer_count := $layers::double, hidden := $hidden::double, sequence_len := $sequence::double,
            usd_per_hour := $usd::double, hardware_usd_each := $hardware::double, watts_each := $watts::double,
            facility_pue := $pue::double, usd_per_kwh := $electricity::double, kg_per_kwh := $kg::double,
            memory_each_gb := $memory::double, life_years := $years::double, all_parameters := $all::double
        )
        """,
        {
            "params": params,
            "all": total_params,
            "tokens": tokens,
            "gpus": gpus,
            "mfu": mfu,
            "peak": peak,
            "layers": layers,
            "hidden": hidden,
            "sequence": sequence_length,
            "usd": usd_per_hour,
            "hardware": hardware,
            "watts": watts,
            "pue": where["pue"],
            "electricity": where["electricity_usd_per_kwh"],
            "kg": where["kg_co2e_per_kwh"],
            "memory": part["memory_gb"],
            "years": depreciation_years,
        },
    )
    measured = _measured_energy(database, accelerator, None, done)
    done.figures["measured_watts_per_accelerator_before_pue"] = measured[
        "measured_watts_per_accelerator_before_pue"
    ]
    if done.figures["fits"] is False:
        done.basis.append(
            f"It does not fit: {gpus:,} accelerators of {part['memory_gb']:g} GB cannot hold "
            f"{done.figures['state_gb']:,.0f} GB; the fewest are {done.figures['fewest_accelerators']:,}."
        )
    return done


def estimate_serving(
    database: Path,
    *,
    model: str,
    tokens_per_day: float,
    price: Price,
    accelerator: str | None = None,
    mlperf_scenario: str = "Server",
    utilisation: float = 60,
    params: float | None = None,
    weights: str | None = None,
    kv_cache: str = "fp16",
    context_length: int = 8192,
    sequences: int = 16,
    site: Site | None = None,
    capex: float | None = None,
    depreciation_years: float | None = None,
) -> Estimate:
    """Serving so many output tokens a day.

    Args:
        database: the published file.
        model: MLCommons' benchmark key or its family, such as ``llama3.1-405b``; any name together with ``params``.
        tokens_per_day: output tokens.
        price: how an accelerator-hour is paid.
        accelerator: key of dim_accelerator; None takes the cheapest per token of those measured and priced.
        mlperf_scenario: Server, Offline or Interactive: which measured throughput.
        utilisation: per cent of the measured throughput that is used on average.
        params: (active) parameters of a model MLPerf does not have: throughput is extrapolated.
        weights: number format of the weights; None takes the measured result's.
        kv_cache: number format of the KV cache.
        context_length: tokens of context of a sequence.
        sequences: sequences at a time in a replica.
        site: PUE, electricity, grid.
        capex: all-in dollars of one accelerator.
        depreciation_years: economic life of hardware.

    Returns:
        The estimate; dollars, joules and gigabytes as named.

    Raises:
        EstimateError: an option cannot be used.
        NoWarehouseError: nothing is published.
    """
    site = site or Site()
    _above_zero("--tokens-per-day", tokens_per_day)
    _optional("--utilisation", utilisation, highest=100, unit="per cent")
    _optional("--params", params)
    _above_zero("--context-length", context_length)
    _above_zero("--sequences", sequences)
    _optional("--capex", capex, unit="dollars per accelerator")
    _optional("--depreciation-years", depreciation_years, unit="years")
    _check_site(site)
    _check_price(price)
    mlperf_scenario = mlperf_scenario.capitalize()
    for option, value in (("--weights", weights), ("--kv-cache", kv_cache)):
        if value is not None and value not in _BYTES:
            raise EstimateError(f"{option} is {value}: it must be one of {', '.join(_BYTES)}")
    if accelerator is None and price.usd is not None:
        raise EstimateError(
            "--price needs --accelerator: it is the price of one; name any of dim_accelerator"
        )
    if accelerator is not None:
        _accelerator(database, accelerator)

    done = Estimate()
    model_row, factor = _served_model(database, model, params, mlperf_scenario, done)
    candidates = _measured_throughput(database, model_row["benchmark_id"], mlperf_scenario)
    if accelerator is not None and accelerator not in candidates:
        candidates[accelerator] = _throughput_by_bandwidth(database, accelerator, candidates)
    if accelerator is not None:
        candidates = {accelerator: candidates[accelerator]}
    rates = _prices(database, price, list(candidates))
    priced = {a: r for a, r in candidates.items() if a in rates}
    chosen = min(priced, key=lambda a: rates[a][0] / priced[a]["tokens_per_s"])
    usd_per_hour, words = rates[chosen]
    done.basis.append(words)
    result = priced[chosen]
    if accelerator is None:
        done.basis.append(
            f"{chosen} is the cheapest per token of {len(priced)} accelerators measured and priced."
        )
    part = _accelerator(database, chosen)
    done.results.append(result["result_id"])
    done.basis.append(
        f"Measured: MLPerf Inference {result['release']} {result['submission_id']}, closed, {result['submitter']}, "
        f"{result['system_name']}, {result['benchmark_id']} {mlperf_scenario}: "
        f"{result['measured_tokens_per_s']:,.1f} output tokens/s per {result['accelerator_id']} "
        f"(result {result['result_id']}), the best of its round. {_NOT_OFFICIAL}"
    )
    number_format = weights or _format_on(part, result["weight_number_formats"])
    if number_format not in _BYTES:
        number_format = "fp16"
        done.basis.append("The result does not say the format of its weights: fp16 is assumed for memory.")
    tokens_per_s = result["tokens_per_s"] * factor
    if result["accelerator_id"] != chosen:
        done.extrapolations.append(
            f"To another accelerator: measured on {result['accelerator_id']}, taken to {chosen} in proportion to "
            f"memory bandwidth (x {result['ratio']:.3f}), which bounds decoding; it is not measured there."
        )
    measured_format = result["weight_number_formats"]
    if measured_format in _BYTES and _BYTES[number_format] > _BYTES[measured_format]:
        # more bytes to read for each token; fewer are not counted as a gain
        tokens_per_s *= _BYTES[measured_format] / _BYTES[number_format]
        done.extrapolations.append(
            f"To another number format: measured with weights in {measured_format}, taken to {number_format} in "
            f"inverse proportion to their bytes (x {_BYTES[measured_format] / _BYTES[number_format]:.3g})."
        )
    kv_bytes = None
    if model_row["layers"] is not None and params is None:
        kv_bytes = _one(
            database,
            "select coalesce(kv_cache_bytes_per_token($layers::double, $heads::double, $size::double, $bytes::double), "
            "$layers::double * $latent::double * $bytes::double) as b",
            {
                "layers": model_row["layers"],
                "heads": model_row["kv_heads"],
                "size": model_row["head_dim"],
                "latent": model_row["kv_latent_values"],
                "bytes": _BYTES[kv_cache],
            },
        )["b"]
        done.basis.append(
            f"Memory of a replica: weights in {number_format}, KV cache in {kv_cache} for {sequences:,} sequences of "
            f"{context_length:,} tokens (dimensions: {model_row['architecture_url']}); activations come on top. "
            "GB are 1e9 bytes."
        )
    else:
        done.basis.append(
            f"Memory of a replica: weights in {number_format} alone; the model's dimensions are not known, its KV "
            "cache comes on top."
        )
    hardware = _hardware(database, part, price, capex, done)
    watts = _watts(database, chosen, done)
    where = _site(database, site, price.scenario, chosen, done)
    done.basis.append(
        "A replica is the fewest accelerators that hold it; whole replicas are paid and powered all day at full "
        "draw, so energy per token is an upper bound at low utilisation."
    )
    measured = _measured_energy(database, chosen, (result["benchmark_id"], mlperf_scenario), done)
    parameters = params if params is not None else model_row["parameters"]
    done.inputs = {
        "model": model,
        "benchmark_id": model_row["benchmark_id"],
        "params": parameters,
        "tokens_per_day": tokens_per_day,
        "accelerator": chosen,
        "mlperf_scenario": mlperf_scenario,
        "utilisation_pct": utilisation,
        "weights": number_format,
        "kv_cache": kv_cache,
        "context_length": context_length,
        "sequences": sequences,
        "usd_per_accelerator_hour": usd_per_hour,
        "hardware_usd_per_accelerator": hardware,
        "power_basis": "modelled" if watts is not None else None,
        "watts_per_accelerator": watts,
        **where,
    }
    done.figures = _one(
        database,
        """
        select * from estimate_serving(
            $tokens::double, $speed::double, utilisation := $utilisation::double, usd_per_hour := $usd::double,
            hardware_usd_each := $hardware::double, watts_each := $watts::double, facility_pue := $pue::double,
            usd_per_kwh := $electricity::double, kg_per_kwh := $kg::double, memory_each_gb := $memory::double,
            parameter_count := $params::double, weight_bytes_each := $weights::double,
            kv_bytes_per_token := $kv::double, context_tokens := $context::double, sequences := $sequences::double,
            life_years := $years::double
        )
        """,
        {
            "tokens": tokens_per_day,
            "speed": tokens_per_s,
            "utilisation": utilisation,
            "usd": usd_per_hour,
            "hardware": hardware,
            "watts": watts,
            "pue": where["pue"],
            "electricity": where["electricity_usd_per_kwh"],
            "kg": where["kg_co2e_per_kwh"],
            "memory": part["memory_gb"],
            "params": parameters,
            "weights": _BYTES[number_format],
            "kv": kv_bytes if kv_bytes is not None else 0,
            "context": context_length,
            "sequences": sequences,
            "years": depreciation_years,
        },
    )
    done.figures |= measured
    if kv_bytes is None:
        done.figures |= {"kv_cache_bytes_per_token": None, "kv_cache_gb": None}
    fleet, size = done.figures["accelerators"], result["accelerator_count"]
    if fleet != size:
        done.extrapolations.append(
            f"To another scale: measured on a system of {size:,}, used for {fleet:,} as replicas of "
            f"{done.figures['fewest_accelerators'] or 1:,} at the same throughput per accelerator."
        )
    return done


# --- what options may be ------------------------------------------------------------------------------------------


def _above_zero(option: str, value: float) -> None:
    if not math.isfinite(value) or value <= 0:
        raise EstimateError(f"{option} is {value:g}: it must be above 0")


def _optional(option: str, value: float | None, *, highest: float | None = None, unit: str = "") -> None:
    if value is None:
        return
    if not math.isfinite(value) or value <= 0 or (highest is not None and value > highest):
        limit = f" and at most {highest:g}" if highest is not None else ""
        raise EstimateError(f"{option} is {value:g}: it must be above 0{limit}{f' ({unit})' if unit else ''}")


def _check_site(site: Site) -> None:
    if site.pue is not None and not 1 <= site.pue <= 5:
        raise EstimateError(f"--pue is {site.pue:g}: it must be between 1 (no overhead) and 5")
    if site.electricity is not None and (not math.isfinite(site.electricity) or site.electricity < 0):
        raise EstimateError(f"--electricity is {site.electricity:g}: it must be 0 or more (dollars per kWh)")


def _check_price(price: Price) -> None:
    given = [
        o
        for o, v in (("--price", price.usd), ("--provider", price.provider), ("--scenario", price.scenario))
        if v is not None
    ]
    if len(given) != 1:
        raise EstimateError(
            "--price (dollars per accelerator-hour, above 0), --provider, --scenario: exactly one of them must be "
            f"given, and {'none is' if not given else ' and '.join(given) + ' are'}"
        )
    _optional("--price", price.usd, unit="dollars per accelerator-hour")


# --- what is known ------------------------------------------------------------------------------------------------


def _rows(database: Path, statement: str, values: Row | None = None) -> list[Row]:
    columns, rows = query(database, statement, values)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _one(database: Path, statement: str, values: Row | None = None) -> Row:
    return _rows(database, statement, values)[0]


def _accelerator(database: Path, accelerator: str) -> Row:
    rows = _rows(database, "select * from dim_accelerator where accelerator_id = $id", {"id": accelerator})
    if rows:
        return rows[0]
    known = [r["accelerator_id"] for r in _rows(database, "select accelerator_id from dim_accelerator")]
    raise EstimateError(
        f"--accelerator is {accelerator}: there is no such part.{did_you_mean(accelerator, known)} "
        "`accelmart sql 'from dim_accelerator'` shows all"
    )


def _dimensions(database: Path, params: float, done: Estimate) -> tuple[int, int, int]:
    """Layers, hidden size and sequence length of the known model of that size; zeros leave attention out."""
    rows = _rows(
        database,
        "select *, abs(active_parameters / $params::double - 1) as off from seeds.model_architectures "
        "where active_parameters = parameters order by off limit 1",
        {"params": params},
    )
    if rows and rows[0]["off"] <= _SAME_MODEL:
        known = rows[0]
        done.basis.append(
            f"FLOPs per token are 6·P + 12·L·d·s with the dimensions of {known['model_name']} "
            f"({known['layers']} layers of {known['hidden_size']:,}, sequences of {known['context_length']:,}), "
            f"the known model of that size ({known['source_url']})."
        )
        return known["layers"], known["hidden_size"], known["context_length"]
    done.basis.append(
        "FLOPs per token are 6·P alone: no known model has that size, so attention is left out and time is "
        "understated; --layers, --hidden and --sequence-length add it."
    )
    return 0, 0, 0


def _training_reference(database: Path, params: float, part: Row, gpus: int, precision: str) -> Row | None:
    """The measured result nearest in accelerator, then model size, then scale, then the newest and fastest."""
    rows = _rows(
        database,
        """
        with results as (
            select r.*, m.parameters, d.vendor, d.architecture,
                case $precision when 'bf16' then mfu_pct when 'fp8' then mfu_fp8_pct end as mfu,
                d.bf16_dense_tflops
            from fct_training_result as r
            inner join seeds.mlperf_training_models as m using (benchmark_id)
            inner join dim_accelerator as d using (accelerator_id)
            where r.mfu_pct > 0 and r.division = 'closed' and r.accelerator_count > 0
        )

        select *,
            min(accelerator_count) over same as fewest,
            max(accelerator_count) over same as most
        from results
        where mfu > 0 and mfu <= 100
        window same as (partition by accelerator_id, benchmark_id)
        order by
            accelerator_id <> $accelerator,
            abs(ln(parameters / $params::double)),
            architecture is distinct from $architecture,
            vendor is distinct from $vendor,
            abs(ln(bf16_dense_tflops / $peak::double)),
            abs(ln(accelerator_count / $gpus::double)),
            string_split(ltrim(release, 'v'), '.')::integer[] desc,
            trained_tokens_per_s_per_accelerator desc,
            result_id
        limit 1
        """,
        {
            "accelerator": part["accelerator_id"],
            "params": params,
            "gpus": gpus,
            "precision": precision,
            "architecture": part["architecture"],
            "vendor": part["vendor"],
            "peak": part["bf16_dense_tflops"] or part[f"{precision}_dense_tflops"],
        },
    )
    return rows[0] if rows else None


def _training_words(r: Row, precision: str) -> str:
    return (
        f"MLPerf Training {r['release']}, closed, {r['submitter']}, {r['system_name']}, {r['benchmark_id']} on "
        f"{r['accelerator_count']:,} x {r['accelerator_id']} (result {r['result_id']}): "
        f"{r['trained_tokens_per_s_per_accelerator']:,.1f} trained tokens/s per accelerator, MFU "
        f"{r['mfu']:.1f} % of the dense {precision.upper()} peak."
    )


def _training_extrapolations(
    r: Row, params: float, sequence_length: int | None, part: Row, gpus: int, done: Estimate
) -> None:
    say = done.extrapolations.append
    if r["accelerator_id"] != part["accelerator_id"]:
        say(
            f"To another accelerator: no training result on {part['accelerator_id']} has an MFU; that of "
            f"{r['accelerator_id']} is used. It need not hold."
        )
    if abs(r["parameters"] / params - 1) > _SAME_MODEL:
        say(
            f"To another model: measured on {r['benchmark_id']} of {r['parameters']:.4g} parameters, used for "
            f"{params:.4g} at the same MFU."
        )
    elif sequence_length and sequence_length != r["sequence_length"]:
        say(
            f"To another sequence length: measured at {r['sequence_length']:,}, used for {sequence_length:,} at the "
            "same MFU."
        )
    if not r["fewest"] <= gpus <= r["most"]:
        say(
            f"To another scale: {r['benchmark_id']} is measured on {r['fewest']:,} to {r['most']:,} of "
            f"{r['accelerator_id']}, used for {gpus:,}; what scaling costs beyond is not known."
        )
    elif abs(r["accelerator_count"] / gpus - 1) > _SAME_SCALE:
        say(
            f"To another scale: measured at {r['accelerator_count']:,}, used for {gpus:,} at the same MFU, within "
            f"the range of measured scales ({r['fewest']:,} to {r['most']:,})."
        )


def _prices(database: Path, price: Price, accelerators: Sequence[str]) -> dict[str, tuple[float, str]]:
    """Dollars per accelerator-hour, and a sentence about it, of those that have a price; at least one has."""
    if price.usd is not None:
        return dict.fromkeys(
            accelerators, (price.usd, f"Price: ${price.usd:g} per accelerator-hour, as given.")
        )
    if price.provider is not None:
        rows = _rows(
            database,
            "select * from mart_price_current where pricing_model = $pricing and provider = $provider "
            "and list_contains($accelerators, accelerator_id)",
            {"pricing": price.pricing, "provider": price.provider, "accelerators": list(accelerators)},
        )
        if not rows:
            sellers = _rows(
                database,
                "select distinct provider, pricing_model from mart_price_current "
                "where list_contains($accelerators, accelerator_id) order by all",
                {"accelerators": list(accelerators)},
            )
            offered = ", ".join(f"{s['provider']} {s['pricing_model']}" for s in sellers) or "nobody"
            raise EstimateError(
                f"--provider is {price.provider}, --pricing {price.pricing}: no price in force for "
                f"{', '.join(accelerators)}. There are prices of {offered}; or give --price"
            )
        return {
            r["accelerator_id"]: (
                float(r["usd_per_accelerator_hour_min"]),
                f"Price: the lowest {price.pricing} price of {price.provider} in force, offer {r['best_offer_id']} "
                f"({r['best_instance_type']}, {r['best_region'] or 'any region'}), last seen "
                f"{r['observed_at']:%Y-%m-%d} ({r['observed_precision']} precision; {r['best_source_url']}).",
            )
            for r in rows
        }
    rows = _tco(database, str(price.scenario), accelerators)
    if not rows:
        scenarios = [
            r["scenario_id"] for r in _rows(database, "select distinct scenario_id from mart_tco order by 1")
        ]
        raise EstimateError(
            f"--scenario is {price.scenario}: no ownership cost of {', '.join(accelerators)} in it. "
            f"Scenarios: {', '.join(scenarios)}; or give --price"
        )
    words = f"Price: ownership per accelerator-hour in scenario {price.scenario} (mart_tco)."
    return {r["accelerator_id"]: (float(r["usd_per_accelerator_hour"]), words) for r in rows}


def _has_tco(database: Path) -> bool:
    return bool(_rows(database, "select 1 from duckdb_tables() where table_name = 'mart_tco'"))


def _tco(database: Path, scenario: str, accelerators: Sequence[str]) -> list[Row]:
    if not _has_tco(database):
        raise EstimateError(
            f"--scenario is {scenario}: the published warehouse has no mart_tco. Run `accelmart build`, or give "
            "--price or --provider"
        )
    return _rows(
        database,
        "select accelerator_id, usd_per_accelerator_hour, capex_usd_per_accelerator from mart_tco "
        "where scenario_id = $scenario and list_contains($accelerators, accelerator_id)",
        {"scenario": scenario, "accelerators": list(accelerators)},
    )


def _hardware(database: Path, part: Row, price: Price, capex: float | None, done: Estimate) -> float | None:
    """All-in dollars of one accelerator with its share of server, network and storage."""
    if capex is not None:
        done.basis.append(f"Hardware: ${capex:,.0f} all-in per accelerator, as given.")
        return capex
    accelerator = part["accelerator_id"]
    scenario = price.scenario or "hyperscaler"
    if _has_tco(database):
        for row in _tco(database, scenario, [accelerator]):
            if row["capex_usd_per_accelerator"] is not None:
                done.basis.append(
                    f"Hardware: ${row['capex_usd_per_accelerator']:,.0f} all-in per accelerator, scenario "
                    f"{scenario} (mart_tco)."
                )
                return float(row["capex_usd_per_accelerator"])
    rows = _rows(
        database,
        "select s.msrp_or_street_usd as usd, s.price_note, "
        "s.msrp_or_street_usd / (c.value / 100) as hardware_usd, c.value as share "
        "from seeds.accelerator_specs as s, seeds.estimate_constants as c "
        "where s.accelerator_id = $id and c.constant_id = 'gpu_share_of_hardware_pct'",
        {"id": accelerator},
    )
    if rows and rows[0]["usd"] is not None:
        r = rows[0]
        done.basis.append(
            f"Hardware: ${r['usd']:,.0f} for an accelerator ({r['price_note']}), which is {r['share']:g} % of the "
            "hardware."
        )
        return float(r["hardware_usd"])
    done.basis.append(
        f"Hardware: no price of {accelerator} is known, so there is no outlay; --capex gives one."
    )
    return None


def _watts(database: Path, accelerator: str, done: Estimate) -> float | None:
    rows = _rows(
        database,
        "select power_model, watts_per_accelerator, power_source_url "
        "from intermediate.int_energy__accelerator_watts where accelerator_id = $id and is_preferred",
        {"id": accelerator},
    )
    if not rows:
        done.basis.append(f"Energy: no power of {accelerator} is known.")
        return None
    error = _one(
        database,
        "select count(*) as n, count(*) filter (variant <> 'standard') as capped, median(error_pct) as pct "
        "from mart_energy_model_check "
        "where accelerator_id = $id and is_preferred_model and not is_derived and not is_same_run_as_99_9",
        {"id": accelerator},
    )
    checked = (
        f"against {error['n']} measured MLPerf results of the part "
        f"({error['capped']} of them power-capped or shared) its median error is {error['pct']:+.0f} %"
        if error["n"]
        else "no MLPerf power result of the part checks it"
    )
    origin = (
        f"published ({rows[0]['power_source_url']})"
        if rows[0]["power_model"] == "published_all_in"
        else "TDP x the median published all-in factor"
    )
    done.basis.append(
        f"Energy is modelled, not measured: {rows[0]['watts_per_accelerator']:,.0f} W per accelerator before PUE, "
        f"provisioned power, {origin}; {checked}."
    )
    return float(rows[0]["watts_per_accelerator"])


def _site(database: Path, site: Site, scenario: str | None, accelerator: str, done: Estimate) -> Row:
    """PUE, electricity and grid: as given, else of the scenario, else the defaults of mart_energy and constants."""
    default = _one(database, "select any_value(pue) as pue, any_value(grid_id) as grid_id from mart_energy")
    assumed: Row = {}
    if scenario is not None:
        assumed = _one(
            database,
            "select pue, electricity_usd_per_kwh from mart_tco "
            "where scenario_id = $scenario and accelerator_id = $accelerator",
            {"scenario": scenario, "accelerator": accelerator},
        )
    pue = site.pue or assumed.get("pue") or default["pue"]
    whose = (
        "as given"
        if site.pue
        else f"of scenario {scenario}"
        if assumed.get("pue")
        else "the default of mart_energy"
    )
    done.basis.append(f"PUE {pue:g}, {whose}.")
    grids = {
        r["grid_id"]: r for r in _rows(database, "select grid_id, kg_co2e_per_kwh from seeds.grid_intensity")
    }
    grid = site.grid or default["grid_id"]
    if grid not in grids:
        raise EstimateError(f"--grid is {grid}: it must be one of {', '.join(sorted(grids))}")
    electricity = site.electricity
    if electricity is None and assumed:
        electricity = assumed["electricity_usd_per_kwh"]
        done.basis.append(
            f"Electricity ${electricity:g}/kWh, of scenario {scenario}; its rate contains it already."
        )
    if electricity is None:
        row = _one(
            database,
            "select value, year from seeds.energy_constants where constant_id = 'us_electricity_price_industrial' "
            "order by year desc limit 1",
        )
        electricity = row["value"]
        done.basis.append(
            f"Electricity ${electricity:g}/kWh, the US industrial average of {row['year']}; a rental price "
            "contains it already."
        )
    return {
        "pue": pue,
        "electricity_usd_per_kwh": electricity,
        "grid_id": grid,
        "kg_co2e_per_kwh": grids[grid]["kg_co2e_per_kwh"],
    }


def _served_model(
    database: Path, model: str, params: float | None, scenario: str, done: Estimate
) -> tuple[Row, float]:
    """The benchmark that stands for a model and the factor its throughput is taken with."""
    rows = _rows(
        database,
        """
        select distinct t.benchmark_id, b.benchmark_family, b.accuracy_target, a.parameters, a.active_parameters,
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
    if not rows:
        raise EstimateError(
            f"--mlperf-scenario is {scenario}: there are no token results; it must be Server, Offline or Interactive"
        )
    for column in ("benchmark_id", "benchmark_family"):
        for row in rows:
            if plain(row[column]) == plain(model):
                if params is not None and row["active_parameters"] is not None:
                    raise EstimateError(
                        f"--params is {params:g}: {row['benchmark_id']} is measured and needs none; leave it out"
                    )
                return row, 1.0
    if params is None:
        raise EstimateError(
            f"--model is {model}: there is no measured token result ({scenario}). Models: "
            f"{', '.join(sorted(r['benchmark_id'] for r in rows))}; for another model give --params (above 0)"
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
    done.extrapolations.append(
        f"To another model: measured on {nearest['benchmark_id']} of {nearest['active_parameters']:.4g} active "
        f"parameters, taken to {params:.4g} in inverse proportion (x {factor:.3f}); prompts, answers and limits on "
        "latency differ."
    )
    return nearest, factor


def _format_on(part: Row, measured: str | None) -> str | None:
    """The measured format, or the smallest above it that the part calculates with."""
    if measured in ("fp4", "mxfp4") and part["fp4_dense_tflops"] is None:
        return "fp8" if part["fp8_dense_tflops"] is not None else "fp16"
    if measured == "fp8" and part["fp8_dense_tflops"] is None:
        return "fp16"
    return measured


def _measured_throughput(database: Path, benchmark: str, scenario: str) -> dict[str, Row]:
    rows = _rows(
        database,
        """
        select t.*, t.output_tokens_per_s_per_accelerator as tokens_per_s,
            t.output_tokens_per_s_per_accelerator as measured_tokens_per_s, 1.0::double as ratio,
            f.weight_number_formats
        from mart_token_throughput as t
        left join fct_inference_result as f using (result_id)
        where t.benchmark_id = $benchmark and t.scenario = $scenario and t.is_latest_of_accelerator
        """,
        {"benchmark": benchmark, "scenario": scenario},
    )
    return {r["accelerator_id"]: r for r in rows}


def _throughput_by_bandwidth(database: Path, accelerator: str, measured: dict[str, Row]) -> Row:
    """The result of the part nearest in memory bandwidth, in proportion to it."""
    rows = _rows(
        database,
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
        raise EstimateError(
            f"--accelerator is {accelerator}: not measured, and without a memory bandwidth nothing can be taken from "
            f"others. Measured: {', '.join(sorted(measured))}"
        )
    nearest = measured[rows[0]["accelerator_id"]]
    return {**nearest, "ratio": rows[0]["ratio"], "tokens_per_s": nearest["tokens_per_s"] * rows[0]["ratio"]}


def _measured_energy(database: Path, accelerator: str, served: tuple[str, str] | None, done: Estimate) -> Row:
    """Measured energy of the part, beside the modelled: of the benchmark served, or of any training."""
    rows = _rows(
        database,
        """
        select * from mart_energy
        where power_basis = 'measured' and accelerator_id = $accelerator and not is_derived
            and case when $benchmark::varchar is null then suite_kind = 'training'
                else benchmark_id = $benchmark and scenario = $scenario and j_per_output_token is not null end
        order by variant <> 'standard', j_per_output_token_before_pue, watts_per_accelerator desc, result_id
        limit 1
        """,
        {
            "accelerator": accelerator,
            "benchmark": served[0] if served else None,
            "scenario": served[1] if served else None,
        },
    )
    for r in rows:
        done.results.append(r["result_id"])
        joules = r["j_per_output_token_before_pue"]
        done.basis.append(
            f"Measured for comparison: {r['watts_per_accelerator']:,.0f} W per accelerator before PUE"
            f"{f', {joules:.3g} J per output token' if joules else ''} ({r['power_scope']}; MLPerf "
            f"{r['suite_kind']} {r['release']}, {r['division']}, {r['submitter']}, {r['system_name']}, "
            f"{r['benchmark_id']} {r['scenario'] or ''}, {r['variant']}; result {r['result_id']})."
        )
    measured = rows[0] if rows else {}
    return {
        "measured_watts_per_accelerator_before_pue": measured.get("watts_per_accelerator"),
        "measured_j_per_output_token_before_pue": measured.get("j_per_output_token_before_pue"),
    }
