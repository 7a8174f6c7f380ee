"""MLPerf Training v0.5: ``:::MLPv0.5.0 <benchmark> <seconds> (<file>:<line>) key[: value]`` lines, and its rules.

The package mlperf_logging begins with v0.6, so the rules of v0.5 stand here. Checked on all 645 logs and system
files at hand (2026-11): a run ends with ``run_stop``, whose value, where it has one, is ``{"success": …}``.
"""

from __future__ import annotations

import io
import json
import re
from typing import Any, BinaryIO

from ingest.core import values
from ingest.mlperf.mllog import HashedStream
from ingest.mlperf.mllog_records import Event, Log
from ingest.mlperf.training_score import required_runs

OLD_MARK = ":::MLPv0.5.0 "

_RECORD = re.compile(
    r"(?P<benchmark>\S+) (?P<seconds>\d+(?:\.\d+)?) \([^)]*\) (?P<key>\w+)(?: ?: ?(?P<value>.*))?$"
)
_KEYS = frozenset({"run_start", "run_stop", "eval_accuracy", "run_clear_caches", "input_batch_size"})
_MAX_LINE_BYTES = 1 << 16
_UNCOUNTED = frozenset({"ncf"})
"""100 runs were submitted, up to 45 of which miss the target; no source at hand states how they were counted."""


def read_old_log(source: bytes | BinaryIO) -> Log:
    """Read one log of v0.5 into the records that later rounds write.

    Args:
        source: the file's content, or a binary stream of it.

    Returns:
        Its records: ``run_stop`` with a status in its metadata (success when it has no value), ``eval_accuracy``
        with ``epoch_num``, times in ms since 1970. Lines longer than 64 KiB hold no record of interest.
    """
    log = Log()
    stream = HashedStream(io.BytesIO(source) if isinstance(source, bytes) else source)
    while line := stream.readline(_MAX_LINE_BYTES):
        text = line.decode("latin-1").rstrip()
        at = text.rfind(OLD_MARK)
        if at < 0:
            continue
        log.records += 1
        record = _RECORD.match(text[at + len(OLD_MARK) :])
        if record is None:
            log.broken.append(repr(text[at:][:120]))
        elif record["key"] in _KEYS:
            log.events.append(_event(record, log.records - 1))
    log.sha256 = stream.sha256
    return log


def _event(record: re.Match[str], lineno: int) -> Event:
    value: Any = record["value"]
    try:
        value = json.loads(value) if value else None
    except (ValueError, RecursionError):
        value = str(value)
    metadata: dict[str, Any] = {"benchmark": record["benchmark"]}
    if record["key"] == "run_stop":
        succeeded = values.flag(value.get("success")) if isinstance(value, dict) else True
        metadata["status"] = "success" if succeeded else "aborted"
    elif record["key"] == "eval_accuracy" and isinstance(value, dict):
        metadata["epoch_num"] = value.get("epoch")
        value = value.get("value")
    return Event(
        full_string="",
        timestamp=float(record["seconds"]) * 1000,
        key=record["key"],
        value={"value": value, "metadata": metadata},
        lineno=lineno,
    )


class OldRules:
    """The rules of v0.5, with the interface of `ingest.mlperf.training_score.Compliance`.

    A run counts when it has run_start and a run_stop without ``"success": false``. Hyperparameters are not checked.
    """

    keys = _KEYS
    repeatable: frozenset[str] = frozenset()
    missing: str | None = None

    def problem(self, log: Log) -> str | None:
        """Return why a run does not count; None when it does."""
        if log.broken:
            return f"{len(log.broken)} records cannot be read: {log.broken[0]}"
        stops = [e for e in log.events if e.key == "run_stop"]
        if not stops or not any(e.key == "run_start" for e in log.events):
            return "run_start or run_stop is missing"
        if stops[0].value["metadata"]["status"] != "success":
            return "run_stop states that the run missed its target"
        return None

    def required_runs(self, benchmark: str) -> int | None:
        """Return how many runs the rules of v0.5 ask for; None where that is not known."""
        return None if benchmark in _UNCOUNTED else required_runs(benchmark)


def caches_cleared(log: Log) -> int:
    """Return how often a log records ``run_clear_caches``: once for each node of a cluster."""
    return sum(e.key == "run_clear_caches" for e in log.events)


def nodes_in_use(described: int | None, cleared: int) -> int | None:
    """Return the nodes that took part in a result's runs: each clears its caches once and logs it.

    The system files of NVIDIA's clusters state 128 and 36 nodes for all benchmarks; their runs used 80, 32 and 8.

    Args:
        described: nodes of the system file.
        cleared: `caches_cleared` of the runs.

    Returns:
        `cleared` where it lies between 1 and `described`; else `described`.
    """
    return cleared if described is not None and 1 < cleared < described else described
