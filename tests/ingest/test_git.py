"""Sparse partial clones of real local repositories."""

from __future__ import annotations

import json
import logging
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from filelock import FileLock
from git_repositories import commit, git
from local_server import answer

from ingest.core.errors import FetchFailed
from ingest.core.git import fetch_repository, repository

PATTERNS = ["/summary.json", "**/systems/*.json"]
FILES = {"summary.json": b"[]", "closed/A/systems/s.json": b"{}\r\n", "closed/A/code/big.py": b"x" * 5000}


@pytest.fixture
def repo(tmp_path) -> Path:
    path = tmp_path / "results-v1"
    path.mkdir()
    git(path, "init", "-q")
    git(path, "config", "uploadpack.allowFilter", "true")
    commit(path, FILES)
    return path


@pytest.fixture
def cache(tmp_path) -> Path:
    return tmp_path / "cache"


def files_of(path: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(path)): p.read_bytes()
        for p in path.rglob("*")
        if p.is_file() and p.relative_to(path).parts[0] != ".git"
    }


WANTED = {path: data for path, data in FILES.items() if path.endswith(".json")}


@pytest.mark.parametrize("form", [str, Path.as_uri])
def test_only_the_wanted_files_are_checked_out(repo, cache, form):
    tree = fetch_repository(form(repo), cache, PATTERNS)
    assert files_of(tree.path) == WANTED
    assert tree.commit == git(repo, "rev-parse", "HEAD")
    assert tree.url == repo.as_uri()
    assert tree.path.is_relative_to(cache)


def test_a_big_unneeded_blob_stays_on_the_server(repo, cache):
    commit(repo, {"closed/A/model.bin": os.urandom(20 << 20)})
    tree = fetch_repository(str(repo), cache, PATTERNS)
    assert files_of(tree.path) == WANTED
    assert sum(p.stat().st_size for p in cache.rglob("*") if p.is_file()) < 500_000


def test_without_filter_support_the_commit_is_fetched_whole_with_a_warning(repo, cache, caplog):
    git(repo, "config", "uploadpack.allowFilter", "false")
    commit(repo, {"more": b"1"})
    with caplog.at_level(logging.WARNING):
        tree = fetch_repository(str(repo), cache, PATTERNS)
    assert files_of(tree.path) == WANTED
    assert "does not filter" in caplog.text
    assert git(tree.path, "rev-list", "--count", "HEAD") == "1"


def test_the_cache_follows_the_repository(repo, cache):
    first = fetch_repository(str(repo), cache, PATTERNS)
    (repo / "summary.json").unlink()
    second_commit = commit(repo, {"open/B/systems/t.json": b"2"})
    second = fetch_repository(str(repo), cache, PATTERNS)
    assert (second.path, second.commit) == (first.path, second_commit)
    assert files_of(second.path) == {"closed/A/systems/s.json": b"{}\r\n", "open/B/systems/t.json": b"2"}


def test_an_unchanged_commit_brings_no_new_objects(repo, cache):
    first = fetch_repository(str(repo), cache, PATTERNS)
    packs = sorted(p.name for p in (first.path / ".git/objects").rglob("*") if p.is_file())
    second = fetch_repository(str(repo), cache, PATTERNS)
    assert second == first
    assert sorted(p.name for p in (first.path / ".git/objects").rglob("*") if p.is_file()) == packs


def test_a_rewritten_history_is_followed(repo, cache):
    fetch_repository(str(repo), cache, PATTERNS)
    git(repo, "checkout", "-q", "--orphan", "fresh")
    git(repo, "rm", "-rqf", ".")
    new = commit(repo, {"summary.json": b"new"})
    git(repo, "branch", "-q", "-M", "main")
    tree = fetch_repository(str(repo), cache, PATTERNS)
    assert (tree.commit, files_of(tree.path)) == (new, {"summary.json": b"new"})


def test_patterns_may_change(repo, cache):
    fetch_repository(str(repo), cache, PATTERNS)
    assert set(files_of(fetch_repository(str(repo), cache, ["**/*.py"]).path)) == {"closed/A/code/big.py"}
    assert files_of(fetch_repository(str(repo), cache, PATTERNS).path) == WANTED


