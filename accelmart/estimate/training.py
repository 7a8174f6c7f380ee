"""What training a model on so many tokens would cost."""

from __future__ import annotations

from accelmart.errors import QuestionError
from accelmart.estimate import economics
from accelmart.estimate.request import Estimate, Request, requested
from accelmart.estimate.training_speed import SAME_MODEL, peak, speed_of
from accelmart.published import Database, Row

_PEAKS = ("bf16", "fp8", "fp4")
_DIMENSIONS = ("layers", "hidden", "sequence_length")

_ESTIMATED = """
select * from estimate_training(
    $params::double, $tokens::double, $gpus::bigint, $mfu_pct::double, $dense_peak_tflops::double,
    layer_count := $layers::double, hidden := $hidden::double, sequence_len := $sequence_length::double,
    usd_per_hour := $usd_per_accelerator_hour::double, hardware_usd_each := $hardware_usd_per_accelerator::double,
    watts_each := $watts_per_accelerator::double, facility_pue := $pue::double,
    usd_per_kwh := $electricity_usd_per_kwh::double, kg_per_kwh := $kg_co2e_per_kwh::double,
    memory_each_gb := $memory_gb::double, life_years := $depreciation_years::double,
    all_parameters := $total_params::double,
    tokens_per_s_each := $speed::double, tokens_per_s_low := $low::double, tokens_per_s_high := $high::double,
    bought_together := accelerators_bought($accelerator::varchar, 1)
)
"""


