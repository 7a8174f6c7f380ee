"""The landing zone: content addressing, evidence, quarantine, and what a crash or a second writer does to it."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
import uuid
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import fsspec
import made
import pytest

from ingest.core.errors import PayloadRejected
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
    return made.store(landing, data, key=key, **({"limit_bytes": 1000} | change))


def refuse(file) -> None:
    raise PayloadRejected(payload="p", problem=f"begins with {file.read(3)!r}", remedy="look")


def test_a_payload_comes_back_with_its_evidence(landing):
    kept = store(
        landing,
        b"hello",
        http_status=200,
        etag='"1"',
        last_modified="Sat, 01 Aug 2026 00:00:00 GMT",
        details={"commit": "abc", "members": [1, 2]},
        fetched_at=T0,
    )
    assert (
        kept.sha256 == "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
    )  # sha256sum of hello
    assert (kept.bytes, kept.outcome, kept.reason, kept.fetched_at) == (5, "landed", None, T0)
    assert landing.latest("src", "v5.1") == kept
    assert landing.history() == [kept]
    assert landing.read(kept) == b"hello"
    with landing.open(kept) as file:
        assert (file.read(2), file.seek(0), file.read()) == (b"he", 0, b"hello")


def test_the_layout_on_disk(tmp_path):
    landing = Landing(str(tmp_path))
    kept = store(landing, b"hello", fetched_at=T0)
    stored = tmp_path / "objects" / kept.sha256[:2] / f"{kept.sha256}.gz"
    assert gzip.decompress(stored.read_bytes()) == b"hello"
    assert stored.read_bytes()[3:8] == b"\0\0\0\0\0"  # neither a name nor a time in the gzip header
    record = tmp_path / "manifest" / "src" / "v5.1" / f"20260801T120000.000000Z-{kept.sha256[:12]}-s1.json"
    assert json.loads(record.read_text())["fetched_at"] == "2026-08-01T12:00:00+00:00"
    assert not list(tmp_path.rglob("*.tmp"))


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
    bad = store(landing, b"bad!", check=refuse)
    assert bad.reason in caplog.text
    assert bad.outcome == "quarantined"
    assert bad.reason == "begins with b'bad'. To fix: look"
    assert landing.latest("src", "v5.1") == good
    assert landing.history("src") == [good, bad]
    assert landing.quarantined() == [bad]
    assert landing.read(bad) == b"bad!"


def test_quarantined_content_comes_into_force_once_it_passes(landing):
    bad = store(landing, b"x", check=refuse)
    assert landing.latest("src", "v5.1") is None and landing.newest("src") == [bad]
    kept = store(landing, b"x")
    assert (kept.outcome, landing.read(kept)) == ("landed", b"x")


def test_another_error_of_a_check_leaves_no_record(landing):
    def broken(file):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store(landing, b"x", check=broken)
    assert landing.history() == []


def test_a_check_may_close_its_file(landing):
    kept = store(landing, b"hello", check=lambda file: file.close())
    assert landing.read(kept) == b"hello"


@pytest.mark.parametrize(("size", "outcome"), [(10, "landed"), (11, "quarantined")])
def test_the_limit_counts_and_keeps_the_first_bytes(landing, size, outcome):
    kept = store(landing, b"0123456789abc"[:size], limit_bytes=10)
    assert (kept.outcome, kept.bytes) == (outcome, 10)
    assert landing.read(kept) == b"0123456789"
    assert kept.sha256 == hashlib.sha256(b"0123456789").hexdigest()
    if outcome == "quarantined":
        assert "larger than its limit of 10 bytes" in kept.reason


def test_an_endless_stream_is_stopped_at_the_limit(landing):
    class Endless(io.RawIOBase):
        given = 0

        def read(self, size=-1):
            self.given += size
            return b"x" * size

    endless = Endless()
    kept = store(landing, endless, limit_bytes=3_000_000)
    assert (kept.outcome, kept.bytes, endless.given) == ("quarantined", 3_000_000, 3_000_001)


def test_not_modified_keeps_the_payload_and_its_validators(landing):
    more = {"etag": '"1"', "last_modified": "then", "details": {"commit": "abc"}}
    first = store(landing, b"hello", **more, http_status=200, fetched_at=T0)
    again = landing.unchanged(first, fetched_at=T0 + timedelta(hours=1))
    assert (again.outcome, again.http_status, again.etag, again.last_modified) == (
        "unchanged",
        304,
        '"1"',
        "then",
    )
    assert again.sha256 == first.sha256 and again.details == {"commit": "abc"}
    assert landing.latest("src", "v5.1") == again
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


def test_keys_that_look_alike_stay_apart_and_inside_the_root(landing, tmp_path):
    keys = ["a b", "a/b", "a?b", "A b", "ä", "..", "../../x", "x" * 300, "x" * 301, ""]
    for number, key in enumerate(keys):
        store(landing, str(number).encode(), key=key)
    assert [payload.key for payload in landing.newest("src")] == sorted(keys)
    assert {path.name for path in tmp_path.iterdir()} <= {"landing"}
    assert [landing.read(landing.latest("src", key)) for key in keys] == [
        str(n).encode() for n in range(len(keys))
    ]


@pytest.mark.parametrize("source", ["", "A", "a/b", "..", "../x", "a b"])
def test_a_source_name_cannot_leave_its_folder(landing, source):
    with pytest.raises(ValueError, match="source"):
        store(landing, b"x", source=source)


def test_sources_are_kept_apart(landing):
    one, two = store(landing, b"1", source="one"), store(landing, b"2", source="two")
    assert (landing.history("one"), landing.history("two")) == ([one], [two])
    assert landing.history(key="v5.1") == [one, two]
    assert landing.newest() == [one, two] and landing.newest("two") == [two]
    assert landing.history("three") == landing.newest("three") == []
    assert landing.latest("three", "v5.1") is None


def test_credentials_do_not_reach_the_manifest(tmp_path):
    kept = store(Landing(str(tmp_path)), b"x", url="https://me:pa55@example.org/a?api_key=s3cret&page=2")
    assert kept.url == "https://example.org/a?api_key=***&page=2"
    assert not [p for p in tmp_path.rglob("*.json") if "s3cret" in p.read_text() or "pa55" in p.read_text()]


@pytest.mark.parametrize(
    "damage",
    [
        lambda packed: packed[:-6],
        lambda packed: packed[: len(packed) // 2],
        lambda packed: b"",
        lambda packed: b"plainly not gzip",
        lambda packed: gzip.compress(b"another payload"),
        lambda packed: gzip.compress(b"hello, and more than there was"),
    ],
)
def test_a_damaged_object_is_reported_and_healed_by_the_next_good_fetch(tmp_path, damage):
    landing = Landing(str(tmp_path))
    kept = store(landing, b"hello")
    stored = next((tmp_path / "objects").rglob("*.gz"))
    stored.write_bytes(damage(stored.read_bytes()))
    assert not landing.intact(kept)
    with (
        pytest.raises(PayloadRejected, match=r"src v5\.1 of .*damaged.*fetch it again"),
        landing.open(kept) as file,
    ):
        pytest.fail(f"handed out {file.read()!r}")
    assert store(landing, b"hello").outcome == "unchanged"
    assert landing.intact(kept) and landing.read(kept) == b"hello"


def test_a_missing_object_is_reported(tmp_path):
    landing = Landing(str(tmp_path))
    kept = store(landing, b"hello")
    next((tmp_path / "objects").rglob("*.gz")).unlink()
    assert not landing.intact(kept)
    with pytest.raises(PayloadRejected, match="missing"):
        landing.read(kept)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"source": "src"}'])
def test_one_unreadable_record_does_not_hide_the_others(tmp_path, content, caplog):
    landing = Landing(str(tmp_path))
    kept = store(landing, b"hello", fetched_at=T0)
    folder = tmp_path / "manifest" / "src" / "v5.1"
    (folder / "20260901T000000.000000Z-0123456789ab.json").write_text(content)
    assert landing.latest("src", "v5.1") == kept
    assert landing.history() == landing.newest() == [kept]
    assert "20260901T000000.000000Z-0123456789ab.json is unreadable" in caplog.text


def test_a_large_payload_is_not_held_in_memory(tmp_path):
    code = (
        "import resource, sys; from ingest.core.landing import Landing\n"
        "landing = Landing(sys.argv[1])\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "kept = landing.store(open(sys.argv[2], 'rb'), source='s', key='k', url='u', content_type='c', licence='l',"
        " limit_bytes=1 << 30, check=lambda file: file.read(1))\n"
        "with landing.open(kept) as file:\n"
        "    while file.read(1 << 16): pass\n"
        "print(kept.bytes, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    big = tmp_path / "big"
    with big.open("wb") as file:
        file.truncate(100 << 20)
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "landing"), str(big)],
        capture_output=True,
        text=True,
        check=True,
    )
    size, grown_kib = map(int, done.stdout.split())
    assert size == 100 << 20
    assert grown_kib < 30 << 10


WRITER = """
import sys, time
from ingest.core.landing import Landing
class Slow:
    blocks = 0
    def read(self, size):
        self.blocks += 1
        if self.blocks == 3:
            print("half", flush=True)
            time.sleep(60)
        return b"x" * 1000
