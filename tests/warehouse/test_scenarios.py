"""A scenario file is taken whole or refused with the key and what is allowed."""

import csv
import re
import textwrap

import pytest
import yaml

from warehouse import scenarios
from warehouse.scenarios import Hardware, Parameters, ScenariosRejected, read_known, read_scenarios

H100 = "nvidia-h100-sxm-80gb"
GAUDI = "intel-gaudi3-oam"  # known, and without default hardware


@pytest.fixture
def written(tmp_path):
    def write(text):
        path = tmp_path / "scenarios.yaml"
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return path

    return write


def values(rows):
    return {(r.scenario_id, r.accelerator_id, r.parameter): r.value for r in rows}


def test_the_documented_example_is_read_whole(written):
    example = textwrap.dedent(re.search(r"::\n\n(.*?)\n\nAn accel", scenarios.__doc__, re.S)[1])
    rows = read_scenarios(written(example))
    found = values(rows)
    expected = {
        ("hyperscaler", None, "electricity_usd_per_kwh"): 0.06,
        ("our_hall", None, None): None,
        ("our_hall", None, "utilisation_pct"): 70,
        ("our_hall", H100, "all_in_capex_usd"): 29500,
        ("*", "nvidia-b200-sxm-180gb", "server_capex_usd"): 36000,
        ("*", "nvidia-b200-sxm-180gb", "all_in_capex_usd"): 43300,
        ("*", "nvidia-b200-sxm-180gb", "it_power_w"): 1750,
    }
    assert len(found) == 19 and found.items() >= expected.items()
    assert {r.based_on for r in rows if r.scenario_id == "our_hall"} == {"emerging_neocloud"}
    assert {r.based_on for r in rows if r.scenario_id != "our_hall"} == {None}
    # the example is complete: every parameter there is stands in it
    named = yaml.safe_load(example)["scenarios"]["our_hall"]
    assert set(Parameters.model_fields) == set(named) - {"based_on", "hardware"}


def test_names_and_defaults_are_those_of_the_seeds(written):
    known = read_known()
    assert set(Parameters.model_fields) == set(known.units)
    assert known.scenarios == {"hyperscaler", "neocloud_giant", "emerging_neocloud"}
    assert H100 in known.with_hardware and GAUDI in known.accelerators - known.with_hardware
    for row in csv.DictReader((scenarios.DBT_PROJECT_DIR / "seeds/tco_scenarios.csv").open()):
        Parameters(**{row["parameter"]: float(row["value"])})  # within what is allowed
    for row in csv.DictReader((scenarios.DBT_PROJECT_DIR / "seeds/tco_hardware.csv").open()):
        name = {"all_in_capex_usd": "capex_usd"}.get(row["parameter"], row["parameter"])
        if name in Hardware.model_fields:
            Hardware(**{name: float(row["value"])})


@pytest.mark.parametrize(
    ("text", "key", "says"),
    [
        ("scenarios: {hyperscaler: {pues: 1.1}}", "scenarios.hyperscaler.pues", "Did you mean pue?"),
        ("scenarios: {hyperscaler: {pue: 0.9}}", "scenarios.hyperscaler.pue", "or equal to 1"),
        ("scenarios: {mine: {pue: 1.1}}", "scenarios.mine.based_on", "missing"),
        ("scenarios: {hyperscaler: {based_on: neocloud_giant}}", "scenarios.hyperscaler.based_on", "is a default scenario"),
        ("scenarios: {'*': {based_on: hyperscaler}}", "scenarios.*", "is not a valid scenario name"),
        ("hardware: {nvidia-h100-sxm-80g: {capex_usd: 3}}", "hardware.nvidia-h100-sxm-80g", H100),
        (f"hardware: {{{GAUDI}: {{capex_usd: 20000}}}}", f"hardware.{GAUDI}.it_power_w", "is missing"),
        ("scenarios:\n  hyperscaler:\n    pue: 1.1\n    pue: 1.3\n", "", "duplicate key 'pue'"),
        ("[" * 5000, "", "YAML"),
        (None, "", "directory"),
    ],
)  # fmt: skip
def test_each_defect_is_one_error_with_file_and_key(tmp_path, text, key, says):
    path = tmp_path / "scenarios.yaml"
    if text is None:
        path.mkdir()
    else:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ScenariosRejected) as e:
        read_scenarios(path)
    assert str(e.value).startswith(f"{path}: {key}") and says in str(e.value)
    assert len(e.value.problems) == 1, e.value.problems


def test_every_defect_of_a_file_is_named_at_once(written):
    with pytest.raises(ScenariosRejected) as e:
        read_scenarios(written("scenarios: {hyperscaler: {pue: 0.5, utilisation_pct: 130, colour: red}}"))
    assert len(e.value.problems) == 3


def test_hardware_of_all_scenarios_completes_that_of_one(written):
    rows = read_scenarios(
        written(
            f"""
            scenarios: {{hyperscaler: {{hardware: {{{GAUDI}: {{capex_usd: 20000}}}}}}}}
            hardware: {{{GAUDI}: {{capex_usd: 22000, it_power_w: 1100}}}}
            """
        )
    )
    assert values(rows)["hyperscaler", GAUDI, "all_in_capex_usd"] == 20000
    assert values(rows)["*", GAUDI, "it_power_w"] == 1100


@pytest.mark.parametrize("text", ["# nothing\n", "scenarios: {}\n"])
def test_a_file_without_assumptions_changes_nothing(written, text):
    assert read_scenarios(written(text)) == []
