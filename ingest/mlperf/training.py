"""MLPerf Training releases: a tree of logs → one row a run, one row a result, scored as MLCommons does.

A release publishes no numbers, only ``<submitter>/systems/<system>.json`` and
``<submitter>/results/<system>/<benchmark>/{result_*.txt, scaling.json, power/}`` (checked on v4.1 and v5.0, 2026-11).
"""

from __future__ import annotations

import csv
import json
import statistics
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Any, BinaryIO

from ingest.errors import RecordRejected
from ingest.mlperf import values
from ingest.mlperf.mllog import Event, Log, LogReader, metadata, utf8
from ingest.mlperf.raw_tree import decode
from ingest.mlperf.records import Parsed, require_balance
from ingest.mlperf.releases import normalise_release
from ingest.mlperf.training_energy import NODE, SWITCH, PowerLog, RunEnergy, read_power_log, run_energy
from ingest.mlperf.training_score import (
    Compliance,
    benchmark_of_folder,
    mean_of,
    olympic_score,
    read_scaling_factor,
    required_runs,
)

TRAINING_PARSER_VERSION = 1
"""Raise it whenever the same bytes would give other rows: it is part of the cache key."""

PATTERNS = (
    "/*/systems/*.json",
    "/*/results/*/*/result_*.txt",
    "/*/results/*/*/scaling.json",
    "/*/results/*/*/power/*/node_*.txt",
    "/*/results/*/*/power/*/sw_*.txt",
)
"""What of a release is read; the rest is code."""

_KEYS = frozenset(
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
        "tracked_stats",
        "train_samples",
    }
)
_STEP_TIME_KEYS = ("train_step_time", "train_step_timing in s", "train_step_time in s")


@dataclass(frozen=True, kw_only=True)
class TrainingRun:
    """One log: (release, submitter, system, benchmark, run).

    Units: ``*_ms`` are milliseconds since 1970, ``minutes`` run_stop − run_start. ``samples`` are the benchmark's own
    (sequences, images, graph nodes, clicks) trained in the run, ``tokens`` those of benchmarks with a fixed sequence
    length. ``throughput_published`` is the last one logged: of the system or of one accelerator, in samples or tokens,
    as the submitter's code has it. ``samples_per_s`` is end to end, ``steady_samples_per_s`` by the median step.
    Energy is in joules; see `RunEnergy`.
    """

    release: str
    submitter: str
    system: str
    benchmark: str
    run: str
    location: str
    status: str | None
    is_scored: bool
    is_counted: bool = False
    compliance_problem: str | None = None
    start_ms: float | None = None
    stop_ms: float | None = None
    minutes: float | None = None
    run_starts: int = 0
    records: int = 0
    benchmark_published: str | None = None
    division_published: str | None = None
    platform_published: str | None = None
    global_batch_size: int | None = None
    gradient_accumulation_steps: int | None = None
    train_samples_published: float | None = None
    sequence_length: int | None = None
    final_eval_value: float | None = None
    final_eval_metric: str | None = None
    final_eval_position: float | None = None
    samples: float | None = None
    tokens: float | None = None
    samples_per_s: float | None = None
    steady_samples_per_s: float | None = None
    train_step_time_s: float | None = None
    throughput_published: float | None = None
    total_accelerators: int | None = None
    trained_tokens_per_s_per_accelerator: float | None = None
    steady_trained_tokens_per_s_per_accelerator: float | None = None
    energy_official_j: float | None = None
    energy_with_switch_readings_j: float | None = None
    node_energy_j: float | None = None
    node_energy_in_interval_j: float | None = None
    power_nodes: int | None = None
    power_switches: int | None = None
    power_conversion_efficiency: float | None = None
    power_measurement_type: str | None = None


