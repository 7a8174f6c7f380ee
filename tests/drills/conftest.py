"""A small data root, and the table of results."""

import shutil
import sys
from functools import partial

import drill_steps
import pytest
from drill_processes import IS_FULL, done, faults


@pytest.fixture(scope="session")
def first_root(tmp_path_factory):
    """A small data root with three generations and a payload, which tests copy."""
    root = tmp_path_factory.mktemp("drills") / "home"
    root.mkdir()
    for number in (1, 2, 3):
        assert done(partial(drill_steps.build_step, root, f"2026010{number}T000000-aaaaaa")) == "done"
    assert done(partial(drill_steps.fetch_step, root, "first")) == "done"
    return root


@pytest.fixture
def root(first_root, tmp_path):
    """A copy of the small data root that a test may change."""
    copy = shutil.copytree(
        first_root, tmp_path / "home", symlinks=True, ignore=shutil.ignore_patterns("*.lock")
    )
    assert faults(copy) == []
    return copy


@pytest.fixture
def tries():
    """Return how often a drill is repeated: in full length as often as given, with the suite a few times."""
    return lambda full, short: full if IS_FULL else short


@pytest.fixture
def report_drill(capsys):
    """Print one row of the table of drills."""

    def row(drill, n_tries, lost, note=""):
        with capsys.disabled():
            sys.stdout.write(f"\n| {drill} | {n_tries} | {n_tries - len(lost)} | {len(lost)} | {note} |")
        assert lost == []

    return row
