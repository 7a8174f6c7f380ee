"""One release in every form it may be given: the same payload, or a message that helps."""

from __future__ import annotations

import hashlib
import io
import tarfile
from pathlib import Path

import pytest
from git_repositories import commit, git
from local_server import LocalClient, answer
from made import fetch_one, make_source
from urllib3.util import Retry

from ingest.core.errors import FetchFailed, PayloadRejected
from ingest.core.fetch import Origin, classify_origin
from ingest.core.landing import Landing
from ingest.core.source import Source
from ingest.core.trees import read_tarball

PATTERNS = ["/summary.json", "**/systems/*.json"]
TREE = {
    "summary.json": b"[]",
    "closed/A/systems/s.json": b'{"a": 1}',
    "open/B-C/systems/t.json": b"{}",
    "code/run.py": b"print()",
}
WANTED = {path: data for path, data in TREE.items() if path.endswith(".json")}


@pytest.fixture
def folder(tmp_path) -> Path:
    root = tmp_path / "given" / "results-v1"
    for path, data in TREE.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    return root


@pytest.fixture
def tarball(tmp_path) -> Path:
    path = tmp_path / "results.tar.gz"
    path.write_bytes(make_tarball(TREE))
    return path


def read_through(members, *, key):
    """A parser of any files, which have no part."""
    for _, file in members:
        file.read()
    return []


def source(**change) -> Source:
    given = {"name": "src", "licence": "Apache-2.0", "patterns": tuple(PATTERNS), "tree_limit_bytes": 8 << 30}
    return make_source(parse=change.pop("parse", read_through), **(given | change))


@pytest.fixture
def land(landing, tmp_path):
    client = LocalClient(retry=Retry(0))

    def call(origin, *, key="v1", **change):
        wanted = Origin(key=key, place=origin, checkouts=tmp_path / "cache")
        return fetch_one(landing, source(**change), wanted, client)

    return call


@pytest.fixture
def refuse(land, landing):
    """Land what is quarantined; return its record."""

    def call(origin, **change):
        with pytest.raises(PayloadRejected) as rejected:
            land(origin, **change)
        kept = landing.quarantined()[-1]
        assert landing.address(kept) in str(rejected.value)
        return kept

    return call


def make_tarball(tree: dict[str, bytes], top: str = "results-v1-main/", mtime: int = 5) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for path, data in tree.items():
            info = tarfile.TarInfo(top + path)
            info.size, info.mtime = len(data), mtime
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def members_of(landing: Landing, payload) -> dict[str, bytes]:
    with landing.open(payload) as file:
        return dict(read_tarball(file, ["**"]))


