"""Reading logs: against the official parser on anything hypothesis can think of, and on every kind of damage."""

from __future__ import annotations

import hashlib
import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.mlperf.mllog import MAX_RECORD_BYTES, metadata, read_log, utf8

official = pytest.importorskip("mlperf_logging.compliance_checker.mlp_parser.ruleset_500")


def record(key, time_ms: object = 1_745_520_784_000, value=None, metadata=None) -> str:
    metadata = {"file": "a.py", "lineno": 3} if metadata is None else metadata
    body = {"namespace": "", "time_ms": time_ms, "key": key, "value": value, "metadata": metadata}
    return f":::MLLOG {json.dumps(body)}"


KEYS = ("run_start", "run_stop", "eval_accuracy", "init_start")
LINES = st.one_of(
    st.builds(
        record,
        st.sampled_from(KEYS),
        st.one_of(st.integers(0, 10**13), st.just(1_745_520_784_000), st.just("1745520784001")),
        st.one_of(st.none(), st.booleans(), st.floats(allow_nan=False), st.text(max_size=5)),
        st.one_of(st.just(""), st.just({"status": "success"}), st.dictionaries(st.text(max_size=3), st.integers(-(2**63), 2**64 - 1))),
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
    log = read_log(payload)
    assert log.sha256 == hashlib.sha256(payload).hexdigest()
    text = io.TextIOWrapper(io.BytesIO(payload), encoding="latin-1")
    try:
        expected, failed = official.parse_generator(text)
    except (KeyError, TypeError):
        assert log.broken  # where the official tool crashes we have a broken record
        return
    ours, theirs = ([(e.timestamp, e.key, e.value, e.lineno) for e in es] for es in (log.events, expected))
    assert ours == theirs
    assert len(log.broken) == len(failed)


@pytest.mark.parametrize("extra", [0, 1])
def test_a_record_of_just_the_limit_is_read(extra):
    lines = [
        record("run_start"),
        record("eval_accuracy") + " " * (MAX_RECORD_BYTES + extra - len(record("eval_accuracy")) + 9),
        "z" * (3 * MAX_RECORD_BYTES),
        record("run_stop"),
    ]
    log = read_log("\n".join(lines).encode())
    assert [e.key for e in log.events] == ["run_start", *["eval_accuracy"] * (not extra), "run_stop"]
    assert log.records == 3 and len(log.broken) == extra
    assert not extra or f"{MAX_RECORD_BYTES + 1} bytes are too many" in log.broken[0]


@pytest.mark.parametrize(
    "line",
    [
        record("run_stop")[:-3],
        ":::MLLOG " + "[" * 100_000,
        record("run_stop", time_ms=float("nan")),
        record("run_stop", time_ms=10**400),
        record("run_stop").replace('"run_stop"', '["run_stop"]'),
    ],
)
def test_a_record_that_is_none_is_named_and_its_neighbours_stay(line):
    log = read_log("\n".join([record("run_start"), line, record("init_start")]).encode())
    assert [e.key for e in log.events] == ["run_start", "init_start"]
    assert len(log.broken) == 1


def test_seconds_in_place_of_milliseconds_give_a_time_and_a_broken_record():
    """Alibaba, v0.7."""
    log = read_log(record("run_stop", time_ms=1.5).replace("time_ms", "time_s").encode())
    assert [e.timestamp for e in log.events] == [1500.0] and len(log.broken) == log.records == 1


def test_invalid_utf8_and_metadata_that_is_no_object():
    payload = b"\xff\xfe\x00" + record("run_stop", metadata="").encode() + b"\n\x80\x81"
    (event,) = read_log(payload).events
    assert metadata(event) == {}
    assert utf8("Universit\u00c3\u00a4t") == "Universität" and utf8("\xff") == "\xff"
