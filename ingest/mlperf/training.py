"""MLPerf Training releases: a tree of logs → one row a run, one row a result, scored as MLCommons does.

A release publishes no numbers, only descriptions of systems and logs (layouts: `ingest.mlperf.training_layout`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any

from ingest.mlperf.mllog import Log, read_log
from ingest.mlperf.records import Unusable
from ingest.mlperf.releases import normalise_release
from ingest.mlperf.training_energy import NODE, SWITCH, PowerLog, read_power_log, run_energy
from ingest.mlperf.training_layout import LOG_FORM, V05, V06, Place, kind_and_place, system_paths
from ingest.mlperf.training_logs import describe_run
from ingest.mlperf.training_records import System, TrainingResult, TrainingRun, TrainingTree
from ingest.mlperf.training_rules import broken_rules, compliance_problem, missing_rules
from ingest.mlperf.training_score import (
    Score,
    benchmark_of_folder,
    mean_of,
    olympic_score,
    read_scaling_factor,
    required_runs,
)
from ingest.mlperf.training_systems import UNDESCRIBED, organisation_of, read_system
from ingest.mlperf.training_v05 import UNCOUNTED, nodes_in_use, problem_of_old_log, read_old_log

_NO_RECORD = "there is no :::MLLOG record in it"


@dataclass
class _Folder:
    """What is known of one folder of logs while the tree goes by."""

    place: Place
    runs: list[TrainingRun] = field(default_factory=list)
    unread: int = 0  # logs of which nothing could be read: failed runs of the score
    scaling_factor: float | None = 1.0  # None: scaling.json gives none
    power: dict[str, list[PowerLog]] = field(default_factory=dict)
    nodes: set[int] = field(default_factory=set)  # caches cleared in each run, of v0.5


class _Reader:
    """State of one pass over a release.

    Args:
        release: the round, normalised.
    """

    def __init__(self, release: str) -> None:
        self.release, self._is_old = release, release in (V05, V06)
        self.missing_rules = None if self._is_old else missing_rules(release)
        self.tree = TrainingTree()
        self.folders: dict[str, _Folder] = {}
        self.system_files: dict[str, bytes] = {}
        self._used_system_files: set[str] = set()
        self._others: dict[str, list[str]] = {}  # folder → names of files in no form that is read
        self._organisations: dict[str, str | None] = {}
        if self.missing_rules:
            self.tree.warn("(the release)", self.missing_rules, "runs are kept, scores are null")

    def add(self, path: str, payload: bytes) -> None:
        """Read one file of the tree; files of no known kind are ignored."""
        kind, place = kind_and_place(path)
        if kind == "system":
            self.system_files[path] = payload
        elif kind == "submission":
            self._organisations[path.rpartition("/")[0]] = organisation_of(payload)
        elif kind == "other":
            folder, _, name = path.rpartition("/")
            self._others.setdefault(folder, []).append(name)
        elif kind is not None and place is not None:
            read = {"log": self._add_log, "power": self._add_power, "scaling": self._add_scaling}[kind]
            read(self.folders.setdefault(place.location, _Folder(place)), path, payload)
        elif kind == "log":
            self.tree.runs.read()
            self.tree.reject_log(path, "the log stands in no known layout", LOG_FORM)

    def _add_log(self, folder: _Folder, path: str, payload: bytes) -> None:
        self.tree.runs.read()
        log = read_old_log(payload) if self._is_old else read_log(payload)
        if not log.records:
            folder.unread += 1
            self.tree.reject_log(path, _NO_RECORD, "it counts as a failed run; look at it upstream")
            return
        run = describe_run(path, folder.place, log, self.release, self._problem(log))
        if run.stop_ms is None or log.broken:
            problem = f"{len(log.broken)} records cannot be read: {log.broken[0]}" if log.broken else ""
            problem = problem or f"the log has no {'run_start' if run.start_ms is None else 'run_stop'}"
            remedy = "the run counts" if run.is_scored else "it counts as a failed run"
            self.tree.warn(path, problem, f"{remedy}; look at it upstream")
        if self.release == V05:
            folder.nodes.add(len(log.of("run_clear_caches")))
        folder.runs.append(run)

    def _problem(self, log: Log) -> str | None:
        """Return why a run does not count; None when it does."""
        if self._is_old:
            return problem_of_old_log(log, self.release)
        return self.missing_rules or compliance_problem(log, self.release)

    def required_runs(self, benchmark: str) -> int | None:
        """Return how many runs a submission has to hold; None where that is not known."""
        is_uncounted = self.missing_rules or (self._is_old and benchmark in UNCOUNTED)
        return None if is_uncounted else required_runs(benchmark)

    def _add_power(self, folder: _Folder, path: str, payload: bytes) -> None:
        run, name = path.split("/")[-2:]
        kind = NODE if fnmatchcase(name, "node_*.txt") else SWITCH if fnmatchcase(name, "sw_*.txt") else None
        if kind is None:
            return
        try:
            log = read_power_log(payload, kind=kind)
        except Unusable as e:
            self.tree.warn(path, f"power was logged and cannot be used: {e}", "look at the log")
            log = PowerLog(kind=kind)  # without a reading; a sum that lacks a node would pass for the whole
        folder.power.setdefault(run, []).append(log)

    def _add_scaling(self, folder: _Folder, path: str, payload: bytes) -> None:
        try:
            folder.scaling_factor = read_scaling_factor(payload)
        except (ValueError, RecursionError) as e:
            folder.scaling_factor = None
            self.tree.warn(path, f"gives no factor: {e}", "there is no score; the official tool stops here")

    def system_of(self, place: Place) -> System:
        """Return the system of a result; `UNDESCRIBED`, with a warning, where no file describes it."""
        paths = system_paths(self.release, place)
        path = next((p for p in paths if p in self.system_files), paths[0])
        problem = f"there is no readable {path}"
        if (payload := self.system_files.get(path)) is not None:
            self._used_system_files.add(path)
            try:
                return read_system(payload, self._organisation_of(path))
            except Unusable as e:
                problem = f"{path} is no system description: {e}"
        self.tree.warn(
            place.location, problem, "look upstream; the result has neither division nor accelerators"
        )
        return UNDESCRIBED

    def name_unread(self) -> None:
        """Name the systems of which no log was read, and the files in no form that is read. Call it after scoring."""
        for path in sorted(self.system_files.keys() - self._used_system_files):
            self.tree.warn(path, "the system is described, and no log of it is read", LOG_FORM)
        for folder, names in sorted(self._others.items()):
            # beside logs that are read, other logs are mostly those of tools
            unread = [n for n in names if folder not in self.folders or n.startswith(("result", "run"))]
            if unread:
                problem = f"{len(unread)} files are in no form that is read, the first is {min(unread)}"
                self.tree.warn(folder, problem, LOG_FORM, "(folder)")

    def _organisation_of(self, path: str) -> str | None:
        """Return the organisation of the nearest submission.json above a file."""
        while "/" in path:
            path = path.rpartition("/")[0]
            if path in self._organisations:
                return self._organisations[path]
        return None


def parse_training_tree(members: Iterable[tuple[str, bytes]], *, release: str) -> TrainingTree:
    """Read a release in one pass; no log is held longer than it takes to read it.

    Args:
        members: (path inside the repository, content), in any order; usually from `read_tarball` or `read_folder`
            with `PATTERNS`. Others are ignored.
        release: the round, ``v5.0``. Of a round whose rules the installed mlperf-logging does not have, the runs
            are kept and the scores are null with that reason.

    Raises:
        NotARelease: `release` is no name of a round.
    """
    reader = _Reader(normalise_release(release))
    for path, payload in members:
        reader.add(path, payload)
    for _, folder in sorted(reader.folders.items()):
        if folder.runs or folder.unread:
            _score_folder(reader, folder)
    reader.name_unread()
    reader.tree.runs.checked(f"training logs {reader.release}")
    reader.tree.results.checked(f"training results {reader.release}")
    return reader.tree


def _score_folder(reader: _Reader, folder: _Folder) -> None:
    """Score a folder's runs: one benchmark's, or those of each benchmark where the folder is of the whole system."""
    folder.runs.sort(key=lambda run: (len(run.run), run.run))
    benchmarks = sorted({run.benchmark for run in folder.runs})
    unread = folder.unread if len(benchmarks) < 2 else 0
    for benchmark in benchmarks or [benchmark_of_folder(folder.place.benchmark) or "unknown"]:
        _score(reader, folder, benchmark, [run for run in folder.runs if run.benchmark == benchmark], unread)


def _score(
    reader: _Reader, folder: _Folder, benchmark: str, of_benchmark: list[TrainingRun], unread: int
) -> None:
    place, tree = folder.place, reader.tree
    system = reader.system_of(place)
    if reader.release == V05 and len(folder.nodes) == 1:
        system = replace(system, number_of_nodes=nodes_in_use(system.number_of_nodes, *folder.nodes))
    accelerators = system.accelerators
    minutes = [run.minutes if run.is_scored else None for run in of_benchmark] + [None] * unread
    score = _olympic_score(reader, folder, benchmark, of_benchmark, minutes)
    runs = []
    for i, run in enumerate(of_benchmark):
        derived: dict[str, Any] = {"is_counted": i in score.counted}
        if run.is_scored:
            derived |= _per_accelerator(run, accelerators) | _energy(run, folder.power, tree)
        runs.append(replace(run, **derived))
    tree.runs.rows.extend(runs)

    def mean(name: str, factor: float | None = 1.0) -> float | None:
        column: list[float | None] = [getattr(run, name) for run in runs]
        if factor is None or not score.counted or any(column[i] is None for i in score.counted):
            return None
        return mean_of(column, score.counted) * factor

    batches = {run.global_batch_size for run in runs}
    lengths = {run.sequence_length for run in runs}
    tree.results.read()
    tree.results.add(
        TrainingResult(
            release=reader.release,
            submitter=place.submitter,
            system=place.system,
            benchmark=benchmark,
            location=place.location,
            minutes=score.value,
            no_score_reason=score.reason,
            scaling_factor=folder.scaling_factor,
            runs=len(minutes),
            runs_failed=sum(m is None for m in minutes),
            runs_counted=len(score.counted),
            runs_required=reader.required_runs(benchmark),
            total_accelerators=accelerators,
            **asdict(system),
            global_batch_size=batches.pop() if len(batches) == 1 else None,
            sequence_length=lengths.pop() if len(lengths) == 1 else None,
            accelerator_hours=accelerators * score.value / 60 if accelerators and score.value else None,
            samples_per_s=mean("samples_per_s"),
            trained_tokens_per_s_per_accelerator=mean("trained_tokens_per_s_per_accelerator"),
            steady_trained_tokens_per_s_per_accelerator=mean("steady_trained_tokens_per_s_per_accelerator"),
            energy_official_j=mean("energy_official_j", folder.scaling_factor),
            energy_with_switch_readings_j=mean("energy_with_switch_readings_j", folder.scaling_factor),
            is_system_described=system is not UNDESCRIBED,
        )
    )


def _olympic_score(
    reader: _Reader,
    folder: _Folder,
    benchmark: str,
    runs: list[TrainingRun],
    minutes: list[float | None],
) -> Score:
    """Return the official score of a folder's runs, or the reason why there is none."""
    if reader.required_runs(benchmark) is None:
        return Score(
            reason=reader.missing_rules or f"no rule at hand states how many runs of {benchmark} count"
        )
    if folder.scaling_factor is None:
        return Score(reason="scaling.json gives no factor; the official tool stops here")
    score = olympic_score(minutes, benchmark=benchmark, scaling_factor=folder.scaling_factor)
    unread = len(minutes) - len(runs)
    rules = broken_rules([*(run.compliance_problem for run in runs), *[_NO_RECORD] * unread])
    return replace(score, reason=f"{score.reason}: {rules}") if score.reason and rules else score


