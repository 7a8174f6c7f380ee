"""Measured serving is fetched from the replayed upstreams; InferenceX only where the setting turns it on."""

import pytest
from replay_server import server_error

from ingest.core.errors import AccelmartError
from ingest.registry import SERVING_SOURCES
from ingest.serving.inferencex import MODELS, ON_VARIABLE
from orchestration.landing import FetchConfig, land
from warehouse.active import select_active
from warehouse.home import SNAPSHOT_DIR

MLENERGY, INFERENCEX = SERVING_SOURCES["mlenergy"], SERVING_SOURCES["inferencex"]


def landed(home, source, key=""):
    return [f.payload.outcome if f.payload else f.problem for f in land(home, source, FetchConfig(key=key))]


def accounts(home, source):
    active = select_active(home, [source], snapshot=home.root / "none")
    assert not active.isolated
    found = [p.account for p in active.parts]
    assert all(a.is_balanced for a in found)
    return found


def test_the_leaderboard_is_fetched_whole_and_is_unchanged_the_second_time(home):
    assert landed(home, MLENERGY) == ["landed"]
    assert landed(home, MLENERGY) == ["unchanged"]
    (account,) = accounts(home, "mlenergy")
    assert (account.records_in, account.rows_out) == (838, 838)


def test_a_leaderboard_cut_off_leaves_the_last_good_one_in_force(home, upstreams):
    assert landed(home, MLENERGY) == ["landed"]
    upstreams.fault(
        "raw.githubusercontent.com", "/ml-energy/leaderboard/HEAD/public/data/models", server_error()
    )
    (problem,) = landed(home, MLENERGY)
    assert "500" in problem
    assert [a.rows_out for a in accounts(home, "mlenergy")] == [838]


def test_inferencex_is_not_asked_unless_it_is_turned_on(home, upstreams, monkeypatch):
    before = len(upstreams.requests)
    for value in (None, "off", ""):
        if value is not None:
            monkeypatch.setenv(ON_VARIABLE, value)
        with pytest.raises(AccelmartError, match="its data state no licence"):
            landed(home, INFERENCEX)
    assert len(upstreams.requests) == before


def test_inferencex_gives_every_point_of_the_answers(home, monkeypatch):
    monkeypatch.setenv(ON_VARIABLE, "on")
    assert landed(home, INFERENCEX) == ["landed"] * len(MODELS)
    most = max(accounts(home, "inferencex"), key=lambda account: account.records_in)
    assert (most.records_in, most.rows_out, most.duplicates, most.rejects) == (435 + 1462, 1665, 230, 2)


def test_nothing_of_inferencex_is_in_the_snapshot():
    names = [path.name for path in SNAPSHOT_DIR.rglob("*.parquet")]
    assert [n for n in names if n.startswith("mlenergy__")] and not [n for n in names if "inferencex" in n]


def test_a_check_of_the_sources_gives_the_reason_why_inferencex_is_not_asked(home):
    from typer.testing import CliRunner

    from orchestration.cli import app

    done = CliRunner().invoke(app, ["refresh", "--check", "inferencex"])
    assert "its data state no licence" in done.output and ON_VARIABLE in done.output
    done = CliRunner().invoke(app, ["refresh", "--no-build", "inferencex"])
    assert "its data state no licence" in done.output and "without a key" not in done.output
