"""Stored payloads are compared with their hashes."""

from made import flip, store

from ingest.core.errors import PayloadRejected
from ingest.core.landing import MISSING
from ingest.core.landing_scrub import scrub


def test_every_flipped_or_missing_object_is_found_and_no_other(landing):
    payloads = [store(landing, b"content %d" % i, key=f"k{i}") for i in range(9)]
    store(landing, b"newer content", key="k0")
    assert list(scrub(landing)) == []
    flip(landing, payloads[0])
    flip(landing, payloads[5])
    flip(landing, payloads[7]).unlink()
    problems = {d.payload.key: (d.problem == MISSING, d.is_in_force) for d in scrub(landing)}
    # the payload of k0 is no longer in force: no fetch brings it again
    assert problems == {"k0": (False, False), "k5": (False, True), "k7": (True, True)}


def test_the_next_good_fetch_replaces_a_damaged_object(landing):
    kept = store(landing, b"content")
    flip(landing, kept)
    assert not landing.intact(kept)
    store(landing, b"content")
    assert landing.read(kept) == b"content" and list(scrub(landing)) == []


def test_a_removed_quarantined_object_is_no_damage(landing):
    rejected = PayloadRejected(payload="p", problem="bad", remedy="look")
    kept = store(landing, b"content", rejected=rejected)
    flip(landing, kept)
    assert [d.is_in_force for d in scrub(landing)] == [False]
    flip(landing, kept).unlink()
    assert list(scrub(landing)) == []
