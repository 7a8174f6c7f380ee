"""Policies of assets: freshness, automation and retries."""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import islice, pairwise
from typing import Any

import dagster as dg

# Dagster makes no cron parser public; with another one, what is valid here and what its schedules accept could differ.
from dagster._utils.schedules import cron_string_iterator, is_valid_cron_string

from ingest.core.cadence import Cadence
from ingest.core.errors import AccelmartError
from ingest.core.http_response import StatusRefused

INTERVAL_VARIABLE = "ACCELMART_SENSOR_INTERVAL"
RETRY_VARIABLE = "ACCELMART_RETRY_DELAY"
OFF = "off"
# tag of a run started from the command line, where a person waits for it
BY_HAND = "accelmart/by_hand"
_MONDAY = 1_767_571_200.0  # 2026-01-05 00:00 UTC
_TICKS_LOOKED_AT = 400


def seconds_of(variable: str, default: int) -> int:
    """Whole seconds an environment variable states.

    Raises:
        AccelmartError: it states something else.
    """
    word = os.environ.get(variable) or str(default)
    if not word.isdecimal():
        raise AccelmartError(f"{variable}={word!r}: give whole seconds, such as {default}")
    return int(word)


def sensor_interval(default: int) -> int:
    """Seconds between two looks of a sensor; ``ACCELMART_SENSOR_INTERVAL`` states one for all of them."""
    return max(1, seconds_of(INTERVAL_VARIABLE, default))


def cron_of(cadence: Cadence) -> str | None:
    """The group's cron expression (UTC): its own, or what its environment variable states; None: not by the clock.

    Raises:
        AccelmartError: the variable states no cron expression.
    """
    stated = os.environ.get(cadence.variable, "").strip()
    if stated.lower() == OFF or not (stated or cadence.cron):
        return None
    if stated and not is_valid_cron_string(stated):
        raise AccelmartError(
            f"{cadence.variable}={stated!r} is no cron expression: give minute hour day month weekday (UTC), such as "
            f"{cadence.cron!r}, or {OFF}"
        )
    return stated or cadence.cron


def period_of(cadence: Cadence) -> timedelta:
    """The longest time between two fetches of a group when all goes well."""
    cron = cron_of(cadence)
    if cron is None or cron == cadence.cron:
        return cadence.period
    ticks = islice(cron_string_iterator(_MONDAY, cron, "UTC"), _TICKS_LOOKED_AT)
    return max(later - earlier for earlier, later in pairwise(ticks))


def freshness_of(cadence: Cadence) -> dg.FreshnessPolicy:
    """Return the freshness policy of a group: warn after 1.5 periods, fail (stale) after 3 periods."""
    period = period_of(cadence)
    return dg.FreshnessPolicy.time_window(fail_window=3 * period, warn_window=1.5 * period)


def follows_landing() -> dg.AutomationCondition[Any]:
    """Return the condition to parse after a payload was landed or the parser changed, once for all changes.

    Unlike `AutomationCondition.eager` it does not wait for other sources that are still being landed: a source that
    takes an hour must not delay the others. Nor does it require that every source was landed once: a source without
    a key never is.
    """
    changed: dg.AutomationCondition[Any] = (
        dg.AutomationCondition.any_deps_updated() | dg.AutomationCondition.code_version_changed()
    )
    return (changed.since_last_handled() & ~dg.AutomationCondition.in_progress()).with_label(
        "follows landing"
    )


def retry_policy() -> dg.RetryPolicy:
    """Return the retry policy: two retries, after one and two minutes; longer problems wait for the next refresh."""
    return dg.RetryPolicy(
        max_retries=2,
        delay=seconds_of(RETRY_VARIABLE, 60),
        backoff=dg.Backoff.EXPONENTIAL,
        jitter=dg.Jitter.PLUS_MINUS,
    )


def may_pass(error: BaseException) -> bool:
    """Return whether an error may be temporary: network and disk errors, but not refusals or malformed payloads."""
    return isinstance(error, OSError) and not isinstance(error, StatusRefused)


@contextmanager
def judged(context: dg.AssetExecutionContext) -> Iterator[None]:
    """Raise every error as a `dagster.Failure` that states whether Dagster may retry.

    Raises:
        dagster.Failure: instead of any error.
    """
    try:
        yield
    except dg.Failure:
        raise
    except Exception as error:
        words = str(error) if isinstance(error, AccelmartError) else f"{type(error).__name__}: {error}"
        raise dg.Failure(words, allow_retries=is_worth_another_try(context, error)) from error


def is_worth_another_try(context: dg.AssetExecutionContext, *errors: BaseException) -> bool:
    """Return whether Dagster may retry: an error may be temporary, and nobody waits at a terminal."""
    return BY_HAND not in context.run.tags and any(map(may_pass, errors))


# the class name that Dagster puts before an error message
_CLASS = re.compile(r"^[A-Za-z_][\w]*(\.\w+)+: ")


def words_of(failures: Iterable[dg.DagsterEvent]) -> str:
    """Return the error messages of step failures, one or more lines each.

    Args:
        failures: step failure events.
    """
    messages = []
    for event in failures:
        data = event.step_failure_data
        given = data.user_failure_data.description if data.user_failure_data else None
        if given:
            messages.append(given)
        elif data.error:
            messages.append(_CLASS.sub("", str((data.error.cause or data.error).message).strip()))
    return "\n".join(messages)
