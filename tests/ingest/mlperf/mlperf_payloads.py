"""Real MLPerf entries and logs cut small, and the pieces to build payloads of them.

Entries are copied from the published summaries; logs from the repositories named above each, first block and
the lines that matter of the other two.
"""

from __future__ import annotations

import json
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.core.errors import RecordRejected
from ingest.mlperf.records import Unusable

RULE = "================================================"

# mlcommons/inference_results_v5.1, summary_results.json[0]
V51 = {
    "Submitter": "AMD",
    "Availability": "available",
    "Category": "closed",
    "Suite": "datacenter",
    "System": "Supermicro AS-8125GS-TNMR2",
    "Platform": "8xMI300X_2xEPYC_9575F",
    "UsedModel": "llama2-70b-99",
    "Model": "llama2-70b-99",
    "Scenario": "Interactive",
    "Accuracy": "ROUGE1: 44.4542  ROUGE2: 22.0419  ROUGEL: 28.6112  TOKENS_PER_SAMPLE: 301.1",
    "Nodes": 1,
    "Accelerator": "AMD Instinct MI300X 192GB HBM3",
    "a#": 8,
    "Location": "closed/AMD/results/8xMI300X_2xEPYC_9575F/llama2-70b-99/Interactive",
    "Software": "vLLM 0.9.0.2",
    "compliance": 1,
    "version": "v5.1",
    "inferred": 0,
    "has_power": False,
    "weight_data_types": "fp8",
    "Performance_Result": 8840.42,
    "Performance_Units": "Tokens/s",
}

# mlcommons/inference_results_v6.1, summary.json["304"]
V61 = {
    "Organization": "NVIDIA",
    "Availability": "available",
    "Division": "closed",
    "SystemType": "datacenter",
    "SystemName": "NVIDIA GB300 NVL72 (72x GB300-288GB_aarch64, TensorRT)",
    "Platform": "GB300-NVL72_GB300-288GB_aarch64x288_TRT",
    "Model": "deepseek-r1",
    "MlperfModel": "deepseek-r1",
    "Scenario": "Offline",
    "Result": 2705130.0,
    "number_of_nodes": 72,
    "accelerators_per_node": 4,
    "total_accelerators": 288,
    "Location": "./closed/NVIDIA/results/GB300-NVL72_GB300-288GB_aarch64x288_TRT/deepseek-r1/Offline/performance/run_1",
    "version": "v6.1",
    "inferred": 0,
    "has_power": False,
    "Units": "Tokens/s",
}

# mlcommons/cm4mlperf-results, experiment/mlperf-inference--v4.1--datacenter--closed-power--object-detection--server
COLLECTED = {
    "Organization": "NVIDIA",
    "Availability": "available",
    "Division": "closed",
    "SystemType": "datacenter",
    "SystemName": "NVIDIA H200 (8x H200-SXM-141GB, MaxQ, TensorRT)",
    "Platform": "H200-SXM-141GBx8_TRT_MaxQ",
    "Model": "retinanet",
    "MlperfModel": "retinanet",
    "Scenario": "Server",
    "Result": 9602.95,
    "Units": "Queries/s",
    "Result_Units": "Queries/s",
    "number_of_nodes": 1,
    "accelerators_per_node": 8,
    "accelerator_model_name": "NVIDIA H200-SXM-141GB",
    "Location": "closed/NVIDIA/results/H200-SXM-141GBx8_TRT_MaxQ/retinanet/Server",
    "version": "v4.1",
    "uid": "473d90d69cff489e",
}
COLLECTED_POWER = COLLECTED | {
    "Result": None,
    "Result_Power": 4987.039666666663,
    "Units": "Watts",
    "Result_Units": "Watts",
    "uid": "2aab8a94eddf4e91",
}


def log(
    scenario, *lines, mode="PerformanceOnly", validity="VALID", stopping=(), stats=(), parameters=()
) -> str:
    """A loadgen summary of three blocks, as every round writes them."""
    return "\n".join(
        [
            RULE, "MLPerf Results Summary", RULE,
            "SUT name : PySUT", f"Scenario : {scenario}", f"Mode     : {mode}", *lines,
            f"Result is : {validity}", "  Min duration satisfied : Yes", "  Min queries satisfied : Yes",
            *(["Early Stopping Result:", *stopping] if stopping else []),
            "", RULE, "Additional Stats", RULE, *stats,
            "", RULE, "Test Parameters Used", RULE, *parameters,
            "", "No warnings encountered during test.", "", "No errors encountered during test.", "",
        ]
    )  # fmt: skip


OFFLINE = log("Offline", "Samples per second: 371.423", parameters=("samples_per_query : 992640",))

# inference_results_v4.0, closed/NVIDIA/results/H200-SXM-141GBx8_TRT
V40_LLAMA2_SERVER = log(
    "Server",
    "Completed samples per second    : 90.35",
    stats=("Scheduled samples per second : 91.24", "Completed tokens per second                 : 26485.43"),
)


def as_json(document: object) -> bytes:
    return json.dumps(document).encode()


def tar_members(path: Path) -> Iterator[tuple[str, bytes]]:
    """Files of a tarball as GitHub wraps it, without its top folder; read by the standard library alone."""
    with tarfile.open(path) as archive:
        for member in archive:
            if member.isfile():
                yield member.name.split("/", 1)[1], archive.extractfile(member).read()


def has(row: object, **expected: object) -> bool:
    """The row has these fields with these values."""
    assert {name: getattr(row, name) for name in expected} == expected
    return True


def problem_of(call, *args, **kwargs) -> str:
    """The problem that a reader raises for a payload that gives no figure."""
    with pytest.raises(Unusable) as e:
        call(*args, **kwargs)
    return e.value.problem


def explains(reject: RecordRejected, *expected: str) -> bool:
    """The reject names its payload, its record, the problem and what to do, among it these words."""
    assert reject.payload and reject.problem and reject.remedy and reject.record is not None
    named = f"{reject.payload} {reject.record}: {reject.problem}"
    missing = [words for words in expected if words not in named]
    assert not missing, f"{named!r} does not state {missing}"
    return True
