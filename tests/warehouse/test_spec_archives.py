"""Specifications of the systems in an archive that was landed for its results."""

import json

import pyarrow.parquet as pq
import pytest
from given_payloads import land_payload
from small_round import small_round

from warehouse.active import known_rounds, select_active
from warehouse.holds import withdraw
from warehouse.home import Home
from warehouse.raw import SPEC_FAMILY, SPEC_VALUES

SYSTEM = {
    "accelerator_model_name": "NVIDIA B200-SXM-180GB",
    "accelerator_memory_capacity": "180 GB",
    "hw_notes": "B200 TGP 1000W",
}


@pytest.fixture
def described(tmp_path):
    """The part that a landed round with this system gives."""

    def land_round(system):
        home = Home(tmp_path / "home", str(tmp_path / "home" / "landing"))
        folder = tmp_path / "inference_results_v9.9"
        files = small_round(1600) | {"closed/Who/systems/b200.json": json.dumps(system)}
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        land_payload(home, "mlperf-inference", "v9.9", folder)
        (part,) = (p for p in select_active(home).parts if p.root == home.raw and p.family is SPEC_FAMILY)
        return part

    return land_round


def test_a_landed_round_tells_memory_and_power_of_its_systems(described):
    rows = pq.read_table(described(SYSTEM).path(SPEC_VALUES)).to_pylist()
    rows = [r for r in rows if r["member"] == "closed/Who/systems/b200.json"]
    assert {r["attribute"]: r["value"] for r in rows} == {"memory_gb": 180, "tdp_w": 1000}
    # the round's name is that of both suites, the repository's is one's; of the folder of this machine only the name is stated
    assert {(r["source"], r["payload_key"]) for r in rows} == {("mlperf-systems", "inference_results_v9.9")}
    assert {r["payload_url"] for r in rows} == {"file:inference_results_v9.9"}


@pytest.mark.parametrize(
    ("source", "release", "left"),
    [
        ("mlperf-systems", None, {"mlperf-inference"}),
        ("mlperf-inference", "v9.9", set()),
        ("mlperf-training", None, {"mlperf-inference", "mlperf-systems"}),
    ],
)
def test_descriptions_go_with_their_round_and_can_be_withdrawn_alone(described, source, release, left):
    root = described(SYSTEM).root.parent
    home = Home(root, str(root / "landing"))
    assert known_rounds(home, "mlperf-inference") >= {"v9.9", "v6.1"} and "" not in known_rounds(home)
    withdraw(home, source, release, {"v9.9"})
    assert {p.provenance.source for p in select_active(home).parts if p.root == home.raw} == left
