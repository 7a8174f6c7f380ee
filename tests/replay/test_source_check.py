"""`accelmart refresh --check` against replayed upstreams: one broken, one with a changed format, one missing."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from time import monotonic

import pytest
import replay_server as replay
from github import GitHub
from made import fetch_one
from replay_world import KEYS
from typer.testing import CliRunner

from ingest.core.landing import Landing
from ingest.core.source import plan_of
from ingest.registry import LIST_SOURCES
from orchestration import http_clients
from orchestration.cli import app
from orchestration.cli.check import line_of
from warehouse.inputs.source_check import check_discovery, check_source, upstream_fields
from warehouse.storage.home import Home


@pytest.fixture
def home(home, monkeypatch) -> Home:
    """Without the key of one source."""
    monkeypatch.delenv("GCP_API_KEY")
    return home


def content_of(home: Home) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in home.root.rglob("*") if path.is_file()}


def land(home: Home, *names: str) -> None:
    client = http_clients.http_client()
    for name in names:
        for fetch in plan_of(LIST_SOURCES[name], KEYS)[0]:
            fetch_one(Landing(home.landing_url), LIST_SOURCES[name], fetch, client)


def without_a_field(asked, reply):
    """OCI's list with one key renamed, which its parser still reads."""
    return replace(reply, body=reply.body.replace(b'"serviceCategory"', b'"category"'))


def test_each_source_is_one_result_and_nothing_is_written(home, upstreams):
    land(home, "coreweave", "lambda", "oci-price-list", "nebius")
    before = content_of(home)
    upstreams.fault("www.coreweave.com", "/pricing", replay.changed_layout())
    for host in ("apexapps.oracle.com", "www.oracle.com"):
        upstreams.fault(host, "/", replay.altered(without_a_field))
    upstreams.fault("nebius.com", "/", replay.refusal(404))
    keys = {name: key for name, key in KEYS.items() if name != "GCP_API_KEY"}
    expected = {
        "coreweave": ("failed", "layout changed"),
        "lambda": ("ok", "same form"),
        "oci-price-list": ("changed", "upstream field removed: items[].serviceCategory"),
        # nothing is landed: only bundled data are known
        "ecb-reference-rates": ("ok", ""),
        "gcp-billing-catalog": ("skipped", "no key: set GCP_API_KEY"),
        "nebius": ("failed", "404"),
    }
    client = http_clients.http_client()
    checks = {name: check_source(home, keys, client, LIST_SOURCES[name]) for name in expected}
    assert content_of(home) == before
    for name, (outcome, difference) in expected.items():
        assert checks[name].outcome == outcome and difference in checks[name].difference
        assert len(line_of(checks[name])) <= 110 and "\n" not in line_of(checks[name])
    assert [(checks[n].is_reached, checks[n].is_recognised) for n in ("coreweave", "nebius")] == [
        (True, False)
    ] * 2
    assert "upstream field added: items[].category" in checks["oci-price-list"].difference
    assert checks["lambda"].rows == checks["lambda"].rows_before
    assert checks["ecb-reference-rates"].is_recognised and checks["ecb-reference-rates"].rows > 0


def test_the_command_reports_every_source_and_fails_if_one_failed(home, upstreams):
    GitHub(upstreams).push("inference_results_v6.9", "a" * 40)
    upstreams.fault("nebius.com", "/", replay.refusal(404))
    run = CliRunner()
    done = run.invoke(app, ["refresh", "--check", "lambda", "nebius"])
    assert done.exit_code == 1 and re.search(r"^ [12]/2 failed  nebius", done.output, re.M)
    assert "2 sources: 1 failed, 0 skipped. Nothing was landed or built. To do: open what" in done.output
    checks = json.loads(
        run.invoke(app, ["refresh", "--check", "--json", "lambda", "gcp-billing-catalog"]).stdout
    )
    assert [one["source"] for one in checks["sources"]] == ["lambda", "gcp-billing-catalog"]
    assert (checks["failed"], checks["skipped"]) == (0, 1)
    assert not home.root.exists()


@pytest.mark.parametrize("command", [["refresh", "--check"], ["refresh", "--no-build"]])
def test_without_a_network_a_refresh_ends_at_once_with_what_to_do(home, upstreams, command):
    with upstreams.down():
        started = monotonic()
        done = CliRunner().invoke(app, command)
    assert monotonic() - started < 20
    assert done.exit_code == 1
    said = done.output + str(done.exception)
    assert "there is no network: none of " in said and "To fix: check the network" in said
    if command[-1] == "--no-build":
        assert "sources failed; their last good prices are in force. To do: `accelmart doctor`, then" in said


def test_a_source_stops_where_its_server_does_not_answer_and_holds_up_no_other(home, upstreams):
    upstreams.fault("pricing.us-east-1.amazonaws.com", "/", replay.dropped())
    asked = len(upstreams.asked("pricing.us-east-1.amazonaws.com"))
    done = CliRunner().invoke(app, ["refresh", "--no-build", "aws-price-list", "lambda"])
    assert done.exit_code == 1 and "lambda: 1 new, 0 unchanged" in done.output
    assert re.search(r"aws-price-list: (\d+) of \1 fetches failed; the last good data stay", done.output)
    assert "To do: `accelmart doctor`, then `accelmart refresh aws-price-list`" in done.output
    # the probe of the network and one list of 35
    assert len(upstreams.asked("pricing.us-east-1.amazonaws.com")) - asked < 10


def test_the_discovery_names_rounds_that_are_not_landed(home, upstreams):
    github = GitHub(upstreams)
    for repository in ("inference_results_v5.1", "inference_results_v6.9", "training_results_v5.0"):
        github.push(repository, "a" * 40)
    asked = len(upstreams.asked("api.github.com"))
    result = check_discovery(home, http_clients.http_client())
    assert (result.outcome, result.rows, result.difference) == ("ok", 3, "not landed: mlperf-inference v6.9")
    # only pages of the list: requests for commits would use up the hourly limit without a token
    assert len(upstreams.asked("api.github.com")) - asked == 2
    upstreams.fault("api.github.com", "/", replay.html_instead())
    broken = check_discovery(home, http_clients.http_client())
    assert (broken.outcome, broken.is_recognised) == ("failed", False)


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        (b'{"a": [{"b": 1}, {"c": {"d": 2}}]}', {"a", "a[].b", "a[].c", "a[].c.d"}),
        (
            json.dumps({"skus": {f"sku{n}": {"price": n} for n in range(100)}}).encode(),
            {"skus", "skus.*", "skus.*.price"},
        ),
        (b'"Note","x"\n"A","B","C"\n1,2,3\n', {"A", "B", "C"}),
        (b"<html></html>", None),
        (b'{"half": ', None),
    ],
    ids=["nested", "keyed", "table", "page", "cut"],
)
def test_upstream_fields_are_json_paths_or_table_headers(body, fields):
    assert upstream_fields([("", io.BytesIO(body))]) == fields
