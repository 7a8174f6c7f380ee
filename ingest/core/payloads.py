"""A payload at hand and its parse, which is its check before it is landed; and the files of a landed payload."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import BinaryIO

from ingest.core.errors import AccelmartError, PayloadRejected
from ingest.core.fetch_plan import Members
from ingest.core.landing import Landing
from ingest.core.payload import Evidence, Payload
from ingest.core.source import Part, Source
from ingest.core.trees import Spool, TreeLimits, read_tarball

PACKED_CONTENT_TYPE = "application/x-tar"
"""Of a tree, and of the answers of a chain of requests."""
HEAD_BYTES = 4096
_BLOCK_BYTES = 1 << 20
_HTML = re.compile(r"(?i)<(!doctype html|html|head|body|!--)")
_TITLE = re.compile(r"(?is)<title[^>]*>(.*?)</title>")


@dataclass(frozen=True, kw_only=True)
class File:
    """A payload that was downloaded and is neither parsed nor landed yet.

    Attributes:
        source: whose payload it is.
        evidence: where it comes from.
        content: an open file on disk, or the files of a tree or of a chain of requests.
        rejected: why it must not be used, where the download shows that: it broke off or is too large.
        current: the last payload, where upstream has nothing newer; `content` is empty then.
    """

    source: Source
    evidence: Evidence
    content: BinaryIO | Spool = field(default_factory=io.BytesIO)
    rejected: PayloadRejected | None = None
    current: Payload | None = None

    @property
    def title(self) -> str:
        """Return source and key, for messages."""
        return f"{self.source.name} {self.evidence.key}"

    def members(self) -> Members:
        """Return the files in it, for `Source.parts`."""
        if isinstance(self.content, Spool):
            return self.content
        self.content.seek(0)
        # for blocks() it stays open, although a parser may close what it is given
        file = open(self.content.fileno(), "rb", closefd=False)  # noqa: SIM115
        if not self.source.is_page:
            refuse_html(file.read(HEAD_BYTES), self.title)
        return _members(file, self.source, self.title)

    def blocks(self) -> Iterator[bytes]:
        """Yield the bytes to land; of a file over its limit only the first."""
        if isinstance(self.content, Spool):
            yield from self.content.packed()
            return
        left = self.source.limit_bytes
        self.content.seek(0)
        while block := self.content.read(min(_BLOCK_BYTES, left)):
            left -= len(block)
            yield block


@dataclass(frozen=True)
class Verdict:
    """The parse of a payload, which is its check.

    Attributes:
        parts: what the payload gives; none if it is rejected.
        rejected: why it must not be used; None for a good payload.
    """

    parts: list[Part] = field(default_factory=list)
    rejected: PayloadRejected | None = None


def parse(file: File) -> Verdict:
    """Parse a payload before it is landed."""
    source, name = file.source, file.title
    if file.rejected:
        return Verdict(rejected=file.rejected)
    try:
        with rejecting_failures(name):
            parts = source.parts(file.members(), key=file.evidence.key)
        if not source.patterns:
            _require_rows(parts, name, may_have_none=source.may_have_no_rows)
    except PayloadRejected as rejected:
        return Verdict(rejected=rejected)
    return Verdict(parts)


def parse_payload(landing: Landing, source: Source, payload: Payload) -> list[Part]:
    """Parse a landed payload.

    Args:
        landing: where it is.
        source: whose payload it is.
        payload: a record of this landing zone.

    Raises:
        PayloadRejected: the stored object is missing or damaged, or its parser refuses it or fails on it.
    """
    with members_of(landing, source, payload) as members, rejecting_failures(payload.title):
        return source.parts(members, key=payload.key)


@contextmanager
def members_of(landing: Landing, source: Source, payload: Payload) -> Iterator[Members]:
    """The files of a stored payload, for `Source.parts`.

    Args:
        landing: where it is.
        source: whose payload it is; its limits bound an archive, its patterns say which files of a tree are read.
        payload: a record of this landing zone.

    Yields:
        (name, open binary file), one at a time and once: the members of a chain or tree, or the payload itself under
        the name "", which is streamed and may be larger than memory.

    Raises:
        PayloadRejected: the stored object is missing or damaged.
    """
    with landing.open(payload) as file:
        yield _members(file, source, f"{source.name} {payload.key}")


def _require_rows(parts: list[Part], name: str, *, may_have_none: bool) -> None:
    (part,) = parts
    parsed = part.parsed
    if parsed.rows or (may_have_none and parsed.records_in):
        return
    first = "".join(f", the first at {r.record} ({r.problem})" for r in parsed.rejects[:1])
    others = f", {sum(parsed.exclusions.values())} out of scope" if parsed.exclusions else ""
    raise PayloadRejected(
        payload=name,
        problem=f"not one row is in it: {parsed.records_in} records, {len(parsed.rejects)} rejected{others}{first}",
        remedy="look at the payload; if the source has changed, mend its parser or its plan",
    )


def refuse_html(head: bytes, name: str) -> None:
    """Refuse a page for people where data is expected: usually an error, login or maintenance page.

    Args:
        head: the first bytes of an answer.
        name: for messages.

    Raises:
        PayloadRejected: it begins like HTML.
    """
    start = head.decode("latin-1").removeprefix("\xef\xbb\xbf").lstrip()
    if not _HTML.match(start):
        return
    title = _TITLE.search(start)
    headed = f' titled "{" ".join(title[1].split())[:80]}"' if title else ""
    raise PayloadRejected(
        payload=name,
        problem=f"it is an HTML page{headed} in place of data",
        remedy="open its URL in a browser: usually an error, login or maintenance page; fetch again later or "
        "correct the URL",
    )


@contextmanager
def rejecting_failures(name: str) -> Iterator[None]:
    """Raise what a source's code raises as the rejection of its payload: it meets bytes that nobody foresaw.

    Args:
        name: payload, for the message.

    Raises:
        PayloadRejected: the code failed.
    """
    try:
        yield
    except (AccelmartError, OSError, MemoryError):
        raise
    except Exception as error:
        raise PayloadRejected(
            payload=name,
            problem=f"its parser fails on it ({type(error).__name__}: {error})",
            remedy="look at the payload; if it is right, mend the source's parser",
        ) from error


def _members(file: BinaryIO, source: Source, name: str) -> Members:
    file.seek(0)
    head = file.read(HEAD_BYTES)
    file.seek(0)
    if head[257:262] != b"ustar":  # where a tar states its form
        return [("", file)]
    if source.patterns:
        tree = read_tarball(file, source.patterns, source.tree_limits, name=name)
        return ((path, io.BytesIO(content)) for path, content in tree)
    return _unpacked(file, source.tree_limits, name)


def _unpacked(file: BinaryIO, limits: TreeLimits, name: str) -> Iterator[tuple[str, BinaryIO]]:
    members = read_tarball(file, ["**"], limits, name=name)
    for path, data in members:
        yield path, io.BytesIO(data)
    if members.members_refused:  # a plan that names its members badly must not lose them
        refused = ", ".join(f"{path}: {reason}" for path, reason in members.members_refused[:3])
        raise PayloadRejected(
            payload=name, problem=f"not all of it can be read ({refused})", remedy="mend its plan"
        )
