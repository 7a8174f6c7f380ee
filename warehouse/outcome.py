"""What the last build did: its outcome, its warnings, and what is landed and not published.

``last_build.json`` in the data root holds the outcome of the last build, whoever started it; the warnings of a
published generation lie beside it as ``generations/<id>.warnings.json``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import duckdb

from ingest.core.landing import Landing
from ingest.mlperf.registry import MLPERF_SOURCES
from ingest.prices.registry import PRICE_SOURCES
from ingest.specs.registry import SPEC_SOURCES
from warehouse.build import Build, dbt_results
from warehouse.files import written_whole
from warehouse.holds import read_holds
from warehouse.home import Home
from warehouse.isolation import read_isolated
from warehouse.query import query

WARNING_ROWS_MAX = 1000
LINE_WIDTH = 110


@dataclass(frozen=True)
class Outcome:
    """How a build ended.

    Args:
        status: ``published``, or ``failed``: then the published warehouse is as it was.
        at: when it ended, UTC, ISO 8601.
        generation_id: what it published; empty when it failed.
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
        words: the row, ``column value, …``.
        subject: its text values alone: the same row with other figures is the same warning.
    """

    check: str
    words: str
    subject: str

    @property
    def line(self) -> str:
        """Check and row on one line of at most `LINE_WIDTH` characters."""
        return shortened(f"{self.check}: {self.words}")


def shortened(text: str, width: int = LINE_WIDTH) -> str:
    """The text on one line, cut with an ellipsis where it is longer than `width`."""
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 1] + "…"


def _path(home: Home) -> Path:
    return home.root / "last_build.json"


def record_outcome(
    home: Home,
    status: Literal["published", "failed"],
    *,
    generation_id: str = "",
    problems: Iterable[str] = (),
) -> None:
    """Keep how a build ended."""
    at = datetime.now(UTC).isoformat(timespec="seconds")
    done = Outcome(status, at, generation_id, tuple(problems))
    with written_whole(_path(home)) as temporary:
        temporary.write_text(json.dumps(asdict(done), indent=1, ensure_ascii=False), encoding="utf-8")


def last_outcome(home: Home) -> Outcome | None:
    """How the last build ended; None before the first."""
    if not _path(home).exists():
        return None
    stored = json.loads(_path(home).read_text(encoding="utf-8"))
    return Outcome(**stored | {"problems": tuple(stored["problems"])})


# --- warnings ----------------------------------------------------------------------------------------------------


def warnings_of(build: Build) -> list[BuildWarning]:
    """Every row that the build's checks of severity warn returned."""
    out = []
    for result in dbt_results(build, ("warn",)):
        name = result["unique_id"].split(".")[2]
        with duckdb.connect(str(build.database), read_only=True) as db:
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
    """Keep the warnings of a generation beside it, and remove those of generations that are gone."""
    with written_whole(_warnings_path(home, generation_id)) as temporary:
        temporary.write_text(json.dumps([asdict(w) for w in warnings], ensure_ascii=False), encoding="utf-8")
    kept = {path.stem for path in home.generations.glob("*.duckdb")}
    for path in home.generations.glob("*.warnings.json"):
        if path.name.removesuffix(".warnings.json") not in kept:
            path.unlink()


def read_warnings(home: Home, generation_id: str) -> list[BuildWarning] | None:
    """The warnings of a generation; None where none were kept."""
    path = _warnings_path(home, generation_id)
    if not path.exists():
        return None
    return [BuildWarning(**item) for item in json.loads(path.read_text(encoding="utf-8"))]


def new_warnings(home: Home, generation_id: str, previous_id: str | None) -> list[BuildWarning]:
    """Warnings that the generation before did not have; empty where there is none to compare with."""
    before = read_warnings(home, previous_id) if previous_id else None
    if before is None:
        return []
    known = {(w.check, w.subject) for w in before}
    return [w for w in read_warnings(home, generation_id) or [] if (w.check, w.subject) not in known]


# --- landed and not published ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Unpublished:
    """A payload that is landed and not in the published warehouse.

    Args:
        source: of the payload.
        key: it was landed under.
        fetched_at: when, UTC.
        reason: why it is not published.
    """

    source: str
    key: str
    fetched_at: datetime
    reason: str

    @property
    def line(self) -> str:
        """One line for people."""
        return shortened(
            f"not published: {self.source} {self.key} of {self.fetched_at:%Y-%m-%d}: {self.reason}"
        )


def unpublished(home: Home) -> Iterator[Unpublished]:
    """The newest landed payload of each key that the published warehouse does not hold, and why.

    Raises:
        NoWarehouseError, AccelmartError: there is no published warehouse, or it cannot be read.
    """
    isolated = {(i.source, i.payload_sha256): i.problem for i in read_isolated(home)}
    holds, published, landing = read_holds(home), _published_payloads(home), Landing(home.landing_url)
    last = last_outcome(home)
    failed = last is not None and last.status == "failed"
    for source in (*MLPERF_SOURCES, *PRICE_SOURCES, *SPEC_SOURCES):
        for key in landing.keys(source):
            payload = landing.latest(source, key)
            if payload is None or (source, payload.sha256) in published:
                continue
            release = key if source in MLPERF_SOURCES and MLPERF_SOURCES[source].has_releases else None
            if problem := isolated.get((source, payload.sha256)):
                reason = f"isolated, {problem}"
            elif holds.is_withdrawn(source, release):
                reason = "withdrawn by the operator"
            elif holds.hold_of(source, release):
                reason = "held by the operator"
            elif failed and last and payload.fetched_at.isoformat() <= last.at:
                reason = "the last build failed"
            else:
                reason = "landed since the last build: accelmart build"
            yield Unpublished(source, key, payload.fetched_at, reason)


def _published_payloads(home: Home) -> set[tuple[str, str]]:
    _, rows = query(home.published, "select distinct source, payload_sha256 from ops_reconciliation")
    return {(str(source), str(sha256)) for source, sha256 in rows}
