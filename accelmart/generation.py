"""The id of a generation: its one type, wherever one is read. It names files, so nothing else may pass for one."""

from __future__ import annotations

import re
from typing import NewType, TypeGuard

GenerationId = NewType("GenerationId", str)
"""Time of the build and a random end; ids sort by the time of the build."""

_FORM = re.compile(r"[0-9]{8}T[0-9]{6}-[0-9a-f]{6}")


def is_generation_id(text: object) -> TypeGuard[GenerationId]:
    """Return whether what was read is an id."""
    return isinstance(text, str) and _FORM.fullmatch(text) is not None


def as_generation_id(text: object) -> GenerationId:
    """Return an id that was read from a file, an address or a command.

    Args:
        text: what was read.

    Raises:
        ValueError: it is none.
    """
    if is_generation_id(text):
        return text
    raise ValueError(f"{str(text)[:40]!r} is no id of a generation, such as 20260131T060000-a1b2c3")
