"""dbt's events without those that nobody reads.

dbt fires some twenty events of level debug for each node. It makes a line of each for its output and one for its log,
with all fields of the node, and then drops both lines because of their level: a tenth of its time.
"""

from __future__ import annotations

from typing import Any

from dbt_common.events.base_types import BaseEvent, EventLevel
from dbt_common.events.event_manager import EventManager
from dbt_common.events.event_manager_client import ctx_set_event_manager

_DEBUG = (EventLevel.DEBUG, EventLevel.TEST)


class EventsRead(EventManager):  # type: ignore[misc]
    """Drops events of level debug before anything is made of them, unless a log is of that level (``dbt --debug``)."""

    def fire_event(
        self,
        e: BaseEvent,
        level: EventLevel | None = None,
        node: Any = None,
        force_warn_or_error_handling: bool = False,
    ) -> None:
        """As dbt's own; see `EventManager.fire_event`."""
        is_read = (level or e.level_tag()) not in _DEBUG or any(log.level in _DEBUG for log in self.loggers)
        if is_read or force_warn_or_error_handling:
            super().fire_event(e, level, node, force_warn_or_error_handling)


def drop_unread_events() -> None:
    """Let dbt fire its events to `EventsRead` from here on, in this process."""
    ctx_set_event_manager(EventsRead())
