"""Imports point one way: orchestration → warehouse → ingest; inside ingest, sources → core and nothing of each other. No circles.

The readers' package imports nothing of the pipeline. The client that asks servers, and what it needs, lies in it, because
its wheel holds nothing else and `accelmart pull` asks servers too; the whole pipeline may use these modules of it.
"""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

GROUND = tuple(f"accelmart.{name}." for name in ("errors", "hosts", "http", "urls"))
ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("accelmart", "orchestration", "warehouse", "ingest")
PIPELINE = PACKAGES[1:]
SOURCES = {path.parent.name for path in (ROOT / "ingest").glob("*/__init__.py")} - {"core"}


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
        if f"{m}.".startswith(f"{package}.")
        and (imported is None or f"{i}.".startswith(f"{imported}."))
        and not (package in PIPELINE and i.startswith(GROUND))
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


def test_readers_import_nothing_of_the_pipeline():
    """Its commands join by an entry point (pyproject.toml)."""
    assert of("accelmart", "orchestration") == []
    readers = [line for line in of("orchestration", "accelmart") if not line.startswith("orchestration.cli.")]
    assert of("orchestration.cli", "accelmart") and readers == []


def modules():
    """Every module of the product with the modules of the product that it imports."""
    known = {m.removesuffix(".__init__") for m, _, _ in IMPORTS} | {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
    }
    graph = {module: set() for module in known}
    for module, _, imported in IMPORTS:
        name = module.removesuffix(".__init__")
        while imported not in known:
            imported = imported.rpartition(".")[0]
        # a package hands names on: an import of it from inside is no tie
        if not f"{name}.".startswith(f"{imported}."):
            graph[name].add(imported)
    return graph


def test_modules_import_each_other_in_no_circle():
    graph = modules()
    assert len(graph) > 200
    list(TopologicalSorter(graph).static_order())  # raises CycleError, which names the circle


def test_own_modules_are_imported_at_the_top():
    """Inside a function only in the two command lines, which start quickly because of it."""
    found = []
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            if path.is_relative_to(ROOT / package / "cli"):
                continue
            for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                    found += [
                        f"{path.relative_to(ROOT)}:{node.lineno}"
                        for node in ast.walk(function)
                        if isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] in PACKAGES
                    ]
    assert found == []


def test_functions_stay_under_80_lines():
    sizes = {
        f"{path.relative_to(ROOT)}:{node.name}": (node.end_lineno or 0) - node.lineno + 1
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert len(sizes) > 1000 and {name: lines for name, lines in sizes.items() if lines > 80} == {}


@pytest.mark.parametrize("source", sorted(SOURCES))
def test_core_imports_no_source(source):
    assert of("ingest.core", f"ingest.{source}") == []


@pytest.mark.parametrize("source", sorted(SOURCES))
def test_sources_import_nothing_of_each_other(source):
    assert [line for other in SOURCES - {source} for line in of(f"ingest.{source}", f"ingest.{other}")] == []


def test_core_imports_nothing_of_ingest_but_itself():
    assert [line for line in of("ingest.core", "ingest") if " ingest.core." not in line] == []
