"""MLPerf Training v0.5 and v0.6: their log lines, and the rules by which their runs count.

| round | line |
| --- | --- |
| v0.5 | ``:::MLPv0.5.0 <benchmark> <seconds> (<file>:<line>) key[: value]`` |
| v0.6 | ``:::MLL <seconds> key: {"value": …, "metadata": …}`` |
| v0.6, Alibaba | ``MLPerf: <benchmark> [mm/dd/yy h:m:s], key[: value]`` |

The package mlperf_logging has no rules of v0.5, and no log that MLCommons scored in v0.6 complies with those it has of
that round, so the rules of both stand here. Checked on 645 logs and system files of v0.5 and 430 logs of v0.6
(2026-11): a run ends with ``run_stop``, whose value in v0.5, where it has one, is ``{"success": …}``. In v0.6 each
process of Alibaba's runs logs its run_start; the run begins with the first.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from datetime import UTC, datetime
from typing import Any

from ingest.core import values
from ingest.mlperf.mllog import Event, Log, metadata
from ingest.mlperf.training_layout import V05

_V05_MARK = ":::MLPv0.5.0 "
_RECORDS = {
    _V05_MARK: re.compile(
        r"(?P<benchmark>\S+) (?P<seconds>\d+(?:\.\d+)?) \([^)]*\) (?P<key>\w+)(?: ?: ?(?P<value>.*))?$"
    ),
    ":::MLL ": re.compile(r"(?P<seconds>\d+(?:\.\d+)?) (?P<key>\w+) ?:\s+(?P<record>\{.*)$"),
    "MLPerf: ": re.compile(
        r"(?P<benchmark>\S+) \[(?P<time>\d\d/\d\d/\d\d \d\d:\d\d:\d\d)\], (?P<key>\w+)(?: ?: ?(?P<value>.*))?$"
    ),
}
"""Form of a record by the mark before it."""
_KEYS = frozenset(
    {
        "eval_accuracy",
        "global_batch_size",
        "input_batch_size",
        "max_sequence_length",
        "run_clear_caches",
        "run_start",
        "run_stop",
        "submission_benchmark",
        "submission_division",
        "submission_platform",
        "train_samples",
    }
)
UNCOUNTED = frozenset({"ncf"})
"""100 runs were submitted, up to 45 of which miss the target; no source at hand states how they were counted."""


def read_old_log(payload: bytes) -> Log:
    """Read one log of v0.5 or v0.6 into the records that later rounds write.

    Args:
        payload: the file's content.

    Returns:
        Its records: ``run_stop`` with a status in its metadata (success when it has no value), ``eval_accuracy``
        with ``epoch_num``, times in ms since 1970 (Alibaba states no time zone; UTC is assumed, and durations do not
        depend on it).
    """
    log = Log(sha256=hashlib.sha256(payload).hexdigest())
    for line in io.BytesIO(payload):
        text = line.decode("latin-1").rstrip()
        at, mark = max((text.rfind(mark), mark) for mark in _RECORDS)
        if at < 0:
            continue
        log.records += 1
        record = _RECORDS[mark].match(text[at + len(mark) :])
        try:
            event = _event(record.groupdict(), log.records - 1) if record else None
        except (ValueError, KeyError, TypeError, RecursionError):
            event = None
        if event is None:
            log.broken.append(repr(text[at:][:120]))
        elif event.key in _KEYS and (mark == _V05_MARK or not _is_second_start(event, log)):
            log.events.append(event)
    return log


def _is_second_start(event: Event, log: Log) -> bool:
    return event.key == "run_start" and any(e.key == "run_start" for e in log.events)


def _event(record: dict[str, Any], lineno: int) -> Event:
    """Return the event of a record; raise ValueError, KeyError or TypeError if it is damaged."""
    time = record.get("time")
    seconds = (
        datetime.strptime(time, "%m/%d/%y %H:%M:%S").replace(tzinfo=UTC).timestamp()
        if time
        else float(record["seconds"])
    )
    value = _value_of_v06(record) if "record" in record else _value_of_v05(record)
    return Event(seconds * 1000, record["key"], value, lineno)


def _value_of_v06(record: dict[str, Any]) -> dict[str, Any]:
    """Return value and metadata of a ``:::MLL`` record; Intel writes its metadata with single quotes."""
    if record["key"] not in _KEYS:
        return {}
    try:
        read = json.loads(record["record"])
    except ValueError:
        read = json.loads(record["record"].replace("'", '"'))
    return {"value": read["value"], "metadata": read["metadata"]}


def _value_of_v05(record: dict[str, Any]) -> dict[str, Any]:
    """Return value and metadata of a record of v0.5, or of Alibaba's of v0.6, as later rounds write them."""
    value: Any = record["value"]
    try:
        value = json.loads(value) if value else None
    except (ValueError, RecursionError):
        value = str(value)
    details: dict[str, Any] = {"benchmark": record["benchmark"]}
    if record["key"] == "run_stop":
        succeeded = values.flag(value.get("success")) if isinstance(value, dict) else True
        details["status"] = "success" if succeeded else "aborted"
    elif record["key"] == "eval_accuracy" and isinstance(value, dict):
        details["epoch_num"] = value.get("epoch")
        value = value.get("value")
    return {"value": value, "metadata": details}


def problem_of_old_log(log: Log, release: str) -> str | None:
    """Return why a run of v0.5 or v0.6 does not count; None when it does.

    It counts when it has run_start and a run_stop that states success. Hyperparameters are not checked.

    Args:
        log: of the run.
        release: the round. An unreadable record costs a run of v0.5 its score; in v0.6 it does not: MLCommons scored
            Intel's, whose processes write into each other's lines.
    """
    if log.broken and release == V05:
        return f"{len(log.broken)} records cannot be read: {log.broken[0]}"
    stops = log.of("run_stop")
    if not stops or not log.of("run_start"):
        return "run_start or run_stop is missing"
    if metadata(stops[0]).get("status") != "success":
        return "run_stop states that the run missed its target"
    return None


def nodes_in_use(described: int | None, cleared: int) -> int | None:
    """Return the nodes that took part in a result's runs: each clears its caches once and logs it.

    The system files of NVIDIA's clusters state 128 and 36 nodes for all benchmarks; their runs used 80, 32 and 8.

    Args:
        described: nodes of the system file.
        cleared: how often the log of a run records ``run_clear_caches``.

    Returns:
        `cleared` where it lies between 1 and `described`; else `described`.
    """
    return cleared if described is not None and 1 < cleared < described else described
