"""Schedules and sensors, evaluated as by the daemon, each on its own instance."""

import os
import subprocess
import sys
from datetime import UTC, datetime

import dagster as dg
import pytest
import replay_server as replay
from dagster import DagsterRunStatus as Status
from dagster._core.events import EngineEventData
from github import GitHub
from runs import run_of

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
A, B = "a" * 40, "b" * 40


@pytest.fixture
def tick(definitions, stored_instance, place):
    def of(name):
        schedule = definitions.get_repository_def().get_schedule_def(name)
        context = dg.build_schedule_context(
            stored_instance, scheduled_execution_time=NOON, repository_def=definitions.get_repository_def()
        )
        return schedule.evaluate_tick(context)

    return of


def sources_of(data):
    return sorted(r.tags["accelmart/source"] for r in data.run_requests)


def test_each_source_is_fetched_in_its_own_run_with_its_key_and_not_if_it_is_switched_off(tick, monkeypatch):
    asked = tick("refresh_marketplaces")
    assert sources_of(asked) == ["runpod", "vast"]
    assert all(len(r.asset_selection) == 1 for r in asked.run_requests)
    assert len({r.run_key for r in asked.run_requests}) == 2
    assert "gcp-billing-catalog" not in sources_of(tick("refresh_prices"))
    monkeypatch.setenv("GCP_API_KEY", "a-key")
    assert "gcp-billing-catalog" in sources_of(tick("refresh_prices"))
    monkeypatch.setenv("ACCELMART_SOURCES_OFF", "vast, runpod")
    none = tick("refresh_marketplaces")
    assert not none.run_requests and "switched off (ACCELMART_SOURCES_OFF)" in none.skip_message


def test_a_source_with_a_run_in_progress_is_not_fetched_twice(tick, stored_instance):
    run = run_of(stored_instance, "fetch_marketplaces", Status.STARTED, {"accelmart/source": "vast"})
    assert sources_of(tick("refresh_marketplaces")) == ["runpod"]
    run_of(stored_instance, "fetch_marketplaces", Status.STARTED, {"accelmart/source": "runpod"})
    assert f"still being fetched (run {run.run_id})" in tick("refresh_marketplaces").skip_message


def reason(result):
    return (result if isinstance(result, dg.SkipReason) else result.skip_reason).skip_message


@pytest.fixture
def github(place, monkeypatch):
    with replay.ReplayServer() as server:
        monkeypatch.setenv("ACCELMART_MIRROR", server.url)
        hub = GitHub(server)
        hub.server = server
        hub.push("inference_results_v5.1", A)  # bundled with the code
        yield hub


@pytest.fixture
def discovery(definitions, instance, github):
    from orchestration.mlperf_discovery import mlperf_discovery

    def look(cursor=None):
        return mlperf_discovery(dg.build_sensor_context(instance, cursor=cursor))

    return look


def test_a_new_round_is_fetched_as_a_partition(discovery, github):
    first = discovery()
    assert "1 result repositories, nothing new" in reason(first)
    github.push("training_results_v6.1", B)
    second = discovery(first.cursor)
    (request,) = second.run_requests
    assert request.partition_key == "v6.1"
    assert request.run_key.startswith(f"training_results_v6.1@{B}")
    assert request.asset_selection == [dg.AssetKey(["landing", "mlperf_training"])]
    (added,) = second.dynamic_partitions_requests
    assert (added.partitions_def_name, added.partition_keys) == ("mlperf_training_releases", ["v6.1"])


def test_a_new_commit_in_a_known_round_is_fetched_once(discovery, github, instance):
    first = discovery()
    github.push("inference_results_v5.1", B)
    (request,) = discovery(first.cursor).run_requests
    run = run_of(instance, "__ASSET_JOB", Status.STARTED, dict(request.tags))
    third = discovery(first.cursor)
    assert not third.run_requests and f"inference_results_v5.1@{B}" in reason(third)
    instance.report_dagster_event(dg.DagsterEvent(dg.DagsterEventType.RUN_SUCCESS.value, "x"), run.run_id)
    assert not discovery(first.cursor).run_requests


def test_a_failed_fetch_of_a_round_is_retried(discovery, github, instance, monkeypatch):
    first = discovery()
    github.push("inference_results_v7.0", B)
    (request,) = discovery(first.cursor).run_requests
    run_of(instance, "__ASSET_JOB", Status.FAILURE, dict(request.tags))
    assert not discovery(first.cursor).run_requests  # an hour later
    monkeypatch.setenv("ACCELMART_RETRY_DELAY", "0")
    (again,) = discovery(first.cursor).run_requests
    assert again.run_key != request.run_key and again.partition_key == "v7.0"


def test_a_rate_limit_skips_ticks_until_its_reset(discovery, github):
    github.left = 0
    limited = discovery()
    assert "rate limit is used up until" in reason(limited) and "GITHUB_TOKEN" in reason(limited)
    asked = len(github.server.requests)
    assert "rate limit is used up until" in reason(discovery(limited.cursor))
    assert len(github.server.requests) == asked


def test_without_a_network_a_tick_is_skipped(discovery, github):
    with github.server.down():
        assert "Connection refused" in reason(discovery())
    assert "1 result repositories, nothing new" in reason(discovery())


def test_only_a_run_without_a_process_is_marked_as_failed(definitions, instance, place, monkeypatch):
    from dagster._core.launcher import DefaultRunLauncher

    from orchestration.orphaned_runs import orphaned_runs

    monkeypatch.setattr(type(instance), "run_launcher", DefaultRunLauncher())
    gone = subprocess.Popen([sys.executable, "-c", "pass"])
    gone.wait()
    runs = {}
    for name, process in {"gone": gone.pid, "here": os.getpid()}.items():
        runs[name] = run_of(instance, "fetch_prices", Status.STARTED)
        instance.report_engine_event("Started process", runs[name], EngineEventData.in_process(process))
    silent = run_of(instance, "fetch_prices", Status.STARTED)  # the process id is not recorded
    context = dg.build_sensor_context(instance, repository_def=definitions.get_repository_def())
    skip_message = reason(orphaned_runs(context))
    assert runs["gone"].run_id in skip_message and runs["here"].run_id not in skip_message
    assert instance.get_run_by_id(runs["gone"].run_id).status is Status.FAILURE
    assert instance.get_run_by_id(runs["here"].run_id).status is Status.STARTED
    assert instance.get_run_by_id(silent.run_id).status is Status.STARTED
    assert "Every run that is under way has its process" in reason(orphaned_runs(context))
