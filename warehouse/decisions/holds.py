"""Sources and rounds that an operator freezes or excludes: ``holds.csv`` and ``withdrawals.csv`` in ``overrides/``.

A frozen source or round stays at the payloads of the published generation: payloads landed later are kept and not used.
An excluded one is left out of the next generation, with the parts of it that are shipped with the code. Payloads stay
in the landing zone untouched; to unfreeze it brings everything back.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from accelmart.spelling import did_you_mean
from ingest.core.errors import AccelmartError, NotARelease
from ingest.core.payload import Payload
from ingest.core.stored_json import RecordDamaged
from ingest.mlperf.registry import MLPERF_SOURCES
from ingest.mlperf.releases import normalise_release
from ingest.registry import SOURCES
from warehouse.decisions.override_forms import HOLDS, WITHDRAWALS, OverridesRejected
from warehouse.decisions.overrides import convert_records, read_decisions, replace_rows
from warehouse.publication.pointer import own_publication
from warehouse.storage.database import UnreadableError, read_rows
from warehouse.storage.home import Home
from warehouse.storage.locks import WAIT_S, exclusive
from warehouse.storage.parquet import write_records

TABLE = "source_holds"
_SHOWN = 16  # characters of a payload hash


class HoldError(AccelmartError):
    """A hold that cannot be made or removed."""


class Action(StrEnum):
    """What an operator does to a source or round."""

    hold = "hold"
    withdraw = "withdraw"


@dataclass(frozen=True, kw_only=True)
class Hold:
    """One line of ``holds.csv`` or ``withdrawals.csv``.

    Args:
        source: a registered source.
        release: one MLPerf round of it; None is the whole source.
        action: hold or withdraw.
        at: when the operator said so, UTC.
        payloads: sha256 of the payloads in force then. Of a held round or specification only these are used.
        as_of: when the generation in force then was built. Of a held price list only what was landed by then is used.
    """

    source: str
    release: str | None
    action: Action
    at: datetime
    payloads: tuple[str, ...] = ()
    as_of: datetime | None = None

    @property
    def name(self) -> str:
        """Source and round, as given on the command line."""
        return f"{self.source} {self.release}" if self.release else self.source

    def describe(self) -> str:
        """One line for people."""
        words = (
            f"{'frozen' if self.action is Action.hold else 'excluded'}: {self.name} since {self.at:%Y-%m-%d}"
        )
        if self.action is Action.withdraw:
            return words
        shown = (
            f"present payload {self.payloads[0][:_SHOWN]}…"
            if len(self.payloads) == 1
            else f"{len(self.payloads)} present payloads"
        )
        return f"{words} ({shown})"


@dataclass(frozen=True)
class Holds:
    """Every hold and withdrawal of one installation."""

    items: tuple[Hold, ...] = ()

    def hold_of(self, source: str, release: str | None = None) -> Hold | None:
        """The hold on a round, else that on its source."""
        return self._find(Action.hold, source, release)

    def is_withdrawn(self, source: str, release: str | None = None) -> bool:
        """Whether a round, or its whole source, is withdrawn."""
        return self._find(Action.withdraw, source, release) is not None

    def admits(self, source: str, release: str | None, payload: Payload) -> bool:
        """Whether a build may use a landed payload of a round or a specification."""
        if self.is_withdrawn(source, release):
            return False
        hold = self.hold_of(source, release)
        return hold is None or payload.sha256 in hold.payloads

    def _find(self, action: Action, source: str, release: str | None) -> Hold | None:
        # the hold on a round comes before that on its source
        for wanted in dict.fromkeys((release, None)):
            for hold in self.items:
                if (hold.source, hold.release) == (source, wanted):
                    if hold.action is action:
                        return hold
                    break
        return None


def read_holds(home: Home) -> Holds:
    """Return the frozen and the excluded sources and rounds of an installation.

    Raises:
        OverridesRejected, RecordDamaged: a file has errors.
    """
    rows = [(row.seed, row.cells) for row in read_decisions(home, HOLDS, WITHDRAWALS)]
    items = [
        Hold(
            source=cells["source"],
            release=cells.get("release"),
            action=Action.hold if name == HOLDS else Action.withdraw,
            at=_moment(cells["held_at" if name == HOLDS else "withdrawn_at"]),
            payloads=tuple(cells.get("payloads", "").split()),
            as_of=_moment(cells["published_at"]) if name == HOLDS else None,
        )
        for name, cells in rows
    ]
    return Holds(tuple(sorted(items, key=lambda i: (i.source, i.release or ""))))


def holds_or_problem(home: Home) -> tuple[Holds, str | None]:
    """Return what is frozen or excluded; for readers, none and the reason where a file has errors."""
    try:
        return read_holds(home), None
    except (OverridesRejected, RecordDamaged) as e:
        return Holds(), str(e)


def _moment(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)


def freeze(home: Home, source: str, release: str | None, known: set[str]) -> Hold:
    """Keep a source or round at the payloads of the published generation.

    Args:
        home: the installation.
        source: a registered source.
        release: one of its MLPerf rounds; None is the whole source.
        known: rounds of this source that are landed or shipped.

    Returns:
        The hold; the earlier one where it was frozen already.

    Raises:
        HoldError: unknown source or round, or the published generation has nothing of it.
        NoWarehouseError: nothing is published yet.
    """
    release = check_names(source, release, known)
    generation = own_publication(home).generation
    payloads = _published_payloads(generation.path, source, release)
    wanted = Hold(
        source=source,
        release=release,
        action=Action.hold,
        at=datetime.now(UTC),
        payloads=payloads,
        as_of=generation.built_at.astimezone(UTC),
    )
    if not payloads:
        raise HoldError(
            f"{wanted.name} was never built: the published generation has nothing of it, so there is no state to keep. "
            "To leave it out of the next generation: accelmart exclude"
        )
    return _put(home, wanted)


def exclude(home: Home, source: str, release: str | None, known: set[str]) -> Hold:
    """Leave a source or round out of the next generation; arguments are those of `freeze`.

    Returns:
        The withdrawal; the earlier one where it was excluded already.

    Raises:
        HoldError: unknown source or round.
    """
    release = check_names(source, release, known)
    return _put(home, Hold(source=source, release=release, action=Action.withdraw, at=datetime.now(UTC)))


def unfreeze(home: Home, source: str, release: str | None) -> Hold:
    """Remove a hold or a withdrawal.

    Args:
        home: the installation.
        source: as it was held.
        release: as it was held.

    Returns:
        What was removed.

    Raises:
        HoldError: unknown source, or nothing to release; the message lists what is held.
    """
    release = _normalised(source, release)
    with exclusive(home, WAIT_S):
        convert_records(home)
        items = read_holds(home).items
        for item in items:
            if (item.source, item.release) == (source, release):
                for file in (HOLDS, WITHDRAWALS):
                    replace_rows(home, file, remove=[{"source": source, "release": release or ""}])
                return item
    name = f"{source} {release}" if release else source
    held = "; ".join(i.describe() for i in items) or "nothing is frozen or excluded"
    raise HoldError(f"there is nothing to unfreeze for {name}: {held}")


def write_holds(holds: Holds, published: Path | None, target: Path) -> None:
    """Write the raw table ``source_holds``: each hold, and those of the published generation that ended.

    Args:
        holds: in force for this build.
        published: the generation whose holds are compared; None for none.
        target: Parquet file to write; without rows where nothing is held now or was before.
    """
    before = _published_holds(published)
    now = {(h.source, h.release or "", h.action.value): h.at for h in holds.items}
    rows = [HoldChange(*key, at, "kept" if key in before else "new") for key, at in now.items()]
    rows += [HoldChange(*key, None, "ended") for key in sorted(before - set(now))]
    write_records(target, rows, HoldChange)


class HoldChange(NamedTuple):
    """One row of the raw table ``source_holds``."""

    source: str
    release: str
    action: str
    held_at: datetime | None
    change: str


def check_names(source: str, release: str | None, known: set[str]) -> str | None:
    """The round as it is written everywhere.

    Raises:
        HoldError: the source is not registered, it has no rounds, or the round is none of `known`.
    """
    normalised = _normalised(source, release)
    if normalised is None:
        return None
    if normalised not in known:
        rounds = ", ".join(sorted(known)) or "none"
        raise HoldError(
            f"{source} has no round {release!r} here.{did_you_mean(normalised, known)} Landed or shipped: {rounds}"
        )
    return normalised


def _normalised(source: str, release: str | None) -> str | None:
    if source not in SOURCES:
        near = did_you_mean(source, SOURCES) or f" Sources: {', '.join(SOURCES)}"
        raise HoldError(f"there is no source {source!r}.{near}")
    if release is None:
        return None
    if source not in MLPERF_SOURCES:
        raise HoldError(f"{source} is not split by round: leave {release!r} out")
    try:
        return normalise_release(release)
    except NotARelease as e:
        raise HoldError(f"{release!r} names no MLPerf round: give it as v5.1") from e


def _put(home: Home, wanted: Hold) -> Hold:
    name, other = (HOLDS, WITHDRAWALS) if wanted.action is Action.hold else (WITHDRAWALS, HOLDS)
    at = wanted.at.isoformat()
    cells = {"source": wanted.source, "release": wanted.release or ""}
    if wanted.as_of:
        kept = {"published_at": wanted.as_of.isoformat(), "payloads": " ".join(wanted.payloads)}
        cells |= {"held_at": at, **kept}
    else:
        cells |= {"withdrawn_at": at}
    with exclusive(home, WAIT_S):
        convert_records(home)
        for item in read_holds(home).items:
            if (item.source, item.release, item.action) == (wanted.source, wanted.release, wanted.action):
                return item
        # killed between the two, both lines stand there, which every reader names
        replace_rows(home, name, add=[cells])
        replace_rows(home, other, remove=[cells])
    return wanted


_HOLDS = "select source, release, action from staging.stg_accelmart__holds where change <> 'ended'"
_PAYLOADS = """
    select distinct payload_sha256 from ops_reconciliation
    where source = ? and (? is null or release = ?)
    order by all
"""


def _published_payloads(published: Path, source: str, release: str | None) -> tuple[str, ...]:
    rows = read_rows(published, _PAYLOADS, [source, release, release])
    return tuple(str(sha256) for (sha256,) in rows)


def _published_holds(published: Path | None) -> set[tuple[str, str, str]]:
    try:
        return set(read_rows(published, _HOLDS)) if published else set()
    except UnreadableError:
        return set()  # a generation of before there were holds
