"""Names that payloads are landed under. They name files too: validated where they enter, and trusted after."""

from __future__ import annotations

import hashlib
import re

from ingest.core.errors import NotAName

_SOURCE = re.compile(r"[a-z0-9][a-z0-9_.-]{0,99}")
_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9@._-]{0,99}")


def as_source(text: str) -> str:
    """Return the name of a source.

    Raises:
        NotAName: it is none.
    """
    return _valid(_SOURCE, text, "source", "lower-case letters, digits and _ . -")


def as_key(text: str) -> str:
    """Return the key of a payload: what of its source it is, with ``@`` and a date if it dates itself.

    Raises:
        NotAName: it is none.
    """
    return _valid(_KEY, text, "key", "letters, digits and @ . _ -")


def key_of_file(stem: str) -> str:
    """Return a key for a file that a person named as they like; it states no date."""
    key = stem.replace("@", "-")
    if _KEY.fullmatch(key):
        return key
    words = re.sub(r"[^A-Za-z0-9._-]+", "-", key).lstrip("._-")[:80]
    return as_key(f"{words or 'file'}-{hashlib.sha256(key.encode()).hexdigest()[:12]}")


def _valid(form: re.Pattern[str], text: str, kind: str, letters: str) -> str:
    if form.fullmatch(text):
        return text
    raise NotAName(
        f"{text[:40]!r}, of {len(text)} characters, is no {kind}: use at most 100 {letters}, a letter or digit first"
    )
