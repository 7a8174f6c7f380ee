"""A landed HTML page, and the error to raise when something is not where it was."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from bs4 import BeautifulSoup, Tag
from bs4.exceptions import ParserRejectedMarkup

from ingest.core.errors import LayoutChanged, PayloadRejected
from ingest.core.fetch_plan import Members
from ingest.core.html import text_of

_TITLE_SHOWN = 80
_HEAD_BYTES = 4096
_IS_LATIN = re.compile(rb"""(?i)charset=["']?(windows-1252|iso-8859-1)\b""")
_OPENS, _CLOSES = re.compile(r"(?i)<(?:html|body)\b"), re.compile(r"(?i)</(?:html|body)\s*>")
_DEPTH_MAX = 500  # far beyond a page for people; the time to search in one grows with the square of it


@dataclass(frozen=True)
class Page:
    """A page as it was landed."""

    url: str
    member: str
    soup: BeautifulSoup

    @property
    def text(self) -> str:
        """All that a person reads on it."""
        return text_of(self.soup)

    def changed(self, expected: str) -> LayoutChanged:
        """The error to raise when something is not where it was."""
        return LayoutChanged(url=self.url, expected=expected, title=text_of(self.soup.title)[:_TITLE_SHOWN])

    def require_text(self, *anchors: str) -> None:
        """Refuse the page unless a person can read these words on it (letter case does not matter).

        Raises:
            LayoutChanged: an anchor is missing; nothing on the page is read.
        """
        read = self.text.lower()
        for anchor in anchors:
            if anchor.lower() not in read:
                raise self.changed(f"the text {anchor!r}")


def open_page(members: Members, url: str) -> Page:
    """The one page of a payload.

    Raises:
        PayloadRejected: there is no file, or more than one, or the page is cut off.
        LayoutChanged: the file is no HTML, or HTML that no parser takes.
    """
    files = [(name, file.read()) for name, file in members]
    if len(files) != 1:
        raise PayloadRejected(
            payload=url, problem=f"{len(files)} files in place of one page", remedy="fetch the page again"
        )
    name, text = files[0][0], _text(files[0][1])
    if _OPENS.search(text) and not _CLOSES.search(text):
        raise PayloadRejected(
            payload=url,
            problem="the page is cut off: it ends before </html>",
            remedy="fetch or save it again",
        )
    try:
        soup = BeautifulSoup(text, "html.parser")
    except ParserRejectedMarkup as error:
        raise LayoutChanged(url=url, expected=f"an HTML page ({error})") from error
    if soup.find(True) is None:
        raise LayoutChanged(url=url, expected="an HTML page")
    if (depth := _depth_of(soup)) > _DEPTH_MAX:
        raise LayoutChanged(
            url=url, expected=f"an HTML page of at most {_DEPTH_MAX} nested tags, not {depth},"
        )
    return Page(url, name, soup)


def _text(data: bytes) -> str:
    """Return the text of a page, as a server sends it (UTF-8) or a browser saved it."""
    if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return data.decode("utf-16", errors="replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        is_latin = _IS_LATIN.search(data[:_HEAD_BYTES])
        return data.decode("cp1252" if is_latin else "utf-8", errors="replace")


def _depth_of(soup: BeautifulSoup) -> int:
    deepest, waiting = 0, list[tuple[Tag, int]]([(soup, 0)])
    while waiting:
        tag, depth = waiting.pop()
        deepest = max(deepest, depth)
        waiting += [(child, depth + 1) for child in tag.children if isinstance(child, Tag)]
    return deepest
