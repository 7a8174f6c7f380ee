"""loadgen's ``mlperf_log_summary.txt``: reading it, and which of its lines is the result.

The rule of which line counts, by benchmark, scenario and round, is data: the dbt seed ``mlperf_inference_metrics.csv``.
Checked on the v4.1 and v5.1 trees against what MLCommons published.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from ingest.core.values import number
from ingest.mlperf.records import TokenLatency, Unusable
from ingest.mlperf.releases import UNMAPPED, is_between, normalise_scenario
from ingest.mlperf.tables import SEEDS, read_table

# log_metric of mlperf_inference_metrics.csv → the key of the log, normalised as `parse_log_summary` does.
LOG_KEYS = {
    "samples_per_second": "samples per second",
    "tokens_per_second": "tokens per second",
    "tokens_per_second_inferred": "tokens per second (inferred)",
    "scheduled_samples_per_second": "scheduled samples per second",
    "completed_samples_per_second": "completed samples per second",
    "completed_tokens_per_second": "completed tokens per second",
    "completed_tokens_per_second_inferred": "completed tokens per second (inferred)",
    "early_stopping_90": "early stopping 90th percentile estimate",
    "early_stopping_99": "early stopping 99th percentile estimate",
    "early_stopping_99_9": "early stopping 99.9th percentile estimate",
    "percentile_90": "90th percentile latency (ns)",
    "percentile_90_additional": "90.00 percentile latency (ns)",
    "samples_per_query": "samples per query",
    "mean_latency": "mean latency (ns)",
}
# column -> key of the log, in nanoseconds; written for token models in Server, Interactive and SingleStream
_TOKEN_LATENCY_KEYS = {
    "ttft_ms_p50": "50.00 percentile first token latency (ns)",
    "ttft_ms_p99": "99.00 percentile first token latency (ns)",
    "tpot_ms_p50": "50.00 percentile time to output token (ns)",
    "tpot_ms_p99": "99.00 percentile time to output token (ns)",
}
_SAMPLES = ("samples_per_second", "completed_samples_per_second", "scheduled_samples_per_second")
_TOKENS = (
    "tokens_per_second", "completed_tokens_per_second",
    "tokens_per_second_inferred", "completed_tokens_per_second_inferred",
)  # fmt: skip
NANOSECONDS_PER = {"latency_ms": 1e6, "latency_s": 1e9}

# v0.5 and v0.7 said `Performance`, every round since `PerformanceOnly` (checked on v0.5, v0.7, v1.0 and later).
# `Submission` of those two rounds is one run for accuracy and performance; its summary is that of the performance run.
_PERFORMANCE_MODES = ("performanceonly", "performance", "submission")

# A MultiStream query holds eight samples (inference rules since v2.0).
MULTISTREAM_SAMPLES_PER_QUERY = 8

_ORDINAL = re.compile(r"\b(\d+)\.0(th percentile)")


@dataclass(frozen=True)
class LogSummary:
    """The parts of a summary that matter: three words and every numeric line, keys in lower case.

    ``scenario`` is in MLCommons' spelling where it is one; ``texts`` holds the words that ``values`` are read from.
    """

    harness: ClassVar = "loadgen"
    scenario: str | None
    mode: str | None
    validity: str | None
    values: dict[str, float]
    texts: dict[str, str]

    @property
    def samples_per_s(self) -> float | None:
        """Samples per second of a throughput run, whichever line the log has."""
        return self._first(_SAMPLES)

    @property
    def tokens_per_s(self) -> float | None:
        """Output tokens per second of a throughput run, where LoadGen counted them."""
        return self._first(_TOKENS)

    @property
    def tokens(self) -> TokenLatency:
        """Time to first token and time per output token of the run, where LoadGen logged them."""
        logged = {column: self.values.get(key) for column, key in _TOKEN_LATENCY_KEYS.items()}
        return TokenLatency(**{column: ns / 1e6 for column, ns in logged.items() if ns is not None})

    def _first(self, names: tuple[str, ...]) -> float | None:
        return next((v for n in names if (v := self.values.get(LOG_KEYS[n])) is not None), None)


@dataclass(frozen=True)
class LogResult:
    """The figure that counts, in the unit it truly has; ``published`` is the log's own text of its line or lines."""

    result: float
    published: str
    unit: str
    metric: str
    is_derived: bool


def parse_log_summary(text: str) -> LogSummary:
    """Read the ``key : value`` lines; of a key that occurs twice the first counts.

    ``90th`` in logs up to v5.0 is ``90.0th`` later; both become ``90th``.
    """
    words: dict[str, str] = {}
    numbers: dict[str, float] = {}
    texts: dict[str, str] = {}
    for line in text.splitlines():
        head, colon, tail = line.partition(":")
        key = _ORDINAL.sub(r"\1\2", head.strip().lstrip("* \t").lower())
        if not colon or not key:
            continue
        said = tail.strip()
        words.setdefault(key, said)
        if key not in numbers and (value := number(said)) is not None:
            numbers[key], texts[key] = value, said
    ran = words.get("scenario")
    return LogSummary(
        scenario=normalise_scenario(ran or "") or ran,
        mode=words.get("mode"),
        validity=words.get("result is"),
        values=numbers,
        texts=texts,
    )


