"""A payload that is one JSON document."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from ingest.core.errors import PayloadRejected, decode_utf8

T = TypeVar("T", dict[str, Any], list[Any])
_NAMES: dict[type, str] = {dict: "object", list: "list"}


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, unless a key occurs twice: the first of them would be lost unseen."""
    out = dict(pairs)
    if len(out) != len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(k for k in keys if keys.count(k) > 1)!r} occurs twice in one object")
    return out


def read_json(payload: bytes, where: str) -> Any:
    """The document, from UTF-8 with or without a byte-order mark.

    Raises:
        PayloadRejected: not JSON at all, cut off, or an object holds a key twice.
    """
    document = decode_utf8(payload, where)
    try:
        return json.loads(document, object_pairs_hook=_without_repeats)
    except (ValueError, RecursionError) as e:  # ValueError: also an integer of thousands of digits
        start = document.lstrip()[:1]
        kind = "HTML" if start == "<" else "not valid JSON" if start else "empty"
        at = f"line {e.lineno}, column {e.colno}: {e.msg}" if isinstance(e, json.JSONDecodeError) else str(e)
        raise PayloadRejected(
            payload=where,
            problem=f"{kind} ({at})",
            remedy="fetch it again; if it stays so, the upstream file has moved or is damaged",
        ) from e


def member_of(document: Any, path: str, kind: type[T], *, where: str, remedy: str) -> T:
    """Return the object or list at a path of a document.

    Args:
        document: as `read_json` gives it.
        path: names of nested members, such as ``data.gpuTypes``.
        kind: `dict` or `list`.
        where: the payload, for messages.
        remedy: what to do if it is not there.

    Raises:
        PayloadRejected: it is not there, or of another kind.
    """
    value = document
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    if isinstance(value, kind):
        return value
    problem = f"holds no {_NAMES[kind]} {path!r}, it is {str(document)[:200]!r}"
    raise PayloadRejected(payload=where, problem=problem, remedy=remedy)
