"""Warehouses behind URLs: downloaded once, whole or not at all, and kept by their hash."""

import gzip
import hashlib
import json
import re
from contextlib import contextmanager
from time import monotonic, sleep

import duckdb
import pytest
from published_place import FIRST, SECOND, WATTS, serve, write_place, write_warehouse
from raw_server import raw_server

import accelmart
from accelmart.published import locate


@pytest.fixture
def place(tmp_path):
    return write_place(tmp_path / "place", FIRST)


@pytest.fixture
def server(place):
    with serve(place) as served:
        yield served


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ACCELMART_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("accelmart.remote._WAIT_S", 0)
    return tmp_path / "cache"


def watts(where):
    with accelmart.connect(where) as warehouse:
        return warehouse.sql("select tdp_w from part").fetchall()[0][0]


def files(folder):
    return sorted(path.name for path in folder.rglob("*") if path.suffix in (".duckdb", ".tmp"))


def test_a_url_is_downloaded_once_and_again_when_another_generation_is_published(server, place, cache):
    assert watts(server.url) == watts(f"{server.url}/latest.json") == 700
    assert watts(server.url) == 700
    assert [p for p, _ in server.requests if p.endswith(".duckdb")] == 2 * [
        f"/generations/{FIRST}/accelmart.duckdb"
    ]
    first = files(cache)
    write_place(place, SECOND)
    assert watts(server.url) == 1000
    assert len(files(cache)) == 2 and set(first) & set(files(cache)), "the other URL has a copy of its own"
    assert watts(f"{server.url}/latest.json") == 1000
    assert len(set(files(cache))) == 1 and not set(first) & set(files(cache))


def test_a_copy_that_was_changed_is_downloaded_again(server, cache):
    copy = locate(server.url)
    copy.write_bytes(copy.read_bytes()[:-1] + b"x")
    assert watts(server.url) == 700


@pytest.mark.parametrize("faults", [{"duckdb": ["cut"]}, {"duckdb": [503, 503]}, {"json": [500]}])
def test_a_transfer_that_fails_is_tried_again(server, cache, faults):
    server.faults |= faults
    assert watts(server.url) == 700
    assert len(files(cache)) == 1


@pytest.mark.parametrize(
    ("faults", "cause"),
    [
        ({"duckdb": ["cut"] * 9}, "is not what latest.json states"),
        ({"json": [500] * 9}, "HTTP 500"),
        ({"json": [403]}, "HTTP 403"),
    ],
)
def test_a_download_that_stays_wrong_keeps_nothing_and_says_why(server, cache, faults, cause):
    server.faults |= faults
    with pytest.raises(accelmart.PullError, match=cause) as raised:
        accelmart.connect(server.url)
    assert server.url in str(raised.value) and files(cache) == []


def test_another_content_than_stated_is_refused(server, place):
    (file,) = place.glob("generations/*/*")
    file.write_bytes(b"x" * file.stat().st_size)
    with pytest.raises(accelmart.PullError, match=r"SHA-256 [0-9a-f]{16}"):
        accelmart.connect(server.url)


def test_a_compressed_file_is_downloaded_instead(server, place, cache):
    write_place(place, SECOND, compressed=True)
    server.faults["gz"] = ["cut", 503]
    assert watts(server.url) == watts(place) == 1000
    assert {p for p, _ in server.requests if "duckdb" in p} == {f"/generations/{SECOND}/accelmart.duckdb.gz"}