@dataclass(frozen=True, kw_only=True)
class TrainingResult:
    """One benchmark of one system: (release, submitter, system, benchmark).

    Units: ``minutes`` is the official score, ``scaling_factor`` included; energies are joules a run, the runs and the
    factor being those of the score. Throughputs are means over the counted runs, without the factor. Rounds known by
    their scores alone (see `ingest.mlperf.training_collection`) have neither runs nor factor.
    Fields ending in ``_published`` are the system file's words.
    """

    release: str
    submitter: str
    system: str
    benchmark: str
    location: str
    minutes: float | None
    no_score_reason: str | None
    scaling_factor: float | None
    runs: int | None
    runs_failed: int | None
    runs_counted: int | None
    runs_required: int | None
    division: str | None
    availability_published: str | None
    submitter_published: str | None
    system_name: str | None
    number_of_nodes: int | None
    accelerators_per_node: int | None
    total_accelerators: int | None
    accelerator_name_published: str | None
    host_processor_name: str | None
    host_processors_per_node: int | None
    framework: str | None
    driver_version: str | None
    software_stack: str | None
    operating_system: str | None
    notes: str | None
    global_batch_size: int | None = None
    sequence_length: int | None = None
    accelerator_hours: float | None = None
    samples_per_s: float | None = None
    trained_tokens_per_s_per_accelerator: float | None = None
    steady_trained_tokens_per_s_per_accelerator: float | None = None
    energy_official_j: float | None = None
    energy_with_switch_readings_j: float | None = None


@dataclass
class TrainingTree:
    """What a release holds.

    Attributes:
        runs: rows and rejects of the logs; a log is rejected when nothing can be read from it.
        results: rows and rejects of the benchmark folders; one is rejected when its system is not described, as the
            official tool does. Its runs stay.
        remarks: defects that cost no row: an unfinished run, a record that cannot be read, a power log without a start.
    """

    runs: Parsed[TrainingRun] = field(default_factory=Parsed)
    results: Parsed[TrainingResult] = field(default_factory=Parsed)
    remarks: list[RecordRejected] = field(default_factory=list)

    @property
    def rejects(self) -> list[RecordRejected]:
        """All that did not become a row."""
        return [*self.runs.rejects, *self.results.rejects]


@dataclass(frozen=True)
class TrainingModel:
    """How a benchmark counts its samples, and the size of its model (training_models.csv)."""

    benchmark_id: str
    position_key: str
    samples_basis: str
    samples_per_epoch: int | None
    sequence_length: int | None
    is_fixed_sequence: bool
    parameters: float | None
    layers: int | None
    hidden_size: int | None


@cache
def training_models() -> dict[str, TrainingModel]:
    """By benchmark_id."""
    table = files("ingest.mlperf").joinpath("training_models.csv").read_text("utf-8")
    return {
        row["benchmark_id"]: TrainingModel(
            benchmark_id=row["benchmark_id"],
            position_key=row["position_key"],
            samples_basis=row["samples_basis"],
            samples_per_epoch=values.integer(row["samples_per_epoch"]),
            sequence_length=values.integer(row["sequence_length"]),
            is_fixed_sequence=row["is_fixed_sequence"] == "true",
            parameters=values.number(row["parameters"]),
            layers=values.integer(row["layers"]),
            hidden_size=values.integer(row["hidden_size"]),
        )
        for row in csv.DictReader(table.splitlines())
    }


@dataclass
class _Folder:
    """What is known of one benchmark folder while the tree goes by."""

    runs: list[TrainingRun] = field(default_factory=list)
    unread: int = 0  # logs of which nothing could be read: failed runs of the score
    scaling_factor: float = 1.0
    power: dict[str, list[PowerLog]] = field(default_factory=dict)


def parse_training_tree(members: Iterable[tuple[str, bytes | BinaryIO]], *, release: str) -> TrainingTree:
    """Read a release in one pass; no log is held longer than it takes to read it.

    Args:
        members: (path inside the repository, content or a binary stream of it), in any order; usually from
            `iter_tarball` or `iter_folder` with `PATTERNS`. Others are ignored.
        release: the round, ``v5.0``.

    Raises:
        NotARelease: the installed mlperf-logging has no rules for it.
    """
    release = normalise_release(release)
    compliance = Compliance(release)
    reader = LogReader(compliance.keys | _KEYS)
    tree = TrainingTree()
    folders: dict[tuple[str, str, str], _Folder] = {}
    systems: dict[tuple[str, str], dict[str, Any]] = {}
    for path, content in members:
        parts = path.split("/")
        if len(parts) == 3 and parts[1] == "systems" and parts[2].endswith(".json"):
            if (system := _read_system(path, _bytes(content), tree)) is not None:
                systems[parts[0], parts[2].removesuffix(".json")] = system
        elif len(parts) in (5, 7) and parts[1] == "results":
            folder = folders.setdefault((parts[0], parts[2], parts[3]), _Folder())
            if len(parts) == 7 and parts[4] == "power":
                _add_power(folder, path, content, tree)
            elif len(parts) == 5 and fnmatchcase(parts[4], "result_*.txt"):
                _add_log(folder, path, content, release, reader, compliance, tree)
            elif len(parts) == 5 and parts[4] == "scaling.json":
                _add_scaling(folder, path, _bytes(content), tree)
    for (submitter, system_id, benchmark), folder in sorted(folders.items()):
        if folder.runs or folder.unread:
            _score(folder, f"{submitter}/results/{system_id}/{benchmark}", release, systems, tree)
    require_balance(tree.runs, f"training logs {release}")
    require_balance(tree.results, f"training results {release}")
    return tree