def _per_accelerator(run: TrainingRun, accelerators: int | None) -> dict[str, Any]:
    """Return the fields of a run that depend on its number of accelerators; none where that is unknown."""
    if accelerators is None:
        return {}
    speeds: dict[str, Any] = {"total_accelerators": accelerators}
    if run.tokens and run.minutes and run.minutes > 0:
        per_s = run.tokens / (run.minutes * 60)
        speeds["trained_tokens_per_s_per_accelerator"] = per_s / accelerators
    if run.tokens is not None and run.steady_samples_per_s and run.sequence_length:
        per_s = run.steady_samples_per_s * run.sequence_length
        speeds["steady_trained_tokens_per_s_per_accelerator"] = per_s / accelerators
    return speeds


def _energy(run: TrainingRun, power: dict[str, list[PowerLog]], tree: TrainingTree) -> dict[str, Any]:
    """Return the fields of a run's energy; none, with a warning, where it was measured and is unknown."""
    if not power or run.start_ms is None or run.stop_ms is None:
        return {}
    # the official tool cuts the name at its first dot
    logs = power.get(run.run.split(".")[0], [])
    try:
        return asdict(run_energy(logs, start_ms=run.start_ms, stop_ms=run.stop_ms))
    except Unusable as e:
        tree.warn(
            run.location,
            f"the run has no energy although others of its folder do: {e}",
            "the result has none either; the official tool stops here",
            "(power)",
        )
        return {}
