"""Which line of a loadgen summary is the result, by round, benchmark and scenario; logs are real ones cut small."""

from __future__ import annotations

import re

import pytest
from mlperf_payloads import (
    OFFLINE,
    V05_MULTISTREAM,
    V05_SERVER,
    V05_SINGLESTREAM,
    V07_SERVER,
    V10_MULTISTREAM,
    V11_SINGLESTREAM,
    V40_GPTJ_SERVER,
    V40_LLAMA2_OFFLINE,
    V40_LLAMA2_SERVER,
    V41_BERT_SERVER,
    V41_GPTJ_SERVER,
    V41_MULTISTREAM,
    V41_SINGLESTREAM,
    V51_EDGE,
    V51_POINTPAINTING,
    V51_SINGLESTREAM,
    has,
    log,
    problem_of,
    tar_members,
)

from ingest.mlperf.loadgen import LogResult, metric_rule, parse_log_summary, result_of_log
from ingest.mlperf.records import TokenLatency

VIDEO = log("SingleStream", stopping=(" * Early stopping 90.0th percentile estimate: 20603024726",))
TOKENS = log("Offline", "Samples per second: 371.423", "Tokens per second: 101527")
SERVED = log(
    "Server",
    "Completed samples per second    : 113.35",
    "Completed tokens per second: 33244.25",
    stats=("Scheduled samples per second : 114.23",),
)
GPTJ_OFFLINE = log("Offline", "Samples per second: 103.5", "Tokens per second (inferred): 7141.5")


def result(text, release, benchmark, scenario) -> LogResult:
    return result_of_log(parse_log_summary(text), release, benchmark, scenario)


@pytest.mark.parametrize(
    ("text", "release", "benchmark", "scenario", "value", "unit", "published"),
    [
        # the old rounds: plain percentiles, `Mode : Performance`, samples per query
        (V05_SINGLESTREAM, "v0.5", "resnet", "SingleStream", 1.374171, "latency_ms", "1374171"),
        (V05_SERVER, "v0.5", "resnet", "Server", 4850.62, "queries/s", "4850.62"),
        (V05_MULTISTREAM, "v0.5", "resnet", "MultiStream", 2692.0, "samples_per_query", "2692"),
        (V07_SERVER, "v0.7", "resnet", "Server", 20001.64, "queries/s", "20001.64"),
        (V10_MULTISTREAM, "v1.0", "resnet", "MultiStream", 96.0, "samples_per_query", "96"),
        (V11_SINGLESTREAM, "v1.1", "resnet", "SingleStream", 1.8341, "latency_ms", "1834100"),
        # early stopping since v2.0; `90th` and `90.0th` are the same line
        (V41_SINGLESTREAM, "v4.1", "retinanet", "SingleStream", 4.830777, "latency_ms", "4830777"),
        (V51_SINGLESTREAM, "v5.1", "resnet", "SingleStream", 1.341022, "latency_ms", "1341022"),
        (V41_MULTISTREAM, "v4.1", "retinanet", "MultiStream", 42.019927, "latency_ms", "42019927"),
        # Server: scheduled samples up to v4.0, completed since v4.1
        (V40_GPTJ_SERVER, "v4.0", "gptj-99.9", "Server", 238.20, "queries/s", "238.20"),
        (V41_BERT_SERVER, "v4.1", "bert-99", "Server", 28667.78, "queries/s", "28667.78"),
        # v4.0 llama2: tokens Offline, completed samples in Server (the collection says 90.3529 Queries/s)
        (V40_LLAMA2_OFFLINE, "v4.0", "llama2-70b-99.9", "Offline", 27738.3, "tokens/s", "27738.3"),
        (V40_LLAMA2_SERVER, "v4.0", "llama2-70b-99.9", "Server", 90.35, "queries/s", "90.35"),
        (SERVED, "v4.1", "llama2-70b-99", "Server", 33244.25, "tokens/s", "33244.25"),
        (SERVED, "v5.1", "llama2-70b-99", "Interactive", 33244.25, "tokens/s", "33244.25"),
        (TOKENS, "v5.1", "llama2-70b-99", "Offline", 101527.0, "tokens/s", "101527"),
        (TOKENS, "v5.1", "whisper", "Offline", 101527.0, "tokens/s", "101527"),
        # gptj: samples in v4.0, inferred tokens in v4.1 and v5.0
        (GPTJ_OFFLINE, "v4.0", "gptj-99", "Offline", 103.5, "samples/s", "103.5"),
        (GPTJ_OFFLINE, "v4.1", "gptj-99", "Offline", 7141.5, "tokens/s", "7141.5"),
        (V41_GPTJ_SERVER, "v4.1", "gptj-99", "Server", 9990.24, "tokens/s", "9990.24"),
        (V41_GPTJ_SERVER, "v5.0", "gptj-99.9", "Server", 9990.24, "tokens/s", "9990.24"),
        # what has a percentile of its own
        (V51_POINTPAINTING, "v5.1", "pointpainting", "SingleStream", 564.018264, "latency_ms", "564018264"),
        (V51_EDGE, "v5.1", "llama3.1-8b-edge", "SingleStream", 4145.546277, "latency_ms", "4145546277"),
        (VIDEO, "v6.0", "wan-2.2-t2v-a14b", "SingleStream", 20.603024726, "latency_s", "20603024726"),
        # the default, and a round to come
        (OFFLINE, "v5.1", "resnet", "Offline", 371.423, "samples/s", "371.423"),
        (OFFLINE, "v9.0", "resnet", "Offline", 371.423, "samples/s", "371.423"),
    ],
)  # fmt: skip
def test_the_line_that_counts(text, release, benchmark, scenario, value, unit, published):
    found = result(text, release, benchmark, scenario)
    assert found.result == pytest.approx(value, rel=1e-12)
    assert (found.unit, found.published, found.is_derived) == (unit, published, False)


