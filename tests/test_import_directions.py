"""Imports point one way: orchestration → warehouse → ingest; inside ingest, sources → core and nothing of each other.

The readers' package imports nothing of the pipeline, but for the line of its command that loads the pipeline's commands.
"""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("accelmart", "orchestration", "warehouse", "ingest")
SOURCES = {path.parent.name for path in (ROOT / "ingest").glob("*/__init__.py")} - {"core", "fetch"}


def imports():
    """(module, line, imported module) for every import in the product, those inside functions included."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom):
                    assert node.level == 0, f"{module}:{node.lineno} imports relatively"
                    yield from ((module, node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
                elif isinstance(node, ast.Import):
                    yield from ((module, node.lineno, alias.name) for alias in node.names)


IMPORTS = [(m, line, i) for m, line, i in imports() if i.split(".")[0] in PACKAGES]


def of(package, imported=None):
    return [
        f"{m}:{line} imports {i}"
        for m, line, i in IMPORTS
        if f"{m}.".startswith(f"{package}.") and (imported is None or f"{i}.".startswith(f"{imported}."))
    ]


def test_the_imports_of_every_package_are_read():
    assert {"orchestration", "warehouse", "ingest"} <= {m.split(".")[0] for m, _, _ in IMPORTS}
    assert (
        of("orchestration", "warehouse") and of("warehouse", "ingest") and of("ingest.prices", "ingest.core")
    )
    assert {"mlperf", "prices", "specs"} <= SOURCES


@pytest.mark.parametrize(
    ("package", "imported"),
    [
        ("warehouse", "orchestration"),
        ("ingest", "orchestration"),
        ("ingest", "warehouse"),
        ("warehouse", "accelmart"),
        ("ingest", "accelmart"),
        ("accelmart", "ingest"),
        ("accelmart", "warehouse"),
    ],
)
def test_no_package_imports_one_above_it(package, imported):
    assert of(package, imported) == []


def test_readers_and_pipeline_meet_in_the_command_line_alone():
    assert {(m, i) for m, _, i in IMPORTS if m.startswith("accelmart") and i.startswith("orchestration")} == {
        ("accelmart.cli.__init__", "orchestration.cli.app"),
        ("accelmart.cli.__init__", "orchestration.cli.end_process"),
    }
    readers = {m for m, _, i in IMPORTS if m.startswith("orchestration") and i.startswith("accelmart")}
    assert readers and all(m.startswith("orchestration.cli.") for m in readers)


@pytest.mark.parametrize("source", sorted(SOURCES))
def test_core_imports_no_source(source):
    assert of("ingest.core", f"ingest.{source}") == []


@pytest.mark.parametrize("source", sorted(SOURCES))
def test_sources_import_nothing_of_each_other(source):
    assert [line for other in SOURCES - {source} for line in of(f"ingest.{source}", f"ingest.{other}")] == []


def test_core_imports_nothing_of_ingest_but_itself():
    assert [line for line in of("ingest.core", "ingest") if " ingest.core." not in line] == []