def noise(size: int) -> bytes:
    """Bytes that do not compress."""
    return b"".join(hashlib.sha256(b"%d" % n).digest() for n in range(size // 32))


def test_every_form_of_a_release_is_the_same_payload(land, landing, folder, tarball, server, tmp_path):
    git(folder, "init", "-q")
    git(folder, "config", "uploadpack.allowFilter", "true")
    head = commit(folder, {})
    git(tmp_path, "clone", "-q", "--bare", str(folder), "bare.git")
    git(tmp_path, "clone", "-q", "--bare", str(folder), "bare-by-another-name")
    url = server.on("/files/results.tgz", answer(body=tarball.read_bytes(), ETag='"1"'))
    archive_api = server.on("/o/r/tar.gz/refs/heads/main", answer(body=tarball.read_bytes()))
    files = [url, archive_api, folder, folder.as_uri(), tarball, tarball.as_uri()]
    bare = tmp_path / "bare.git"
    repositories = [
        f"git+{folder}",
        f"git+{folder.as_uri()}",
        bare.as_uri(),
        str(tmp_path / "bare-by-another-name"),
    ]
    payloads = []
    for number, origin in enumerate([*files, *repositories]):
        payloads.append(kept := land(origin, key=f"form-{number}"))
        assert (kept.outcome, kept.content_type, kept.url) == ("landed", "application/x-tar", str(origin))
        details = {"patterns": PATTERNS, "members_kept": 3, "members_refused": [], "members_refused_count": 0}
        # a sparse checkout sees what it wants
        seen = {"members_seen": 4} if origin in files else {"members_seen": 3, "commit": head}
        assert kept.details == details | seen
    assert len({p.sha256 for p in payloads}) == 1
    assert members_of(landing, payloads[0]) == WANTED
    assert (payloads[0].etag, payloads[0].http_status) == ('"1"', 200)


def test_a_sparse_checkout_of_one_folder_keeps_that_folder(land, landing, folder):
    git(folder, "init", "-q")
    commit(folder, {"quanta-cloud/systems/q.json": b"{}"})
    kept = land(f"git+{folder}", patterns=("quanta-*/**",))
    assert members_of(landing, kept) == {"quanta-cloud/systems/q.json": b"{}"}


def test_a_clone_without_its_files_is_refused_and_not_quarantined(land, landing, folder, tmp_path):
    git(folder, "init", "-q")
    commit(folder, {})
    git(tmp_path, "clone", "-q", "--no-checkout", str(folder), "bare-of-files")
    with pytest.raises(FetchFailed, match=r"no files checked out.*git checkout --force HEAD.*git\+"):
        land(tmp_path / "bare-of-files")
    (folder / ".git" / "index.lock").touch()
    with pytest.raises(FetchFailed, match="interrupted or is under way"):
        land(folder)
    assert landing.history() == []


def test_landing_it_again_is_unchanged(land, tarball):
    assert [land(tarball).outcome for _ in range(2)] == ["landed", "unchanged"]
    tarball.write_bytes(make_tarball(TREE, mtime=6))  # another file, the same content
    assert land(tarball).outcome == "unchanged"
    tarball.write_bytes(make_tarball(TREE | {"summary.json": b"[1]"}))
    assert land(tarball).outcome == "landed"


def test_a_single_file_is_stored_as_it_is(land, landing, tmp_path, server):
    path, body = tmp_path / "summary.json", b'[{"a": 1}]'
    path.write_bytes(body)
    url = server.on("/x/summary.json", answer(body=body, Content_Type="application/json; charset=utf-8"))
    for key, origin in (("file", path), ("url", url)):
        kept = land(origin, key=key)
        assert (kept.outcome, kept.content_type, kept.bytes) == ("landed", "application/json", 10)
        assert landing.read(kept) == body


def test_a_single_file_is_checked(land, refuse, landing, tmp_path):
    path = tmp_path / "summary.json"
    path.write_bytes(b"[1]")
    good = land(path)
    for bad, problem in ((b"<html>gone", "HTML"), (b"x" * 100, "limit")):
        path.write_bytes(bad)
        kept = refuse(path, limit_bytes=50)
        assert problem in kept.reason and kept.bytes == min(len(bad), 50)
    assert landing.latest("src", "v1") == good


def test_the_parser_judges_what_is_stored(refuse, landing, folder, tmp_path):
    seen = []

    def parse(members, *, key):
        seen.append({name: file.read() for name, file in members})
        raise PayloadRejected(payload="p", problem="not what I want", remedy="look")

    assert refuse(folder, parse=parse).reason == "not what I want. To fix: look"
    (tmp_path / "lone.json").write_bytes(b"[1]")
    assert "not what I want" in refuse(tmp_path / "lone.json", parse=parse).reason
    assert seen == [WANTED, {"": b"[1]"}]


def test_only_a_new_tarball_is_downloaded_unless_more_of_it_is_wanted(land, landing, server):
    def send(handler):
        known = handler.headers.get("If-None-Match") == '"1"'
        (answer(304) if known else answer(body=make_tarball(TREE), ETag='"1"'))(handler)

    url = server.on("/f/r.tar.gz", send)
    first, second = land(url), land(url)
    assert (second.outcome, second.http_status, second.sha256) == ("unchanged", 304, first.sha256)
    assert second.details == first.details
    wider = land(url, patterns=(*PATTERNS, "*.py"))
    assert (wider.outcome, set(members_of(landing, wider))) == ("landed", set(TREE))


def test_refused_members_are_in_the_details(land, landing, tmp_path):
    tree = TREE | {f"../systems/{n}.json": b"" for n in range(150)}
    (tmp_path / "t.tgz").write_bytes(make_tarball(tree))
    kept = land(tmp_path / "t.tgz")
    assert kept.outcome == "landed" and members_of(landing, kept) == WANTED
    assert (len(kept.details["members_refused"]), kept.details["members_refused_count"]) == (100, 150)
    refusal = ["results-v1-main/../systems/0.json", "its path leads out of the tree (..)"]
    assert kept.details["members_refused"][0] == refusal
    assert landing.latest("src", "v1") == kept  # all of it survives JSON


def test_a_tree_without_a_wanted_file_is_quarantined(refuse, landing, folder):
    kept = refuse(folder, patterns=("/nothing/*.here", "**/nor.this"))
    assert "/nothing/*.here, **/nor.this" in kept.reason and "right release" in kept.reason
    assert landing.latest("src", "v1") is None


def test_a_truncated_tarball_is_quarantined_with_what_was_good(land, refuse, landing, tarball):
    good = land(tarball)
    data = make_tarball(TREE | {"closed/Z/systems/z.json": noise(96_000)})
    tarball.write_bytes(data[: len(data) // 2])
    kept = refuse(tarball)
    assert "cut short or damaged at unpacked byte" in kept.reason and "fetch it again" in kept.reason
    assert members_of(landing, kept) == WANTED
    assert landing.latest("src", "v1") == good


@pytest.mark.parametrize("origin", ["no/such/place", "ftp://example.org/etc/passwd", "file:///no/such"])
def test_what_cannot_be_an_origin_is_reported(land, origin):
    with pytest.raises(FetchFailed, match="there is no such file or folder"):
        land(origin)


@pytest.mark.parametrize(
    ("origin", "kind", "place"),
    [
        ("https://github.com/mlcommons/inference_results_v5.1", "git", None),
        ("https://example.org/deep/er/path/repo.git", "git", None),
        ("git@github.com:mlcommons/x", "git", None),
        ("git+https://host/x", "git", "https://host/x"),
        ("https://host/o/summary.json", "http", None),
        ("https://host/summary", "http", None),
        ("https://host/o/r/archive/refs/heads/main", "http", None),
        ("HTTPS://host/a/b.tgz?x=1", "http", None),
    ],
)
def test_what_an_origin_is(origin, kind, place):
    assert classify_origin(origin) == (kind, place or origin)
