"""Ownership assumptions: the documented file is read whole, each defect is one error, and scenarios.yaml says the same."""

import csv
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from warehouse.decisions.override_forms import (
    HARDWARE_PARAMETERS,
    SCENARIO_PARAMETERS,
    SEEDS_DIR,
    OverridesRejected,
)
from warehouse.decisions.overrides import convert_scenarios, read_overrides
from warehouse.decisions.scenarios import write_assumptions
from warehouse.storage.home import Home

H100 = "nvidia-h100-sxm-80gb"
GAUDI = "intel-gaudi3-oam"  # known, and without default hardware
PAGE = Path(__file__).resolve().parents[2] / "docs/how-to/set-ownership-assumptions.md"
HEADER = "scenario_id,based_on,accelerator_id,parameter,value,low,high\n"
EARLIER = """\
scenarios:
  hyperscaler:
    electricity_usd_per_kwh: 0.06
  our_hall:
    based_on: emerging_neocloud
    pue: 1.2
    hardware:
      nvidia-h100-sxm-80gb: {capex_usd: 29500}
  copy: {based_on: hyperscaler}
hardware:
  nvidia-b200-sxm-180gb:
    capex_usd: {server: 36000, network: 6000, storage: 900, other: 400}
    it_power_w: 1750
"""


@pytest.fixture
def home(tmp_path):
    (tmp_path / "overrides").mkdir()
    return Home(tmp_path, str(tmp_path / "landing"))


def rows(home, text=None):
    """The rows of tco_overrides of a scenarios.csv."""
    if text is not None:
        (home.overrides / "scenarios.csv").write_text(text, encoding="utf-8")
    write_assumptions(read_overrides(home), home.root / "t.parquet")
    return pq.read_table(home.root / "t.parquet").to_pylist()


def values(found):
    return {(r["scenario_id"], r["based_on"], r["accelerator_id"], r["parameter"]): r["value"] for r in found}


def test_the_documented_example_is_read_whole(home):
    found = rows(home, re.search(r"```csv\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)[1])
    expected = {
        ("hyperscaler", None, None, "electricity_usd_per_kwh"): 0.06,
        ("our_hall", "emerging_neocloud", None, "utilisation_pct"): 70,
        ("our_hall", "emerging_neocloud", H100, "all_in_capex_usd"): 29500,
        ("*", None, "nvidia-b200-sxm-180gb", "server_capex_usd"): 36000,
        ("*", None, "nvidia-b200-sxm-180gb", "it_power_w"): 1750,
    }
    assert len(found) == 18 and values(found).items() >= expected.items()
    (capital,) = (r for r in found if r["parameter"] == "cost_of_capital_pct")
    assert (capital["low"], capital["high"], capital["as_of"]) == (9, 13, "2026-10")
    assert (capital["unit"], capital["note"]) == ("percent a year", "our bank's offer")
    # the example is complete: every parameter there is stands in it
    assert {r["parameter"] for r in found} == {*SCENARIO_PARAMETERS, *HARDWARE_PARAMETERS}


def test_every_line_of_the_seeds_is_a_good_assumption(home):
    """Values within what is allowed, in the order of the seed's cells."""
    scenarios = (SEEDS_DIR / "tco_scenarios.csv").read_text(encoding="utf-8").partition("\n")[2]
    found = rows(home, scenarios)
    assert {r["parameter"] for r in found} == {*SCENARIO_PARAMETERS} and len(found) == 30
    with (SEEDS_DIR / "tco_hardware.csv").open(encoding="utf-8") as file:
        hardware = [
            row for row in csv.DictReader(file) if row["parameter"] in ("all_in_capex_usd", "it_power_w")
        ]
    text = "".join(f"*,,{r['accelerator_id']},{r['parameter']},{r['value']},,\n" for r in hardware)
    assert len(rows(home, HEADER + text)) == len(hardware) > 10


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("hyperscaler,,,pues,1.1,,", 'parameter is "pues"; allowed: cost_of_capital_pct, '),
        ("hyperscaler,,,pue,0.9,,", "pue is from 1 to 4"),
        ("hyperscaler,,,pue,nan,,", "pue is from 1 to 4"),
        ("hyperscaler,,,pue,1;2,,", 'value is "1;2", not a value of type double'),
        ("hyperscaler,,,pue,,,", "parameter and value have a value"),
        ("hyperscaler,,,pue,1.1,1.2,1.3", "low and high stand together, around the value"),
        ("hyperscaler,,,pue,1.1,1.0,", "low and high stand together, around the value"),
        (f"*,,{H100},it_power_w,1300,1200,1400", "low and high are of a parameter of a scenario"),
        ("mine,,,pue,1.1,,", "a new scenario has the default scenario"),
        ("mine,hyperscale,,pue,1.1,,", "Did you mean hyperscaler?"),
        ("hyperscaler,neocloud_giant,,pue,1.1,,", "based_on is empty for a default scenario"),
        ("*,,,pue,1.1,,", "* is every scenario, for an accelerator_id"),
        (f"*,,{H100},pue,1.1,,", "capital and power belong to an accelerator_id"),
        (f"*,,{GAUDI},all_in_capex_usd,20000,,", "an accelerator without default hardware has"),
        (f"*,,{H100},server_capex_usd,20000,,", "stand together, with their sum as all_in_capex_usd"),
    ],
)
def test_each_defect_is_one_error_with_file_and_line(home, line, says):
    with pytest.raises(OverridesRejected) as e:
        rows(home, f"{HEADER}{line}\n")
    (problem,) = e.value.problems
    assert problem.startswith("scenarios.csv, line 2: ") and says in problem


