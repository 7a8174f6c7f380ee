"""Fetch one payload of a source into the landing zone, by its plan or from another place: download, parse, land.

A tree is reduced to the files that its source reads, and packed the same way whatever it came from: the same release
always has the same sha256.
"""

from __future__ import annotations

import mimetypes
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, Literal
from urllib.parse import unquote, urlsplit

from accelmart.http import HttpClient
from accelmart.urls import public_url
from ingest.core.errors import FetchFailed, LayoutChanged, PayloadRejected
from ingest.core.fetch_plan import Fetch, Request
from ingest.core.landing import Landing
from ingest.core.payload import Evidence, Payload
from ingest.core.payloads import HEAD_BYTES, PACKED_CONTENT_TYPE, File, parse, refuse_html, rejecting_failures
from ingest.core.robots import require_allowed
from ingest.core.source import Part, Source
from ingest.core.trees import Spool, Tree, checkout, looks_like_tarball, read_folder, read_tarball

ACCEPTED_FORMS = (
    "a folder, a .tar/.tar.gz/.tar.xz/.tar.bz2 file, a single file, an http(s) URL of such a file, or a git "
    "repository (a URL ending in .git, a bare repository, git@host:path, ssh://, https://host/owner/name, "
    "git+<URL or path>)"
)
Kind = Literal["git", "http", "folder", "file", "chain"]

# `inference_results_v5.1` has no file suffix: those begin with a letter
_FILE_SUFFIX = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,7}$")


@dataclass(frozen=True, kw_only=True)
class Origin:
    """A place outside of a plan to fetch a payload from: the repository of a source, or what somebody names.

    Args:
        key: to land under.
        place: one of `ACCEPTED_FORMS`; a tarball is recognised by its content.
        checkouts: folder for the checkout of a git repository, while it is read.
        ref: branch, tag or commit of a git repository.
    """

    key: str
    place: str | Path
    checkouts: Path
    ref: str | None = None


def fetch_payload(
    landing: Landing, source: Source, wanted: Fetch | Origin, client: HttpClient
) -> tuple[Payload, list[Part]]:
    """Download, parse and land one payload.

    Args:
        landing: where to.
        source: whose payload it is; its patterns say which files of a tree are kept, all of them for a list.
        wanted: one of the source's plan, or another place.
        client: to fetch with.

    Returns:
        The manifest record, ``landed`` or ``unchanged``, and what the payload gives: nothing where upstream has
        nothing new. A tree is one ``application/x-tar`` payload whose details give commit, patterns, members seen,
        kept and refused.

    Raises:
        FetchFailed: the source did not give all of it, robots.txt is against it, or the place is of no accepted form:
            nothing is stored.
        LayoutChanged: the payload lacks what its parser looks for; it is quarantined at `saved`.
        PayloadRejected: the payload is quarantined for another reason; the message says where.
    """
    with download(landing, source, wanted, client) as file:
        if file.current:
            etag, last_modified = file.evidence.etag, file.evidence.last_modified
            return landing.unchanged(file.current, etag=etag, last_modified=last_modified), []
        verdict = parse(file)
        payload = landing.store(file.blocks(), file.evidence, rejected=verdict.rejected)
    if verdict.rejected:
        raise _quarantined(verdict.rejected, payload, landing.address(payload))
    return payload, verdict.parts


def _quarantined(rejected: PayloadRejected, payload: Payload, saved: str) -> PayloadRejected:
    """Return the error that says where a rejected payload is kept."""
    if isinstance(rejected, LayoutChanged):
        return LayoutChanged(
            url=public_url(rejected.url), expected=rejected.expected, title=rejected.title, saved=saved
        )
    return PayloadRejected(
        payload=f"{payload.source} {payload.key} from {payload.url}",
        problem=f"{rejected.problem}; the payload is kept as {saved} and not used",
        remedy=rejected.remedy,
    )


@contextmanager
def download(landing: Landing, source: Source, wanted: Fetch | Origin, client: HttpClient) -> Iterator[File]:
    """Download one payload: pages, lists, trees and repositories differ in this step alone.

    Args:
        landing: has the validators of the last payload.
        source: whose payload it is.
        wanted: one of the source's plan, or another place.
        client: to fetch with.

    Yields:
        The payload on disk, until the context ends.

    Raises:
        FetchFailed: see `fetch_payload`.
    """
    patterns, limits = source.patterns or ("**",), source.tree_limits
    kind: Kind
    if isinstance(wanted, Fetch):
        kind, place = "chain" if wanted.follow else "http", wanted.first.url
        request, url, content_type = wanted.first, place, wanted.content_type
        limit_bytes = source.limit_bytes
        if source.is_page:
            require_allowed(client, place)
    else:
        kind, place = classify_origin(wanted.place)
        request, url, content_type = Request(url=place), str(wanted.place), None
        limit_bytes = limits.max_total_bytes
    evidence = Evidence(
        source=source.name, key=wanted.key, url=url, licence=source.licence, content_type=content_type or ""
    )
    new = File(source=source, evidence=evidence)
    with ExitStack() as opened:
        if kind == "http":
            yield _of_answer(new, opened, landing, client, request, limit_bytes)
        elif kind == "file":
            file = opened.enter_context(Path(place).open("rb"))
            yield _of_file(new, opened, file, Path(place).name, limit_bytes)
        elif kind == "folder":
            _require_checkout(Path(place))
            yield _of_members(new, opened, read_folder(Path(place), patterns, limits))
        elif isinstance(wanted, Fetch):
            yield _of_members(new, opened, _answers(source, wanted, client))
        else:
            tree = checkout(place, wanted.checkouts, patterns, limits, ref=wanted.ref)
            yield _of_members(new, opened, opened.enter_context(tree))


