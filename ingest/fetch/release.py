"""A release, however it is given: folder, tarball, file, URL or git repository; landed as one payload.

A tree is reduced to the files that are asked for and packed the same way whatever it came from, so that the same
release always has the same sha256.
"""

from __future__ import annotations

import hashlib
import io
import mimetypes
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import IO, Any, BinaryIO, Literal, cast
from urllib.parse import unquote, urlsplit

from ingest.core.errors import FetchFailed, PayloadRejected
from ingest.core.http import HttpClient
from ingest.core.http_landing import reusable
from ingest.core.landing import Landing
from ingest.core.payload import Check, Payload
from ingest.core.payload_checks import json_document
from ingest.core.payload_checks import text as text_document
from ingest.core.trees import (
    Packed,
    Tree,
    TreeLimits,
    checkout,
    looks_like_tarball,
    pack,
    read_folder,
    read_tarball,
)
from ingest.core.urls import public_url
from ingest.fetch.payloads import PACKED_CONTENT_TYPE

ACCEPTED_FORMS = (
    "a folder, a .tar/.tar.gz/.tar.xz/.tar.bz2 file, a single JSON file or CSV file, an http(s) URL of such a "
    "file, or a git repository (a URL ending in .git, a bare repository, git@host:path, ssh://, "
    "https://host/owner/name, "
    "git+<URL or path>)"
)

_HEAD_BYTES = 512
# `inference_results_v5.1` has no file suffix: those begin with a letter
_FILE_SUFFIX = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,7}$")

Kind = Literal["git", "http", "folder", "file"]


def land_release(
    landing: Landing,
    origin: str | Path,
    *,
    source: str,
    key: str,
    patterns: Sequence[str],
    licence: str,
    cache_dir: Path,
    limits: TreeLimits | None = None,
    client: HttpClient | None = None,
    check: Check | None = None,
    ref: str | None = None,
    fetched_at: datetime | None = None,
) -> Payload:
    """Bring one release into the landing zone.

    Args:
        landing: where to.
        origin: one of `ACCEPTED_FORMS`; a tarball or file is recognised by its content.
        source: upstream name.
        key: the release.
        patterns: which files of a tree are wanted; see `ingest.core.trees.compile_patterns`.
        licence: of the data.
        cache_dir: for the checkout of a git repository, while it is read.
        limits: of a tree; a single file may have `max_member_bytes`.
        client: for http(s); default a new one.
        check: on what is stored: the packed tar of a tree, or the single file, which first must be JSON, or text where
            its name ends in ``.csv``.
        ref: branch, tag or commit of a git repository.
        fetched_at: aware time; default now.

    Returns:
        The manifest record. A tree is one ``application/x-tar`` payload whose details tell origin, commit, patterns,
        members seen, kept and refused. A tree that is damaged, over its limits or without one wanted file is
        quarantined, with what could be packed of it.

    Raises:
        FetchFailed: when the origin is of no accepted form, is not there, or cannot be fetched.
        ValueError: for bad patterns.
    """
    job = _Job(
        landing,
        public_url(str(origin)),
        source,
        key,
        tuple(patterns),
        licence,
        limits or TreeLimits(),
        check,
        fetched_at,
    )
    kind, place = classify_origin(origin)
    if kind == "git":
        with checkout(place, cache_dir, patterns, job.limits, ref=ref) as tree:
            return job.land_tree(tree, {})
    if kind == "folder":
        _require_checkout(Path(place))
        return job.land_tree(read_folder(Path(place), patterns, job.limits), {})
    if kind == "file":
        with _opened(Path(place)) as file:
            return job.land_file(file, Path(place).name, {})
    return _land_from_http(job, place, client or HttpClient())


