"""MLCommons' score of a training benchmark: the olympic mean of its runs and the review's scaling factor.

Tables are those of the `mlperf_logging` package (4.1.68, checked 2026-11), never copies; what its
`result_summarizer` does with them is written again here, because that part reads folders and costs minutes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

from mlperf_logging.benchmark_meta import get_result_file_counts  # type: ignore[import-untyped]

_FOLDER_ALIASES = {"mask": "maskrcnn"}  # `_benchmark_alias` of the summarizer


def benchmark_of_folder(folder: str) -> str:
    """MLCommons' key of a benchmark folder (``mask`` is maskrcnn)."""
    return _FOLDER_ALIASES.get(folder, folder)


def required_runs(benchmark: str) -> int | None:
    """How many runs a submission has to hold, by the package's table; None for a benchmark it does not know."""
    counts: dict[str, int] = get_result_file_counts("training")
    return counts.get(benchmark)


def dropped_each_side(benchmark: str) -> int:
    """How many of the fastest and of the slowest runs the olympic mean leaves out: a tenth, at least one.

    That gives 4 for the 40 runs of unet3d and 1 for all others, which is what the summarizer spells out; a test
    compares the two for every benchmark of the table.
    """
    return max(1, (required_runs(benchmark) or 0) // 10)


@dataclass(frozen=True, kw_only=True)
class Score:
    """A benchmark's score.

    Attributes:
        value: olympic mean × scaling factor, in the unit of the runs' values; None when there is no score.
        counted: positions of the runs in the mean.
        reason: why there is no score.
    """

    value: float | None = None
    counted: tuple[int, ...] = ()
    reason: str | None = None


def olympic_score(minutes: Sequence[float | None], *, benchmark: str, scaling_factor: float = 1.0) -> Score:
    """The official score of a benchmark's runs.

    The runs are sorted by time; the fastest d are left out, and the slowest d, of which a failed run is one.

    Args:
        minutes: of each run; None for one that failed (did not converge, does not comply).
        benchmark: MLCommons' key.
        scaling_factor: of scaling.json.
    """
    drop = dropped_each_side(benchmark)
    order = sorted((i for i, m in enumerate(minutes) if m is not None), key=lambda i: minutes[i] or 0.0)
    failed = len(minutes) - len(order)
    if failed > drop:
        return Score(reason=f"{failed} of {len(minutes)} runs failed, {drop} may")
    counted = order[drop : len(order) - (drop - failed)]
    if not counted:
        return Score(
            value=None, counted=(), reason=f"{len(minutes)} runs are too few: {2 * drop} are left out"
        )
    return Score(value=mean_of(minutes, counted) * scaling_factor, counted=tuple(counted))


def mean_of(values: Sequence[float | None], counted: Sequence[int]) -> float:
    """Mean of the counted runs' values, all of which must be there."""
    return sum(v for i in counted if (v := values[i]) is not None) / len(counted)


def read_scaling_factor(payload: bytes) -> float:
    """The factor in a scaling.json.

    Raises:
        ValueError: there is none in it; the official tool stops there.
    """
    content = json.loads(payload)
    factor = content.get("scaling_factor") if isinstance(content, dict) else None
    if isinstance(factor, bool) or not isinstance(factor, int | float) or not 0 < factor < math.inf:
        raise ValueError(f"scaling_factor is {factor!r}")
    return float(factor)