def test_a_checkout_somebody_changed_is_put_right(repo, cache):
    tree = fetch_repository(str(repo), cache, PATTERNS)
    (tree.path / "summary.json").write_bytes(b"changed")
    (tree.path / "closed/A/systems/s.json").unlink()
    (tree.path / "closed/A/systems/new.json").write_bytes(b"new")
    assert files_of(fetch_repository(str(repo), cache, PATTERNS).path) == WANTED


def test_branches_tags_and_commits(repo, cache):
    old = git(repo, "rev-parse", "HEAD")
    git(repo, "tag", "v1.0")
    git(repo, "tag", "-a", "-m", "x", "v1.0-annotated")
    git(repo, "branch", "feature/x")
    commit(repo, {"summary.json": b"newer"})
    for ref in ("v1.0", "v1.0-annotated", "feature/x", old, "refs/heads/feature/x"):
        tree = fetch_repository(str(repo), cache, PATTERNS, ref)
        assert (tree.commit, files_of(tree.path)["summary.json"]) == (old, b"[]")
    assert files_of(fetch_repository(str(repo), cache, PATTERNS).path)["summary.json"] == b"newer"


def test_a_bare_repository(repo, cache, tmp_path):
    git(tmp_path, "clone", "-q", "--bare", str(repo), "bare.git")
    assert files_of(fetch_repository(str(tmp_path / "bare.git"), cache, PATTERNS).path) == WANTED


@pytest.mark.parametrize("interrupted_at", ["empty", "half a fetch", "half a checkout", "stale lock"])
def test_an_interrupted_clone_is_redone(repo, cache, interrupted_at):
    tree = fetch_repository(str(repo), cache, PATTERNS)
    state = tree.path / ".git/accelmart.json"
    assert json.loads(state.read_text())["commit"] == tree.commit
    state.unlink()  # what is left when a process dies before its last step
    if interrupted_at == "empty":
        shutil.rmtree(tree.path)
        tree.path.mkdir()
    elif interrupted_at == "half a fetch":
        for pack in (tree.path / ".git/objects/pack").iterdir():
            pack.chmod(0o644)
            pack.write_bytes(pack.read_bytes()[:40])
    elif interrupted_at == "half a checkout":
        (tree.path / ".git/index").write_bytes(b"")
        (tree.path / "summary.json").unlink()
    else:
        (tree.path / ".git/index.lock").touch()
        (tree.path / ".git/shallow.lock").touch()
    again = fetch_repository(str(repo), cache, PATTERNS)
    assert again == tree and files_of(again.path) == WANTED


def test_a_killed_clone_is_redone(repo, cache, tmp_path):
    """The process dies with git at work."""
    fifo = tmp_path / "never"
    os.mkfifo(fifo)
    shim = tmp_path / "bin"
    shim.mkdir()
    real = shutil.which("git")
    (shim / "git").write_text(
        f'#!/bin/sh\ncase "$*" in *checkout*) exec cat "{fifo}";; *) exec {real} "$@";; esac\n'
    )
    (shim / "git").chmod(0o755)
    code = (
        "import sys; from pathlib import Path; from ingest.core.git import fetch_repository\n"
        "fetch_repository(sys.argv[1], Path(sys.argv[2]), ['**'])\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(repo), str(cache)],
        env=os.environ | {"PATH": f"{shim}:{os.environ['PATH']}"},
    )
    with fifo.open("wb"):  # opens once the checkout stands still
        process.kill()
        process.wait()
    assert files_of(fetch_repository(str(repo), cache, PATTERNS).path) == WANTED


def test_a_failed_fetch_keeps_the_cache(repo, cache):
    tree = fetch_repository(str(repo), cache, PATTERNS)
    repo.rename(repo.with_name("away"))
    with pytest.raises(FetchFailed, match="there is no"):
        fetch_repository(repo.as_uri(), cache, PATTERNS)
    assert files_of(tree.path) == WANTED and (tree.path / ".git/accelmart.json").exists()
    repo.with_name("away").rename(repo)
    (tree.path / ".git/mark").touch()  # a new clone would not have it
    assert fetch_repository(str(repo), cache, PATTERNS) == tree
    assert (tree.path / ".git/mark").exists()