def test_all_lines_of_a_scenario_are_based_on_one_and_components_add_up(home):
    mixed = "mine,hyperscaler,,pue,1.1,,\nmine,neocloud_giant,,goodput_pct,80,,\n"
    parts = "".join(
        f"*,,{H100},{name}_capex_usd,100,,\n" for name in ("server", "network", "storage", "other")
    )
    for text, says, lines in (
        (mixed, "the same based_on", 1),
        (f"{parts}*,,{H100},all_in_capex_usd,500,,\n", "with their sum", 4),
        ("mine,hyperscaler,,pue,1.1,,\n" * 2, "repeats the key", 1),
    ):
        with pytest.raises(OverridesRejected) as e:
            rows(home, HEADER + text)
        assert len(e.value.problems) == lines and all(says in problem for problem in e.value.problems)
    assert len(rows(home, f"{HEADER}{parts}*,,{H100},all_in_capex_usd,400,,\n")) == 5


def test_hardware_of_all_scenarios_completes_that_of_one(home):
    text = f"hyperscaler,,{GAUDI},all_in_capex_usd,20000,,\n*,,{GAUDI},all_in_capex_usd,22000,,\n*,,{GAUDI},it_power_w,1100,,\n"
    assert values(rows(home, HEADER + text))["hyperscaler", None, GAUDI, "all_in_capex_usd"] == 20000


def test_a_scenarios_yaml_is_read_and_converted_to_the_same(home):
    home.scenarios.write_text(EARLIER, encoding="utf-8")
    before = rows(home)
    assert values(before) == {
        ("hyperscaler", None, None, "electricity_usd_per_kwh"): 0.06,
        ("our_hall", "emerging_neocloud", None, None): None,
        ("our_hall", "emerging_neocloud", None, "pue"): 1.2,
        ("our_hall", "emerging_neocloud", H100, "all_in_capex_usd"): 29500,
        ("copy", "hyperscaler", None, None): None,
        ("*", None, "nvidia-b200-sxm-180gb", "server_capex_usd"): 36000,
        ("*", None, "nvidia-b200-sxm-180gb", "network_capex_usd"): 6000,
        ("*", None, "nvidia-b200-sxm-180gb", "storage_capex_usd"): 900,
        ("*", None, "nvidia-b200-sxm-180gb", "other_capex_usd"): 400,
        ("*", None, "nvidia-b200-sxm-180gb", "all_in_capex_usd"): 43300,
        ("*", None, "nvidia-b200-sxm-180gb", "it_power_w"): 1750,
    }
    assert convert_scenarios(home) and not home.scenarios.exists()
    assert rows(home) == [{**row, "file": "scenarios.csv"} for row in before]
    # killed between the two files: the second time it ends as the first would have
    home.scenarios.write_text(EARLIER, encoding="utf-8")
    assert convert_scenarios(home) and rows(home) == [{**row, "file": "scenarios.csv"} for row in before]
    assert not convert_scenarios(home)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "scenarios: {hyperscaler: {pues: 1.1}}",
            "line 1: scenarios.hyperscaler.pues: '1.1' is not allowed there. Did you mean pue?",
        ),
        ("scenarios:\n  hyperscaler:\n    pue: 0.9\n", "line 3: broken rule: pue is from 1 to 4"),
        ("scenarios:\n  hyperscaler:\n    pue: 1.1\n    pue: 1.3\n", "line 3: duplicate key 'pue'"),
        ("scenarios: {hyperscaler: {pue: [1.1]}}", 'value is "a list"'),
        ("scenarios: 7", "scenarios: '7' is not allowed there"),
        ("[" * 5000, "cannot be read as YAML"),
    ],
)
def test_each_defect_of_a_scenarios_yaml_is_one_error(home, text, says):
    home.scenarios.write_text(text, encoding="utf-8")
    for read in (read_overrides, convert_scenarios):
        with pytest.raises(OverridesRejected) as e:
            read(home)
        (problem,) = e.value.problems
        assert problem.startswith("scenarios.yaml") and says in problem
    assert home.scenarios.exists() and not (home.overrides / "scenarios.csv").exists()


@pytest.mark.parametrize("text", ["# nothing\n", "scenarios: {}\n", "scenarios: {hyperscaler: }\n"])
def test_a_file_without_assumptions_changes_nothing(home, text):
    home.scenarios.write_text(text, encoding="utf-8")
    assert rows(home) == [] == rows(home, HEADER)
