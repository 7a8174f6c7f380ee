"""The outcome of the last build, the warnings of each generation, and payloads that are landed but not published.

``last_build.json`` in the data root holds the outcome of the last build; ``generations/<id>.warnings.json`` holds the
warnings of a generation.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from ingest.core.landing import Landing
from ingest.mlperf.registry import MLPERF_SOURCES
from ingest.registry import SOURCES
from warehouse.build_folder import Build, opened
from warehouse.database import read_rows
from warehouse.dbt import dbt_results
from warehouse.files import read_derived, written_whole
from warehouse.generation import Generation
from warehouse.holds import holds_or_problem
from warehouse.home import Home
from warehouse.isolation import read_isolated
from warehouse.pointer import publication

WARNING_ROWS_MAX = 1000
LINE_WIDTH = 110
WAITING = "landed since the last build: accelmart build"


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


def warnings_of(build: Build) -> list[BuildWarning]:
    """Return every row that the build's checks of severity warn returned."""
    out: list[BuildWarning] = []
    if not (results := dbt_results(build, ("warn",))):
        return out
    with opened(build) as db:
        for result in results:
            name = result["unique_id"].split(".")[2]
            rows = db.execute(result["compiled_code"])
            columns = [c[0] for c in rows.description or []]
            for row in rows.fetchmany(WARNING_ROWS_MAX):
                cells = {c: v for c, v in zip(columns, row, strict=True) if v is not None}
                words = ", ".join(f"{c} {v}" for c, v in cells.items())
                subject = ", ".join(v for v in cells.values() if isinstance(v, str))
                out.append(BuildWarning(name, words, subject))
    return out


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


# --- landed and not published ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Unpublished:
    """A payload that is landed but not in the published warehouse.

    Args:
        source: source of the payload.
        key: landing key of the payload.
        fetched_at: time of the fetch, UTC.
        reason: why it is not published.
    """

    source: str
    key: str
    fetched_at: datetime
    reason: str

    @property
    def line(self) -> str:
        """Return a message of one line."""
        return shortened(
            f"not published: {self.source} {self.key} of {self.fetched_at:%Y-%m-%d}: {self.reason}"
        )


def unpublished(home: Home) -> Iterator[Unpublished]:
    """Yield the newest landed payload of each key that is not in the published warehouse, with the reason.

    Raises:
        NoWarehouseError: the published warehouse does not exist.
        AccelmartError: the published warehouse cannot be read.
    """
    isolated = {(i.source, i.payload_sha256): i.problem for i in read_isolated(home)}
    holds, _ = holds_or_problem(home)
    published, landing = _published_payloads(home), Landing(home.landing_url)
    last = last_outcome(home)
    failed = last is not None and last.status == "failed"
    for source in SOURCES:
        for newest in landing.newest(source):
            payload = landing.latest(source, key := newest.key)
            if payload is None or (source, payload.sha256) in published:
                continue
            release = key if source in MLPERF_SOURCES and MLPERF_SOURCES[source].has_releases else None
            if problem := isolated.get((source, payload.sha256)):
                reason = f"isolated, {problem}"
            elif holds.is_withdrawn(source, release):
                reason = "excluded by the operator"
            elif holds.hold_of(source, release):
                reason = "frozen by the operator"
            elif failed and last and payload.fetched_at.isoformat() <= last.at:
                reason = "the last build failed"
            else:
                reason = WAITING
            yield Unpublished(source, key, payload.fetched_at, reason)


def _published_payloads(home: Home) -> set[tuple[str, str]]:
    path = publication(home).generation.path
    rows = read_rows(path, "select distinct source, payload_sha256 from ops_reconciliation")
    return {(str(source), str(sha256)) for source, sha256 in rows}