def estimate_training(
    params: float,
    tokens: float,
    accelerator: str,
    gpus: int,
    *,
    price: float | None = None,
    provider: str | None = None,
    pricing: str = "on_demand",
    scenario: str | None = None,
    layers: int | None = None,
    hidden: int | None = None,
    sequence_length: int | None = None,
    mfu: float | None = None,
    precision: str | None = None,
    total_params: float | None = None,
    pue: float | None = None,
    electricity: float | None = None,
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
        price: dollars per accelerator-hour; at most one of price, provider and scenario, without one rent at the price
            level of the accelerator, with its range.
        provider: a seller: its lowest price in force.
        pricing: pricing model of the seller, or of the price level.
        scenario: an ownership scenario, such as ``hyperscaler``.
        layers: of the transformer, with ``hidden`` and ``sequence_length``; default: of the known model that size.
        hidden: width of the residual stream.
        sequence_length: tokens of a sequence.
        mfu: per cent of the dense peak of ``precision``; default: what was measured.
        precision: number format of the run: bf16, fp8 or fp4; default: the measured one, with ``mfu`` bf16.
        total_params: all parameters of a mixture of experts, which memory holds.
        pue: power usage effectiveness, 1 to 5.
        electricity: dollars per kWh.
        grid: grid for CO2e, such as ``us_2022`` or ``world_2023``.
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
    given = {**locals()}
    if total_params is not None and total_params < params:
        raise QuestionError(
            f"total_params is {total_params:g}: it must be at least params, the active ones ({params:g})"
        )
    if precision is not None and precision not in _PEAKS:
        raise QuestionError(f"precision is {precision}: it must be one of {', '.join(_PEAKS)}")
    if len({given[name] is None for name in _DIMENSIONS}) > 1:
        raise QuestionError("layers, hidden and sequence_length go together: give all three or none")
    with requested(given) as asked:
        return _estimate(asked)


def _estimate(asked: Request) -> Estimate:
    done = asked.done
    part = asked.part = _part(asked)
    _take_model(asked)
    speed = speed_of(asked)
    rate = economics.take_rate(asked, economics.prices(asked, [asked.accelerator])[asked.accelerator])
    costs = economics.costs(asked, part)
    done.basis += _fixed_assumptions(asked)
    done.inputs |= {
        "params": asked.params,
        "total_params": asked.total_params,
        "tokens": asked.tokens,
        "accelerator": asked.accelerator,
        "gpus": asked.gpus,
        **{name: getattr(asked, name) for name in _DIMENSIONS},
        "number_format": speed["number_format"],
        "mfu_pct": speed["mfu_pct"],
        "dense_peak_tflops": peak(asked, speed["number_format"]),
        **rate,
        **costs,
    }
    # one figure of speed is no range
    has_range = speed["low"] < speed["high"]
    ends = {end: speed[end] if has_range else None for end in ("low", "high")}
    further = {"speed": speed["tokens_per_s"], "memory_gb": part["memory_gb"], **ends}
    figures = asked.one(_ESTIMATED, **done.inputs, **further)
    done.figures = economics.with_price_range(figures, rate, ("usd_per_trained_mtok", "rental_usd"))
    done.figures["uncertainty_basis"] = f"{speed['basis']}; {economics.price_uncertainty(rate)}"
    economics.note_purchase(asked)
    measured = economics.measured_energy(
        asked, asked.accelerator, {"benchmark": None, "mlperf_scenario": None}
    )
    del measured["measured_j_per_output_token_before_pue"]
    done.figures |= measured
    if done.figures["fits"] is False:
        done.basis.append(
            f"It does not fit: {asked.gpus:,} accelerators of {part['memory_gb']:g} GB cannot hold "
            f"{done.figures['state_gb']:,.0f} GB; the fewest are {done.figures['fewest_accelerators']:,}."
        )
    return done


def _part(asked: Request) -> Row:
    """Return the row of dim_accelerator; it must have a dense peak in the format asked for."""
    part = asked.one("from dim_accelerator where accelerator_id = $accelerator")
    precision = asked.precision or ("bf16" if asked.mfu else None)
    if precision is not None and part[f"{precision}_dense_tflops"] is None:
        known = [p for p in _PEAKS if part[f"{p}_dense_tflops"] is not None]
        raise QuestionError(
            f"precision is {precision}: {asked.accelerator} has no dense {precision} peak in the specifications "
            f"(it has {', '.join(known) or 'none'})"
        )
    return part


# the known model with so many parameters, of all experts; with $total_params those, and $params active ones
_KNOWN_MODEL = """
select *, abs(parameters / coalesce($total_params, $params) - 1) as off from seeds.model_architectures
where training_sequence_length is not null and off <= $same
    and ($total_params is null or abs(active_parameters / $params - 1) <= $same)
order by off limit 1
"""


def _take_model(asked: Request) -> None:
    """Complete the request: dimensions as given, else of the known model of that size; zeros leave attention out.

    ``params`` are then the active parameters, ``total_params`` all, ``flops_per_token`` the model FLOPs of a trained
    token, ``given_sequence_length`` the sequence length asked for.
    """
    done, asked.given_sequence_length = asked.done, asked.sequence_length
    if asked.layers is not None:
        done.basis.append("FLOPs per token are 6·P + 12·L·d·s with the dimensions given.")
    elif known := asked.rows(_KNOWN_MODEL, same=SAME_MODEL):
        model = known[0]
        done.inputs["model"] = model["model_name"]
        asked.params, asked.total_params = model["active_parameters"], model["parameters"]
        asked.layers, asked.hidden = model["layers"], model["hidden_size"]
        asked.sequence_length = model["training_sequence_length"]
        done.basis.append(
            f"FLOPs per token are 6·P + 12·L·d·s with the dimensions of {model['model_name']} ({asked.layers} layers "
            f"of {asked.hidden:,}, sequences of {asked.sequence_length:,}; {asked.params:.4g} of "
            f"{asked.total_params:.4g} parameters work on a token), the known model of that size "
            f"({model['source_url']})."
        )
    else:
        asked.layers = asked.hidden = asked.sequence_length = 0
        done.basis.append(
            "FLOPs per token are 6·P alone: no known model has that size, so attention is left out and time is "
            "understated where it follows from an MFU; layers, hidden and sequence_length add it."
        )
    asked.total_params = asked.total_params or asked.params
    asked.flops_per_token = asked.one(
        "select training_flops_per_token($params::double, $layers::double, $hidden::double, $sequence_length::double) "
        "as flops"
    )["flops"]


def _fixed_assumptions(asked: Request) -> list[str]:
    experts = f", all {asked.total_params:.4g}" if asked.total_params > asked.params else ""
    return [
        "Time is of training alone: failures, restarts and evaluations beyond MLPerf's are not counted.",
        "Memory is weights, gradients and optimiser of mixed-precision Adam (16 bytes a parameter"
        f"{experts}), sharded over all accelerators; activations and buffers come on top. GB are 1e9 bytes.",
        "Outlay is the hardware bought for the run at 80 % of creation, staff 18 %, power 2 % (shares of a public "
        "cost breakdown of 2023); rental and outlay are two ways to count, never added.",
    ]
