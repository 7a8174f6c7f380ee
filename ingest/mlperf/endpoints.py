"""Reports of mlcommons/endpoints, the second harness of MLPerf Inference (since v6.1), beside LoadGen.

A run writes ``performance/result_summary.json``; early versions wrote ``performance/run_1/results.json``, which
has throughput only. Times are in nanoseconds. Source of the format: docs/OUTPUT_STRUCTURE.md of
mlcommons/endpoints, and the files of mlcommons/inference_results_v6.1 (2026-11).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ingest.core import values
from ingest.mlperf.loadgen import NANOSECONDS_PER, LogResult, result_rule
from ingest.mlperf.records import TokenLatency, Unusable

SUMMARY = "performance/result_summary.json"
EARLY_SUMMARY = "performance/run_1/results.json"

# load_pattern.type of the run -> MLPerf scenario. Server and Interactive run alike; the folder decides.
_SCENARIO_OF_PATTERN = {"max_throughput": "Offline", "poisson": "Server"}


@dataclass(frozen=True)
class EndpointsReport:
    """One performance run: rates per second, times in milliseconds.

    Attributes:
        scenario: MLPerf scenario of the load pattern; None for a pattern that belongs to none.
        latency_ns: statistics of whole responses as published, in nanoseconds.
        n_failed: failed queries; None if the report's number cannot be read. The rates include failed queries
            (mlcommons/endpoints#34).
    """

    harness: ClassVar = "endpoints"
    is_complete: bool
    n_failed: int | None
    n_completed: int | None
    scenario: str | None
    samples_per_s: float | None
    tokens_per_s: float | None
    latency_ns: Mapping[str, Any]
    tokens: TokenLatency

    @property
    def validity(self) -> str:
        """``VALID``, or ``INVALID`` with the reason."""
        if not self.is_complete:
            return "INVALID"
        return f"INVALID: {self.n_failed} of {self.n_completed} queries failed" if self.n_failed else "VALID"


def parse_report(text: str) -> EndpointsReport | None:
    """Read a report.

    Args:
        text: content of ``result_summary.json`` or ``results.json``.

    Returns:
        The report; None when the file is of another tool (reference implementations of LoadGen runs write a
        ``results.json`` too).

    Raises:
        Unusable: it is no JSON object.
    """
    try:
        body = json.loads(text)
    except (ValueError, RecursionError) as e:
        raise Unusable(f"the report is not valid JSON ({e})") from e
    if not isinstance(body, dict):
        raise Unusable(f"the report is a {type(body).__name__}, not an object")
    results = body.get("results")
    rates: dict[str, Any] = results if isinstance(results, dict) else body
    if not {"qps", "tps"} & rates.keys():
        return None
    pattern = _object(_object(body, "run_config"), "load_pattern").get("type")
    return EndpointsReport(
        is_complete=body.get("complete") is not False,
        n_failed=_n_failed(rates),
        n_completed=_count(rates, "n_samples_completed", "total"),
        scenario=_SCENARIO_OF_PATTERN.get(str(pattern)),
        samples_per_s=values.number(rates.get("qps")),
        tokens_per_s=values.number(rates.get("tps")),
        latency_ns=_object(body, "latency"),
        tokens=TokenLatency(
            **{
                f"{name}_ms_p{percent}": _percentile_ms(_object(body, name), percent)
                for name in ("ttft", "tpot")
                for percent in ("50", "99")
            }
        ),
    )


def result_of_report(
    report: EndpointsReport, release: str, benchmark_id: str | None, scenario: str
) -> LogResult:
    """The result of a report, by the same table of rules as LoadGen's.

    A run in which some queries failed has a result, and `EndpointsReport.validity` says that it is not valid; where
    all failed there is none. Token models count ``tps``, others ``qps``; latencies come from ``latency``
    (``mean_latency``: the mean, otherwise the early-stopping estimate of the 90th percentile).

    Args:
        report: a parsed report.
        release: round, ``v6.1``.
        benchmark_id: MLCommons' key, or a name that no table knows.
        scenario: the folder's scenario.

    Raises:
        Unusable: the run is not complete, all queries failed, or the report lacks the result.
    """
    if not report.is_complete:
        raise Unusable("the report says that the run is not complete")
    if report.n_failed is None:
        raise Unusable("the report has no readable number of failed queries")
    if report.n_failed and report.n_failed >= (report.n_completed or 0):
        raise Unusable(f"{report.n_failed} of {report.n_completed or report.n_failed} queries failed")
    unit, metric = result_rule(report.scenario, release, benchmark_id, scenario)
    if unit.endswith("/s"):
        name = "tps" if unit == "tokens/s" else "qps"
        value = report.tokens_per_s if name == "tps" else report.samples_per_s
    else:
        name, value = _latency(report, metric) if unit in NANOSECONDS_PER else (metric, None)
    if value is None or value <= 0:
        raise Unusable(f"the report has no {name}, the result of {scenario}")
    return LogResult(value / NANOSECONDS_PER.get(unit, 1), repr(value), unit, name, is_derived=False)


def _latency(report: EndpointsReport, metric: str) -> tuple[str, float | None]:
    """Name and value (ns) of the latency that counts."""
    if metric == "mean_latency":
        return "latency.avg", values.number(report.latency_ns.get("avg"))
    for name in ("early_stopping_percentiles", "percentiles"):
        if (latency := _of_percentiles(_object(report.latency_ns, name), "90")) is not None:
            return f"latency.{name}.90", latency
    return "latency", None


def _count(rates: Mapping[str, Any], *names: str) -> int | None:
    """The first of these fields that the report states."""
    return next((values.integer(rates[name]) for name in names if rates.get(name) is not None), None)


def _n_failed(rates: Mapping[str, Any]) -> int | None:
    """Queries that failed; none where the report does not state failures."""
    names = ("n_samples_failed", "failed")
    if any(rates.get(name) is not None for name in names):
        failed = _count(rates, *names)
        return failed if failed is not None and failed >= 0 else None
    return max((_count(rates, "total") or 0) - (_count(rates, "successful", "total") or 0), 0)


def _object(body: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = body.get(key)
    return value if isinstance(value, dict) else {}


def _of_percentiles(percentiles: Mapping[str, Any], percent: str) -> float | None:
    """A percentile, whether its key is written ``99`` or ``99.0``."""
    return values.number(percentiles.get(f"{percent}.0", percentiles.get(percent)))


def _percentile_ms(statistics: Mapping[str, Any], percent: str) -> float | None:
    nanoseconds = _of_percentiles(_object(statistics, "percentiles"), percent)
    return nanoseconds / 1e6 if nanoseconds is not None else None
