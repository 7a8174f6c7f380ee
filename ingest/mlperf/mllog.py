"""MLPerf Training logs: the `:::MLLOG` lines among everything else a job prints, read the way MLCommons reads them.

Rests on `mlperf_logging.compliance_checker.mlp_parser` 4.1.68 (checked 2026-11): text is Latin-1, a carriage return
ends a line, of several marks in one line the last one counts, and a record that is no JSON costs the run its score.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from codecs import latin_1_decode
from collections.abc import Collection, Iterable, Iterator
from itertools import compress, repeat
from typing import Any, BinaryIO

import orjson

from ingest.mlperf.mllog_records import Event, Log

MARK = ":::MLLOG "
"""With the space: `:::MLLOG{` is no record to the official parser either."""

MAX_LINE_BYTES = 1 << 20
"""A longer line is skipped unread. The longest real one has about 3,000 bytes (v4.1 and v5.0)."""

_BLOCK_BYTES = 1 << 18  # no more than a line may have
_EXCERPT_CHARACTERS = 120
# a record as MLCommons' own logger writes it: head, time, prefix, value and metadata
_HEAD = re.compile(r'(\{"namespace": "[\w.-]*", "time_ms": )(0|[1-9]\d{0,15}),', re.ASCII)
_PREFIX = re.compile(r', (?:"event_type": "\w*", )?"key": "(\w+)", ', re.ASCII)
_VALUE = '"value": '
_LINE_FEED = 10
_DIGITS_TO_0 = bytes(48 if 48 <= byte < 58 else 32 for byte in range(256))
_BIG_INTEGER = b"0" * 19
_MAX_VALUE_CHARACTERS = 600  # too few for a nesting at which the two parsers differ
_MAX_TAILS = 1 << 15
_BATCH_RECORDS = 64  # few enough to stay in the processor's cache
_STATISTICS = "tracked_stats"
_STATISTICS_PREFIX = f', "event_type": "POINT_IN_TIME", "key": "{_STATISTICS}", '
# records of these keys seldom come twice
_UNIQUE = frozenset({"eval_accuracy", "loss", "seed", "throughput", "train_loss", _STATISTICS})
# key and value of a record; empty where the key is not kept
_Known = tuple[str, dict[str, Any]] | tuple[()]
_scan = json.JSONDecoder().scan_once  # type: ignore[attr-defined]  # there since Python 2, without a type


class HashedStream:
    """A binary stream that hashes what is read from it.

    Args:
        stream: read to its end by the caller.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._digest = stream, hashlib.sha256()

    def read(self, size: int) -> bytes:
        """Return at most `size` bytes."""
        return self._counted(self._stream.read(size))

    def readline(self, size: int) -> bytes:
        """Return the next line, at most `size` bytes of it."""
        return self._counted(self._stream.readline(size))

    @property
    def sha256(self) -> str:
        """Hash of the bytes read so far, in hexadecimal digits."""
        return self._digest.hexdigest()

    def _counted(self, data: bytes) -> bytes:
        self._digest.update(data)
        return data


