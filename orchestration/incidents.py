"""Servers that do not answer: one incident each, from the first failure until it answers again.

A sensor that fails at every tick hides what else fails. So only the tick that opens an incident fails; the next ones
wait a while, twice as long after every try, and give the incident as reason. `health_alerts` sends one alert for an
open incident and one when it is over.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from orchestration import settings

_LONGEST_WAIT = 60  # times the delay of the first try: an hour, unless the delay of retries is set otherwise


@dataclass(frozen=True)
class Incident:
    """A server that does not answer.

    Args:
        words: the error of the last try.
        since: time of the first failure.
        tries: how many failed.
        next_try: it is not asked before.
    """

    words: str
    since: datetime
    tries: int
    next_try: datetime

    @property
    def state(self) -> str:
        """When it began, how often it was tried, when it is tried again, and the last error."""
        return (
            f"no answer since {self.since:%Y-%m-%d %H:%M} UTC, {self.tries} tries; the next not before "
            f"{self.next_try:%H:%M:%S} UTC. Last error: {self.words}"
        )


class Incidents(dict[str, Incident]):
    """Open incidents by the name of the server."""

    def failed(self, name: str, words: str) -> bool:
        """Record a failure, and return whether it opens an incident.

        Args:
            name: of the server.
            words: the error, without secrets.
        """
        now, before = datetime.now(UTC), self.get(name)
        tries = before.tries + 1 if before else 1
        wait = timedelta(seconds=settings.RETRY_DELAY.read() * min(2 ** (tries - 1), _LONGEST_WAIT))
        opened = replace(before, words=words) if before else Incident(words, now, 1, now)
        self[name] = replace(opened, tries=tries, next_try=now + wait)
        return before is None

    def answered(self, name: str) -> None:
        """Close the incident of a server, if there is one."""
        self.pop(name, None)

    def waits(self, name: str) -> Incident | None:
        """Return the incident of a server that is not to be asked yet."""
        incident = self.get(name)
        return incident if incident and datetime.now(UTC) < incident.next_try else None


def from_json(stored: dict[str, dict[str, object]]) -> Incidents:
    """Return the incidents of JSON, in which each has its fields by name and its times in ISO 8601.

    Raises:
        KeyError, TypeError, ValueError: it is something else.
    """

    def read() -> Iterator[tuple[str, Incident]]:
        for name, i in stored.items():
            since, next_try = (datetime.fromisoformat(str(i[at])) for at in ("since", "next_try"))
            yield name, Incident(str(i["words"]), since, int(str(i["tries"])), next_try)

    return Incidents(read())
