"""The one answer to "has anything changed?": hashes of all that a build, or dbt's manifest, depends on.

`input_fingerprint` covers all inputs of a build: landed payloads, the user's files, the operator's decisions, the dbt
project and the code; `dbt_rules` those of dbt's manifest. This module imports neither Dagster, dbt nor a parser, so
that the answer takes a fraction of a second.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from ingest.core.landing import Landing
from warehouse.publication.generation import Generation
from warehouse.publication.pointer import published_here
from warehouse.storage.files import sha256_of
from warehouse.storage.home import DBT_PROJECT_DIR, SNAPSHOT_DIR, Home

CODE_DIR = Path(__file__).resolve().parents[2]
_ENGINES = ("duckdb", "dbt-core", "dbt-duckdb")
_PROJECT_SUFFIXES = (".sql", ".py", ".yml", ".csv", ".md")
# what is made of the files beside it; the snapshot is an input of its own kind
_EXCLUDED = {"target", "logs", "__pycache__", "snapshot"}


def _hash(words: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(words).encode()).hexdigest()


def _hash_files(root: Path, paths: Iterable[Path]) -> str:
    """Hash over names and contents; empty without any file."""
    words = [f"{path.relative_to(root).as_posix()} {sha256_of(path)}" for path in sorted(paths)]
    return _hash(words) if words else ""


def _files(folder: Path, suffixes: tuple[str, ...] = ("",)) -> Iterator[Path]:
    """Files below a folder, without hidden and derived ones."""
    for parent, folders, names in os.walk(folder):
        folders[:] = [f for f in folders if f not in _EXCLUDED and not f.startswith(".")]
        yield from (
            Path(parent, name) for name in names if name.endswith(suffixes) and not name.startswith(".")
        )


# --- kinds of input ----------------------------------------------------------------------------------------------


def engines(*names: str) -> str:
    """Versions of installed packages, ``name==version``; default: those that run a build."""
    return " ".join(f"{name}=={version(name)}" for name in names or _ENGINES)


def dbt_project() -> str:
    """Models, macros, tests, seeds and their descriptions."""
    return _hash_files(DBT_PROJECT_DIR, _files(DBT_PROJECT_DIR, _PROJECT_SUFFIXES))


def dbt_rules() -> str:
    """Key of what follows from the dbt project without any data: its parsed manifest."""
    return _hash([dbt_project(), engines()])


def input_fingerprint(home: Home) -> str:
    """Return the hash of all inputs of a build. Equal inputs give equal builds.

    It has to be asked before the first of them is read: what changes or lands from there on counts the next time.
    """
    decisions = (home.holds, home.accepted_payloads, home.scenarios)
    packages = (CODE_DIR / "ingest", CODE_DIR / "warehouse")
    return _hash(
        [
            *Landing(home.landing_url).record_names(),
            _hash_files(SNAPSHOT_DIR, _files(SNAPSHOT_DIR)),
            _hash_files(home.root, [path for path in decisions if path.exists()]),
            _hash_files(home.overrides, _files(home.overrides)),
            dbt_project(),
            _hash_files(CODE_DIR, [path for package in packages for path in _files(package)]),
            engines(*_ENGINES, "accelmart"),
        ]
    )


def current_generation(home: Home) -> Generation | None:
    """Return the published generation if it is pinned, or that of the present inputs; None if there is one to build."""
    published = published_here(home)
    if published is None:
        return None
    generation = published.generation
    if published.is_pinned or generation.input_fingerprint == input_fingerprint(home):
        return replace(generation, path=home.published)
    return None
