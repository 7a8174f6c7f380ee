"""Spelling of names: what is ignored in them, and known names near a mistyped one."""

from __future__ import annotations

from collections.abc import Iterable

_SUGGESTIONS = 6


def plain(word: str) -> str:
    """Return a key without what people leave out or write otherwise: case, hyphens, dots, underscores."""
    return "".join(c for c in word.lower() if c.isalnum())


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ` Did you mean …?` with known words that contain `word`, else with those spelled alike, or nothing."""
    names = sorted(known)
    near = [n for n in names if plain(word) and plain(word) in plain(n)]
    if not near:
        import difflib

        near = difflib.get_close_matches(word, names, n=_SUGGESTIONS, cutoff=0.5)
    return f" Did you mean {', '.join(near[:_SUGGESTIONS])}?" if near else ""
