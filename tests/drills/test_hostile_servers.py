"""Drill: servers, published places and archives that mean harm. What was good stays, and nothing hostile is used.

An attack is survived when it ends in time with a known error or a quarantined payload, the payload in force is still
the good one, and of an archive exactly the good files are kept.
"""

from __future__ import annotations

import gzip
import io
import json
import socket
import tarfile
import zipfile
from contextlib import nullcontext
from time import monotonic, sleep

import pytest
from json_source import json_source, parse_documents
from made import fetch_one, store
from published_place import FIRST, write_warehouse
from raw_server import raw_server
from urllib3.util import Retry

import accelmart
from accelmart.http import HttpClient
from ingest.core.errors import FetchFailed, PayloadRejected
from ingest.core.fetch import Origin
from ingest.core.fetch_plan import Fetch, Request
from ingest.core.landing import Landing
from ingest.core.source import Source
from ingest.core.trees import TreeLimits

pytestmark = pytest.mark.drills

LIMIT_BYTES = 1 << 20
DEADLINE_S = 0.4
GOOD = b'{"offers": [1, 2, 3]}'
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

CLOUD = json_source(name="cloud", limit_bytes=LIMIT_BYTES)


class SmallTrees(Source):
    """A source of trees whose limits are small."""

    tree_limits = TreeLimits(max_member_bytes=LIMIT_BYTES, max_total_bytes=16 << 20, max_members=1000)


def parse_tree(members, *, key):
    parse_documents(members, key=key)
    return []


MLPERF = SmallTrees(
    name="mlperf", title="Trees", home_url="u", licence="x", patterns=("results/**",), parse=parse_tree
)


def serving(serve):
    """A server whose answers `serve` writes byte by byte, given (connection, path, own port); yields its port."""

    def handle(connection):
        request = b""
        while b"\r\n\r\n" not in request and (block := connection.recv(65536)):
            request += block
        if request:
            serve(connection, request.split(b" ")[1], connection.getsockname()[1])

    return raw_server(handle)


def redirect(location):
    def serve(connection, path, port):
        if path == b"/inside":
            connection.sendall(whole(b'{"secret": 1}'))
        else:
            place = location.replace(b"{port}", b"%d" % port)
            connection.sendall(b"HTTP/1.1 302 Found\r\nLocation: " + place + b"\r\nContent-Length: 0\r\n\r\n")

    return serve


def parts(start, part=b"", times=0, seconds=0):
    """Send the start of an answer, then a part again and again: a drip with pauses, a flood without."""

    def serve(connection, path, port):
        connection.sendall(start)
        for _ in range(times):
            connection.sendall(part)
            sleep(seconds)

    return serve


def drip(start, part=b"x"):
    return parts(start, part, 500, 0.02)


def flood(start, part=b"x" * 65536):
    return parts(start, part, 4096)


def whole(body, headers=b""):
    return HEAD + headers + b"Content-Length: %d\r\n\r\n" % len(body) + body