class LogReader:
    """Reads logs, keeping the records with these keys.

    All records are parsed: that one is broken matters whatever its key is. Half of them stand in many logs of a
    release and differ only in time, so the text after the time is cached. Records in the form of MLCommons' logger are
    parsed by orjson; all others, and those that orjson refuses, by the standard library. `read_plainly` does all of
    them so, with the same result.

    Args:
        keys: which records to keep.
        repeatable: those of which a record is left out when the one kept right before it has the same key and value and
            no later time: each of 1,000 ranks logs its init_start.
    """

    def __init__(self, keys: Collection[str], repeatable: Collection[str] = ()) -> None:
        self._keys, self._repeatable = frozenset(keys), frozenset(repeatable)
        self._tails: dict[str, _Known] = {}
        self._prefixes: dict[str, str] = {}
        self._is_plain = False

    def read(self, source: bytes | BinaryIO) -> Log:
        """One log, in a single pass, a block at a time.

        Args:
            source: the file's content, or a binary stream of it, which need not fit in memory.

        Returns:
            The log. The values of its events may be shared with other logs and are not to be changed.
        """
        log = Log()
        if isinstance(source, bytes):
            log.sha256 = hashlib.sha256(source).hexdigest()
            for text in _blocks_of_bytes(source, log):
                self._read_block(text, log)
            return log
        stream = HashedStream(source)
        for text in _blocks(stream, log):
            self._read_block(text, log)
        log.sha256 = stream.sha256
        return log

    def _read_block(self, text: str, log: Log) -> None:
        parts = text.split(MARK)
        del parts[0]
        if not parts:
            return
        match = None if self._is_plain else _HEAD.match(parts[0])
        if match is None or not self._read_alike(parts, match[1], len(match[2]), log):
            self._read_any(parts, log)

    def _read_alike(self, parts: list[str], head: str, digits: int, log: Log) -> bool:
        """Read records that all begin with this head and a time of so many digits, each on a line of its own.

        Args:
            parts: text from behind each mark to the next one.
            head: see there.
            digits: see there.
            log: gets the events.

        Returns:
            False when they do not, and nothing was read.
        """
        ends = [*map(str.find, parts, repeat("\n"))]
        if ends[-1] < 0:
            ends[-1] = len(parts[-1])
        time_at, tail_at = len(head), len(head) + digits
        times_ms = [part[time_at:tail_at] for part in parts]
        joined = "".join(times_ms)
        if (
            min(ends) < tail_at
            or not all(map(str.startswith, parts, repeat(head)))
            or not joined.isdecimal()
            or "0" in joined[::digits]
        ):
            return False
        times = orjson.loads(f"[{'.0,'.join(times_ms)}.0]")
        left: Iterable[int] = range(len(parts))
        if _STATISTICS not in self._keys and (done := _add_statistics(parts, ends, tail_at, log)):
            left = [i for i in left if i not in done]
        tails = [parts[i][tail_at : ends[i]] for i in left]
        repeatable, first, last, last_time = self._repeatable, log.records, None, 0.0
        for i, tail, record in zip(left, tails, map(self._tails.get, tails), strict=True):
            if record:
                if record is last and times[i] >= last_time:
                    continue
                key, value = record
                event = Event("", times[i], key, value, first + i)
                if key in repeatable:
                    self._keep(event, log)
                    last, last_time = record, log.events[-1].timestamp
                else:
                    log.events.append(event)
                    last = None
            elif record is None:
                last = None
                if not self._read_tail(tail, times[i], first + i, log):
                    self._read_record(parts[i], ends[i], first + i, log)
        log.records += len(parts)
        return True

    def _read_any(self, parts: list[str], log: Log) -> None:
        """Read records of any form; arguments as of `_read_alike`."""
        last = len(parts) - 1
        for index, part in enumerate(parts):
            end = part.find("\n")
            if end < 0:
                if index < last:
                    continue  # the next mark stands in the same line, and counts instead
                end = len(part)
            lineno = log.records
            log.records += 1
            match = None if self._is_plain else _HEAD.match(part)
            if match is None or not self._read_tail(part[match.end(2) : end], float(match[2]), lineno, log):
                self._read_record(part, end, lineno, log)

    def _read_tail(self, tail: str, time: float, lineno: int, log: Log) -> bool:
        """Read a record by the text after its time; return False where only `_read_record` can."""
        record = self._tails.get(tail)
        if record is None:
            at = tail.find(_VALUE)
            prefix = tail[:at]
            key = self._prefixes.get(prefix)
            if key is None:
                if not (match := _PREFIX.fullmatch(prefix)):
                    return False
                key = self._prefixes[prefix] = match[1]
            is_kept, rest = key in self._keys, tail[at:]
            # json reads an integer of any size; orjson makes a float of one beyond 64 bits
            if is_kept and _BIG_INTEGER in rest.encode("latin-1").translate(_DIGITS_TO_0):
                return False
            if (value := _value(rest)) is None:
                return False
            if key == _STATISTICS:
                log.statistics.add([value["value"]], [value["metadata"]], [lineno])
            record = (key, value) if is_kept else ()
            if key not in _UNIQUE:
                if len(self._tails) >= _MAX_TAILS:
                    self._tails.clear()
                self._tails[tail] = record
        if record:
            self._keep(Event("", time, *record, lineno), log)
        return True

    def _keep(self, event: Event, log: Log) -> None:
        last = log.events[-1] if log.events else None
        if (
            last is None
            or event.key not in self._repeatable
            or event.key != last.key
            or event.timestamp < last.timestamp
            or event.value != last.value
        ):
            log.events.append(event)

    def _read_record(self, part: str, end: int, lineno: int, log: Log) -> None:
        """Read one record, whatever its form, as the official parser does.

        Args:
            part: text from behind the record's mark; what follows its line only shows in the message of an error.
            end: of the record's line.
            lineno: of the record.
            log: gets the event, or the broken record.
        """
        try:
            record, stop = _scan(part, 0 if part[:1] == "{" else end - len(part[:end].lstrip(" \t")))
            if stop != end and (stop > end or part[stop:end].strip()):
                raise ValueError("something follows the record")
            key, time_ms = record["key"], _time_ms(record)
            value = {"value": record["value"], "metadata": record["metadata"]}
            if not math.isfinite(time_ms) or not isinstance(key, str):
                raise ValueError("time_ms is no time or key is no text")
            if key in self._keys:
                self._keep(Event("", time_ms, key, value, lineno), log)
            if key == _STATISTICS:
                log.statistics.add([value["value"]], [value["metadata"]], [lineno])
            if "time_ms" not in record:
                raise ValueError("time_s stands for time_ms")
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError, StopIteration) as error:
            excerpt = part[: min(end, _EXCERPT_CHARACTERS)]
            log.broken.append(f"{excerpt!r} ({type(error).__name__}: {error})")


