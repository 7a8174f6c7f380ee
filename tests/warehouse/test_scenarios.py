"""A scenario file is taken whole or refused with the key and what is allowed."""

import re
import textwrap

import pyarrow.parquet as pq
import pytest
import yaml

from warehouse import scenarios
from warehouse.scenarios import (
    SCHEMA,
    CapexParts,
    Hardware,
    Known,
    Parameters,
    ScenariosRejected,
    read_scenarios,
    write_overrides,
)

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
    assert values(rows) | {} == {
        ("hyperscaler", None, "electricity_usd_per_kwh"): 0.06,
        ("our_hall", None, None): None,
        ("our_hall", None, "cost_of_capital_pct"): 11,
        ("our_hall", None, "depreciation_years"): 5,
        ("our_hall", None, "electricity_usd_per_kwh"): 0.07,
        ("our_hall", None, "pue"): 1.2,
        ("our_hall", None, "colocation_usd_per_kw_month"): 150,
        ("our_hall", None, "maintenance_pct_of_capex_per_year"): 4,
        ("our_hall", None, "staff_usd_per_accelerator_year"): 250,
        ("our_hall", None, "availability_pct"): 99,
        ("our_hall", None, "utilisation_pct"): 70,
        ("our_hall", None, "goodput_pct"): 92,
        ("our_hall", H100, "all_in_capex_usd"): 29500,
        ("*", "nvidia-b200-sxm-180gb", "server_capex_usd"): 36000,
        ("*", "nvidia-b200-sxm-180gb", "network_capex_usd"): 6000,
        ("*", "nvidia-b200-sxm-180gb", "storage_capex_usd"): 900,
        ("*", "nvidia-b200-sxm-180gb", "other_capex_usd"): 400,
        ("*", "nvidia-b200-sxm-180gb", "all_in_capex_usd"): 43300,
        ("*", "nvidia-b200-sxm-180gb", "it_power_w"): 1750,
    }
    assert {r.based_on for r in rows if r.scenario_id == "our_hall"} == {"emerging_neocloud"}
    assert {r.based_on for r in rows if r.scenario_id != "our_hall"} == {None}
    # the example is complete: every parameter there is stands in it
    named = yaml.safe_load(example)["scenarios"]["our_hall"]
    assert set(Parameters.model_fields) == set(named) - {"based_on", "hardware"}


def test_names_are_those_of_the_seeds():
    known = Known.from_seeds()
    assert set(Parameters.model_fields) == set(known.units)
    assert known.scenarios == {"hyperscaler", "neocloud_giant", "emerging_neocloud"}
    assert H100 in known.with_hardware and GAUDI in known.accelerators - known.with_hardware


def test_the_defaults_lie_within_what_is_allowed():
    for row in scenarios._rows(scenarios.DBT_PROJECT_DIR / "seeds" / "tco_scenarios.csv"):
        Parameters(**{row["parameter"]: float(row["value"])})
    for row in scenarios._rows(scenarios.DBT_PROJECT_DIR / "seeds" / "tco_hardware.csv"):
        if row["parameter"] == "it_power_w":
            Hardware(it_power_w=float(row["value"]))
        if row["parameter"] == "all_in_capex_usd":
            Hardware(capex_usd=float(row["value"]))


