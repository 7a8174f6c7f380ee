"""The endpoints harness: true reports of MLPerf Inference v6.1 (histograms left out) against the published results.

Reports: mlcommons/inference_results_v6.1, closed/NVIDIA/results/VR-NVL72_VR-288GB_aarch64x72_TRT/<model>/<scenario>/
performance/result_summary.json, commits e777c7be and 10ecdffd; Lambda's results.json of commit 4bb63cd2. Published
figures: the `Result` column of that repository's summary.csv.
"""

from __future__ import annotations

import copy
import json

import pytest

from ingest.mlperf.endpoints import parse_report, result_of_report
from ingest.mlperf.raw_tree import parse_tree

OFFLINE = {
    "version": "0.1.0", "git_sha": None, "n_samples_issued": 1600000, "n_samples_completed": 1600000,
    "n_samples_failed": 0, "duration_ns": 5124404179908, "state": "complete", "complete": True,
    "ttft": {}, "tpot": {},
    "latency": {
        "avg": 2365864027313.6694, "median": 2358455909982.0,
        "percentiles": {"99.0": 4798364638562.0, "90.0": 4275005354050.0, "50.0": 2358455909982.0},
        "early_stopping_percentiles": {"99.0": 4800956301783.0, "90.0": 4277516686510.0},
    },
    "output_sequence_lengths": {"total": 6063845077, "avg": 3789.903173125},
    "qps": 312.2314212203155, "tps": 1183326.8540322022,
    "run_config": {"load_pattern": {"type": "max_throughput", "target_qps": None}},
}  # fmt: skip
SERVER = OFFLINE | {
    "duration_ns": 2318929756903,
    "ttft": {
        "median": 205515887.0, "percentiles": {"99.9": 1874304916.0, "99.0": 303546985.0, "50.0": 205515887.0},
        "early_stopping_percentiles": {"99.0": 304652135.0, "50.0": 205659039.0},
    },
    "tpot": {
        "median": 41105023.54525507, "percentiles": {"99.0": 48215361.46869712, "50.0": 41105023.54525507},
        "early_stopping_percentiles": {"99.0": 48224073.2417795, "50.0": 41129902.78736886},
    },
    "qps": 310.0842360889801, "tps": 1175890.2208168241,
    "run_config": {"load_pattern": {"type": "poisson", "target_qps": 325.0}},
}  # fmt: skip
VLM_SERVER = SERVER | {"qps": 2323.2698417825063, "tps": 99742.4611703127}
# an early version of the harness; `responses` holds every answer and is left out
EARLY = {
    "config": {"endpoint": ["http://localhost:8000"], "mode": "both", "target_qps": 70.0},
    "results": {
        "total": 48289, "successful": 48289, "failed": 0, "elapsed_time": 695.652930922, "qps": 69.41536196217709,
    },
    "accuracy_scores": {},
}  # fmt: skip
# a LoadGen run's own results.json (open/HPE, resnet50): another tool
OTHER_TOOL = {"TestScenario.SingleStream": {"count": 404792, "qps": 673.38, "took": 601.1}, "args": {}}

RACK = "closed/NVIDIA/results/VR-NVL72_VR-288GB_aarch64x72_TRT"


def report(body):
    found = parse_report(json.dumps(body))
    assert found is not None and not isinstance(found, str)
    return found


def result(body, benchmark, scenario, release="v6.1"):
    return result_of_report(report(body), release=release, benchmark_id=benchmark, scenario=scenario)


class TestTheResultOfAReport:
    @pytest.mark.parametrize(
        ("body", "benchmark", "scenario", "published", "unit"),
        [
            (OFFLINE, "deepseek-r1", "Offline", 1183326.8540322022, "tokens/s"),
            (SERVER, "deepseek-r1", "Server", 1175890.2208168241, "tokens/s"),
            (VLM_SERVER, "qwen3-vl-235b-a22b", "Server", 2323.2698417825063, "queries/s"),
            (EARLY, "qwen3-vl-235b-a22b", "Server", 69.41536196217709, "queries/s"),
        ],
    )
    def test_is_the_published_one(self, body, benchmark, scenario, published, unit):
        found = result(body, benchmark, scenario)
        assert (found.result, found.unit, found.is_derived) == (published, unit, False)

    def test_offline_of_the_rack_is_16435_tokens_per_accelerator(self):
        assert result(OFFLINE, "deepseek-r1", "Offline").result / 72 == pytest.approx(16435.1, abs=0.05)

    def test_a_latency_is_the_early_stopping_estimate(self):
        found = result(OFFLINE, "resnet", "SingleStream")
        assert (found.result, found.unit) == (4277516.686510, "latency_ms")

    def test_the_agentic_benchmark_counts_the_mean_latency(self):
        # closed/Atlas_Inference DGX_Spark_GB10: 1,007 turns in 3,834.4 s are published as 3,807.66 ms
        body = OFFLINE | {"latency": {"avg": 3834.4e9 / 1007}}
        found = result(body, "agentic-edge", "SingleStream")
        assert found.unit == "latency_ms" and found.result == pytest.approx(3807.66, rel=1e-4)

    def test_an_unknown_benchmark_counts_requests(self):
        found = result(SERVER, "a-model-of-2028", "Server")
        assert (found.result, found.unit) == (310.0842360889801, "queries/s")

    def test_an_unknown_scenario_is_read_by_its_load_pattern(self):
        found = result(OFFLINE, "deepseek-r1", "unmapped:Agentic")
        assert (found.result, found.unit) == (1183326.8540322022, "tokens/s")

    @pytest.mark.parametrize(
        ("change", "problem"),
        [
            ({"complete": False}, "not complete"),
            ({"tps": None}, "has no tps"),
            ({"tps": 0}, "has no tps"),
            ({"tps": "fast"}, "has no tps"),
            ({"n_samples_failed": 1600000}, "1600000 of 1600000 queries failed"),
            ({"n_samples_failed": 1600001}, "1600001 of 1600000 queries failed"),
            ({"n_samples_failed": 7, "n_samples_completed": None}, "7 of 7 queries failed"),
            ({"n_samples_failed": "most"}, "no readable number of failed queries"),
            ({"n_samples_failed": -1}, "no readable number of failed queries"),
        ],
    )
    def test_without_one_says_why(self, change, problem):
        assert problem in result(SERVER | change, "deepseek-r1", "Server")


