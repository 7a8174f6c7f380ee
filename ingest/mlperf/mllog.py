"""MLPerf Training logs: the `:::MLLOG` lines among everything else a job prints, read the way MLCommons reads them.

Rests on `mlperf_logging.compliance_checker.mlp_parser` 4.1.68 (checked 2026-11): text is Latin-1, a carriage return
ends a line, of several marks in one line the last one counts, and a record that is no JSON costs the run its score.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
from collections.abc import Collection, Iterator
from typing import Any, BinaryIO, TextIO

from ingest.mlperf.mllog_records import Event, Log

MARK = ":::MLLOG "
"""With the space: `:::MLLOG{` is no record to the official parser either."""

MAX_LINE_BYTES = 1 << 20
"""A longer line is skipped unread. The longest real one has about 3,000 bytes (v4.1 and v5.0)."""

_BUFFER_BYTES = 1 << 18
_EXCERPT_CHARACTERS = 120
_STATISTICS = "tracked_stats"


class HashedStream(io.RawIOBase):
    """A binary stream that hashes what is read from it.

    Args:
        source: the content, or a binary stream, read to its end by the caller.
    """

    def __init__(self, source: bytes | BinaryIO) -> None:
        self._stream = io.BytesIO(source) if isinstance(source, bytes) else source
        self._digest = hashlib.sha256()

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer; return how many bytes."""
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        self._digest.update(data)
        return len(data)

    @property
    def sha256(self) -> str:
        """Hash of the bytes read so far, in hexadecimal digits."""
        return self._digest.hexdigest()


def read_log(source: bytes | BinaryIO, keys: Collection[str]) -> Log:
    """Read one log in a single pass, keeping the records with these keys.

    All records are parsed: that one is broken matters whatever its key is.

    Args:
        source: the file's content, or a binary stream of it, which need not fit in memory.
        keys: which records to keep.
    """
    log, stream = Log(), HashedStream(source)
    text = io.TextIOWrapper(io.BufferedReader(stream, _BUFFER_BYTES), encoding="latin-1")
    for line in _lines(text, log):
        at = line.rfind(MARK)
        if at >= 0:
            _read_record(line[at + len(MARK) :], keys, log)
    log.sha256 = stream.sha256
    return log


def _lines(text: TextIO, log: Log) -> Iterator[str]:
    """Lines without those that are too long, which the log counts."""
    limit = MAX_LINE_BYTES + 1
    while line := text.readline(limit):
        if len(line) < limit or line.endswith("\n"):
            yield line
            continue
        size, has_mark = 0, False
        part, last = line, ""
        while part:
            size += len(part.rstrip("\n"))
            has_mark = has_mark or MARK in last + part
            last = part[-len(MARK) :]
            part = "" if part.endswith("\n") else text.readline(limit)
        log.overlong += 1
        log.overlong_bytes = max(log.overlong_bytes, size)
        log.overlong_records += has_mark
        log.records += has_mark


def _read_record(text: str, keys: Collection[str], log: Log) -> None:
    """Read one record as the official parser does; `text` is what follows its mark."""
    lineno = log.records
    log.records += 1
    try:
        record = json.loads(text.rstrip())
        key, time_ms = record["key"], _time_ms(record)
        value = {"value": record["value"], "metadata": record["metadata"]}
        if not math.isfinite(time_ms) or not isinstance(key, str):
            raise ValueError("time_ms is no time or key is no text")
        if key in keys:
            log.events.append(Event("", time_ms, key, value, lineno))
        if key == _STATISTICS:
            log.statistics.add(value["value"], value["metadata"])
        if "time_ms" not in record:
            raise ValueError("time_s stands for time_ms")
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        log.broken.append(f"{text.rstrip()[:_EXCERPT_CHARACTERS]!r} ({type(error).__name__}: {error})")


def _time_ms(record: dict[str, Any]) -> float:
    """Return a record's time in ms. Alibaba's logs of v0.7 have ``time_s`` instead, which no rule accepts."""
    return float(record["time_ms"]) if "time_ms" in record else float(record["time_s"]) * 1000
