"""Commands that remedies name: each exists, with the options that are given there."""

import re
from pathlib import Path

import pytest
import typer

from accelmart.cli import app as reading
from orchestration.cli import app as building

ROOT = Path(__file__).resolve().parents[2]
PLACES = [
    *sorted((ROOT / "warehouse").rglob("*.py")),
    *sorted((ROOT / "orchestration").rglob("*.py")),
    *sorted((ROOT / "accelmart").rglob("*.py")),
    ROOT / "docs/operations.md",
    ROOT / "docs/reliability.md",
]
# in backticks, or at the end of a sentence such as "To repair: accelmart build"
COMMAND = re.compile(r"(?:`|To [a-z ]+: |What to do: )accelmart ([a-z][\w-]*)([^`\"\n.;)]*)")


@pytest.fixture(scope="module")
def commands():
    return {
        name: command
        for app in (reading, building)
        for name, command in typer.main.get_command(app).commands.items()
    }


def test_every_command_of_a_remedy_exists_with_its_options(commands):
    seen, wrong = set(), []
    for place in PLACES:
        for name, rest in COMMAND.findall(place.read_text(encoding="utf-8")):
            options = set(re.findall(r"(?<!\S)--[a-z][a-z-]*", rest))
            known = {o for p in commands[name].params for o in p.opts} if name in commands else set()
            seen.add(name)
            if name not in commands or not options <= known | {"--help"}:
                wrong.append(f"{place.relative_to(ROOT)}: accelmart {name} {' '.join(sorted(options))}")
    assert wrong == []
    assert {"build", "rollback", "prune", "fetch", "unfreeze", "status"} <= seen
