"""Which files of a release tree are kept: patterns of paths."""

from __future__ import annotations

import re
from collections.abc import Sequence


class PathPatterns:
    """gitignore-like patterns for files, compiled once.

    ``*`` and ``?`` stop at ``/``; ``**`` is any number of folders; a pattern with a ``/`` before its end is anchored at
    the root, one without matches at any depth (``/name`` anchors it); ``folder/`` is everything below. Unlike in
    gitignore, a pattern without the last slash names files only, and there is no negation.

    Raises:
        ValueError: for no pattern, an empty one, a negation or a comment.
    """

    def __init__(self, patterns: Sequence[str]) -> None:
        self.patterns = tuple(patterns)
        if not self.patterns:
            raise ValueError("no patterns: give at least one, '**' for every file")
        self._regex = re.compile("|".join(_translated(p) for p in self.patterns), re.DOTALL)
        # most of the 200,000 paths of a release match no pattern: str.endswith excludes them cheaply
        self._tails = tuple(
            "" if p[-1] == "/" or "\\" in p else re.split(r"[*?\]/]", p)[-1] for p in patterns
        )

    def match(self, path: str) -> bool:
        """Whether any pattern names this file, given as a relative path with forward slashes."""
        return path.endswith(self._tails) and self._regex.fullmatch(path) is not None

    def __str__(self) -> str:
        return ", ".join(self.patterns)


def _translated(pattern: str) -> str:
    body = pattern.strip("/")
    if not body or pattern[0] in "!#" or pattern != pattern.strip():
        raise ValueError(f"pattern {pattern!r}: give a path with *, ? or **; no negation, no comments")
    *folders, last = body.split("/")
    regex = "" if "/" in pattern.rstrip("/") else "(?:.*/)?"
    for folder in folders:
        regex += "(?:.*/)?" if folder == "**" else _translated_segment(folder) + "/"
    regex += ".+" if last == "**" else _translated_segment(last)
    return f"(?:{regex}/.+)" if pattern.endswith("/") else f"(?:{regex})"


def _translated_segment(segment: str) -> str:
    def translated(token: re.Match[str]) -> str:
        text = token[0]
        if text[0] in "*?":
            return "[^/]*" if text[0] == "*" else "[^/]"
        if text[0] == "[" and len(text) > 1:
            inside = text[1:-1].replace("\\", "\\\\").replace("[", "\\[")
            return f"(?!/)[{'^' + inside[1:] if inside[0] in '!^' else inside}]"
        return re.escape(text[-1])  # without the backslash that quotes it

    return re.sub(r"(?s)\*+|\[(?:[!^].|[^!^])[^]]*\]|\\.|.", translated, segment)
