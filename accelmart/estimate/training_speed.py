"""Trained tokens per second of one accelerator: measured, carried over as MFU, or a published range.

Rules (docs/figures.md): measured tokens/s of the same model on the same part come first, whatever the format. Only
where the model was never measured on the part an MFU is carried over, to a part that has the format: measured or
published, of the same size class before the same part. Where nothing comparable is known, the answer is the range of
published MFU in that format.
"""

from __future__ import annotations

import math

from accelmart.errors import QuestionError
from accelmart.estimate.request import NOT_OFFICIAL, Request
from accelmart.published import Row

# within so much a model is the known one, as published counts are rounded (405B is 405.85e9)
SAME_MODEL = 0.01
_SAME_SCALE = 0.10
_PEERS_FACTOR = 2.0
# largest high ÷ low of a range that still says something
_WIDEST_RANGE = 2.5

# Closed results of models whose FLOPs are known, with the spread of their runs, and MFU that others published. A size
# class: both dense or both mixtures of experts, and at most 2.5 times apart in the parameters that work on a token.
_KNOWN = """
with runs as (
    select result_id, min(trained_tokens_per_s_per_accelerator) as run_low,
        max(trained_tokens_per_s_per_accelerator) as run_high
    from fct_training_run where is_counted group by result_id
),

known as (
    select r.result_id, r.benchmark_id as run_name, r.release, r.submitter, r.system_name, r.benchmark_id,
        r.accelerator_id, r.accelerator_count, r.number_format,
        r.trained_tokens_per_s_per_accelerator as tokens_per_s,
        string_split(ltrim(r.release, 'v'), '.')::integer[] as release_order,
        r.mfu_pct, r.mfu_candidates, r.sequence_length, m.parameters, m.parameters as total_parameters,
        training_flops_per_token(m.parameters, m.layers, m.hidden_size, m.sequence_length) as flops_per_token,
        coalesce(runs.run_low, tokens_per_s) as run_low, coalesce(runs.run_high, tokens_per_s) as run_high
    from fct_training_result as r
    inner join seeds.mlperf_training_models as m using (benchmark_id)
    left join runs on r.result_id = runs.result_id
    where r.division = 'closed' and r.accelerator_count > 0 and tokens_per_s > 0 and m.parameters is not null
        and r.is_peer_outlier is not true
    union all by name
    select *, [0, 0] as release_order, 0 as tokens_per_s from intermediate.int_training__published_mfu
),

compared as (
    select k.*, d.vendor, d.architecture, mine.vendor as my_vendor, mine.architecture as my_architecture,
        k.accelerator_id = $accelerator as is_of_part,
        greatest(abs(k.parameters / $params - 1), abs(k.total_parameters / $total_params - 1)) <= $same as is_of_model,
        abs(ln(k.parameters / $params)) as model_distance,
        (k.total_parameters > k.parameters) = ($total_params > $params)
            and model_distance <= ln(2.5) as is_of_size_class,
        coalesce(abs(ln(k.accelerator_count / $gpus)), 'inf'::double) as scale_distance,
        $precision is null or k.number_format = $precision as has_format
    from known as k
    left join dim_accelerator as d on k.accelerator_id = d.accelerator_id
    cross join (from dim_accelerator where accelerator_id = $accelerator) as mine
)

from compared
"""
# of the model on the part, in the format asked for, which may be one of those of an ambiguous run: nearest in scale
_MEASURED = f"""{_KNOWN}
where result_id is not null and is_of_part and is_of_model
    and (has_format or contains(mfu_candidates, 'of ' || upper($precision)))
order by not coalesce(has_format, false), scale_distance, release_order desc, tokens_per_s desc, result_id
"""
# The size class first, as MFU differs more between sizes than between parts; BF16 last, as measured runs of known
# format use lower ones; then nearest in part, model size, architecture, vendor and scale.
_CARRIABLE = f"""{_KNOWN}
where mfu_pct is not null and has_format and list_contains($formats, number_format)
    and (result_id is not null or is_of_size_class)
order by not is_of_size_class, number_format = 'bf16', not is_of_part, model_distance,
    architecture is distinct from my_architecture, vendor is distinct from my_vendor, scale_distance,
    release_order desc, tokens_per_s desc, result_id, mfu_id
"""


def peak(asked: Request, number_format: str | None) -> float | None:
    """Return the dense peak of the part in a format, TFLOP/s; None where it has none."""
    value = asked.part.get(f"{number_format}_dense_tflops")
    return None if value is None else float(value)


