"""Warehouses behind URLs: downloaded once, whole or not at all, and kept by their hash."""

import gzip
import hashlib
import json
import re
from dataclasses import replace

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from published_place import FIRST, SECOND, WATTS, serve, write_place, write_warehouse
from replay_server import Reply, altered, refusal, reset_mid_body, server_error

import accelmart
from accelmart.generation import is_generation_id
from accelmart.published import locate


@pytest.fixture
def place(tmp_path):
    return write_place(tmp_path / "place", FIRST)


@pytest.fixture
def server(place):
    with serve(place) as (server, _):
        yield server


@pytest.fixture
def url(server):
    return f"{server.url}/place"


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ACCELMART_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("ACCELMART_PRIVATE_HOSTS", "127.0.0.1")
    return tmp_path / "cache"


def watts(where):
    with accelmart.connect(where) as warehouse:
        return warehouse.sql("select tdp_w from part").fetchall()[0][0]


def files(folder):
    return sorted(path.name for path in folder.rglob("*") if path.suffix in (".duckdb", ".tmp"))


@settings(max_examples=50, deadline=None)
@given(st.from_regex(r"\d{8}[Tt]\d{6}-[0-9a-fA-F]{6}\s?", fullmatch=True) | st.text(max_size=30))
def test_an_id_of_a_generation_names_a_file_and_nothing_else_passes_for_one(text):
    day, time, end = text[:8], text[9:15], text[16:]
    is_one = len(text) == 22 and text[8] + text[15] == "T-" and {*day, *time} <= {*"0123456789"}
    assert is_generation_id(text) == (is_one and {*end} <= {*"0123456789abcdef"})


def test_a_url_is_downloaded_once_and_again_when_another_generation_is_published(server, url, place, cache):
    assert watts(url) == watts(f"{url}/latest.json") == 700
    assert watts(url) == 700
    downloads = [a.path for a in server.asked("place", "/generations")]
    assert downloads == 2 * [f"/generations/{FIRST}/accelmart.duckdb"]
    first = files(cache)
    write_place(place, SECOND)
    assert watts(url) == 1000
    assert len(files(cache)) == 2 and set(first) & set(files(cache)), "the other URL has a copy of its own"
    assert watts(f"{url}/latest.json") == 1000
    assert len(set(files(cache))) == 1 and not set(first) & set(files(cache))


def test_a_copy_that_was_changed_is_downloaded_again(url, cache):
    copy = locate(url)
    copy.write_bytes(copy.read_bytes()[:-1] + b"x")
    assert watts(url) == 700


DATABASE, POINTER = "/generations", "/latest.json"


@pytest.mark.parametrize(
    ("path", "fault"),
    [
        (DATABASE, reset_mid_body().once()),
        (DATABASE, server_error(503).for_first(2)),
        (POINTER, server_error().once()),
    ],
)
def test_a_transfer_that_fails_is_tried_again(server, url, cache, path, fault):
    server.fault("place", path, fault)
    assert watts(url) == 700
    assert len(files(cache)) == 1


