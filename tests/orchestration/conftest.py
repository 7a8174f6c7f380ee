"""A data root with a parsed dbt project, shared by all tests that load the definitions."""

import json
import os

import dagster as dg
import pytest
from filelock import FileLock
from made import make_warehouse

from warehouse.build.dbt import manifest
from warehouse.inputs.fingerprint import input_fingerprint
from warehouse.outputs.croissant import croissant
from warehouse.publication.pointer import publish as publish_file
from warehouse.storage.home import Home


@pytest.fixture(scope="session")
def home(tmp_path_factory):
    shared = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        shared = shared.parent
    home = shared / "definitions"
    with FileLock(shared / "definitions.lock"):
        manifest(Home(home, "x"))
    return home


@pytest.fixture(scope="session")
def definitions(home):
    """The definitions, loaded in this process with default schedules."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [n for n in os.environ if n.startswith(("ACCELMART_", "DAGSTER_"))]:
            patch.delenv(name)
        patch.setenv("ACCELMART_HOME", str(home))
        from orchestration.definitions import defs

        yield defs


@pytest.fixture
def place(definitions, tmp_path, monkeypatch):
    """An empty data root without any settings."""
    for name in [n for n in os.environ if n.startswith(("ACCELMART_", "DAGSTER_", "GITHUB_"))]:
        monkeypatch.delenv(name)
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1,localhost")
    monkeypatch.setenv("ACCELMART_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def instance():
    with dg.DagsterInstance.ephemeral() as instance:
        yield instance


@pytest.fixture
def stored_instance(tmp_path_factory):
    """An instance on disk, which schedules need; ten times slower to create."""
    with dg.DagsterInstance.local_temp(str(tmp_path_factory.mktemp("instance"))) as instance:
        yield instance


@pytest.fixture
def publish():
    """Publish a file that has only its generation, of the present inputs, and mark every output."""

    def of(home, name="20260101T000000-aaaaaa"):
        for path in (home.publication, home.published, *home.generations.glob("*")):
            path.unlink(missing_ok=True)
        inputs = f"update ops_generation set input_fingerprint = '{input_fingerprint(home)}'"
        publish_file(make_warehouse(home.builds / "build.duckdb", name, None, inputs), home)
        folder = home.root / ".exports" / name
        folder.mkdir(parents=True, exist_ok=True)
        words = dict.fromkeys(("name", "title", "description", "created"), "words")
        package = {**words, "version": name, "resources": [], "keywords": [], "licenses": []}
        (folder / "datapackage.json").write_text(json.dumps(package))
        (folder / "croissant.json").write_text(croissant(package))
        home.exports.unlink(missing_ok=True)
        home.exports.symlink_to(folder)
        for report in (home.report, home.generations / f"{name}.html"):
            report.write_text(f'<meta name="accelmart-generation" content="{name}">')
        (home.docs / "data-dictionary").mkdir(parents=True, exist_ok=True)
        home.last_build.write_text(json.dumps({"generation_id": name}))
        for page in ("appendix.md", "data-dictionary/index.md", "state.md"):
            (home.docs / page).write_text(f"<!-- Generation: {name} -->\n")

    return of
