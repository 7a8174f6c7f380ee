"""The landing zone: content addressing, evidence, quarantine, and what a crash or a second writer does to it."""

from __future__ import annotations

import gzip
import json
import os
import re
import uuid
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from types import SimpleNamespace

import made
import pytest

from ingest.core.errors import NotAName, PayloadRejected
from ingest.core.landing import Landing
from ingest.core.payload import Payload

T0 = datetime(2026, 8, 1, 12, tzinfo=UTC)


@pytest.fixture(params=["path", "file", "memory"])
def landing(request, tmp_path) -> Landing:
    roots = {
        "path": str(tmp_path / "landing"),
        "file": (tmp_path / "landing").as_uri(),
        "memory": f"memory://landing-{uuid.uuid4().hex}",
    }
    return Landing(roots[request.param])


def store(landing: Landing, data, key="v5.1", **change) -> Payload:
    return made.store(landing, data, key=key, **change)


REJECTED = PayloadRejected(payload="p", problem="begins with b'bad'", remedy="look")


def test_a_payload_comes_back_with_its_evidence(landing):
    evidence = {"http_status": 200, "etag": '"1"', "details": {"commit": "abc", "members": [1, 2]}}
    kept = store(landing, b"hello", last_modified="Sat, 01 Aug 2026 00:00:00 GMT", fetched_at=T0, **evidence)
    # sha256sum of hello
    assert kept.sha256 == "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
    assert (kept.bytes, kept.outcome, kept.reason, kept.fetched_at) == (5, "landed", None, T0)
    assert landing.history() == [landing.latest("src", "v5.1")] == [kept]
    assert landing.read(kept) == b"hello"
    with landing.open(kept) as file:
        assert (file.read(2), file.seek(0), file.read()) == (b"he", 0, b"hello")


def test_the_layout_on_disk(tmp_path):
    kept = store(Landing(str(tmp_path)), b"hello", fetched_at=T0)
    stored = tmp_path / "objects" / kept.sha256[:2] / f"{kept.sha256}.gz"
    assert stored.read_bytes()[3:8] == b"\0\0\0\0\0"  # neither a name nor a time in the gzip header
    record = tmp_path / "manifest" / "src" / "v5.1" / f"20260801T120000.000000Z-{kept.sha256[:12]}-s1.json"
    assert json.loads(record.read_text())["fetched_at"] == "2026-08-01T12:00:00+00:00"
    assert {path for path in tmp_path.rglob("*") if path.is_file()} == {stored, record}


def test_files_and_the_entries_of_new_folders_are_flushed_to_disk(tmp_path, monkeypatch):
    flushed, fsync = [], os.fsync
    monkeypatch.setattr(
        os, "fsync", lambda fd: flushed.append(os.readlink(f"/proc/self/fd/{fd}")) or fsync(fd)
    )
    root = tmp_path / "landing"
    kept = store(Landing(root), b"hello")
    folders = [root, root / "objects", root / "objects" / kept.sha256[:2], root / "manifest" / "src" / "v5.1"]
    assert {str(tmp_path), *map(str, folders)} <= set(flushed)
    assert len([path for path in flushed if path.endswith(".tmp")]) == 2


def test_identical_bytes_are_unchanged_and_not_written_again(tmp_path):
    landing = Landing(str(tmp_path))
    first = store(landing, b"hello")
    stored = next((tmp_path / "objects").rglob("*.gz"))
    os.utime(stored, (1, 1))
    second = store(landing, b"hello", etag='"2"')
    assert (second.outcome, second.sha256, second.etag) == ("unchanged", first.sha256, '"2"')
    assert stored.stat().st_mtime == 1
    assert landing.latest("src", "v5.1") == second
    assert [p.outcome for p in landing.history("src", "v5.1")] == ["landed", "unchanged"]
    assert [name.rpartition("-")[2] for name in landing.record_names()] == ["s1.json", "s2.json"]


def test_a_failed_check_is_quarantined_and_the_last_good_one_stays(landing, caplog):
    good = store(landing, b"good")
    assert not caplog.records
    bad = store(landing, b"bad!", rejected=REJECTED)
    assert (bad.outcome, bad.reason) == ("quarantined", "begins with b'bad'. To fix: look")
    assert bad.reason in caplog.text
    assert landing.latest("src", "v5.1") == good
    assert landing.history("src") == [good, bad]
    assert landing.quarantined() == [bad]
    assert landing.read(bad) == b"bad!"


def test_quarantined_content_comes_into_force_once_it_passes(landing):
    bad = store(landing, b"x", rejected=REJECTED)
    assert landing.latest("src", "v5.1") is None and landing.newest("src") == [bad]
    kept = store(landing, b"x")
    assert (kept.outcome, landing.read(kept)) == ("landed", b"x")


