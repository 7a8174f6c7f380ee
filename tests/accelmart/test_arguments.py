"""Functions, commands, agents' tools and SQL take the same arguments with the same defaults."""

import csv
import inspect
from pathlib import Path

import pytest
import typer

import accelmart
from accelmart.agents.tools import TOOLS, Tools
from accelmart.cli import app
from accelmart.estimate import parse_count

ROOT = Path(accelmart.__file__).resolve().parents[1]
QUESTIONS = [name for name in TOOLS if name not in ("search", "query")]
COMMANDS = typer.main.get_command(app).commands
COMMANDS = {name.replace("-", "_"): command for name, command in COMMANDS.items()}
COMMANDS |= {f"estimate_{name}": command for name, command in COMMANDS["estimate"].commands.items()}
PRINTED = {"form", "as_json", "limit", "details", "self", "database", "explain", "every_row"}


def defaults(function):
    """Return the default of each argument; what must be given has the same one as what may be left to the file."""
    return {
        name: None if parameter.default is parameter.empty else parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
        if name not in PRINTED | {"ctx"}
    }


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_command_and_a_tool_have_the_arguments_of_the_function(name):
    asked = defaults(getattr(accelmart, name))
    assert len(QUESTIONS) == 13 and asked
    for one in (COMMANDS[name].callback, getattr(Tools, name)):
        assert list(defaults(one).items()) == list(asked.items()), one
    described = {p.name: p.help for p in COMMANDS[name].params if p.name not in PRINTED}
    assert set(described) == set(asked) and all(len(text) > 6 for text in described.values())


def test_on_demand_is_the_pricing_model_where_none_is_given():
    with (ROOT / "dbt_project/public_interface.csv").open(encoding="utf-8") as file:
        sql = [
            row[3]
            for row in csv.reader(file)
            if row[0] == "argument" and row[2] in ("pricing", "pricing_model")
        ]
    assert len(sql) == 15 and set(sql) == {"varchar := 'on_demand'"}
    asked = {name: defaults(getattr(accelmart, name)) for name in [*QUESTIONS, "headlines"]}
    assert {name: given["pricing"] for name, given in asked.items() if "pricing" in given} == dict.fromkeys(
        ("rank", "electricity", "headlines", "prices", "estimate_training", "estimate_serving"), "on_demand"
    )


def test_counts_are_read_with_magnitudes():
    read = [parse_count(text) for text in ("405B", "15T", "8.03b", "1,000", "70 B", "1.5e12", 3)]
    assert read == pytest.approx([405e9, 15e12, 8.03e9, 1000, 70e9, 1.5e12, 3])
    for text in ("405X", "B", "1.2.3B"):
        with pytest.raises(ValueError, match="405B, 15T or 1e9"):
            parse_count(text)
