"""What dbt parsed is used until the project, an engine or the place changes."""

import shutil
import subprocess
from pathlib import Path

import pytest

from warehouse import dbt, fingerprint
from warehouse.build_folder import Build
from warehouse.home import Home


@pytest.fixture
def asked(monkeypatch):
    """Commands of dbt that are started; they parse nothing and write empty files."""
    commands = []

    def run(command, **_):
        commands.append(command[2])
        target = Path(command[command.index("--target-path") + 1])
        for name in (dbt.PARSED, dbt.MANIFEST):
            (target / name).write_text("{}")
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(dbt.subprocess, "run", run)
    return commands


def test_the_project_is_parsed_again_for_another_engine_or_place(asked, tmp_path, monkeypatch):
    home, moved = Home(tmp_path / "home", "x"), Home(tmp_path / "moved", "x")
    assert dbt.manifest(home) == dbt.manifest(home) and asked == ["parse"]  # once
    shutil.copytree(home.dbt_target, moved.dbt_target)
    assert dbt.manifest(moved) == dbt.manifest(moved) and asked == ["parse"] * 2
    installed = fingerprint.version
    monkeypatch.setattr(
        fingerprint, "version", lambda package: "99" if package == "dbt-core" else installed(package)
    )
    dbt.manifest(moved)
    assert asked == ["parse"] * 3


def built(folder, content):
    """A build of which dbt parsed this."""
    build = Build(folder)
    build.target.mkdir(parents=True)
    (build.target / dbt.PARSED).write_bytes(content)
    (build.target / dbt.MANIFEST).write_text("{}")
    return build


def starts_from(home, folder):
    """Return what the next build starts from; None if dbt parses every file."""
    build = Build(folder)
    build.folder.mkdir()
    dbt.start_from_parsed(home, build)
    parsed = build.target / dbt.PARSED
    return parsed.read_bytes() if parsed.exists() else None


def test_a_build_starts_from_what_was_parsed_in_its_place_alone(tmp_path, monkeypatch):
    """dbt's parsed seeds hold the paths of their files: those of a data root that was moved are gone."""
    home, moved = Home(tmp_path / "home", "x"), Home(tmp_path / "moved", "x")
    assert starts_from(home, tmp_path / "first") is None
    dbt.keep_parsed(home, built(tmp_path / "1", b"first"))
    shutil.copytree(home.dbt_target, moved.dbt_target)
    assert starts_from(moved, tmp_path / "there") is None
    monkeypatch.setattr(dbt, "dbt_rules", lambda: "a changed project")
    assert starts_from(home, tmp_path / "changed") == b"first"  # dbt parses the changed files again
    (home.dbt_target / "manifest.json").write_text("of an earlier version")
    dbt.keep_parsed(home, built(tmp_path / "2", b"second"))
    assert starts_from(home, tmp_path / "second") == b"second"
    (kept,) = home.dbt_target.iterdir()  # the others are gone
    assert {path.suffix for path in kept.iterdir()} == {".json", ".msgpack"}


def test_a_damaged_parse_is_not_used(tmp_path):
    """A flipped byte could be a digit of a formula."""
    home = Home(tmp_path / "home", "x")
    dbt.keep_parsed(home, built(tmp_path / "built", b"parsed"))
    (kept,) = home.dbt_target.glob("*/*.msgpack")
    kept.write_bytes(b"qarsed")
    assert starts_from(home, tmp_path / "next") is None
