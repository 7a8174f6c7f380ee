"""Alerts, delivered by Apprise to a real HTTP server on this machine."""

import logging
from datetime import UTC, datetime, timedelta

import dagster as dg
import duckdb
import pytest
from made import make_warehouse, store
from webhook import Receiver

from ingest.core.errors import PayloadRejected
from ingest.core.landing import Landing
from ingest.core.source import plan_of
from ingest.registry import LIST_SOURCES
from orchestration import settings
from orchestration.alerts import health_alerts, run_failure_alerts
from orchestration.problems import list_problems
from warehouse.publication.outcome import record_outcome

NOW = datetime.now(UTC)
SECRET = "sk-topsecret-0123456789"
URLS = "ACCELMART_ALERT_URLS"
PART = ("accelerator", "AMD Instinct MI9955X", 3, "accelerator_aliases.csv", "^MI9955X$,,mi9955x,1,false,")
CHESS = ("benchmark", "chess-70b", 1, "mlperf_benchmarks.csv", "chess-70b,chess-70b,,,,,,,,")
ISOLATED = ("mlperf-inference", "v9.9", "summary", "c0ffee", "7 of 14 records are copies", "look at it")
ALARM = (
    "release_lost_rows",
    "warn",
    "fct_inference_result",
    "rows",
    "v5.1",
    "v5.1 lost 9 rows",
    "look at it",
)


@pytest.fixture
def home(tmp_path, monkeypatch):
    for name in ("ACCELMART_LANDING", "ACCELMART_SOURCES_OFF", "LAMBDA_API_KEY", URLS):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ACCELMART_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ACCELMART_UI_URL", "https://ui.example.org/")
    (tmp_path / "home").mkdir()
    return settings.home()


@pytest.fixture
def receiver(home, monkeypatch):
    with Receiver(f"/hooks/{SECRET}") as hook:
        monkeypatch.setenv(URLS, hook.url)
        yield hook


def land(home, source, key, age, rejected=None):
    body = f"{key} {age}".encode()
    store(Landing(home.landing_url), body, source=source, key=key, fetched_at=NOW - age, rejected=rejected)


REJECTED = PayloadRejected(payload="x", problem="the layout changed", remedy="correct the parser")


def publish(home, names=(), isolated=(), alarms=()):
    """Replace the published file by one with these rows."""
    home.published.unlink(missing_ok=True)
    tables = {
        "ops_unmapped (kind varchar, words varchar, n_rows bigint, seed_file varchar, seed_line varchar)": names,
        "ops_isolated_payload (source varchar, release varchar, payload_key varchar, payload_sha256 varchar, "
        "problem varchar, remedy varchar)": isolated,
        "ops_change_alarm (rule varchar, severity varchar, relation varchar, figure varchar, subject varchar, "
        "problem varchar, remedy varchar)": alarms,
        "ops_reconciliation (source varchar, payload_sha256 varchar)": (),
    }
    made = [f"create table {table}" for table in tables]
    filled = [
        f"insert into {table.split()[0]} values {row}" for table, rows in tables.items() for row in rows
    ]
    make_warehouse(home.published, "20260101T000000-aaaaaa", None, *made, *filled)


def tick(instance, cursor=None):
    return health_alerts(dg.build_sensor_context(instance, cursor=cursor)).cursor


def failure_tick(instance, cursor=None):
    with dg.build_sensor_context(instance=instance, cursor=cursor) as context:
        done = run_failure_alerts.evaluate_tick(context)
    assert [reaction.error for reaction in done.dagster_run_reactions if reaction.error] == []
    return done.cursor


def titles(home):
    return [p.title for p in list_problems(home)]


