from pathlib import Path

import pytest

SPECS = Path(__file__).resolve().parents[4] / "shared" / "data" / "specs"


@pytest.fixture(scope="session")
def spec_data():
    """The real specification files, where they are."""
    if not SPECS.is_dir():
        pytest.skip(f"the real upstream files are not there ({SPECS})")
    return SPECS