@pytest.mark.parametrize(
    "url",
    [
        "-oProxyCommand=touch x",
        "--upload-pack=touch x",
        "ext::sh -c touch% x",
        "fd::17",
        "ssh://-oProxyCommand=touch/x",
        "ftp://example.org/x.git",
        "git@-oProxyCommand=x:y",
        "",
        " ",
        "https://example.org/a\nb",
    ],
)
def test_urls_that_are_options_or_commands_are_refused(cache, url):
    with pytest.raises(FetchFailed, match=r"not a git URL that is accepted|no such folder"):
        fetch_repository(url, cache, PATTERNS)
    assert not cache.exists()


@pytest.mark.parametrize(
    "ref", ["--upload-pack=x", "-b", "a..b", "a:b", "+a:b", "a b", "", "a^", "@{1}", "a.lock", "a/", "/a"]
)
def test_refs_that_are_none_are_refused(repo, cache, ref):
    with pytest.raises(FetchFailed, match="is no ref"):
        fetch_repository(str(repo), cache, PATTERNS, ref)


def test_failures_say_what_to_do(repo, cache, tmp_path, server):
    (tmp_path / "empty").mkdir()
    git(tmp_path / "empty", "init", "-q")
    (tmp_path / "plain").mkdir()
    server.on("/private/repo/info/refs", answer(401, WWW_Authenticate='Basic realm="x"'))
    server.on("/forbidden/repo/info/refs", answer(403))
    expected = {
        (str(repo), "nowhere"): "the ref is not there .*To fix: give an existing branch or tag",
        (str(repo), "0" * 39 + "1"): "the ref is not there",
        (str(tmp_path / "empty"), None): "the ref is not there .*an empty repository has none",
        (str(tmp_path / "plain"), None): "there is no repository .*To fix: check the URL or path",
        (str(tmp_path / "missing"), None): "there is no such folder",
        (server.url("/no/repo"), None): "there is no repository",
        (server.url("/private/repo"), None): "it wants credentials, or does not exist .*credential helper",
        (server.url("/forbidden/repo"), None): "it wants credentials",
        ("http://127.0.0.1:1/a/b.git", None): "the server cannot be reached",
    }
    for (url, ref), problem in expected.items():
        with pytest.raises(FetchFailed, match=problem):
            fetch_repository(url, cache, PATTERNS, ref)


def test_credentials_are_not_printed(cache, server):
    with pytest.raises(FetchFailed) as failed:
        fetch_repository(f"http://me:s3cret@127.0.0.1:{server.port}/no/repo", cache, PATTERNS)
    assert "s3cret" not in str(failed.value)
    assert not [p for p in cache.iterdir() if "s3cret" in p.name]


def test_no_git_is_reported(repo, cache, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FetchFailed, match=r"git is not installed\. To fix: install git"):
        fetch_repository(str(repo), cache, PATTERNS)


def test_a_hanging_server_is_left_and_the_cache_rebuilt(cache, server, repo):
    release = threading.Event()
    server.on("/slow/repo/info/refs", lambda handler: release.wait(20))
    with pytest.raises(FetchFailed, match=r"git fetch did not finish within 0\.3 s"):
        fetch_repository(server.url("/slow/repo"), cache, PATTERNS, timeout_seconds=0.3)
    release.set()
    assert not list(cache.rglob("accelmart.json"))


def test_a_repository_in_use_is_waited_for_and_reported(repo, cache):
    with repository(str(repo), cache, PATTERNS) as tree:
        with pytest.raises(FetchFailed, match=r"another process has been busy with it for 0\.05 s"):
            fetch_repository(str(repo), cache, PATTERNS, timeout_seconds=0.05)
        assert files_of(tree.path) == WANTED
    with FileLock(f"{tree.path}.lock", timeout=0):
        pass  # given back