def read_log(source: bytes | BinaryIO, keys: Collection[str], repeatable: Collection[str] = ()) -> Log:
    """`LogReader(keys, repeatable).read(source)`, for a single log."""
    return LogReader(keys, repeatable).read(source)


def _value(rest: str) -> dict[str, Any] | None:
    """Return ``{"value": …, "metadata": …}`` of a record that ends like this; None where only `_read_record` knows."""
    if len(rest) > _MAX_VALUE_CHARACTERS:
        return None
    try:
        value: dict[str, Any] = orjson.loads("{" + rest)
    except ValueError:
        return None
    # a third member could overrule what stands before
    return value if len(value) == 2 and "value" in value and "metadata" in value else None


def _add_statistics(parts: list[str], ends: list[int], tail_at: int, log: Log) -> set[int]:
    """Take the `tracked_stats` records among others into account, a batch at a time, up to the first odd batch.

    Args:
        parts: text from behind each mark.
        ends: of the record's line in each.
        tail_at: where the text after the time begins in each.
        log: gets what is used of them; its count of records is the number of the first one here.

    Returns:
        Positions of the records that are done.
    """
    is_one = map(str.startswith, parts, repeat(_STATISTICS_PREFIX), repeat(tail_at))
    at = [*compress(range(len(parts)), is_one)]
    value_at = tail_at + len(_STATISTICS_PREFIX)
    for k in range(0, len(at), _BATCH_RECORDS):
        batch = at[k : k + _BATCH_RECORDS]
        records = _records([parts[i][value_at : ends[i]] for i in batch])
        if records is None:
            return set(at[:k])
        log.statistics.add(*records, [log.records + i for i in batch])
    return set(at)


