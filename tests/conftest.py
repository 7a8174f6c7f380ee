"""Where the real upstream files are, for tests that read them."""

from pathlib import Path

import pytest

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def mlperf_data():
    return _folder("mlperf")


@pytest.fixture(scope="session")
def price_data():
    return _folder("prices")


def _folder(name):
    folder = SHARED_DATA / name
    if not folder.is_dir():
        pytest.skip(f"the real upstream files are not there ({folder})")
    return folder
