"""What training a model on so many tokens would cost."""

from __future__ import annotations

from accelmart.asked import Names
from accelmart.errors import QuestionError
from accelmart.estimate import economics
from accelmart.estimate.options import SAME_MODEL, Estimate, Request, above_zero, optional
from accelmart.estimate.training_speed import PEAKS, Speed, Task, speed_of
from accelmart.published import Database, Reader, Row, reading

_Dimensions = tuple[int, int, int]

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
    asked = Request(**{name: value for name, value in locals().items() if name != "database"})
    _check_options(asked)
    asked.check_costs()
    dimensions = _given_dimensions(asked)
    with reading(database) as reader:
        return _estimate(reader, asked, dimensions)


def _estimate(reader: Reader, asked: Request, dimensions: _Dimensions | None) -> Estimate:
    done, names = Estimate(), Names(reader)
    asked, done.notes = asked.resolved(names), names.notes
    part = _part(reader, str(asked.accelerator), asked.precision or ("bf16" if asked.mfu else None))
    params, total = asked.params or 0.0, asked.total_params
    known = None if dimensions else _known_model(reader, params, total)
    if known:
        params, total = known["active_parameters"], known["parameters"]
        done.inputs["model"] = known["model_name"]
    total = total or params
    dimensions = _dimensions(known, dimensions, done)
    flops = _flops_per_token(reader, params, dimensions)
    task = Task(
        params,
        total,
        asked.tokens,
        dimensions,
        flops,
        asked.sequence_length,
        part,
        asked.gpus,
        asked.precision,
    )
    speed = speed_of(reader, task, asked.mfu, done)
    rate = economics.prices(reader, asked, [task.accelerator])[task.accelerator]
    done.basis.append(rate.words)
    costs = economics.costs(reader, part, asked, done)
    done.basis += _fixed_assumptions(total if total > params else None)
    done.inputs |= {**_inputs(task, speed), **rate.inputs(), **costs}
    figures = _figures(reader, done.inputs, speed, part, asked.depreciation_years)
    done.figures = rate.spread(figures, ("usd_per_trained_mtok", "rental_usd"))
    done.figures["uncertainty_basis"] = f"{speed.basis}; {rate.uncertainty}"
    done.basis += economics.purchase(done.figures)
    watts = "measured_watts_per_accelerator_before_pue"
    done.figures[watts] = economics.measured_energy(reader, task.accelerator, None, done)[watts]
    if done.figures["fits"] is False:
        done.basis.append(
            f"It does not fit: {task.gpus:,} accelerators of {part['memory_gb']:g} GB cannot hold "
            f"{done.figures['state_gb']:,.0f} GB; the fewest are {done.figures['fewest_accelerators']:,}."
        )
    return done


def _check_options(asked: Request) -> None:
    for name in ("params", "tokens", "gpus"):
        above_zero(name, getattr(asked, name))
    optional("mfu", asked.mfu, highest=100, unit="per cent of the dense peak")
    optional("total_params", asked.total_params)
    if asked.total_params is not None and asked.params is not None and asked.total_params < asked.params:
        raise QuestionError(
            f"total_params is {asked.total_params:g}: it must be at least params, the active ones ({asked.params:g})"
        )
    if asked.precision is not None and asked.precision not in PEAKS:
        raise QuestionError(f"precision is {asked.precision}: it must be one of {', '.join(PEAKS)}")


def _inputs(task: Task, speed: Speed) -> Row:
    """Return what the estimate is made of, units in the names."""
    return {
        "params": task.params,
        "total_params": task.total_params,
        "tokens": task.tokens,
        "accelerator": task.accelerator,
        "gpus": task.gpus,
        **dict(zip(("layers", "hidden", "sequence_length"), task.dimensions, strict=True)),
        "number_format": speed.number_format,
        "mfu_pct": speed.mfu_pct,
        "dense_peak_tflops": task.peak(speed.number_format),
    }


