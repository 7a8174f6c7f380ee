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

# what commands print does not depend on the terminal in which the tests are run
os.environ.pop("COLUMNS", None)


# groups of tests that take longest, most with an installation that they share
CHAINS = ("operated", "ui", "changes", "refresh", "landed", "doctor", "publish", "snapshot", "secrets")


def pytest_collection_modifyitems(items):
    """Sort tests so that no worker waits for another at the end.

    First comes the longest chain, which builds the warehouse that the others need; MLPerf's parsers meanwhile; then the other
    chains; then all short tests, which any worker takes.
    """
    items.sort(key=_place)


def _place(item):
    groups = [mark.args[0] for mark in item.iter_markers("xdist_group")]
    chain = next((CHAINS.index(group) for group in groups if group in CHAINS), None)
    if chain is not None:
        return (0 if chain == 0 else 2, chain)
    if "mlperf" in item.path.parts:
        return (1, 0)
    return (4 if "e2e" in item.path.parts else 3, 0)


@pytest.fixture(scope="session")
def mlperf_data():
    return _folder("mlperf")


@pytest.fixture(scope="session")
def price_data():
    return _folder("prices")


@pytest.fixture(scope="session")
def spec_data():
    return _folder("specs")


@pytest.fixture(scope="session")
def token_data():
    return _folder("tokens")


@pytest.fixture(scope="session")
def energy_data():
    return _folder("energy")


@pytest.fixture(scope="session")
def electricity_data():
    return _folder("electricity")


@pytest.fixture(scope="session")
def serving_data():
    return _folder("serving")


@pytest.fixture(scope="session")
def grid_data():
    return _folder("energy") / "codecarbon"


def _folder(name):
    folder = SHARED_DATA / name
    if not folder.is_dir():
        pytest.skip(f"the real upstream files are not there ({folder})")
    return folder
