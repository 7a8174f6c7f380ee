"""Reading logs: against the official parser on anything hypothesis can think of, and on every kind of damage."""

from __future__ import annotations

import hashlib
import io
import json
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.mlperf.mllog import MAX_LINE_BYTES, read_log
from ingest.mlperf.mllog_records import metadata, utf8

official = pytest.importorskip("mlperf_logging.compliance_checker.mlp_parser.ruleset_500")


def record(
    key: str, time_ms: object = 1_745_520_784_000, value: object = None, metadata: object = None
) -> str:
    body = {
        "namespace": "",
        "time_ms": time_ms,
        "event_type": "POINT_IN_TIME",
        "key": key,
        "value": value,
        "metadata": {"file": "a.py", "lineno": 3} if metadata is None else metadata,
    }
    return f":::MLLOG {json.dumps(body)}"


def events_of(log) -> list:
    return [(e.timestamp, e.key, e.value, e.lineno) for e in log.events]


KEYS = ("run_start", "run_stop", "eval_accuracy", "init_start")
LINES = st.one_of(
    st.builds(
        record,
        st.sampled_from(KEYS),
        st.one_of(st.integers(0, 10**13), st.just(1_745_520_784_000), st.just("1745520784001")),
        st.one_of(st.none(), st.booleans(), st.floats(allow_nan=False), st.text(max_size=5)),
        st.one_of(st.just(""), st.just({"status": "success"}), st.dictionaries(st.text(max_size=3), st.integers())),
    ),
    st.builds(lambda p, r: p + r, st.sampled_from([" 0: ", "é\x85 ", "100%|██ ", ":::MLLOG {", ":::MLLOG"]), st.builds(record, st.sampled_from(KEYS))),
    st.builds(lambda r, s: r + s, st.builds(record, st.sampled_from(KEYS)), st.sampled_from([" ", "\r", "\xa0", " x", "}", "\rmore", "\x1c"])),
    st.builds(lambda r, n: r[:n], st.builds(record, st.sampled_from(KEYS)), st.integers(0, 150)),
    st.sampled_from(["", ":::MLLOG ", ":::MLLOG null", ":::MLLOG [1]", ":::MLLOG{}", ":::MLLOG \t" + record("run_stop")[9:]]),
    st.text(max_size=20),
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.lists(LINES, max_size=12), st.sampled_from(["\n", "\r\n"]))
def test_it_reads_what_the_official_parser_reads(lines, newline):
    payload = newline.join(lines).encode("utf-8")
    log = read_log(payload, KEYS)
    text = io.TextIOWrapper(io.BytesIO(payload), encoding="latin-1")
    try:
        expected, failed = official.parse_generator(text)
    except (KeyError, TypeError):
        assert log.broken  # where the official tool crashes we have a broken record
        return
    assert events_of(log) == [(x.timestamp, x.key, x.value, x.lineno) for x in expected if x.key in KEYS]
    assert len(log.broken) == len(failed)


def test_statistics_are_reduced_and_are_no_events():
    lines = [
        record(
            "tracked_stats", value={"train_step_time": 0.5, "throughput": 7}, metadata={"samples_count": 8}
        ),
        record("tracked_stats", value={"train_step_time in s": "0.25", "throughput": "fast"}),
        record("tracked_stats", value=3, metadata=""),
    ]
    log = read_log("\n".join(lines).encode(), KEYS)
    assert log.records == 3 and not log.events
    assert (log.statistics.step_times, log.statistics.throughput, log.statistics.samples_counts) == (
        [0.5, "0.25"],
        7,
        [8],
    )


def test_bytes_and_a_stream_of_any_piece_size_give_the_same():
    lines = [f" {i}: {record('eval_accuracy', value=i / 7)}" for i in range(20)]
    payload = "\r\n".join(lines).encode()
    whole = read_log(payload, KEYS)
    assert [e.value["value"] for e in whole.events] == [i / 7 for i in range(20)]
    assert whole.sha256 == hashlib.sha256(payload).hexdigest()
    for size in (1, 7, 181):
        assert read_log(InPieces(payload, size), KEYS) == whole


