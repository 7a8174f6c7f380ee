"""A payload that is damaged, old or dated ahead: the doctor names it; its remedy and the sensor fetch it again."""

from __future__ import annotations

import re
import shlex
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
from mlcommons import MLCommons
from replay_world import KEYS
from small_round import small_round
from typer.testing import CliRunner

from ingest.core.fetch import plan_of, run_fetch
from ingest.core.landing import Landing
from ingest.registry import LIST_SOURCES
from orchestration import http_clients
from orchestration.cli import app
from orchestration.doctor import examine
from orchestration.problems import list_problems
from warehouse.home import Home


def land(home: Home, name: str):
    (fetch,) = plan_of(LIST_SOURCES[name], KEYS)[0]
    return run_fetch(Landing(home.landing_url), LIST_SOURCES[name], fetch, http_clients.http_client())


def flip(home: Home, payload) -> Path:
    path = Path(Landing(home.landing_url).address(payload))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    return path


def found(home: Home, check: str = "landing", source: str = ""):
    return [f for f in examine(home, is_offline=True) if f.check == check and source in f.found]


def remedied(finding):
    """Execute the command of a remedy."""
    (command,) = re.findall("(accelmart [^`]*)", finding.remedy)
    done = CliRunner().invoke(app, shlex.split(command)[1:])
    assert done.exit_code == 0, done.output


def test_the_remedy_of_the_doctor_brings_it_again(home):
    kept = {name: land(home, name) for name in ("coreweave", "lambda")}
    assert [f.status for f in found(home)] == ["ok"]
    flip(home, kept["lambda"])
    (finding,) = found(home)
    assert finding.status == "fail" and finding.found.startswith("the object of lambda ")
    remedied(finding)
    assert [f.status for f in found(home)] == ["ok"]


def test_the_remedy_for_a_round_brings_it_again(home, upstreams, tmp_path, monkeypatch):
    """The repository has nothing new, and its one commit is fetched all the same."""
    mlcommons = MLCommons(upstreams, tmp_path / "mlcommons")
    for name, value in mlcommons.settings.items():
        monkeypatch.setenv(name, value)
    mlcommons.push("inference_results_v5.0", small_round(1600.0))
    done = CliRunner().invoke(app, ["fetch", "mlperf-inference", "--release", "v5.0"])
    assert done.exit_code == 0, done.output
    (kept,) = Landing(home.landing_url).history()
    flip(home, kept)
    (finding,) = found(home)
    assert finding.status == "fail"
    remedied(finding)
    assert [f.status for f in found(home)] == ["ok"]


def test_a_payload_of_a_wrong_clock_is_reported_until_it_is_fetched_again(home):
    (fetch,) = plan_of(LIST_SOURCES["lambda"], KEYS)[0]
    ahead = Landing(home.landing_url, now=lambda: datetime.now(UTC) + timedelta(days=1000))
    stored = run_fetch(ahead, LIST_SOURCES["lambda"], fetch, http_clients.http_client())
    assert Landing(home.landing_url).latest("lambda", stored.key) is None
    (finding,) = found(home)
    assert (
        finding.status == "warn" and f"lambda {stored.key} of {stored.fetched_at:%Y-%m-%d}" in finding.found
    )
    remedied(finding)
    assert [f.status for f in found(home)] == ["ok"]


def test_a_source_that_was_not_fetched_for_long_is_reported_until_it_is(home):
    (fetch,) = plan_of(LIST_SOURCES["lambda"], KEYS)[0]
    before = Landing(home.landing_url, now=lambda: datetime.now(UTC) - timedelta(days=4))
    run_fetch(before, LIST_SOURCES["lambda"], fetch, http_clients.http_client())
    (finding,) = found(home, "sources", "stale source: lambda")
    assert finding.status == "warn"
    remedied(finding)
    assert not found(home, "sources", "stale source: lambda")


def test_the_sensor_sets_it_aside_as_a_problem_and_asks_for_a_fetch(home):
    from orchestration.landing_scrub import landing_scrub

    kept = {name: land(home, name) for name in ("coreweave", "lambda")}
    with dg.DagsterInstance.ephemeral() as instance:

        def tick():
            return landing_scrub(dg.build_sensor_context(instance=instance))

        assert (
            "2 objects" in tick().skip_reason.skip_message
            and "0 are damaged" in tick().skip_reason.skip_message
        )
        path = flip(home, kept["lambda"])
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
    from orchestration import landing_scrub as sensor

    monkeypatch.setattr(sensor, "_SECONDS", -1.0)  # one object at each tick
    last = max((land(home, name) for name in ("coreweave", "lambda")), key=lambda payload: payload.sha256)
    flip(home, last)
    with dg.DagsterInstance.ephemeral() as instance:
        first = sensor.landing_scrub(dg.build_sensor_context(instance=instance))
        assert not first.run_requests and "1 objects" in first.skip_reason.skip_message
        second = sensor.landing_scrub(dg.build_sensor_context(instance=instance, cursor=first.cursor))
    (request,) = second.run_requests
    assert [key.to_user_string() for key in request.asset_selection] == [f"landing/{last.source}"]
    assert second.cursor == ""  # the next tick begins again
