"""Cadence, freshness and retries: settings are applied, and invalid settings are reported."""

from datetime import timedelta

import dagster as dg
import pytest

from accelmart.http import StatusRefused
from ingest.core.cadence import MARKETPLACES, PRICES
from ingest.core.errors import FetchFailed, PayloadRejected
from ingest.registry import LIST_SOURCES
from orchestration import policies, settings
from orchestration.landing import landing_asset

REFUSED = {"url": "u", "problem": "p", "remedy": "r"}


def test_a_schedule_that_is_off_leaves_others_and_freshness_as_they_are(monkeypatch):
    monkeypatch.setenv("ACCELMART_SCHEDULES", "marketplaces = Off")
    assert settings.cron_of(MARKETPLACES) is None and settings.cron_of(PRICES)
    assert settings.stale_after(MARKETPLACES) == timedelta(hours=3)


@pytest.mark.parametrize(
    ("cron", "period"),
    [
        ("0 6 * * 1-5", timedelta(days=3)),  # from Friday to Monday
        ("0 0 1 * *", timedelta(days=31)),
    ],
)
def test_a_changed_schedule_changes_freshness(monkeypatch, cron, period):
    monkeypatch.setenv("ACCELMART_SCHEDULES", f"prices={cron}")
    assert settings.cron_of(PRICES) == cron
    assert settings.stale_after(PRICES) == 3 * period
    policy = policies.freshness_of(PRICES)
    assert policy.fail_window.to_timedelta() == 3 * period
    assert policy.warn_window.to_timedelta() == 1.5 * period


def test_a_disabled_source_is_not_stale(monkeypatch):
    lambda_api = LIST_SOURCES["lambda-api"]
    monkeypatch.delenv("ACCELMART_SOURCES_OFF", raising=False)
    monkeypatch.delenv("LAMBDA_API_KEY", raising=False)
    assert policy_of(lambda_api) is None
    monkeypatch.setenv("LAMBDA_API_KEY", "a key")
    assert policy_of(lambda_api) == policies.freshness_of(lambda_api.cadence)
    monkeypatch.setenv("ACCELMART_SOURCES_OFF", "vast lambda-api")
    assert policy_of(lambda_api) is None


def policy_of(source):
    (spec,) = landing_asset(source).specs
    return spec.freshness_policy


@pytest.mark.parametrize(
    ("error", "is_retried"),
    [
        (FetchFailed(**REFUSED), True),
        (StatusRefused(**REFUSED, status=503), True),
        (OSError(28, "No space left on device"), True),
        (StatusRefused(**REFUSED, status=404), False),
        (PayloadRejected(payload="x", problem="y", remedy="z"), False),
        (KeyError("a defect of ours"), False),
        (dg.Failure("as it is", allow_retries=True), True),
    ],
)
def test_only_temporary_errors_are_retried(error, is_retried):
    with pytest.raises(dg.Failure) as caught, policies.stating_retries():
        raise error
    assert caught.value.allow_retries is is_retried
