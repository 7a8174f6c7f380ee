"""What is kept of one MLPerf Training log."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ingest.core.values import number

_STEP_TIME_KEYS = ("train_step_time", "train_step_timing in s", "train_step_time in s")


@dataclass(slots=True)
class Event:
    """One record. The attributes are those of the official parser's LogLine, whose rules are run on it.

    Attributes:
        full_string: always empty here; the official messages would repeat the line.
        timestamp: ms since 1970.
        key: what was logged.
        value: ``{"value": …, "metadata": …}``; metadata is a dict, or whatever the log has (``""``).
        lineno: running number among the records.
    """

    full_string: str
    timestamp: float
    key: str
    value: dict[str, Any]
    lineno: int


@dataclass(slots=True)
class Statistics:
    """What is used of the `tracked_stats` records of a log; a release has hundreds of thousands of them.

    Attributes:
        step_times: every value of a step time, as logged.
        throughput: the last one logged.
        samples_counts: every value of it in their metadata, as logged.
    """

    step_times: list[Any] = field(default_factory=list)
    throughput: float | None = None
    samples_counts: list[Any] = field(default_factory=list)

    def add(self, value: Any, metadata: Any) -> None:
        """Take a record into account."""
        if isinstance(value, dict):
            self.step_times += [value[key] for key in _STEP_TIME_KEYS if key in value]
            if (throughput := number(value.get("throughput"))) is not None:
                self.throughput = throughput
        if isinstance(metadata, dict) and "samples_count" in metadata:
            self.samples_counts.append(metadata["samples_count"])


@dataclass
class Log:
    """What one log holds.

    Attributes:
        events: the records asked for, in the log's order.
        statistics: of its `tracked_stats` records, which are events only when asked for.
        records: all lines with the mark, read or not.
        broken: start of each such line that is no record, with what is wrong.
        overlong: lines above `MAX_LINE_BYTES`, and how many bytes the longest has.
        overlong_bytes: of the longest of them.
        overlong_records: those of them that hold the mark; they count as broken.
        sha256: hash of all bytes of the log; logs with equal hashes are logs of one run.
    """

    events: list[Event] = field(default_factory=list)
    statistics: Statistics = field(default_factory=Statistics)
    records: int = 0
    broken: list[str] = field(default_factory=list)
    overlong: int = 0
    overlong_bytes: int = 0
    overlong_records: int = 0
    sha256: str = ""

    @property
    def is_readable(self) -> bool:
        """Every record of it could be read; the official tool drops the run otherwise."""
        return not self.broken and not self.overlong_records


def utf8(text: str) -> str:
    """Text of a log as its writer meant it: the logs are read as Latin-1 and mostly written as UTF-8."""
    try:
        return text.encode("latin-1").decode("utf-8")
    except (UnicodeEncodeError, UnicodeDecodeError):
        return text


def metadata(event: Event) -> dict[str, Any]:
    """The record's metadata; empty when the log has something else there (``""``, null)."""
    value = event.value["metadata"]
    return value if isinstance(value, dict) else {}
