"""Specifications of the systems in an archive that was landed for its results."""

import io
import json
import tarfile

import pyarrow.parquet as pq

from ingest.core.landing import Landing
from ingest.fetch.release import TREE_CONTENT_TYPE
from warehouse.raw import SPEC_REJECTS, SPEC_VALUES
from warehouse.spec_values import spec_parts

SYSTEM = {
    "accelerator_model_name": "NVIDIA B200-SXM-180GB",
    "accelerator_memory_capacity": "180 GB",
    "hw_notes": "B200 TGP 1000W",
}


def landed(tmp_path, system, content=None):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for path, words in {
            "closed/Who/systems/b200.json": json.dumps(system),
            "closed/Who/results/b200/x/mlperf_log_summary.txt": "no system",
        }.items():
            member = tarfile.TarInfo(path)
            member.size = len(words)
            tar.addfile(member, io.BytesIO(words.encode()))
    landing = Landing(tmp_path / "landing")
    landing.store(
        buffer.getvalue() if content is None else content,
        source="mlperf-inference",
        key="v5.1",
        url="/somewhere/inference_results_v5.1",
        content_type=TREE_CONTENT_TYPE,
        licence="Apache-2.0",
        limit_bytes=1 << 20,
    )
    return landing


def test_a_landed_round_tells_memory_and_power_of_its_systems(tmp_path):
    landing = landed(tmp_path, SYSTEM)
    (part,), problems = spec_parts(landing, tmp_path / "raw", tmp_path / "snapshot")
    assert not problems
    rows = pq.read_table(part.path(SPEC_VALUES)).to_pylist()
    assert {r["attribute"]: r["value"] for r in rows} == {"memory_gb": 180, "tdp_w": 1000}
    # the round's name is that of both suites, the repository's is one's; of the folder of this machine only the name is stated
    assert {r["payload_key"] for r in rows} == {"inference_results_v5.1"}
    assert {r["payload_url"] for r in rows} == {"file:inference_results_v5.1"}
    assert {r["member"] for r in rows} == {"closed/Who/systems/b200.json"}


def test_what_is_parsed_is_not_parsed_again(tmp_path):
    landing = landed(tmp_path, SYSTEM)
    (part,), _ = spec_parts(landing, tmp_path / "raw", tmp_path / "snapshot")
    before = part.path(SPEC_VALUES).stat().st_mtime_ns
    (again,), _ = spec_parts(landing, tmp_path / "raw", tmp_path / "snapshot")
    assert again.path(SPEC_VALUES).stat().st_mtime_ns == before


def test_a_capacity_that_is_no_figure_is_a_reject(tmp_path):
    landing = landed(tmp_path, SYSTEM | {"accelerator_memory_capacity": "a lot"})
    (part,), problems = spec_parts(landing, tmp_path / "raw", tmp_path / "snapshot")
    assert not problems and pq.read_metadata(part.path(SPEC_REJECTS)).num_rows == 1


def test_an_archive_that_is_none_is_named_and_the_rest_goes_on(tmp_path):
    landing = landed(tmp_path, SYSTEM, content=b"no tar at all, " * 100)
    parts, problems = spec_parts(landing, tmp_path / "raw", tmp_path / "snapshot")
    assert not parts and len(problems) == 1 and "v5.1" in problems[0]
