"""Reading logs: against the official parser on anything hypothesis can think of, and on every kind of damage."""

from __future__ import annotations

import io
import json
import tracemalloc

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ingest.core.values import number
from ingest.mlperf.mllog import MAX_LINE_BYTES, LogReader, read_log, read_plainly
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
    reader = LogReader(KEYS)
    first, again = reader.read(payload), reader.read(payload)  # the second time with tails it knows
    assert events_of(first) == events_of(again)
    assert len(first.broken) == len(again.broken)
    text = io.TextIOWrapper(io.BytesIO(payload), encoding="latin-1")
    try:
        expected, failed = official.parse_generator(text)
    except (KeyError, TypeError):
        assert first.broken  # where the official tool crashes we have a broken record
        return
    assert events_of(first) == [(x.timestamp, x.key, x.value, x.lineno) for x in expected if x.key in KEYS]
    assert len(first.broken) == len(failed)


# values at which orjson and json differ or could, inside and outside of what is kept
ODD_VALUES = [
    "NaN", "Infinity", "-Infinity", "-0", "-0.0", "1e999", "1e-999", "5e-324", "18446744073709551615",
    "18446744073709551616", "-9223372036854775809", "1" * 400, "0." + "1" * 400, "01", "1.", "+1", "1E+2",
    r'"\ud800"', r'"\ud83d\ude00"', r'"\u0000"', '"a\x7f"', '"a\tb"', '"\xe9\x85"', '"\xc3\xa9"', r'"\x"', "'a'", "tru", "[1,]",
    "[" * 300 + "]" * 300, "[" * 1500 + "]" * 1500, '{"a": 1, "a": 2}', '{"throughput": 12345678901234567890123}',
    '{"train_step_time": 18446744073709551616}', '{"train_step_time": "0.5", "throughput": NaN}', "// 1", "1}, {1", "",
]  # fmt: skip
ODD_METADATA = ['""', "null", '{"samples_count": 36893488147419103232}', '{"file": "a.py", "lineno": 3}', '"", "time_ms": 5', '"", "key": "run_stop"', r'"", "\u006bey": "run_stop"', '"", "x": 1', '"", "value": 7', '""} ', '""}\xa0', '""} x', '""}}']  # fmt: skip
TIMES = ["1745520784000", "1745520784001", "1745520784", "0", "00", "9" * 16, "9" * 17, "0745520784000", "-745520784000", "17455207840001", "1745520784.00", '"174552078400"', "174552078400e", "1745520784000, \"time_ms\": 3"]  # fmt: skip
HEADS = ['{"namespace": "", "time_ms": ', '{"namespace": "worker1", "time_ms": ', '{"namespace": 0, "time_ms": ', '{"namespace":"","time_ms":', '{"time_ms": ']  # fmt: skip
TYPES = ['"event_type": "POINT_IN_TIME", ', '"event_type": "INTERVAL_END", ', '"event_type":"A", ', ""]
RECORDS = st.builds(
    lambda *parts: ":::MLLOG {}{}, {}\"key\": \"{}\", \"value\": {}, \"metadata\": {}}}".format(*parts),
    st.one_of(st.just(HEADS[0]), st.sampled_from(HEADS)),
    st.one_of(st.just(TIMES[0]), st.sampled_from(TIMES)),
    st.one_of(st.just(TYPES[0]), st.sampled_from(TYPES)),
    st.sampled_from([*KEYS, "tracked_stats", "power_reading", "k\xe9y", r"a\u0062"]),
    st.one_of(st.sampled_from(ODD_VALUES), st.recursive(st.one_of(st.none(), st.integers(), st.floats(), st.text()), st.lists, max_leaves=3).map(json.dumps), st.sampled_from(["0.5", '{"train_step_time": 0.5, "throughput": 7}'])),
    st.sampled_from(ODD_METADATA),
)  # fmt: skip


@st.composite
def mutated_logs(draw) -> bytes:
    lines = draw(st.lists(st.one_of(RECORDS, RECORDS, LINES), max_size=8))
    lines += draw(st.lists(st.sampled_from(lines), max_size=4)) if lines else []  # with tails that are known
    text = draw(st.sampled_from(["\n", "\r\n", "\r", "\n 0: "])).join(lines).encode("latin-1", "replace")
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(st.binary(max_size=3)) + text[at + draw(st.integers(0, 3)) :]
    return text