def _bytes(content: bytes | BinaryIO) -> bytes:
    return content if isinstance(content, bytes) else content.read()


def _rejected(path: str, problem: str, remedy: str, record: str = "(whole file)") -> RecordRejected:
    return RecordRejected(payload=path, record=record, problem=problem, remedy=remedy)


def _read_system(path: str, payload: bytes, tree: TrainingTree) -> dict[str, Any] | None:
    try:
        system = json.loads(decode(payload))
        problem = None if isinstance(system, dict) and "system_name" in system else "no system_name in it"
    except (ValueError, RecursionError) as e:
        system, problem = None, f"not valid JSON ({e})"
    if problem:
        tree.remarks.append(
            _rejected(path, f"is no system description: {problem}", "its results cannot be attributed")
        )
        return None
    assert isinstance(system, dict)
    return system


def _add_scaling(folder: _Folder, path: str, payload: bytes, tree: TrainingTree) -> None:
    try:
        folder.scaling_factor = read_scaling_factor(payload)
    except (ValueError, RecursionError) as e:
        tree.remarks.append(
            _rejected(path, f"gives no factor: {e}", "the score is not scaled; the official tool stops here")
        )


def _add_power(folder: _Folder, path: str, content: bytes | BinaryIO, tree: TrainingTree) -> None:
    *_, run, name = path.split("/")
    kind = NODE if fnmatchcase(name, "node_*.txt") else SWITCH if fnmatchcase(name, "sw_*.txt") else None
    if kind is None:
        return
    log = read_power_log(content, kind=kind)
    if isinstance(log, str):
        tree.remarks.append(_rejected(path, f"power was logged and cannot be used: {log}", "look at the log"))
        # a sum that lacks a node would pass for the whole
        log = PowerLog(
            kind=kind,
            times_ms=(),
            watts=(),
            stop_ms=None,
            conversion_efficiency=1.0,
            measurement_type=None,
            estimate_w=None,
        )
    folder.power.setdefault(run, []).append(log)


def _add_log(
    folder: _Folder,
    path: str,
    content: bytes | BinaryIO,
    release: str,
    reader: LogReader,
    compliance: Compliance,
    tree: TrainingTree,
) -> None:
    tree.runs.records_in += 1
    log = reader.read(content)
    if log.overlong:
        tree.remarks.append(
            _rejected(
                path,
                f"{log.overlong} lines are too long to read, one has {log.overlong_bytes} bytes",
                "they are skipped; with a :::MLLOG mark in it the run counts as failed",
                "(long lines)",
            )
        )
    if log.records == log.overlong_records:
        folder.unread += 1
        tree.runs.rejects.append(
            _rejected(
                path, "there is no :::MLLOG record in it", "it counts as a failed run; look at it upstream"
            )
        )
        return
    run = _describe(path, log, release, compliance.problem(log))
    if run.stop_ms is None or log.broken:
        problem = f"{len(log.broken)} records cannot be read: {log.broken[0]}" if log.broken else ""
        problem = problem or f"the log has no {'run_start' if run.start_ms is None else 'run_stop'}"
        tree.remarks.append(_rejected(path, problem, "it counts as a failed run; look at it upstream"))
    folder.runs.append(run)


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
    found = values.text(_first(events, key))
    return utf8(found) if found is not None else None


