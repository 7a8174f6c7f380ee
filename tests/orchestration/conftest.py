"""A data root with a parsed dbt project, shared by all tests that load the definitions."""

import os
import subprocess
import sys

import dagster as dg
import duckdb
import pytest
from filelock import FileLock

from warehouse.fingerprint import input_fingerprint


@pytest.fixture(scope="session")
def home(tmp_path_factory):
    shared = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        shared = shared.parent
    home = shared / "definitions"
    with FileLock(shared / "definitions.lock"):
        if not (home / "dbt" / "manifest.json").exists():
            done = subprocess.run(
                [
                    sys.executable,
                    "-c",
                    "from orchestration import settings; from warehouse.dbt import manifest; manifest(settings.home())",
                ],
                env={**os.environ, "ACCELMART_HOME": str(home)},
                capture_output=True,
                text=True,
                timeout=240,
                check=False,
            )
            assert done.returncode == 0, done.stderr
    return home


@pytest.fixture(scope="session")
def definitions(home):
    """The definitions, loaded in this process with default schedules."""
    before = dict(os.environ)
    for name in [n for n in os.environ if n.startswith(("ACCELMART_", "DAGSTER_"))]:
        del os.environ[name]
    os.environ["ACCELMART_HOME"] = str(home)
    try:
        from orchestration.definitions import defs

        yield defs
    finally:
        os.environ.clear()
        os.environ.update(before)


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

    def of(home):
        home.root.mkdir(parents=True, exist_ok=True)
        for path in (home.publication, home.published, *home.generations.glob("g1.*")):
            path.unlink(missing_ok=True)
        with duckdb.connect(str(home.published)) as db:
            db.execute(
                "create or replace table ops_generation as "
                "select 'g1' as generation_id, now() as built_at, ? as input_fingerprint",
                [input_fingerprint(home)],
            )
        folder = home.root / ".exports" / "g1"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "datapackage.json").write_text('{"version": "g1", "resources": []}')
        if not home.exports.is_symlink():
            home.exports.symlink_to(folder)
        home.report.write_text('<meta name="accelmart-generation" content="g1">')
        home.docs.mkdir(exist_ok=True)
        home.last_build.write_text('{"generation_id": "g1"}')
        for name in ("methodology.md", "data-dictionary.md", "state.md"):
            (home.docs / name).write_text("<!-- Generation: g1 -->\n")

    return of
