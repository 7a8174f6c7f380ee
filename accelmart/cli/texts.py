"""Texts of answers: templates over the columns of a row, such as ``{accelerator_id}: ${usd:short}``.

Formats: none is four digits; ``short`` has K, M, B or T from 100,000 on; ``day`` is 24 Oct 2026; ``words`` has spaces
for underscores; ``verdict`` is what may be said of a cost. ``{usd±}`` is the range ``{usd_low} to {usd_high}``,
``{$usd±}`` the same in dollars.
"""

from __future__ import annotations

import re
import string
import textwrap
from collections.abc import Iterable
from typing import Any, NamedTuple

from accelmart.published import Reader, Row

Text = str | tuple[str, ...]
"""A template; of several the first whose values are all known."""

# from which value on, its unit and letter
_SIZES = ((1e12, 1e12, "T"), (1e9, 1e9, "B"), (1e6, 1e6, "M"), (1e5, 1e3, "K"))
_RANGE = re.compile(r"(\$?)(\w+)±")
# standings that are no verb
_VERDICTS = {"about_the_same": "costs about the same", "no_verdict": "has no range to compare"}


class _UnknownError(LookupError):
    """A value of a template is null."""


class _Range(NamedTuple):
    """Low and high end of a value, and what stands before each."""

    sign: str
    low: Any
    high: Any


class _Texts(string.Formatter):
    def get_value(self, key: int | str, args: Any, kwargs: Any) -> Any:
        if match := _RANGE.fullmatch(str(key)):
            ends = (self.get_value(f"{match[2]}_{end}", args, kwargs) for end in ("low", "high"))
            return _Range(match[1], *ends)
        if (value := kwargs.get(key)) is None:
            raise _UnknownError(key)
        return value

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, _Range):
            return " to ".join(f"{value.sign}{self.format_field(end, format_spec)}" for end in value[1:])
        match format_spec:
            case "":
                return figure(value)
            case "short":
                return _short(value)
            case "day":
                return f"{value.day} {value:%b %Y}"
            case "words":
                return str(value).replace("_", " ")
            case "verdict":
                return _VERDICTS.get(value, str(value).replace("_", " "))
        return str(format(value, format_spec))


_TEXTS = _Texts()


def figure(value: Any) -> str:
    """Return a value as people read it: four digits, thousands apart."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.0f}" if 1000 <= abs(value) < 1e15 else f"{value:.4g}"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) else str(value)


def _short(value: float) -> str:
    for least, size, letter in _SIZES:
        if abs(value) >= least:
            return f"{value / size:.3g}{letter}"
    return figure(float(value))


def fill(text: Text, values: Row) -> str:
    """Return a text with its values; empty if one of them is unknown."""
    for template in (text,) if isinstance(text, str) else text:
        try:
            return _TEXTS.vformat(template, (), values)
        except _UnknownError:
            continue
    return ""


def filled(texts: Iterable[Text], values: Row) -> list[str]:
    """Return the texts whose values are all known."""
    return [sentence for text in texts if (sentence := fill(text, values))]


def wrapped(text: str, width: int) -> list[str]:
    """Return a sentence in lines of a width."""
    indent = " " * (len(text) - len(text.lstrip(" ")))
    options = {"subsequent_indent": indent, "break_on_hyphens": False, "break_long_words": False}
    return textwrap.wrap(text, width, **options) or [""]  # type: ignore[arg-type]


class ShortNames:
    """Writes the short name of an accelerator for its key, anywhere in a text.

    Args:
        reader: the warehouse.
    """

    def __init__(self, reader: Reader) -> None:
        rows = reader.rows("select accelerator_id, short_name from dim_accelerator")
        self._names = {row["accelerator_id"]: row["short_name"] for row in rows}
        keys = "|".join(re.escape(key) for key in sorted(self._names, key=len, reverse=True))
        self._keys = re.compile(rf"(?<![\w/-])(?:{keys})(?![\w-])")

    def __call__(self, text: str) -> str:
        """Return the text with short names."""
        return self._keys.sub(lambda key: self._names[key[0]], text)
