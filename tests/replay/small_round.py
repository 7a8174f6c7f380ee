"""The smallest tree of an MLPerf Inference round, with one system and one valid log; an entry of a round's summary."""

import json

LOG = (
    "MLPerf Results Summary\nSUT name : PySUT\nScenario : Offline\nMode     : PerformanceOnly\n"
    "Samples per second: {rate}\nResult is : {verdict}\n"
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


def entry(number, **changes):
    """A published entry of a synthetic round: eight H100 of Dell do 1,600 samples/s of resnet Offline."""
    platform = changes.pop("Platform", f"system{number}")
    scenario = changes.get("Scenario", "Offline")
    return {
        "ID": f"9.9-{number:04}", "Submitter": "Dell", "Availability": "available", "Category": "closed",
        "Suite": "datacenter", "System": "A system", "Platform": platform, "UsedModel": "resnet50", "Model": "resnet",
        "Scenario": "Offline", "Accuracy": "acc: 76", "Nodes": 1, "Accelerator": "NVIDIA H100-SXM-80GB", "a#": 8,
        "Location": f"closed/Dell/results/{platform}/resnet50/{scenario}", "version": "v9.9", "inferred": 0,
        "Performance_Result": 1600.0, "Performance_Units": "Samples/s",
    } | changes  # fmt: skip