@pytest.mark.parametrize(
    ("text", "samples", "tokens"),
    [
        (V40_LLAMA2_SERVER, 90.35, 26485.43),
        (V40_LLAMA2_OFFLINE, 94.6223, 27738.3),
        (OFFLINE, 371.423, None),
        (V41_GPTJ_SERVER, 144.79, 9990.24),
        (V41_SINGLESTREAM, None, None),
    ],
)
def test_both_rates_of_a_log(text, samples, tokens):
    assert has(parse_log_summary(text), samples_per_s=samples, tokens_per_s=tokens)


class TestDerived:
    """A folder whose log is of another scenario: the figure MLCommons' checker infers."""

    @pytest.mark.parametrize(
        ("text", "scenario", "value", "unit", "published"),
        [
            # eight times its 99th; the rate without overhead; eight samples in the mean latency
            (V51_SINGLESTREAM, "MultiStream", 8 * 1382514 / 1e6, "latency_ms", "1382514"),
            (V51_SINGLESTREAM, "Offline", 757.87, "samples/s", "757.87"),
            (V41_MULTISTREAM, "Offline", 8 * 1000 / 40.765937, "samples/s", "8 / 40765937"),
        ],
    )
    def test_figure(self, text, scenario, value, unit, published):
        found = result(text, "v5.1", "resnet", scenario)
        assert found.result == pytest.approx(value, rel=1e-12)
        assert has(found, unit=unit, published=published, is_derived=True)

    @pytest.mark.parametrize(
        ("text", "scenario", "problem"),
        [
            (OFFLINE, "Server", "the log is of scenario 'offline', from which Server cannot be derived"),
            (SERVED, "Offline", "the log is of scenario 'server', from which Offline cannot be derived"),
            (
                V41_MULTISTREAM,
                "SingleStream",
                "the log is of scenario 'multistream', from which SingleStream",
            ),
            (log("Multi Stream Free"), "MultiStream", "the log is of scenario 'multi stream free'"),
            (log("SingleStream"), "MultiStream", "the log lacks the line that MultiStream is derived from"),
            (
                log("SingleStream"),
                "Offline",
                "the log lacks the line that Offline is derived from (singlestream)",
            ),
            (
                log("MultiStream"),
                "Offline",
                "the log lacks the line that Offline is derived from (multistream)",
            ),
            (
                log("MultiStream", stats=("Mean latency (ns) : 0",), parameters=("samples_per_query : 8",)),
                "Offline",
                "the log lacks the line that Offline is derived from (multistream)",
            ),
        ],
    )
    def test_what_cannot_be_derived_is_named(self, text, scenario, problem):
        assert problem_of(result, text, "v5.1", "resnet", scenario).startswith(problem)


class TestALogThatIsNoResult:
    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            (log("Offline", "Samples per second: 1", validity="INVALID"), "the log has `Result is : INVALID`"),
            (log("Offline", "Samples per second: 1", validity=""), "the log has `Result is : `"),
            (log("Offline", mode="AccuracyOnly"), "the log is of mode 'AccuracyOnly', not PerformanceOnly"),
            (log("Offline", mode="Accuracy"), "the log is of mode 'Accuracy', not PerformanceOnly"),
            (log("Offline", mode="FindPeakPerformance"), "the log is of mode 'FindPeakPerformance'"),
            (OFFLINE.replace("Mode     : PerformanceOnly\n", ""), "the log is of mode None"),
            (OFFLINE[: OFFLINE.index("Result is")], "the log has no `Result is` line: it is truncated"),
            (OFFLINE[: OFFLINE.index("Result is : VALID") + 9], "the log has no `Result is` line: it is truncated"),
            (OFFLINE.replace("Scenario : Offline\n", ""), "the log is of scenario '', from which Offline"),
            ("", "the log has no `Result is` line"),
            ("\x00\x01\ufffd" * 500, "the log has no `Result is` line"),
            (log("Offline"), "the log has no line `samples per second`, the result of Offline"),
            (log("Offline", "Samples per second: N/A"), "the log has no line `samples per second`"),
            (log("Offline", "Samples per second: inf"), "the log has no line `samples per second`"),
            (log("Offline", "Samples per second: 0"), "the line samples_per_second is '0', which no measurement"),
            (log("Offline", "Samples per second: -3.5"), "the line samples_per_second is '-3.5'"),
        ],
    )  # fmt: skip
    def test_says_why(self, text, problem):
        assert problem_of(result, text, "v5.1", "resnet", "Offline").startswith(problem)

    @pytest.mark.parametrize(
        ("text", "place", "problem"),
        [
            (
                log("SingleStream", stopping=(" * Early stopping 99.0th percentile estimate: 1e308",)),
                ("v5.1", "resnet", "MultiStream"),
                "which no measurement can give",
            ),
            # Interactive before it existed
            (SERVED, ("v4.1", "llama2-70b-99", "Interactive"), "the result of Interactive in v4.1"),
            # a token benchmark without its token line does not fall back to samples
            (OFFLINE, ("v5.1", "llama2-70b-99", "Offline"), "no line `tokens per second`"),
        ],
    )
    def test_of_another_place_says_why(self, text, place, problem):
        assert problem in problem_of(result, text, *place)