@cache
def metric_rule(release: str, benchmark_id: str | None, scenario: str) -> tuple[str, str] | None:
    """(true unit, log_metric) of a benchmark's result in a round; the default of the scenario when the
    benchmark has none of its own; None when the table has no rule for the scenario in that round."""
    rules = {
        row["benchmark_id"]: (row["result_unit"], row["log_metric"])
        for row in reversed(read_table("mlperf_inference_metrics.csv", SEEDS))
        if row["scenario"] == scenario and is_between(release, row["release_from"], row["release_to"])
    }
    return rules.get(benchmark_id or "*", rules.get("*"))


def result_rule(
    run_scenario: str | None, release: str, benchmark_id: str | None, scenario: str
) -> tuple[str, str]:
    """`metric_rule` of a folder; of an unknown scenario, that of the scenario that the harness ran.

    Raises:
        Unusable: there is none.
    """
    rule = metric_rule(
        release, benchmark_id, (run_scenario or "") if scenario.startswith(UNMAPPED) else scenario
    )
    if rule is None:
        raise Unusable(
            f"no rule says which figure is the result of {scenario} in {release}",
            "add it to mlperf_inference_metrics.csv",
        )
    return rule


def result_of_log(log: LogSummary, release: str, benchmark_id: str | None, scenario: str) -> LogResult:
    """The result a log gives for the folder it lies in.

    Args:
        log: the parsed summary.
        release: round, ``v5.1``.
        benchmark_id: MLCommons' key; one that no table knows is read by the scenario's default rule. None when
            the folder is a net of the open division that no table knows: then the token line counts where
            loadgen wrote one, else the scenario's default.
        scenario: the folder's scenario, in MLCommons' spelling, or ``unmapped:<folder>``.

    Raises:
        Unusable: the log is none of a valid performance run, or lacks the line of the result.
    """
    if log.validity is None:
        raise Unusable("the log has no `Result is` line: it is truncated")
    if log.validity.upper() != "VALID":
        raise Unusable(f"the log has `Result is : {log.validity}`")
    if (log.mode or "").lower() not in _PERFORMANCE_MODES:
        raise Unusable(f"the log is of mode {log.mode!r}, not PerformanceOnly")
    ran, wanted = (log.scenario or "").lower(), scenario.lower()
    if ran != wanted and (ran, wanted) != ("server", "interactive") and not scenario.startswith(UNMAPPED):
        return _derived(log, ran, scenario)
    unit, metric = result_rule(log.scenario, release, benchmark_id, scenario)
    if benchmark_id is None and scenario in ("Offline", "Server", "Interactive"):
        for name in _TOKENS:
            if LOG_KEYS[name] in log.values:
                unit, metric = "tokens/s", name
                break
    key = LOG_KEYS[metric]
    if key not in log.values:
        raise Unusable(f"the log has no line `{key}`, the result of {scenario}")
    return _checked(log.values[key] / NANOSECONDS_PER.get(unit, 1), log.texts[key], unit, metric)


def _derived(log: LogSummary, ran: str, scenario: str) -> LogResult:
    """A scenario computed from the run of another, as MLCommons' submission checker does (``inferred``)."""
    values, texts = log.values, log.texts
    estimate, rate, mean = LOG_KEYS["early_stopping_99"], "qps w/o loadgen overhead", LOG_KEYS["mean_latency"]
    match ran, scenario:
        case "singlestream", "MultiStream" if estimate in values:
            scaled = values[estimate] * MULTISTREAM_SAMPLES_PER_QUERY / 1e6
            return _checked(scaled, texts[estimate], "latency_ms", "early_stopping_99", is_derived=True)
        case "singlestream", "Offline" if rate in values:
            metric = "qps_without_loadgen_overhead"
            return _checked(values[rate], texts[rate], "samples/s", metric, is_derived=True)
        case "multistream", "Offline" if "samples_per_query" in values and values.get(mean):
            said = f"{texts['samples_per_query']} / {texts[mean]}"
            per_s = values["samples_per_query"] * 1e9 / values[mean]
            return _checked(per_s, said, "samples/s", "samples_per_query/mean", is_derived=True)
        case ("singlestream", "MultiStream" | "Offline") | ("multistream", "Offline"):
            raise Unusable(f"the log lacks the line that {scenario} is derived from ({ran})")
        case _:
            raise Unusable(f"the log is of scenario {ran!r}, from which {scenario} cannot be derived")


def _checked(value: float, published: str, unit: str, metric: str, *, is_derived: bool = False) -> LogResult:
    if value <= 0 or not math.isfinite(value):
        raise Unusable(f"the line {metric} is {published!r}, which no measurement can give")
    return LogResult(value, published, unit, metric, is_derived)
