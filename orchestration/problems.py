"""Open problems of an installation: `accelmart status --json` lists them, `orchestration.alerts` sends them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from ingest.core.errors import AccelmartError
from ingest.core.landing import Landing
from ingest.core.source import plan_of
from ingest.registry import LIST_SOURCES
from orchestration import settings
from warehouse.decisions.overrides import read_overrides
from warehouse.inputs.unpublished import WAITING, unpublished
from warehouse.publication.generation import NoWarehouseError
from warehouse.publication.outcome import last_outcome
from warehouse.publication.pointer import publication
from warehouse.storage.database import read_rows
from warehouse.storage.home import Home

UNREADABLE = "unreadable"
_HOUR = timedelta(hours=1)
_LISTED = """
select concat_ws(':', 'unmapped', kind, words), format('unmapped {}: {}', kind, words),
    format('{} rows are published under unmapped:{}. Add this line to overrides/{} in the data root, then build: {}',
        n_rows, words, seed_file, seed_line)
from ops_unmapped
union all
select concat_ws(':', 'isolated', source, coalesce(release, payload_key), payload_sha256),
    format('isolated payload: {} {}', source, coalesce(release, payload_key)), format('{}. To fix: {}', problem, remedy)
from ops_isolated_payload
union all
select concat_ws(':', 'change', rule, relation, figure, subject), format('change alarm: {} of {}', rule, subject),
    format('{}. To fix: {}', problem, remedy)
from ops_change_alarm where severity <> 'accepted'
order by all
"""


@dataclass(frozen=True)
class Problem:
    """One open problem: an id that stays while it is open, one line of title, and figures, error and remedy."""

    id: str
    title: str
    detail: str


def list_problems(home: Home) -> list[Problem]:
    """Return the open problems of the last build, the landing zone and the published warehouse."""
    landing = Landing(home.landing_url)
    return [*_failed_build(home), *_decisions(home), *_stale(landing), *_unusable(landing), *_published(home)]


def _failed_build(home: Home) -> Iterator[Problem]:
    last = last_outcome(home)
    if last is not None and last.status == "failed":
        errors = "\n".join(last.problems or ("no check or error was recorded",))
        remedy = (
            "The published warehouse is unchanged. To fix: correct what is named here, then accelmart build"
        )
        yield Problem("build_failed", "the last build failed", f"{errors}\n{remedy}")


def _decisions(home: Home) -> Iterator[Problem]:
    try:
        read_overrides(home)
    except AccelmartError as e:
        yield Problem("decisions", "a file of decisions has errors: nothing is built", str(e))


def _stale(landing: Landing) -> Iterator[Problem]:
    """Yield a problem for each source with a list that is older than its cadence allows."""
    now, given = datetime.now(UTC), settings.source_settings()
    for source in LIST_SOURCES.values():
        limit = settings.stale_after(source.cadence)
        fetches, reason_to_skip = plan_of(source, given)
        landed = [] if reason_to_skip else [landing.latest(source.name, f.key) for f in fetches]
        if late := [p for p in landed if p and now - p.fetched_at > limit]:
            oldest = min(late, key=lambda p: p.fetched_at)
            yield Problem(
                f"stale:{source.name}",
                f"stale source: {source.name}",
                f"{len(late)} of {len(fetches)} lists are older than {limit / _HOUR:.0f} hours; {oldest.key} is "
                f"{(now - oldest.fetched_at) / _HOUR:.0f} hours old and stays published with its age. To fix: read the "
                f"error of the last run, then accelmart refresh {source.name}",
            )


def _unusable(landing: Landing) -> Iterator[Problem]:
    """Yield a problem for each key whose newest payload is quarantined."""
    for p in landing.newest():
        if p.outcome == "quarantined":
            name, detail = f"{p.source} {p.key}", f"{p.reason}. The last good payload is used"
            yield Problem(f"quarantined:{p.source}:{p.key}", f"quarantined payload: {name}", detail)


def _published(home: Home) -> Iterator[Problem]:
    try:
        current = publication(home)
        rows = read_rows(current.generation.path, _LISTED)
        items = [] if current.is_pinned else list(unpublished(home))
    except NoWarehouseError:
        return
    except AccelmartError as e:
        detail = f"{e}. To fix: accelmart doctor"
        yield Problem(UNREADABLE, "the published warehouse cannot be read", detail)
        return
    yield from (Problem(*map(str, row)) for row in rows)
    if late := [i for i in items if i.reason == WAITING and datetime.now(UTC) - i.fetched_at > 24 * _HOUR]:
        yield Problem(
            "unpublished",
            "landed payloads are not published",
            f"{len(late)} were landed more than a day ago, such as {late[0].source} {late[0].key}. To fix: accelmart "
            "build, and see why rebuild_when_inputs_changed does not start it",
        )
