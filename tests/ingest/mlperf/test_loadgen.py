"""Which line of a loadgen summary is the result; what real rounds hold is compared in test_raw_tree.py."""

from __future__ import annotations

import pytest
from mlperf_payloads import OFFLINE, has, log, problem_of

from ingest.mlperf.loadgen import LogResult, metric_rule, parse_log_summary, result_of_log
from ingest.mlperf.records import TokenLatency

TOKENS = log("Offline", "Samples per second: 371.423", "Tokens per second: 101527")
SERVED = log(
    "Server",
    "Completed samples per second    : 113.35",
    "Completed tokens per second: 33244.25",
    stats=("Scheduled samples per second : 114.23",),
)


def result(text, release, benchmark, scenario) -> LogResult:
    return result_of_log(parse_log_summary(text), release, benchmark, scenario)


@pytest.mark.parametrize(
    ("release", "benchmark", "scenario", "rule"),
    [
        # a round to come has the default
        ("v9.0", "resnet", "Offline", ("samples/s", "samples_per_second")),
        ("v4.0", "bert-99", "Server", ("queries/s", "scheduled_samples_per_second")),
        # tokens Offline, completed samples in Server (the collection says 90.3529 Queries/s)
        ("v4.0", "llama2-70b-99.9", "Offline", ("tokens/s", "tokens_per_second")),
        ("v4.0", "llama2-70b-99.9", "Server", ("queries/s", "completed_samples_per_second")),
        ("v2.0", "resnet", "SingleStream", ("latency_ms", "early_stopping_90")),
        ("v2.0", "resnet", "MultiStream", ("latency_ms", "early_stopping_99")),
        ("v4.0", "gptj-99", "Offline", ("samples/s", "samples_per_second")),
        ("v5.0", "gptj-99", "Offline", ("tokens/s", "tokens_per_second_inferred")),
        ("v5.0", "gptj-99.9", "Server", ("tokens/s", "completed_tokens_per_second_inferred")),
        ("v5.0", "resnet", "Interactive", None),
    ],
)
def test_which_line_counts_by_round_benchmark_and_scenario(release, benchmark, scenario, rule):
    assert metric_rule(release, benchmark, scenario) == rule


def test_a_latency_in_seconds():
    video = log("SingleStream", stopping=(" * Early stopping 90.0th percentile estimate: 20603024726",))
    found = result(video, "v6.0", "wan-2.2-t2v-a14b", "SingleStream")
    assert has(found, result=20.603024726, unit="latency_s", published="20603024726", is_derived=False)


def test_a_derived_rate_is_that_without_overhead_or_eight_samples_in_the_mean_latency():
    """As MLCommons' checker infers it from SingleStream and MultiStream."""
    single = log("SingleStream", stats=("QPS w/o loadgen overhead         : 757.87",))
    assert has(result(single, "v5.1", "resnet", "Offline"), result=757.87, unit="samples/s", is_derived=True)
    text = log(
        "MultiStream",
        stats=("Mean latency (ns)               : 40765937",),
        parameters=("samples_per_query : 8",),
    )
    found = result(text, "v5.1", "resnet", "Offline")
    assert found.result == pytest.approx(8 * 1000 / 40.765937, rel=1e-12)
    assert has(found, unit="samples/s", published="8 / 40765937", is_derived=True)


STOPPED = " * Early stopping 99.0th percentile estimate: 1e308"


