"""`accelmart build` without new inputs: nothing is built, what a killed build left is removed."""

import os
import subprocess
import sys

import pytest
from filelock import FileLock

from warehouse.home import Home

SLOW = {"dagster", "dbt"}


def accelmart_build(home, *arguments):
    """`accelmart build` in a process of its own, which says at its end what it has imported."""
    code = (
        f"import sys; sys.argv = ['accelmart', 'build', *{arguments!r}]\n"
        "from accelmart.cli import main\n"
        "try:\n    main()\n"
        "finally:\n    print(*{m.partition('.')[0] for m in sys.modules}, file=sys.stderr)"
    )
    environment = {n: v for n, v in os.environ.items() if not n.startswith(("ACCELMART_", "DAGSTER_"))}
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**environment, "ACCELMART_HOME": str(home.root)},
    )


@pytest.fixture
def published(tmp_path, publish):
    home = Home(tmp_path, str(tmp_path / "landing"))
    publish(home)
    return home


def test_nothing_new_is_said_without_dagster_and_dbt(published):
    done = accelmart_build(published)
    assert (done.returncode, done.stdout) == (0, "Nothing new: generation g1 is up to date.\n")
    assert SLOW & set(done.stderr.split()) == set()
    document = accelmart_build(published, "--json")
    assert document.returncode == 0 and '"is_new": false' in document.stdout and '"g1"' in document.stdout


def test_what_a_killed_build_left_is_removed_and_repaired(published):
    left = published.builds / "killed"
    left.mkdir(parents=True)
    (left / "build.duckdb").write_bytes(b"half")
    done = accelmart_build(published)
    assert "Nothing new" in done.stdout
    assert list(published.builds.iterdir()) == []
    assert {path.name for path in published.generations.iterdir()} == {"g1.duckdb", "g1.record.json"}


def test_a_build_under_way_comes_first(published):
    with FileLock(published.build_lock):
        done = accelmart_build(published)
    assert done.returncode == 4 and "another build is running" in done.stderr and not done.stdout