@pytest.mark.parametrize("damage", ["content", "cut", "text", "larger"])
def test_a_damaged_compressed_file_is_refused(server, place, cache, damage):
    write_place(place, SECOND, compressed=True)
    (file,) = place.glob("generations/*/*.gz")
    whole = file.read_bytes()
    damaged = {
        "content": whole[: len(whole) // 2]
        + bytes([whole[len(whole) // 2] ^ 255])
        + whole[len(whole) // 2 + 1 :],
        "cut": whole[:-100],
        "text": b"no gzip",
        # a small file that becomes a very large one
        "larger": gzip.compress(bytes(300_000_000)),
    }
    file.write_bytes(damaged[damage])
    with pytest.raises(
        accelmart.PullError, match=r"is not what latest\.json states: ([0-9]{1,2},)?[0-9,]{1,9} bytes"
    ):
        accelmart.connect(server.url)
    assert files(cache) == []


@pytest.mark.parametrize(
    "database",
    [
        {"path": "../secret.duckdb"},
        {"path": "/etc/passwd"},
        {"path": "generations//x"},
        {"gzip": "../secret.duckdb.gz"},
        {"sha256": "../../x"},
        {"bytes": "many"},
    ],
)
def test_a_pointer_names_nothing_outside_its_place(server, place, database):
    stated = json.loads((place / "latest.json").read_text())
    stated["database"] |= database
    (place / "latest.json").write_text(json.dumps(stated))
    for where in (server.url, place):
        with pytest.raises(accelmart.PullError, match=r"latest\.json is no pointer"):
            accelmart.connect(where)


def test_a_place_without_a_warehouse_is_named(server, tmp_path):
    with pytest.raises(accelmart.NotPublishedError, match=r"nothing at .*/none/latest\.json"):
        accelmart.connect(f"{server.url}/none")
    with pytest.raises(accelmart.PullError, match="cannot be read"):
        accelmart.connect("http://127.0.0.1:9")
    with pytest.raises(accelmart.PullError, match="cannot be read"):
        accelmart.connect("nosuchscheme://x")
    with pytest.raises(accelmart.NotPublishedError, match="accelmart pull URL"):
        accelmart.connect(tmp_path / "empty")


def test_without_a_network_an_earlier_download_is_named(place):
    with serve(place) as served:
        url = served.url
        copy = locate(url)
    with pytest.raises(accelmart.PullError, match=re.escape(f"can be read: {copy}")):
        accelmart.connect(url)
    assert watts(copy) == 700


def test_a_generation_that_is_removed_between_pointer_and_file_gives_the_next_one(server, place):
    def publish_meanwhile(path):
        if path.endswith(".duckdb") and FIRST in path:
            write_place(place, SECOND)

    server.before = publish_meanwhile
    assert watts(server.url) == 1000


def test_a_folder_is_read_where_it_is(place, tmp_path, cache):
    assert watts(place) == watts(str(place)) == watts(f"file://{place}") == 700
    root = write_warehouse(tmp_path / "root/accelmart.duckdb", SECOND).parent
    assert watts(root) == 1000
    assert not cache.exists()


def test_pull_replaces_the_file_only_if_its_content_is_new(server, place, tmp_path):
    target = tmp_path / "home/accelmart.duckdb"
    done = accelmart.pull(server.url, target)
    assert (done.generation_id, done.is_new, done.bytes) == (FIRST, True, target.stat().st_size)
    assert not accelmart.pull(server.url, target).is_new and not accelmart.pull(str(place), target).is_new
    with accelmart.connect(target) as reading:
        write_place(place, SECOND)
        server.faults["duckdb"] = ["cut"] * 9
        with pytest.raises(accelmart.PullError):
            accelmart.pull(server.url, target)
        assert watts(target) == 700
        assert accelmart.pull(str(place), target).is_new
        assert reading.sql("select tdp_w from part").fetchall() == [(700,)], "what is open stays readable"
    assert watts(target) == 1000 and files(target.parent) == [target.name]


def test_pull_leaves_a_data_root_that_builds_alone(server, tmp_path):
    (tmp_path / "published.json").write_text("{}")
    with pytest.raises(accelmart.PullError, match="builds a warehouse of its own"):
        accelmart.pull(server.url, tmp_path / "accelmart.duckdb")
    assert not (tmp_path / "accelmart.duckdb").exists()


def test_an_open_warehouse_answers_and_takes_no_other(place):
    with accelmart.connect(place) as warehouse:
        assert warehouse.generation_id == FIRST
        assert warehouse.sql("from part where tdp_w > $w", {"w": 1}).df()["tdp_w"].tolist() == [WATTS[FIRST]]
        assert accelmart.sql("from part", database=warehouse).rows == [("h100", 700)]
        with pytest.raises(accelmart.QueryError, match="show tables"):
            warehouse.sql("from prat")
        with pytest.raises(accelmart.QueryError, match="read-only"):
            warehouse.sql("drop table part")
        with pytest.raises(TypeError, match="takes no database"):
            warehouse.rank("x", database=place)


# --- a place that means harm -------------------------------------------------------------------------------------


@contextmanager
def answering(answer):
    """A server that gives every request to `answer`, as (connection, path); yields its URL."""

    def handle(connection):
        request = b""
        while b"\r\n\r\n" not in request and (block := connection.recv(65536)):
            request += block
        if request:
            answer(connection, request.split(b" ")[1].decode())

    with raw_server(handle) as port:
        yield f"http://127.0.0.1:{port}"


def send(connection, body, head=b"HTTP/1.1 200 OK\r\n"):
    connection.sendall(head + b"Content-Length: %d\r\n\r\n" % len(body) + body)


@pytest.mark.parametrize(
    "location",
    [
        "http://localhost:{port}/latest.json",
        "http://127.0.0.2:{port}/latest.json",
        "http://[::ffff:127.0.0.1]:{port}/latest.json",
        "http://169.254.169.254/latest/meta-data",
        "https://10.0.0.1/latest.json",
        "http://8.8.8.8/latest.json",
        "file:///etc/passwd",
        "ftp://127.0.0.1/latest.json",
    ],
)
def test_a_redirect_into_this_network_or_without_tls_is_refused(server, cache, location):
    port = server.url.rpartition(":")[2]

    def redirect(connection, path):
        send(connection, b"", f"HTTP/1.1 302 Found\r\nLocation: {location.format(port=port)}\r\n".encode())

    with answering(redirect) as url, pytest.raises(accelmart.PullError, match=r"[Rr]edirect"):
        accelmart.connect(url)
    assert server.requests == [] and files(cache) == []


def test_a_redirect_on_the_same_server_is_followed(place):
    def serve_moved(connection, path):
        if path.startswith("/moved"):
            return send(connection, (place / path.removeprefix("/moved/")).read_bytes())
        return send(connection, b"", f"HTTP/1.1 302 Found\r\nLocation: /moved{path}\r\n".encode())

    with answering(serve_moved) as url:
        assert watts(url) == 700


DRIPS = {
    "head": b"HTTP/1.1 200 OK\r\nX-A: ",
    "pointer": b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n",
}


@pytest.mark.parametrize("start", DRIPS)
def test_a_drip_ends_at_the_deadline(monkeypatch, cache, start):
    monkeypatch.setattr("accelmart.remote._PATIENCE_S", 0.3)
    monkeypatch.setattr("accelmart.remote._SLOWEST_BYTES_PER_S", 1e9)

    def drip(connection, path):
        connection.sendall(DRIPS[start])
        for _ in range(500):
            connection.sendall(b"x")
            sleep(0.02)

    started = monotonic()
    with answering(drip) as url, pytest.raises(accelmart.PullError, match=r"no answer in|too slow"):
        accelmart.connect(url)
    assert monotonic() - started < 5 and files(cache) == []


def test_a_size_that_no_warehouse_has_is_not_believed(server, place, cache):
    stated = json.loads((place / "latest.json").read_text())
    stated["database"]["bytes"] = 10 << 40
    (place / "latest.json").write_text(json.dumps(stated))
    with pytest.raises(accelmart.PullError, match=r"10,995,116,277,760 bytes is not believed"):
        accelmart.connect(server.url)
    assert [path for path, _ in server.requests] == ["/latest.json"]


def test_a_pointer_without_end_is_given_up(cache):
    def flood(connection, path):
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            connection.sendall(bytes(65536))

    with answering(flood) as url, pytest.raises(accelmart.PullError, match="no pointer"):
        accelmart.connect(url)
    assert files(cache) == []


def test_a_view_in_a_published_file_reads_no_other_file(tmp_path, place, server):
    secret = tmp_path / "secret.csv"
    secret.write_text("word\nprivate\n")
    (file,) = place.glob("generations/*/*")
    with duckdb.connect(str(file)) as db:
        db.execute(f"create view mart_changes as select word as kind from read_csv('{secret}')")
    content = file.read_bytes()
    stated = json.loads((place / "latest.json").read_text())
    stated["database"] |= {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
    (place / "latest.json").write_text(json.dumps(stated))
    for ask in (
        lambda: accelmart.sql("from mart_changes", database=server.url),
        lambda: accelmart.connect(server.url).sql("from mart_changes").fetchall(),
        lambda: accelmart.find_changes(database=server.url),
    ):
        with pytest.raises((accelmart.QueryError, duckdb.Error)) as refused:
            ask()
        assert "private" not in str(refused.value)
