"""A payload that is damaged, old or dated ahead: the doctor names it; its remedy and the sensor fetch it again."""

from __future__ import annotations

import re
import shlex
from datetime import UTC, datetime, timedelta

import dagster as dg
import pytest
from made import flip
from mlcommons import MLCommons
from replay_world import KEYS
from small_round import small_round
from typer.testing import CliRunner

from ingest.core.fetch import plan_of, run_fetch
from ingest.core.landing import Landing
from ingest.registry import LIST_SOURCES
from orchestration import http_clients
from orchestration import landing_scrub as sensor
from orchestration.cli import app
from orchestration.doctor import examine
from orchestration.problems import list_problems
from warehouse.home import Home


def land(home: Home, name: str, **clock):
    (fetch,) = plan_of(LIST_SOURCES[name], KEYS)[0]
    landing = Landing(home.landing_url, **clock)
    return run_fetch(landing, LIST_SOURCES[name], fetch, http_clients.http_client())


def found(home: Home, check: str = "landing", source: str = ""):
    return [f for f in examine(home, is_offline=True) if f.check == check and source in f.found]


def remedied(finding):
    """Execute the command of a remedy."""
    (command,) = re.findall("(accelmart [^`]*)", finding.remedy)
    done = CliRunner().invoke(app, shlex.split(command)[1:])
    assert done.exit_code == 0, done.output


def test_the_remedy_of_the_doctor_brings_a_damaged_round_again(home, upstreams, tmp_path, monkeypatch):
    """The repository has nothing new, and its one commit is fetched all the same."""
    mlcommons = MLCommons(upstreams, tmp_path / "mlcommons")
    for name, value in mlcommons.settings.items():
        monkeypatch.setenv(name, value)
    mlcommons.push("inference_results_v5.0", small_round(1600.0))
    done = CliRunner().invoke(app, ["fetch", "mlperf-inference", "--release", "v5.0"])
    assert done.exit_code == 0, done.output
    (kept,) = Landing(home.landing_url).history()
    flip(Landing(home.landing_url), kept)
    (finding,) = found(home)
    assert finding.status == "fail"
    remedied(finding)
    assert [f.status for f in found(home)] == ["ok"]


@pytest.mark.parametrize(
    ("days", "check", "status", "words"),
    [(1000, "landing", "warn", "lambda pricing of "), (-4, "sources", "warn", "stale source: lambda")],
    ids=["a clock ahead", "not fetched for long"],
)
def test_what_was_not_fetched_now_is_reported_until_it_is(home, days, check, status, words):
    land(home, "lambda", now=lambda: datetime.now(UTC) + timedelta(days=days))
    assert (Landing(home.landing_url).latest("lambda", "pricing") is None) is (days > 0)
    (finding,) = found(home, check, words)
    assert finding.status == status
    remedied(finding)
    assert not found(home, check, words)


def test_the_sensor_sets_it_aside_as_a_problem_and_asks_for_a_fetch(home):
    kept = {name: land(home, name) for name in ("coreweave", "lambda")}
    with dg.DagsterInstance.ephemeral() as instance:

        def tick():
            return sensor.landing_scrub(dg.build_sensor_context(instance=instance))

        skipped = tick().skip_reason.skip_message
        assert "2 objects" in skipped and "0 are damaged" in skipped
        path = flip(Landing(home.landing_url), kept["lambda"])
        (request,) = tick().run_requests
        assert [key.to_user_string() for key in request.asset_selection] == ["landing/lambda"]
        assert not path.exists() and (home.local_landing / "damaged" / path.name).exists()
        # it is missing until it was fetched: the same request, which Dagster starts once
        assert [again.run_key for again in tick().run_requests] == [request.run_key]
        (problem,) = list_problems(home)
        assert problem.title.startswith("damaged payload: lambda")
        assert land(home, "lambda").sha256 == kept["lambda"].sha256
        assert list_problems(home) == [] and not tick().run_requests


def test_the_sensor_goes_on_where_its_last_tick_ended(home, monkeypatch):
    monkeypatch.setattr(sensor, "_SECONDS", -1.0)  # one object at each tick
    last = max((land(home, name) for name in ("coreweave", "lambda")), key=lambda payload: payload.sha256)
    flip(Landing(home.landing_url), last)
    with dg.DagsterInstance.ephemeral() as instance:
        first = sensor.landing_scrub(dg.build_sensor_context(instance=instance))
        assert not first.run_requests and "1 objects" in first.skip_reason.skip_message
        second = sensor.landing_scrub(dg.build_sensor_context(instance=instance, cursor=first.cursor))
    (request,) = second.run_requests
    assert [key.to_user_string() for key in request.asset_selection] == [f"landing/{last.source}"]
    assert second.cursor == ""  # the next tick begins again
