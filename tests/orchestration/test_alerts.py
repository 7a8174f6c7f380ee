"""Alerts, delivered to a real HTTP server and a real SMTP server on this machine."""

import json
import logging
import socket
from datetime import UTC, datetime, timedelta

import dagster as dg
import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword
from dagster._core.storage.tags import WILL_RETRY_TAG
from webhook import Receiver

from ingest.core.fetch import plan_of
from ingest.core.landing import Landing
from ingest.registry import LIST_SOURCES
from orchestration import settings
from orchestration.defs.warehouse.alerts import SENSORS, health_alerts, run_failure_alerts
from orchestration.list_landing import LIST_LANDING
from orchestration.notify import (
    Alert,
    AlertSettings,
    AlertSettingsError,
    NotDeliveredError,
    alert_book,
    deliver,
)

NOW = datetime.now(UTC)
WINDOW = timedelta(days=2)
SECRET = "sk-topsecret-0123456789"


class Mailbox:
    def __init__(self):
        self.letters = []

    async def handle_RCPT(self, server, session, envelope, address, rcpt_options):
        if address.startswith("nobody@"):
            return "550 no such user"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        self.letters.append((envelope.rcpt_tos, envelope.content.decode()))
        return "250 OK"


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@pytest.fixture
def mail():
    """A mail server that requires a password."""

    def authenticator(server, session, envelope, mechanism, data):
        good = isinstance(data, LoginPassword) and data.password == SECRET.encode()
        return AuthResult(success=good, handled=False)

    controller = Controller(
        Mailbox(),
        hostname="127.0.0.1",
        port=free_port(),
        authenticator=authenticator,
        auth_required=True,
        auth_require_tls=False,
    )
    controller.start()
    controller.url = f"smtp://robot:{SECRET}@127.0.0.1:{controller.port}"
    yield controller
    controller.stop()


