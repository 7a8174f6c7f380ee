"""The scoring rule, with the official package as the second method: its whole scoring function."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

summarizer = pytest.importorskip("mlperf_logging.result_summarizer.result_summarizer")

from mlperf_logging import benchmark_meta  # noqa: E402

from ingest.mlperf.training_score import (  # noqa: E402
    benchmark_of_folder,
    dropped_each_side,
    mean_of,
    olympic_score,
    read_scaling_factor,
    required_runs,
)

BENCHMARKS = sorted(benchmark_meta.get_result_file_counts("training"))
# as a log can give them: whole milliseconds, up to ten days
MINUTES = st.integers(1, 864_000_000).map(lambda ms: ms / 60 / 1000)


def official_score(minutes, energies, benchmark, factor):
    """What the summarizer's own function makes of such runs; only the reading of files is replaced."""

    def read(name, usage, ruleset):
        if minutes[int(name)] is None:
            raise ValueError("did not converge")
        stop = minutes[int(name)] * 60 * 1000
        return [
            SimpleNamespace(key="run_start", timestamp=0.0),
            SimpleNamespace(key="run_stop", timestamp=stop),
        ]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(summarizer.glob, "glob", lambda *_, **__: [str(i) for i in range(len(minutes))])
        patched.setattr(summarizer, "_read_result_file", read)
        patched.setattr(summarizer, "_get_scaling_factor", lambda folder: factor)
        patched.setattr(summarizer, "_compute_total_power", lambda f, name, t, r: energies[int(name)])
        score, energy, _ = summarizer._compute_strong_score_standalone(
            benchmark, "system", True, "folder", "training", "5.0.0"
        )
    return score, energy


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(BENCHMARKS),
    st.lists(st.one_of(MINUTES, MINUTES, MINUTES, st.none()), max_size=45, unique_by=lambda m: m or object()),
    st.floats(1, 1.2),
)
def test_score_and_the_runs_it_counts_are_the_official_ones(benchmark, minutes, factor):
    energies = [(m or 0) * 7 + i for i, m in enumerate(minutes)]
    score, energy = official_score(minutes, energies, benchmark, factor)
    ours = olympic_score(minutes, benchmark=benchmark, scaling_factor=factor)
    if score is None:
        assert ours.value is None and ours.reason and ours.counted == ()
        return
    assert ours.value == pytest.approx(score, rel=1e-12)
    our_energy = mean_of(energies, ours.counted) * factor
    assert our_energy == pytest.approx(energy, rel=1e-12)


def test_drop_counts_and_run_counts():
    assert {b: dropped_each_side(b) for b in BENCHMARKS} == {b: 4 if b == "unet3d" else 1 for b in BENCHMARKS}
    assert required_runs("llama31_405b") == required_runs("deepseekv3_671b") == 3
    assert required_runs("unet3d") == 40 and required_runs("?") is None
    assert benchmark_of_folder("mask") == "maskrcnn"


def test_worked_by_hand():
    assert olympic_score([3.0, 1.0, 2.0], benchmark="gpt3").value == 2.0
    assert olympic_score([9.0, 1.0, 2.0, 4.0, None], benchmark="retinanet", scaling_factor=1.5).value == 7.5
    refused = olympic_score([1.0, 2.0, None, None], benchmark="bert")
    assert refused.value is None and refused.reason == "2 of 4 runs failed, 1 may"
    assert olympic_score([1.0, 2.0], benchmark="bert").value is None


@pytest.mark.parametrize("factor", ["", '"1.1"', "NaN", "0", "true"])
def test_a_scaling_file_without_a_factor_is_an_error(factor):
    with pytest.raises(ValueError, match=r"."):
        read_scaling_factor(f'{{"scaling_factor": {factor}}}'.encode())
    read = [read_scaling_factor(f'{{"scaling_factor": {one}}}'.encode()) for one in ("1", "0.5")]
    assert read == [1.0, 0.5] and isinstance(read[0], float)
