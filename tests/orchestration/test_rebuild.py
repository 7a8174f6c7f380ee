"""The sensor that asks for a rebuild: what it decides in each state, and one run for each change."""

import re

import dagster as dg
import pytest
from dagster import DagsterRunStatus as Status
from runs import run_of

from ingest.core.landing import Landing
from orchestration import settings
from warehouse import outputs
from warehouse.holds import withdraw
from warehouse.output_state import behind
from warehouse.rollback import rollback

ASKS = "asks for a run"
FETCH = {"job": "fetch_prices", "asset_selection": frozenset({dg.AssetKey(["landing", "oci"])})}


def land(home):
    Landing(home.landing_url).store(
        b"[]",
        source="vast",
        key="all",
        url="https://prices.example/",
        content_type="application/json",
        licence="CC0",
        limit_bytes=1 << 10,
    )


@pytest.fixture
def tick(definitions, instance, place):
    from orchestration.rebuild import rebuild_when_inputs_changed

    return lambda: rebuild_when_inputs_changed(dg.build_sensor_context(instance))


CHANGES = {
    "nothing": lambda home: None,
    "a payload": land,
    "scenarios": lambda home: home.scenarios.write_text("scenarios: []"),
    "a withdrawal": lambda home: withdraw(home, "vast", None, set()),
    "a pin": lambda home: rollback(home, "g1", pin=True),
}
SAME, OTHER = "the present inputs", "other inputs"
REBUILT = (Status.SUCCESS, OTHER, {})
SCHEDULED = {**FETCH, "tags": {"accelmart/source": "oci"}}


@pytest.mark.parametrize(
    ("published", "changes", "runs", "settings_of_case", "decision"),
    [
        # nothing new, and each kind of input
        (False, [], [], {}, ASKS),
        (True, [], [], {}, "Nothing new"),
        (True, ["a payload"], [], {}, ASKS),
        (True, ["scenarios"], [], {}, ASKS),
        (True, ["a withdrawal"], [], {}, ASKS),
        # pin
        (True, ["a pin"], [], {}, "g1 is pinned.*rollback --unpin"),
        (True, ["a pin", "a payload"], [], {}, "g1 is pinned"),
        # one rebuild at a time; fetches that may bring more
        (True, ["a payload"], [(Status.STARTED, OTHER, {})], {}, "under way"),
        (
            True,
            ["a payload"],
            [(Status.STARTED, None, FETCH)],
            {},
            "1 runs that may bring more are waited for",
        ),
        (True, ["a payload"], [(Status.SUCCESS, None, FETCH)], {}, ASKS),
        (True, ["a payload"], [(Status.STARTED, None, {"job": "another"})], {}, ASKS),
        # retry
        (True, ["a payload"], [(Status.FAILURE, SAME, {})], {}, "tried again 900 s after"),
        (True, ["a payload"], [(Status.FAILURE, SAME, {})] * 2, {}, "tried again 3600 s after"),
        (True, ["a payload"], [(Status.FAILURE, SAME, {})] * 2, {"ACCELMART_RETRY_DELAY": "0"}, ASKS),
        (
            True,
            ["a payload"],
            [(Status.FAILURE, SAME, {})] * 3,
            {"ACCELMART_RETRY_DELAY": "0"},
            "failed 3 times",
        ),
        (True, ["a payload"], [(Status.FAILURE, OTHER, {})] * 3, {}, ASKS),
        (True, ["a payload"], [(Status.CANCELED, SAME, {})], {}, "was cancelled"),
        (True, ["a payload"], [(Status.CANCELED, OTHER, {})], {}, ASKS),
        # six hours between two rebuilds for scheduled fetches
        (True, ["a withdrawal"], [REBUILT], {}, ASKS),
        (True, ["a payload"], [REBUILT, (Status.SUCCESS, None, SCHEDULED)], {}, "next rebuild is due at"),
        (True, ["a payload"], [(Status.SUCCESS, None, SCHEDULED), REBUILT], {}, ASKS),
        (True, ["a payload"], [REBUILT, (Status.SUCCESS, None, FETCH)], {}, ASKS),
        (
            True,
            ["a payload"],
            [REBUILT, (Status.SUCCESS, None, SCHEDULED)],
            {"ACCELMART_REBUILD_INTERVAL": "0"},
            ASKS,
        ),
        # a run that found nothing new because the inputs had changed back, and have changed again since
        (True, ["a payload"], [(Status.SUCCESS, SAME, {})], {"ACCELMART_REBUILD_INTERVAL": "0"}, ASKS),
    ],
)
def test_each_state_has_one_decision(
    tick, instance, publish, monkeypatch, published, changes, runs, settings_of_case, decision
):
    home = settings.home()
    if published:
        publish(home)
    for change in changes:
        CHANGES[change](home)
    tags = {OTHER: {"accelmart/inputs": "g0 others"}, None: {}}
    if runs:
        tags[SAME] = tick().tags
    for status, inputs, more in runs:
        run_of(instance, status=status, **{"tags": tags[inputs], **more})
    for name, value in settings_of_case.items():
        monkeypatch.setenv(name, value)
    seen = tick()
    if decision is ASKS:
        assert isinstance(seen, dg.RunRequest), seen
        assert seen.tags["accelmart/only_if_new"] == "true" and not seen.asset_selection
    else:
        assert isinstance(seen, dg.SkipReason), seen
        assert re.search(decision, seen.skip_message), seen.skip_message


def test_each_change_gets_a_run_of_its_own(tick, instance, publish, monkeypatch):
    """Dagster starts one run for each key: a change during a build, and one back to earlier inputs, get another."""
    monkeypatch.setenv("ACCELMART_REBUILD_INTERVAL", "0")
    home, asked = settings.home(), [tick()]
    assert tick().run_key == asked[0].run_key  # until that run is recorded
    run = run_of(instance, status=Status.STARTED, tags=asked[0].tags)
    publish(home, "g1")  # with the fingerprint of what the run has read
    land(home)  # while it runs
    assert "under way" in tick().skip_message
    instance.report_dagster_event(dg.DagsterEvent(dg.DagsterEventType.RUN_SUCCESS.value, "x"), run.run_id)
    asked.append(tick())
    publish(home, "g2")
    assert "Nothing new" in tick().skip_message
    for number, change in enumerate((home.scenarios.touch, home.scenarios.unlink), 3):
        change()  # to other inputs, and back
        asked.append(tick())
        publish(home, f"g{number}")
    assert len({request.run_key for request in asked}) == len(asked) == 4


def test_outputs_that_are_behind_are_made_again(tick, publish, monkeypatch):
    home = settings.home()
    publish(home)
    tick()
    assert not behind(home)
    home.report.unlink()
    monkeypatch.setattr(outputs, "place_report", lambda home: home.report.write_text(MARK))
    assert "Nothing new" in tick().skip_message and not behind(home)


MARK = '<meta name="accelmart-generation" content="g1">'
