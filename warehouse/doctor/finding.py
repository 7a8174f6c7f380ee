"""One finding of the doctor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Status = Literal["ok", "warn", "fail"]


@dataclass(frozen=True)
class Finding:
    """Result of one check.

    Args:
        check: name of the check.
        status: ``ok``; ``warn``: it works but needs attention; ``fail``: it does not work.
        found: what the check found.
        remedy: what to do; empty if ok.
    """

    check: str
    status: Status
    found: str
    remedy: str = ""
