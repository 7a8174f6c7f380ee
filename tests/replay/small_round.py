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


def small_round(
    rate: float,
    *,
    platform: str = "good",
    accelerator: str = SYSTEM["accelerator_model_name"],
    benchmark: str = "resnet50",
) -> dict[str, str]:
    """Files of a closed datacenter round in which eight accelerators run one benchmark Offline, by path.

    Args:
        rate: throughput of the system, samples/s.
        platform: name of the system.
        accelerator: name of the part as submitted.
        benchmark: name of the benchmark's folder.
    """
    system = SYSTEM | {"accelerator_model_name": accelerator}
    run = f"closed/Dell/results/{platform}/{benchmark}/Offline/performance/run_1"
    return {
        f"closed/Dell/systems/{platform}.json": json.dumps(system),
        f"{run}/mlperf_log_summary.txt": LOG.format(rate=rate, verdict="VALID"),
    }
