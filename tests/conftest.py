"""Where the real upstream files are, for tests that read them; and where what tests write goes: memory, if it holds that."""

import os
import shutil
from pathlib import Path

import pytest

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"

# what a warehouse and its event logs write is synced to disk all the time; tests have nothing to lose in a power cut
MEMORY = Path("/dev/shm")
if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > 6e9:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


def pytest_collection_modifyitems(items):
    """The installation that most builds happen in first, what needs no warehouse meanwhile, then other builds."""
    items.sort(key=_place)


def _place(item):
    groups = {mark.args[0] for mark in item.iter_markers("xdist_group")}
    if "operated" in groups:
        return 0
    if "e2e" not in item.path.parts:
        return 1
    return 2 if groups else 3


@pytest.fixture(scope="session")
def mlperf_data():
    return _folder("mlperf")


@pytest.fixture(scope="session")
def price_data():
    return _folder("prices")


@pytest.fixture(scope="session")
def token_data():
    return _folder("tokens")


@pytest.fixture(scope="session")
def grid_data():
    return _folder("energy") / "codecarbon"


def _folder(name):
    folder = SHARED_DATA / name
    if not folder.is_dir():
        pytest.skip(f"the real upstream files are not there ({folder})")
    return folder
