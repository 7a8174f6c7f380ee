"""Hold, withdraw and release a round and a price list, by the real command, on the real warehouse of the snapshot.

A changed payload of each is landed. Held, nothing of it is published; released, all of it; withdrawn, round and list are
gone and everything else is as before; released again, the figures are those before the withdrawal. See `operated_home`.
"""

import json

import duckdb
import pytest


@pytest.mark.xdist_group("operated")
def test_what_is_held_stays_as_it_was_and_is_landed_nevertheless(operated, mlperf_data, price_data):
    home, seen, told = operated["home"], operated["seen"], operated
    assert seen["held"] == seen["before"]
    assert list((home / "landing/manifest/mlperf-inference/v5.1").glob("*.json"))
    assert "held: mlperf-inference v5.1 since " in told["hold"] and "present payload" in told["hold"]
    held = [line for line in told["status held"].splitlines() if line.startswith("held: ")]
    assert [line.split(" since")[0] for line in held] == [
        "held: aws-price-list",
        "held: mlperf-inference v5.1",
    ]


@pytest.mark.xdist_group("operated")
def test_what_is_released_is_published_and_says_where_it_came_from(operated, mlperf_data, price_data):
    home, seen = operated["home"], operated["seen"]
    assert seen["released"]["others"] == seen["before"]["others"]
    (now,) = set(seen["released"]["round"]) - {
        (*r[:4], "file:summary_results.json") for r in seen["before"]["round"]
    }
    (was,) = {r for r in seen["before"]["round"] if r[1] == now[1]}
    assert now[2] == pytest.approx(was[2] * 1.1)
    assert {r[4] for r in seen["released"]["round"]} == {"file:summary_results.json"}
    new = set(seen["released"]["list"]) - set(seen["before"]["list"])
    assert new and {r[5] for r in new} == {"file:index.csv"}
    with duckdb.connect(str(home / "accelmart.duckdb"), read_only=True) as db:
        tables = [t for (t,) in db.execute("select table_name from duckdb_tables()").fetchall()]
        assert "ops_reconciliation" in tables
        paths = db.execute(
            "select count(*) from ops_reconciliation where payload_url like '%/operated%'"
        ).fetchone()
    assert paths == (0,)


@pytest.mark.xdist_group("operated")
def test_what_is_withdrawn_is_gone_and_nothing_else(operated, mlperf_data, price_data):
    seen, told = operated["seen"], operated
    assert (seen["withdrawn"]["round"], seen["withdrawn"]["list"]) == ([], [])
    assert seen["withdrawn"]["others"] == seen["before"]["others"]
    assert ("release_lost_rows", "warn", "v5.1") in told["alarms"]
    assert all(severity != "error" for _, severity, _ in told["alarms"])
    held = json.loads(told["status json"])["held"]
    assert [(h["source"], h["release"], h["action"]) for h in held] == [
        ("aws-price-list", None, "withdraw"),
        ("mlperf-inference", "v5.1", "withdraw"),
    ]


@pytest.mark.xdist_group("operated")
def test_what_is_released_again_is_as_it_was(operated, mlperf_data, price_data):
    seen = operated["seen"]
    assert seen["back"] == seen["released"]


@pytest.mark.parametrize(
    ("arguments", "code", "hint"),
    [
        (["hold", "mlperf-infrence"], 1, "Did you mean mlperf-inference,"),
        (["hold", "mlperf-inference", "v5.11"], 1, "Did you mean v5.1"),
        (["withdraw", "mlperf-inference", "the last"], 1, "names no MLPerf round"),
        (["hold", "vast"], 1, "was never built"),
        (["hold", "aws-price-list", "v5.1"], 1, "not split by round"),
        (["release", "mlperf-inference"], 1, "nothing to release for mlperf-inference: nothing is held"),
    ],
)
def test_a_mistake_is_answered_with_what_is_right(copied_home, accelmart, arguments, code, hint):
    done = accelmart(copied_home, *arguments)
    assert (
        done.returncode == code and hint in " ".join(done.stderr.split()) and "Traceback" not in done.stderr
    )
    assert max(map(len, done.stderr.splitlines())) <= 110


def test_nothing_is_held_where_nothing_is_built(tmp_path, accelmart):
    done = accelmart(tmp_path, "hold", "mlperf-inference", "v5.1")
    assert done.returncode == 3 and "accelmart build" in done.stderr
