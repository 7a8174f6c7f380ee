"""The installation that drills are copies of."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))


@pytest.fixture(scope="session")
def built_home():
    return Path("/tmp/m/h4")
