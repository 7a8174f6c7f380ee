"""What is kept of an MLPerf Training round: its runs and its results."""

from __future__ import annotations

from dataclasses import dataclass, field

from ingest.core import values
from ingest.core.records import Parsed

TRAINING_PARSER_VERSION = 5
"""Raise it whenever the same bytes would give other rows: it is part of the cache key."""


@dataclass(frozen=True, kw_only=True)
class RunEnergy:
    """Energy of one run, as columns of `TrainingRun`; None where no power was logged.

    Attributes:
        energy_official_j: nodes, and switches by their estimate alone (0 without one): what MLCommons publishes.
        energy_with_switch_readings_j: the same, with the readings of switches that log no estimate.
        node_energy_j: of the nodes.
        node_energy_in_interval_j: of the nodes, from the readings inside [run_start, run_stop] only; None when they
            do not cover all of it, by the nodes' clocks.
        power_nodes: meters of nodes.
        power_switches: meters of switches.
        power_conversion_efficiency: mean over the nodes.
        power_measurement_type: AC | DC, both when they differ.
    """

    energy_official_j: float | None = None
    energy_with_switch_readings_j: float | None = None
    node_energy_j: float | None = None
    node_energy_in_interval_j: float | None = None
    power_nodes: int | None = None
    power_switches: int | None = None
    power_conversion_efficiency: float | None = None
    power_measurement_type: str | None = None


@dataclass(frozen=True, kw_only=True)
class TrainingRun(RunEnergy):
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
    log_sha256: str | None = None


@dataclass(frozen=True, kw_only=True)
class System:
    """What a system file states, as columns of `TrainingResult`. Texts are the file's own."""

    submitter_published: str | None = None
    division: str | None = None
    availability_published: str | None = None
    system_name: str | None = None
    number_of_nodes: int | None = None
    accelerators_per_node: int | None = None
    accelerator_name_published: str | None = None
    host_processor_name: str | None = None
    host_processors_per_node: int | None = None
    framework: str | None = None
    driver_version: str | None = None
    software_stack: str | None = None
    operating_system: str | None = None
    notes: str | None = None

    @property
    def accelerators(self) -> int | None:
        """Nodes × accelerators per node; None when unknown, zero (CPU systems) or beyond 64 bits."""
        if self.number_of_nodes is None or self.accelerators_per_node is None:
            return None
        return values.integer(self.number_of_nodes * self.accelerators_per_node) or None


@dataclass(frozen=True, kw_only=True)
class TrainingResult(System):
    """One benchmark of one system: (release, submitter, system, benchmark).

    Units: ``minutes`` is the official score, ``scaling_factor`` included; energies are joules a run, the runs and the
    factor being those of the score. Throughputs are means over the counted runs, without the factor. Rounds known by
    their scores alone (see `ingest.mlperf.training_collection`) have neither runs nor factor; a result whose
    scaling.json cannot be read has neither score nor factor.
    Fields ending in ``_published`` are the system file's words.
    """

    release: str
    submitter: str
    system: str
    benchmark: str
    location: str
    minutes: float | None
    no_score_reason: str | None = None
    scaling_factor: float | None = None
    runs: int | None = None
    runs_failed: int | None = None
    runs_counted: int | None = None
    runs_required: int | None
    total_accelerators: int | None = None
    global_batch_size: int | None = None
    sequence_length: int | None = None
    accelerator_hours: float | None = None
    samples_per_s: float | None = None
    trained_tokens_per_s_per_accelerator: float | None = None
    steady_trained_tokens_per_s_per_accelerator: float | None = None
    energy_official_j: float | None = None
    energy_with_switch_readings_j: float | None = None
    is_system_described: bool = True


@dataclass
class TrainingTree:
    """What a release holds.

    Attributes:
        runs: rows and rejects of the logs; a log is rejected when nothing can be read from it.
        results: rows of the benchmark folders. One whose system is not described has neither division nor accelerators.
    """

    runs: Parsed[TrainingRun] = field(default_factory=Parsed)
    results: Parsed[TrainingResult] = field(default_factory=Parsed)

    def warn(self, path: str, problem: str, remedy: str, record: str = "(whole file)") -> None:
        """Name a defect that cost no row; it stands in the account of the runs."""
        self.runs.warn(record, problem, payload=path, remedy=remedy)

    def reject_log(self, path: str, problem: str, remedy: str) -> None:
        """Name a log of which nothing can be read."""
        self.runs.reject("(whole file)", problem, payload=path, remedy=remedy)
