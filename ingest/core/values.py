"""Reading upstream's values: numbers come as numbers or strings at random, flags as 0/1, text, booleans."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

_TOKENS_PER_SAMPLE = re.compile(r"tokens_per_sample['\"]?\s*:\s*([0-9.]+)", re.IGNORECASE)


def words(value: Any) -> str:
    """The value as trimmed text that can be stored: halves of a surrogate pair, which JSON can spell, become ``?``."""
    return str(value).strip().encode("utf-8", "replace").decode("utf-8")


def decode(payload: bytes) -> str:
    """Text of a payload, whatever the encoding: UTF-8 if it is, else Windows-1252 as submitters' editors write it."""
    try:
        return payload.decode("utf-8-sig")
    except UnicodeDecodeError:
        return payload.decode("cp1252", errors="replace")


def text(value: Any) -> str | None:
    """The value as text, None when it is absent or blank."""
    if value is None:
        return None
    return words(value) or None


def joined(body: Mapping[str, Any], *keys: str) -> str | None:
    """The texts under several keys, separated by semicolons; None when all are absent or blank."""
    return "; ".join(t for key in keys if (t := text(body.get(key)))) or None


def number(value: Any) -> float | None:
    """A finite number from a number or its decimal text; None for anything else (``N/A``, ``""``, lists).

    A comma is not accepted: whether ``1,234`` is a thousand or a decimal cannot be known. Nor is Python's ``1_234``.
    """
    if type(value) is float:  # most are
        return value if math.isfinite(value) else None
    if isinstance(value, bool) or value is None or (isinstance(value, str) and "_" in value):
        return None
    try:
        out = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return out if math.isfinite(out) else None


def integer(value: Any) -> int | None:
    """A whole number ≥ 0 from a number or its text (``8``, ``8.0``, ``"8"``); None for anything else.

    What does not fit 64 bits counts nothing that exists.
    """
    out = number(value)
    return int(out) if out is not None and 0 <= out < 2**63 and out == int(out) else None


def flag(value: Any) -> bool | None:
    """A boolean from 0/1, true/false or their text; None for anything else."""
    if isinstance(value, bool):
        return value
    return {"0": False, "1": True, "false": False, "true": True}.get(str(value).strip().lower())


def measured(value: Any) -> tuple[float | None, str | None]:
    """A result that can be one: finite and above zero. Returns (number, None) or (None, the problem)."""
    out = number(value)
    if out is None:
        return None, f"result is {value!r}, not a finite number"
    if out <= 0:
        return None, f"result is {value!r}, which no measurement can give"
    return out, None


def tokens_per_sample(accuracy: str | None) -> float | None:
    """Mean generated tokens per sample, as the accuracy run states it (``TOKENS_PER_SAMPLE: 273.3``)."""
    match = _TOKENS_PER_SAMPLE.search(accuracy or "")
    return number(match[1].rstrip(".")) if match else None
