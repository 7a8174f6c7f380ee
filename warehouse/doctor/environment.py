"""Check the interpreter, the installed packages, the settings and the keys of sources."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from packaging.requirements import Requirement

from ingest.core.errors import AccelmartError
from ingest.core.list_source import ListSource
from warehouse.build import scenarios_file
from warehouse.doctor.finding import Finding
from warehouse.home import DBT_PROJECT_DIR, Home
from warehouse.overrides import folder as overrides_folder
from warehouse.overrides import read_overrides
from warehouse.scenarios import read_scenarios

LOCK_FILE = DBT_PROJECT_DIR.parent / "requirements.lock"


def python_and_packages(lock: Path = LOCK_FILE) -> Iterator[Finding]:
    """The interpreter, and the installed packages against the lock they are tested with."""
    found = sys.version_info
    told = f"{found.major}.{found.minor}.{found.micro}"
    yield (
        Finding("python", "ok", told)
        if found >= (3, 11)
        else Finding("python", "fail", told, "install Python 3.11 or newer and make the environment anew")
    )
    missing = [r.name for r in _required() if _installed(r.name) is None]
    if missing:
        yield Finding(
            "packages",
            "fail",
            f"not installed: {', '.join(missing)}",
            "pip install --require-hashes -r requirements.lock",
        )
        return
    engines = ", ".join(f"{n} {_installed(n)}" for n in ("dagster", "dbt-core", "dbt-duckdb", "duckdb"))
    if not lock.exists():
        yield Finding("packages", "ok", f"{engines}; not compared, there is no {lock.name} beside the code")
        return
    other = [
        f"{r.name} {_installed(r.name)} ({r.specifier} in the lock)"
        for r in _locked(lock)
        if (v := _installed(r.name)) is not None and not r.specifier.contains(v, prereleases=True)
    ]
    yield (
        Finding(
            "packages",
            "warn",
            f"other versions than were tested: {', '.join(other)}",
            "pip install --require-hashes -r requirements.lock",
        )
        if other
        else Finding("packages", "ok", f"{engines}; as in {lock.name}")
    )


def _required() -> list[Requirement]:
    try:
        named = requires("accelmart") or []
    except PackageNotFoundError:
        named = []
    found = [Requirement(line) for line in named]
    return [r for r in found if r.marker is None or r.marker.evaluate({"extra": ""})]


def _locked(lock: Path) -> Iterator[Requirement]:
    for line in lock.read_text(encoding="utf-8").splitlines():
        if line[:1].isalnum():
            found = Requirement(line.removesuffix("\\").strip())
            if found.marker is None or found.marker.evaluate():
                yield found


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def user_files(home: Home) -> Iterator[Finding]:
    """Read the user's scenarios and overrides as the commands do."""
    readers: dict[str, Callable[[], object]] = {}
    stated = scenarios_file(home)
    if stated.exists():
        readers[stated.name] = lambda: read_scenarios(stated)
    if overrides_folder(home).exists():
        readers["overrides"] = lambda: read_overrides(home)
    for name, read in readers.items():
        try:
            read()
        except (AccelmartError, ValueError) as e:
            yield Finding("settings", "fail", f"{name}: {e}", "correct or remove it")
            continue
        yield Finding("settings", "ok", name)


def keys(sources: Iterable[ListSource], environment: Mapping[str, str]) -> Iterator[Finding]:
    """Which sources want a key, and whether it is set. Never what it is."""

    def is_set(name: str) -> bool:
        return bool(environment.get(name, "").strip())

    for source in sources:
        if missing := [n for n in source.needs if not is_set(n)]:
            yield Finding(
                f"key: {source.name}",
                "warn",
                f"{', '.join(missing)} not set: this source is not asked",
                f"set it in the environment of daemon and commands, or do without; see {source.home_url}",
            )
        elif source.needs or source.optional:
            told = [f"{n} set" for n in source.needs] + [
                f"{n} {'set' if is_set(n) else 'not set (optional)'}" for n in source.optional
            ]
            yield Finding(f"key: {source.name}", "ok", ", ".join(told))
