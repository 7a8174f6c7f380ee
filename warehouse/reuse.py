"""What a build takes over from the published generation: tables and tests for which nothing they depend on has changed.

Every node of the dbt project has a version: a hash over its definition, the macros it calls and the versions of what it
reads, down to the contents of the raw files. Equal versions mean equal rows, so a table of the same version is copied
from the published file, and a test of the same version is not run again: it passed, or its warnings are known. A unit
test reads rows of its own: its version rests on definitions alone, so that it is run once for them, whatever the data
and the seeds hold.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import duckdb

from warehouse.build import Build
from warehouse.files import written_whole
from warehouse.fingerprint import engines
from warehouse.home import DBT_PROJECT_DIR, Home
from warehouse.publish import predecessor

PASSED_FILE = "passed_without_data.json"
"""In `Home.dbt_target`: versions of the tests that read no data and passed."""

_DEFINITION = (
    "raw_code",
    "checksum",
    "config",
    "columns",
    "constraints",
    "contract",
    "description",
    "test_metadata",
    "column_name",
    # of a unit test
    "given",
    "expect",
    "overrides",
)
# the name in a unit test's ref('name')
_REFERRED = re.compile(r"ref\(\s*['\"]([^'\"]+)['\"]\s*\)")
_TABLES = ("model", "seed")
_TESTS = ("test", "unit_test")
Versions = dict[str, str]


def _hash(*words: str) -> str:
    return hashlib.sha256("\n".join(words).encode()).hexdigest()


class _Project:
    """Versions of the nodes of a parsed dbt project.

    Args:
        manifest: dbt's manifest.
        raw: versions of raw tables by name; None gives versions of definitions, whatever the data.
        with_seeds: whether the rows of seeds count.
    """

    def __init__(
        self, manifest: Mapping[str, Any], raw: Mapping[str, str] | None, *, with_seeds: bool = True
    ) -> None:
        self._definition_of_seeds = tuple(n for n in _DEFINITION if with_seeds or n != "checksum")
        self._nodes = {**manifest["nodes"], **manifest["sources"], **manifest["unit_tests"]}
        self._macros, self._raw = manifest["macros"], raw
        self._seen: Versions = {}
        self._base = _hash(
            engines(),
            *((DBT_PROJECT_DIR / name).read_text("utf-8") for name in ("dbt_project.yml", "profiles.yml")),
            *(self.macro(unique_id) for unique_id in self._called_by_dbt(manifest)),
        )

    def _called_by_dbt(self, manifest: Mapping[str, Any]) -> list[str]:
        """Macros of the project that nothing in it calls, such as materializations: dbt calls them for any node."""
        callers = [*self._nodes.values(), *self._macros.values()]
        called = {macro for caller in callers for macro in caller.get("depends_on", {}).get("macros", ())}
        name = manifest["metadata"]["project_name"]
        return sorted(u for u, m in self._macros.items() if m["package_name"] == name and u not in called)

    @cache  # noqa: B019  # lives as long as the project, a moment
    def macro(self, unique_id: str) -> str:
        """Version of a macro: its text, and the versions of those it calls."""
        macro = self._macros.get(unique_id, {"macro_sql": "", "depends_on": {"macros": ()}})
        return _hash(macro["macro_sql"], *map(self.macro, sorted(macro["depends_on"]["macros"])))

    def version(self, unique_id: str) -> str:
        """Version of a node."""
        if unique_id not in self._seen:
            node = self._nodes[unique_id]
            definition = self._definition_of_seeds if node["resource_type"] == "seed" else _DEFINITION
            depends_on = node.get("depends_on", {})
            self._seen[unique_id] = _hash(
                self._base,
                json.dumps([node.get(name) for name in definition], sort_keys=True, default=str),
                *map(self.macro, sorted(depends_on.get("macros", ()))),
                *map(self.version, sorted(depends_on.get("nodes", ()))),
                (self._raw or {}).get(node["name"], "") if node["resource_type"] == "source" else "",
            )
        return self._seen[unique_id]


def node_versions(manifest: Mapping[str, Any], raw: Path) -> Versions:
    """Return the version of every table and test of the project.

    Args:
        manifest: dbt's manifest.
        raw: folder of the raw tables of a build, one folder of Parquet files for each.

    Returns:
        Unique id of dbt → version. Of tests, those that read only seeds and unit tests have the same version whatever
        the raw tables hold.
    """
    data = _Project(manifest, {folder.name: _contents(folder) for folder in raw.iterdir()})
    versions = {u: data.version(u) for u, n in manifest["nodes"].items() if n["resource_type"] != "operation"}
    return versions | _versions_of_unit_tests(manifest)


def _versions_of_unit_tests(manifest: Mapping[str, Any]) -> Versions:
    """Return the versions of unit tests: of rows, only those of the seeds count that a test reads as they are."""
    rules, shapes = _Project(manifest, None), _Project(manifest, None, with_seeds=False)
    seeds = {n["name"]: u for u, n in manifest["nodes"].items() if n["resource_type"] == "seed"}
    return {
        u: _hash(
            shapes.version(u),
            *(
                rules.version(seeds[name])
                for given in test.get("given") or ()
                for name in _REFERRED.findall(given["input"])
                if name in seeds
            ),
        )
        for u, test in manifest["unit_tests"].items()
    }


def _contents(folder: Path) -> str:
    return _hash(
        *(hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.glob("*.parquet")))
    )


def tests_without_data(manifest: Mapping[str, Any]) -> list[str]:
    """Return the unique ids of unit tests, and of tests of seeds alone: their results do not depend on any payload."""
    return [
        u for u in (*manifest["nodes"], *manifest["unit_tests"]) if _is_test(u) and reads_no_data(manifest, u)
    ]


def are_rules_tested(home: Home, manifest: Mapping[str, Any]) -> bool:
    """Whether every test that reads no data has passed with the present project and engines."""
    rules, passed = _Project(manifest, None), _read(home.dbt_target / PASSED_FILE)
    unit_tests = _versions_of_unit_tests(manifest)
    return all(passed.get(u) == (unit_tests.get(u) or rules.version(u)) for u in tests_without_data(manifest))


def reads_no_data(manifest: Mapping[str, Any], unique_id: str) -> bool:
    """Whether a node is a unit test, or a test of seeds alone."""
    node = manifest["unit_tests"].get(unique_id) or manifest["nodes"][unique_id]
    parents = node["depends_on"]["nodes"] if node["resource_type"] == "test" else ()
    return node["resource_type"] == "unit_test" or (
        bool(parents) and all(manifest["nodes"].get(p, {}).get("resource_type") == "seed" for p in parents)
    )


@dataclass(frozen=True)
class Reused:
    """What a build takes over.

    Args:
        generation_id: the generation that tables are copied from; empty if none are.
        tables: unique ids of models and seeds copied, each after those that it reads.
        tests: unique ids of tests that are not run again.
        versions: of all tables and tests of the project.
    """

    generation_id: str
    tables: tuple[str, ...]
    tests: frozenset[str]
    versions: Versions

    def write_state(self, folder: Path) -> None:
        """Write what was taken over as results of an earlier run, for dbt's ``--state``.

        ``--exclude result:success`` leaves these nodes out in one step; by their names it would take two seconds.

        Args:
            folder: is made.
        """
        nothing = {
            "timing": [],
            "thread_id": "",
            "execution_time": 0,
            "adapter_response": {},
            "message": None,
        }
        unknown = dict.fromkeys(("failures", "compiled", "compiled_code", "relation_name"))
        results = [
            {"unique_id": u, "status": "success", **nothing, **unknown}
            for u in sorted({*self.tables, *self.tests})
        ]
        schema = {"dbt_schema_version": "https://schemas.getdbt.com/dbt/run-results/v6.json"}
        folder.mkdir()
        (folder / "run_results.json").write_text(
            json.dumps({"metadata": schema, "results": results, "elapsed_time": 0, "args": {}}),
            encoding="utf-8",
        )


NOTHING_REUSED = Reused("", (), frozenset(), {})


def reuse(home: Home, build: Build, manifest: Mapping[str, Any], *, from_scratch: bool = False) -> Reused:
    """Put what has not changed since the published generation into the file of a build.

    Args:
        home: the installation.
        build: prepared, without a file.
        manifest: dbt's manifest of the present project.
        from_scratch: take over no table.

    Returns:
        What was taken over; dbt has to make the rest.
    """
    versions = node_versions(manifest, build.raw)
    passed = _read(home.dbt_target / PASSED_FILE)
    generation_id, known = ("", {}) if from_scratch else _known(home)
    nodes = {**manifest["nodes"], **manifest["unit_tests"]}
    same = {u for u, version in versions.items() if version in (known.get(u), passed.get(u))}
    tests = {u for u in same if nodes[u]["resource_type"] in _TESTS}
    # dbt leaves out a test whose tables are all left out: those of a test that was edited are made again
    edited = [
        set(nodes[u]["depends_on"]["nodes"])
        for u in versions.keys() - same
        if nodes[u]["resource_type"] in _TESTS
    ]
    tables = _with_all_they_read(nodes, same.difference(*(read for read in edited if read <= same)))
    if tables:
        shutil.copyfile(home.generations / f"{generation_id}.duckdb", build.database)
        _keep_only(build.database, [nodes[u] for u in tables])
    return Reused(generation_id if tables else "", tuple(tables), frozenset(tests), versions)


def _with_all_they_read(nodes: Mapping[str, Any], candidates: Collection[str]) -> list[str]:
    """Return the tables of which everything they read is among the candidates too, what is read first."""
    parents = {
        u: [p for p in n["depends_on"].get("nodes", ()) if p in nodes]
        for u, n in nodes.items()
        if n["resource_type"] in _TABLES
    }
    tables: dict[str, None] = {}
    for u in TopologicalSorter(parents).static_order():
        if u in candidates and all(p in tables for p in parents[u]):
            tables[u] = None
    return list(tables)


def _keep_only(database: Path, nodes: Iterable[Mapping[str, Any]]) -> None:
    """Drop every relation and macro of a file but these tables and the views that show them."""
    kept = {(node["schema"], node["name"]) for node in nodes}
    names = {name for _, name in kept}
    with duckdb.connect(str(database)) as db:
        dropped = [
            *(
                f'drop view "{schema}"."{name}"'
                for schema, name in db.execute(
                    "select schema_name, view_name from duckdb_views() where not internal"
                ).fetchall()
                if name not in names
            ),
            *(
                f'drop table "{schema}"."{name}" cascade'
                for schema, name in db.execute(
                    "select schema_name, table_name from duckdb_tables() where not internal"
                ).fetchall()
                if (schema, name) not in kept
            ),
            *(
                f'drop macro {"table " if kind == "table_macro" else ""}"{schema}"."{name}"'
                for schema, name, kind in db.execute(
                    "select distinct schema_name, function_name, function_type from duckdb_functions() "
                    "where not internal"
                ).fetchall()
            ),
        ]
        for statement in dropped:
            db.execute(statement)
        db.execute("checkpoint")


def _versions_path(home: Home, generation_id: str) -> Path:
    return home.generations / f"{generation_id}.versions.json"


def _known(home: Home) -> tuple[str, Versions]:
    """Return the id of the published generation and its versions; none if its file was changed since publication."""
    published = predecessor(home)
    if published is None:
        return "", {}
    generation_id = published.generation_id
    kept = _read(_versions_path(home, generation_id))
    file = home.generations / f"{generation_id}.duckdb"
    if not kept or not file.exists() or kept.pop("file") != _hash_of(file):
        return "", {}
    return generation_id, kept


def unchanged_models(home: Home, generation_id: str, earlier_id: str) -> set[str]:
    """Return the names of models with the same rows and descriptions in two kept generations; none if unknown.

    Args:
        home: the installation.
        generation_id: one generation.
        earlier_id: the other one.
    """
    one, other = (_read(_versions_path(home, g)) for g in (generation_id, earlier_id))
    return {u.split(".")[2] for u in one if u.startswith("model.") and one[u] == other.get(u)}


def _hash_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _read(path: Path) -> Versions:
    try:
        kept: Versions = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return kept


def remember_versions(
    home: Home, generation_id: str, versions: Versions, manifest: Mapping[str, Any], warned: Collection[str]
) -> None:
    """Keep the versions of a generation that was published: all of its tests passed, or warned.

    Args:
        home: the installation.
        generation_id: of the published generation, which keeps its warnings.
        versions: from `Reused`.
        manifest: dbt's manifest.
        warned: names of the tests that warned.
    """
    file = home.generations / f"{generation_id}.duckdb"
    _write(_versions_path(home, generation_id), versions | {"file": _hash_of(file)})
    passed = {
        u: v
        for u, v in versions.items()
        if _is_test(u) and reads_no_data(manifest, u) and u.split(".")[2] not in warned
    }
    _write(home.dbt_target / PASSED_FILE, passed)
    kept = {path.stem for path in home.generations.glob("*.duckdb")}
    for path in home.generations.glob("*.versions.json"):
        if path.name.removesuffix(".versions.json") not in kept:
            path.unlink()


def _is_test(unique_id: str) -> bool:
    return unique_id.partition(".")[0] in _TESTS


def _write(path: Path, versions: Versions) -> None:
    with written_whole(path) as temporary:
        temporary.write_text(json.dumps(versions, indent=0, sort_keys=True), encoding="utf-8")
