"""Everything that can be wrong with an upstream, each with what to do about it."""

from __future__ import annotations

from accelmart.errors import AccelmartError as AccelmartError
from accelmart.errors import FetchFailed as FetchFailed


class RecordRejected(AccelmartError, ValueError):
    """One upstream record that cannot be trusted; the rest of its payload survives.

    Args:
        payload: file (or member of an archive) the record stands in.
        record: position of the record in that file, e.g. ``[17]`` or ``experiment/…/cm-result.json[3]``.
        problem: what is wrong, with the offending value.
        remedy: what a person can do about it.
    """

    def __init__(self, *, payload: str, record: str, problem: str, remedy: str) -> None:
        self.payload, self.record, self.problem, self.remedy = payload, record, problem, remedy
        super().__init__(f"{payload}, record {record}: {problem}. To fix: {remedy}")


class PayloadRejected(AccelmartError, ValueError):
    """A whole payload that is not what it should be; it is quarantined and the last good one stays."""

    def __init__(self, *, payload: str, problem: str, remedy: str) -> None:
        self.payload, self.problem, self.remedy = payload, problem, remedy
        super().__init__(f"{payload}: {problem}. To fix: {remedy}")


class LayoutChanged(PayloadRejected):
    """A page no longer has what its parser looks for; its last good prices stay in force.

    Args:
        url: of the page.
        expected: what was looked for and not found.
        title: of the page that came, which tells a login or maintenance page from a new design.
        saved: where the page is kept, to look at; empty while it is not known.
    """

    def __init__(self, *, url: str, expected: str, title: str = "", saved: str = "") -> None:
        self.url, self.expected, self.title, self.saved = url, expected, title, saved
        headed = f'; it is titled "{title}"' if title else ""
        kept = f"{headed}; the page is saved as {saved}" if saved else headed
        super().__init__(
            payload=url,
            problem=f"the page's layout has changed: {expected} was expected and is not there{kept}",
            remedy="compare the saved page with its parser in ingest/ and mend the parser",
        )


class NotAName(AccelmartError, ValueError):
    """A word that can be no source and no key."""


class NotARelease(AccelmartError, ValueError):
    """A word that names no MLPerf round."""


def decode_utf8(payload: bytes, where: str) -> str:
    """Text of a payload that has to be UTF-8, without a byte order mark.

    Raises:
        PayloadRejected: it is not; `where` is its name.
    """
    try:
        return payload.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        raise PayloadRejected(
            payload=where, problem=f"not UTF-8 (byte {e.start})", remedy="fetch it again"
        ) from e
