"""The doctor compares stored payloads with their hashes."""

import re

import pytest
from made import flip, store

from ingest.core.errors import PayloadRejected
from ingest.core.landing import Landing
from orchestration.doctor import Installation, find_damaged_payloads
from warehouse.storage.home import Home


@pytest.fixture
def landing(tmp_path):
    return Landing(tmp_path / "landing")


@pytest.fixture
def found(tmp_path):
    here = Installation(Home(tmp_path, str(tmp_path / "landing")))
    return lambda: list(find_damaged_payloads(here))


def test_every_flipped_or_missing_object_is_found_and_no_other(landing, found):
    payloads = [store(landing, b"content %d" % i, key=f"k{i}") for i in range(9)]
    store(landing, b"newer content", key="k0")
    assert found() == []
    flip(landing, payloads[0])
    flip(landing, payloads[5])
    flip(landing, payloads[7]).unlink()
    findings = {
        re.search(r"\bk\d\b", text)[0]: (status, "missing" in text, remedy)
        for status, text, *remedy in found()
    }
    # a later payload of k0 is used: no fetch brings this one again
    assert findings == {
        "k0": ("warn", False, []),
        "k5": ("fail", False, ["`accelmart fetch src --key k5`"]),
        "k7": ("fail", True, ["`accelmart fetch src --key k7`"]),
    }


def test_the_next_good_fetch_replaces_a_damaged_object(landing, found):
    kept = store(landing, b"content")
    flip(landing, kept)
    assert not landing.intact(kept)
    store(landing, b"content")
    assert landing.read(kept) == b"content" and found() == []


def test_a_removed_quarantined_object_is_no_damage(landing, found):
    rejected = PayloadRejected(payload="p", problem="bad", remedy="look")
    kept = store(landing, b"content", rejected=rejected)
    flip(landing, kept)
    assert [status for status, _ in found()] == ["warn"]
    flip(landing, kept).unlink()
    assert found() == []
