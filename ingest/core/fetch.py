"""Fetch one payload of a source into the landing zone: by its plan, or from an origin that somebody names.

A tree is reduced to the files that its source reads, and packed the same way whatever it came from: the same release
always has the same sha256.
"""

from __future__ import annotations

import mimetypes
import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast
from urllib.parse import unquote, urlsplit

from accelmart.http import HttpClient
from accelmart.urls import public_url
from ingest.core.errors import FetchFailed, LayoutChanged, PayloadRejected
from ingest.core.fetch_plan import Fetch, Request
from ingest.core.landing import Landing
from ingest.core.payload import Payload
from ingest.core.payloads import HEAD_BYTES, PACKED_CONTENT_TYPE, Judge, refuse_html, rejecting_failures
from ingest.core.robots import require_allowed
from ingest.core.source import Source
from ingest.core.trees import Tree, checkout, looks_like_tarball, pack, read_folder, read_tarball

OFF_VARIABLE = "ACCELMART_SOURCES_OFF"
ACCEPTED_FORMS = (
    "a folder, a .tar/.tar.gz/.tar.xz/.tar.bz2 file, a single file, an http(s) URL of such a file, or a git "
    "repository (a URL ending in .git, a bare repository, git@host:path, ssh://, https://host/owner/name, "
    "git+<URL or path>)"
)
Kind = Literal["git", "http", "folder", "file"]

# `inference_results_v5.1` has no file suffix: those begin with a letter
_FILE_SUFFIX = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,7}$")
_TO_FIX = ". To fix: "


def plan_of(source: Source, environment: Mapping[str, str]) -> tuple[list[Fetch], str | None]:
    """Return what to fetch of a source, or why nothing.

    Args:
        source: a registered source of a list.
        environment: for keys; white space around them is taken off, an empty one is none.

    Returns:
        The fetches and None, or none and the reason.
    """
    given = {name: value.strip() for name, value in environment.items() if value.strip()}
    if source.name in given.get(OFF_VARIABLE, "").replace(",", " ").split():
        return [], f"{source.title} is switched off ({OFF_VARIABLE})"
    if missing := [name for name in source.needs if name not in given]:
        if source.needs_because:
            return [], f"{source.title} is not asked: {source.needs_because}"
        return [], f"{source.title} is not asked without a key: set {' and '.join(missing)}"
    fetches = list(source.plan(given))
    if not fetches:
        return [], f"{source.title} is not fetched: its payloads are landed from files"
    return fetches, None


def run_fetch(
    landing: Landing,
    source: Source,
    fetch: Fetch,
    client: HttpClient,
    judge: Judge | None = None,
) -> Payload:
    """Fetch one unit of a plan into the landing zone.

    Args:
        landing: where to.
        source: whose plan it is.
        fetch: one of its plan.
        client: to fetch with.
        judge: of this unit, if the parts of the payload are wanted; it has none where upstream had nothing new.

    Returns:
        The manifest record, ``landed`` or ``unchanged``.

    Raises:
        FetchFailed: the source did not give all of it, or robots.txt is against it: nothing is stored.
        LayoutChanged: the payload lacks what its parser looks for; it is quarantined at `saved`.
        PayloadRejected: the payload is quarantined for another reason; the message says where.
    """
    judge = judge or Judge(source, fetch.key)
    job = _Job(landing, source, fetch.key, fetch.first.url, judge)
    if source.is_page:
        require_allowed(client, fetch.first.url)
    if fetch.follow is None:
        return job.land_answer(client, fetch.first, source.limit_bytes, fetch.content_type)
    # answers go through a temporary file one by one; a failed one raises, and nothing has been stored
    return job.land_members(_answers(source, fetch, client, judge), http_status=200)


