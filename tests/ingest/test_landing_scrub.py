"""Stored payloads are compared with their hashes, a part at a time."""

import gzip
from pathlib import Path

import pytest
from made import store

from ingest.core.errors import PayloadRejected
from ingest.core.landing import MISSING, Landing
from ingest.core.landing_scrub import scrub


@pytest.fixture
def landing(tmp_path):
    return Landing(tmp_path)


def stored(landing, source, key, data, **more):
    return store(landing, data, source=source, key=key, **more)


def flip(landing, payload):
    path = Path(landing.address(payload))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    return path


def test_every_flipped_or_missing_object_is_found_and_no_other(landing):
    payloads = [stored(landing, "s", f"k{i}", b"content %d" % i) for i in range(12)]
    old = stored(landing, "s", "k0", b"newer content")
    assert scrub(landing).damages == []
    flip(landing, payloads[0])
    flip(landing, payloads[5])
    flip(landing, payloads[7]).unlink()
    found = scrub(landing)
    assert found.checked == 13 and found.next == ""
    problems = {d.payload.key: (d.problem == MISSING, d.is_in_force) for d in found.damages}
    # the payload of k0 is no longer in force: no fetch brings it again
    assert problems == {"k0": (False, False), "k5": (False, True), "k7": (True, True)}
    assert old.outcome == "landed"


def test_an_object_that_was_replaced_by_a_whole_one_of_other_bytes_is_found(landing):
    """The checksum of gzip is right there: only the hash of the payload shows it."""
    kept = stored(landing, "s", "k", b"content")
    Path(landing.address(kept)).write_bytes(gzip.compress(b"another"))
    (found,) = scrub(landing).damages
    assert found.is_in_force and f"not {kept.sha256}" in found.problem


def test_parts_come_to_the_whole(landing):
    payloads = {stored(landing, "s", f"k{i}", b"content %d" % i).sha256 for i in range(9)}
    for sha256 in sorted(payloads)[::2]:
        flip(landing, next(p for p in landing.history() if p.sha256 == sha256))
    after, seen, damaged = "", 0, set()
    for _ in range(20):
        found = scrub(landing, after=after, seconds=0)
        seen += found.checked
        damaged |= {d.payload.sha256 for d in found.damages}
        after = found.next
        if not after:
            break
    assert seen == 9 and damaged == set(sorted(payloads)[::2])


def test_a_damaged_object_is_set_aside_and_the_next_good_fetch_replaces_it(landing, tmp_path):
    kept = stored(landing, "s", "k", b"content")
    flip(landing, kept)
    where = landing.set_aside(kept)
    assert where == str(tmp_path / "damaged" / f"{kept.sha256}.gz") and not landing.intact(kept)
    assert [d.problem for d in scrub(landing).damages] == [MISSING] and landing.lost() == [kept]
    stored(landing, "s", "k", b"content")
    assert landing.lost() == []
    assert landing.read(kept) == b"content" and scrub(landing).damages == []


def test_a_removed_quarantined_object_is_no_damage(landing):
    def refuse(file):
        raise PayloadRejected(payload="p", problem="bad", remedy="look")

    kept = stored(landing, "s", "k", b"content", check=refuse)
    assert kept.outcome == "quarantined"
    flip(landing, kept)
    assert [d.is_in_force for d in scrub(landing).damages] == [False]
    flip(landing, kept).unlink()
    assert scrub(landing).damages == []