class InPieces(io.BytesIO):
    """A stream that gives at most so many bytes at a time."""

    def __init__(self, payload: bytes, size: int) -> None:
        super().__init__(payload)
        self.size = size

    def read(self, size: int | None = -1) -> bytes:
        return super().read(self.size)


@pytest.mark.parametrize("where", ["start", "middle", "end"])
@pytest.mark.parametrize("is_record", [True, False])
def test_an_overlong_line_is_skipped_and_counted(where, is_record):
    long = (record("run_stop")[:-1] if is_record else "x") + "y" * (3 * MAX_LINE_BYTES)
    lines = [record("run_start"), record("run_stop")]
    lines.insert({"start": 0, "middle": 1, "end": 2}[where], long)
    log = read_log("\n".join(lines).encode(), KEYS)
    assert [e.key for e in log.events] == ["run_start", "run_stop"]
    assert (log.overlong, log.overlong_records, log.is_readable) == (1, int(is_record), not is_record)
    assert log.overlong_bytes == len(long)


@pytest.mark.parametrize("before", [[], [record("run_start")]])
@pytest.mark.parametrize("extra", [0, 1])
def test_a_line_of_just_the_limit_is_read(before, extra):
    line = record("eval_accuracy").rjust(MAX_LINE_BYTES + extra)
    log = read_log("\n".join([*before, line, record("run_stop")]).encode(), KEYS)
    found = ["run_start"] * len(before) + ["eval_accuracy"] * (not extra) + ["run_stop"]
    assert [e.key for e in log.events] == found and log.records == len(before) + 2
    assert (log.overlong, log.overlong_bytes) == (extra, len(line) * extra)


class Endless(io.RawIOBase):
    """A log with one line of 200 MB, made as it is read."""

    def __init__(self, size: int) -> None:
        self.left = size
        self.head, self.tail = (
            record("run_start").encode() + b"\n",
            b"\n" + record("run_stop").encode() + b"\n",
        )

    def read(self, size: int = -1) -> bytes:
        if self.head:
            out, self.head = self.head, b""
        elif self.left:
            out = b"z" * min(size, self.left)
            self.left -= len(out)
        else:
            out, self.tail = self.tail, b""
        return out


def test_a_line_of_200_mb_costs_no_memory():
    tracemalloc.start()
    log = read_log(Endless(200_000_000), KEYS)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [e.key for e in log.events] == ["run_start", "run_stop"]
    assert log.overlong_bytes == 200_000_000
    assert peak < 20_000_000


@pytest.mark.parametrize(
    "line",
    [
        record("run_stop")[:-3],
        ":::MLLOG {}",
        ":::MLLOG " + "[" * 100_000,
        record("run_stop", time_ms="noon"),
        record("run_stop", time_ms=float("nan")),
        record("run_stop", time_ms=10**400),
        record("run_stop").replace('"run_stop"', '["run_stop"]'),
        record("run_stop").replace(', "value": null', ""),
    ],
)
def test_a_record_that_is_none_is_named_and_its_neighbours_stay(line):
    log = read_log("\n".join([record("run_start"), line, record("init_start")]).encode(), KEYS)
    assert [e.key for e in log.events] == ["run_start", "init_start"]
    assert len(log.broken) == 1 and not log.is_readable


def test_invalid_utf8_and_metadata_that_is_no_object():
    payload = b"\xff\xfe\x00" + record("run_stop", metadata="").encode() + b"\n\x80\x81"
    (event,) = read_log(payload, KEYS).events
    assert metadata(event) == {}
    assert utf8("Universit\u00c3\u00a4t") == "Universität" and utf8("\xff") == "\xff"