def _describe(path: str, log: Log, release: str, problem: str | None) -> TrainingRun:
    submitter, _, system, folder, name = path.split("/")
    benchmark = benchmark_of_folder(folder)
    model = training_models().get(benchmark)
    events = [e for e in log.events if e.key in _KEYS]
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

    stats = [
        e.value["value"] for e in events if e.key == "tracked_stats" and isinstance(e.value["value"], dict)
    ]
    throughputs = [t for s in stats if (t := values.number(s.get("throughput"))) is not None]
    steps = [
        t for s in stats for k in _STEP_TIME_KEYS if (t := values.number(s.get(k))) is not None and t > 0
    ]
    step_s = statistics.median(steps) if steps else None
    batch = values.integer(_first(events, "global_batch_size"))
    train_samples = values.number(_first(events, "train_samples"))
    logged_length = values.integer(_first(events, "max_sequence_length"))
    length = logged_length or (model.sequence_length if model else None)
    samples = _samples(model, events, stop, position, train_samples, batch, length)
    is_fixed = model is not None and model.is_fixed_sequence and length is not None
    return TrainingRun(
        release=release,
        submitter=submitter,
        system=system,
        benchmark=benchmark,
        run=name.removesuffix(".txt"),
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
        throughput_published=throughputs[-1] if throughputs else None,
    )


def _samples(
    model: TrainingModel | None,
    events: list[Event],
    stop: Event | None,
    position: float | None,
    train_samples: float | None,
    batch: int | None,
    length: int | None,
) -> float | None:
    """Samples trained up to the end of the run, by what the benchmark means with its position in training."""
    if model is None or stop is None:
        return None
    at_stop = values.number(metadata(stop).get(model.position_key))
    if model.samples_basis == "steps":
        step = values.number(metadata(stop).get("step_num"))
        if step is not None and batch is not None:
            return step * batch
        counts = [values.number(metadata(e).get("samples_count")) for e in events]
        return max((c for c in counts if c is not None), default=None)
    reached = at_stop if at_stop is not None else position
    if reached is None:
        return None
    factor = {
        "samples": 1.0,
        "tokens": 1 / length if length else None,
        "epochs": model.samples_per_epoch,
        "epochs_of_train_samples": train_samples,
    }[model.samples_basis]
    return reached * factor if factor is not None else None


