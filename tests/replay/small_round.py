"""The smallest tree of an MLPerf Inference round: one system, one valid log."""

import json
import textwrap

LOG = textwrap.dedent(
    """\
    ================================================
    MLPerf Results Summary
    ================================================
    SUT name : PySUT
    Scenario : Offline
    Mode     : PerformanceOnly
    Samples per second: {rate}
    Result is : {verdict}
    """
)
SYSTEM = {
    "system_name": "A system", "submitter": "Dell", "division": "closed", "status": "available",
    "system_type": "datacenter", "number_of_nodes": "1", "accelerators_per_node": "8",
    "accelerator_model_name": "NVIDIA H100-SXM-80GB", "host_processor_model_name": "x", "framework": "TensorRT",
    "operating_system": "Ubuntu",
}  # fmt: skip


def small_round(rate: float) -> dict[str, str]:
    """Files of a round in which eight H100 do `rate` samples/s of resnet50 Offline, by path in its repository."""
    return {
        "closed/Dell/systems/good.json": json.dumps(SYSTEM),
        "closed/Dell/results/good/resnet50/Offline/performance/run_1/mlperf_log_summary.txt": LOG.format(
            rate=rate, verdict="VALID"
        ),
    }
