"""Energy: against the official functions on made-up meters, and a case worked by hand."""

from __future__ import annotations

import json
from contextlib import suppress
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mlperf_payloads import problem_of

from ingest.mlperf.records import Unusable
from ingest.mlperf.training_energy import NODE, SWITCH, PowerLog, read_power_log, run_energy

summarizer = pytest.importorskip("mlperf_logging.result_summarizer.result_summarizer")


def event(key, time_ms, value=None, **meta):
    return {"namespace": "", "time_ms": time_ms, "key": key, "value": value, "metadata": meta}


def as_bytes(events) -> bytes:
    return "".join(f":::MLLOG {json.dumps(e)}\n" for e in events).encode()


def measured(readings, *, start=0, stop: int | None = 10_000, efficiency=None, estimate=None):
    events = [event("power_measurement_start", start)]
    if efficiency is not None:
        events.append(event("conversion_eff", start, efficiency, measurement_type="AC"))
    if estimate is not None:
        events.append(event("interconnect_power_est", start, estimate))
    events += [event("power_reading", t, w) for t, w in readings]
    return events + ([event("power_measurement_stop", stop)] if stop is not None else [])


def read(events, kind=NODE) -> PowerLog:
    return read_power_log(as_bytes(events), kind=kind)


def lines_of(events):
    """The events as the official functions read them."""
    return [
        SimpleNamespace(key=e["key"], timestamp=float(e["time_ms"]), value={"value": e["value"]})
        for e in events
    ]


def test_worked_by_hand():
    # 100 W for 4 s and 200 W for 6 s: 160 W mean, 0.5 of it used, over a run of 5 s = 400 J; the readings inside
    # [2 s, 7 s] are 2 s at 100 W and 3 s at 200 W: 800 J, half of it 400 J
    node = read(measured([(4_000, 100), (10_000, 200)], efficiency=0.5))
    estimated = read(measured([], efficiency=1.0, estimate=10), SWITCH)
    metered = read(measured([(10_000, 30)], start=5_000, efficiency=1.0), SWITCH)
    energy = run_energy([node, estimated, metered], start_ms=2_000, stop_ms=7_000)
    assert energy.node_energy_j == pytest.approx(400)
    assert energy.node_energy_in_interval_j == pytest.approx(400)
    assert energy.energy_official_j == pytest.approx(400 + 10 * 5)
    assert energy.energy_with_switch_readings_j == pytest.approx(400 + 10 * 5 + 30 * 5)
    assert (energy.power_nodes, energy.power_switches, energy.power_measurement_type) == (1, 2, "AC")


def test_readings_of_another_time_give_no_energy_of_the_interval():
    node = read(measured([(4_000, 100), (10_000, 200)]))
    energy = run_energy([node], start_ms=18_000_000, stop_ms=18_005_000)
    assert energy.energy_official_j == pytest.approx(160 * 5) and energy.node_energy_in_interval_j is None


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-5_000, 20_000), st.floats(0, 1e5)), min_size=1, max_size=30),
    st.one_of(st.none(), st.integers(1, 15_000)),
    st.one_of(st.none(), st.floats(0.5, 1)),
    st.integers(1, 10**7),
)
def test_a_node_counts_as_officially(readings, stop, efficiency, run_ms):
    events = measured(readings, stop=stop, efficiency=efficiency)
    official = None
    with suppress(ZeroDivisionError):
        official = summarizer._compute_power_node(lines_of(events), run_ms)
    try:
        energy = run_energy([read(events)], start_ms=0, stop_ms=run_ms)
    except Unusable:
        assert official is None or not any(0 <= t <= (stop or 20_000) for t, _ in readings)
    else:
        assert energy.energy_official_j == pytest.approx(official, rel=1e-9, abs=1e-6)


@given(
    st.one_of(st.none(), st.floats(0, 1e5)), st.one_of(st.none(), st.floats(0.5, 1)), st.integers(1, 10**7)
)
def test_a_switch_counts_as_officially(estimate, efficiency, run_ms):
    events = measured([(1000, 684)], efficiency=efficiency, estimate=estimate)
    node = read(measured([(10_000, 0)]))
    energy = run_energy([node, read(events, SWITCH)], start_ms=0, stop_ms=run_ms)
    official = summarizer._compute_power_sw(lines_of(events), run_ms)
    assert energy.energy_official_j == pytest.approx(official, rel=1e-12)


@pytest.mark.parametrize(
    ("events", "problem"),
    [
        ([], "no power_measurement_start"),
        (measured([]), "no power_reading"),
        (measured([(11_000, 5)]), "no power_reading"),
        (measured([(1_000, "hot")]), "'hot', not a number"),
        (measured([(1_000, -5)]), "-5, not a number"),
    ],
)
def test_a_log_that_cannot_be_used_says_why(events, problem):
    assert problem in problem_of(read, events)


@pytest.mark.parametrize("log", [read(measured([], estimate=5), SWITCH), read(measured([(0, 5)], stop=0))])
def test_a_run_without_a_usable_node_has_no_energy(log):
    assert problem_of(run_energy, [log], start_ms=0, stop_ms=1)
