"""JSON records that this program keeps: read here alone, with the types of their fields."""

from __future__ import annotations

from functools import cache
from typing import Any

from ingest.core.errors import AccelmartError

_LONGEST = 64 << 20


class RecordDamaged(AccelmartError, ValueError):
    """A record that cannot be read; the message names it and what to do."""


def record_of(kind: Any, content: bytes, where: object, remedy: str) -> Any:
    """Return the value of a record.

    Args:
        kind: its type: a dataclass, or a list, tuple or dictionary of such.
        content: JSON.
        where: its path, for the message.
        remedy: what to do where it is damaged.

    Raises:
        RecordDamaged: it is no JSON, nested too deeply, over 64 MB, or of another type.
    """
    from pydantic import ValidationError  # what only looks whether anything is new reads no record

    try:
        if len(content) > _LONGEST:
            raise ValueError(f"it has {len(content):,} bytes")
        return _reader_of(kind).validate_json(content, strict=True)
    except ValidationError as e:
        first = e.errors(include_input=False, include_url=False)[0]
        problem = f"{'.'.join(map(str, first['loc']))}: {first['msg']}".removeprefix(": ")
    except ValueError as e:
        problem = str(e)
    raise RecordDamaged(f"{where} is damaged ({problem[:200]}). To fix: {remedy}")


@cache
def _reader_of(kind: Any) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)