def everything(log) -> str:
    # kept as logged; only their numbers are used, in any order
    for column in (log.statistics.step_times, log.statistics.samples_counts):
        column[:] = sorted(map(number, column), key=str)
    return repr((log, [(type(e.timestamp), e) for e in log.events]))


@settings(max_examples=600, deadline=None)
@given(
    st.lists(mutated_logs(), min_size=1, max_size=3),
    st.sampled_from([KEYS, (*KEYS, "tracked_stats", "power_reading")]),
    st.sampled_from([(), ("run_stop",), KEYS]),
)
def test_a_log_is_read_as_by_the_standard_library_alone(payloads, keys, repeatable):
    reader = LogReader(keys, repeatable)
    for payload in [*payloads, *payloads]:  # the second time with tails it knows
        assert everything(reader.read(payload)) == everything(read_plainly(payload, keys, repeatable))


# what could be valid JSON together though no record is by itself, or the other way round
ODD_RESTS = [
    '"value": [1', '"value": 2, "metadata": 3}], "metadata": 4}', '"value": {"a": 1', '"b": 2}, "metadata": ""}',
    '"value": 1, "metadata": 2}, {"value": 3, "metadata": 4}', '"value": 1, "metadata": "', '", "value": 2}', "}", "1}, 2, {",
    '"value": 1}, {"metadata": 2}', '"value": 1, "metadata": {"samples_count": [5]}}', '"value": "[", "metadata": ""}',
    '"metadata": {"samples_count": 7}, "value": {"throughput": 8}}', '"value": 1, "value": 2, "metadata": ""}', "",
]  # fmt: skip
STATISTICS = st.builds(
    '"value": {}, "metadata": {}}}'.format,
    st.sampled_from(['{"train_step_time": 0.5}', '{"throughput": 7, "x": "\xe9"}', '{"validation_time": 31.0}', *ODD_VALUES]),
    st.sampled_from(['{"step": 1, "samples_count": 512.0}', *ODD_METADATA]),
)  # fmt: skip


def statistics_record(rest: str, type_: str = TYPES[0], key: str = "tracked_stats") -> str:
    return f':::MLLOG {HEADS[0]}{TIMES[0]}, {type_}"key": "{key}", {rest}'


def throughput_record(throughput: int, *form: str) -> str:
    return statistics_record(
        f'"value": {{"throughput": {throughput}}}, "metadata": {{"samples_count": {throughput}}}}}', *form
    )


def alike(key, types, rest):
    time = st.one_of(st.just(1_745_520_784_000), st.integers(10**12, 10**13 - 1))
    form = ':::MLLOG {}{}, {}"key": "{}", {}'.format
    return st.builds(form, st.just(HEADS[0]), time, st.sampled_from(types), key, rest)


RESTS = st.one_of(STATISTICS, STATISTICS, st.sampled_from(ODD_RESTS))
PLAIN_STATISTICS = alike(st.just("tracked_stats"), TYPES[:1], RESTS)
ALIKE = st.one_of(PLAIN_STATISTICS, alike(st.sampled_from(["run_stop", "init_stop"]), [TYPES[0], ""], RESTS))
ODD_STATISTICS = alike(st.sampled_from(["tracked_stats", r"tr\u0061cked_stats"]), TYPES, RESTS)


@settings(max_examples=600, deadline=None)
@given(
    st.lists(ALIKE, min_size=1, max_size=12),
    st.sampled_from([KEYS, (*KEYS, "tracked_stats")]),
    st.sampled_from([(), ("run_stop",)]),
    st.integers(1, 5),
    st.booleans(),
)
# two records that would be one element of the batch, and one that would be two
@example([statistics_record(rest) for rest in (ODD_RESTS[0], ODD_RESTS[1], ODD_RESTS[4])], KEYS, (), 3, True)
def test_records_that_begin_alike_are_read_as_by_the_standard_library(lines, keys, repeatable, batch, is_cut):
    payload = "\n".join([*lines, *lines, "" if is_cut else "more"]).encode("latin-1")
    expected = everything(read_plainly(payload, keys, repeatable))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ingest.mlperf.mllog._BATCH_RECORDS", batch)
        patch.setattr(LogReader, "_read_any", None)
        assert everything(LogReader(keys, repeatable).read(payload)) == expected
    assert everything(LogReader(keys, repeatable).read(io.BytesIO(payload))) == expected


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(ALIKE, ODD_STATISTICS), min_size=1, max_size=12), st.integers(1, 5))
@example([throughput_record(1), throughput_record(2, ""), throughput_record(3)], 3)
@example([throughput_record(3), throughput_record(2, TYPES[1]), record("run_stop")], 3)
@example([throughput_record(1, TYPES[2]), record("run_stop"), throughput_record(2)], 3)
@example(
    [throughput_record(1), record("run_stop"), "x", throughput_record(2, TYPES[0], r"tr\u0061cked_stats")], 3
)
def test_statistics_in_other_forms_keep_their_place(lines, batch):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ingest.mlperf.mllog._BATCH_RECORDS", batch)
        for payload in ("\n".join(lines), "\n".join([*lines, *lines])):
            log = read_log(payload.encode("latin-1"), KEYS)
            assert everything(log) == everything(read_plainly(payload.encode("latin-1"), KEYS))


