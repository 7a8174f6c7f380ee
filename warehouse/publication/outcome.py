"""The outcome of the last build, and the warnings of each generation.

``last_build.json`` in the data root holds the outcome of the last build; ``generations/<id>.warnings.json`` holds the
warnings of a generation.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from warehouse.publication.generation import Generation
from warehouse.storage.files import read_derived, written_whole
from warehouse.storage.home import Home

LINE_WIDTH = 110


@dataclass(frozen=True)
class Outcome:
    """Outcome of a build.

    Args:
        status: ``published``, or ``failed`` (the published warehouse is unchanged).
        at: end of the build, UTC, ISO 8601.
        generation_id: the published generation; empty if the build failed.
        problems: failed checks and errors, one line each.
    """

    status: Literal["published", "failed"]
    at: str
    generation_id: str = ""
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class BuildWarning:
    """One row that a check of severity warn returned.

    Args:
        check: name of the check.
        words: the row as ``column value, …``.
        subject: only the text values of the row: a row with other figures is the same warning.
    """

    check: str
    words: str
    subject: str

    @property
    def line(self) -> str:
        """Return check and row on one line of at most `LINE_WIDTH` characters."""
        return shortened(f"{self.check}: {self.words}")


def shortened(text: str, width: int = LINE_WIDTH) -> str:
    """Return the text on one line of at most `width` characters; a longer text ends with an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= width else (line[: width - 2].rpartition(" ")[0] or line[: width - 2]) + " …"


def record_outcome(
    home: Home,
    status: Literal["published", "failed"],
    *,
    generation_id: str = "",
    problems: Iterable[str] = (),
) -> None:
    """Store the outcome of a build."""
    at = datetime.now(UTC).isoformat(timespec="seconds")
    done = Outcome(status, at, generation_id, tuple(problems))
    with written_whole(home.last_build) as temporary:
        temporary.write_text(json.dumps(asdict(done), indent=1, ensure_ascii=False), encoding="utf-8")


def last_outcome(home: Home) -> Outcome | None:
    """Return the outcome of the last build; None before the first, and if its record is damaged."""
    return read_derived(home.last_build, Outcome, None)


# --- warnings ----------------------------------------------------------------------------------------------------


def _warnings_path(home: Home, generation_id: str) -> Path:
    return home.generations / f"{generation_id}.warnings.json"


def keep_warnings(home: Home, generation_id: str, warnings: Iterable[BuildWarning]) -> None:
    """Store the warnings of a generation, and remove the warnings of generations that no longer exist."""
    with written_whole(_warnings_path(home, generation_id)) as temporary:
        temporary.write_text(json.dumps([asdict(w) for w in warnings], ensure_ascii=False), encoding="utf-8")
    kept = {path.stem for path in home.generations.glob("*.duckdb")}
    for path in home.generations.glob("*.warnings.json"):
        if path.name.removesuffix(".warnings.json") not in kept:
            path.unlink()


def read_warnings(home: Home, generation_id: str) -> list[BuildWarning] | None:
    """Return the warnings of a generation; None if none were stored, or if they are damaged."""
    return read_derived(_warnings_path(home, generation_id), list[BuildWarning], None)


def new_warnings(home: Home, warnings: list[BuildWarning], previous: Generation | None) -> list[BuildWarning]:
    """Return the warnings that the previous generation did not have; none if its warnings are not stored."""
    before = read_warnings(home, previous.generation_id) if previous else None
    if before is None:
        return []
    known = {(w.check, w.subject) for w in before}
    return [w for w in warnings if (w.check, w.subject) not in known]
