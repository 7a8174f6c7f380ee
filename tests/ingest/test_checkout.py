"""Sparse, shallow, blobless checkouts of real local repositories."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest
from git_repositories import commit, git
from local_server import answer

from ingest.core.errors import FetchFailed
from ingest.core.trees import checkout

PATTERNS = ["/summary.json", "**/systems/*.json"]
FILES = {"summary.json": b"[]", "closed/A/systems/s.json": b"{}\r\n", "closed/A/code/big.py": b"x" * 5000}
WANTED = {path: data for path, data in FILES.items() if path.endswith(".json")}


@pytest.fixture
def repo(tmp_path) -> Path:
    path = tmp_path / "results-v1"
    path.mkdir()
    git(path, "init", "-q")
    git(path, "config", "uploadpack.allowFilter", "true")
    commit(path, FILES)
    return path


@pytest.fixture
def fetched(tmp_path):
    """Fetch a repository; returns its wanted files and its commit, once the checkout is gone again."""
    folder = tmp_path / "not yet there" / "checkouts"

    def fetch(url, ref=None, patterns=PATTERNS, **more):
        try:
            with checkout(str(url), folder, patterns, ref=ref, **more) as tree:
                return dict(tree), tree.commit
        finally:
            assert list(folder.iterdir()) == []

    return fetch


def test_only_the_wanted_files_are_fetched(repo, fetched):
    head = git(repo, "rev-parse", "HEAD")
    for url in (repo, repo.as_uri(), os.path.relpath(repo)):
        assert fetched(url) == (WANTED, head)
    assert fetched(repo, patterns=["**/*.py"])[0].keys() == {"closed/A/code/big.py"}


def test_a_big_unneeded_blob_stays_on_the_server(repo, tmp_path):
    commit(repo, {"closed/A/model.bin": os.urandom(20 << 20)})
    with checkout(str(repo), tmp_path / "checkouts", PATTERNS) as tree:
        assert dict(tree) == WANTED
        assert sum(p.stat().st_size for p in (tmp_path / "checkouts").rglob("*") if p.is_file()) < 500_000


def test_a_server_without_filters_sends_the_whole_commit(repo, fetched):
    git(repo, "config", "uploadpack.allowFilter", "false")
    assert fetched(repo)[0] == WANTED


def test_branches_tags_and_commits(repo, fetched):
    old = git(repo, "rev-parse", "HEAD")
    git(repo, "tag", "v1.0")
    git(repo, "tag", "-a", "-m", "x", "v1.0-annotated")
    git(repo, "branch", "feature/x")
    new = commit(repo, {"summary.json": b"newer"})
    for ref in ("v1.0", "v1.0-annotated", "feature/x", old, "refs/heads/feature/x"):
        assert fetched(repo, ref) == (WANTED, old)
    assert fetched(repo) == ({**WANTED, "summary.json": b"newer"}, new)


@pytest.mark.parametrize(
    "url",
    [
        "-oProxyCommand=touch trapped",
        "ext::sh -c touch% trapped",
        "ssh://-oProxyCommand=touch trapped/x",
        "ftp://127.0.0.1/x.git",
        "git@-oProxyCommand=x:y",
        "https://example.org/a\nb",
    ],
)
def test_urls_that_are_options_or_commands_are_refused(fetched, tmp_path, monkeypatch, url):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FetchFailed, match=r"git (remote|fetch) failed"):
        fetched(url)
    assert not list(tmp_path.rglob("trapped"))


@pytest.mark.parametrize("ref", ["--upload-pack=touch trapped", "a..b", "a b", "no"])
def test_refs_that_are_none_are_refused(repo, fetched, ref):
    with pytest.raises(FetchFailed, match="git fetch failed"):
        fetched(repo, ref)


def test_a_failure_has_the_words_of_git_and_no_credential(repo, fetched, tmp_path, server):
    (tmp_path / "plain").mkdir()
    server.on("/private/repo/info/refs", answer(401, WWW_Authenticate='Basic realm="x"'))
    expected = {
        (repo, "nowhere"): "couldn't find remote ref nowhere",
        (tmp_path / "plain", None): "does not appear to be a git repository",
        (f"http://me:s3cret@127.0.0.1:{server.port}/no/repo", None): "not found",
        (server.url("/private/repo"), None): "Authentication failed",
        ("http://127.0.0.1:1/a/b.git", None): "unable to access",
    }
    for (url, ref), problem in expected.items():
        with pytest.raises(FetchFailed, match=f"{problem}.*To fix: ") as failed:
            fetched(url, ref)
        assert "s3cret" not in str(failed.value)


def test_no_git_is_reported(repo, fetched, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FetchFailed, match=r"git is not installed\. To fix: check that git"):
        fetched(repo)


def test_a_hanging_server_is_left(fetched, server):
    release = threading.Event()
    server.on("/slow/repo/info/refs", lambda handler: release.wait(20))
    started = time.monotonic()
    with pytest.raises(FetchFailed, match=r"git fetch did not finish within 0\.3 s"):
        fetched(server.url("/slow/repo"), timeout_seconds=0.3)
    assert time.monotonic() - started < 15
    release.set()


def test_an_incomplete_repository_gives_nothing(repo, fetched):
    digest = git(repo, "rev-parse", "HEAD:summary.json")
    (repo / ".git" / "objects" / digest[:2] / digest[2:]).unlink()
    with pytest.raises(FetchFailed, match="all objects"):
        fetched(repo)


def test_nothing_of_a_repository_is_run_or_converted(repo, fetched, tmp_path, monkeypatch):
    trap = tmp_path / "trapped"
    hooks = tmp_path / "template/hooks"
    hooks.mkdir(parents=True)
    for name in ("post-checkout", "reference-transaction", "post-index-change"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {trap}\n")
        (hooks / name).chmod(0o755)
    config = tmp_path / "gitconfig"
    config.write_text(
        f"[init]\n templateDir = {tmp_path}/template\n[core]\n autocrlf = true\n hooksPath = {hooks}\n"
        f'[filter "evil"]\n smudge = touch {trap}; cat\n required = true\n'
        f'[filter "lfs"]\n smudge = touch {trap}; cat\n required = true\n'
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_TEMPLATE_DIR", str(tmp_path / "template"))
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
    new = {
        ".gitattributes": b"*.json filter=evil eol=crlf ident\nlfs.json filter=lfs\n",
        ".gitmodules": f'[submodule "x"]\n path = x\n url = ext::touch {trap}\n'.encode(),
        "closed/A/systems/lf.json": b"a\n$Id$\n",
        "closed/A/systems/lfs.json": pointer,
    }
    (repo / ".git/info/attributes").write_text("* -text -filter -ident -eol\n")
    (repo / "closed/A/systems/link.json").symlink_to(tmp_path / "gitconfig")
    commit(repo, new)
    with checkout(str(repo), tmp_path / "checkouts", PATTERNS) as tree:
        found = dict(tree)
    assert found["closed/A/systems/lf.json"] == b"a\n$Id$\n"
    assert found["closed/A/systems/lfs.json"] == pointer
    assert found["closed/A/systems/s.json"] == b"{}\r\n"
    assert [name for name, _ in tree.members_refused] == ["closed/A/systems/link.json"]
    assert not trap.exists() and not (tmp_path / "elsewhere").exists()
