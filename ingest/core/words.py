"""Words people mistype: which known one they may have meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

MEANT_AT_MOST = 6


def plain(word: str) -> str:
    """A key without what people leave out or write otherwise: case, hyphens, dots, underscores."""
    return "".join(c for c in word.lower() if c.isalnum())


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """` Did you mean …?` with known words that hold `word`, else with those spelled alike, or nothing."""
    names = sorted(known)
    inside = [n for n in names if plain(word) and plain(word) in plain(n)]
    near = (inside or difflib.get_close_matches(word, names, n=MEANT_AT_MOST, cutoff=0.5))[:MEANT_AT_MOST]
    return f" Did you mean {', '.join(near)}?" if near else ""
