"""The endpoints harness: true reports of MLPerf Inference v6.1 (histograms left out) against the published results.

Reports: mlcommons/inference_results_v6.1, closed/NVIDIA/results/VR-NVL72_VR-288GB_aarch64x72_TRT/<model>/<scenario>/
performance/result_summary.json, commits e777c7be and 10ecdffd; Lambda's results.json of commit 4bb63cd2. Published
figures: the `Result` column of that repository's summary.csv.
"""

from __future__ import annotations

import json

import pytest
from mlperf_payloads import explains, has, problem_of

from ingest.mlperf.endpoints import parse_report, result_of_report
from ingest.mlperf.raw_tree import parse_tree

OFFLINE = {
    "version": "0.1.0", "n_samples_issued": 1600000, "n_samples_completed": 1600000,
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
        "median": 205515887.0,
        "percentiles": {"99.9": 1874304916.0, "99.0": 303546985.0, "50.0": 205515887.0},
        "early_stopping_percentiles": {"99.0": 304652135.0, "50.0": 205659039.0},
    },
    "tpot": {
        "median": 41105023.54525507,
        "percentiles": {"99.0": 48215361.46869712, "50.0": 41105023.54525507},
        "early_stopping_percentiles": {"99.0": 48224073.2417795, "50.0": 41129902.78736886},
    },
    "qps": 310.0842360889801,
    "tps": 1175890.2208168241,
    "run_config": {"load_pattern": {"type": "poisson", "target_qps": 325.0}},
}
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


def result(body, benchmark, scenario, release="v6.1"):
    return result_of_report(parse_report(json.dumps(body)), release, benchmark, scenario)


@pytest.mark.parametrize(
    ("body", "benchmark", "scenario", "value", "unit"),
    [
        # the published results
        (OFFLINE, "deepseek-r1", "Offline", 1183326.8540322022, "tokens/s"),
        (SERVER, "deepseek-r1", "Server", 1175890.2208168241, "tokens/s"),
        (SERVER | {"qps": 2323.2698417825063}, "qwen3-vl-235b-a22b", "Server", 2323.2698417825063, "queries/s"),
        (EARLY, "qwen3-vl-235b-a22b", "Server", 69.41536196217709, "queries/s"),
        # Atlas_Inference DGX_Spark_GB10: 1,007 turns in 3,834.4 s are published as 3,807.66 ms
        (OFFLINE | {"latency": {"avg": 3834.4e9 / 1007}}, "agentic-edge", "SingleStream", 3807.66, "latency_ms"),
        # a latency is the early-stopping estimate, else the percentile
        (OFFLINE, "resnet", "SingleStream", 4277516.686510, "latency_ms"),
        (OFFLINE | {"latency": {"percentiles": {"90": 5e6}}}, "resnet", "SingleStream", 5.0, "latency_ms"),
        # an unknown benchmark counts requests; an unknown scenario is read by its load pattern
        (SERVER, "a-model-of-2028", "Server", 310.0842360889801, "queries/s"),
        (OFFLINE, "deepseek-r1", "unmapped:Agentic", 1183326.8540322022, "tokens/s"),
    ],
)  # fmt: skip
def test_the_result_of_a_report(body, benchmark, scenario, value, unit):
    found = result(body, benchmark, scenario)
    assert (found.unit, found.is_derived) == (unit, False)
    assert found.result == pytest.approx(value, rel=1e-4 if benchmark == "agentic-edge" else 1e-12)