def _records(rests: list[str]) -> tuple[list[Any], list[Any]] | None:
    """Return the values and the metadata of several records, parsed together; None when one of them may be odd.

    A line feed stands in no JSON string, and only in an array does an object follow a comma. So where there is no
    array but the one made here, each record is one or more elements of it: with as many elements as records, one.

    Args:
        rests: text of each record from its value on.
    """
    text = ",\n{".join(rests)
    if "[" in text or max(map(len, rests)) > _MAX_VALUE_CHARACTERS:
        return None
    try:
        records = orjson.loads(f"[{{{text}]")
        values, metadata = [r["value"] for r in records], [r["metadata"] for r in records]
    except (ValueError, KeyError, TypeError):
        return None
    return (values, metadata) if len(records) == len(rests) and {*map(len, records)} == {2} else None


def read_plainly(source: bytes | BinaryIO, keys: Collection[str], repeatable: Collection[str] = ()) -> Log:
    """`read_log` with the standard library's JSON parser alone: slower, and what `LogReader` has to equal."""
    reader = LogReader(keys, repeatable)
    reader._is_plain = True
    return reader.read(source)


def _blocks_of_bytes(source: bytes, log: Log) -> Iterator[str]:
    """`_blocks` of a log in memory, without copies."""
    if b"\r" in source:
        source = source.replace(b"\r", b"\n")
    view, at, size = memoryview(source), 0, len(source)
    while at < size:
        end = size
        if size - at > _BLOCK_BYTES and not (end := source.rfind(b"\n", at, at + _BLOCK_BYTES) + 1):
            # a line longer than a block
            end = source.find(b"\n", at) + 1 or size
            length = end - at - (source[end - 1] == _LINE_FEED)
            if length > MAX_LINE_BYTES:
                _count_overlong(log, length, source.find(MARK.encode(), at, end) >= 0)
                at = end
                continue
        yield latin_1_decode(view[at:end])[0]
        at = end


def _blocks(stream: HashedStream, log: Log) -> Iterator[str]:
    """Whole lines, many at a time, without those that are too long."""
    rest = b""  # of the line at the end of the last block
    skipped, has_mark = 0, False  # bytes of an overlong line that are gone already
    mark = MARK.encode()
    while block := stream.read(_BLOCK_BYTES):
        if b"\r" in block:
            block = block.replace(b"\r", b"\n")
        if skipped:
            end = block.find(b"\n")
            part = block if end < 0 else block[:end]
            # the mark may stand across two blocks
            has_mark = has_mark or mark in rest + part
            skipped += len(part)
            if end < 0:
                rest = block[-len(mark) :]
                continue
            _count_overlong(log, skipped, has_mark)
            skipped, has_mark, rest, block = 0, False, b"", block[end:]
        cut = block.rfind(b"\n") + 1
        if cut:
            yield from _without_overlong(rest + block[:cut], log)
            rest = block[cut:]
        else:
            rest += block
        if len(rest) > MAX_LINE_BYTES:
            skipped, has_mark, rest = len(rest), mark in rest, rest[-len(mark) :]
    if skipped:
        _count_overlong(log, skipped, has_mark)
    elif rest:
        yield rest.decode("latin-1")


def _without_overlong(block: bytes, log: Log) -> Iterator[str]:
    # only the first line can be: the others fit into one block
    end = block.find(b"\n")
    if end > MAX_LINE_BYTES:
        _count_overlong(log, end, MARK.encode() in block[:end])
        block = block[end:]
    yield block.decode("latin-1")


def _count_overlong(log: Log, size: int, has_mark: bool) -> None:
    log.overlong += 1
    log.overlong_bytes = max(log.overlong_bytes, size)
    log.overlong_records += has_mark
    log.records += has_mark


def _time_ms(record: dict[str, Any]) -> float:
    """Return a record's time in ms. Alibaba's logs of v0.7 have ``time_s`` instead, which no rule accepts."""
    return float(record["time_ms"]) if "time_ms" in record else float(record["time_s"]) * 1000
