"""A payload that is damaged or old: the doctor names it; its remedy fetches it again."""

from __future__ import annotations

import re
import shlex
from datetime import UTC, datetime, timedelta

from made import fetch_one, flip
from mlcommons import MLCommons
from replay_world import KEYS
from small_round import small_round
from typer.testing import CliRunner

from ingest.core.landing import Landing
from ingest.core.source import plan_of
from ingest.registry import LIST_SOURCES
from orchestration import http_clients
from orchestration.cli import app
from orchestration.doctor import examine
from warehouse.storage.home import Home


def land(home: Home, name: str, **clock):
    (fetch,) = plan_of(LIST_SOURCES[name], KEYS)[0]
    landing = Landing(home.landing_url, **clock)
    return fetch_one(landing, LIST_SOURCES[name], fetch, http_clients.http_client())


def found(home: Home, check: str = "landing", source: str = ""):
    return [f for f in examine(home, is_offline=True) if f.check == check and source in f.found]


def remedied(finding, *options):
    """Execute the command of a remedy, with further options."""
    (command,) = re.findall("(accelmart [^`]*)", finding.remedy)
    done = CliRunner().invoke(app, [*shlex.split(command)[1:], *options])
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


def test_what_was_not_fetched_for_long_is_reported_until_it_is(home):
    land(home, "lambda", now=lambda: datetime.now(UTC) - timedelta(days=4))
    (finding,) = found(home, "sources", "stale source: lambda")
    assert finding.status == "warn"
    remedied(finding, "--no-build")  # the build after it finds nothing more of this
    assert not found(home, "sources", "stale source: lambda")
