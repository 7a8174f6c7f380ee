"""One finding of the doctor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Status = Literal["ok", "warn", "fail"]


@dataclass(frozen=True)
class Finding:
    """One line of the doctor.

    Args:
        check: what was looked at.
        status: ``ok``; ``warn``: it works, and something should be done; ``fail``: something does not work.
        found: what was found.
        remedy: what to do; empty when ok.
    """

    check: str
    status: Status
    found: str
    remedy: str = ""