def _given_dimensions(asked: Request) -> _Dimensions | None:
    names = ("layers", "hidden", "sequence_length")
    given = asked.changed(names)
    if given and len(given) < len(names):
        raise QuestionError("layers, hidden and sequence_length go together: give all three or none")
    for name in names:
        optional(name, getattr(asked, name))
    if asked.layers is None or asked.hidden is None or asked.sequence_length is None:
        return None
    return asked.layers, asked.hidden, asked.sequence_length


def _part(reader: Reader, accelerator: str, precision: str | None) -> Row:
    """The row of dim_accelerator; it must have a dense peak in the format asked for."""
    part = economics.accelerator_of(reader, accelerator)
    if precision is not None and part[f"{precision}_dense_tflops"] is None:
        known = [p for p in PEAKS if part[f"{p}_dense_tflops"] is not None]
        raise QuestionError(
            f"precision is {precision}: {accelerator} has no dense {precision} peak in the specifications "
            f"(it has {', '.join(known) or 'none'})"
        )
    return part


def _known_model(reader: Reader, params: float, total_params: float | None) -> Row | None:
    """The known model with so many parameters, of all experts; with `total_params` those and `params` active ones."""
    rows = reader.rows(
        """
        select *, abs(parameters / coalesce($total, $params) - 1) as off from seeds.model_architectures
        where training_sequence_length is not null and off <= $same
            and ($total is null or abs(active_parameters / $params - 1) <= $same)
        order by off limit 1
        """,
        {"params": params, "total": total_params, "same": SAME_MODEL},
    )
    return rows[0] if rows else None


def _dimensions(known: Row | None, given: _Dimensions | None, done: Estimate) -> _Dimensions:
    """Return layers, hidden size and sequence length: as given, else of the known model; zeros leave attention out."""
    if given:
        done.basis.append("FLOPs per token are 6·P + 12·L·d·s with the dimensions given.")
        return given
    if known:
        done.basis.append(
            f"FLOPs per token are 6·P + 12·L·d·s with the dimensions of {known['model_name']} "
            f"({known['layers']} layers of {known['hidden_size']:,}, sequences of "
            f"{known['training_sequence_length']:,}; {known['active_parameters']:.4g} of "
            f"{known['parameters']:.4g} parameters work on a token), the known model of that size "
            f"({known['source_url']})."
        )
        return known["layers"], known["hidden_size"], known["training_sequence_length"]
    done.basis.append(
        "FLOPs per token are 6·P alone: no known model has that size, so attention is left out and time is "
        "understated where it follows from an MFU; layers, hidden and sequence_length add it."
    )
    return 0, 0, 0


def _flops_per_token(reader: Reader, params: float, dimensions: _Dimensions) -> float:
    layers, hidden, sequence_length = dimensions
    row = reader.one(
        "select training_flops_per_token($params::double, $layers::double, $hidden::double, $sequence::double) "
        "as flops",
        {"params": params, "layers": layers, "hidden": hidden, "sequence": sequence_length},
    )
    return float(row["flops"])


def _fixed_assumptions(total_params: float | None) -> list[str]:
    return [
        "Time is of training alone: failures, restarts and evaluations beyond MLPerf's are not counted.",
        "Memory is weights, gradients and optimiser of mixed-precision Adam (16 bytes a parameter"
        f"{f', all {total_params:.4g}' if total_params else ''}), sharded over all accelerators; activations and "
        "buffers come on top. GB are 1e9 bytes.",
        "Outlay is the hardware bought for the run at 80 % of creation, staff 18 %, power 2 % (shares of a public "
        "cost breakdown of 2023); rental and outlay are two ways to count, never added.",
    ]


def _figures(reader: Reader, inputs: Row, speed: Speed, part: Row, depreciation_years: float | None) -> Row:
    # one figure of speed is no range
    has_range = speed.low < speed.high
    further = {
        "memory_gb": part["memory_gb"],
        "depreciation_years": depreciation_years,
        "speed": speed.tokens_per_s,
        "low": speed.low if has_range else None,
        "high": speed.high if has_range else None,
    }
    return reader.computed(_ESTIMATED, inputs | further)