def test_each_kind_of_problem_is_sent_once_and_resolved_once(home, instance, receiver):
    (key,) = [f.key for f in plan_of(LIST_SOURCES["coreweave"], {})[0]]
    land(home, "coreweave", key, timedelta(days=4))
    land(home, "coreweave", key, timedelta(hours=1), rejected=REJECTED)  # does not end staleness
    record_outcome(home, "failed", problems=["test assert_x: source lambda"])
    publish(home, [PART, CHESS], [ISOLATED], [ALARM])
    expected = [
        "the last build failed",
        "stale source: coreweave",
        f"quarantined payload: coreweave {key}",
        "change alarm: release_lost_rows of v5.1",
        "isolated payload: mlperf-inference v9.9",
        "unmapped accelerator: AMD Instinct MI9955X",
        "unmapped benchmark: chess-70b",
    ]
    cursor = tick(instance, tick(instance))
    assert receiver.alerts() == [("failure", title) for title in expected]
    ((_, _, body),) = receiver.taken
    assert body["title"] == "the last build failed (and 6 more)"
    for words in (
        "test assert_x: source lambda",
        "1 of 1 lists are older than 72 hours",
        "the layout changed. To fix: correct the parser",
        "v5.1 lost 9 rows. To fix: look at it",
        "7 of 14 records are copies",
        "^MI9955X$,,mi9955x,1,false,",
    ):
        assert words in body["message"]

    land(home, "coreweave", key, timedelta(0))
    record_outcome(home, "published", generation_id="20260101T000000-aaaaaa")
    publish(home, [(*CHESS[:2], 9, *CHESS[3:])], [(*ISOLATED[:3], "decaf", *ISOLATED[4:])])
    cursor = tick(instance, tick(instance, cursor))
    sent = receiver.alerts()[len(expected) :]
    assert sent[0] == ("failure", "isolated payload: mlperf-inference v9.9")  # another payload of that round
    assert sent[1:] == [("success", f"Resolved: {title}") for title in expected[:-1]]

    publish(home, [PART, CHESS])
    tick(instance, cursor)
    assert receiver.alerts()[-2:] == [
        ("failure", "unmapped accelerator: AMD Instinct MI9955X"),
        ("success", "Resolved: isolated payload: mlperf-inference v9.9"),
    ]


def test_a_url_that_fails_gets_what_it_missed_and_the_other_gets_no_repeat(
    home, instance, monkeypatch, caplog, capfd
):
    with Receiver(f"/hooks/{SECRET}") as up, Receiver() as down, caplog.at_level(logging.DEBUG):
        monkeypatch.setenv(URLS, f"{up.url} {down.url}")
        publish(home, [PART])
        down.statuses = [500] * 3
        cursor = tick(instance, tick(instance))
        assert up.alerts() == [("failure", f"unmapped accelerator: {PART[1]}")] and down.alerts() == []
        publish(home, [CHESS])
        cursor = tick(instance, cursor)
        opened = ("failure", "unmapped benchmark: chess-70b")
        assert up.alerts()[1:] == [opened, ("success", f"Resolved: {up.alerts()[0][1]}")]
        cursor = tick(instance, tick(instance, cursor))
        assert down.alerts() == [opened]  # what was resolved before it was delivered is not sent
        publish(home)
        up.statuses = [500]
        cursor = tick(instance, cursor)
        assert down.alerts()[1:] == [("success", "Resolved: unmapped benchmark: chess-70b")]
        assert len(up.alerts()) == 3
        tick(instance, tick(instance, cursor))
        assert up.alerts()[3:] == down.alerts()[1:] and len(down.alerts()) == 2
    printed = capfd.readouterr()
    assert "JSON did not accept an alert" in printed.err
    assert SECRET not in caplog.text + printed.out + printed.err + cursor


broken = {"prices"}


@dg.asset
def prices():
    if broken:
        raise dg.Failure(f"https://user:hunter22@example.org/list?api_key={SECRET} has no table")


def run(instance, **tags):
    return dg.materialize([prices], instance=instance, raise_on_error=False, tags=tags).run_id


def test_a_failed_run_is_sent_once_until_it_succeeds(home, instance, receiver, monkeypatch):
    cursor = failure_tick(instance)
    run(instance, **{"dagster/will_retry": "true"})
    cursor = failure_tick(instance, cursor)
    assert receiver.taken == []
    failed = run(instance)
    cursor = failure_tick(instance, cursor)
    ((_, _, body),) = receiver.taken
    assert body["type"] == "failure" and body["title"].startswith("Run failed: ")
    assert f"https://ui.example.org/runs/{failed}" in body["message"] and "has no table" in body["message"]
    assert "hunter22" not in str(body) and SECRET not in str(body)
    run(instance)  # fails again
    with monkeypatch.context() as patch:
        patch.setitem(globals(), "broken", set())
        cursor = failure_tick(instance, cursor)
        run(instance)
        cursor = failure_tick(instance, cursor)
    assert len(receiver.taken) == 1
    run(instance)
    failure_tick(instance, cursor)
    assert len(receiver.taken) == 2


