"""Trained tokens per second of one accelerator: measured, carried over as MFU, or a published range.

Rules (docs/figures.md): measured tokens/s of the same model on the same part come first, whatever the format. Only
where the model was never measured on the part an MFU is carried over, to a part that has the format: measured or
published, of the same size class before the same part. Where nothing comparable is known, the answer is the range of
published MFU in that format.
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
# models of one size class differ by at most this factor in parameters that work on a token
_SIZE_CLASS = 2.5


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
        high: fastest that the evidence allows; as low where there is one witness.
        basis: what low and high rest on.
        number_format: that it is in; None where the measured run's is not known.
        mfu_pct: of the dense peak of ``number_format``.
    """

    tokens_per_s: float
    low: float
    high: float
    basis: str
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
    carriable = [] if measured else [r for r in references + _published(reader) if _is_carriable(r, task)]
    carried = _carried(carriable, task)
    if mfu is not None:
        number_format = task.number_format or "bf16"
        done.basis.append(
            f"MFU of {mfu:g} % of the dense {number_format.upper()} peak is an input, not measured."
        )
        if nearest := measured or carried:
            done.basis.append(f"For comparison, the nearest known: {_words(nearest)}")
        speed = _of_mfu(reader, task, number_format, mfu)
        return Speed(speed, speed, speed, "an MFU as given", number_format, mfu)
    if measured:
        return _measured_speed(reader, references, measured, task, done)
    if carried:
        return _carried_speed(reader, carriable, carried, task, done)
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

        select r.result_id, r.benchmark_id as run_name, r.release, r.submitter, r.system_name, r.benchmark_id,
            r.accelerator_id, r.accelerator_count, r.number_format,
            r.trained_tokens_per_s_per_accelerator as tokens_per_s,
            string_split(ltrim(r.release, 'v'), '.')::integer[] as release_order,
            r.mfu_pct, r.mfu_candidates, r.sequence_length, m.parameters,
            m.parameters as total_parameters, d.vendor, d.architecture,
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


def _published(reader: Reader) -> list[Row]:
    """MFU that others published, with the columns of `_references` that an MFU is chosen by."""
    return reader.rows(
        """
        select p.*, null as result_id, [0, 0] as release_order, 0 as tokens_per_s, d.vendor, d.architecture
        from intermediate.int_training__published_mfu as p
        left join dim_accelerator as d using (accelerator_id)
        order by p.mfu_id
        """
    )


def _distance(a: float | None, b: float) -> float:
    return abs(math.log(a / b)) if a else math.inf


def _newest_and_fastest(r: Row) -> tuple[int, int, float]:
    major, minor = r["release_order"]
    return -major, -minor, -r["tokens_per_s"]


def _is_same_model(r: Row, task: Task) -> bool:
    pairs = ((r["parameters"], task.params), (r["total_parameters"], task.total_params))
    return all(abs(known / asked - 1) <= SAME_MODEL for known, asked in pairs)


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


def _carried(carriable: list[Row], task: Task) -> Row | None:
    """The result or published figure whose MFU is carried over.

    Of the size class first, as MFU differs more between sizes than between parts; BF16 last, as measured runs of
    known format use lower ones; then nearest in part, model size, architecture, vendor and scale.
    """
    return min(
        carriable,
        key=lambda r: (
            not _is_of_size_class(r, task),
            r["number_format"] == "bf16",
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
    """Whether the part has the known format of an MFU; a published one must be of the size class."""
    return (
        r["mfu_pct"] is not None
        and task.peak(r["number_format"]) is not None
        and task.number_format in (None, r["number_format"])
        and (r["result_id"] is not None or _is_of_size_class(r, task))
    )


def _is_of_size_class(r: Row, task: Task) -> bool:
    """Whether a model is of like size, and a mixture of experts as the task's is, or neither."""
    is_mixture = r["total_parameters"] > r["parameters"]
    return is_mixture == (task.total_params > task.params) and _distance(
        r["parameters"], task.params
    ) <= math.log(_SIZE_CLASS)


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
    done.basis.append(f"Measured: {_words(nearest)}")
    basis = "one result"
    if low < high:
        basis = f"counted runs of {len(peers)} result(s)"
        done.basis.append(
            f"Low and high are the slowest and fastest of the {basis} of the model on the part, within "
            f"{_PEERS_FACTOR:g} times the scale."
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
    return Speed(speed, min(low, speed), max(high, speed), basis, nearest["number_format"], mfu)


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


def _carried_speed(reader: Reader, carriable: list[Row], nearest: Row, task: Task, done: Estimate) -> Speed:
    """Tokens per second at the MFU of the nearest result or published figure, in its number format."""
    number_format, mfu = nearest["number_format"], nearest["mfu_pct"]
    speed = _of_mfu(reader, task, number_format, mfu)
    is_same_part = nearest["accelerator_id"] == task.accelerator
    is_same_class = _is_of_size_class(nearest, task)
    spread = [
        r["mfu_pct"]
        for r in carriable
        if r["number_format"] == number_format
        and (r["accelerator_id"] == task.accelerator or not is_same_part)
        and (_is_of_size_class(r, task) or not is_same_class)
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
            f"nothing of that size and format is known of {task.accelerator}. It need not hold.",
        )
    if not _is_same_model(nearest, task):
        done.extrapolate(
            "model",
            f"To another model: known of {nearest['run_name']} with {nearest['parameters']:.4g} parameters, used "
            f"for {task.params:.4g} at the same MFU.",
        )
    count = nearest["accelerator_count"] or 0
    if abs(count / task.gpus - 1) > _SAME_SCALE:
        known = f"{count:,}" if count else "a number that is not stated"
        done.extrapolate(
            "scale", f"To another scale: known at {known}, used for {task.gpus:,} at the same MFU."
        )
    return Speed(speed, speed * low / mfu, speed * high / mfu, basis, number_format, mfu)


def _published_range(reader: Reader, task: Task, done: Estimate) -> Speed:
    """The range of published MFU in the format: nothing comparable was measured."""
    number_format = task.number_format or "bf16"
    row = reader.one(
        "select min(mfu_pct) as low, max(mfu_pct) as high, count(*) as n, "
        "string_agg(distinct source_url, ', ' order by source_url) as source_url, "
        "list(distinct accelerator_id order by accelerator_id) as accelerators "
        "from intermediate.int_training__published_mfu where number_format = $format",
        {"format": number_format},
    )
    if task.peak(number_format) is None or not row["n"]:
        raise QuestionError(
            f"no measured training result can stand for {task.accelerator} in {number_format}, and no published MFU: "
            "give mfu (above 0, at most 100) with precision"
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
    return Speed(mean, slow, fast, f"{row['n']} published figures of MFU", number_format, middle)


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
    if r["result_id"] is None:
        where = f"{r['accelerator_count']:,} x " if r["accelerator_count"] else ""
        source = f"published by others and no MLPerf result ({r['source_url']})"
        return f"{r['run_name']} on {where}{r['accelerator_id']}, {source}: MFU {known}."
    return (
        f"MLPerf Training {r['release']}, closed, {r['submitter']}, {r['system_name']}, {r['benchmark_id']} on "
        f"{r['accelerator_count']:,} x {r['accelerator_id']} (result {r['result_id']}): {r['tokens_per_s']:,.1f} "
        f"trained tokens/s per accelerator, MFU {known}. {NOT_OFFICIAL}"
    )