def classify_origin(origin: str | Path) -> tuple[Kind, str]:
    """What an origin is, and what to hand to whoever fetches it.

    Args:
        origin: as given to `land_release`.

    Returns:
        The kind, and the URL or path without ``git+`` and ``file://``.

    Raises:
        FetchFailed: when it is of no accepted form, or a path that is not there.
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
        if last.endswith(".git") or (len(segments) == 2 and not _FILE_SUFFIX.search(last)):
            return "git", text
        return "http", text
    if scheme not in {"", "file"}:
        raise FetchFailed(
            url=public_url(text), problem=f"{scheme}:// is not fetched from", remedy=f"give {ACCEPTED_FORMS}"
        )
    path = Path(unquote(urlsplit(text).path) if scheme else text).expanduser()
    if path.is_dir():
        is_named = path.name.endswith(".git") and path.name != ".git"
        return ("git", text) if is_named or _is_bare_repository(path) else ("folder", str(path))
    if path.is_file():
        return "file", str(path)
    problem = "neither a file nor a folder" if path.exists() else "there is no such file or folder"
    raise FetchFailed(url=text, problem=problem, remedy=f"give {ACCEPTED_FORMS}")


def _is_bare_repository(path: Path) -> bool:
    """Whether a folder is a repository without a working tree, whatever its name."""
    return (
        path.name != ".git"
        and (path / "HEAD").is_file()
        and all((path / n).is_dir() for n in ("objects", "refs"))
    )


def _require_checkout(path: Path) -> None:
    """Refuse a clone whose files are not, or not all, in its folder.

    Raises:
        FetchFailed: nothing is checked out, or a checkout was interrupted or is under way.
    """
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


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    with ExitStack() as stack:
        try:
            file = stack.enter_context(path.open("rb"))
        except OSError as error:
            raise FetchFailed(
                url=str(path), problem=f"it cannot be read ({error.strerror})", remedy="check its permissions"
            ) from None
        yield file


def _land_from_http(job: _Job, url: str, client: HttpClient) -> Payload:
    previous = reusable(job.landing, job.source, job.key, url)
    if previous is not None and previous.content_type == PACKED_CONTENT_TYPE:
        # upstream may be unchanged and yet not all of what is wanted now be in the packed tree
        asked = {"patterns": list(job.patterns)}
        previous = previous if asked.items() <= previous.details.items() else None
    name = urlsplit(url).path.rpartition("/")[2]
    is_single_file = (mimetypes.guess_type(name)[0] or "").endswith(
        ("/json", "/csv", "/plain", "/html", "/xml")
    )
    limit_bytes = job.limits.max_member_bytes if is_single_file else job.limits.max_total_bytes
    with client.download(url, limit_bytes=limit_bytes, previous=previous) as answer:
        if answer.status == 304 and previous is not None:
            return job.landing.unchanged(
                previous, etag=answer.etag, last_modified=answer.last_modified, fetched_at=job.fetched_at
            )
        evidence = {
            "http_status": answer.status,
            "etag": answer.etag,
            "last_modified": answer.last_modified,
        }
        return job.land_file(
            answer.body, name, evidence, content_type=answer.content_type, is_whole=not answer.is_over_limit
        )


class _Job:
    """One call of `land_release`: what every form of origin needs."""

    def __init__(
        self,
        landing: Landing,
        origin: str,
        source: str,
        key: str,
        patterns: tuple[str, ...],
        licence: str,
        limits: TreeLimits,
        check: Check | None,
        fetched_at: datetime | None,
    ) -> None:
        self.landing, self.origin, self.source, self.key = landing, origin, source, key
        self.patterns, self.licence, self.limits = patterns, licence, limits
        self.check, self.fetched_at = check, fetched_at

    def land_file(
        self,
        file: BinaryIO,
        name: str,
        evidence: dict[str, Any],
        *,
        content_type: str | None = None,
        is_whole: bool = True,
    ) -> Payload:
        """A tarball is repacked as a tree, anything else stored as it is."""
        head = file.read(_HEAD_BYTES)
        file.seek(0)
        if is_whole and looks_like_tarball(head):
            digest = hashlib.file_digest(cast(io.BufferedReader, file), "sha256").hexdigest()
            file.seek(0)
            tree = read_tarball(file, self.patterns, self.limits, name=name)
            return self.land_tree(tree, {"origin_sha256": digest}, evidence)
        return self._store(
            file,
            content_type=content_type or mimetypes.guess_type(name)[0] or "application/octet-stream",
            limit_bytes=min(self.limits.max_member_bytes, self.limits.max_total_bytes),
            check=_file_check(name, self.check),
            details={"origin": self.origin},
            evidence=evidence,
        )

    def land_tree(
        self, members: Tree, details: dict[str, Any], evidence: dict[str, Any] | None = None
    ) -> Payload:
        """Pack and store; the account goes into the details."""
        with _packed(members) as (file, report):
            known = {"commit": members.commit} if members.commit else {}
            return self._store(
                file,
                content_type=PACKED_CONTENT_TYPE,
                # the content is within its limits by now; headers and padding come on top
                limit_bytes=report.bytes,
                check=_tree_check(members, report, self.check, self.patterns),
                details={
                    "origin": self.origin,
                    "patterns": list(self.patterns),
                    "members_seen": members.members_seen,
                    "members_kept": report.members,
                    "members_refused": [list(refusal) for refusal in members.members_refused],
                    "members_refused_count": members.members_refused_count,
                    **known,
                    **details,
                },
                evidence=evidence or {},
            )

    def _store(
        self,
        file: BinaryIO,
        *,
        content_type: str,
        limit_bytes: int,
        check: Check,
        details: dict[str, Any],
        evidence: dict[str, Any],
    ) -> Payload:
        return self.landing.store(
            file,
            source=self.source,
            key=self.key,
            url=self.origin,
            content_type=content_type,
            licence=self.licence,
            limit_bytes=limit_bytes,
            check=check,
            details=details,
            fetched_at=self.fetched_at,
            **evidence,
        )


def _file_check(name: str, check: Check | None) -> Check:
    """What a single file must be, by its name: text for a table, else JSON; and then what the caller asks for."""
    is_table = name.lower().endswith(".csv")
    form = text_document(html=False, name=name) if is_table else json_document((dict, list), name=name)

    def file_check(file: BinaryIO) -> None:
        form(file)
        if check is not None:
            file.seek(0)
            check(file)

    return file_check


@contextmanager
def _packed(members: Tree) -> Iterator[tuple[BinaryIO, Packed]]:
    with ExitStack() as stack:
        file: IO[bytes] = stack.enter_context(tempfile.TemporaryFile())
        yield cast(BinaryIO, file), pack(members, file, keep_incomplete=True)


def _tree_check(tree: Tree, report: Packed, check: Check | None, patterns: Sequence[str]) -> Check:
    def tree_check(file: BinaryIO) -> None:
        if report.incomplete is not None:
            raise report.incomplete
        if not report.members:
            raise PayloadRejected(
                payload="tree",
                problem=f"none of its {tree.members_seen} files is one of {', '.join(patterns)}",
                remedy="check that this is the right release, and whether its layout has changed",
            )
        if check is not None:
            check(file)

    return tree_check
