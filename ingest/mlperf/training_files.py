"""One log or power log of a training release, read on its own: what it holds, and what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import BinaryIO, NamedTuple

from ingest.core.errors import NotARelease
from ingest.mlperf.mllog import read_log
from ingest.mlperf.mllog_records import Log
from ingest.mlperf.training_energy import NODE, SWITCH, UNUSABLE, PowerLog, read_power_log
from ingest.mlperf.training_layout import V05, V06, Place
from ingest.mlperf.training_logs import LOG_KEYS, describe_run
from ingest.mlperf.training_records import TrainingRun
from ingest.mlperf.training_score import Compliance, NoRules
from ingest.mlperf.training_v05 import OldRules, caches_cleared, read_old_log


class Remark(NamedTuple):
    """A defect of a file that costs no other file anything."""

    problem: str
    remedy: str
    record: str = "(whole file)"


@dataclass(frozen=True, kw_only=True)
class FileRead:
    """What a file holds.

    Attributes:
        run: of a log, None when nothing can be read from it.
        nodes: how many nodes cleared their caches in it; of v0.5.
        power: of a power log; None where the file is neither a node's nor a switch's.
        remarks: defects.
    """

    run: TrainingRun | None = None
    nodes: int | None = None
    power: PowerLog | None = None
    remarks: tuple[Remark, ...] = ()


class FileReader:
    """Reads the logs of one round.

    Args:
        release: the round, normalised.

    Attributes:
        rules: of the round.
    """

    def __init__(self, release: str) -> None:
        self.release = release
        self.rules: Compliance | OldRules | NoRules
        try:
            self.rules = OldRules(release) if release in (V05, V06) else Compliance(release)
        except NotARelease as e:
            self.rules = NoRules(str(e))
        self._keys = self.rules.keys | LOG_KEYS

    def _parsed(self, content: bytes | BinaryIO) -> Log:
        """Read a log in the dialect of the round."""
        return read_old_log(content) if self.release in (V05, V06) else read_log(content, self._keys)

    def read_log(self, place: Place, path: str, content: bytes | BinaryIO) -> FileRead:
        """Read a log."""
        log = self._parsed(content)
        remarks = []
        if log.overlong:
            remarks.append(
                Remark(
                    f"{log.overlong} lines are too long to read, one has {log.overlong_bytes} bytes",
                    "they are skipped; with a :::MLLOG mark in it the run counts as failed",
                    "(long lines)",
                )
            )
        if log.records == log.overlong_records:
            return FileRead(remarks=tuple(remarks))
        run = describe_run(path, place, log, self.release, self.rules.problem(log))
        if run.stop_ms is None or log.broken:
            problem = f"{len(log.broken)} records cannot be read: {log.broken[0]}" if log.broken else ""
            problem = problem or f"the log has no {'run_start' if run.start_ms is None else 'run_stop'}"
            remedy = "the run counts" if run.is_scored else "it counts as a failed run"
            remarks.append(Remark(problem, f"{remedy}; look at it upstream"))
        nodes = caches_cleared(log) if self.release == V05 else None
        return FileRead(run=run, nodes=nodes, remarks=tuple(remarks))

    def read_power(self, path: str, content: bytes | BinaryIO) -> FileRead:
        """Read a power log."""
        name = path.rpartition("/")[2]
        kind = NODE if fnmatchcase(name, "node_*.txt") else SWITCH if fnmatchcase(name, "sw_*.txt") else None
        if kind is None:
            return FileRead()
        log = read_power_log(content, kind=kind)
        if isinstance(log, PowerLog):
            return FileRead(power=log)
        problem = f"power was logged and cannot be used: {log}"
        # a sum that lacks a node would pass for the whole
        return FileRead(power=UNUSABLE[kind], remarks=(Remark(problem, "look at the log"),))
