"""Where the real upstream files are, for tests that read them."""

from pathlib import Path

import pytest

MLPERF_DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "mlperf"


@pytest.fixture(scope="session")
def mlperf_data():
    if not MLPERF_DATA.is_dir():
        pytest.skip(f"the real MLPerf files are not there ({MLPERF_DATA})")
    return MLPERF_DATA