@pytest.mark.parametrize("value", ODD_VALUES)
@pytest.mark.parametrize("key", ["run_stop", "tracked_stats", "init_stop"])
def test_a_value_at_which_parsers_differ_is_read_as_by_the_standard_library(key, value):
    lines = [
        f"{record('run_start')}\n",
        f':::MLLOG {HEADS[0]}1745520784000, {TYPES[0]}"key": "{key}", "value": {value}, "metadata": ""}}\n',
    ]
    payload = "".join([*lines, *lines]).encode("latin-1")
    assert everything(read_log(payload, KEYS)) == everything(read_plainly(payload, KEYS))


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


@pytest.mark.parametrize(
    ("others", "kept"),
    [
        ([{}], 1),
        ([{"time_ms": 1_745_520_784_001}, {"time_ms": 1_745_520_784_002}], 1),
        ([{"time_ms": 1_745_520_783_999}], 2),  # earlier than the one that is kept
        ([{"time_ms": 1_745_520_784_002}, {"time_ms": 1_745_520_784_001}], 1),
        ([{"value": 1}], 2),
        ([{"value": 1}, {}], 3),
        ([{"key": "cache_clear"}], 2),  # not repeatable
        ([{"key": "cache_clear"}, {"key": "cache_clear"}, {}], 4),
        ([{"key": "train_loss"}, {}], 1),  # not kept
    ],
)
def test_of_repeats_only_the_first_is_kept_and_all_are_counted(others, kept):
    lines = [record("init_start"), *(record(**{"key": "init_start"} | other) for other in others)]
    payload = "\n".join([*lines, *lines]).encode()  # half of it when all tails are known
    log = read_log("\n".join(lines).encode(), {"init_start", "cache_clear"}, {"init_start"})
    assert (len(log.events), log.records) == (kept, len(lines))
    assert log.events[0].lineno == 0
    for block in (len(lines[0]) + 1, 1 << 18):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("ingest.mlperf.mllog._BLOCK_BYTES", block)
            again = read_log(payload, {"init_start", "cache_clear"}, {"init_start"})
        assert everything(again) == everything(
            read_plainly(payload, {"init_start", "cache_clear"}, {"init_start"})
        )


def test_a_block_boundary_anywhere_changes_nothing(monkeypatch):
    lines = [f" {i}: {record('eval_accuracy', value=i / 7)}" for i in range(20)]
    payload = "\r\n".join(lines).encode()
    whole = events_of(read_log(payload, KEYS))
    assert [e[2]["value"] for e in whole] == [i / 7 for i in range(20)]
    for size in (1, 7, 64, 181, 1000):  # of the stream and of the bytes
        monkeypatch.setattr("ingest.mlperf.mllog._BLOCK_BYTES", size)
        assert events_of(read_log(payload, KEYS)) == whole
        assert events_of(read_log(io.BytesIO(payload), KEYS)) == whole


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


def test_a_second_time_in_a_record_overrules_the_first_also_when_the_tail_is_known():
    line = record("run_start")[:-1] + ', "time_ms": 5}'
    log = read_log(f"{line}\n{line}\n".encode(), KEYS)
    assert [e.timestamp for e in log.events] == [5, 5]


def test_invalid_utf8_and_metadata_that_is_no_object():
    payload = b"\xff\xfe\x00" + record("run_stop", metadata="").encode() + b"\n\x80\x81"
    (event,) = read_log(payload, KEYS).events
    assert metadata(event) == {}
    assert utf8("Universit\u00c3\u00a4t") == "Universität" and utf8("\xff") == "\xff"
