"""Words people mistype: which known one they may have meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

MEANT_AT_MOST = 6


def plain(word: str) -> str:
    """A key without what people leave out or write otherwise: case, hyphens, dots, underscores."""
    return "".join(c for c in word.lower() if c.isalnum())


def meant(word: str, known: Iterable[str]) -> list[str]:
    """Known words that `word` may stand for, best first: those that hold it, else those spelled alike."""
    names = sorted(known)
    inside = [n for n in names if plain(word) and plain(word) in plain(n)]
    alike = difflib.get_close_matches(word, names, n=MEANT_AT_MOST, cutoff=0.5)
    return (inside or alike)[:MEANT_AT_MOST]


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A sentence to end an error message with, ` Did you mean …?`, or nothing."""
    near = meant(word, known)
    return f" Did you mean {', '.join(near)}?" if near else ""