ZEROS = bytes(64 << 20)
SERVERS = {
    "redirect to itself": redirect(b"/list"),
    "redirect to link-local": redirect(b"http://169.254.169.254/latest/meta-data"),
    "redirect to loopback": redirect(b"http://127.0.0.2:{port}/inside"),
    "redirect to mapped loopback": redirect(b"http://[::ffff:127.0.0.2]:{port}/inside"),
    "redirect to a file": redirect(b"file:///etc/passwd"),
    "redirect out of TLS": redirect(b"http://8.8.8.8/inside"),
    "drip of headers": drip(HEAD, b"X-A: 1\r\n"),
    "drip of interim answers": drip(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "drip of the body": drip(HEAD + b"Content-Length: 90000\r\n\r\n"),
    "drip of chunks": drip(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
    "silence": drip(b"", b""),
    "flood of headers": flood(HEAD, b"X-A: 1\r\n"),
    "flood of one header": flood(HEAD + b"X-A: "),
    "flood of the body": flood(HEAD + b"\r\n"),
    "flood behind a 503": flood(b"HTTP/1.1 503 Busy\r\n\r\n"),
    "gzip bomb": parts(whole(gzip.compress(ZEROS), b"Content-Encoding: gzip\r\n")),
    "length of 10 TB": flood(HEAD + b"Content-Length: 10995116277760\r\n\r\n"),
    "length too short": parts(HEAD + b"Content-Length: 9\r\n\r\n" + GOOD),
    "length too long": parts(HEAD + b"Content-Length: 500\r\n\r\n" + GOOD),
    "no length, cut short": parts(HEAD + b"\r\n" + GOOD[:-4]),
    "chunks cut short": parts(HEAD + b"Transfer-Encoding: chunked\r\n\r\n50\r\n" + GOOD),
    "no HTTP": parts(b"220 smtp.example.org\x1b[2J ESMTP\r\n"),
}


@pytest.fixture
def landing(tmp_path):
    return Landing(tmp_path / "landing")


def client():
    return HttpClient(
        private_hosts=["127.0.0.1"],
        total_timeout_seconds=DEADLINE_S,
        read_timeout_seconds=DEADLINE_S,
        retry=Retry(1),
        min_interval_seconds=0,
    )


@pytest.mark.parametrize("attack", SERVERS)
def test_a_hostile_server_harms_nothing(landing, attack):
    good = store(landing, GOOD, source="cloud", key="all")
    with serving(SERVERS[attack]) as port:
        started = monotonic()
        fetch = Fetch(key="all", first=Request(url=f"http://127.0.0.1:{port}/list"))
        with pytest.raises((FetchFailed, PayloadRejected), match="To fix: "):
            fetch_one(landing, CLOUD, fetch, client())
        assert monotonic() - started < 5
    assert landing.latest("cloud", "all") == good
    assert all(p.bytes <= LIMIT_BYTES for p in landing.quarantined())
    assert not any(b"secret" in landing.read(p) for p in landing.history())


# --- published places ---------------------------------------------------------------------------------------------

STATED = {"path": "generations/x/accelmart.duckdb", "sha256": "0" * 64, "bytes": 1 << 20}


def states(**changed):
    return json.dumps({"generation_id": FIRST, "database": STATED | changed}).encode()


def place(answer, *, pointer=None):
    """A place that gives a good pointer and this answer for the file; or this answer for the pointer."""

    def serve(connection, path, port):
        if path == b"/latest.json" and pointer is not None:
            connection.sendall(whole(pointer))
        else:
            answer(connection, path, port)

    return serve


POINTERS = {
    "deep list": b"[" * 500_000,
    "deep object": b'{"database":' * 50_000,
    "huge": b'{"generation_id": "' + b"x" * (2 << 20) + b'"}',
    "number of 5,000 digits": states(bytes=0).replace(b'"bytes": 0', b'"bytes": ' + b"9" * 5000),
    "infinite": states(bytes=float("inf")),
    "not a number": states(bytes=float("nan")),
    "negative": states(bytes=-1),
    "10 TB": states(bytes=10 << 40),
    "a word for a size": states(bytes="many"),
    "null": b"null",
    "list": b"[1]",
    "another kind": b'{"version": 2, "latest": "x"}',
    "list for an object": b'{"generation_id": "x", "database": [1]}',
    "number for a path": states(path=7),
    "page": b"<!doctype html><title>Sign in</title>",
    "not text": b"\xff\xfe\x00{",
    "path upwards": states(path="../../victim"),
    "path up in the middle": states(path="generations/../../victim"),
    "path with backslashes": states(path="..\\..\\victim"),
    "encoded path": states(path="%2e%2e/victim"),
    "absolute path": states(path="/etc/passwd"),
    "path to another host": states(path="http://169.254.169.254/latest/meta-data"),
    "path with a query": states(path="x?y=http://127.0.0.1/"),
    "path that chains": states(path="x::file://etc/passwd"),
    "path with a control character": states(path="x\x1b[2J\u0000"),
    "long path": states(path="x" * 100_000),
    "compressed path upwards": states(gzip="../victim.gz"),
    "hash that is a path": states(sha256="../../victim"),
    "wrong hash": (states(), parts(whole(bytes(1 << 20)))),
    "compressed bomb": (states(gzip="x.gz"), parts(whole(gzip.compress(ZEROS)))),
}
PLACES = {
    **{f"pointer: {name}": place(attack) for name, attack in SERVERS.items()},
    **{f"file: {name}": place(attack, pointer=states()) for name, attack in SERVERS.items()},
    **{
        f"pointer: {name}": place(
            *([p[1]] if isinstance(p, tuple) else [flood(HEAD + b"\r\n")]),
            pointer=p[0] if isinstance(p, tuple) else p,
        )
        for name, p in POINTERS.items()
    },
}


@pytest.fixture
def pulled(tmp_path, monkeypatch):
    """Pull a place, which has to fail in time with one short line, and to change and to read nothing."""
    monkeypatch.setattr("accelmart.remote._POINTER_SECONDS", DEADLINE_S)
    monkeypatch.setattr("accelmart.remote._FILE_SECONDS", DEADLINE_S)
    monkeypatch.setenv("ACCELMART_CACHE", str(tmp_path / "cache"))
    (tmp_path / "victim").write_text("canary")
    target = write_warehouse(tmp_path / "home" / "accelmart.duckdb", FIRST)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    def pull(url, cause=None):
        started = monotonic()
        with pytest.raises(accelmart.PullError, match=cause) as failed:
            accelmart.pull(url, target)
        assert monotonic() - started < 5
        text = str(failed.value)
        assert len(text) < 700 and text.isprintable() and "canary" not in text and "marker" not in text
        assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before

    return pull


@pytest.mark.parametrize("attack", PLACES)
def test_a_hostile_place_harms_nothing(pulled, monkeypatch, attack):
    monkeypatch.setenv("ACCELMART_PRIVATE_HOSTS", "127.0.0.1")
    with serving(PLACES[attack]) as port:
        pulled(f"http://127.0.0.1:{port}")


@pytest.mark.parametrize("attack", [name for name, pointer in POINTERS.items() if isinstance(pointer, bytes)])
def test_a_hostile_folder_harms_nothing(pulled, tmp_path_factory, attack):
    folder = tmp_path_factory.mktemp("place")
    (folder / "latest.json").write_bytes(POINTERS[attack])
    pulled(str(folder), r"latest\.json is no pointer")


@pytest.mark.parametrize(
    "place",
    [
        *(
            "http://127.0.0.1:{port}",
            "http://2130706433:{port}",
            "http://0x7f.1:{port}",
            "http://127.1:{port}",
        ),
        *("http://0:{port}", "http://localhost:{port}", "http://[::ffff:127.0.0.1]:{port}"),
        *("http://me:marker@127.0.0.1:{port}", "https://10.0.0.1", "https://169.254.169.254/latest"),
        *("https://rebound.example.org", "http://8.8.8.8", "simplecache::http://127.0.0.1:{port}"),
    ],
)
def test_a_place_inside_this_network_is_not_asked(pulled, monkeypatch, place):
    asked, resolve = [], socket.getaddrinfo
    monkeypatch.delenv("ACCELMART_PRIVATE_HOSTS", raising=False)
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda host, *given, **more: resolve("127.0.0.1" if "rebound" in host else host, *given, **more),
    )
    with serving(lambda connection, path, port: asked.append(path)) as port:
        pulled(place.format(port=port), r"is not a public address|no https:// address|leads to another")
    assert asked == []


# --- archives ----------------------------------------------------------------------------------------------------

KEPT = {"results/a.json": b"1", "results/z.json": b"2"}


def tar_of(*members):
    """The good files with others between them."""
    first, last = ((tarfile.TarInfo(name), body) for name, body in KEPT.items())
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for info, body in (first, *members, last):
            info.size = len(body)
            archive.addfile(info, io.BytesIO(body))
    return out.getvalue()


def member(name, body=b"evil", kind=tarfile.REGTYPE, to=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, to
    return info, body if kind == tarfile.REGTYPE else b""


def zipped():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("results/a.json", ZEROS)
    return out.getvalue()


# the good files survive these
PARTLY_GOOD = {
    "traversal": tar_of(member("../results/m.json"), member("results/../../m.json")),
    "symbolic link": tar_of(member("results/m.json", kind=tarfile.SYMTYPE, to="/etc/passwd")),
    "device": tar_of(member("results/m.json", kind=tarfile.CHRTYPE)),
    "pipe": tar_of(member("results/m.json", kind=tarfile.FIFOTYPE)),
    "name with control characters": tar_of(member("results/\x1b[2Jm.json"), member("results/m\n.json")),
    "name with marks of direction": tar_of(member("results/\u202enosj.json")),
    "backslashes": tar_of(member("results/..\\..\\m.json")),
    "duplicate name": tar_of(member("results/a.json", b"evil")),
    "too large a member": tar_of(member("results/m.json", bytes(LIMIT_BYTES + 1))),
}
LYING = tarfile.TarInfo("results/m.json")
LYING.size = 1 << 40
# nothing of these is used
WHOLLY_BAD = {
    "gzip bomb": gzip.compress(tar_of(*[member(f"x/{i}", bytes(4 << 20)) for i in range(8)])),
    "zip bomb": zipped(),
    "lie about a size": LYING.tobuf() + b"x" * 1024,
    "cut short": gzip.compress(tar_of())[:-9],
    "nothing wanted": tar_of()[: tarfile.BLOCKSIZE * 2].replace(b"results", b"elsewh!"),
}


@pytest.mark.parametrize("attack", [*PARTLY_GOOD, *WHOLLY_BAD])
def test_a_hostile_archive_harms_nothing(landing, tmp_path, attack):
    file = tmp_path / "release.tar"

    def land(archive):
        file.write_bytes(archive)
        wanted = Origin(key="v9.9", place=file, checkouts=tmp_path / "git")
        return fetch_one(landing, MLPERF, wanted, client())

    good = land(tar_of())
    before = sorted(p.name for p in tmp_path.iterdir())
    started = monotonic()
    with pytest.raises(PayloadRejected) if attack in WHOLLY_BAD else nullcontext():
        done = land((PARTLY_GOOD | WHOLLY_BAD)[attack])
    assert monotonic() - started < 5
    if attack in WHOLLY_BAD:
        assert landing.latest("mlperf", "v9.9") == good
    else:
        with landing.open(done) as packed, tarfile.open(fileobj=packed) as archive:
            kept = {m.name: archive.extractfile(m).read() for m in archive}
        assert kept == KEPT, (kept.keys(), done.details)
    assert sorted(p.name for p in tmp_path.iterdir()) == before
