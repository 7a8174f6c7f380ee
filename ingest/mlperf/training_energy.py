"""Energy of a training run from its power logs, as MLCommons adds it up and as the meters saw it.

Rests on `_compute_power_node` and `_compute_power_sw` of `mlperf_logging.result_summarizer` 4.1.68 (checked 2026-11):
the mean power of the measurement is stretched to the run's time, and a switch counts only by its one estimate.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter, mul, sub

from ingest.core.values import number, text
from ingest.mlperf.mllog import metadata, read_log
from ingest.mlperf.records import Unusable
from ingest.mlperf.training_records import RunEnergy

NODE, SWITCH = "node", "switch"

_POWER_KEYS = (
    "conversion_eff",
    "interconnect_power_est",
    "power_measurement_start",
    "power_measurement_stop",
    "power_reading",
)


@dataclass(frozen=True, kw_only=True)
class PowerLog:
    """One meter's log.

    Attributes:
        kind: node | switch.
        times_ms: of the start of the measurement and of each reading, by its own clock, in order.
        watts: of each reading; holds since the time before it. One fewer than `times_ms`.
        stop_ms: end of the measurement, or its last reading's time when that was not logged.
        conversion_efficiency: of AC to DC, 1 when not logged.
        measurement_type: AC | DC, as logged.
        estimate_w: a switch's estimate, None when it logs none.
    """

    kind: str
    times_ms: array[float] = field(default_factory=lambda: array("d"))
    watts: array[float] = field(default_factory=lambda: array("d"))
    stop_ms: float | None = None
    conversion_efficiency: float = 1.0
    measurement_type: str | None = None
    estimate_w: float | None = None

    @cached_property
    def mean_w(self) -> float | None:
        """Mean power of the measurement before conversion; None when its length is unknown or nothing."""
        if not self.times_ms or self.stop_ms is None or self.stop_ms <= self.times_ms[0]:
            return None
        return _watt_ms(self.times_ms, self.watts) / (self.stop_ms - self.times_ms[0])


def read_power_log(payload: bytes, *, kind: str) -> PowerLog:
    """One ``node_<m>.txt`` or ``sw_<m>.txt``.

    Lines that are no records are passed over, as the official tool does.

    Args:
        payload: the file's content.
        kind: node | switch.

    Raises:
        Unusable: a figure is none, or a node's log lacks the start or the readings of its measurement.
    """
    started = stop = estimate = None
    efficiency, measurement = 1.0, None
    times, watts = array("d"), array("d")
    for event in sorted(read_log(payload).of(*_POWER_KEYS), key=attrgetter("timestamp")):
        is_figure = not event.key.startswith("power_measurement")
        value = number(event.value["value"]) if is_figure else 0.0
        if value is None or value < 0:
            raise Unusable(f"{event.key} is {event.value['value']!r}, not a number ≥ 0")
        if event.key == "power_reading":
            if started is not None and stop is None:
                times.append(event.timestamp)
                watts.append(value)
        elif event.key == "power_measurement_start":
            started = event.timestamp
            if not watts:  # a second start does not reset the interval
                times = array("d", [started])
        elif event.key == "power_measurement_stop":
            stop = event.timestamp
        elif event.key == "conversion_eff":
            efficiency, measurement = value, text(metadata(event).get("measurement_type"))
        else:
            estimate = value if estimate is None else estimate
    if kind == NODE and started is None:
        raise Unusable("it has no power_measurement_start")
    if kind == NODE and not watts:
        raise Unusable("it has no power_reading between the start and the stop of the measurement")
    return PowerLog(
        kind=kind,
        times_ms=times,
        watts=watts,
        stop_ms=stop if stop is not None else (times[-1] if watts else None),
        conversion_efficiency=efficiency,
        measurement_type=measurement,
        estimate_w=estimate,
    )


def run_energy(logs: Sequence[PowerLog], *, start_ms: float, stop_ms: float) -> RunEnergy:
    """Energy of a run.

    Args:
        logs: of all its meters.
        start_ms: run_start of the run.
        stop_ms: run_stop of the run.

    Raises:
        Unusable: no node's power is known.
    """
    seconds = (stop_ms - start_ms) / 1000
    nodes = [log for log in logs if log.kind == NODE]
    switches = [log for log in logs if log.kind == SWITCH]
    if not nodes:
        raise Unusable("no node's power was logged")
    node_j = 0.0
    for log in nodes:
        if log.mean_w is None:
            raise Unusable("a node's measurement has no length")
        node_j += log.conversion_efficiency * log.mean_w * seconds
    estimated_j = sum(log.conversion_efficiency * (log.estimate_w or 0.0) * seconds for log in switches)
    read_j = sum(
        log.conversion_efficiency * (log.mean_w or 0.0) * seconds
        for log in switches
        if log.estimate_w is None
    )
    inside = [_joules_between(log, start_ms, stop_ms) for log in nodes]
    types = sorted({log.measurement_type for log in nodes if log.measurement_type})
    return RunEnergy(
        energy_official_j=node_j + estimated_j,
        energy_with_switch_readings_j=node_j + estimated_j + read_j,
        node_energy_j=node_j,
        node_energy_in_interval_j=None if None in inside else sum(j for j in inside if j is not None),
        power_nodes=len(nodes),
        power_switches=len(switches),
        power_conversion_efficiency=sum(log.conversion_efficiency for log in nodes) / len(nodes),
        power_measurement_type=" and ".join(types) or None,
    )


def _joules_between(log: PowerLog, start_ms: float, stop_ms: float) -> float | None:
    if log.times_ms[0] > start_ms or log.times_ms[-1] < stop_ms:
        return None
    if stop_ms <= start_ms:
        return 0.0
    # from the last time at or before the start to the first at or after the stop
    first, last = bisect_right(log.times_ms, start_ms) - 1, bisect_left(log.times_ms, stop_ms)
    times = log.times_ms[first : last + 1]
    times[0], times[-1] = start_ms, stop_ms
    return _watt_ms(times, log.watts[first:last]) / 1000 * log.conversion_efficiency


def _watt_ms(times_ms: array[float], watts: array[float]) -> float:
    """Return the sum of each power by the time that it holds."""
    total: float = sum(map(mul, watts, map(sub, times_ms[1:], times_ms)))
    return total
