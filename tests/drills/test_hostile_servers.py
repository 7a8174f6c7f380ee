"""Drill: servers and archives that mean harm. The good payload stays in force, and nothing hostile is used.

Each attack is tried by real local servers and real archives. An attack is
survived when it ends in time with a known error or a quarantined payload, the payload in force is still the good one,
and of an archive exactly the good files are kept.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import socket
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from time import monotonic, sleep

import pytest
from json_source import json_source, parse_documents
from raw_server import raw_server
from urllib3.util import Retry

from ingest.core.errors import FetchFailed, PayloadRejected
from ingest.core.fetch import land_origin, run_fetch
from ingest.core.fetch_plan import Fetch, Request
from ingest.core.http import HttpClient
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

Serve = Callable[[socket.socket, bytes, int], None]


def serving(serve: Serve) -> AbstractContextManager[int]:
    """A server whose answers `serve` writes byte by byte, given (connection, path, own port); yields its port."""

    def handle(connection: socket.socket) -> None:
        request = b""
        while b"\r\n\r\n" not in request and (block := connection.recv(65536)):
            request += block
        if request:
            serve(connection, request.split(b" ")[1], connection.getsockname()[1])

    return raw_server(handle)


def once(answer: bytes) -> Serve:
    return lambda connection, path, port: connection.sendall(answer)


def whole(body: bytes, headers: bytes = b"") -> bytes:
    return HEAD + headers + b"Content-Length: %d\r\n\r\n" % len(body) + body


def redirect(location: bytes) -> Serve:
    def serve(connection: socket.socket, path: bytes, port: int) -> None:
        place = location.replace(b"{port}", b"%d" % port)
        if path == b"/inside":
            connection.sendall(whole(b'{"secret": 1}'))
        else:
            connection.sendall(b"HTTP/1.1 302 Found\r\nLocation: " + place + b"\r\nContent-Length: 0\r\n\r\n")

    return serve


def endless_redirects(connection: socket.socket, path: bytes, port: int) -> None:
    connection.sendall(b"HTTP/1.1 302 Found\r\nLocation: " + path + b"x\r\nContent-Length: 0\r\n\r\n")


def drip(start: bytes, part: bytes = b"x") -> Serve:
    def serve(connection: socket.socket, path: bytes, port: int) -> None:
        connection.sendall(start)
        for _ in range(500):
            connection.sendall(part)
            sleep(0.02)

    return serve


def flood(start: bytes, block: bytes) -> Serve:
    def serve(connection: socket.socket, path: bytes, port: int) -> None:
        connection.sendall(start)
        for _ in range(4096):
            connection.sendall(block)

    return serve


ZEROS = bytes(64 << 20)
SERVERS: dict[str, Serve] = {
    "redirect to itself": redirect(b"/list"),
    "redirects without end": endless_redirects,
    "redirect to link-local": redirect(b"http://169.254.169.254/latest/meta-data"),
    "redirect to loopback": redirect(b"http://127.0.0.2:{port}/inside"),
    "redirect to mapped loopback": redirect(b"http://[::ffff:127.0.0.2]:{port}/inside"),
    "redirect to a number": redirect(b"http://2130706434:{port}/inside"),
    "redirect to 0.0.0.0": redirect(b"http://0.0.0.0:{port}/inside"),
    "redirect to a private range": redirect(b"http://10.0.0.1/inside"),
    "redirect to shared addresses": redirect(b"http://100.64.0.1/inside"),
    "redirect to a file": redirect(b"file:///etc/passwd"),
    "redirect to ftp": redirect(b"ftp://127.0.0.1/inside"),
    "redirect to nonsense": redirect(b"http://[::1"),
    "redirect out of TLS": redirect(b"http://8.8.8.8/inside"),
    "drip of the status": drip(b"HTTP/1.1 200 "),
    "drip of headers": drip(HEAD, b"X-A: 1\r\n"),
    "drip of one header": drip(HEAD + b"X-A: "),
    "drip of interim answers": drip(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "drip of the body": drip(HEAD + b"Content-Length: 90000\r\n\r\n"),
    "drip of chunks": drip(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
    "silence": drip(b"", b""),
    "flood of headers": flood(HEAD, b"X-A: 1\r\n"),
    "flood of one header": flood(HEAD + b"X-A: ", bytes(b"x" * 65536)),
    "flood of the body": flood(HEAD + b"\r\n", bytes(b"x" * 65536)),
    "flood behind a 503": flood(b"HTTP/1.1 503 Busy\r\n\r\n", bytes(b"x" * 65536)),
    "length of 10 TB": flood(HEAD + b"Content-Length: 10995116277760\r\n\r\n", bytes(b"x" * 65536)),
    "gzip bomb": once(whole(gzip.compress(ZEROS), b"Content-Encoding: gzip\r\n")),
    "gzip bomb in gzip": once(whole(gzip.compress(gzip.compress(ZEROS)), b"Content-Encoding: gzip\r\n")),
    "deflate bomb": once(whole(zlib.compress(ZEROS), b"Content-Encoding: deflate\r\n")),
    "stacked encodings": once(whole(gzip.compress(GOOD), b"Content-Encoding: gzip, gzip\r\n")),
    "length too long": once(HEAD + b"Content-Length: 500\r\n\r\n" + GOOD),
    "length too short": once(HEAD + b"Content-Length: 9\r\n\r\n" + GOOD),
    "length of no number": once(HEAD + b"Content-Length: many\r\n\r\n" + GOOD[:-4]),
    "no length, cut short": once(HEAD + b"\r\n" + GOOD[:-4]),
    "gzip cut short": once(whole(gzip.compress(GOOD)[:-6], b"Content-Encoding: gzip\r\n")),
    "chunks cut short": once(HEAD + b"Transfer-Encoding: chunked\r\n\r\n50\r\n" + GOOD),
    "no HTTP": once(b"220 smtp.example.org ESMTP\r\n"),
}


@pytest.fixture
def landing(tmp_path) -> Landing:
    return Landing(tmp_path / "landing")


def client() -> HttpClient:
    return HttpClient(
        private_hosts=["127.0.0.1"],
        total_timeout_seconds=DEADLINE_S,
        read_timeout_seconds=DEADLINE_S,
        retry=Retry(1),
        min_interval_seconds=0,
    )


@pytest.mark.parametrize("attack", SERVERS)
def test_a_hostile_server_harms_nothing(landing, attack):
    good = landing.store(
        GOOD, source="cloud", key="all", url="https://cloud.test/list", content_type="application/json",
        licence="x", limit_bytes=LIMIT_BYTES,
    )  # fmt: skip
    with serving(SERVERS[attack]) as port:
        started = monotonic()
        fetch = Fetch(key="all", first=Request(url=f"http://127.0.0.1:{port}/list"))
        with pytest.raises((FetchFailed, PayloadRejected), match="To fix: "):
            run_fetch(landing, CLOUD, fetch, client())
        assert monotonic() - started < 5
    assert landing.latest("cloud", "all") == good
    assert all(p.bytes <= LIMIT_BYTES for p in landing.quarantined())
    assert not any(b"secret" in landing.read(p) for p in landing.history())


# --- archives ----------------------------------------------------------------------------------------------------

KEPT = {"results/a.json": b"1", "results/z.json": b"2"}


def tar_of(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    """The good files with others between them."""
    first, last = ((tarfile.TarInfo(name), body) for name, body in KEPT.items())
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for info, body in (first, *members, last):
            info.size = len(body)
            archive.addfile(info, io.BytesIO(body))
    return out.getvalue()


def member(name: str, body: bytes = b"evil", kind: bytes = tarfile.REGTYPE, to: str = "") -> tuple:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, to
    return info, body if kind == tarfile.REGTYPE else b""


def lying_tar() -> bytes:
    info = tarfile.TarInfo("results/m.json")
    info.size = 1 << 40
    return info.tobuf() + b"x" * 1024


def zipped() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("results/a.json", ZEROS)
    return out.getvalue()


# the good files survive these
PARTLY_GOOD = {
    "traversal": tar_of(member("../results/m.json"), member("results/../../m.json")),
    "absolute name": tar_of(member("/results/m.json")),
    "backslashes": tar_of(member("results\\..\\m.json")),
    "symbolic link": tar_of(member("results/m.json", kind=tarfile.SYMTYPE, to="/etc/passwd")),
    "hard link": tar_of(member("results/m.json", kind=tarfile.LNKTYPE, to="/etc/passwd")),
    "device": tar_of(member("results/m.json", kind=tarfile.CHRTYPE)),
    "pipe": tar_of(member("results/m.json", kind=tarfile.FIFOTYPE)),
    "name with control characters": tar_of(member("results/\x1b[2Jm.json"), member("results/m\n.json")),
    "name with marks of direction": tar_of(member("results/\u202enosj.json")),
    "name of a megabyte": tar_of(member("results/" + "m" * 900_000 + ".json")),
    "duplicate name": tar_of(member("results/a.json", b"evil")),
    "too large a member": tar_of(member("results/m.json", bytes(LIMIT_BYTES + 1))),
}
# nothing of these is used
WHOLLY_BAD = {
    "gzip bomb": gzip.compress(tar_of(*[member(f"x/{i}", bytes(4 << 20)) for i in range(8)])),
    "xz bomb": lzma.compress(tar_of(*[member(f"x/{i}", bytes(4 << 20)) for i in range(8)])),
    "bzip2 bomb": bz2.compress(tar_of(*[member(f"x/{i}", bytes(4 << 20)) for i in range(8)])),
    "zip bomb": zipped(),
    "lie about a size": lying_tar(),
    "cut short": gzip.compress(tar_of())[:-9],
    "nothing wanted": tar_of()[: tarfile.BLOCKSIZE * 2].replace(b"results", b"elsewh!"),
}


@pytest.mark.parametrize("attack", [*PARTLY_GOOD, *WHOLLY_BAD])
def test_a_hostile_archive_harms_nothing(landing, tmp_path, attack):
    file = tmp_path / "release.tar"

    def land(archive):
        file.write_bytes(archive)
        return land_origin(landing, MLPERF, "v9.9", file, client(), tmp_path / "git")

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
