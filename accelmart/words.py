"""Keys as people type them, and the known keys that a mistyped one may stand for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from accelmart.published import Reader, Row

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


def unknown(thing: str, word: str, known: Iterable[str]) -> str:
    """Return the message for a name that nothing has: all there is, and what may be meant."""
    names = sorted(known)
    return f'no {thing} matches "{word}"; {thing}s: {", ".join(names)}.{did_you_mean(word, names)}'


def unknown_accelerator(reader: Reader, word: str) -> str:
    """Return the message for a name that no accelerator has: those with a price, and what may be meant of all."""
    priced = reader.words(
        "select distinct accelerator_id from mart_price_current where accelerator_id is not null"
    )
    known = reader.words(
        "select accelerator_id from dim_accelerator where not starts_with(accelerator_id, 'unmapped:')"
    )
    return (
        f'no accelerator matches "{word}"; accelerators with a price: {", ".join(sorted(priced))}.'
        f"{did_you_mean(word, known)}"
    )


def accelerator_named(reader: Reader, word: str) -> str | None:
    """Return the key of dim_accelerator that a word is, or that an alias maps it to, such as H100; None: neither."""
    named = reader.words(
        """
        select accelerator_id from dim_accelerator where accelerator_id = lower($word)
        union all
        (
            select accelerator_id from staging.stg_reference__accelerator_aliases
            where regexp_matches(replace($word, '_', ' '), pattern, 'i') and platform_pattern is null and not is_mixed
            order by is_override desc, priority, pattern limit 1
        )
        """,
        {"word": word},
    )
    return named[0] if named else None


def round_of(row: Row) -> str | None:
    """Return the MLPerf round of a row, with a word where it is held in part."""
    return f"{row['release']} (in part)" if row.get("is_round_incomplete") else row["release"]