@pytest.fixture
def home(tmp_path, monkeypatch):
    for name in (
        "ACCELMART_LANDING",
        "ACCELMART_ALERT_WEBHOOK",
        "ACCELMART_ALERT_EMAIL_TO",
        "ACCELMART_SMTP_URL",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ACCELMART_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ACCELMART_UI_URL", "https://ui.example.org/")
    return settings.home()


@pytest.fixture
def receiver(home, monkeypatch):
    """A webhook that is set up as alert channel."""
    with Receiver(f"/hooks/{SECRET}") as hook:
        monkeypatch.setenv("ACCELMART_ALERT_WEBHOOK", hook.url)
        yield hook


@pytest.fixture
def instance(tmp_path):
    with dg.DagsterInstance.ephemeral(tempdir=str(tmp_path)) as instance:
        yield instance


def land(home, source_name, key, age, **more):
    Landing(home.landing_url).store(
        f"{key} {age}".encode(),
        source=source_name,
        key=key,
        url="https://example.org",
        content_type="text/plain",
        licence="CC0",
        limit_bytes=1000,
        fetched_at=NOW - age,
        **more,
    )


def watched(name):
    """Definitions of one price list, with a freshness policy."""
    asset = LIST_LANDING[name].map_asset_specs(
        lambda spec: spec.replace_attributes(
            freshness_policy=dg.FreshnessPolicy.time_window(fail_window=WINDOW)
        )
    )
    return dg.Definitions(assets=[asset])


def tick(instance, definitions):
    """Evaluate the sensor once and return its message."""
    with dg.build_sensor_context(instance=instance, definitions=definitions) as context:
        return health_alerts(context).skip_message


def failure_tick(instance, cursor):
    with dg.build_sensor_context(instance=instance, cursor=cursor) as context:
        done = run_failure_alerts.evaluate_tick(context)
    return done.cursor, [r.error.message for r in done.dagster_run_reactions if r.error]


def test_a_stale_source_is_alerted_once_until_new_data(home, instance, receiver):
    (key,) = [f.key for f in plan_of(LIST_SOURCES["coreweave"], {})[0]]
    land(home, "coreweave", key, timedelta(days=1))
    definitions = watched("coreweave")
    tick(instance, definitions)
    assert receiver.taken == []

    # two days pass: nothing runs, no daemon, no event in Dagster's storage
    with alert_book(home):
        pass
    for path in (home.local_landing / "manifest").rglob("*.json"):
        path.unlink()
    land(home, "coreweave", key, timedelta(days=3))
    assert "1 are new" in tick(instance, definitions)
    assert "0 are new" in tick(instance, definitions)
    assert receiver.alerts() == [("firing", "stale: landing/coreweave")]
    alert = receiver.taken[0][2]["alerts"][0]
    assert alert["words"].startswith("the last good data are 3.0 days old; allowed: 2.0 days")
    assert abs(datetime.fromisoformat(alert["since"]) - (NOW - timedelta(days=1))) < timedelta(minutes=1)
    assert "accelmart refresh coreweave" in alert["remedy"]
    assert alert["url"] == "https://ui.example.org/assets/landing/coreweave"

    land(home, "coreweave", key, timedelta(0))
    tick(instance, definitions)
    tick(instance, definitions)
    assert receiver.alerts()[1:] == [("resolved", "stale: landing/coreweave")]


def test_a_quarantined_payload_does_not_end_staleness(home, instance, receiver):
    from ingest.core.errors import PayloadRejected

    def refuse(_):
        raise PayloadRejected(payload="x", problem="the layout changed", remedy="mend")

    (key,) = [f.key for f in plan_of(LIST_SOURCES["coreweave"], {})[0]]
    land(home, "coreweave", key, timedelta(days=3))
    land(home, "coreweave", key, timedelta(0), check=refuse)
    tick(instance, watched("coreweave"))
    assert receiver.alerts() == [("firing", "stale: landing/coreweave")]


def test_one_stale_region_makes_the_source_stale(home, instance, receiver):
    name, keys = next(
        (n, [f.key for f in fetches])
        for n, s in LIST_SOURCES.items()
        if len(fetches := plan_of(s, {})[0]) > 2
    )
    for key in keys:
        land(home, name, key, timedelta(hours=1))
    tick(instance, watched(name))
    assert receiver.taken == []
    for path in sorted((home.local_landing / "manifest" / name).iterdir())[0].iterdir():
        late = json.loads(path.read_text())["key"]
        path.unlink()
    land(home, name, late, timedelta(days=5))
    tick(instance, watched(name))
    (alert,) = receiver.taken[0][2]["alerts"]
    assert f"({late}: {NOW - timedelta(days=5):%Y-%m-%d}" in alert["words"]


def test_the_age_of_a_source_without_data_counts_from_monitoring(home, instance, receiver):
    tick(instance, watched("coreweave"))
    assert receiver.taken == []
    with alert_book(home) as book:
        assert list(book.watched_since) == ["landing/coreweave"]
        book.watched_since["landing/coreweave"] = NOW - timedelta(days=3)
    tick(instance, watched("coreweave"))
    assert "since monitoring began" in receiver.taken[0][2]["alerts"][0]["words"]


def test_rounds_are_as_old_as_what_was_fetched_last(home, instance, receiver, monkeypatch):
    from orchestration.defs.mlperf.landing import mlperf_training_release

    monkeypatch.setenv("ACCELMART_ALERT_WEBHOOK", receiver.url)
    rounds = dg.Definitions(
        assets=[
            dg.AssetSpec(
                mlperf_training_release.key,
                freshness_policy=dg.FreshnessPolicy.time_window(fail_window=WINDOW),
            )
        ]
    )
    land(home, "mlperf-training", "v4.1", timedelta(days=3))
    tick(instance, rounds)
    assert len(receiver.taken) == 1
    # a round that was published later: the source answers, and older rounds are never fetched again
    land(home, "mlperf-training", "v5.0", timedelta(days=1))
    tick(instance, rounds)
    name = mlperf_training_release.key.to_user_string()
    assert receiver.alerts() == [("firing", f"stale: {name}"), ("resolved", f"stale: {name}")]


def test_a_source_without_its_key_is_not_monitored(home, instance, receiver, monkeypatch):
    monkeypatch.setenv("ACCELMART_ALERT_WEBHOOK", receiver.url)
    monkeypatch.delenv("LAMBDA_API_KEY", raising=False)
    tick(instance, watched("lambda-api"))
    with alert_book(home) as book:
        assert book.watched_since == {}
    monkeypatch.setenv("LAMBDA_API_KEY", SECRET)
    tick(instance, watched("lambda-api"))
    with alert_book(home) as book:
        assert list(book.watched_since) == ["landing/lambda_api"]


def checked(is_good, severity=dg.AssetCheckSeverity.ERROR):
    @dg.asset
    def rows():
        return None

    @dg.asset_check(asset=rows, name="enough_rows")
    def check():
        return dg.AssetCheckResult(
            passed=is_good, severity=severity, description="a release lost rows", metadata={"missing": 17}
        )

    return dg.Definitions(assets=[rows], asset_checks=[check]), [rows, check]


def test_a_failed_check_and_its_recovery_are_alerted(home, instance, receiver):
    definitions, assets = checked(False, dg.AssetCheckSeverity.WARN)
    dg.materialize(assets, instance=instance)
    tick(instance, definitions)
    assert receiver.taken == []  # a warning sends no alert

    definitions, assets = checked(False)
    dg.materialize(assets, instance=instance)
    tick(instance, definitions)
    tick(instance, definitions)
    (alert,) = receiver.taken[0][2]["alerts"]
    assert alert["title"] == "check failed: enough_rows of rows" and alert["kind"] == "check_failed"
    assert alert["words"] == "a release lost rows\nmissing: 17"
    assert alert["url"] == "https://ui.example.org/assets/rows?view=checks&checkDetail=enough_rows"
    assert len(receiver.taken) == 1

    definitions, assets = checked(True)
    dg.materialize(assets, instance=instance)
    tick(instance, definitions)
    assert receiver.alerts()[1:] == [("resolved", "check failed: enough_rows of rows")]


class World:
    """A source that fails while `is_broken` is set."""

    is_broken = True


@dg.asset
def prices():
    if World.is_broken:
        raise dg.Failure(f"https://user:hunter22@example.org/list?api_key={SECRET} has no table")


def test_a_failed_run_is_alerted_once_with_its_error_and_recovery(home, instance, receiver, monkeypatch):
    monkeypatch.setattr(World, "is_broken", True)
    definitions = dg.Definitions(assets=[prices])
    cursor, _ = failure_tick(instance, None)
    failed = dg.materialize([prices], instance=instance, raise_on_error=False)
    cursor, errors = failure_tick(instance, cursor)
    assert errors == []
    (alert,) = receiver.taken[0][2]["alerts"]
    assert alert["url"] == f"https://ui.example.org/runs/{failed.run_id}"
    assert "has no table" in alert["words"] and alert["kind"] == "run_failed"
    assert "hunter22" not in alert["words"] and SECRET not in alert["words"]

    dg.materialize([prices], instance=instance, raise_on_error=False)
    cursor, _ = failure_tick(instance, cursor)
    tick(instance, definitions)
    assert len(receiver.taken) == 1  # a further failure of the same run is already known

    monkeypatch.setattr(World, "is_broken", False)
    dg.materialize([prices], instance=instance)
    tick(instance, definitions)
    assert [s for s, _ in receiver.alerts()] == ["firing", "resolved"]

    monkeypatch.setattr(World, "is_broken", True)
    dg.materialize([prices], instance=instance, raise_on_error=False)
    failure_tick(instance, cursor)
    assert [s for s, _ in receiver.alerts()] == ["firing", "resolved", "firing"]


def test_a_run_that_will_be_retried_is_not_alerted(home, instance, receiver, monkeypatch):
    monkeypatch.setattr(World, "is_broken", True)
    cursor, _ = failure_tick(instance, None)
    dg.materialize([prices], instance=instance, raise_on_error=False, tags={WILL_RETRY_TAG: "true"})
    cursor, _ = failure_tick(instance, cursor)
    assert receiver.taken == []
    dg.materialize([prices], instance=instance, raise_on_error=False, tags={WILL_RETRY_TAG: "false"})
    failure_tick(instance, cursor)
    assert len(receiver.taken) == 1


def test_an_undelivered_alert_fails_one_tick_and_is_delivered_once_later(
    home, instance, receiver, mail, monkeypatch, caplog
):
    monkeypatch.setenv("ACCELMART_SMTP_URL", mail.url)
    monkeypatch.setenv("ACCELMART_ALERT_EMAIL_TO", "ops@example.org")
    monkeypatch.setenv("ACCELMART_RETRY_DELAY", "0")
    monkeypatch.setattr(World, "is_broken", True)
    cursor, _ = failure_tick(instance, None)
    failed = dg.materialize([prices], instance=instance, raise_on_error=False)
    receiver.statuses = [500] * 6
    with caplog.at_level(logging.DEBUG):
        cursor, (problem,) = failure_tick(instance, cursor)
        assert "answered 500" in problem and "tried again" in problem and SECRET not in problem
        # the incident is open: no further tick fails
        message = tick(instance, dg.Definitions(assets=[prices]))
        assert "webhook: no answer since" in message and "2 tries" in message and "answered 500" in message
        assert len(receiver.taken) == 6  # three attempts per tick
        for _ in range(3):
            message = tick(instance, dg.Definitions(assets=[prices]))
        assert "no answer" not in message
    sent = receiver.alerts()
    assert sent[1:] == [("firing", "no answer: webhook"), ("resolved", "no answer: webhook")]
    assert sent[0][0] == "firing" and failed.run_id in receiver.taken[6][2]["alerts"][0]["url"]
    assert len(mail.handler.letters) == 3  # each delivered at the first attempt
    assert SECRET not in caplog.text and SECRET not in (home.root / "alerts.json").read_text()


def test_a_channel_that_does_not_answer_is_left_alone_for_a_while(home, instance, receiver):
    definitions, assets = checked(False)
    dg.materialize(assets, instance=instance)
    receiver.statuses = [500] * 3
    with pytest.raises(NotDeliveredError):
        tick(instance, definitions)
    for _ in range(5):
        assert "1 tries; the next not before" in tick(instance, definitions)
    assert len(receiver.taken) == 3


def test_a_channel_that_is_switched_off_leaves_no_incident(home, instance, receiver, monkeypatch):
    definitions, assets = checked(False)
    dg.materialize(assets, instance=instance)
    receiver.statuses = [500] * 3
    with pytest.raises(NotDeliveredError):
        tick(instance, definitions)
    settings_now = AlertSettings.from_environment({})
    with alert_book(home) as book:
        assert deliver(book, settings_now) == (0, [])
        assert not book.incidents and not book.outbox


def test_an_unreachable_webhook_is_reported_without_its_secret(home, instance, monkeypatch):
    url = f"http://127.0.0.1:{free_port()}/hooks/{SECRET}"
    monkeypatch.setenv("ACCELMART_ALERT_WEBHOOK", url)
    definitions, assets = checked(False)
    dg.materialize(assets, instance=instance)
    with pytest.raises(NotDeliveredError) as caught:
        tick(instance, definitions)
    assert "did not answer" in str(caught.value) and SECRET not in str(caught.value)


def test_mail_has_error_remedy_and_link(home, instance, mail, monkeypatch):
    monkeypatch.setenv("ACCELMART_SMTP_URL", mail.url)
    monkeypatch.setenv("ACCELMART_ALERT_EMAIL_TO", "ops@example.org, buyer@example.org")
    definitions, assets = checked(False)
    dg.materialize(assets, instance=instance)
    tick(instance, definitions)
    ((to, letter),) = mail.handler.letters
    assert to == ["ops@example.org", "buyer@example.org"]
    assert "Subject: [accelmart] check failed: enough_rows of rows" in letter
    for words in ("a release lost rows", "Since: ", "To do: ", "checkDetail=enough_rows", "Message-ID: <"):
        assert words in letter.replace("=\r\n", "").replace("=3D", "=")
    assert SECRET not in letter


def test_a_refused_address_does_not_block_the_others(home, instance, mail, monkeypatch):
    monkeypatch.setenv("ACCELMART_SMTP_URL", mail.url)
    monkeypatch.setenv("ACCELMART_ALERT_EMAIL_TO", "ops@example.org,nobody@example.org")
    definitions, assets = checked(False)
    dg.materialize(assets, instance=instance)
    with pytest.raises(NotDeliveredError, match=r"refused nobody@example\.org"):
        tick(instance, definitions)
    tick(instance, definitions)
    assert [to for to, _ in mail.handler.letters] == [["ops@example.org"]]


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("smtp://robot:wrong-password@127.0.0.1:{port}", "535"),
        # the server has no TLS, so nothing is sent
        ("smtp+starttls://robot:{secret}@127.0.0.1:{port}", "STARTTLS"),
        ("smtp://127.0.0.1:{port}", "530"),
    ],
)
def test_a_refusing_mail_server_is_reported(home, instance, mail, monkeypatch, url, problem):
    monkeypatch.setenv("ACCELMART_SMTP_URL", url.format(port=mail.port, secret=SECRET))
    monkeypatch.setenv("ACCELMART_ALERT_EMAIL_TO", "ops@example.org")
    definitions, assets = checked(False)
    dg.materialize(assets, instance=instance)
    with pytest.raises(NotDeliveredError, match=problem) as caught:
        tick(instance, definitions)
    assert SECRET not in str(caught.value) and "wrong-password" not in str(caught.value)
    assert mail.handler.letters == []


