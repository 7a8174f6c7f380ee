"""Policies of assets: owners, links to code, freshness and retries."""

import inspect
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import dagster as dg

from accelmart.http import NoConnection, StatusRefused
from ingest.core.cadence import Cadence
from ingest.core.errors import AccelmartError
from orchestration import settings

OWNERS = ["team:accelmart"]
"""Of every asset: an e-mail address or ``team:name``."""
UNDER_WAY = [
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]
"""States of a run that has not ended."""


def with_owners_and_code(assets: Sequence[Any]) -> list[Any]:
    """Return assets with owners and with links to the files of their code."""
    with warnings.catch_warnings():
        # code references are in beta; the lock pins the version this was tried with
        warnings.simplefilter("ignore", dg.BetaWarning)
        linked: Any = dg.with_source_code_references(assets)
    return list(dg.map_asset_specs(lambda spec: spec.replace_attributes(owners=OWNERS), linked))


def code_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return metadata that links an asset to a function, beside the factory that makes the asset."""
    function = getattr(function, "func", function)  # of a partial one
    return code_at(str(inspect.getsourcefile(function)), inspect.getsourcelines(function)[1])


def code_at(path: str, line: int | None = None) -> dict[str, Any]:
    """Return metadata that links an asset to a file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dg.BetaWarning)
        reference = dg.LocalFileCodeReference(file_path=path, line_number=line)
        return {"dagster/code_references": dg.CodeReferencesMetadataValue(code_references=[reference])}


def sensor_interval(default: int) -> int:
    """Return the seconds between two evaluations of a sensor; ``ACCELMART_SENSOR_INTERVAL`` sets one for all."""
    given = settings.SENSOR_INTERVAL.read()
    return max(1, default if given is None else given)


def freshness_of(cadence: Cadence) -> dg.FreshnessPolicy:
    """Return the freshness policy of a group: warn after 1.5 periods, fail (stale) after 3 periods."""
    stale = settings.stale_after(cadence)
    return dg.FreshnessPolicy.time_window(fail_window=stale, warn_window=stale / 2)


def retry_policy() -> dg.RetryPolicy:
    """Return the retry policy: two retries, after one and two minutes; longer problems wait for the next refresh."""
    return dg.RetryPolicy(
        max_retries=2,
        delay=settings.RETRY_DELAY.read(),
        backoff=dg.Backoff.EXPONENTIAL,
        jitter=dg.Jitter.PLUS_MINUS,
    )


def is_worth_another_try(*errors: BaseException) -> bool:
    """Return whether an error may pass in minutes: not a refusal, a malformed payload, or a server out of reach."""
    return any(
        e.may_pass
        if isinstance(e, StatusRefused)
        else isinstance(e, OSError) and not isinstance(e, NoConnection)
        for e in errors
    )


@contextmanager
def stating_retries() -> Iterator[None]:
    """Raise every error as a `dagster.Failure` that states whether Dagster may retry.

    Raises:
        dagster.Failure: instead of any error.
    """
    try:
        yield
    except dg.Failure:
        raise
    except Exception as error:
        raise dg.Failure(words_of_error(error), allow_retries=is_worth_another_try(error)) from error


def words_of_error(error: Exception) -> str:
    """Return the message of a known condition, and the kind of any other error with it."""
    return str(error) if isinstance(error, AccelmartError) else f"{type(error).__name__}: {error}"
