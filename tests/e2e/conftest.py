"""One warehouse, built by the real command from the bundled snapshot, for every test that only reads."""

import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path
from unittest import mock

import duckdb
import pytest
from changed_home import operate_changed
from commands import run_command
from filelock import FileLock
from home_copies import copy_home, shared_mark
from landed_home import build_from_store
from object_store import s3_server
from operated_home import operate
from refreshed_home import refresh_and_build

from accelmart.cli import main

ACCELMART = Path(sys.executable).with_name("accelmart")

# commands that take the lock of a data root: two tests that call them on one root fail each other
LOCKING = {"build", "publish", "freeze", "unfreeze", "exclude", "accept", "release", "rollback", "prune"}


# commands that only ask the published file: on the shared root they run in this process, which takes no second to start
ASKING = {"sql", "rank", "choose", "compare", "alternatives", "prices", "evidence", "changes", "estimate"}


def run(home, *arguments, timeout=300, cwd=None, settings=None, here=False, **more):
    """Run the installed command on a data root, without the developer's settings.

    Args:
        home: the data root.
        arguments: words of the command.
        timeout: seconds.
        cwd: working folder; None is the data root.
        settings: environment variables.
        here: in this process, for a command of which the words alone matter.
        more: further arguments of `subprocess.run`.

    Raises:
        AssertionError: a command that takes the lock is called on the root that all tests share.
    """
    is_shared = shared_mark(home).exists()
    words = [str(a) for a in arguments]
    assert not (is_shared and {*words[:1]} & LOCKING), "use a copy of the built root"
    environment = {
        k: v for k, v in os.environ.items() if not k.startswith(("ACCELMART_", "DAGSTER_", "DBT_"))
    } | {"ACCELMART_HOME": str(home), "COLUMNS": "300", **(settings or {})}
    if here or (is_shared and {*words[:1]} & ASKING):
        return _run_here(words, environment, cwd or home, **more)
    return run_command([ACCELMART, *words], env=environment, cwd=cwd or home, timeout=timeout, **more)


def _run_here(words, environment, folder, **more):
    """Run the command's entry point in this process."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    code = 0
    with (
        mock.patch.dict(os.environ, environment, clear=True),
        mock.patch.object(sys, "argv", ["accelmart", *words]),
        mock.patch.object(sys, "stdin", io.StringIO(more.get("input", ""))),
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as e:
            code = e.code or 0
    printed = (file.buffer.getvalue().decode() for file in (out, err))
    return subprocess.CompletedProcess(words, code, *printed)


@pytest.fixture(scope="session")
def accelmart():
    return run


@pytest.fixture(scope="session")
def built_home(tmp_path_factory):
    shared = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        shared = shared.parent  # one build for all workers
    home = shared / "built"
    with FileLock(shared / "built.lock"):
        if not (home / "accelmart.duckdb").exists():
            home.mkdir(exist_ok=True)
            done = run(home, "build", timeout=900)
            assert done.returncode == 0, done.stdout + done.stderr
            shared_mark(home).touch()
    return home


@pytest.fixture
def copied_home(built_home, tmp_path):
    """A built home that a test may change."""
    return copy_home(built_home, tmp_path / "home")


@pytest.fixture(scope="module")
def spare_home(built_home, tmp_path_factory):
    """A built home for the tests of one file that call what takes its lock and change nothing published."""
    return copy_home(built_home, tmp_path_factory.mktemp("spare") / "home")


@pytest.fixture
def warehouse(built_home):
    with duckdb.connect(str(built_home / "accelmart.duckdb"), read_only=True) as db:
        yield db


@pytest.fixture(scope="session")
def real_data(request):
    """Gives a folder of real upstream files, or None where they are not: for what is only partly about them."""

    def folder(name):
        try:
            return request.getfixturevalue({"mlperf": "mlperf_data", "prices": "price_data"}[name])
        except pytest.skip.Exception:
            return None

    return folder


@pytest.fixture(scope="session")
def operated(built_home, accelmart, real_data, tmp_path_factory):
    """See `operated_home`. Tests that use it are in the group `operated`: one worker makes it once."""
    folder = tmp_path_factory.mktemp("operated")
    home = folder / "home"
    copy_home(built_home, home)
    return operate(accelmart, home, folder, real_data("mlperf"), real_data("prices"))


@pytest.fixture(scope="session")
def landed(built_home, accelmart, real_data, tmp_path_factory):
    """See `landed_home`. Tests that use it are in the group `landed`."""
    folder = tmp_path_factory.mktemp("landed")
    with s3_server() as address:
        yield build_from_store(accelmart, built_home, folder, address, real_data("mlperf"))


@pytest.fixture
def landed_db(landed):
    """The warehouse of `landed`, read-only."""
    with duckdb.connect(str(landed.home / "accelmart.duckdb"), read_only=True) as db:
        yield db


@pytest.fixture(scope="session")
def changed(built_home, accelmart, tmp_path_factory):
    """See `changed_home`. Tests that use it are in the group `changes`."""
    return operate_changed(accelmart, built_home, tmp_path_factory.mktemp("changes"))


@pytest.fixture(scope="session")
def refreshed(price_data, built_home, accelmart, tmp_path_factory):
    """See `refreshed_home`. Tests that use it are in the group `refresh`."""
    return refresh_and_build(accelmart, built_home, tmp_path_factory.mktemp("refreshed"), price_data)