@pytest.mark.parametrize(
    ("body", "place", "problem"),
    [
        *((SERVER | change, ("deepseek-r1", "Server"), problem) for change, problem in [
            ({"complete": False}, "not complete"),
            ({"tps": None}, "has no tps"),
            ({"tps": 0}, "has no tps"),
            ({"n_samples_failed": 1600000}, "1600000 of 1600000 queries failed"),
            ({"n_samples_failed": 7, "n_samples_completed": None}, "7 of 7 queries failed"),
            ({"n_samples_failed": -1}, "no readable number of failed queries"),
        ]),
        (OFFLINE | {"latency": {}}, ("resnet", "SingleStream"), "has no latency"),
        # the harness's rates count failed queries (mlcommons/endpoints#34)
        ({"results": {"qps": 166.28, "total": 60, "successful": 0}}, ("stable-diffusion-xl", "Offline"),
         "60 of 60 queries failed"),
        (OFFLINE, ("resnet", "Interactive", "v5.0"), "no rule"),
        (OFFLINE, ("resnet", "MultiStream", "v0.5"), "has no samples_per_query"),
    ],
)  # fmt: skip
def test_a_report_without_a_result_says_why(body, place, problem):
    assert problem in problem_of(result, body, *place)


@pytest.mark.parametrize(
    ("body", "validity"),
    [
        (OFFLINE | {"n_samples_failed": 1}, "INVALID: 1 of 1600000 queries failed"),
        (OFFLINE | {"n_samples_failed": "800000"}, "INVALID: 800000 of 1600000 queries failed"),
        (OFFLINE | {"n_samples_failed": None}, "VALID"),
        (OFFLINE | {"n_samples_failed": 5, "complete": False}, "INVALID"),
        (EARLY | {"results": EARLY["results"] | {"failed": 289}}, "INVALID: 289 of 48289 queries failed"),
    ],
)
def test_some_failed_queries_make_the_run_invalid(body, validity):
    assert parse_report(json.dumps(body)).validity == validity


@pytest.mark.parametrize(("text", "problem"), [("{", "not valid JSON"), ("[]", "is a list")])
def test_a_file_that_is_no_report(text, problem):
    assert problem in problem_of(parse_report, text)
    assert parse_report(json.dumps(OTHER_TOOL)) is None


SYSTEM = {"system_name": "NVIDIA Vera Rubin NVL72", "number_of_nodes": 18, "accelerators_per_node": 4}


class TestInATree:
    def tree(self, path, body):
        files = {f"{RACK.replace('/results/', '/systems/')}.json": SYSTEM, path: body}
        return parse_tree([(p, json.dumps(b).encode()) for p, b in files.items()], release="v6.1")

    def test_a_report_is_a_row(self):
        path = f"{RACK}/deepseek-r1/Server/performance/result_summary.json"
        (row,) = self.tree(path, SERVER).rows
        assert has(row, result=1175890.2208168241, result_unit_published="tokens/s", harness="endpoints")
        assert has(row, member=path, location=f"{RACK}/deepseek-r1/Server")
        # plain percentiles in milliseconds
        assert has(row, ttft_ms_p50=205.515887, ttft_ms_p99=303.546985)
        assert [row.tpot_ms_p50, row.tpot_ms_p99] == pytest.approx([41.10502354525507, 48.21536146869712])
        assert has(row, log_tokens_per_s=1175890.2208168241, log_samples_per_s=310.0842360889801)
        assert has(row, log_validity="VALID", log_scenario="Server", accelerators_per_node=4)
        early = "closed/Lambda/results/B200-SXM-180GBx8_TRT/qwen3-vl-235b-a22b/Server/performance/run_1/results.json"
        (row,) = self.tree(early, EARLY).rows
        assert has(row, member=early, result=69.41536196217709, harness="endpoints", ttft_ms_p50=None)

    @pytest.mark.parametrize(
        ("path", "body", "problem"),
        [
            ("resnet50/singlestream/performance/run_1/results.json", OTHER_TOOL, "there is no performance log"),
            ("deepseek-r1/Server/performance/result_summary.json", SERVER | {"complete": False}, "not complete"),
        ],
    )  # fmt: skip
    def test_a_report_without_a_result_is_a_reject_that_names_the_file(self, path, body, problem):
        parsed = self.tree(f"{RACK}/{path}", body)
        assert has(parsed, records_in=1, rows=[]) and explains(parsed.rejects[0], f"{RACK}/{path}", problem)