class TestANetThatNoTableKnows:
    def test_tokens_where_loadgen_counted_them(self):
        assert result(TOKENS, "v5.1", None, "Offline").unit == "tokens/s"
        assert result(SERVED, "v5.1", None, "Server").result == 33244.25

    def test_else_the_default_of_the_scenario(self):
        found = result(OFFLINE, "v5.1", None, "Offline")
        assert (found.result, found.unit) == (371.423, "samples/s")
        assert result(V51_SINGLESTREAM, "v5.1", None, "SingleStream").result == pytest.approx(1.341022)


@pytest.mark.parametrize(
    ("release", "benchmark", "scenario", "rule"),
    [
        ("v4.0", "bert-99", "Server", ("queries/s", "scheduled_samples_per_second")),
        ("v4.1", "bert-99", "Server", ("queries/s", "completed_samples_per_second")),
        ("v1.1", "resnet", "SingleStream", ("latency_ms", "percentile_90")),
        ("v2.0", "resnet", "SingleStream", ("latency_ms", "early_stopping_90")),
        ("v3.1", "gptj-99", "Offline", ("samples/s", "samples_per_second")),
        ("v5.0", "gptj-99", "Offline", ("tokens/s", "tokens_per_second_inferred")),
        ("v5.1", "gptj-99", "Offline", ("samples/s", "samples_per_second")),
        ("v5.0", "resnet", "Interactive", None),
        ("v5.1", "resnet", "Parallel", None),
    ],
)
def test_rules_have_a_first_and_a_last_round(release, benchmark, scenario, rule):
    assert metric_rule(release, benchmark, scenario) == rule


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # of a key that occurs twice the first counts; words without a number do not lend it theirs
        (
            "Completed tokens per second: 10\nCompleted tokens per second : 20",
            {"completed tokens per second": "10"},
        ),
        ("Samples per second: N/A\nSamples per second: 7.50\n", {"samples per second": "7.50"}),
        # both spellings of a percentile, and 99.9 apart from 99
        (" * Early stopping 90th percentile estimate: 5", {"early stopping 90th percentile estimate": "5"}),
        (" * Early stopping 90.0th percentile estimate: 5", {"early stopping 90th percentile estimate": "5"}),
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


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (OFFLINE, ("Offline", "PerformanceOnly", "VALID")),
        (OFFLINE.replace("\n", "\r\n"), ("Offline", "PerformanceOnly", "VALID")),
        (V05_SINGLESTREAM, ("SingleStream", "Performance", "VALID")),
        ("Scenario : Multi Stream Free", ("Multi Stream Free", None, None)),
        ("", (None, None, None)),
    ],
)
def test_words_of_a_log(text, words):
    found = parse_log_summary(text)
    assert (found.scenario, found.mode, found.validity) == words


class TestTokenLatency:
    def test_of_every_llm_log_of_v60_read_by_a_second_method(self, mlperf_data):
        """20 logs, read here by a plain regular expression."""
        checked = 0
        for path, payload in tar_members(mlperf_data / "releases" / "inference_results_v6.0.tar.gz"):
            text = payload.decode("utf-8", "replace")
            if (
                not path.endswith("/performance/run_1/mlperf_log_summary.txt")
                or "first token latency" not in text
            ):
                continue
            found = parse_log_summary(text).tokens
            for value, percent, words in (
                (found.ttft_ms_p50, 50, "first token latency"),
                (found.ttft_ms_p99, 99, "first token latency"),
                (found.tpot_ms_p50, 50, "time to output token"),
                (found.tpot_ms_p99, 99, "time to output token"),
            ):
                (stated,) = re.findall(
                    rf"^{percent}\.00 percentile {words} \(ns\) +: (\d+)$", text, re.MULTILINE
                )
                assert value == pytest.approx(int(stated) / 1e6, rel=1e-12), path
            checked += 1
            if checked == 20:
                break
        assert checked == 20

    def test_of_another_model_is_unknown(self):
        assert parse_log_summary(OFFLINE).tokens == TokenLatency()
