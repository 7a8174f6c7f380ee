"""A data root whose dbt project is parsed once, for every test that loads the definitions."""

import os
import subprocess
import sys

import dagster as dg
import pytest
from filelock import FileLock


@pytest.fixture(scope="session")
def home(tmp_path_factory):
    shared = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        shared = shared.parent
    home = shared / "definitions"
    with FileLock(shared / "definitions.lock"):
        if not (home / "dbt" / "manifest.json").exists():
            done = subprocess.run(
                [sys.executable, "-c", "from orchestration.resources import manifest; manifest()"],
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
    """The definitions, loaded into this process with the schedules as they are without settings."""
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
    """An empty data root, and nobody's settings."""
    for name in [n for n in os.environ if n.startswith(("ACCELMART_", "DAGSTER_", "GITHUB_"))]:
        monkeypatch.delenv(name)
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1,localhost")
    monkeypatch.setenv("ACCELMART_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def instance():
    with dg.DagsterInstance.ephemeral() as found:
        yield found


@pytest.fixture
def stored_instance(tmp_path_factory):
    """One on disk, as schedules ask for; ten times slower to make."""
    with dg.DagsterInstance.local_temp(str(tmp_path_factory.mktemp("instance"))) as found:
        yield found