def speed_of(asked: Request) -> Row:
    """Return the speed of a training run; the basis and every extrapolation are added to the estimate.

    Args:
        asked: the estimate, with part and model.

    Returns:
        ``tokens_per_s`` of one accelerator with ``low`` and ``high`` (equal where there is one witness), ``basis`` of
        these two, ``number_format`` (None where the measured run's is not known) and ``mfu_pct`` of its dense peak.

    Raises:
        QuestionError: nothing measured or published can stand for the run; the message says what is missing.
    """
    measured = asked.rows(_MEASURED, same=SAME_MODEL)
    formats = [f for f in ("bf16", "fp16", "tf32", "fp8", "fp4") if peak(asked, f) is not None]
    carriable = [] if measured else asked.rows(_CARRIABLE, same=SAME_MODEL, formats=formats)
    if asked.mfu is not None:
        number_format = asked.precision or "bf16"
        asked.done.basis.append(
            f"MFU of {asked.mfu:g} % of the dense {number_format.upper()} peak is an input, not measured."
        )
        for nearest in (measured or carriable)[:1]:
            asked.done.basis.append(f"For comparison, the nearest known: {_words(nearest)}")
        return _at_mfu(asked, number_format, asked.mfu, asked.mfu, asked.mfu, "an MFU as given")
    if measured:
        return _measured_speed(asked, measured)
    if carriable:
        return _carried_speed(asked, carriable)
    return _published_range(asked)


def _at_mfu(asked: Request, number_format: str, mfu: float, low: float, high: float, basis: str) -> Row:
    """Return the speed at an MFU between two others, per cent of the dense peak."""
    speed = asked.one(
        "select trained_tokens_per_s($mfu::double, $flops_per_token::double, $peak::double) as tokens_per_s",
        mfu=mfu,
        peak=peak(asked, number_format),
    )["tokens_per_s"]
    ends = {"low": speed * low / mfu, "high": speed * high / mfu}
    return {"tokens_per_s": speed, **ends, "basis": basis, "number_format": number_format, "mfu_pct": mfu}


def _measured_speed(asked: Request, measured: list[Row]) -> Row:
    """Return tokens per second as measured; low and high are those of runs of systems of like size."""
    done, nearest = asked.done, measured[0]
    same = [r for r in measured if r["number_format"] == nearest["number_format"]]
    count = nearest["accelerator_count"]
    peers = [r for r in same if 1 / _PEERS_FACTOR <= r["accelerator_count"] / count <= _PEERS_FACTOR]
    low, high = min(r["run_low"] for r in peers), max(r["run_high"] for r in peers)
    speed = nearest["tokens_per_s"]
    done.rest_on(nearest["result_id"])
    done.basis.append(f"Measured: {_words(nearest)}")
    basis = "one result"
    if low < high:
        basis = f"counted runs of {len(peers)} result(s)"
        done.basis.append(
            f"Low and high are the slowest and fastest of the {basis} of the model on the part, within "
            f"{_PEERS_FACTOR:g} times the scale."
        )
    if asked.precision is not None and nearest["number_format"] != asked.precision:
        done.extrapolate(
            "format",
            f"To a certain number format: that of the measured run is ambiguous ({nearest['mfu_candidates']}), "
            f"{asked.precision.upper()} is one of them.",
        )
    if asked.given_sequence_length not in (None, nearest["sequence_length"]):
        factor = nearest["flops_per_token"] / asked.flops_per_token
        speed, low, high = speed * factor, low * factor, high * factor
        done.extrapolate(
            "sequence length",
            f"To another sequence length: measured at {nearest['sequence_length']:,}, used for "
            f"{asked.given_sequence_length:,} at the same model FLOPs per second (x {factor:.3f}).",
        )
    slower, faster = _range_of_scale(asked, nearest, [r["accelerator_count"] for r in same])
    return {
        "tokens_per_s": speed,
        "low": min(low * slower, speed),
        "high": max(high * faster, speed),
        "basis": basis,
        "number_format": nearest["number_format"],
        "mfu_pct": nearest["mfu_pct"],
    }


# least share of throughput per accelerator that one doubling of a system kept, of the model, else of any
_KEPT_PER_DOUBLING = """
with kept as (
    select benchmark_id,
        pow(throughput_scaling_efficiency, 1 / log2(accelerator_count / base_accelerator_count)) as share
    from mart_training_scaling
    where division = 'closed' and throughput_scaling_efficiency > 0
)

select least(1, coalesce(min(share) filter (benchmark_id = $benchmark), min(share), 1))::double as share from kept
"""


def _range_of_scale(asked: Request, nearest: Row, counts: list[int]) -> tuple[float, float]:
    """Return factors that widen low and high for another scale, by what scaling cost at worst for the model."""
    measured, fewest, most = nearest["accelerator_count"], min(counts), max(counts)
    if abs(measured / asked.gpus - 1) <= _SAME_SCALE:
        return 1, 1
    if fewest <= asked.gpus <= most:
        asked.done.extrapolate(
            "scale",
            f"To another scale: measured at {measured:,}, used for {asked.gpus:,} at the same tokens/s per "
            f"accelerator, within the range of measured scales ({fewest:,} to {most:,}).",
        )
        return 1, 1
    kept = asked.one(_KEPT_PER_DOUBLING, benchmark=nearest["benchmark_id"])["share"]
    asked.done.extrapolate(
        "scale",
        f"To another scale: {nearest['benchmark_id']} is measured on {fewest:,} to {most:,} of "
        f"{nearest['accelerator_id']}, used for {asked.gpus:,}; what scaling costs beyond is not known. At worst a "
        f"doubling kept {100 * kept:.0f} % of the throughput per accelerator: low and high are widened by that.",
    )
    share = kept ** abs(math.log2(asked.gpus / measured))
    return (share, 1) if asked.gpus > measured else (1, 1 / share)