HALF = altered(lambda _, reply: replace(reply, body=reply.body[: len(reply.body) // 2]))


@pytest.mark.parametrize(
    ("path", "fault", "cause"),
    [
        (DATABASE, HALF, "is not what latest.json states"),
        (POINTER, server_error(), "the server answered 500"),
        (POINTER, refusal(403), "the server answered 403"),
    ],
)
def test_a_download_that_stays_wrong_keeps_nothing_and_says_why(server, url, cache, path, fault, cause):
    server.fault("place", path, fault)
    with pytest.raises(accelmart.PullError, match=cause) as raised:
        accelmart.connect(url)
    assert url in str(raised.value) and files(cache) == []


def test_another_content_than_stated_is_refused(url, place):
    (file,) = place.glob("generations/*/*")
    file.write_bytes(b"x" * file.stat().st_size)
    with pytest.raises(accelmart.PullError, match=r"SHA-256 [0-9a-f]{16}"):
        accelmart.connect(url)


def test_a_compressed_file_is_downloaded_instead(server, url, place):
    write_place(place, SECOND, compressed=True)
    assert watts(url) == watts(place) == 1000
    downloads = {a.path for a in server.asked("place", DATABASE)}
    assert downloads == {f"/generations/{SECOND}/accelmart.duckdb.gz"}


@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: (
            whole[: len(whole) // 2] + bytes([whole[len(whole) // 2] ^ 255]) + whole[len(whole) // 2 + 1 :]
        ),
        lambda whole: whole[:-100],
        # a small file that becomes a very large one
        lambda whole: gzip.compress(bytes(300_000_000)),
    ],
    ids=["changed", "cut", "larger"],
)
def test_a_damaged_compressed_file_is_refused(url, place, cache, damage):
    write_place(place, SECOND, compressed=True)
    (file,) = place.glob("generations/*/*.gz")
    file.write_bytes(damage(file.read_bytes()))
    stated = r"is not what latest\.json states: ([0-9]{1,2},)?[0-9,]{1,9} bytes"
    with pytest.raises(accelmart.PullError, match=stated):
        accelmart.connect(url)
    assert files(cache) == []


def restate(place, **database):
    """Let the pointer state other things of the file."""
    pointer = json.loads((place / "latest.json").read_text())
    pointer["database"] |= database
    (place / "latest.json").write_text(json.dumps(pointer))


def test_a_place_without_a_warehouse_is_named(url, tmp_path):
    with pytest.raises(accelmart.NotPublishedError, match=r"nothing at .*/none/latest\.json"):
        accelmart.connect(f"{url}/none")
    with pytest.raises(accelmart.PullError, match="cannot be read"):
        accelmart.connect("http://127.0.0.1:9")
    with pytest.raises(accelmart.PullError, match="cannot be read"):
        accelmart.connect("nosuchscheme://x")
    with pytest.raises(accelmart.NotPublishedError, match="accelmart pull URL"):
        accelmart.connect(tmp_path / "empty")


def test_without_a_network_an_earlier_download_is_named(place):
    with serve(place) as (_, url):
        copy = locate(url)
    with pytest.raises(accelmart.PullError, match=re.escape(f"can be read: {copy}")):
        accelmart.connect(url)
    assert watts(copy) == 700


def test_a_generation_that_is_removed_between_pointer_and_file_gives_the_next_one(server, url, place):
    def publish_meanwhile(asked, reply):
        write_place(place, SECOND)
        return Reply(status=404, etag="")

    server.fault("place", DATABASE, altered(publish_meanwhile).once())
    assert watts(url) == 1000


def test_a_folder_is_read_where_it_is(place, tmp_path, cache):
    assert watts(place) == watts(str(place)) == watts(f"file://{place}") == 700
    root = write_warehouse(tmp_path / "root/accelmart.duckdb", SECOND).parent
    assert watts(root) == 1000
    assert not cache.exists()


def test_pull_replaces_the_file_only_if_its_content_is_new(server, url, place, tmp_path):
    target = tmp_path / "home/accelmart.duckdb"
    done = accelmart.pull(url, target)
    assert (done.generation_id, done.is_new, done.bytes) == (FIRST, True, target.stat().st_size)
    assert not accelmart.pull(url, target).is_new and not accelmart.pull(str(place), target).is_new
    with accelmart.connect(target) as reading:
        write_place(place, SECOND)
        server.fault("place", DATABASE, HALF)
        with pytest.raises(accelmart.PullError):
            accelmart.pull(url, target)
        assert watts(target) == 700
        assert accelmart.pull(str(place), target).is_new
        assert reading.sql("select tdp_w from part").fetchall() == [(700,)], "what is open stays readable"
    assert watts(target) == 1000 and files(target.parent) == [target.name]


def test_pull_leaves_a_data_root_that_builds_alone(url, tmp_path):
    (tmp_path / "published.json").write_text("{}")
    with pytest.raises(accelmart.PullError, match="builds a warehouse of its own"):
        accelmart.pull(url, tmp_path / "accelmart.duckdb")
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


def test_a_redirect_on_the_same_server_is_followed(server, url):
    def move(asked, reply):
        moved = {"Location": f"/place{asked.path}?moved=1"}
        return reply if asked.query else Reply(status=302, headers=moved)

    server.fault("place", "/", altered(move))
    assert watts(url) == 700


def test_a_view_in_a_published_file_reads_no_other_file(url, tmp_path, place):
    secret = tmp_path / "secret.csv"
    secret.write_text("word\nprivate\n")
    (file,) = place.glob("generations/*/*")
    with duckdb.connect(str(file)) as db:
        db.execute(f"create view mart_changes as select word as kind from read_csv('{secret}')")
    content = file.read_bytes()
    restate(place, sha256=hashlib.sha256(content).hexdigest(), bytes=len(content))
    for ask in (
        lambda: accelmart.sql("from mart_changes", database=url),
        lambda: accelmart.connect(url).sql("from mart_changes").fetchall(),
        lambda: accelmart.find_changes(database=url),
    ):
        with pytest.raises((accelmart.QueryError, duckdb.Error)) as refused:
            ask()
        assert "private" not in str(refused.value)
