"""MLPerf Training logs: the `:::MLLOG` lines among everything else a job prints, read the way MLCommons reads them.

Rests on `mlperf_logging.compliance_checker.mlp_parser` 4.1.68 (checked 2026-11): text is Latin-1, a carriage return
ends a line, of several marks in one line the last one counts, and a record that is no JSON costs the run its score.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from dataclasses import dataclass, field
from typing import Any

import orjson

MAX_RECORD_BYTES = 1 << 20
"""A longer record is not read. The longest real one has about 3,000 bytes (v4.1 and v5.0)."""

# with the space: `:::MLLOG{` is no record to the official parser either
_MARK = b":::MLLOG "
_RECORD = re.compile(_MARK + rb"(.*)")
_EXCERPT_CHARACTERS = 120


@dataclass(slots=True)
class Event:
    """One record. The attributes are those of the official parser's LogLine, which the official rules look at.

    Attributes:
        timestamp: ms since 1970.
        key: what was logged.
        value: ``{"value": …, "metadata": …}``; metadata is a dict, or whatever the log has (``""``).
        lineno: running number among the records.
        full_string: always empty here; the official messages would repeat the line.
    """

    timestamp: float
    key: str
    value: dict[str, Any]
    lineno: int
    full_string: str = ""


@dataclass
class Log:
    """What one log holds.

    Attributes:
        events: the records, in the log's order.
        records: all lines with the mark, read or not.
        broken: start of each such line that is no record, with what is wrong; the official tool drops the run then.
        sha256: hash of all bytes of the log; logs with equal hashes are logs of one run.
    """

    events: list[Event] = field(default_factory=list)
    records: int = 0
    broken: list[str] = field(default_factory=list)
    sha256: str = ""

    def of(self, *keys: str) -> list[Event]:
        """Return the records of these keys."""
        return [event for event in self.events if event.key in keys]


def read_log(payload: bytes) -> Log:
    """Read one log.

    Args:
        payload: the file's content.
    """
    lines = _RECORD.findall(payload.replace(b"\r", b"\n"))
    log = Log(records=len(lines), sha256=hashlib.sha256(payload).hexdigest())
    for lineno, line in enumerate(lines):
        text = line.rpartition(_MARK)[2]
        try:
            _read_record(text, lineno, log)
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            excerpt = text.decode("latin-1").rstrip()[:_EXCERPT_CHARACTERS]
            log.broken.append(f"{excerpt!r} ({type(error).__name__}: {error})")
    return log


def _read_record(text: bytes, lineno: int, log: Log) -> None:
    """Read one record as the official parser does; `text` is what follows its mark."""
    record = _parsed(text)
    key = record["key"]
    # Alibaba's logs of v0.7 have `time_s`, which no rule accepts
    time_ms = float(record["time_ms"]) if "time_ms" in record else float(record["time_s"]) * 1000
    value = {"value": record["value"], "metadata": record["metadata"]}
    if not math.isfinite(time_ms) or not isinstance(key, str):
        raise ValueError("time_ms is no time or key is no text")
    log.events.append(Event(time_ms, key, value, lineno))
    if "time_ms" not in record:
        raise ValueError("time_s stands for time_ms")


def _parsed(text: bytes) -> Any:
    """Return the JSON of a record; one with NaN or other letters than ASCII is read as the official parser reads it."""
    if len(text) > MAX_RECORD_BYTES:
        raise ValueError(f"{len(text)} bytes are too many")
    if text.isascii():
        try:
            return orjson.loads(text)
        except ValueError:
            pass
    return json.loads(text.decode("latin-1").rstrip())


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
