"""What assets carry so that nobody has to watch them: when they are stale, when they run, when they are tried again."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import dagster as dg

from ingest.core.cadence import Cadence
from ingest.core.errors import AccelmartError
from ingest.core.http_response import StatusRefused
from orchestration import settings
from orchestration.cron import longest_pause

# of a run that was started from the command line: a person waits for it
BY_HAND = "accelmart/by_hand"


def sensor_interval(default: int) -> int:
    """Return the seconds between two evaluations of a sensor; ``ACCELMART_SENSOR_INTERVAL`` sets one for all."""
    given = settings.SENSOR_INTERVAL.read()
    return max(1, default if given is None else given)


def cron_of(cadence: Cadence) -> str | None:
    """Return the cron expression (UTC) of a group of sources; None if it has no schedule.

    Raises:
        SettingError: the group's variable holds no cron expression.
    """
    setting = settings.SCHEDULE_OF.get(cadence.name)
    return setting.read() if setting else None


def period_of(cadence: Cadence) -> timedelta:
    """Return the longest time between two fetches of a group when all goes well."""
    cron = cron_of(cadence)
    return cadence.period if cron in (None, cadence.cron) else longest_pause(str(cron))


def freshness_of(cadence: Cadence) -> dg.FreshnessPolicy:
    """Half a period late is a warning; when two fetches have failed to come, it is stale."""
    period = period_of(cadence)
    return dg.FreshnessPolicy.time_window(fail_window=3 * period, warn_window=1.5 * period)


def follows_landing() -> dg.AutomationCondition[Any]:
    """Parse when something was landed, or when the parser is another one; once for all that came meanwhile.

    Unlike `AutomationCondition.eager` it does not wait for the landing of other sources that is still in progress:
    a list that drips in for an hour must not hold up the others. Nor does it ask that every source was landed
    once: without a key some never are.
    """
    changed: dg.AutomationCondition[Any] = (
        dg.AutomationCondition.any_deps_updated() | dg.AutomationCondition.code_version_changed()
    )
    return (changed.since_last_handled() & ~dg.AutomationCondition.in_progress()).with_label(
        "follows landing"
    )


def retry_policy() -> dg.RetryPolicy:
    """Twice more, after a minute and after two: what lasts longer waits for the next refresh."""
    return dg.RetryPolicy(
        max_retries=2,
        delay=settings.RETRY_DELAY.read(),
        backoff=dg.Backoff.EXPONENTIAL,
        jitter=dg.Jitter.PLUS_MINUS,
    )


def may_pass(error: BaseException) -> bool:
    """Return whether an error may pass within a minute: networks and disks; not refusals, and not wrong payloads."""
    return isinstance(error, OSError) and not isinstance(error, StatusRefused)


@contextmanager
def judged(context: dg.AssetExecutionContext) -> Iterator[None]:
    """Say of an error whether another try may mend it. Someone who waits at a terminal tries again themselves.

    Raises:
        dagster.Failure: in place of any error.
    """
    try:
        yield
    except dg.Failure:
        raise
    except Exception as error:
        words = str(error) if isinstance(error, AccelmartError) else f"{type(error).__name__}: {error}"
        raise dg.Failure(words, allow_retries=is_worth_another_try(context, error)) from error


def is_worth_another_try(context: dg.AssetExecutionContext, *errors: BaseException) -> bool:
    """Whether to let Dagster try again."""
    return BY_HAND not in context.run.tags and any(map(may_pass, errors))


# the class Dagster puts before an error's own words
_CLASS = re.compile(r"^[A-Za-z_][\w]*(\.\w+)+: ")


def words_of(failures: Iterable[dg.DagsterEvent]) -> str:
    """Return the errors of failed steps, a line or more each.

    Args:
        failures: step failures.
    """
    words = []
    for event in failures:
        data = event.step_failure_data
        given = data.user_failure_data.description if data.user_failure_data else None
        if given:
            words.append(given)
        elif data.error:
            words.append(_CLASS.sub("", str((data.error.cause or data.error).message).strip()))
    return "\n".join(words)