def _carried_speed(asked: Request, carriable: list[Row]) -> Row:
    """Return tokens per second at the MFU of the nearest result or published figure, in its number format."""
    done, nearest = asked.done, carriable[0]
    number_format, mfu = nearest["number_format"], nearest["mfu_pct"]
    is_same_part, is_same_class = nearest["is_of_part"], nearest["is_of_size_class"]
    spread = [
        r["mfu_pct"]
        for r in carriable
        if r["number_format"] == number_format
        and r["is_of_part"] >= is_same_part
        and r["is_of_size_class"] >= is_same_class
    ]
    width = math.sqrt(_WIDEST_RANGE)
    low, high = max(min(spread), mfu / width), min(max(spread), mfu * width)
    if nearest["result_id"] is not None:
        done.rest_on(nearest["result_id"])
    done.basis.append(f"Carried over: the MFU of {_words(nearest)}")
    scope = (
        f"of the format{' and size class' if is_same_class else ''}{' on the part' if is_same_part else ''}"
    )
    basis = f"{len(spread)} figures of MFU {scope}"
    if low == high:
        basis = f"one figure of MFU {scope}"
        done.basis.append(f"There is no low and high: {basis} is known.")
    else:
        done.basis.append(
            f"Low and high are {low:.1f} and {high:.1f} % of the dense {number_format.upper()} peak: the spread of "
            f"{basis}, at most {_WIDEST_RANGE:g} times apart."
        )
    if not is_same_part:
        done.extrapolate(
            "accelerator",
            f"To another accelerator: used is the MFU of {nearest['accelerator_id']} in {number_format.upper()}, as "
            f"nothing of that size and format is known of {asked.accelerator}. It need not hold.",
        )
    if not nearest["is_of_model"]:
        done.extrapolate(
            "model",
            f"To another model: known of {nearest['run_name']} with {nearest['parameters']:.4g} parameters, used "
            f"for {asked.params:.4g} at the same MFU.",
        )
    count = nearest["accelerator_count"] or 0
    if abs(count / asked.gpus - 1) > _SAME_SCALE:
        known = f"{count:,}" if count else "a number that is not stated"
        done.extrapolate(
            "scale", f"To another scale: known at {known}, used for {asked.gpus:,} at the same MFU."
        )
    return _at_mfu(asked, number_format, mfu, low, high, basis)


def _published_range(asked: Request) -> Row:
    """Return the range of published MFU in the format: nothing comparable was measured."""
    number_format = asked.precision or "bf16"
    row = asked.one(
        "select min(mfu_pct) as low, max(mfu_pct) as high, count(*) as n, "
        "string_agg(distinct source_url, ', ' order by source_url) as source_url, "
        "list(distinct accelerator_id order by accelerator_id) as accelerators "
        "from intermediate.int_training__published_mfu where number_format = $format",
        format=number_format,
    )
    if peak(asked, number_format) is None or not row["n"]:
        raise QuestionError(
            f"no measured training result can stand for {asked.accelerator} in {number_format}, and no published MFU: "
            "give mfu (above 0, at most 100) with precision"
        )
    low, high = float(row["low"]), min(float(row["high"]), float(row["low"]) * _WIDEST_RANGE)
    middle = math.sqrt(low * high)
    asked.done.basis.append(
        f"A range, not a measurement: no MLPerf result of known number format can stand for {asked.accelerator}. "
        f"Assumed is an MFU of {low:g} to {high:g} % of the dense {number_format.upper()} peak, the lowest and highest "
        f"of {row['n']} published figures on {', '.join(row['accelerators'])} ({row['source_url']}); the figure "
        f"between is their geometric mean, {middle:.1f} %."
    )
    for what in ("accelerator", "model", "scale"):
        if what != "accelerator" or asked.accelerator not in row["accelerators"]:
            asked.done.extrapolate(
                what,
                f"To another {what}: the assumed range of MFU was published for other systems and models.",
            )
    return _at_mfu(asked, number_format, middle, low, high, f"{row['n']} published figures of MFU")


def _words(r: Row) -> str:
    known = (
        f"{r['mfu_pct']:.1f} % of the dense {r['number_format'].upper()} peak"
        if r["mfu_pct"] is not None
        else f"not known, as its number format is ambiguous ({r['mfu_candidates']})"
        if r["mfu_candidates"]
        else "not known, as no file names its number format"
    )
    if r["result_id"] is None:
        where = f"{r['accelerator_count']:,} x " if r["accelerator_count"] else ""
        source = f"published by others and no MLPerf result ({r['source_url']})"
        return f"{r['run_name']} on {where}{r['accelerator_id']}, {source}: MFU {known}."
    return (
        f"MLPerf Training {r['release']}, closed, {r['submitter']}, {r['system_name']}, {r['benchmark_id']} on "
        f"{r['accelerator_count']:,} x {r['accelerator_id']} (result {r['result_id']}): {r['tokens_per_s']:,.1f} "
        f"trained tokens/s per accelerator, MFU {known}. {NOT_OFFICIAL}"
    )
