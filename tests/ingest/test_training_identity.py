"""Names in the training rounds that are shipped: accelerators, submitters, benchmarks, against the seeds."""

from __future__ import annotations

import json
import tarfile
from functools import cache
from pathlib import Path

import duckdb
import pytest
from test_identity_seeds import is_absent, matches, seed

from ingest.core import values
from ingest.mlperf.training_models import benchmark_id_of, training_models
from ingest.mlperf.training_systems import System, read_system
from warehouse.home import SNAPSHOT_DIR


@cache
def results() -> list[dict]:
    files = f"{SNAPSHOT_DIR}/mlperf_training_results/*.parquet"
    rows = duckdb.execute("select * from read_parquet(?)", [files])
    names = [column[0] for column in rows.description]
    return [dict(zip(names, row, strict=True)) for row in rows.fetchall()]


@cache
def accelerators() -> dict[tuple[str, str], dict]:
    """(published name, system) → what the identity macro finds in it."""
    return matches(sorted({(r["accelerator_name_published"] or "", r["system"]) for r in results()}))


def test_every_submitter_is_known():
    known = {row["submitter_published"] for row in seed("mlperf_submitters")}
    assert {r["submitter_published"] or r["submitter"] for r in results()} <= known


def test_every_benchmark_is_known():
    assert {benchmark_id_of(r["release"], r["benchmark"]) for r in results()} <= set(training_models())


def test_every_named_accelerator_is_known():
    names = {(r["accelerator_name_published"] or "", r["system"]) for r in results()}
    assert not {(name, system) for name, system in names - accelerators().keys() if not is_absent(name)}


TRICKY = {
    ("NVIDIA A100-SXM4-80GB (400W)", ""): "nvidia-a100-sxm-80gb",
    ("NVIDIA A100-SXM4-40GB (400W)", "dgxa100_ngc20.06_mxnet"): "nvidia-a100-sxm-40gb",
    ("TPU", "tpu-v4-128-TF"): "google-tpu-v4",
    ("TPU v3", "tpu-v3-8192-JAX"): "google-tpu-v3",
    ("tpuv2-512", "cloud_v2.512_resnet-tpuv2-512_tpu"): "google-tpu-v2",
    ("Habana Gaudi HL-205", ""): "intel-gaudi1",
    ("Habana Gaudi2", "HLS-Gaudi2"): "intel-gaudi2",
    ("Ascend910", "modelarts_128_mindspore_open"): "huawei-ascend-910",
    ("Tesla V100-SXM3-H-32GB", "dgx2h_ngc18.11_mxnet"): "nvidia-v100-sxm3-32gb-450w",
    ("NVIDIA V100-SXM3-32GB (350W)", "dgx2_ngc20.06_tensorflow"): "nvidia-v100-sxm3-32gb",
    ("NVIDIA H100-SXM5-96GB", "SR675v3-4xH100_SXM5_96GB_700W"): "nvidia-h100-sxm-96gb",
}


def test_tricky_names():
    for (name, system), expected in TRICKY.items():
        found = {hit["id"] for (n, s), hit in accelerators().items() if n == name and system in ("", s)}
        assert found == {expected}, (name, system)


# stated otherwise: two cards together; 192 GB of B200 are physical, 180 usable
OTHER_CAPACITIES = {"2x 24 GB", "192 GB"}


@pytest.mark.parametrize("release", ["v0.7", "v3.1", "v5.1"])
def test_memory_of_the_accelerator_agrees_with_the_system_files(release, mlperf_data):
    tarball = mlperf_data / "releases" / f"training_results_{release}.tar.gz"
    if not tarball.is_file():
        pytest.skip(f"the real release is not at hand ({tarball})")
    memory = {row["accelerator_id"]: row["memory_gb"] for row in seed("accelerator_specs")}
    checked = 0
    with tarfile.open(tarball) as tar:
        for member in tar:
            if "/systems/" not in member.name or not member.name.endswith(".json"):
                continue
            payload = tar.extractfile(member).read()
            system = read_system(payload)
            assert isinstance(system, System), member.name
            try:
                stated = json.loads(payload).get("accelerator_memory_capacity") or ""
            except ValueError:  # a comma too many, v0.7
                continue
            hit = accelerators().get((system.accelerator_name_published or "", Path(member.name).stem))
            capacity = values.number(str(stated).upper().replace("GIB", "").replace("GB", "").strip(" G"))
            if capacity and hit and hit["id"] and stated not in OTHER_CAPACITIES:
                known = float(memory[hit["id"]])
                # drivers report a few percent less than the card is sold with
                assert 0.9 * known <= capacity <= 1.03 * known, (
                    member.name,
                    system.accelerator_name_published,
                    stated,
                )
                checked += 1
    assert checked > 20
