"""One training log as a run: its benchmark, times, batch sizes and quality."""

from __future__ import annotations

import statistics
from typing import Any

from ingest.core import values
from ingest.mlperf.mllog_records import Event, Log, metadata, utf8
from ingest.mlperf.training_layout import Place
from ingest.mlperf.training_models import model_of, samples_trained
from ingest.mlperf.training_records import TrainingRun
from ingest.mlperf.training_score import (
    benchmark_of_folder,
)

LOG_KEYS = frozenset(
    {
        "eval_accuracy",
        "eval_error",
        "global_batch_size",
        "gradient_accumulation_steps",
        "max_sequence_length",
        "run_start",
        "run_stop",
        "submission_benchmark",
        "submission_division",
        "submission_platform",
        "train_samples",
    }
)


def _start_and_stop(events: list[Event]) -> tuple[Event | None, Event | None]:
    """The run's interval as the summarizer takes it: reading stops as soon as both are known."""
    start = stop = None
    for event in events:
        if event.key == "run_start":
            start = event
        elif event.key == "run_stop":
            stop = event
        if start is not None and stop is not None:
            break
    return start, stop


def _first(events: list[Event], key: str) -> Any:
    return next((e.value["value"] for e in events if e.key == key), None)


def _described(events: list[Event], key: str) -> str | None:
    text = values.text(_first(events, key))
    return utf8(text) if text is not None else None


def describe_run(path: str, place: Place, log: Log, release: str, problem: str | None) -> TrainingRun:
    """The row of one log, without what depends on its system or on the other runs."""
    # some submitters of v0.7 leave the benchmark's folder out
    folder = place.benchmark or _described(log.events, "submission_benchmark") or "unknown"
    benchmark = benchmark_of_folder(folder)
    model = model_of(release, benchmark)
    events = [e for e in log.events if e.key in LOG_KEYS]
    start, stop = _start_and_stop(events)
    seconds = (stop.timestamp - start.timestamp) / 1000 if start and stop else None

    evals = [e for e in events if e.key in ("eval_accuracy", "eval_error")]
    in_run = [e for e in evals if stop is None or e.lineno < stop.lineno]
    done = in_run or evals  # some evaluate when the run is over
    last = done[-1] if done else None
    position = None
    if last is not None:
        key = model.position_key if model else "samples_count"
        position = values.number(metadata(last).get(key))

    steps = [t for logged in log.statistics.step_times if (t := values.number(logged)) is not None and t > 0]
    step_s = statistics.median(steps) if steps else None
    batch = values.integer(_first(events, "global_batch_size"))
    train_samples = values.number(_first(events, "train_samples"))
    logged_length = values.integer(_first(events, "max_sequence_length"))
    length = logged_length or (model.sequence_length if model else None)
    samples = samples_trained(model, events, log.statistics, stop, position, train_samples, batch, length)
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
        run_starts=sum(e.key == "run_start" for e in events),
        records=log.records,
        benchmark_published=_described(events, "submission_benchmark"),
        division_published=_described(events, "submission_division"),
        platform_published=_described(events, "submission_platform"),
        global_batch_size=batch,
        gradient_accumulation_steps=values.integer(_first(events, "gradient_accumulation_steps")),
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
        throughput_published=log.statistics.throughput,
        log_sha256=log.sha256,
    )
