"""docs/how-to/add-a-source.md, followed to the letter on a copy of the checkout: module, registry, seeds, commands."""

import re
import shlex
import shutil
from pathlib import Path

import pytest
from home_copies import copy_home

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/how-to/add-a-source.md").read_text(encoding="utf-8")
PRODUCT = ("accelmart", "ingest", "warehouse", "orchestration", "dbt_project")


def block(language):
    (text,) = re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)
    return text


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of the product with the source of the page in it."""
    copy = tmp_path_factory.mktemp("add_a_source") / "checkout"
    for name in PRODUCT:
        unneeded = shutil.ignore_patterns("__pycache__", "snapshot", "target", "logs")
        shutil.copytree(ROOT / name, copy / name, ignore=unneeded)
    (copy / "warehouse/snapshot").symlink_to(ROOT / "warehouse/snapshot")
    (copy / "ingest/prices/examplecloud.py").write_text(block("python"))
    registry = copy / "ingest/prices/registry.py"
    added = re.sub(r"(from ingest\.prices import \(\n)", r"\1    examplecloud,\n", registry.read_text())
    registry.write_text(re.sub(r"(_ALL: .* = \(\n)", r"\1    examplecloud.SOURCE,\n", added))
    rows = re.findall(r"`(dbt_project/seeds/\w+\.csv)`.*?```csv\n(.*?)```", PAGE, flags=re.DOTALL)
    assert len(rows) == 4
    for seed, row in rows:
        with (copy / seed).open("a", encoding="utf-8") as file:
            file.write(row)
    return copy


def test_the_page_adds_a_source(checkout, built_home, accelmart, tmp_path):
    home = tmp_path / "home"
    copy_home(built_home, home)
    shutil.rmtree(home / "dbt")  # what dbt parsed of this checkout
    (tmp_path / "instances.json").write_text(block("json"))
    commands = [shlex.split(line) for line in block("sh").splitlines()]
    assert [c[:2] for c in commands] == [["accelmart", w] for w in ("fetch", "build", "sql", "sql")]
    outputs = []
    for _, *arguments in commands:
        done = accelmart(home, *arguments, cwd=tmp_path, settings={"PYTHONPATH": str(checkout)}, timeout=900)
        assert done.returncode == 0, done.stdout + done.stderr
        outputs.append(done.stdout)
    # 23.92 US$ an hour for 8 accelerators
    assert re.search(r"h100-8x\W+on_demand\W+2\.99\b", outputs[2]), outputs[2]
    assert "spot" not in outputs[2]
    assert re.search(r"instances\[1\]", outputs[3]) and "what has no price is no offer" in outputs[3]