Landing(sys.argv[1]).store(Slow(), source="s", key="k", url="u", content_type="c", licence="l", limit_bytes=10**9)
"""


def test_a_killed_writer_leaves_only_temporary_files(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"half\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    landing = Landing(str(tmp_path))
    assert not [p for p in tmp_path.rglob("*") if p.is_file() and p.suffix != ".tmp"]
    assert landing.history() == [] and landing.latest("s", "k") is None
    kept = store(landing, b"x" * 1000)
    assert (kept.outcome, landing.read(kept)) == ("landed", b"x" * 1000)


MANY_WRITES = """
import sys; from ingest.core.landing import Landing
landing = Landing(sys.argv[1])
for n in range(10**6):
    kept = landing.store(b"%d " % n * 50_000, source="s", key=f"k{n % 3}", url="u", content_type="c", licence="l",
                         limit_bytes=10**9)
    print(kept.sha256, flush=True)
"""
KILLS = 30 if os.environ.get("DRILLS") == "full" else 3


def test_a_writer_killed_at_any_moment_loses_nothing_and_records_nothing_by_half(tmp_path, caplog):
    moments = random.Random(1)
    recorded = []
    for _ in range(KILLS):
        process = subprocess.Popen(
            [sys.executable, "-c", MANY_WRITES, str(tmp_path)], stdout=subprocess.PIPE, text=True
        )
        recorded.append(process.stdout.readline().strip())
        time.sleep(moments.uniform(0, 0.3))
        process.kill()
        recorded += process.stdout.read().split()
        process.wait()
        process.stdout.close()
    landing = Landing(tmp_path)
    history = landing.history()
    landed = [p.sha256 for p in history]
    assert not set(recorded) - set(landed)
    assert (
        len(recorded) <= len(landed) <= len(recorded) + KILLS
    )  # the last of each may have been recorded, not printed
    assert all(map(landing.intact, history)) and not caplog.records
    assert {p.parent.name for p in tmp_path.rglob("*.tmp")} <= {"tmp"}


def test_writers_in_several_processes_share_one_object(tmp_path):
    code = (
        "import sys; from ingest.core.landing import Landing\n"
        "landing = Landing(sys.argv[1]); sys.stdin.readline()\n"
        "for n in range(10):\n"
        "    landing.store(b'x' * 300_000, source='s', key=f'{n}', url='u', content_type='c', licence='l',"
        " limit_bytes=10**6)\n"
    )
    writers = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdin=subprocess.PIPE) for _ in range(2)
    ]
    for writer in writers:
        writer.communicate(b"go\n")
    assert [writer.returncode for writer in writers] == [0, 0]
    landing = Landing(str(tmp_path))
    records = landing.history()
    assert len(records) == 20
    assert {p.sha256 for p in records} == {hashlib.sha256(b"x" * 300_000).hexdigest()}
    assert len(list((tmp_path / "objects").rglob("*.gz"))) == 1
    assert landing.read(records[0]) == b"x" * 300_000
    assert not list(tmp_path.rglob("*.tmp"))


def test_the_manifest_is_listed_in_its_order_without_reading_a_record(tmp_path):
    landing = Landing(tmp_path)
    hours = (5, 3, 8, 1, 9, 0, 7, 2, 6, 4)
    kept = [store(landing, b"a", key="k", fetched_at=T0 + timedelta(hours=hour)) for hour in hours]
    assert landing.latest("src", "k") == kept[-1] and landing.newest() == [kept[-1]]
    store(landing, b"b", key="A", source="other", check=refuse)
    for record in (tmp_path / "manifest").rglob("*.json"):
        record.write_text("not to be read")
    other, *names = landing.record_names()
    assert other.startswith("other/a-") and {name.rpartition("/")[0] for name in names} == {"src/k"}
    assert [name.partition("T")[2][:2] for name in names] == [f"{12 + hour}" for hour in hours]


def test_the_address_leads_to_the_stored_bytes(tmp_path):
    landing = Landing(tmp_path / "landing")
    good, bad = store(landing, b"good"), store(landing, b"bad!", check=refuse)
    for payload, folder, data in ((good, "objects", b"good"), (bad, "quarantine", b"bad!")):
        address = landing.address(payload)
        assert address.startswith(f"{tmp_path}/landing/{folder}/")
        assert gzip.decompress(Path(address).read_bytes()) == data


def test_the_address_in_a_remote_landing_zone_is_a_url():
    root = f"memory://landing-{uuid.uuid4().hex}"
    landing = Landing(root)
    payload = store(landing, b"hello")
    address = landing.address(payload)
    assert address.startswith("memory://") and address.endswith(f"/objects/2c/{payload.sha256}.gz")
    with fsspec.open(address) as file:
        assert gzip.decompress(file.read()) == b"hello"


# --- clocks that are wrong ---------------------------------------------------------------------------------------


class Clock:
    def __init__(self, at: datetime) -> None:
        self.at = at

    def __call__(self) -> datetime:
        return self.at


@pytest.fixture
def clock() -> Clock:
    return Clock(T0)


@pytest.fixture
def clocked(tmp_path, clock) -> Landing:
    return Landing(tmp_path, now=clock)


def test_a_record_ahead_of_the_clock_is_not_used_before_its_time(clocked, clock):
    good = store(clocked, b"good")
    clock.at = T0.replace(year=2030)
    wrong = store(clocked, b"of 2030")
    clock.at = T0 + timedelta(hours=1)
    slightly = store(clocked, b"slightly", key="k", fetched_at=clock.at + timedelta(seconds=30))
    store(clocked, b"too much", key="k", fetched_at=clock.at + timedelta(seconds=90))
    assert clocked.latest("src", "k") == slightly
    assert clocked.latest("src", "v5.1") == good and clocked.history(key="v5.1") == [good]
    clock.at += timedelta(seconds=31)
    assert clocked.ahead_of_clock() == [wrong]
    fresh = store(clocked, b"fresh")
    assert clocked.latest("src", "v5.1") == fresh and clocked.history(key="v5.1") == [good, fresh]
    assert clocked.ahead_of_clock() == []
    # once 2030 has come, the wrong record is still older than the one written after it
    clock.at = T0.replace(year=2031)
    assert clocked.latest("src", "v5.1") == fresh


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
