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
    "ID": "5.1-0001",
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
    "Processor": "AMD EPYC 9575F",
    "host_processors_per_node": 2,
    "host_processor_core_count": "64",
    "Accelerator": "AMD Instinct MI300X 192GB HBM3",
    "a#": 8,
    "Location": "closed/AMD/results/8xMI300X_2xEPYC_9575F/llama2-70b-99/Interactive",
    "Software": "vLLM 0.9.0.2",
    "operating_system": "Ubuntu 24.04 LTS",
    "Notes": "",
    "compliance": 1,
    "errors": 0,
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
    scenario: str,
    *lines: str,
    mode: str = "PerformanceOnly",
    validity: str = "VALID",
    stopping: tuple[str, ...] = (),
    stats: tuple[str, ...] = (),
    parameters: tuple[str, ...] = (),
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

# inference_results_v0.5, closed/Intel/results/clx-9282-2s_pytorch-caffe2/resnet
V05_SINGLESTREAM = log(
    "Single Stream",
    "90th percentile latency (ns) : 1374171",
    mode="Performance",
    stats=("QPS w/ loadgen overhead         : 742.03", "90.00 percentile latency (ns)   : 1374171"),
)
V05_SERVER = log(
    "Server",
    "Scheduled samples per second : 4850.62",
    mode="Performance",
    stats=("Completed samples per second    : 4849.84",),
)
# inference_results_v0.5, closed/Alibaba/results/alibaba_HanGuang/resnet/MultiStream
V05_MULTISTREAM = log(
    "Multi Stream",
    "Samples per query : 2692",
    mode="Performance",
    stats=(
        'Per-query latency:  "target_ns" : 50000000, "target_ms" : 50',
        "99.00 percentile latency (ns)   : 49747375",
    ),
    parameters=("samples_per_query : 2692",),
)
# inference_results_v0.7, closed/Altos/results/T4x4_TRT/resnet50/Server
V07_SERVER = log(
    "Server",
    "Scheduled samples per second : 20001.64",
    mode="Performance",
    stats=("Completed samples per second    : 19999.87",),
)
# inference_results_v1.0 and v1.1, closed/NVIDIA/results/AGX_Xavier_TRT/resnet50
V10_MULTISTREAM = log("MultiStream", "Samples per query : 96", parameters=("samples_per_query : 96",))
V11_SINGLESTREAM = log(
    "SingleStream",
    "90th percentile latency (ns) : 1834100",
    stats=("QPS w/o loadgen overhead        : 549.37", "Mean latency (ns)               : 1820280"),
)
# inference_results_v4.0, closed/NVIDIA/results/H200-SXM-141GBx8_TRT
V40_LLAMA2_SERVER = log(
    "Server",
    "Completed samples per second    : 90.35",
    stats=("Scheduled samples per second : 91.24", "Completed tokens per second                 : 26485.43"),
)
V40_LLAMA2_OFFLINE = log("Offline", "Samples per second: 94.6223", "Tokens per second: 27738.3")
V40_GPTJ_SERVER = log(
    "Server",
    "Scheduled samples per second : 238.20",
    stats=("Completed samples per second    : 237.80",),
)
# inference_results_v4.1, closed: gptj-99/Server and bert-99/Server of NVIDIA-based systems
V41_GPTJ_SERVER = log(
    "Server",
    "Completed samples per second    : 144.79",
    "Completed tokens per second (inferred): 9990.24",
    stats=("Scheduled samples per second : 146.00",),
)
V41_BERT_SERVER = log(
    "Server", "Completed samples per second    : 28667.78", stats=("Scheduled samples per second : 28671.12",)
)
# inference_results_v4.1, closed/Dell/results/XR8620_L4x1_TRT/retinanet
V41_SINGLESTREAM = log(
    "SingleStream",
    "90th percentile latency (ns) : 4829757",
    stopping=(
        " * Processed at least 64 queries (126593).",
        " * Early stopping 90th percentile estimate: 4830777",
        " * Early stopping 99th percentile estimate: 4914500",
    ),
    stats=("QPS w/o loadgen overhead        : 211.29", "90.00 percentile latency (ns)   : 4829757"),
)
V41_MULTISTREAM = log(
    "MultiStream",
    "99th percentile latency (ns) : 41984475",
    stopping=(" * Early stopping 99th percentile estimate: 42019927",),
    stats=("Per-query latency:  ", "Mean latency (ns)               : 40765937"),
    parameters=("samples_per_query : 8",),
)
# inference_results_v5.1, open/GATEOverflow: a SingleStream run that also stands for MultiStream and Offline
V51_SINGLESTREAM = log(
    "SingleStream",
    "90.0th percentile latency (ns) : 1340856",
    stopping=(
        " * Early stopping 90.0th percentile estimate: 1341022",
        " * Early stopping 99.0th percentile estimate: 1382514",
    ),
    stats=("QPS w/ loadgen overhead         : 755.66", "QPS w/o loadgen overhead        : 757.87"),
)
# inference_results_v5.1, open/GATEOverflow/…/pointpainting/singlestream
V51_POINTPAINTING = log(
    "SingleStream",
    "99.9th percentile latency (ns) : 495947315",
    stopping=(
        " * Early stopping 99.9th percentile estimate: 564018264",
        " * Early stopping 99.0th percentile estimate: 459998183",
    ),
)
# inference_results_v5.1, …/llama3_1-8b-edge/singlestream: the estimates are of the first token
V51_EDGE = log(
    "SingleStream",
    "90.0th percentile latency (ns) : 4145546277",
    "90.0th first token percentile latency (ns) : 1396970160",
    stopping=(
        " * Early stopping 90.0th percentile estimate: 1397965104",
        " * Early stopping 99.0th percentile estimate: 1417222006",
    ),
    stats=("90.00 percentile latency (ns)   : 4145546277",),
)


def as_json(document: object) -> bytes:
    return json.dumps(document).encode()


def without(entry: dict, *keys: str) -> dict:
    return {k: v for k, v in entry.items() if k not in keys}


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
    """The reject says which payload, which record, what is wrong and what to do, among it these words."""
    assert reject.payload and reject.problem and reject.remedy and reject.record is not None
    message = str(reject)
    assert reject.payload in message and reject.problem in message and reject.remedy in message
    missing = [
        words for words in expected if words not in f"{reject.payload} {reject.record}: {reject.problem}"
    ]
    assert not missing, f"{message!r} does not say {missing}"
    return True