@pytest.mark.parametrize(
    ("text", "key", "says"),
    [
        ("scenarios: {hyperscaler: {pues: 1.1}}", "scenarios.hyperscaler.pues", "did you mean pue?"),
        ("scenario: {}", "scenario ", "did you mean scenarios?"),
        ("scenarios: {hyperscaler: {pue: 0.9}}", "scenarios.hyperscaler.pue", "a number from 1 to 4"),
        ("scenarios: {hyperscaler: {pue: .nan}}", "scenarios.hyperscaler.pue", "nan"),
        ("scenarios: {hyperscaler: {pue: .inf}}", "scenarios.hyperscaler.pue", "inf"),
        ("scenarios: {hyperscaler: {pue: '1.2'}}", "scenarios.hyperscaler.pue", "'1.2'"),
        ("scenarios: {hyperscaler: {pue: true}}", "scenarios.hyperscaler.pue", "True"),
        ("scenarios: {hyperscaler: {electricity_usd_per_kwh: -0.01}}", "scenarios.hyperscaler.electricity_usd_per_kwh", "from 0 to 2"),
        ("scenarios: {hyperscaler: {colocation_usd_per_kw_month: -1}}", "scenarios.hyperscaler.colocation_usd_per_kw_month", "5,000"),
        ("scenarios: {hyperscaler: {utilisation_pct: 101}}", "scenarios.hyperscaler.utilisation_pct", "more than 0, up to 100"),
        ("scenarios: {hyperscaler: {availability_pct: 0}}", "scenarios.hyperscaler.availability_pct", "more than 0, up to 100"),
        ("scenarios: {hyperscaler: {depreciation_years: 0}}", "scenarios.hyperscaler.depreciation_years", "from 0.5 to 20"),
        ("scenarios: {mine: {pue: 1.1}}", "scenarios.mine.based_on", "missing"),
        ("scenarios: {mine: {based_on: yours}}", "scenarios.mine.based_on", "'yours'"),
        ("scenarios: {hyperscaler: {based_on: neocloud_giant}}", "scenarios.hyperscaler.based_on", "is a default scenario"),
        ("scenarios: {'*': {based_on: hyperscaler}}", "scenarios.*", "is not a valid scenario name"),
        ("scenarios: [hyperscaler]", "scenarios", "not a mapping"),
        ("scenarios: {hyperscaler: 3}", "scenarios.hyperscaler", "not a mapping"),
        ("just words", "the file", "not a mapping"),
        ("hardware: {nvidia-h100-sxm-80g: {capex_usd: 3}}", "hardware.nvidia-h100-sxm-80g", f"did you mean {H100}?"),
        (f"hardware: {{{H100}: {{}}}}", f"hardware.{H100}", "is empty"),
        (f"hardware: {{{GAUDI}: {{capex_usd: 20000}}}}", f"hardware.{GAUDI}.it_power_w", "is missing"),
        (f"hardware: {{{GAUDI}: {{it_power_w: 1100}}}}", f"hardware.{GAUDI}.capex_usd", "is missing"),
        (f"hardware: {{{H100}: {{capex_usd: -5}}}}", f"hardware.{H100}.capex_usd", "up to 10,000,000"),
        (f"hardware: {{{H100}: {{capex_usd: {{server: 2, network: 1, storage: 1}}}}}}", f"hardware.{H100}.capex_usd.other", "is missing"),
        (f"scenarios: {{hyperscaler: {{hardware: {{{H100}: {{capex: 1}}}}}}}}", f"scenarios.hyperscaler.hardware.{H100}.capex", "capex_usd"),
        (f"hardware: {{{H100}: {{it_power_w: 0}}}}", f"hardware.{H100}.it_power_w", "from 1 to 100,000"),
    ],
)  # fmt: skip
def test_each_defect_is_one_clear_error_with_file_key_and_range(written, text, key, says):
    path = written(text)
    with pytest.raises(ScenariosRejected) as e:
        read_scenarios(path)
    message = str(e.value)
    assert message.startswith(f"{path}: {key}") and says in message and "To fix:" in message
    assert len(e.value.problems) == 1, e.value.problems


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("scenarios: {hyperscaler: {pue: 1.1}", "line 1"),
        (
            "scenarios:\n  hyperscaler:\n    pue: 1.1\n    pue: 1.3\n",
            "line 4, column 5: is not YAML (duplicate key 'pue')",
        ),
        ("a: !!python/object/apply:os.system [true]", "is not YAML"),
        ("scenarios:\n\tpue: 1", "line 2"),
        ("[" * 5000, "is "),
    ],
)
def test_what_is_no_yaml_is_said_with_its_line(written, text, says):
    with pytest.raises(ScenariosRejected, match=re.escape(says)):
        read_scenarios(written(text))


def test_every_defect_of_a_file_is_named_at_once(written):
    with pytest.raises(ScenariosRejected) as e:
        read_scenarios(written("scenarios: {hyperscaler: {pue: 0.5, utilisation_pct: 130, colour: red}}"))
    assert len(e.value.problems) == 3


def test_a_file_that_cannot_be_read_is_an_error_not_an_absence(tmp_path):
    path = tmp_path / "scenarios.yaml"
    path.mkdir()
    with pytest.raises(ScenariosRejected, match="cannot be read"):
        write_overrides(path, tmp_path / "out.parquet")
    path.rmdir()
    path.write_bytes(b"scenarios: \xff")
    with pytest.raises(ScenariosRejected, match="not UTF-8"):
        read_scenarios(path)


def test_hardware_said_of_all_scenarios_completes_that_of_one(written):
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


@pytest.mark.parametrize("text", ["", "# nothing said\n", "scenarios: {}\n", "hardware: {}"])
def test_a_file_that_says_nothing_changes_nothing(written, text):
    assert read_scenarios(written(text)) == []


def test_the_table_is_there_without_a_file_and_whole_or_not_at_all(written, tmp_path):
    target = tmp_path / "raw" / "tco_overrides" / "overrides.parquet"
    assert write_overrides(None, target) == 0
    assert write_overrides(tmp_path / "absent.yaml", target) == 0
    columns = pq.read_schema(target)
    assert (columns.names, columns.types) == (SCHEMA.names, SCHEMA.types)
    assert write_overrides(written("scenarios: {hyperscaler: {pue: 1.1}}"), target) == 1
    (row,) = pq.read_table(target).to_pylist()
    assert row | {"file": ""} == {
        "scenario_id": "hyperscaler",
        "based_on": None,
        "accelerator_id": None,
        "parameter": "pue",
        "value": 1.1,
        "unit": "ratio",
        "file": "",
    }
    with pytest.raises(ScenariosRejected):
        write_overrides(written("scenarios: {hyperscaler: {pue: 0}}"), target)
    assert pq.read_table(target).num_rows == 1


def test_all_in_is_the_sum_of_its_parts():
    assert CapexParts(server=1, network=2, storage=3, other=4).total == 10