def test_nothing_of_a_repository_is_run_or_converted(repo, cache, tmp_path, monkeypatch):
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
    monkeypatch.setenv("GIT_TEMPLATE_DIR", str(tmp_path / "template"))
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
    new = {
        ".gitattributes": b"*.json filter=evil eol=crlf ident\nlfs.json filter=lfs\n",
        "closed/A/systems/lf.json": b"a\n$Id$\n",
        "closed/A/systems/lfs.json": pointer,
    }
    (repo / ".git/info/attributes").write_text("* -text -filter -ident -eol\n")
    commit(repo, new)
    tree = fetch_repository(str(repo), cache, PATTERNS)
    found = files_of(tree.path)
    assert found["closed/A/systems/lf.json"] == b"a\n$Id$\n"
    assert found["closed/A/systems/lfs.json"] == pointer
    assert found["closed/A/systems/s.json"] == b"{}\r\n"
    assert not trap.exists() and not (tmp_path / "elsewhere").exists()


INCOMPLETE = "incomplete or damaged"


def bare_copy(repo: Path, target: Path, *options: str) -> Path:
    """A bare clone over git's own protocol, its objects loose, so that one can be taken away."""
    git(repo.parent, "clone", "-q", "--bare", *options, repo.as_uri(), str(target))
    packs = target / "packs"
    packs.mkdir()
    for pack in (target / "objects" / "pack").glob("*"):
        pack.rename(packs / pack.name)
    for pack in packs.glob("*.pack"):
        with pack.open("rb") as file:
            subprocess.run(["git", "unpack-objects", "-q"], cwd=target, stdin=file, check=True)
    shutil.rmtree(packs)
    return target


def lose(copy: Path, name: str) -> None:
    digest = git(copy, "rev-parse", name)
    (copy / "objects" / digest[:2] / digest[2:]).unlink()


@pytest.mark.parametrize("does_filter", ["true", "false"])
@pytest.mark.parametrize("lost", ["HEAD", "HEAD^{tree}", "HEAD:closed", "HEAD:summary.json"])
def test_a_repository_without_all_its_objects_is_named_as_incomplete(
    repo, cache, tmp_path, lost, does_filter
):
    copy = bare_copy(repo, tmp_path / "copy.git")
    git(copy, "config", "uploadpack.allowFilter", does_filter)
    lose(copy, lost)
    with pytest.raises(FetchFailed, match=INCOMPLETE) as failed:
        fetch_repository(str(copy), cache, PATTERNS)
    assert "network" not in str(failed.value) and "git clone --mirror" in str(failed.value)


def test_a_partial_clone_whose_upstream_is_gone_is_no_network_problem(repo, cache, tmp_path, server):
    git(repo.parent, "clone", "-q", "--bare", "--filter=blob:none", repo.as_uri(), str(tmp_path / "copy.git"))
    for upstream in (server.url("/gone.git"), (tmp_path / "gone").as_uri()):
        git(tmp_path / "copy.git", "config", "remote.origin.url", upstream)
        with pytest.raises(FetchFailed, match=INCOMPLETE):
            fetch_repository(str(tmp_path / "copy.git"), cache, PATTERNS)


def test_a_damaged_object_is_no_network_problem(repo, cache, tmp_path):
    copy = bare_copy(repo, tmp_path / "copy.git")
    digest = git(copy, "rev-parse", "HEAD")
    damaged = copy / "objects" / digest[:2] / digest[2:]
    damaged.chmod(0o644)
    damaged.write_bytes(b"garbage")
    with pytest.raises(FetchFailed, match=INCOMPLETE):
        fetch_repository(str(copy), cache, PATTERNS)


def test_a_repository_without_a_commit_is_named_as_such(cache, tmp_path):
    git(tmp_path, "init", "-q", "--bare", "empty.git")
    with pytest.raises(FetchFailed, match="an empty repository has none, nor has a clone interrupted"):
        fetch_repository(str(tmp_path / "empty.git"), cache, PATTERNS)


def test_a_shallow_copy_is_complete_enough(repo, cache, tmp_path):
    commit(repo, {"summary.json": b"[1]"})
    git(repo.parent, "clone", "-q", "--bare", "--depth=1", repo.as_uri(), str(tmp_path / "copy.git"))
    tree = fetch_repository(str(tmp_path / "copy.git"), cache, PATTERNS)
    assert files_of(tree.path)["summary.json"] == b"[1]"
