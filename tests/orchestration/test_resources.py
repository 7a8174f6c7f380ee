"""What dbt parsed is used until the project, an engine or the place changes."""

import shutil
import subprocess

import pytest

from warehouse import dbt, fingerprint
from warehouse.build_folder import Build
from warehouse.home import Home


@pytest.fixture
def parsed(home, tmp_path):
    """A data root in which the present project was parsed, under the path of the session's."""
    return Home(home, "x")


@pytest.fixture
def asked(monkeypatch):
    """Commands of dbt that are started; none of them does anything."""
    commands = []

    def run(command, **_):
        commands.append(command[2])
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(dbt.subprocess, "run", run)
    return commands


def copied(parsed, to):
    shutil.copytree(parsed.dbt_target, to / "dbt")
    return Home(to, "x")


def test_the_project_is_not_parsed_twice(definitions, parsed, asked):
    assert dbt.manifest(parsed) == dbt.manifest(parsed) == parsed.dbt_target / "manifest.json"
    assert asked == []


def test_another_engine_or_place_parses_again(definitions, parsed, asked, tmp_path, monkeypatch):
    moved = copied(parsed, tmp_path / "moved")
    assert dbt.manifest(moved) == dbt.manifest(moved) and asked == ["parse"]  # once
    installed = fingerprint.version
    monkeypatch.setattr(
        fingerprint, "version", lambda package: "99" if package == "dbt-core" else installed(package)
    )
    dbt.manifest(moved)
    assert asked == ["parse"] * 2


def test_a_damaged_or_missing_parse_is_not_used(tmp_path):
    """A flipped byte could be a digit of a formula."""
    home, built = Home(tmp_path / "home", "x"), Build(tmp_path / "built")
    (built.target / dbt.COMPILED / dbt.PROJECT).mkdir(parents=True)
    (built.target / dbt.PARSED).write_bytes(b"parsed")
    (built.target / dbt.MANIFEST).write_text("{}")
    dbt.keep_parsed(home, built)
    seen = {}
    for state, content in {"whole": b"parsed", "damaged": b"qarsed", "missing": None}.items():
        path = home.dbt_target / dbt.PARSED
        path.write_bytes(content) if content else path.unlink()
        next_build = Build(tmp_path / state)
        next_build.folder.mkdir()
        dbt.start_from_parsed(home, next_build)
        seen[state] = [p.name for p in next_build.target.iterdir()]
    assert seen == {"whole": [dbt.PARSED], "damaged": [], "missing": []}


def test_a_build_starts_from_what_was_parsed_in_its_place_alone(definitions, parsed, tmp_path):
    """dbt's parsed seeds hold the paths of their files: those of a data root that was moved are gone."""
    here, there = Build(tmp_path / "here"), Build(tmp_path / "there")
    for build, home in ((here, parsed), (there, copied(parsed, tmp_path / "moved"))):
        build.folder.mkdir()
        dbt.start_from_parsed(home, build)
    assert (here.target / dbt.PARSED).exists() and not (there.target / dbt.PARSED).exists()
