"""The smallest tree of an MLPerf Training round: one system, the logs of one benchmark."""

import json

SYSTEM = {
    "system_name": "box",
    "submitter": "ACME",
    "division": "closed",
    "status": "Available on-premise",
    "number_of_nodes": "2",
    "accelerators_per_node": 4,
    "accelerator_model_name": "X1",
    "framework": "f 1",
    "other_software_stack": [{"nvidia_kernel_driver": "1.0", "cuda_driver_version": "2.0"}],
}


def a_log(**changes) -> list[dict]:
    """Return a bert log valid for v5.0; a change gives a key a new value, or removes the record if None."""
    rows = [
        ("submission_benchmark", "bert"), ("submission_division", "closed"), ("submission_org", "ACME"),
        ("submission_platform", "box"), ("submission_status", "onprem"), ("cache_clear", True), ("init_start", ""),
        ("seed", 1), ("global_batch_size", 448), ("gradient_accumulation_steps", 1), ("opt_base_learning_rate", 1.0),
        ("opt_lamb_epsilon", 1.0), ("opt_learning_rate_training_steps", 1), ("opt_learning_rate_warmup_steps", 0),
        ("num_warmup_steps", 0), ("start_warmup_step", 0), ("opt_lamb_beta_1", 0.9), ("opt_lamb_beta_2", 0.9),
        ("opt_lamb_weight_decay_rate", 0.1), ("init_stop", ""), ("run_start", ""), ("block_start", ""),
        ("eval_start", ""), ("eval_accuracy", 0.72), ("eval_stop", ""), ("block_stop", ""), ("train_samples", 2_400_000),
        ("eval_samples", 9), ("run_stop", ""),
    ]  # fmt: skip
    meta = {"status": "success", "epoch_num": 2_400_000, "first_epoch_num": 0, "epoch_count": 1}
    return [
        {"time_ms": 1000 * (i + 1), "key": k, "value": changes.get(k, v), "metadata": meta, "namespace": ""}
        for i, (k, v) in enumerate(rows)
        if changes.get(k, v) is not None
    ]


def as_text(rows) -> str:
    return "".join(f":::MLLOG {json.dumps(row)}\n" for row in rows)


def small_training_round() -> dict[str, str]:
    """Return the files of a round in which Dell trains bert ten times on eight H100, with its configuration, by path."""
    system = SYSTEM | {"submitter": "Dell", "accelerator_model_name": "NVIDIA H100-SXM5-80GB"}
    log = as_text(a_log(submission_org="Dell"))
    logs = {f"Dell/results/box/bert/result_{i}.txt": log for i in range(10)}
    configuration = {"Dell/benchmarks/bert/implementations/pytorch/config_box.sh": "export FP8=True\n"}
    return logs | configuration | {"Dell/systems/box.json": json.dumps(system)}
