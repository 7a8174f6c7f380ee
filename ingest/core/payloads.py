"""From the bytes of a payload to its parts: the files in it, and the parse that is its check where it lands."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from ingest.core.errors import AccelmartError, PayloadRejected
from ingest.core.fetch_plan import Members
from ingest.core.landing import Landing
from ingest.core.payload import Payload
from ingest.core.source import Part, Source
from ingest.core.trees import TreeLimits, read_tarball

PACKED_CONTENT_TYPE = "application/x-tar"
"""Of a tree, and of the answers of a chain of requests."""
HEAD_BYTES = 4096
_HTML = re.compile(r"(?i)<(!doctype html|html|head|body|!--)")
_TITLE = re.compile(r"(?is)<title[^>]*>(.*?)</title>")


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


class Judge:
    """The check of a payload before it comes into force: its parse.

    Args:
        source: whose payload it is.
        key: what it is landed under.

    Attributes:
        parts: what the payload gives; None until it was judged and found good.
        rejected: why it is refused, if it is. A chain that breaks off sets it before the payload is judged.
    """

    def __init__(self, source: Source, key: str) -> None:
        self._source, self._key = source, key
        self.parts: list[Part] | None = None
        self.rejected: PayloadRejected | None = None

    def __call__(self, file: BinaryIO) -> None:
        """Judge a payload, open and at its start.

        Raises:
            PayloadRejected: it must not come into force.
        """
        try:
            if self.rejected is not None:
                raise self.rejected
            self.parts = self._parsed(file)
        except PayloadRejected as rejected:
            self.rejected = rejected
            raise

    def _parsed(self, file: BinaryIO) -> list[Part]:
        source, name = self._source, f"{self._source.name} {self._key}"
        if not source.is_page:
            refuse_html(file.read(HEAD_BYTES), name)
            file.seek(0)
        with rejecting_failures(name):
            parts = source.parts(_members(file, source, name), key=self._key)
        if not source.patterns:
            _require_rows(parts, name, may_have_none=source.may_have_no_rows)
        return parts


def _require_rows(parts: list[Part], name: str, *, may_have_none: bool) -> None:
    (part,) = parts
    parsed = part.parsed
    if parsed.rows or (may_have_none and parsed.records_in):
        return
    first = "".join(f", the first at {r.record} ({r.problem})" for r in parsed.rejects[:1])
    others = f", {sum(parsed.left_out.values())} out of scope" if parsed.left_out else ""
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
