"""Training benchmarks: identity (mlperf_training_benchmark_aliases.csv) and samples (mlperf_training_models.csv).

The size of a count tells its unit: ``epoch_num`` of BERT and UNet3D is samples in some logs and epochs
in others of the same round. ``samples_min`` and ``samples_max`` are a fifth of the fewest and five times the most
samples of a run that reached the target in v1.0 to v5.1, at least.

A round's folder name is no identity: ``ssd`` is SSD-ResNet34 on COCO up to v1.1 and RetinaNet on OpenImages in v2.0 to
v4.1, where v5.0 writes ``retinanet``; ``gnn`` of v4.0 and v4.1 is ``rgat`` of v5.0.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache

from ingest.core import values
from ingest.mlperf.mllog import Event, Log, metadata
from ingest.mlperf.records import read_fields
from ingest.mlperf.releases import is_between
from ingest.mlperf.tables import SEEDS, read_table

_SAMPLES_SINCE = "v1.0"
"""Before, epochs are numbered from 0 or 1 and positions are epochs, steps or samples, as each submitter likes."""


@dataclass(frozen=True)
class TrainingModel:
    """How a benchmark counts its samples (mlperf_training_models.csv)."""

    benchmark_id: str
    position_key: str
    samples_basis: str
    samples_per_epoch: int | None
    samples_min: int | None
    samples_max: int | None
    sequence_length: int | None
    is_fixed_sequence: bool


@cache
def training_models() -> dict[str, TrainingModel]:
    """By benchmark_id."""
    keys = {f.name: f.name for f in fields(TrainingModel)}
    return {
        row["benchmark_id"]: TrainingModel(**read_fields(TrainingModel, row, keys))
        for row in read_table("mlperf_training_models.csv", SEEDS)
    }


@cache
def benchmark_id_of(release: str, published_name: str) -> str:
    """Return the benchmark_id of a round's benchmark; the published name itself where no alias names another.

    Args:
        release: the round, ``v5.0``.
        published_name: name of the benchmark's folder.
    """
    for row in read_table("mlperf_training_benchmark_aliases.csv", SEEDS):
        if row["published_name"] == published_name and is_between(
            release, row["first_release"], row["last_release"]
        ):
            return row["benchmark_id"]
    return published_name


def model_of(release: str, published_name: str) -> TrainingModel | None:
    """Return how a round's benchmark counts its samples; None where that is unknown or depends on the submitter."""
    is_counted = is_between(release, _SAMPLES_SINCE, "")
    return training_models().get(benchmark_id_of(release, published_name)) if is_counted else None


def samples_trained(
    model: TrainingModel | None,
    log: Log,
    stop: Event | None,
    position: float | None,
    train_samples: float | None,
    batch: int | None,
    length: int | None,
) -> float | None:
    """Return the samples trained up to the end of a run; None where they cannot be known.

    A number that no run of the benchmark has is read in the other unit that gives a usual one.

    Args:
        model: how most logs of the benchmark count.
        log: of the run.
        stop: run_stop.
        position: of the last evaluation, in the benchmark's unit.
        train_samples: as logged.
        batch: global batch size, in samples.
        length: sequence length, in tokens.
    """
    if model is None or stop is None:
        return None
    at_stop = values.number(metadata(stop).get(model.position_key))
    if model.samples_basis == "steps":
        step = values.number(metadata(stop).get("step_num"))
        if step is not None and batch is not None:
            return step * batch
        counts = (values.number(metadata(event).get("samples_count")) for event in log.events)
        return max((count for count in counts if count is not None), default=None)
    reached = at_stop if at_stop is not None else position
    if reached is None:
        return None
    by_basis = {
        "samples": reached,
        "tokens": reached / length if length else None,
        "epochs": reached * per_epoch if (per_epoch := model.samples_per_epoch or train_samples) else None,
    }
    stated = by_basis.pop(model.samples_basis, None)
    if model.samples_min is None or model.samples_max is None:
        return stated
    return next(
        (n for n in (stated, *by_basis.values()) if n and model.samples_min <= n <= model.samples_max), None
    )