def land_origin(
    landing: Landing,
    source: Source,
    key: str,
    origin: str | Path,
    client: HttpClient,
    cache_dir: Path,
    judge: Judge | None = None,
    *,
    ref: str | None = None,
) -> Payload:
    """Bring one payload from another place than the plan's into the landing zone.

    Args:
        landing: where to.
        source: whose payload it is; its patterns say which files of a tree are kept, all of them for a list.
        key: to land under.
        origin: one of `ACCEPTED_FORMS`; a tarball is recognised by its content.
        client: for http(s).
        cache_dir: for the checkout of a git repository, while it is read.
        judge: of this source and key, if the parts of the payload are wanted.
        ref: branch, tag or commit of a git repository.

    Returns:
        The manifest record, ``landed`` or ``unchanged``. A tree is one ``application/x-tar`` payload whose details
        give commit, patterns, members seen, kept and refused.

    Raises:
        FetchFailed: the origin is of no accepted form, is not there, or cannot be fetched.
        PayloadRejected: the payload is quarantined; of a tree that is damaged or over its limits, what could be packed.
    """
    job = _Job(landing, source, key, str(origin), judge or Judge(source, key))
    kind, place = classify_origin(origin)
    patterns = source.patterns or ("**",)
    if kind == "git":
        with checkout(place, cache_dir, patterns, source.tree_limits, ref=ref) as tree:
            return job.land_members(tree)
    if kind == "folder":
        _require_checkout(Path(place))
        return job.land_members(read_folder(Path(place), patterns, source.tree_limits))
    if kind == "http":
        return job.land_answer(client, Request(url=place), source.tree_limits.max_total_bytes)
    with Path(place).open("rb") as file:
        return job.land_file(file, Path(place).name)


@dataclass(frozen=True)
class _Job:
    """One payload on its way into the landing zone."""

    landing: Landing
    source: Source
    key: str
    url: str
    judge: Judge

    def land_answer(
        self, client: HttpClient, request: Request, limit_bytes: int, content_type: str | None = None
    ) -> Payload:
        """Land the answer to a request, which is conditional where the last payload can be used again."""
        previous = self._reusable()
        with client.download(
            request.url,
            limit_bytes=limit_bytes,
            etag=previous.etag if previous else None,
            last_modified=previous.last_modified if previous else None,
            headers=request.headers,
            json=request.json,
        ) as answer:
            if answer.status == 304 and previous is not None:
                return self.landing.unchanged(previous, etag=answer.etag, last_modified=answer.last_modified)
            name = urlsplit(request.url).path.rpartition("/")[2]
            return self.land_file(
                answer.body,
                name,
                is_whole=not answer.is_over_limit,
                content_type=content_type or answer.content_type,
                http_status=answer.status,
                etag=answer.etag,
                last_modified=answer.last_modified,
            )

    def land_file(
        self,
        file: BinaryIO,
        name: str,
        *,
        is_whole: bool = True,
        content_type: str | None = None,
        **evidence: Any,
    ) -> Payload:
        """Land a file as it is; a tarball of a source that reads trees as a tree."""
        head = file.read(HEAD_BYTES)
        file.seek(0)
        if self.source.patterns and is_whole and looks_like_tarball(head):
            tree = read_tarball(file, self.source.patterns, self.source.tree_limits, name=name)
            return self.land_members(tree, **evidence)
        guessed = mimetypes.guess_type(name)[0] or "application/octet-stream"
        return self._store(file, content_type or guessed, self.source.limit_bytes, **evidence)

    def land_members(self, members: Iterator[tuple[str, bytes]], **evidence: Any) -> Payload:
        """Pack and land files; if they break off, the files before that are kept in quarantine."""
        with tempfile.TemporaryFile() as file:
            report = pack(members, file)
            self.judge.rejected = self.judge.rejected or report.incomplete
            if not report.members and self.judge.rejected is None:
                wanted = ", ".join(self.source.patterns) or "any kind"
                self.judge.rejected = PayloadRejected(
                    payload=self.key,
                    problem=f"no file of it is one of {wanted}",
                    remedy="check that this is the right release, and whether its layout has changed",
                )
            details = {}
            if isinstance(members, Tree):
                patterns = list(self.source.patterns)
                details = {"patterns": patterns, "members_kept": report.members, **members.account()}
            # the content is within its limits by now; headers and padding come on top
            packed = cast(BinaryIO, file)
            return self._store(packed, PACKED_CONTENT_TYPE, report.bytes, details=details, **evidence)

    def _reusable(self) -> Payload | None:
        """The payload in force, if a "not modified" would be true of it: same URL and patterns, object intact."""
        last = self.landing.latest(self.source.name, self.key)
        if last is None or last.url != public_url(self.url) or not (last.etag or last.last_modified):
            return None
        patterns = list(self.source.patterns)
        same = last.details.get("patterns", patterns) == patterns
        return last if same and self.landing.intact(last) else None

    def _store(self, file: BinaryIO, content_type: str, limit_bytes: int, **evidence: Any) -> Payload:
        payload = self.landing.store(
            file,
            source=self.source.name,
            key=self.key,
            url=self.url,
            content_type=content_type,
            licence=self.source.licence,
            limit_bytes=limit_bytes,
            check=self.judge,
            **evidence,
        )
        if payload.outcome != "quarantined":
            return payload
        saved, rejected = self.landing.address(payload), self.judge.rejected
        if isinstance(rejected, LayoutChanged):
            raise LayoutChanged(
                url=public_url(rejected.url), expected=rejected.expected, title=rejected.title, saved=saved
            )
        problem, _, remedy = (payload.reason or "").partition(_TO_FIX)
        raise PayloadRejected(
            payload=f"{self.source.name} {self.key} from {payload.url}",
            problem=f"{problem}; the payload is kept as {saved} and not used",
            remedy=remedy,
        )


