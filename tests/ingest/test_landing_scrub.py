"""Stored payloads are compared with their hashes, a part at a time."""

from made import flip, store

from ingest.core.errors import PayloadRejected
from ingest.core.landing import MISSING
from ingest.core.landing_scrub import scrub


def test_every_flipped_or_missing_object_is_found_and_no_other(landing):
    payloads = [store(landing, b"content %d" % i, key=f"k{i}") for i in range(9)]
    store(landing, b"newer content", key="k0")
    assert scrub(landing).damages == []
    flip(landing, payloads[0])
    flip(landing, payloads[5])
    flip(landing, payloads[7]).unlink()
    found = scrub(landing)
    assert (found.checked, found.bytes, found.next) == (10, 9 * 9 + 13, "")
    problems = {d.payload.key: (d.problem == MISSING, d.is_in_force) for d in found.damages}
    # the payload of k0 is no longer in force: no fetch brings it again
    assert problems == {"k0": (False, False), "k5": (False, True), "k7": (True, True)}
    after, in_parts = "", []
    while len(in_parts) < 20 and (not in_parts or after):
        in_parts.append(scrub(landing, after=after, seconds=0))
        after = in_parts[-1].next
    assert sum(part.checked for part in in_parts) == 10 and len(in_parts) > 5
    assert [damage for part in in_parts for damage in part.damages] == found.damages


def test_a_damaged_object_is_set_aside_and_the_next_good_fetch_replaces_it(landing, tmp_path):
    kept = store(landing, b"content")
    flip(landing, kept)
    where = landing.set_aside(kept)
    assert where == str(tmp_path / "landing" / "damaged" / f"{kept.sha256}.gz") and not landing.intact(kept)
    assert [d.problem for d in scrub(landing).damages] == [MISSING] and landing.lost() == [kept]
    store(landing, b"content")
    assert landing.lost() == []
    assert landing.read(kept) == b"content" and scrub(landing).damages == []


def test_a_removed_quarantined_object_is_no_damage(landing):
    def refuse(file):
        raise PayloadRejected(payload="p", problem="bad", remedy="look")

    kept = store(landing, b"content", check=refuse)
    flip(landing, kept)
    assert [d.is_in_force for d in scrub(landing).damages] == [False]
    flip(landing, kept).unlink()
    assert scrub(landing).damages == []
