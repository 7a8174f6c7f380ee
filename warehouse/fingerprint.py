"""The one definition of "changed": hashes of everything that a build, or something cached, depends on.

`inputs` names all inputs of a build. A derived cache is keyed by those of them that it depends on: `dbt_rules` (parsed
manifest) and `fold_rules` (folded months of prices). This module imports neither Dagster, dbt nor a parser, so that
`known_generation` takes a fraction of a second.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib.metadata import version as installed_version
from pathlib import Path

from ingest.core.landing import Landing
from warehouse.files import written_whole
from warehouse.home import DBT_PROJECT_DIR, SNAPSHOT_DIR, Home
from warehouse.publish import Generation, publication, published_copy

# reads a file of the package each time
version = cache(installed_version)
CODE_DIR = Path(__file__).resolve().parent.parent
_ENGINES = ("duckdb", "dbt-core", "dbt-duckdb")
_PROJECT_SUFFIXES = (".sql", ".yml", ".csv", ".md")
# what is made of the files beside it; the snapshot is an input of its own kind
_LEFT_OUT = {"target", "logs", "__pycache__", "snapshot"}
_IMPORT = re.compile(r"^\s*(?:from|import) warehouse\.(\w+)", re.MULTILINE)


def _hash(words: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(words).encode()).hexdigest()


def _hash_files(root: Path, paths: Iterable[Path]) -> str:
    """Hash over names and contents; empty without any file."""
    words = [
        f"{path.relative_to(root).as_posix()} {hashlib.sha256(path.read_bytes()).hexdigest()}"
        for path in sorted(paths)
    ]
    return _hash(words) if words else ""


def _files(folder: Path, suffixes: tuple[str, ...] = ("",)) -> Iterator[Path]:
    """Files below a folder, without hidden and derived ones."""
    for parent, folders, names in os.walk(folder):
        folders[:] = [f for f in folders if f not in _LEFT_OUT and not f.startswith(".")]
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
    """Key of what follows from the dbt project without any data: its its parsed manifest."""
    return _hash([dbt_project(), engines()])


def fold_rules() -> str:
    """Key of folded months of prices, beside the polls: the code that folds, and DuckDB."""
    modules = [
        CODE_DIR / "warehouse" / f"{name}.py"
        for name in ("price_runs", "price_fold", "price_intervals", "parquet")
    ]
    return _hash([_hash_files(CODE_DIR, modules), engines("duckdb")])


def build_code() -> str:
    """Code that makes a build of parsed payloads. Parsers count by their versions, in the names of what they parsed."""
    return _hash_files(CODE_DIR, build_modules())


def build_modules() -> set[Path]:
    """Files of `warehouse.prepare` and of all that it imports of this package, directly or not."""
    modules: set[Path] = set()
    names = ["prepare"]
    while names:
        place = CODE_DIR / "warehouse" / names.pop()
        files = set(_files(place, (".py",)) if place.is_dir() else [place.with_suffix(".py")]) - modules
        modules |= files
        names += [name for file in files for name in _IMPORT.findall(file.read_text(encoding="utf-8"))]
    return modules


def scenarios(home: Home) -> str:
    """The user's own assumptions about ownership; empty without any."""
    return _hash_one(home, home.scenarios)


def overrides(home: Home) -> str:
    """The user's additions to the reference seeds; empty without any."""
    return _hash_files(home.overrides, _files(home.overrides))


def _landed(home: Home) -> str:
    """Records of the landing zone: a record's name has the time and the payload's hash, its content never changes."""
    landing = Landing(home.landing_url)
    return _hash(
        f"{source}/{folder}/{name}"
        for source in landing.sources()
        for folder, names in landing.record_names(source).items()
        for name in names
    )


def _hash_one(home: Home, path: Path) -> str:
    return _hash_files(home.root, [path] if path.exists() else [])


def inputs(home: Home) -> dict[str, str]:
    """Every input of a build by kind, each with its hash. Equal inputs give equal builds.

    Returns:
        Kind → hash; empty where an installation has none of that kind.
    """
    packages = (CODE_DIR / "ingest", CODE_DIR / "warehouse")
    return {
        "landed payloads": _landed(home),
        "snapshot": _hash_files(SNAPSHOT_DIR, _files(SNAPSHOT_DIR)),
        "holds": _hash_one(home, home.holds),
        "accepted payloads": _hash_one(home, home.accepted_payloads),
        "scenarios": scenarios(home),
        "overrides": overrides(home),
        "dbt project": dbt_project(),
        "code": _hash_files(CODE_DIR, [path for package in packages for path in _files(package)]),
        "engines": engines(*_ENGINES, "accelmart"),
    }


# --- the answer --------------------------------------------------------------------------------------------------


def remember(home: Home, seen: Mapping[str, str], fingerprint: str) -> None:
    """Keep the fingerprint of the build that follows from these inputs, so that it need not be worked out again.

    Args:
        home: the installation.
        seen: from `inputs`, before any of them was read for the fingerprint.
        fingerprint: from `warehouse.prepare.input_fingerprint`.
    """
    with written_whole(_memory(home)) as temporary:
        temporary.write_text(
            json.dumps({"inputs": seen, "fingerprint": fingerprint}, indent=1), encoding="utf-8"
        )


def remembered(home: Home) -> str | None:
    """The fingerprint kept for the present inputs; None when any of them has changed since."""
    try:
        kept = json.loads(_memory(home).read_text(encoding="utf-8"))
        return str(kept["fingerprint"]) if kept["inputs"] == inputs(home) else None
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None


def _memory(home: Home) -> Path:
    return home.raw / "inputs.json"


def known_generation(home: Home) -> Generation | None:
    """Return the published generation if it is pinned, or known to be that of the present inputs; else None.

    It costs a fraction of a second. `warehouse.prepare.current_generation` works out what is not known.
    """
    kept = published_copy(home)
    if kept is not None and publication(home).is_pinned:
        return replace(kept, path=home.published)
    return generation_of(home, remembered(home))


def generation_of(home: Home, fingerprint: str | None) -> Generation | None:
    """Return the published generation if it was built of inputs with this fingerprint, else None."""
    kept = published_copy(home)
    if kept is None or kept.input_fingerprint != fingerprint:
        return None
    return replace(kept, path=home.published)