def _of_answer(
    new: File, opened: ExitStack, landing: Landing, client: HttpClient, request: Request, limit_bytes: int
) -> File:
    """Return the answer to a request, which is conditional where the last payload can be used again."""
    last = _reusable(new, landing)
    answer = opened.enter_context(
        client.download(
            request.url,
            limit_bytes=limit_bytes,
            etag=last.etag if last else None,
            last_modified=last.last_modified if last else None,
            headers=request.headers,
            json=request.json,
        )
    )
    evidence = replace(
        new.evidence,
        http_status=answer.status,
        etag=answer.etag,
        last_modified=answer.last_modified,
        content_type=new.evidence.content_type or answer.content_type or "",
    )
    if answer.status == 304 and last is not None:
        return replace(new, current=last, evidence=evidence)
    name = urlsplit(request.url).path.rpartition("/")[2]
    return _of_file(replace(new, evidence=evidence), opened, answer.body, name, limit_bytes)


def _of_file(new: File, opened: ExitStack, file: BinaryIO, name: str, limit_bytes: int) -> File:
    """Return a file as it is, or the tree in it: a tarball of a source that reads trees."""
    source, limit, rejected = new.source, new.source.limit_bytes, None
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    if source.patterns and size <= limit_bytes and looks_like_tarball(file.read(HEAD_BYTES)):
        return _of_members(new, opened, read_tarball(file, source.patterns, source.tree_limits, name=name))
    if size > limit:
        rejected = PayloadRejected(
            payload=new.title,
            problem=f"it is larger than its limit of {limit} bytes, of which the first {limit} are kept here",
            remedy="look at the payload; if it is right, raise the limit of this source",
        )
    guessed = mimetypes.guess_type(name)[0] or "application/octet-stream"
    evidence = replace(new.evidence, content_type=new.evidence.content_type or guessed)
    return replace(new, content=file, evidence=evidence, rejected=rejected)


def _of_members(new: File, opened: ExitStack, members: Iterator[tuple[str, bytes]]) -> File:
    """Return the files of a tree or chain; if they break off, those before that, to be quarantined."""
    file = tempfile.TemporaryFile()  # noqa: SIM115  # `opened` closes it
    files = Spool(members, opened.enter_context(file))
    evidence, rejected = replace(new.evidence, content_type=PACKED_CONTENT_TYPE), files.rejected
    if isinstance(members, Tree):
        account = {"patterns": list(new.source.patterns), "members_kept": len(files), **members.account()}
        evidence = replace(evidence, details=account)
    else:
        evidence = replace(evidence, http_status=200)
    if not files and rejected is None:
        rejected = PayloadRejected(
            payload=new.title,
            problem=f"no file of it is one of {', '.join(new.source.patterns) or 'any kind'}",
            remedy="check that this is the right release, and whether its layout has changed",
        )
    return replace(new, content=files, evidence=evidence, rejected=rejected)


def _reusable(new: File, landing: Landing) -> Payload | None:
    """Return the last payload, if a "not modified" would be true of it: same URL and patterns, object intact."""
    last = landing.latest(new.evidence.source, new.evidence.key)
    if last is None or last.url != public_url(new.evidence.url) or not (last.etag or last.last_modified):
        return None
    patterns = list(new.source.patterns)
    same = last.details.get("patterns", patterns) == patterns
    return last if same and landing.intact(last) else None


def _answers(source: Source, fetch: Fetch, client: HttpClient) -> Iterator[tuple[str, bytes]]:
    """Yield the answers of a chain as (member, bytes); raise `PayloadRejected` behind the first invalid one."""
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
        yield name, data
        if unread < 0:
            raise PayloadRejected(
                payload=name,
                problem=f"the answers are larger than their limit of {source.limit_bytes} bytes; the last of "
                f"{asked} is cut short here",
                remedy="look at the payload; if it is right, raise the limit of this source",
            )
        refuse_html(data[:HEAD_BYTES], name)
        with rejecting_failures(name):
            request = fetch.follow(request, data)


def classify_origin(origin: str | Path) -> tuple[Kind, str]:
    """Return the kind of an origin, and its URL or path without ``git+`` and ``file://``.

    Args:
        origin: one of `ACCEPTED_FORMS`.

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
