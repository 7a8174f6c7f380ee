"""Hold, withdraw and release a round and a price list, with the real commands on the real warehouse of the snapshot.

A changed payload of each is landed. A hold keeps it unpublished; a withdrawal removes round and list and nothing else; a
release publishes the changed payloads. See `operated_home`.
"""

import json

import duckdb
import pytest


@pytest.mark.xdist_group("operated")
def test_a_held_source_is_landed_but_not_published(operated, mlperf_data, price_data):
    home, seen, outputs = operated["home"], operated["seen"], operated
    assert seen["held"] == seen["before"]
    assert list((home / "landing/manifest/mlperf-inference/v5.1").glob("*.json"))
    assert "held: mlperf-inference v5.1 since " in outputs["hold"] and "present payload" in outputs["hold"]
    held = [line for line in outputs["status held"].splitlines() if line.startswith("held: ")]
    assert [line.split(" since")[0] for line in held] == [
        "held: aws-price-list",
        "held: mlperf-inference v5.1",
    ]


@pytest.mark.xdist_group("operated")
def test_a_released_payload_is_published_with_its_origin(operated, mlperf_data, price_data):
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
def test_a_withdrawal_removes_only_the_withdrawn_rows(operated, mlperf_data, price_data):
    seen, outputs = operated["seen"], operated
    assert (seen["withdrawn"]["round"], seen["withdrawn"]["list"]) == ([], [])
    assert seen["withdrawn"]["others"] == seen["before"]["others"]
    assert ("release_lost_rows", "warn", "v5.1") in outputs["alarms"]
    assert all(severity != "error" for _, severity, _ in outputs["alarms"])
    held = json.loads(outputs["status json"])["held"]
    assert [(h["source"], h["release"], h["action"]) for h in held] == [
        ("aws-price-list", None, "withdraw"),
        ("mlperf-inference", "v5.1", "withdraw"),
    ]


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["hold", "mlperf-infrence"], "Did you mean mlperf-inference,"),
        (["hold", "mlperf-inference", "v5.11"], "Did you mean v5.1"),
        (["withdraw", "mlperf-inference", "the last"], "names no MLPerf round"),
        (["hold", "vast"], "was never built"),
        (["hold", "aws-price-list", "v5.1"], "not split by round"),
        (["release", "mlperf-inference"], "nothing to release for mlperf-inference: nothing is held"),
    ],
)
def test_a_wrong_name_is_refused_with_the_allowed_ones(copied_home, accelmart, arguments, hint):
    done = accelmart(copied_home, *arguments, here=True)
    assert done.returncode == 1 and hint in " ".join(done.stderr.split())
    assert max(map(len, done.stderr.splitlines())) <= 110


def test_a_hold_requires_a_published_warehouse(tmp_path, accelmart):
    done = accelmart(tmp_path, "hold", "mlperf-inference", "v5.1", here=True)
    assert done.returncode == 3 and "accelmart build" in done.stderr
