"""Cadence, freshness and retries: settings are applied, and invalid settings are reported."""

from datetime import timedelta

import pytest

from ingest.core.cadence import MARKETPLACES, PRICES, ROUNDS, SPECIFICATIONS
from ingest.core.errors import FetchFailed, PayloadRejected
from ingest.core.http import StatusRefused
from ingest.registry import LIST_SOURCES
from orchestration import policies, settings
from orchestration.landing import landing_asset

REFUSED = {"url": "u", "problem": "p", "remedy": "r"}


def test_each_group_has_its_own_schedule(monkeypatch):
    monkeypatch.delenv("ACCELMART_SCHEDULES", raising=False)
    assert settings.cron_of(MARKETPLACES) == "17 * * * *"
    assert settings.stale_after(MARKETPLACES) == timedelta(hours=3)
    assert settings.stale_after(PRICES) == timedelta(days=3)
    assert settings.stale_after(SPECIFICATIONS) == timedelta(days=21)
    assert settings.cron_of(ROUNDS) is None


@pytest.mark.parametrize(
    ("cron", "period"),
    [
        ("*/5 * * * *", timedelta(minutes=5)),
        ("0 6 * * 1-5", timedelta(days=3)),  # from Friday to Monday
        ("0 0 1 * *", timedelta(days=31)),
        ("0 3,15 * * *", timedelta(hours=12)),
    ],
)
def test_a_changed_schedule_changes_freshness(monkeypatch, cron, period):
    monkeypatch.setenv("ACCELMART_SCHEDULES", f"prices={cron}")
    assert settings.cron_of(PRICES) == cron
    assert settings.stale_after(PRICES) == 3 * period
    policy = policies.freshness_of(PRICES)
    assert policy.fail_window.to_timedelta() == 3 * period
    assert policy.warn_window.to_timedelta() == 1.5 * period


def test_a_group_can_be_disabled(monkeypatch):
    monkeypatch.setenv("ACCELMART_SCHEDULES", "marketplaces = Off")
    assert settings.cron_of(MARKETPLACES) is None
    assert settings.stale_after(MARKETPLACES) == timedelta(hours=3)


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


def test_only_temporary_errors_are_retried():
    assert policies.is_worth_another_try(FetchFailed(**REFUSED))
    assert policies.is_worth_another_try(StatusRefused(**REFUSED, status=503))
    assert policies.is_worth_another_try(OSError(28, "No space left on device"))
    assert not policies.is_worth_another_try(StatusRefused(**REFUSED, status=404))
    assert not policies.is_worth_another_try(PayloadRejected(payload="x", problem="y", remedy="z"))
    assert not policies.is_worth_another_try(KeyError("a defect of ours"))
