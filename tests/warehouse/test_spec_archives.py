"""Specifications of the systems in an archive that was landed for its results."""

import json

import pyarrow.parquet as pq
import pytest
from given_payloads import land_files
from small_round import small_round

from warehouse.build.prepare import select_inputs
from warehouse.inputs.active import known_rounds, select_active
from warehouse.inputs.raw import SPEC_FAMILY, SPEC_VALUES, damaged_parts
from warehouse.storage.home import Home

SYSTEM = {
    "accelerator_model_name": "NVIDIA B200-SXM-180GB",
    "accelerator_memory_capacity": "180 GB",
    "hw_notes": "B200 TGP 1000W",
}


@pytest.fixture
def home(tmp_path):
    """An installation with a landed round of this system."""
    home = Home(tmp_path / "home", str(tmp_path / "home" / "landing"))
    files = small_round(1600) | {"closed/Who/systems/b200.json": json.dumps(SYSTEM)}
    land_files(home, "mlperf-inference", "v9.9", tmp_path / "inference_results_v9.9", files)
    return home


def test_a_landed_round_tells_memory_and_power_of_its_systems(home):
    (part,) = (p for p in select_active(home).parts if p.root == home.raw and p.family is SPEC_FAMILY)
    rows = pq.read_table(part.path(SPEC_VALUES)).to_pylist()
    rows = [r for r in rows if r["member"] == "closed/Who/systems/b200.json"]
    assert {r["attribute"]: r["value"] for r in rows} == {"memory_gb": 180, "tdp_w": 1000}
    # the round's name is that of both suites, the repository's is one's; of the folder of this machine only the name is stated
    stated = {(r["source"], r["payload_key"], r["payload_url"]) for r in rows}
    assert stated == {("mlperf-systems", "inference_results_v9.9", "file:inference_results_v9.9")}


@pytest.mark.parametrize("kind", ["flipped", "cut", "empty"])
def test_damaged_parts_are_parsed_again_before_a_build(home, kind):
    select_inputs(home)
    whole = {path: path.read_bytes() for path in home.raw.rglob("*") if path.is_file()}
    assert {path.suffix for path in whole} == {".parquet", ".sha256"} and len(whole) == 8
    for path, content in whole.items():
        flipped = bytearray(content)
        flipped[len(content) // 2] ^= 1
        path.write_bytes({"flipped": flipped, "cut": content[:-3], "empty": b""}[kind])
        (damaged,) = damaged_parts(home.raw)
        assert damaged.stem == path.stem
        select_inputs(home)
        assert {path: path.read_bytes() for path in home.raw.rglob("*") if path.is_file()} == whole


@pytest.mark.parametrize(
    ("source", "release", "action", "left"),
    [
        ("mlperf-systems", None, "withdraw", {"mlperf-inference"}),
        ("mlperf-systems", None, "hold", {"mlperf-inference"}),
        ("mlperf-inference", "v9.9", "withdraw", set()),
    ],
)
def test_descriptions_go_with_their_round_and_can_be_withdrawn_alone(home, source, release, action, left):
    assert known_rounds(home, "mlperf-inference") >= {"v9.9", "v6.1"} and "" not in known_rounds(home)
    home.overrides.mkdir()
    line = f"{source},{release or ''},2026-11-20"
    if action == "hold":
        (home.overrides / "holds.csv").write_text(f"{line},2026-11-20,{'0' * 64}\n")
    else:
        (home.overrides / "withdrawals.csv").write_text(f"{line}\n")
    assert {p.provenance.source for p in select_active(home).parts if p.root == home.raw} == left