def test_slack_messages_are_escaped_blocks(home, receiver):
    given = AlertSettings.from_environment(
        {"ACCELMART_ALERT_WEBHOOK": receiver.url, "ACCELMART_ALERT_WEBHOOK_FORMAT": "slack"}
    )
    words = "1 < 2 & <!channel>" + "x" * 5000
    alerts = [
        Alert(str(n), "check_failed", f"check {n}|<b>", words, NOW, "mend", "https://ui.example.org/x")
        for n in range(60)
    ]
    with alert_book(home) as book:
        book.note(alerts, over=[], channels=given.channels)
        assert deliver(book, given) == (1, [])
        assert book.outbox == []
    ((_, _, body),) = receiver.taken
    assert "(and 59 more)" in body["text"]
    texts = [b["text"]["text"] for b in body["blocks"]]
    # limits of Slack
    assert len(texts) <= 50 and max(map(len, texts)) <= 3000
    assert "&lt;!channel&gt;" in texts[0] and "<!channel>" not in "".join(texts)
    assert texts[-1] == "and 15 more"


@pytest.mark.parametrize("webhook_format", ["json", "slack"])
def test_a_recovery_is_marked_in_every_form(home, receiver, mail, webhook_format):
    settings = AlertSettings.from_environment(
        {
            "ACCELMART_ALERT_WEBHOOK": receiver.url,
            "ACCELMART_ALERT_WEBHOOK_FORMAT": webhook_format,
            "ACCELMART_SMTP_URL": mail.url,
            "ACCELMART_ALERT_EMAIL_TO": "ops@example.org",
        }
    )
    since = datetime(2026, 11, 1, 12, 30, tzinfo=UTC)
    one, two = (Alert(n, "stale", f"stale: {n}", "no rows", since, "mend it", "https://x") for n in "ab")
    with alert_book(home) as book:
        for wrong, over in (([one], []), ([two], ["a"]), ([], ["b"])):
            book.note(wrong, over=over, channels=settings.channels)
            assert deliver(book, settings) == (2, [])
    bodies = [body for *_, body in receiver.taken]
    forms = [[letter for _, letter in mail.handler.letters]]
    if webhook_format == "slack":
        texts = [body["blocks"][0]["text"]["text"] for body in bodies]
        assert texts[0].startswith(":red_circle:") and texts[-1].startswith(":white_check_mark:")
        forms.append(texts)
    else:  # a message is as bad as the worst in it
        assert [body["status"] for body in bodies] == ["firing", "firing", "resolved"]
    for first, _, last in forms:
        assert "stale: a" in first and "no rows" in first and "mend it" in first
        assert "stale: b" in last and "no rows" not in last and "mend it" not in last
        assert all("2026-11-01 12:30 UTC" in text for text in (first, last))


