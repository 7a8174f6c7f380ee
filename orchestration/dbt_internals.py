"""What dbt does in the process that builds and nobody reads: it is left out there. A fifth of dbt's own time.

Checked with dbt-core 1.11 and dbt-common 1.39: it has no setting for any of this.
"""

from __future__ import annotations

from typing import Any

from dbt.task import runnable
from dbt_common.events.base_types import BaseEvent, EventLevel
from dbt_common.events.event_manager import EventManager
from dbt_common.events.event_manager_client import ctx_set_event_manager

_DEBUG = (EventLevel.DEBUG, EventLevel.TEST)
_convert = BaseEvent.__init__


def leave_out_unread() -> None:
    """Let dbt leave out, from here on in this process, what nobody reads.

    - Events of level debug, some twenty for each node: dbt makes a message of each and a line of it for its output and
      for its log, with all fields of the node, and then drops both lines because of their level.
    - The manifest in the folder of a build: it is that of the project, which the data root has.
    """
    ctx_set_event_manager(EventsRead())
    BaseEvent.__init__ = _remember
    BaseEvent.pb_msg = _Message()
    runnable.write_manifest = lambda *_: None


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


def _remember(event: BaseEvent, *args: Any, **fields: Any) -> None:
    vars(event)["given"] = args, fields


class _Message:
    """The message of an event, made of its fields when it is first read. Then it is an attribute of the event."""

    def __get__(self, event: BaseEvent, _: type) -> Any:
        args, fields = vars(event).pop("given")
        _convert(event, *args, **fields)
        return vars(event)["pb_msg"]