class TestFailedQueries:
    # the harness's rates count them: 60 of 60 failed at "166.28 queries/s" (mlcommons/endpoints#34)
    @pytest.mark.parametrize(
        "counts", [{"total": 60, "successful": 0, "failed": 60}, {"total": 60, "successful": 0}]
    )
    def test_of_all_queries_leave_no_result(self, counts):
        body = {"results": {"qps": 166.28} | counts}
        assert result(body, "stable-diffusion-xl", "Offline") == "60 of 60 queries failed"

    @pytest.mark.parametrize(
        ("change", "validity"),
        [
            ({"n_samples_failed": 1}, "INVALID: 1 of 1600000 queries failed"),
            ({"n_samples_failed": "800000"}, "INVALID: 800000 of 1600000 queries failed"),
            ({"n_samples_failed": 0}, "VALID"),
            ({"n_samples_failed": None}, "VALID"),
            ({"n_samples_failed": 5, "complete": False}, "INVALID"),
        ],
    )
    def test_of_some_make_the_run_invalid(self, change, validity):
        assert report(OFFLINE | change).validity == validity

    def test_of_an_early_report_too(self):
        early = EARLY["results"] | {"successful": 48000, "failed": 289}
        assert report(EARLY | {"results": early}).validity == "INVALID: 289 of 48289 queries failed"


class TestTokenLatencies:
    def test_are_plain_percentiles_in_milliseconds(self):
        tokens = report(SERVER).tokens
        assert (tokens.ttft_ms_p50, tokens.ttft_ms_p99) == (205.515887, 303.546985)
        assert tokens.tpot_ms_p50 == pytest.approx(41.10502354525507, rel=1e-12)
        assert tokens.tpot_ms_p99 == pytest.approx(48.21536146869712, rel=1e-12)

    def test_keys_may_be_written_without_a_decimal(self):
        body = copy.deepcopy(SERVER)
        body["ttft"]["percentiles"] = {"50": 80500000.0, "99": 200000000.0}
        assert (report(body).tokens.ttft_ms_p50, report(body).tokens.ttft_ms_p99) == (80.5, 200.0)

    def test_of_an_offline_run_are_unknown(self):
        assert set(vars(report(OFFLINE).tokens).values()) == {None}


class TestAFileThatIsNoReport:
    @pytest.mark.parametrize("text", ["{", "", "<html>"])
    def test_broken_json_is_a_problem(self, text):
        assert "not valid JSON" in str(parse_report(text))

    def test_of_another_type_is_a_problem(self):
        assert "is a list" in str(parse_report("[]"))

    def test_of_another_tool_is_none(self):
        assert parse_report(json.dumps(OTHER_TOOL)) is None


class TestInATree:
    SYSTEM = json.dumps(
        {"system_name": "NVIDIA Vera Rubin NVL72", "number_of_nodes": 18, "accelerators_per_node": 4}
    ).encode()

    def tree(self, files):
        members = [(f"{RACK.replace('/results/', '/systems/')}.json", self.SYSTEM)]
        return parse_tree(
            [*members, *((p, json.dumps(b).encode()) for p, b in files.items())], release="v6.1"
        )

    def test_a_report_is_a_row(self):
        path = f"{RACK}/deepseek-r1/Server/performance/result_summary.json"
        (row,) = self.tree({path: SERVER}).rows
        assert (row.result, row.result_unit_published, row.harness) == (
            1175890.2208168241,
            "tokens/s",
            "endpoints",
        )
        assert (row.member, row.location) == (path, f"{RACK}/deepseek-r1/Server")
        assert (row.ttft_ms_p99, row.tpot_ms_p99) == (303.546985, pytest.approx(48.21536146869712))
        assert (row.log_tokens_per_s, row.log_samples_per_s) == (1175890.2208168241, 310.0842360889801)
        assert (row.log_validity, row.log_scenario, row.accelerators_per_node) == ("VALID", "Server", 4)

    def test_an_early_report_is_a_row(self):
        folder = "closed/Lambda/results/B200-SXM-180GBx8_TRT/qwen3-vl-235b-a22b/Server"
        (row,) = self.tree({f"{folder}/performance/run_1/results.json": EARLY}).rows
        assert (row.result, row.harness, row.ttft_ms_p50) == (69.41536196217709, "endpoints", None)

    def test_another_tool_s_file_alone_is_a_reject(self):
        parsed = self.tree({f"{RACK}/resnet50/singlestream/performance/run_1/results.json": OTHER_TOOL})
        assert (parsed.records_in, parsed.rows) == (1, [])
        assert parsed.rejects[0].problem == "there is no performance log"

    def test_an_incomplete_run_is_a_reject_that_names_the_file(self):
        parsed = self.tree(
            {f"{RACK}/deepseek-r1/Server/performance/result_summary.json": SERVER | {"complete": False}}
        )
        assert parsed.rejects[0].payload.endswith("deepseek-r1/Server/performance/result_summary.json")
