"""What submitters say of the accelerators of their systems."""

import io
import json

import pytest

from ingest.mlperf import described_systems

GOOD = {
    "accelerator_model_name": "NVIDIA B200-SXM-180GB",
    "accelerator_memory_capacity": "180 GB",
    "hw_notes": "B200 TGP 1000W",
}


def parsed(*systems):
    files = {f"closed/Who/systems/s{i}.json": json.dumps(system) for i, system in enumerate(systems)}
    files["closed/Who/results/s0/r.json"] = "[]"
    members = [(path, io.BytesIO(text.encode())) for path, text in files.items()]
    return described_systems.parse(members, key="inference_results_v5.1")


def figures(result):
    return {(r.product_published, r.attribute): r.value for r in result.rows}


@pytest.mark.parametrize(("words", "gb"), [("180\u2009GB", 180), ("96000 MiB", 100.663296)])
def test_free_text_of_a_capacity(words, gb):
    found = figures(parsed(GOOD | {"accelerator_memory_capacity": words}))
    assert found["NVIDIA B200-SXM-180GB", "memory_gb"] == pytest.approx(gb)


@pytest.mark.parametrize("words", ["192 GB (MI300X), 256 GB (MI325X)", "180"])
def test_a_capacity_that_is_not_one_figure_is_rejected_and_the_rest_survives(words):
    result = parsed(GOOD | {"accelerator_memory_capacity": words})
    assert words in str(result.rejects[0]) and len(result.rows) == 1


def test_watts_that_are_not_called_the_limit_are_not_read():
    for notes in ("Dell PowerEdge, 2800W PSU", "MI355X Power Cap 1000W", "Machine 1"):
        assert ("NVIDIA B200-SXM-180GB", "tdp_w") not in figures(parsed(GOOD | {"hw_notes": notes}))


def test_systems_without_accelerators_and_broken_files():
    result = parsed(GOOD | {"accelerator_model_name": "N/A"}, ["a list"])
    assert result.exclusions == {described_systems.NO_ACCELERATOR: 1} and len(result.rejects) == 1


def test_the_same_said_by_many_systems_is_one_row_and_duplicates():
    result = parsed(GOOD, GOOD, GOOD)
    assert (len(result.rows), result.duplicates) == (2, 4)


def test_memory_as_the_driver_counts_it_is_not_the_part_s():
    result = parsed(GOOD | {"accelerator_memory_capacity": "23.49432373046875 GB"})
    assert result.exclusions == {described_systems.USABLE: 1} and len(result.rows) == 1
