"""Wall power over the run's own interval; figures worked by hand."""

from __future__ import annotations

import json

import pytest
from mlperf_payloads import problem_of

from ingest.mlperf.power import read_power


def mark(key: str, value: object) -> str:
    return ":::MLLOG " + json.dumps({"key": key, "value": value, "metadata": {"is_error": False}})


DETAIL = "\n".join(
    [
        mark("power_begin", "07-28-2025 08:09:10.000"),
        mark("power_end", "07-28-2025 08:09:20.000"),
        mark("result_query_count", 500),
    ]
)
# One line a second; the Ch fields repeat the parts of field 4 and must not be added.
SPL = "\n".join(
    f"Time,07-28-2025 08:09:{second:02d}.500,Watts,{watts},Volts,230.1,Amps,1.0,PF,0.9,Mark,run,Ch1,Watts,{watts}"
    for second, watts in [(9, 9000.0), (10, 100.0), (11, 200.0), (12, 300.0), (20, 9000.0)]
)


def read(spl: str = SPL, detail: str = DETAIL, scenario: str = "Offline", derived: bool = False):
    return read_power(spl, detail, scenario=scenario, is_multistream_derived=derived)


def test_power_between_begin_and_end():
    # 9 and 20.5 lie outside [10, 20]: (100 + 200 + 300) / 3
    assert read(scenario="Offline") == (200.0, "Watts")
    # 200 W x 10 s x 1000 / 500 queries
    assert read(scenario="SingleStream") == (4000.0, "millijoules")
    # a query of a derived MultiStream is eight queries
    assert read(scenario="MultiStream", derived=True) == (32000.0, "millijoules")


def test_readings_at_the_very_ends_count():
    readings = [("10.000", 10), ("20.000", 30), ("20.001", 9000)]
    assert read("\n".join(f"Time,07-28-2025 08:09:{at},Watts,{w}" for at, w in readings))[0] == 20.0


def test_zero_negative_and_unreadable_readings_do_not_count():
    bad = ["0.0", "-1.0", "nan", "", "1_000"]
    lines = [f"Time,07-28-2025 08:09:15.000,Watts,{w},Volts,230" for w in bad]
    lines += [
        "Time,yesterday,Watts,500",
        "Time,07-28-2025 08:09:15.000,Volts,230,Watts,500",
        "Time",
    ]
    assert read(SPL + "\n" + "\n".join(lines)) == read()


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"spl": ""}, "spl.txt has no positive reading"),
        ({"detail": DETAIL.replace("08:09:20", "08:09:00")}, "spl.txt has no positive reading"),
        ({"detail": ""}, "mlperf_log_detail.txt has no power_begin and no power_end"),
        ({"detail": DETAIL.splitlines()[0]}, "mlperf_log_detail.txt has no power_end"),
        (
            {"detail": DETAIL.replace("07-28-2025 08:09:10.000", "2025-07-28T08:09:10")},
            "the power interval is unreadable",
        ),
        ({"detail": DETAIL.replace('"07-28-2025 08:09:10.000"', "null")}, "the power interval is unreadable"),
    ],
)
def test_what_cannot_be_read_is_named(given, problem):
    assert problem_of(read, **given).startswith(problem)


def test_without_queries_the_mean_power_is_left():
    """Logs of v1.0 count none, so that energy per query cannot be known; the meter's watts can."""
    interval = DETAIL.splitlines()[:2]
    for more in ([], [mark("result_query_count", 0)], [mark("result_query_count", "many")]):
        assert read(detail="\n".join([*interval, *more]), scenario="SingleStream") == (200.0, "Watts")


def test_interleaved_output_does_not_hide_the_interval():
    garbage = [
        'INFO:root: loading\x1b[0m :::MLLOG {"key": "power_begin", "value": "01-01-2000 00:00:00.000"}',
        ':::MLLOG {"key": "power_begin", "value": "01-01-2000',
        ":::MLLOG [1, 2]",
        ":::MLLOG",
        ':::MLLOG {"value": 3}',
        ':::MLLOG {"key": "power_end", "value": ' + "9" * 5000 + "}",
        ":::MLLOG " + "[" * 100_000,
    ]
    lines = [x for n, line in enumerate(DETAIL.splitlines()) for x in (*garbage[n::3], line)]
    assert read(detail="\r\n".join(lines), scenario="SingleStream") == read(scenario="SingleStream")
