"""Imports point one way: orchestration → warehouse → ingest; inside each, from the top down. No circles.

The readers' package imports nothing of the pipeline, which takes from it what a reader needs too, because its wheel holds
nothing else: the one way to open a file, the id of a generation, and the client that asks servers. DuckDB is connected to
in places that are listed here.
"""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

GROUND = tuple(
    f"accelmart.{name}." for name in ("errors", "generation", "hosts", "http", "opening", "spelling", "urls")
)
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
        ("ingest", "accelmart"),
        ("accelmart", "ingest"),
        ("accelmart", "warehouse"),
    ],
)
def test_no_package_imports_one_above_it(package, imported):
    assert of(package, imported) == []


FLOORS = ("storage", "publication", "decisions", "inputs", "outputs", "build")
"""Folders of `warehouse`, each of which imports only those before it."""


def test_no_folder_of_the_warehouse_imports_one_above_it():
    folders = {path.parent.name for path in (ROOT / "warehouse").glob("*/__init__.py")}
    assert folders == set(FLOORS) and of("warehouse.build", "warehouse.storage")
    above = [
        line
        for number, low in enumerate(FLOORS)
        for high in FLOORS[number + 1 :]
        for line in of(f"warehouse.{low}", f"warehouse.{high}")
    ]
    assert above == []


def test_readers_import_nothing_of_the_pipeline():
    """Its commands join by an entry point (pyproject.toml)."""
    assert of("accelmart", "orchestration") == []
    readers = [line for line in of("orchestration", "accelmart") if not line.startswith("orchestration.cli.")]
    assert of("orchestration.cli", "accelmart") and readers == []


# each place that connects to DuckDB by itself, and why it does not go through the first one
CONNECTS = {
    "accelmart/opening.py:open_file": "the one way to open a warehouse file",
    "warehouse/build/folder.py:close": "writes to the file of a build of one's own, which nobody has seen yet",
    "warehouse/build/folder.py:opened": "that file with its raw parts, as dbt's compiled tests name both",
    "warehouse/build/dbt.py:writer": "in memory, to copy the file of such a build",
    "warehouse/build/changes.py:export_previous": "in memory: the empty tables of a first build",
    "warehouse/inputs/isolation.py:_query": "in memory, over rows that were parsed here",
    "warehouse/decisions/overrides.py:_problems_of": "in memory, over the user's own CSV",
    "warehouse/inputs/price_spark.py:join": "in memory, over Parquet that was parsed here",
    "warehouse/inputs/raw.py:read_parts": "in memory, over Parquet that was parsed here",
}


def test_duckdb_is_connected_to_in_known_places_alone():
    """Nor is DuckDB's connection of the whole process used, which functions of its module share."""
    found = set()
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                    continue
                for node in ast.walk(function):
                    called = getattr(node, "func", None)
                    is_of_duckdb = (
                        isinstance(called, ast.Attribute) and getattr(called.value, "id", "") == "duckdb"
                    )
                    if is_of_duckdb and called.attr[0].islower():
                        assert called.attr == "connect", f"{path}:{node.lineno}"
                        found.add(f"{path.relative_to(ROOT)}:{function.name}")
    assert found == set(CONNECTS)


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
