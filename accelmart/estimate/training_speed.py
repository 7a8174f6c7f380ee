"""Trained tokens per second of one accelerator: measured, carried over as MFU, or a published range.

Rules (docs/figures.md): measured tokens/s of the same model on the same part come first, whatever the format. Only
where the model was never measured on the part an MFU is carried over, from a result of known number format to a part
that has the format. Where nothing comparable was measured, the answer is the range of published MFU in that format.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from accelmart.errors import QuestionError
from accelmart.estimate.options import NOT_OFFICIAL, SAME_MODEL, Estimate
from accelmart.published import Reader, Row

PEAKS = ("bf16", "fp8", "fp4")
_SAME_SCALE = 0.10
_PEERS_FACTOR = 2.0
# largest high ÷ low of a range that still says something
_WIDEST_RANGE = 2.5


@dataclass(frozen=True)
class Task:
    """What is to be trained, and on what.

    Args:
        params: (active) parameters.
        total_params: all parameters, which memory holds.
        tokens: trained tokens.
        dimensions: layers, hidden size and sequence length that give the FLOPs; zeros where none are known.
        flops_per_token: model FLOPs of one trained token.
        sequence_length: tokens of a sequence where given, else None.
        part: row of dim_accelerator.
        gpus: accelerators.
        number_format: the format asked for; None takes the one that was measured.
    """

    params: float
    total_params: float
    tokens: float
    dimensions: tuple[int, int, int]
    flops_per_token: float
    sequence_length: int | None
    part: Row
    gpus: int
    number_format: str | None

    @property
    def accelerator(self) -> str:
        """Key of dim_accelerator."""
        return str(self.part["accelerator_id"])

    def peak(self, number_format: str | None) -> float | None:
        """Dense peak of the part in a format, TFLOP/s; None where it has none."""
        peak = self.part.get(f"{number_format}_dense_tflops")
        return float(peak) if peak is not None else None


@dataclass(frozen=True)
class Speed:
    """Trained tokens per second of one accelerator, with low and high.

    Args:
        tokens_per_s: the estimate.
        low: slowest that the evidence allows.
        high: fastest that the evidence allows.
        number_format: that it is in; None where the measured run's is not known.
        mfu_pct: of the dense peak of ``number_format``.
    """

    tokens_per_s: float
    low: float
    high: float
    number_format: str | None
    mfu_pct: float | None


def speed_of(reader: Reader, task: Task, mfu: float | None, done: Estimate) -> Speed:
    """The speed of a training task; the basis and every extrapolation are added to `done`.

    Args:
        reader: the published file.
        task: what is trained on what.
        mfu: per cent of the dense peak of the format, given by the user; None takes what was measured.
        done: the estimate.

    Raises:
        QuestionError: nothing measured or published can stand for the task; the message says what is missing.
    """
    references = _references(reader)
    measured = _measured(references, task)
    carried = None if measured else _carried(references, task)
    if mfu is not None:
        number_format = task.number_format or "bf16"
        done.basis.append(
            f"MFU of {mfu:g} % of the dense {number_format.upper()} peak is an input, not measured."
        )
        if nearest := measured or carried:
            done.basis.append(f"For comparison, the nearest measured: {_words(nearest)}")
        speed = _of_mfu(reader, task, number_format, mfu)
        return Speed(speed, speed, speed, number_format, mfu)
    if measured:
        return _measured_speed(reader, references, measured, task, done)
    if carried:
        return _carried_speed(reader, references, carried, task, done)
    return _published_range(reader, task, done)


def _references(reader: Reader) -> list[Row]:
    """Closed results of models whose FLOPs are known, with the spread of their runs."""
    return reader.rows(
        """
        with runs as (
            select result_id, min(trained_tokens_per_s_per_accelerator) as run_low,
                max(trained_tokens_per_s_per_accelerator) as run_high
            from fct_training_run where is_counted group by result_id
        )

        select r.result_id, r.release, r.submitter, r.system_name, r.benchmark_id, r.accelerator_id,
            r.accelerator_count, r.trained_tokens_per_s_per_accelerator as tokens_per_s, r.number_format,
            string_split(ltrim(r.release, 'v'), '.')::integer[] as release_order,
            r.mfu_pct, r.mfu_candidates, r.sequence_length, m.parameters, d.vendor, d.architecture,
            training_flops_per_token(m.parameters, m.layers, m.hidden_size, m.sequence_length) as flops_per_token,
            coalesce(runs.run_low, tokens_per_s) as run_low, coalesce(runs.run_high, tokens_per_s) as run_high
        from fct_training_result as r
        inner join seeds.mlperf_training_models as m using (benchmark_id)
        inner join dim_accelerator as d using (accelerator_id)
        left join runs on r.result_id = runs.result_id
        where r.division = 'closed' and r.accelerator_count > 0 and tokens_per_s > 0 and m.parameters is not null
            and r.is_peer_outlier is not true
        order by r.result_id
        """
    )


def _distance(a: float, b: float) -> float:
    return abs(math.log(a / b))


def _newest_and_fastest(r: Row) -> tuple[int, int, float]:
    major, minor = r["release_order"]
    return -major, -minor, -r["tokens_per_s"]


def _is_same_model(r: Row, task: Task) -> bool:
    return bool(abs(r["parameters"] / task.params - 1) <= SAME_MODEL)


def _of_model_on_part(references: list[Row], task: Task) -> list[Row]:
    """Results of the model on the part, in the format asked for; ambiguous ones may be in it."""
    return [
        r
        for r in references
        if r["accelerator_id"] == task.accelerator
        and _is_same_model(r, task)
        and (
            task.number_format is None
            or r["number_format"] == task.number_format
            or (r["mfu_candidates"] and f"of {task.number_format.upper()}" in r["mfu_candidates"])
        )
    ]


def _measured(references: list[Row], task: Task) -> Row | None:
    """The measured result nearest in scale, then of the format asked for, the newest and fastest."""
    return min(
        _of_model_on_part(references, task),
        key=lambda r: (
            task.number_format is not None and r["number_format"] != task.number_format,
            _distance(r["accelerator_count"], task.gpus),
            *_newest_and_fastest(r),
        ),
        default=None,
    )


def _carried(references: list[Row], task: Task) -> Row | None:
    """The result whose MFU is carried over: its number format is known and the part has it.

    Nearest first in part, then model size, architecture, vendor and scale.
    """
    return min(
        (r for r in references if _is_carriable(r, task)),
        key=lambda r: (
            r["accelerator_id"] != task.accelerator,
            _distance(r["parameters"], task.params),
            r["architecture"] != task.part["architecture"],
            r["vendor"] != task.part["vendor"],
            _distance(r["accelerator_count"], task.gpus),
            *_newest_and_fastest(r),
        ),
        default=None,
    )


def _is_carriable(r: Row, task: Task) -> bool:
    return (
        r["mfu_pct"] is not None
        and task.peak(r["number_format"]) is not None
        and task.number_format in (None, r["number_format"])
    )


def _measured_speed(reader: Reader, references: list[Row], nearest: Row, task: Task, done: Estimate) -> Speed:
    """Tokens per second as measured; low and high are those of runs of systems of like size."""
    same = [r for r in _of_model_on_part(references, task) if r["number_format"] == nearest["number_format"]]
    peers = [
        r
        for r in same
        if _distance(r["accelerator_count"], nearest["accelerator_count"]) <= math.log(_PEERS_FACTOR)
    ]
    low, high = min(r["run_low"] for r in peers), max(r["run_high"] for r in peers)
    speed = nearest["tokens_per_s"]
    done.rest_on(nearest["result_id"])
    done.basis.append(f"Measured: {_words(nearest)} {NOT_OFFICIAL}")
    done.basis.append(
        f"Low and high are the slowest and fastest counted run of {len(peers)} result(s) of the model on the part, "
        f"within {_PEERS_FACTOR:g} times the scale."
    )
    if task.number_format is not None and nearest["number_format"] != task.number_format:
        done.extrapolate(
            "format",
            f"To a certain number format: that of the measured run is ambiguous ({nearest['mfu_candidates']}), "
            f"{task.number_format.upper()} is one of them.",
        )
    if task.sequence_length and task.sequence_length != nearest["sequence_length"]:
        factor = nearest["flops_per_token"] / task.flops_per_token
        speed, low, high = speed * factor, low * factor, high * factor
        done.extrapolate(
            "sequence length",
            f"To another sequence length: measured at {nearest['sequence_length']:,}, used for "
            f"{task.sequence_length:,} at the same model FLOPs per second (x {factor:.3f}).",
        )
    low, high = _at_scale(reader, same, nearest, task, low, high, done)
    mfu = nearest["mfu_pct"]
    return Speed(speed, min(low, speed), max(high, speed), nearest["number_format"], mfu)


def _at_scale(
    reader: Reader, same: list[Row], nearest: Row, task: Task, low: float, high: float, done: Estimate
) -> tuple[float, float]:
    """Widen low and high for another scale, by the throughput that scaling cost at worst for the model."""
    fewest = min(r["accelerator_count"] for r in same)
    most = max(r["accelerator_count"] for r in same)
    measured = nearest["accelerator_count"]
    if abs(measured / task.gpus - 1) <= _SAME_SCALE:
        return low, high
    if fewest <= task.gpus <= most:
        done.extrapolate(
            "scale",
            f"To another scale: measured at {measured:,}, used for {task.gpus:,} at the same tokens/s per "
            f"accelerator, within the range of measured scales ({fewest:,} to {most:,}).",
        )
        return low, high
    kept = _kept_per_doubling(reader, nearest["benchmark_id"])
    share = kept ** abs(math.log2(task.gpus / measured))
    done.extrapolate(
        "scale",
        f"To another scale: {nearest['benchmark_id']} is measured on {fewest:,} to {most:,} of "
        f"{nearest['accelerator_id']}, used for {task.gpus:,}; what scaling costs beyond is not known. At worst a "
        f"doubling kept {100 * kept:.0f} % of the throughput per accelerator: low and high are widened by that.",
    )
    return (low * share, high) if task.gpus > measured else (low, high / share)


def _kept_per_doubling(reader: Reader, benchmark: str) -> float:
    """Least share of throughput per accelerator that one doubling of a system kept, of the model, else of any."""
    row = reader.one(
        """
        with kept as (
            select benchmark_id,
                pow(throughput_scaling_efficiency, 1 / log2(accelerator_count / base_accelerator_count)) as share
            from mart_training_scaling
            where division = 'closed' and throughput_scaling_efficiency > 0
        )

        select coalesce(min(share) filter (benchmark_id = $benchmark), min(share), 1) as share from kept
        """,
        {"benchmark": benchmark},
    )
    return min(1.0, float(row["share"]))


def _carried_speed(reader: Reader, references: list[Row], nearest: Row, task: Task, done: Estimate) -> Speed:
    """Tokens per second at the MFU of the nearest result, in its number format."""
    number_format, mfu = nearest["number_format"], nearest["mfu_pct"]
    speed = _of_mfu(reader, task, number_format, mfu)
    is_same_part = nearest["accelerator_id"] == task.accelerator
    spread = [
        r["mfu_pct"]
        for r in references
        if _is_carriable(r, task)
        and r["number_format"] == number_format
        and (r["accelerator_id"] == task.accelerator or not is_same_part)
    ]
    width = math.sqrt(_WIDEST_RANGE)
    low, high = max(min(spread), mfu / width), min(max(spread), mfu * width)
    done.rest_on(nearest["result_id"])
    done.basis.append(f"Carried over: the MFU of {_words(nearest)} {NOT_OFFICIAL}")
    done.basis.append(
        f"Low and high are {low:.1f} and {high:.1f} % of the dense {number_format.upper()} peak: the spread of "
        f"{len(spread)} result(s) in that format{' on the part' if is_same_part else ''}, at most "
        f"{_WIDEST_RANGE:g} times apart."
    )
    if not is_same_part:
        done.extrapolate(
            "accelerator",
            f"To another accelerator: no training result on {task.accelerator} has a known number format that can be "
            f"used; the MFU of {nearest['accelerator_id']} in {number_format.upper()} is. It need not hold.",
        )
    if not _is_same_model(nearest, task):
        done.extrapolate(
            "model",
            f"To another model: measured on {nearest['benchmark_id']} of {nearest['parameters']:.4g} parameters, used "
            f"for {task.params:.4g} at the same MFU.",
        )
    if abs(nearest["accelerator_count"] / task.gpus - 1) > _SAME_SCALE:
        done.extrapolate(
            "scale",
            f"To another scale: measured at {nearest['accelerator_count']:,}, used for {task.gpus:,} at the same MFU.",
        )
    return Speed(speed, speed * low / mfu, speed * high / mfu, number_format, mfu)


def _published_range(reader: Reader, task: Task, done: Estimate) -> Speed:
    """The range of published MFU in the format: nothing comparable was measured."""
    number_format = task.number_format or "bf16"
    row = reader.one(
        "select min(value) as low, max(value) as high, count(*) as n, any_value(source_url) as source_url, "
        "list(distinct accelerator_id) as accelerators "
        "from seeds.published_training_tables where metric = 'mfu_pct' and precision = $format",
        {"format": number_format},
    )
    if task.peak(number_format) is None or not row["n"]:
        raise QuestionError(
            f"no measured training result can stand for {task.accelerator} in {number_format}, and no published MFU: "
            "give --mfu (above 0, at most 100) with --precision"
        )
    low, high = float(row["low"]), min(float(row["high"]), float(row["low"]) * _WIDEST_RANGE)
    middle = math.sqrt(low * high)
    slow, mean, fast = (_of_mfu(reader, task, number_format, mfu) for mfu in (low, middle, high))
    done.basis.append(
        f"A range, not a measurement: no MLPerf result of known number format can stand for {task.accelerator}. "
        f"Assumed is an MFU of {low:g} to {high:g} % of the dense {number_format.upper()} peak, the lowest and highest "
        f"of {row['n']} published figures for {number_format.upper()} training on {', '.join(row['accelerators'])} "
        f"({row['source_url']}); "
        f"the figure between is their geometric mean, {middle:.1f} %."
    )
    for what in ("accelerator", "model", "scale"):
        if what != "accelerator" or task.accelerator not in row["accelerators"]:
            done.extrapolate(
                what,
                f"To another {what}: the assumed range of MFU was published for other systems and models.",
            )
    return Speed(mean, slow, fast, number_format, middle)


def _of_mfu(reader: Reader, task: Task, number_format: str, mfu: float) -> float:
    """Trained tokens per second of one accelerator at an MFU."""
    row = reader.one(
        "select trained_tokens_per_s($mfu::double, $flops::double, $peak::double) as tokens_per_s",
        {"mfu": mfu, "flops": task.flops_per_token, "peak": task.peak(number_format)},
    )
    return float(row["tokens_per_s"])


def _words(r: Row) -> str:
    known = (
        f"{r['mfu_pct']:.1f} % of the dense {r['number_format'].upper()} peak"
        if r["mfu_pct"] is not None
        else f"not known, as its number format is ambiguous ({r['mfu_candidates']})"
        if r["mfu_candidates"]
        else "not known, as no file names its number format"
    )
    return (
        f"MLPerf Training {r['release']}, closed, {r['submitter']}, {r['system_name']}, {r['benchmark_id']} on "
        f"{r['accelerator_count']:,} x {r['accelerator_id']} (result {r['result_id']}): {r['tokens_per_s']:,.1f} "
        f"trained tokens/s per accelerator, MFU {known}."
    )