def test_without_a_channel_no_alert_is_recorded(home, instance):
    definitions, assets = checked(False)
    dg.materialize(assets, instance=instance)
    assert "Alerts are not sent" in tick(instance, definitions)
    assert not (home.root / "alerts.json").exists()


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"ACCELMART_ALERT_WEBHOOK": f"hooks.example.org/{SECRET}"}, "ACCELMART_ALERT_WEBHOOK is not a URL"),
        ({"ACCELMART_ALERT_WEBHOOK": "https://x:notaport/"}, "ACCELMART_ALERT_WEBHOOK is not a URL"),
        ({"ACCELMART_ALERT_WEBHOOK_FORMAT": "teams"}, "ACCELMART_ALERT_WEBHOOK_FORMAT"),
        ({"ACCELMART_ALERT_EMAIL_TO": "a@b.org"}, "belong together"),
        ({"ACCELMART_SMTP_URL": "smtp://localhost"}, "belong together"),
        (
            {"ACCELMART_ALERT_EMAIL_TO": "someone", "ACCELMART_SMTP_URL": "smtp://localhost"},
            "'someone' is not an address",
        ),
        (
            {
                "ACCELMART_ALERT_EMAIL_TO": "a@b.org",
                "ACCELMART_SMTP_URL": f"smtp://u:{SECRET}@mail.example.org",
            },
            "unencrypted",
        ),
        (
            {"ACCELMART_ALERT_EMAIL_TO": "a@b.org", "ACCELMART_SMTP_URL": "pop3://x"},
            "ACCELMART_SMTP_URL is not a URL",
        ),
        ({"ACCELMART_UI_URL": "ui"}, "ACCELMART_UI_URL is not a URL"),
    ],
)
def test_invalid_settings_are_refused(given, problem):
    with pytest.raises(AlertSettingsError, match=problem) as caught:
        AlertSettings.from_environment(given)
    assert SECRET not in str(caught.value)


def test_valid_settings_are_accepted():
    good = AlertSettings.from_environment(
        {
            "ACCELMART_ALERT_WEBHOOK": "https://hooks.example.org/x",
            "ACCELMART_ALERT_EMAIL_TO": "a@b.org, c@d.org,",
            "ACCELMART_SMTP_URL": "smtps://u:p@mail.example.org",
            "ACCELMART_UI_URL": "  ",
        }
    )
    assert good.channels == ["webhook", "email"] and good.email_to == ["a@b.org", "c@d.org"]
    assert good.ui == "http://127.0.0.1:3000"
    assert AlertSettings.from_environment({}).channels == []


def test_a_damaged_alert_book_is_reported_with_a_remedy(home):
    home.root.mkdir(parents=True)
    (home.root / "alerts.json").write_text("{")
    from ingest.core.errors import AccelmartError

    with pytest.raises(AccelmartError, match="Remove it"), alert_book(home):
        raise AssertionError("not reached")
    assert (home.root / "alerts.json").read_text() == "{"


def test_the_sensors_run_by_default():
    assert {s.default_status for s in SENSORS} == {dg.DefaultSensorStatus.RUNNING}