def test_a_failed_run_that_was_not_delivered_is_sent_by_the_next_evaluation(home, instance, receiver):
    cursor = failure_tick(instance)
    failed = run(instance)
    receiver.statuses = [500, 500]
    failure_tick(instance, cursor)
    publish(home, [PART])
    cursor = tick(instance)
    assert len(receiver.taken) == 2  # the problem waits until the run is delivered
    tick(instance, tick(instance, cursor))
    (_, title), problem = receiver.alerts()
    assert title.startswith("Run failed: ") and problem == ("failure", f"unmapped accelerator: {PART[1]}")
    assert SECRET not in str(instance.get_run_by_id(failed).tags)


def test_what_an_unreadable_warehouse_cannot_list_is_not_resolved(home, instance, receiver):
    publish(home, [PART])
    cursor = tick(instance)
    with duckdb.connect(str(home.published)) as db:
        db.execute("drop table ops_unmapped")
    cursor = tick(instance, cursor)
    publish(home, [PART])
    tick(instance, cursor)
    assert receiver.alerts()[1:] == [
        ("failure", "the published warehouse cannot be read"),
        ("success", "Resolved: the published warehouse cannot be read"),
    ]


def test_many_problems_are_several_short_messages_without_mentions(home, instance, receiver):
    publish(home, [("accelerator", f"<!channel> {n:02}", n, "a.csv", "x" * 5000) for n in range(40)])
    cursor = tick(instance, tick(instance, tick(instance)))
    assert [len(body["message"]) < 31 * 1010 for _, _, body in receiver.taken] == [True, True]
    assert receiver.alerts() == [("failure", f"unmapped accelerator: ‹!channel› {n:02}") for n in range(40)]
    assert "<" not in str(receiver.taken)
    publish(home)
    tick(instance, tick(instance, tick(instance, cursor)))
    assert [kind for kind, _ in receiver.alerts()[40:]] == ["success"] * 40 and len(receiver.taken) == 4


def test_the_oldest_list_of_a_source_counts_and_only_sources_that_are_fetched(home, monkeypatch):
    name, keys = next(
        (n, [f.key for f in plan_of(s, {})[0]]) for n, s in LIST_SOURCES.items() if len(plan_of(s, {})[0]) > 2
    )
    for key in keys[1:]:
        land(home, name, key, timedelta(hours=1))
    assert titles(home) == []
    land(home, name, keys[0], timedelta(days=5))
    (problem,) = list_problems(home)
    assert problem.title == f"stale source: {name}" and f"{keys[0]} is 120 hours old" in problem.detail
    monkeypatch.setenv("ACCELMART_SOURCES_OFF", name)
    (keyed,) = plan_of(LIST_SOURCES["lambda-api"], {"LAMBDA_API_KEY": SECRET})[0]
    land(home, "lambda-api", keyed.key, timedelta(days=5))
    assert titles(home) == []
    monkeypatch.setenv("LAMBDA_API_KEY", SECRET)
    assert titles(home) == ["stale source: lambda-api"]


def test_payloads_that_stay_unpublished_for_a_day_are_a_problem(home):
    publish(home)
    land(home, "mlperf-inference", "v9.8", timedelta(hours=20))
    assert titles(home) == []
    land(home, "mlperf-inference", "v9.9", timedelta(hours=30))
    (problem,) = list_problems(home)
    assert problem.title == "landed payloads are not published" and "v9.9" in problem.detail


def test_a_url_that_apprise_does_not_know_is_refused_without_showing_it(home, instance, monkeypatch, caplog):
    monkeypatch.setenv(URLS, f"json://127.0.0.1:9 slack://{SECRET}")
    with (
        caplog.at_level(logging.DEBUG),
        pytest.raises(settings.SettingError, match=f"^{URLS}: URL 2") as caught,
    ):
        tick(instance)
    assert SECRET not in str(caught.value) + caplog.text


def test_a_line_of_a_decision_that_cannot_be_read_is_a_problem(home):
    home.overrides.mkdir()
    (home.overrides / "withdrawals.csv").write_text("vats,,2026-11-28\n")
    (problem,) = (p for p in list_problems(home) if p.id == "decisions")
    assert "nothing is built" in problem.title and "withdrawals.csv, line 1: source is" in problem.detail