def test_blocks_that_break_off_leave_nothing(tmp_path):
    def blocks():
        yield b"x"
        raise OSError("the disk")

    landing = Landing(tmp_path)
    assert landing.read(store(landing, iter([b"x", b"y"]))) == b"xy"
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(OSError, match="the disk"):
        store(landing, blocks())
    assert sorted(tmp_path.rglob("*")) == before


def test_not_modified_keeps_the_payload_and_its_validators(landing):
    first = store(
        landing, b"hello", etag='"1"', last_modified="then", details={"commit": "abc"}, fetched_at=T0
    )
    again = landing.unchanged(first, fetched_at=T0 + timedelta(hours=1))
    changed = {"fetched_at": T0 + timedelta(hours=1), "outcome": "unchanged", "http_status": 304}
    assert again == replace(first, **changed)
    other = landing.unchanged(first, etag='"2"', last_modified="now", fetched_at=T0)
    assert (other.etag, other.last_modified, landing.latest("src", "v5.1")) == ('"2"', "now", other)


def test_records_of_one_moment_are_all_kept_in_their_order(landing):
    stored = [store(landing, data, fetched_at=T0) for data in (b"b", b"a", b"a", b"c", b"b")]
    assert [p.outcome for p in stored] == ["landed", "landed", "unchanged", "landed", "landed"]
    assert landing.history() == stored
    assert landing.latest("src", "v5.1") == stored[-1]


def test_times_are_utc_and_order_the_history(landing):
    late = store(landing, b"late", fetched_at=T0)
    early = store(landing, b"early", fetched_at=datetime(2026, 8, 1, 12, tzinfo=timezone(timedelta(hours=2))))
    assert early.fetched_at == datetime(2026, 8, 1, 10, tzinfo=UTC) and early.fetched_at.tzinfo is UTC
    assert landing.history() == [early, late]
    assert landing.latest("src", "v5.1") == early  # it was written last
    with pytest.raises(ValueError, match="time zone"):
        store(landing, b"x", fetched_at=datetime(2026, 8, 1))


@pytest.mark.parametrize("key", ["", "..", "../../x", "/x", "a b", "a/b", "ä", "a\n", "x" * 101])
def test_a_key_is_bounded_where_it_enters(landing, key):
    with pytest.raises(NotAName, match="is no key: use at most 100 letters"):
        store(landing, b"x", key=key)
    assert landing.record_names() == []


def test_keys_that_differ_by_case_stay_apart_also_those_landed_before_keys_had_a_form(landing, monkeypatch):
    monkeypatch.setattr("ingest.core.landing.as_key", str)
    keys = ["a-b", "A-b", "x" * 100, "x" * 200, "a b"]
    for number, key in enumerate(keys):
        store(landing, str(number).encode(), key=key)
    assert [payload.key for payload in landing.newest("src")] == sorted(keys)
    assert [int(landing.read(landing.latest("src", key))) for key in keys] == [*range(len(keys))]


@pytest.mark.parametrize(
    "change", [{"source": "../../x"}, {"source": "other"}, {"sha256": "../../etc/passwd"}]
)
def test_a_record_that_names_files_elsewhere_is_left_out(tmp_path, change, caplog):
    landing = Landing(str(tmp_path))
    store(landing, b"good", fetched_at=T0)
    (path,) = (tmp_path / "manifest" / "src" / "v5.1").iterdir()
    path.with_name("20260901T000000.000000Z-0123456789ab.json").write_text(
        json.dumps(json.loads(path.read_text()) | change)
    )
    assert [landing.read(p) for p in landing.history()] == [b"good"]
    assert "20260901T000000.000000Z-0123456789ab.json is left out" in caplog.text


@pytest.mark.parametrize("source", ["", "A", "../x"])
def test_a_source_name_cannot_leave_its_folder(landing, source):
    with pytest.raises(ValueError, match="source"):
        store(landing, b"x", source=source)


