"""What Dagster's records and tags state and `dagster` has no public name for."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import dagster as dg

# tags of a run, as its UI shows them: its partition, and whether Dagster will start it again after a failure
PARTITION_NAME_TAG = "dagster/partition"
WILL_RETRY_TAG = "dagster/will_retry"


def fail_window(policy: dg.FreshnessPolicy) -> timedelta:
    """Return the age past which an asset is stale.

    `dg.FreshnessPolicy.time_window` makes a policy of a class that is not public; the windows are its attributes.

    Raises:
        TypeError: the policy is of another kind.
    """
    window = getattr(policy, "fail_window", None)
    if window is None:
        raise TypeError(f"alerts know time windows, no {type(policy).__name__}")
    age: timedelta = window.to_timedelta()
    return age


def is_failed(record: Any) -> bool:
    """Return whether the latest evaluation of a check failed. The status of a check's record is not public."""
    return str(record.status.value) == "FAILED"


def is_planned(record: Any) -> bool:
    """Return whether a check is not evaluated yet in its latest run."""
    return str(record.status.value) == "PLANNED"
