"""InferenceX, whose data state no licence, is asked only where the setting turns it on, and not shipped."""

import pytest

from ingest.core.errors import AccelmartError
from ingest.registry import SERVING_SOURCES
from ingest.serving.inferencex import ON_VARIABLE
from orchestration.landing import FetchConfig, land
from warehouse.storage.home import SNAPSHOT_DIR


@pytest.mark.parametrize("value", [None, "off"])
def test_inferencex_is_not_asked_unless_it_is_turned_on(home, upstreams, monkeypatch, value):
    before = len(upstreams.requests)
    if value is not None:
        monkeypatch.setenv(ON_VARIABLE, value)
    with pytest.raises(AccelmartError, match="its data state no licence"):
        list(land(home, SERVING_SOURCES["inferencex"], FetchConfig()))
    assert len(upstreams.requests) == before


def test_of_inferencex_the_snapshot_has_the_points_of_its_code_alone():
    names = [path.name for path in SNAPSHOT_DIR.rglob("*.parquet")]
    assert [n for n in names if n.startswith("mlenergy__")]
    assert {n.split("__")[0] for n in names if "inferencex" in n} == {"inferencex-points"}
