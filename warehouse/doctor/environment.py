"""Check the interpreter, the installed packages, the settings and the keys of sources."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from packaging.requirements import Requirement

from ingest.core.errors import AccelmartError
from ingest.core.source import Source
from warehouse.doctor.finding import Finding
from warehouse.home import DBT_PROJECT_DIR, Home
from warehouse.overrides import read_overrides
from warehouse.scenarios import read_scenarios

LOCK_FILE = DBT_PROJECT_DIR.parent / "requirements.lock"


def python_and_packages(lock: Path = LOCK_FILE) -> Iterator[Finding]:
    """Check the Python version, and compare the installed packages with the lock file they are tested with."""
    python = sys.version_info
    shown = f"{python.major}.{python.minor}.{python.micro}"
    yield (
        Finding("python", "ok", shown)
        if python >= (3, 11)
        else Finding("python", "fail", shown, "install Python 3.11 or newer and recreate the environment")
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
        yield Finding("packages", "ok", f"{engines}; not compared: the code has no {lock.name}")
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
            f"versions differ from the tested ones: {', '.join(other)}",
            "pip install --require-hashes -r requirements.lock",
        )
        if other
        else Finding("packages", "ok", f"{engines}; as in {lock.name}")
    )


_EXTRA = "pipeline"  # packages that building needs, beside those that reading needs


def _required() -> list[Requirement]:
    try:
        named = requires("accelmart") or []
    except PackageNotFoundError:
        named = []
    requirements = [Requirement(line) for line in named]
    return [r for r in requirements if r.marker is None or r.marker.evaluate({"extra": _EXTRA})]


def _locked(lock: Path) -> Iterator[Requirement]:
    for line in lock.read_text(encoding="utf-8").splitlines():
        if line[:1].isalnum():
            requirement = Requirement(line.removesuffix("\\").strip())
            if requirement.marker is None or requirement.marker.evaluate():
                yield requirement


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def user_files(home: Home) -> Iterator[Finding]:
    """Read the user's scenarios and overrides as the commands do."""
    readers: dict[str, Callable[[], object]] = {}
    stated = home.scenarios
    if stated.exists():
        readers[stated.name] = lambda: read_scenarios(stated)
    if home.overrides.exists():
        readers["overrides"] = lambda: read_overrides(home)
    for name, read in readers.items():
        try:
            read()
        except (AccelmartError, ValueError) as e:
            yield Finding("settings", "fail", f"{name}: {e}", "correct or remove it")
            continue
        yield Finding("settings", "ok", name)


def keys(sources: Iterable[Source], environment: Mapping[str, str]) -> Iterator[Finding]:
    """Report which sources need a key and whether it is set. Keys are never shown."""

    def is_set(name: str) -> bool:
        return bool(environment.get(name, "").strip())

    for source in sources:
        missing = [n for n in source.needs if not is_set(n)]
        if missing and source.needs_because:
            yield Finding(f"key: {source.name}", "ok", f"not asked: {source.needs_because}")
        elif missing:
            yield Finding(
                f"key: {source.name}",
                "warn",
                f"{', '.join(missing)} not set: this source is not fetched",
                f"set it in the environment of daemon and commands, or ignore this; see {source.home_url}",
            )
        elif source.needs or source.optional:
            shown = [f"{n} set" for n in source.needs] + [
                f"{n} {'set' if is_set(n) else 'not set (optional)'}" for n in source.optional
            ]
            yield Finding(f"key: {source.name}", "ok", ", ".join(shown))
