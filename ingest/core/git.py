"""Git repositories, of which only the wanted files are fetched: blobless, one commit deep, sparse.

Result repositories hold up to 1.4 GB and 200,000 files, of which we read a few per cent. Works with git 2.27 and later
(checked with 2.39); a repository is data: none of its hooks, filters or submodules is run.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from filelock import FileLock, Timeout

from ingest.core.errors import FetchFailed
from ingest.core.path_patterns import PathPatterns
from ingest.core.urls import public_url

log = logging.getLogger(__name__)

_SCHEMES = frozenset({"http", "https", "ssh", "git", "file"})
_SCP_LIKE = re.compile(r"[A-Za-z0-9_][\w.-]*@[A-Za-z0-9][\w.-]*:(?!:).+")
_REF = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./+-]*")
_STATE_FILE = "accelmart.json"
# conversions off: the bytes of the commit, as they are in a tarball
_ATTRIBUTES = "* -text -eol -filter -ident -working-tree-encoding\n"
_OPTIONS = (
    ("init.defaultBranch", "main"),
    ("core.hooksPath", os.devnull),
    ("core.autocrlf", "false"),
    ("core.fsmonitor", "false"),
    ("core.symlinks", "true"),
    ("protocol.ext.allow", "never"),
    ("submodule.recurse", "false"),
    ("fetch.recurseSubmodules", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("http.lowSpeedLimit", "1000"),
    ("http.lowSpeedTime", "60"),
)
# a git hook that starts us would point git at its own repository
_INHERITED = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_CONFIG",
    "GIT_GRAFT_FILE",
    "GIT_SHALLOW_FILE",
    "GIT_REPLACE_REF_BASE",
    "GIT_TEMPLATE_DIR",
)


@dataclass(frozen=True)
class GitTree:
    """A checkout of the wanted files.

    Attributes:
        path: the working tree (with a `.git`).
        commit: full id.
        url: where it came from, without credentials.
    """

    path: Path
    commit: str
    url: str


def fetch_repository(
    url: str,
    cache_dir: Path,
    patterns: Sequence[str],
    ref: str | None = None,
    *,
    timeout_seconds: float = 1800.0,
) -> GitTree:
    """Bring the wanted files of a repository up to date in the cache.

    Args:
        url: anything git can fetch from (http, https, ssh, git, file, ``user@host:path``), or a local path.
        cache_dir: kept between calls; an unchanged commit costs one question to the server.
        patterns: see `ingest.core.path_patterns.PathPatterns`.
        ref: branch, tag or full commit id; default the remote's HEAD.
        timeout_seconds: for each git command, and for another process to finish with this repository.

    Returns:
        The checkout. Another process may bring it up to date later: to read it undisturbed use `repository`.

    Raises:
        FetchFailed: git is missing, the URL or ref is bad or not there, credentials are wanted, it took too long.
        ValueError: for bad patterns.
    """
    with repository(url, cache_dir, patterns, ref, timeout_seconds=timeout_seconds) as tree:
        return tree


@contextmanager
def repository(
    url: str,
    cache_dir: Path,
    patterns: Sequence[str],
    ref: str | None = None,
    *,
    timeout_seconds: float = 1800.0,
) -> Iterator[GitTree]:
    """Like `fetch_repository`, but no other process changes the checkout within the context.

    Args:
        url: see `fetch_repository`.
        cache_dir: see `fetch_repository`.
        patterns: see `fetch_repository`.
        ref: see `fetch_repository`.
        timeout_seconds: see `fetch_repository`.

    Yields:
        The checkout.

    Raises:
        FetchFailed: see `fetch_repository`.
        ValueError: for bad patterns.
    """
    wanted = PathPatterns(patterns).patterns
    address = _address(url)
    shown = public_url(address)
    if ref is not None and not _is_ref(ref):
        raise FetchFailed(
            url=shown, problem=f"{ref!r} is no ref", remedy="give a branch, a tag or a full commit id"
        )
    cache_dir.mkdir(parents=True, exist_ok=True)
    folder = cache_dir.absolute() / _folder_name(address, ref)
    try:
        with FileLock(f"{folder}.lock", timeout=timeout_seconds):
            git = _Git(folder, shown, timeout_seconds)
            yield GitTree(folder, _update(git, address, wanted, ref), shown)
    except Timeout:
        raise FetchFailed(
            url=shown,
            problem=f"another process has been busy with it for {timeout_seconds:g} s",
            remedy="wait for it, or stop it",
        ) from None


def _update(git: _Git, address: str, patterns: tuple[str, ...], ref: str | None) -> str:
    """Fetch and check out; the state file is there exactly while the checkout is whole."""
    state_file = git.folder / ".git" / _STATE_FILE
    state: dict[str, str] | None = None
    with suppress(OSError, ValueError):
        state = json.loads(state_file.read_text("utf-8"))
    if state is None:
        # new, or interrupted: stale locks and half packs are not worth telling apart
        shutil.rmtree(git.folder, ignore_errors=True)
        git.folder.mkdir(parents=True)
        git.run("init", "--quiet", "--template=", ".")
        git.run("remote", "add", "--", "origin", address)
    else:
        git.run("remote", "set-url", "--", "origin", address)  # same repository, maybe other credentials
        state_file.unlink()
    try:
        _fetch(git, ref)
    except FetchFailed as failure:
        # git ended by itself, so what was whole before still is
        if state is not None and not isinstance(failure, _Killed):
            state_file.write_text(json.dumps(state), "utf-8")
        raise
    info = git.folder / ".git" / "info"
    info.mkdir(exist_ok=True)
    (info / "attributes").write_text(_ATTRIBUTES, "utf-8")
    (info / "sparse-checkout").write_text("\n".join(patterns) + "\n", "utf-8")
    git.run("config", "core.sparseCheckout", "true")
    git.run("config", "core.sparseCheckoutCone", "false")
    git.run("checkout", "--quiet", "--force", "--detach", "FETCH_HEAD")
    git.run("clean", "-ffdxq")
    commit = git.run("rev-parse", "--verify", "HEAD").stdout.strip()
    fresh = state_file.with_suffix(".new")
    fresh.write_text(json.dumps({"url": git.shown, "commit": commit}), "utf-8")
    fresh.replace(state_file)
    return commit


def _fetch(git: _Git, ref: str | None) -> None:
    done = git.run(
        "fetch",
        "--quiet",
        "--depth=1",
        "--filter=blob:none",
        "--no-tags",
        "--no-write-commit-graph",
        "--",
        "origin",
        ref or "HEAD",
    )
    if "filter" in done.stderr and "ignoring" in done.stderr:
        log.warning(
            "%s: the server does not filter (uploadpack.allowFilter), so the whole commit was fetched",
            git.shown,
        )


class _Killed(FetchFailed):
    """Git had to be stopped, so its repository may be in any state."""


class _Git:
    def __init__(self, folder: Path, shown: str, timeout_seconds: float) -> None:
        self.folder, self.shown, self._timeout_seconds = folder, shown, timeout_seconds

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """One git command in the folder; `FetchFailed` unless it succeeds."""
        options = [part for name, value in _OPTIONS for part in ("-c", f"{name}={value}")]
        command = ["git", *options, *arguments]
        try:
            # a session of its own, so that git's helpers can be stopped with it
            process = subprocess.Popen(
                command,
                cwd=self.folder,
                env=_environment(self.folder.parent),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,
            )
        except FileNotFoundError:
            raise FetchFailed(
                url=self.shown,
                problem="git is not installed",
                remedy="install git 2.27 or later and put it on PATH",
            ) from None
        try:
            out, err = process.communicate(timeout=self._timeout_seconds)
        except subprocess.TimeoutExpired:
            _stop(process)
            raise _Killed(
                url=self.shown,
                problem=f"git {arguments[0]} did not finish within {self._timeout_seconds:g} s",
                remedy="try again later, or allow it more time; until then the last good payload stays in force",
            ) from None
        except BaseException:
            _stop(process)
            raise
        if process.returncode < 0:
            raise _Killed(
                url=self.shown,
                problem=f"git {arguments[0]} was stopped by signal {-process.returncode}",
                remedy="run it again; the cache is rebuilt",
            )
        if process.returncode:
            raise self._failure(arguments[0], arguments[-1], err)
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    def _failure(self, command: str, ref: str, stderr: str) -> FetchFailed:
        # a commit that was asked for by its id and is not there is no damage
        is_local = self.shown.startswith("file:") and f"not our ref {ref}" not in stderr
        table = (*_LOCAL_FAILURES, *_FAILURES) if is_local else _FAILURES
        known = (texts for pattern, *texts in table if re.search(pattern, stderr, re.IGNORECASE))
        problem, remedy = next(known, (f"git {command} failed", "look at git's words"))
        lines = [line.strip() for line in stderr.splitlines() if line.strip()]
        telling = [line for line in lines if line.startswith(("fatal:", "error:"))] or lines[-1:]
        words = public_url(" / ".join(telling[:2]))[:300]
        return FetchFailed(url=self.shown, problem=f"{problem} (git: {words})", remedy=remedy)


# git names a damaged repository by what breaks while it is read; a partial clone on this disk may ask its own upstream
# for what it lacks, so even a network error means here that objects are missing
_INCOMPLETE = (
    "the repository is incomplete or damaged: objects that its commit needs are missing",
    "`git fsck --connectivity-only` there lists them; make a complete copy with `git clone --mirror URL`, or give the "
    "folder of a finished checkout. A partial clone (--filter) and an interrupted one lack objects",
)
_BROKEN_OBJECTS = (
    r"pack-objects died|repository corruption|bad pack header|bad object|missing (blob|tree|commit|object)"
    r"|unable to (read|unpack)|inflate:|is corrupt|did not send all necessary|promisor remote"
)
_LOCAL_FAILURES = (
    (rf"{_BROKEN_OBJECTS}|not our ref [0-9a-f]{{40}}", *_INCOMPLETE),
    (
        r"could not resolve host|unable to access|connection (refused|timed out|reset)|early eof|hung up",
        *_INCOMPLETE,
    ),
)
# the first match wins; a host that answers "not found" to a request without credentials is listed under credentials
_FAILURES = (
    (
        r"couldn't find remote ref|not our ref|no such remote ref",
        "the ref is not there",
        "give an existing branch or tag, or a full commit id; an empty repository has none, nor has a clone "
        "interrupted at its start",
    ),
    (
        r"could not read (username|password)|authentication failed|permission denied|terminal prompts disabled"
        r"|host key verification failed|requested url returned error: 40[13]",
        "it wants credentials, or does not exist",
        "check the URL; for a private repository set up a git credential helper or an ssh key",
    ),
    (_BROKEN_OBJECTS, *_INCOMPLETE),
    (
        r"dubious ownership",
        "the local repository belongs to another user",
        "add it to git's safe.directory, or copy it",
    ),
    (
        r"does not appear to be a git repository|repository .*not found|does not exist|not a git repository",
        "there is no repository",
        "check the URL or path",
    ),
    (
        r"could not resolve host|unable to access|connection (refused|timed out|reset)|early eof|hung up|network",
        "the server cannot be reached, or broke off",
        "check the network and try again later; until then the last good payload stays in force",
    ),
    (r"no space left|disk quota", "the disk is full", "make room in the cache folder, or move it"),
)


def _stop(process: subprocess.Popen[str]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def _environment(ceiling: Path) -> dict[str, str]:
    environment = {name: value for name, value in os.environ.items() if name not in _INHERITED}
    environment |= {
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_LFS_SKIP_SMUDGE": "1",
        "GIT_ALLOW_PROTOCOL": "http:https:ssh:git:file",
        "GIT_CEILING_DIRECTORIES": str(ceiling),  # never a repository around the cache
        "SSH_ASKPASS_REQUIRE": "never",
        "LC_ALL": "C",  # its messages are looked at
    }
    environment.setdefault("GIT_ASKPASS", "true")
    environment.setdefault("GIT_SSH_COMMAND", "ssh -o BatchMode=yes")
    return environment


def _address(url: str) -> str:
    """The URL as git gets it; refuses what git would take for an option or run as a command."""
    if url.startswith("-") or "::" in url or not url.isprintable() or not url.strip():
        pass
    elif "://" in url:
        parts = urlsplit(url)
        if parts.scheme.lower() in _SCHEMES and not parts.netloc.startswith("-"):
            return url
    elif _SCP_LIKE.fullmatch(url):
        return url
    else:
        path = Path(url).expanduser()
        if not path.exists():
            raise FetchFailed(url=url, problem="there is no such folder", remedy="check the path")
        # not the bare path: a local clone would ignore the filter and link whole packs
        return path.resolve().as_uri()
    raise FetchFailed(
        url=public_url(url),
        problem="not a git URL that is accepted",
        remedy="give an http, https, ssh, git or file URL, user@host:path, or a local path",
    )


def _is_ref(ref: str) -> bool:
    return bool(_REF.fullmatch(ref)) and not re.search(r"\.\.|//|/\.|\.lock(/|$)|[./]$", ref)


def _folder_name(address: str, ref: str | None) -> str:
    shown = public_url(address)
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", shown.rstrip("/").rpartition("/")[2]).strip("-.")[:60]
    return f"{name}-{hashlib.sha256(f'{shown} {ref}'.encode()).hexdigest()[:16]}"