def test_credentials_do_not_reach_the_manifest(tmp_path):
    kept = store(Landing(str(tmp_path)), b"x", url="https://me:pa55@example.org/a?api_key=s3cret&page=2")
    assert kept.url == "https://example.org/a?api_key=***&page=2"
    assert not [p for p in tmp_path.rglob("*.json") if "s3cret" in p.read_text() or "pa55" in p.read_text()]


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (lambda packed: packed[:-6], "damaged"),
        (lambda packed: b"plainly not gzip", "damaged"),
        (lambda packed: gzip.compress(b"another payload"), "damaged"),
        (lambda packed: gzip.compress(b"hello, and more than there was"), "damaged"),
        (None, "missing"),
    ],
)
def test_a_damaged_object_is_reported_and_healed_by_the_next_good_fetch(tmp_path, damage, problem):
    landing = Landing(str(tmp_path))
    kept = store(landing, b"hello")
    stored = next((tmp_path / "objects").rglob("*.gz"))
    if damage:
        stored.write_bytes(damage(stored.read_bytes()))
    else:
        stored.unlink()
    assert not landing.intact(kept)
    with (
        pytest.raises(PayloadRejected, match=rf"src v5\.1 of .*{problem}.*fetch it again"),
        landing.open(kept) as file,
    ):
        pytest.fail(f"handed out {file.read()!r}")
    assert store(landing, b"hello").outcome == "unchanged"
    assert landing.intact(kept) and landing.read(kept) == b"hello"


# what stands in a record in place of its own content, or of the values of some fields
UNREADABLE = [
    *(
        "",
        "[]",
        "null",
        '{"source": "src"}',
        "[" * 100_000,
        '{"details":' * 100_000,
        "\x00",
        "{" + " " * (65 << 20),
    ),
    *(
        {"bytes": float("nan")},
        {"bytes": "5"},
        {"sha256": 7},
        {"fetched_at": 7},
        {"fetched_at": "2026-09-01T00:00:00"},
    ),
    *(
        {"fetched_at": None},
        {"key": ["k"]},
        {"outcome": "stolen"},
        {"http_status": {}},
        {"details": "x"},
        {"url": None},
    ),
]


@pytest.mark.parametrize("content", UNREADABLE, ids=lambda content: str(content)[:30])
def test_one_unreadable_record_does_not_hide_the_others(tmp_path, content, caplog):
    landing = Landing(str(tmp_path))
    kept = store(landing, b"hello", fetched_at=T0)
    folder = tmp_path / "manifest" / "src" / "v5.1"
    if isinstance(content, dict):
        (record,) = folder.glob("*.json")
        content = json.dumps(json.loads(record.read_text()) | content)
    (folder / "20260901T000000.000000Z-0123456789ab.json").write_text(content)
    assert landing.latest("src", "v5.1") == kept
    assert landing.history() == landing.newest() == [kept]
    assert "20260901T000000.000000Z-0123456789ab.json" in caplog.text


def test_the_manifest_is_listed_in_its_order_without_reading_a_record(tmp_path):
    landing = Landing(tmp_path)
    hours = (5, 3, 8, 1, 9, 0, 7, 2, 6, 4)
    kept = [store(landing, b"a", key="k", fetched_at=T0 + timedelta(hours=hour)) for hour in hours]
    assert landing.latest("src", "k") == kept[-1] and landing.newest() == [kept[-1]]
    store(landing, b"b", key="A", source="other", rejected=REJECTED)
    for record in (tmp_path / "manifest").rglob("*.json"):
        record.write_text("not to be read")
    other, *names = landing.record_names()
    assert other.startswith("other/a-") and {name.rpartition("/")[0] for name in names} == {"src/k"}
    assert [name.partition("T")[2][:2] for name in names] == [f"{12 + hour}" for hour in hours]


@pytest.fixture
def clock() -> SimpleNamespace:
    """A clock that a test sets: `at`."""
    return SimpleNamespace(at=T0)


@pytest.fixture
def clocked(tmp_path, clock) -> Landing:
    return Landing(tmp_path, now=lambda: clock.at)


@pytest.mark.parametrize("back", [timedelta(seconds=20), timedelta(days=2000)])
def test_what_was_written_last_is_in_force_though_its_time_is_earlier(clocked, clock, back):
    first = store(clocked, b"first")
    clock.at = T0 - back
    second = store(clocked, b"second")
    assert clocked.latest("src", "v5.1") == second
    clock.at = T0 + timedelta(days=1)
    assert clocked.latest("src", "v5.1") == second and clocked.history() == [second, first]


def test_records_of_before_without_a_sequence_are_older_than_those_with_one(clocked, tmp_path):
    first, given = store(clocked, b"first"), store(clocked, b"given", fetched_at=T0 - timedelta(days=1))
    for record in tmp_path.rglob("*.json"):
        body = json.loads(record.read_text()) | {"record_version": 1, "recorded_ns": 1}
        record.rename(record.parent / re.sub(r"-s\d+", "", record.name)).write_text(json.dumps(body))
    assert clocked.latest("src", "v5.1") == first and clocked.history() == [given, first]
    fresh = clocked.unchanged(given, fetched_at=T0 - timedelta(days=2))
    assert clocked.latest("src", "v5.1") == fresh