@pytest.mark.parametrize(
    ("text", "place", "problem"),
    [
        *((text, ("v5.1", "resnet", "Offline"), problem) for text, problem in [
            (log("Offline", "Samples per second: 1", validity="INVALID"), "the log has `Result is : INVALID`"),
            (log("Offline", "Samples per second: 1", validity=""), "the log has `Result is : `"),
            (log("Offline", mode="AccuracyOnly"), "the log is of mode 'AccuracyOnly', not PerformanceOnly"),
            (OFFLINE.replace("Mode     : PerformanceOnly\n", ""), "the log is of mode None"),
            (OFFLINE[: OFFLINE.index("Result is : VALID") + 9], "the log has no `Result is` line: it is truncated"),
            (OFFLINE.replace("Scenario : Offline\n", ""), "the log is of scenario '', from which Offline"),
            (SERVED, "the log is of scenario 'server', from which Offline cannot be derived"),
            (log("Offline", "Samples per second: inf"), "the log has no line `samples per second`"),
            (log("Offline", "Samples per second: 0"), "the line samples_per_second is '0', which no measurement"),
            (log("SingleStream"), "the log lacks the line that Offline is derived from (singlestream)"),
            (log("MultiStream", stats=("Mean latency (ns) : 0",), parameters=("samples_per_query : 8",)),
             "the log lacks the line that Offline is derived from (multistream)"),
        ]),
        (OFFLINE, ("v5.1", "resnet", "Server"), "the log is of scenario 'offline', from which Server"),
        (log("Multi Stream Free"), ("v5.1", "resnet", "MultiStream"), "the log is of scenario 'multi stream free'"),
        (log("SingleStream"), ("v5.1", "resnet", "MultiStream"), "the log lacks the line that MultiStream"),
        (log("SingleStream", stopping=(STOPPED,)), ("v5.1", "resnet", "MultiStream"),
         "the line early_stopping_99 is '1e308', which no measurement can give"),
        # Interactive before it existed
        (SERVED, ("v4.1", "llama2-70b-99", "Interactive"), "no rule says which figure is the result of Interactive"),
        # a token benchmark without its token line does not fall back to samples
        (OFFLINE, ("v5.1", "llama2-70b-99", "Offline"), "the log has no line `tokens per second`"),
    ],
)  # fmt: skip
def test_a_log_that_gives_no_result_says_why(text, place, problem):
    assert problem_of(result, text, *place).startswith(problem)


def test_a_net_that_no_table_knows_has_tokens_where_they_were_counted_else_the_default():
    assert result(TOKENS, "v5.1", None, "Offline").unit == "tokens/s"
    assert result(SERVED, "v5.1", None, "Server").result == 33244.25
    assert has(result(OFFLINE, "v5.1", None, "Offline"), result=371.423, unit="samples/s")
    single = log("SingleStream", stopping=(" * Early stopping 90.0th percentile estimate: 1341022",))
    assert result(single, "v5.1", None, "SingleStream").result == pytest.approx(1.341022)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # of a key that occurs twice the first number counts
        (
            "Samples per second: N/A\nSamples per second: 7.50\nsamples per second : 8",
            {"samples per second": "7.50"},
        ),
        # both spellings of a percentile, and 99.9 apart from 99
        (
            " * 99.9th percentile: 6\n * 99.0th percentile: 5",
            {"99.9th percentile": "6", "99th percentile": "5"},
        ),
        # lines that are none
        (" : 5\n***:7\nno colon\n" + " " * 200_000 + "x\n" + "*" * 200_000 + "\n", {}),
    ],
)
def test_lines_of_a_log(text, expected):
    found = parse_log_summary(text)
    assert found.texts == expected
    assert found.values == {key: float(said) for key, said in expected.items()}


def test_token_latencies_are_in_milliseconds():
    lines = (
        "50.00 percentile first token latency (ns)   : 205515887",
        "99.00 percentile first token latency (ns)   : 303546985",
        "50.00 percentile time to output token (ns)   : 41105023",
        "99.00 percentile time to output token (ns)   : 48215361",
    )
    found = parse_log_summary(log("Server", stats=lines)).tokens
    assert has(found, ttft_ms_p50=205.515887, ttft_ms_p99=303.546985)
    assert has(found, tpot_ms_p50=41.105023, tpot_ms_p99=48.215361)
    assert parse_log_summary(OFFLINE).tokens == TokenLatency()
