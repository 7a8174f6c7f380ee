"""Alerts on unmapped names and isolated payloads of the published warehouse, delivered to a real HTTP server."""

from datetime import UTC, datetime

import dagster as dg
import duckdb
import pytest
from webhook import Receiver

from orchestration import settings
from orchestration.defs.warehouse.alerts import health_alerts

BUILT_AT = datetime(2026, 11, 22, 6, 30, tzinfo=UTC)
MI9955X = ("accelerator", "AMD Instinct MI9955X", 3, "accelerator_aliases.csv", "^MI9955X$,,mi9955x,1,false,")
CHESS = ("benchmark", "chess-70b", 1, "mlperf_benchmarks.csv", "chess-70b,chess-70b,,,,,,,,")
DOUBLED = (
    "mlperf-inference",
    "v9.9",
    "summary",
    "c0ffee",
    "7 of 14 records are copies",
    "look at the payload",
)


@pytest.fixture
def home(tmp_path, monkeypatch):
    for name in ("ACCELMART_ALERT_EMAIL_TO", "ACCELMART_SMTP_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ACCELMART_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ACCELMART_UI_URL", "https://ui.example.org")
    (tmp_path / "home").mkdir()
    return settings.home()


@pytest.fixture
def receiver(home, monkeypatch):
    with Receiver() as hook:
        monkeypatch.setenv("ACCELMART_ALERT_WEBHOOK", hook.url)
        yield hook


@pytest.fixture
def evaluate(home):
    """One evaluation of the sensor; returns its message."""
    with dg.DagsterInstance.ephemeral(tempdir=str(home.root)) as instance:

        def once():
            with dg.build_sensor_context(instance=instance, definitions=dg.Definitions()) as context:
                return health_alerts(context).skip_message

        yield once


def publish(home, names, payloads):
    """Replace the published file by one with these rows of ops_unmapped and ops_isolated_payload."""
    home.published.unlink(missing_ok=True)
    with duckdb.connect(str(home.published)) as db:
        db.execute(
            "create table ops_generation (generation_id varchar, built_at timestamptz, input_fingerprint varchar)"
        )
        db.execute("insert into ops_generation values ('g', ?, 'f')", [BUILT_AT])
        db.execute(
            "create table ops_unmapped (kind varchar, words varchar, n_rows bigint, seed_file varchar, seed_line varchar)"
        )
        db.execute(
            "create table ops_isolated_payload (source varchar, release varchar, payload_key varchar, "
            "payload_sha256 varchar, problem varchar, remedy varchar)"
        )
        for table, rows in (("ops_unmapped", names), ("ops_isolated_payload", payloads)):
            for row in rows:
                db.execute(f"insert into {table} values ({', '.join('?' * len(row))})", row)


def test_each_name_and_payload_is_sent_once_and_resolved_when_it_is_mapped(home, receiver, evaluate):
    publish(home, [MI9955X, CHESS], [DOUBLED])
    assert "3 are new" in evaluate()
    assert "3 alerts are firing, 0 are new" in evaluate()
    titles = [
        "unmapped accelerator: AMD Instinct MI9955X",
        "unmapped benchmark: chess-70b",
        "isolated payload: mlperf-inference v9.9",
    ]
    assert receiver.alerts() == [("firing", title) for title in titles]

    (_, _, body), *_ = receiver.taken
    part, _, isolated = body["alerts"]
    assert (part["kind"], isolated["kind"]) == ("unmapped_name", "isolated_payload")
    assert part["words"].startswith("3 rows are published under unmapped:AMD Instinct MI9955X")
    assert part["remedy"].startswith("add this line to overrides/accelerator_aliases.csv")
    assert part["remedy"].endswith(": ^MI9955X$,,mi9955x,1,false,")
    assert part["url"] == "https://ui.example.org/assets/accelmart/ops_unmapped"
    assert datetime.fromisoformat(part["since"]) == BUILT_AT
    assert isolated["words"].startswith("7 of 14 records are copies") and isolated["remedy"] == DOUBLED[-1]

    # the part is mapped, a later payload replaces the isolated one, and the other name has more rows
    publish(home, [(*CHESS[:2], 9, *CHESS[3:])], [])
    assert "1 alerts are firing, 2 are new" in evaluate()
    assert "1 alerts are firing, 0 are new" in evaluate()
    assert sorted(receiver.alerts()[3:]) == [("resolved", titles[2]), ("resolved", titles[0])]


def test_a_recurring_unmapped_name_is_alerted_again(home, receiver, evaluate):
    for names in ([CHESS], [], [CHESS]):
        publish(home, names, [])
        evaluate()
    assert [status for status, _ in receiver.alerts()] == ["firing", "resolved", "firing"]


def test_each_isolated_payload_of_a_round_is_a_separate_alert(home, receiver, evaluate):
    publish(home, [], [DOUBLED])
    evaluate()
    publish(home, [], [(*DOUBLED[:3], "decaf", *DOUBLED[4:])])
    evaluate()
    assert sorted(status for status, _ in receiver.alerts()) == ["firing", "firing", "resolved"]


def test_an_unpublished_warehouse_sends_no_alerts(home, receiver, evaluate):
    assert "0 alerts are firing" in evaluate()
    assert receiver.taken == []