def _answers(source: Source, fetch: Fetch, client: HttpClient, judge: Judge) -> Iterator[tuple[str, bytes]]:
    """Yield the answers of a chain as (member, bytes); stop at the first invalid one and report it to the judge."""
    assert fetch.follow is not None
    request: Request | None = fetch.first
    asked, unread = 0, source.limit_bytes
    while request is not None:
        if asked >= fetch.max_requests:
            raise FetchFailed(
                url=public_url(request.url),
                problem=f"its paging does not end: after {asked} requests, the most that is believed, it has more",
                remedy="look at its next-page links; if there really is more, raise max_requests of this fetch",
            )
        asked += 1
        with client.download(
            request.url, limit_bytes=unread, headers=request.headers, json=request.json
        ) as answer:
            data = answer.body.read()
        name = request.member or f"{asked:04d}"
        unread -= len(data)
        last, request = request, None
        try:
            if unread < 0:
                raise PayloadRejected(
                    payload=name,
                    problem=f"the answers are larger than their limit of {source.limit_bytes} bytes; the last of "
                    f"{asked} is cut short here",
                    remedy="look at the payload; if it is right, raise the limit of this source",
                )
            refuse_html(data[:HEAD_BYTES], name)
            with rejecting_failures(name):
                request = fetch.follow(last, data)
        except PayloadRejected as rejected:
            judge.rejected = rejected
        yield name, data


def classify_origin(origin: str | Path) -> tuple[Kind, str]:
    """Return the kind of an origin, and its URL or path without ``git+`` and ``file://``.

    Args:
        origin: as given to `land_origin`.

    Raises:
        FetchFailed: it is of no accepted form, or a path that is not there.
    """
    text = str(origin)
    scheme = text.partition("://")[0].lower() if "://" in text else ""
    if text.startswith("git+"):
        return "git", text.removeprefix("git+")
    if scheme in {"ssh", "git"} or re.match(r"[\w.-]+@[\w.-]+:", text):
        return "git", text
    if scheme in {"http", "https"}:
        segments = [part for part in urlsplit(text).path.split("/") if part]
        last = segments[-1] if segments else ""
        is_git = last.endswith(".git") or (len(segments) == 2 and not _FILE_SUFFIX.search(last))
        return "git" if is_git else "http", text
    # of another scheme there is no such path
    path = Path(unquote(urlsplit(text).path) if scheme == "file" else text).expanduser()
    if path.is_dir():
        return ("git", text) if _is_bare_repository(path) else ("folder", str(path))
    if path.is_file():
        return "file", str(path)
    problem = "neither a file nor a folder" if path.exists() else "there is no such file or folder"
    raise FetchFailed(url=public_url(text), problem=problem, remedy=f"give {ACCEPTED_FORMS}")


def _is_bare_repository(path: Path) -> bool:
    """Whether a folder is a repository without a working tree, by its name or its content."""
    if path.name == ".git":
        return False
    has_parts = (path / "HEAD").is_file() and all((path / n).is_dir() for n in ("objects", "refs"))
    return path.name.endswith(".git") or has_parts


def _require_checkout(path: Path) -> None:
    """Raise `FetchFailed` for a clone whose files are not, or not all, in its folder."""
    if not (path / ".git").exists():
        return
    if (path / ".git" / "index.lock").exists():
        problem = (
            "its checkout was interrupted or is under way (.git/index.lock is there): files may be missing"
        )
    elif all(entry.name == ".git" for entry in path.iterdir()):
        problem = "the clone has no files checked out"
    else:
        return
    raise FetchFailed(
        url=str(path),
        problem=problem,
        remedy=f"finish it there with `git checkout --force HEAD`, or give the repository itself: git+{path}",
    )