def _score(
    folder: _Folder,
    location: str,
    release: str,
    systems: dict[tuple[str, str], dict[str, Any]],
    tree: TrainingTree,
) -> None:
    submitter, _, system_id, benchmark_folder = location.split("/")
    benchmark = benchmark_of_folder(benchmark_folder)
    system = systems.get((submitter, system_id))
    nodes = values.integer(system.get("number_of_nodes")) if system else None
    per_node = values.integer(system.get("accelerators_per_node")) if system else None
    accelerators = nodes * per_node or None if nodes is not None and per_node is not None else None

    folder.runs.sort(key=lambda run: (len(run.run), run.run))
    minutes = [run.minutes if run.is_scored else None for run in folder.runs] + [None] * folder.unread
    score = olympic_score(minutes, benchmark=benchmark, scaling_factor=folder.scaling_factor)
    runs = [
        _with_energy(_per_accelerator(run, accelerators), folder.power, tree) if run.is_scored else run
        for run in folder.runs
    ]
    runs = [replace(run, is_counted=i in score.counted) for i, run in enumerate(runs)]
    tree.runs.rows.extend(runs)

    tree.results.records_in += 1
    if system is None:
        tree.results.rejects.append(
            _rejected(
                location,
                f"there is no readable {submitter}/systems/{system_id}.json",
                "look for the system file upstream; the runs stay, without accelerators",
                benchmark,
            )
        )
        return

    def mean(name: str, factor: float = 1.0) -> float | None:
        column: list[float | None] = [getattr(run, name) for run in runs]
        if not score.counted or any(column[i] is None for i in score.counted):
            return None
        return mean_of(column, score.counted) * factor

    batches = {run.global_batch_size for run in runs}
    lengths = {run.sequence_length for run in runs}
    stack = system.get("other_software_stack")
    tree.results.rows.append(
        TrainingResult(
            release=release,
            submitter=submitter,
            system=system_id,
            benchmark=benchmark,
            location=location,
            minutes=score.value,
            no_score_reason=score.reason,
            scaling_factor=folder.scaling_factor,
            runs=len(minutes),
            runs_failed=sum(m is None for m in minutes),
            runs_counted=len(score.counted),
            runs_required=required_runs(benchmark),
            division=(values.text(system.get("division")) or "").lower() or None,
            availability_published=values.text(system.get("status")),
            submitter_published=values.text(system.get("submitter")),
            system_name=values.text(system.get("system_name")),
            number_of_nodes=nodes,
            accelerators_per_node=per_node,
            total_accelerators=accelerators,
            accelerator_name_published=values.text(system.get("accelerator_model_name")),
            host_processor_name=values.text(system.get("host_processor_model_name")),
            host_processors_per_node=values.integer(system.get("host_processors_per_node")),
            framework=values.text(system.get("framework")),
            driver_version=_driver(stack),
            software_stack=values.text(stack if isinstance(stack, str | None) else json.dumps(stack)),
            operating_system=values.text(system.get("operating_system")),
            notes="; ".join(n for k in ("hw_notes", "sw_notes") if (n := values.text(system.get(k)))) or None,
            global_batch_size=batches.pop() if len(batches) == 1 else None,
            sequence_length=lengths.pop() if len(lengths) == 1 else None,
            accelerator_hours=accelerators * score.value / 60 if accelerators and score.value else None,
            samples_per_s=mean("samples_per_s"),
            trained_tokens_per_s_per_accelerator=mean("trained_tokens_per_s_per_accelerator"),
            steady_trained_tokens_per_s_per_accelerator=mean("steady_trained_tokens_per_s_per_accelerator"),
            energy_official_j=mean("energy_official_j", folder.scaling_factor),
            energy_with_switch_readings_j=mean("energy_with_switch_readings_j", folder.scaling_factor),
        )
    )


def _driver(stack: Any) -> str | None:
    """The accelerator driver's version, where the stack is given by parts (``cuda_driver_version`` and its like)."""
    if isinstance(stack, list):
        return next((found for part in stack if (found := _driver(part))), None)
    if not isinstance(stack, dict):
        return None
    names = sorted((k for k in stack if "driver" in str(k).lower()), key=lambda k: "kernel" in str(k).lower())
    return values.text(stack[names[0]]) if names else None


def _per_accelerator(run: TrainingRun, accelerators: int | None) -> TrainingRun:
    if accelerators is None:
        return run
    tokens_per_s = (
        run.tokens / (run.minutes * 60)
        if run.tokens is not None and run.minutes is not None and run.minutes > 0
        else None
    )
    steady = (
        run.steady_samples_per_s * run.sequence_length
        if run.tokens is not None and run.steady_samples_per_s and run.sequence_length
        else None
    )
    return replace(
        run,
        total_accelerators=accelerators,
        trained_tokens_per_s_per_accelerator=tokens_per_s / accelerators if tokens_per_s else None,
        steady_trained_tokens_per_s_per_accelerator=steady / accelerators if steady else None,
    )


def _with_energy(run: TrainingRun, power: dict[str, list[PowerLog]], tree: TrainingTree) -> TrainingRun:
    if not power or run.start_ms is None or run.stop_ms is None:
        return run
    # the official tool cuts the name at its first dot
    logs = power.get(run.run.split(".")[0], [])
    energy: RunEnergy | str = run_energy(logs, start_ms=run.start_ms, stop_ms=run.stop_ms)
    if isinstance(energy, str):
        tree.remarks.append(
            _rejected(
                run.location,
                f"the run has no energy although others of its folder do: {energy}",
                "the result has none either; the official tool stops here",
                "(power)",
            )
        )
        return run
    return replace(
        run,
        energy_official_j=energy.official_j,
        energy_with_switch_readings_j=energy.with_switch_readings_j,
        node_energy_j=energy.node_j,
        node_energy_in_interval_j=energy.node_in_interval_j,
        power_nodes=energy.nodes,
        power_switches=energy.switches,
        power_conversion_efficiency=energy.conversion_efficiency,
        power_measurement_type=energy.measurement_type,
    )
