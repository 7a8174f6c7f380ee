"""One training log as a run: its benchmark, times, batch sizes and quality."""

from __future__ import annotations

import statistics
from typing import Any

from ingest.core import values
from ingest.mlperf.mllog import Event, Log, metadata, utf8
from ingest.mlperf.training_layout import Place
from ingest.mlperf.training_models import model_of, samples_trained
from ingest.mlperf.training_records import TrainingRun
from ingest.mlperf.training_score import benchmark_of_folder

_STEP_TIME_KEYS = ("train_step_time", "train_step_timing in s", "train_step_time in s")


def _start_and_stop(log: Log) -> tuple[Event | None, Event | None]:
    """The run's interval as the summarizer takes it: reading stops as soon as both are known."""
    start = stop = None
    for event in log.of("run_start", "run_stop"):
        if event.key == "run_start":
            start = event
        else:
            stop = event
        if start is not None and stop is not None:
            break
    return start, stop


def _first(log: Log, key: str) -> Any:
    return next((event.value["value"] for event in log.events if event.key == key), None)


def _described(log: Log, key: str) -> str | None:
    text = values.text(_first(log, key))
    return utf8(text) if text is not None else None


def _step_s_and_throughput(log: Log) -> tuple[float | None, float | None]:
    """The median step in seconds, and the last throughput logged, of the records of statistics."""
    logged = [event.value["value"] for event in log.of("tracked_stats")]
    objects = [value for value in logged if isinstance(value, dict)]
    step_times = [values.number(o[key]) for o in objects for key in _STEP_TIME_KEYS if key in o]
    steps = [seconds for seconds in step_times if seconds is not None and seconds > 0]
    throughputs = (values.number(o.get("throughput")) for o in reversed(objects))
    return statistics.median(steps) if steps else None, next((t for t in throughputs if t is not None), None)


def describe_run(path: str, place: Place, log: Log, release: str, problem: str | None) -> TrainingRun:
    """The row of one log, without what depends on its system or on the other runs."""
    # some submitters of v0.7 leave the benchmark's folder out
    folder = place.benchmark or _described(log, "submission_benchmark") or "unknown"
    benchmark = benchmark_of_folder(folder)
    model = model_of(release, benchmark)
    start, stop = _start_and_stop(log)
    seconds = (stop.timestamp - start.timestamp) / 1000 if start and stop else None

    evals = log.of("eval_accuracy", "eval_error")
    in_run = [e for e in evals if stop is None or e.lineno < stop.lineno]
    done = in_run or evals  # some evaluate when the run is over
    last = done[-1] if done else None
    position = None
    if last is not None:
        key = model.position_key if model else "samples_count"
        position = values.number(metadata(last).get(key))

    step_s, throughput = _step_s_and_throughput(log)
    batch = values.integer(_first(log, "global_batch_size"))
    train_samples = values.number(_first(log, "train_samples"))
    logged_length = values.integer(_first(log, "max_sequence_length"))
    length = logged_length or (model.sequence_length if model else None)
    samples = samples_trained(model, log, stop, position, train_samples, batch, length)
    is_fixed = model is not None and model.is_fixed_sequence and length is not None
    return TrainingRun(
        release=release,
        submitter=place.submitter,
        system=place.system,
        benchmark=benchmark,
        run=path.rpartition("/")[2].removesuffix(".txt"),
        location=path,
        status=values.text(metadata(stop).get("status")) if stop else None,
        is_scored=problem is None and seconds is not None,
        compliance_problem=problem,
        start_ms=start.timestamp if start else None,
        stop_ms=stop.timestamp if stop else None,
        minutes=seconds / 60 if seconds is not None else None,
        run_starts=len(log.of("run_start")),
        records=log.records,
        benchmark_published=_described(log, "submission_benchmark"),
        division_published=_described(log, "submission_division"),
        platform_published=_described(log, "submission_platform"),
        global_batch_size=batch,
        gradient_accumulation_steps=values.integer(_first(log, "gradient_accumulation_steps")),
        train_samples_published=train_samples,
        sequence_length=length,
        final_eval_value=values.number(last.value["value"]) if last else None,
        final_eval_metric=values.text(metadata(last).get("metric")) if last else None,
        final_eval_position=position,
        samples=samples,
        tokens=samples * length if is_fixed and samples is not None and length is not None else None,
        samples_per_s=samples / seconds if samples and seconds and seconds > 0 else None,
        steady_samples_per_s=batch / step_s if batch and step_s else None,
        train_step_time_s=step_s,
        throughput_published=throughput,
        log_sha256=log.sha256,
    )
