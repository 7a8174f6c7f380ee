"""loadgen's ``mlperf_log_summary.txt``: reading it, and which of its lines is the result.

The rule of which line counts, by benchmark, scenario and round, is data: ``inference_metrics.csv`` beside
this module (also a dbt seed). Checked on the v4.1 and v5.1 trees against what MLCommons published.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from ingest.core.values import number
from ingest.mlperf.releases import UNMAPPED, normalise_scenario, release_order
from ingest.mlperf.tables import read_table

# log_metric of inference_metrics.csv → the key of the log, normalised as `parse_log_summary` does.
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
_NANOSECONDS_PER = {"latency_ms": 1e6, "latency_s": 1e9}

# v0.5 and v0.7 said `Performance`, every round since `PerformanceOnly` (checked on v0.5, v0.7, v1.0 and later).
# `Submission` of those two rounds is one run for accuracy and performance; its summary is that of the performance run.
_PERFORMANCE_MODES = ("performanceonly", "performance", "submission")

# A MultiStream query holds eight samples (inference rules since v2.0).
MULTISTREAM_SAMPLES_PER_QUERY = 8

_ORDINAL = re.compile(r"\b(\d+)\.0(th percentile)")


@dataclass(frozen=True)
class TokenLatency:
    """Time to first token and time per output token of a run, medians and 99th percentiles in milliseconds.

    None where the harness did not log it: no token model, or an Offline run.
    """

    ttft_ms_p50: float | None = None
    ttft_ms_p99: float | None = None
    tpot_ms_p50: float | None = None
    tpot_ms_p99: float | None = None


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


@dataclass(frozen=True)
class _Rule:
    benchmark_id: str
    scenario: str
    first: tuple[int, int]
    last: tuple[int, int]
    unit: str
    metric: str


@cache
def _rules() -> tuple[_Rule, ...]:
    return tuple(
        _Rule(
            row["benchmark_id"],
            row["scenario"],
            release_order(row["release_from"]),
            release_order(row["release_to"]) if row["release_to"] else (10**6, 0),
            row["result_unit"],
            row["log_metric"],
        )
        for row in read_table("inference_metrics.csv")
    )


@cache
def metric_rule(release: str, benchmark_id: str | None, scenario: str) -> tuple[str, str] | None:
    """(true unit, log_metric) of a benchmark's result in a round; the default of the scenario when the
    benchmark has none of its own; None when the table has no rule for the scenario in that round."""
    order = release_order(release)
    fitting = [r for r in _rules() if r.scenario == scenario and r.first <= order <= r.last]
    for wanted in (benchmark_id, "*"):
        for rule in fitting:
            if rule.benchmark_id == wanted:
                return rule.unit, rule.metric
    return None


def result_of_log(
    log: LogSummary, *, release: str, benchmark_id: str | None, scenario: str
) -> LogResult | str:
    """The result a log gives for the folder it lies in, or the problem that keeps it from being one.

    Args:
        log: the parsed summary.
        release: round, ``v5.1``.
        benchmark_id: MLCommons' key; one that no table knows is read by the scenario's default rule. None when
            the folder is a net of the open division that no table knows: then the token line counts where
            loadgen wrote one, else the scenario's default.
        scenario: the folder's scenario, in MLCommons' spelling, or ``unmapped:<folder>``.

    Returns:
        `LogResult` (per second, or ms or s per query), or a sentence naming the problem.
    """
    if log.validity is None:
        return "the log has no `Result is` line: it is truncated"
    if log.validity.upper() != "VALID":
        return f"the log has `Result is : {log.validity}`"
    if (log.mode or "").lower() not in _PERFORMANCE_MODES:
        return f"the log is of mode {log.mode!r}, not PerformanceOnly"
    ran, wanted = (log.scenario or "").lower(), scenario.lower()
    if ran == wanted or (ran, wanted) == ("server", "interactive") or scenario.startswith(UNMAPPED):
        return _direct(log, release, benchmark_id, scenario)
    return _derived(log, ran, scenario)


def _direct(log: LogSummary, release: str, benchmark_id: str | None, scenario: str) -> LogResult | str:
    # an unknown scenario is read by the rule of the scenario that LoadGen ran
    known = (log.scenario or "") if scenario.startswith(UNMAPPED) else scenario
    rule = metric_rule(release, benchmark_id, known)
    if rule is None:
        return f"no rule says which line is the result of {scenario} in {release}: add it to inference_metrics.csv"
    unit, metric = rule
    if benchmark_id is None and scenario in ("Offline", "Server", "Interactive"):
        for name in _TOKENS:
            if (tokens := log.values.get(LOG_KEYS[name])) is not None:
                return _checked(tokens, log.texts[LOG_KEYS[name]], "tokens/s", name, is_derived=False)
    key = LOG_KEYS[metric]
    value = log.values.get(key)
    if value is None:
        return f"the log has no line `{key}`, the result of {scenario}"
    return _checked(value / _NANOSECONDS_PER.get(unit, 1), log.texts[key], unit, metric, is_derived=False)


def _derived(log: LogSummary, ran: str, scenario: str) -> LogResult | str:
    """A scenario computed from the run of another, as MLCommons' submission checker does (``inferred``)."""
    values, texts = log.values, log.texts
    if (ran, scenario) == ("singlestream", "MultiStream"):
        key = LOG_KEYS["early_stopping_99"]
        if (estimate := values.get(key)) is not None:
            scaled = estimate * MULTISTREAM_SAMPLES_PER_QUERY / 1e6
            return _checked(scaled, texts[key], "latency_ms", "early_stopping_99", is_derived=True)
    elif (ran, scenario) == ("singlestream", "Offline"):
        key = "qps w/o loadgen overhead"
        if (rate := values.get(key)) is not None:
            return _checked(rate, texts[key], "samples/s", "qps_without_loadgen_overhead", is_derived=True)
    elif (ran, scenario) == ("multistream", "Offline"):
        key = "mean latency (ns)"
        samples, mean = values.get("samples_per_query"), values.get(key)
        if samples is not None and mean:
            said = f"{texts['samples_per_query']} / {texts[key]}"
            rate = samples * 1e9 / mean
            return _checked(rate, said, "samples/s", "samples_per_query/mean", is_derived=True)
    else:
        return f"the log is of scenario {ran!r}, from which {scenario} cannot be derived"
    return f"the log lacks the line that {scenario} is derived from ({ran})"


def _checked(value: float, published: str, unit: str, metric: str, *, is_derived: bool) -> LogResult | str:
    if value <= 0 or not math.isfinite(value):
        return f"the line {metric} is {published!r}, which no measurement can give"
    return LogResult(value, published, unit, metric, is_derived)
