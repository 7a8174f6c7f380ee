"""The sensor that asks for a rebuild: what it decides in each state, and one run for each change."""

import re

import dagster as dg
import pytest
from dagster import DagsterRunStatus as Status
from made import store
from runs import run_of

from ingest.core.landing import Landing
from orchestration import settings
from warehouse.decisions.holds import exclude
from warehouse.outputs import repair as outputs
from warehouse.outputs.repair import behind
from warehouse.publication.pointer import rollback

ASKS = "asks for a run"
FETCH = {"job": "fetch_prices", "asset_selection": frozenset({dg.AssetKey(["landing", "oci"])})}


def land(home):
    store(Landing(home.landing_url), b"[]", source="vast", key="all")


@pytest.fixture
def tick(definitions, instance, place):
    from orchestration.rebuild import rebuild_when_inputs_changed

    return lambda: rebuild_when_inputs_changed(dg.build_sensor_context(instance))


CHANGES = {
    "a first build": lambda home, publish: None,
    "nothing": lambda home, publish: publish(home),
    "a payload": lambda home, publish: (publish(home), land(home)),
    "a withdrawal": lambda home, publish: (publish(home), exclude(home, "vast", None, set())),
    "a pin": lambda home, publish: (
        publish(home),
        rollback(home, "20260101T000000-aaaaaa", pin=True),
        land(home),
    ),
}
SAME, OTHER = "the present inputs", "other inputs"
FAILED, REBUILT = (Status.FAILURE, SAME, {}), (Status.SUCCESS, OTHER, {})
SCHEDULED = (Status.SUCCESS, None, {**FETCH, "tags": {"accelmart/source": "oci"}})


@pytest.mark.parametrize(
    ("change", "runs", "is_at_once", "decision"),
    [
        ("a first build", [], False, ASKS),
        ("nothing", [], False, "Nothing new"),
        ("a payload", [], False, ASKS),
        ("a withdrawal", [], False, ASKS),
        ("a pin", [], False, "20260101T000000-aaaaaa is pinned.*rollback --unpin"),
        # one rebuild at a time; fetches that may bring more
        ("a payload", [(Status.STARTED, OTHER, {})], False, "under way"),
        ("a payload", [(Status.STARTED, None, FETCH)], False, "1 runs that may bring more are waited for"),
        ("a payload", [(Status.SUCCESS, None, FETCH)], False, ASKS),
        ("a payload", [(Status.STARTED, None, {"job": "another"})], False, ASKS),
        # retry
        ("a payload", [FAILED], False, "tried again 900 s after"),
        ("a payload", [FAILED] * 2, False, "tried again 3600 s after"),
        ("a payload", [FAILED] * 2, True, ASKS),
        ("a payload", [FAILED] * 3, True, "failed 3 times"),
        ("a payload", [(Status.FAILURE, OTHER, {})] * 3, False, ASKS),
        ("a payload", [(Status.CANCELED, SAME, {})], False, "was cancelled"),
        ("a payload", [(Status.CANCELED, OTHER, {})], False, ASKS),
        # six hours between two rebuilds for scheduled fetches
        ("a withdrawal", [REBUILT], False, ASKS),
        ("a payload", [REBUILT, SCHEDULED], False, "next rebuild is due at"),
        ("a payload", [SCHEDULED, REBUILT], False, ASKS),
        ("a payload", [REBUILT, (Status.SUCCESS, None, FETCH)], False, ASKS),
        ("a payload", [REBUILT, SCHEDULED], True, ASKS),
        # a run that found nothing new because the inputs had changed back, and have changed again since
        ("a payload", [(Status.SUCCESS, SAME, {})], True, ASKS),
    ],
)
def test_each_state_has_one_decision(
    tick, instance, publish, monkeypatch, change, runs, is_at_once, decision
):
    CHANGES[change](settings.home(), publish)
    tags = {OTHER: {"accelmart/inputs": "g0 others"}, None: {}}
    if runs:
        tags[SAME] = tick().tags
    for status, inputs, more in runs:
        run_of(instance, status=status, **{"tags": tags[inputs], **more})
    for name in ("ACCELMART_RETRY_DELAY", "ACCELMART_REBUILD_INTERVAL") if is_at_once else ():
        monkeypatch.setenv(name, "0")
    seen = tick()
    if decision is ASKS:
        assert isinstance(seen, dg.RunRequest), seen
        assert seen.tags["accelmart/only_if_new"] == "true" and not seen.asset_selection
    else:
        assert isinstance(seen, dg.SkipReason) and re.search(decision, seen.skip_message), seen


def test_each_change_gets_a_run_of_its_own(tick, instance, publish, monkeypatch):
    """Dagster starts one run for each key: a change during a build, and one back to earlier inputs, get another."""
    monkeypatch.setenv("ACCELMART_REBUILD_INTERVAL", "0")
    home, asked = settings.home(), [tick()]
    assert tick().run_key == asked[0].run_key  # until that run is recorded
    run = run_of(instance, status=Status.STARTED, tags=asked[0].tags)
    publish(home, "20260101T000000-aaaaaa")  # with the fingerprint of what the run has read
    land(home)  # while it runs
    assert "under way" in tick().skip_message
    instance.report_dagster_event(dg.DagsterEvent(dg.DagsterEventType.RUN_SUCCESS.value, "x"), run.run_id)
    asked.append(tick())
    publish(home, "20260102T000000-bbbbbb")
    assert "Nothing new" in tick().skip_message
    for number, change in enumerate((home.scenarios.touch, home.scenarios.unlink), 3):
        change()  # to other inputs, and back
        asked.append(tick())
        publish(home, f"2026010{number}T000000-cccccc")
    assert len({request.run_key for request in asked}) == len(asked) == 4


def test_outputs_that_are_behind_are_made_again(tick, publish, monkeypatch):
    home = settings.home()
    publish(home)
    tick()
    assert not behind(home)
    home.report.unlink()
    mark = '<meta name="accelmart-generation" content="20260101T000000-aaaaaa">'
    monkeypatch.setattr(outputs, "place_report", lambda home: home.report.write_text(mark))
    assert "Nothing new" in tick().skip_message and not behind(home)
