"""The change log and the checks against the published generation, on real data.

The published file is changed in known ways, and the next build must report exactly these differences (`changed_home`).
"""

import csv
import io
import json
import re
import shutil

import duckdb
import pytest
from changed_home import FIGURES

from accelmart import QuestionError
from accelmart.changes import find_changes
from warehouse.home import Home
from warehouse.locks import exclusive
from warehouse.prepare import prepare, select_inputs

pytestmark = pytest.mark.xdist_group("changes")


def test_losses_and_moves_block_the_publication(changed):
    """A missing seller, and a table that lost a third together with a new payload of v5.1, do not."""
    said = changed.failed.stderr
    assert changed.failed.returncode == 1 and "accelmart build --accept-changes" in said
    assert "no_release_lost_rows" in said and "rows of v2.0 are gone" in said
    assert "no_mart_moved_without_new_input" in said and "usd_per_accelerator_hour of " in said
    assert "nebius" not in said and "mart_energy" not in said


def test_accepted_changes_are_reported_once(changed, accelmart):
    home, doctored = changed.home, changed.doctored
    assert re.search(r"\d+ warnings: accelmart status --warnings", changed.accepted.stdout)
    warned = accelmart(home, "status", "--warnings").stdout
    assert "no_release_lost_single_rows" in warned and "rows of v2.0 are gone" in warned
    with duckdb.connect(str(home / "accelmart.duckdb"), read_only=True) as db:
        (generation, previous, accepted) = db.execute(
            "select generation_id, previous_generation_id, are_changes_accepted from ops_generation"
        ).fetchone()
        changes = {
            (kind, subject, cause)
            for kind, subject, cause in db.execute(
                "select kind, subject, cause from mart_changes where relation <> 'mart_tco'"
            ).fetchall()
        }
        tco = db.execute(
            "select count(*), min(change_pct), max(change_pct), min(cause), (select count(*) from mart_tco) "
            "from mart_changes where relation = 'mart_tco'"
        ).fetchone()
        ((n_rows,),) = db.execute("select count(*) from mart_changes").fetchall()
        alarms = db.execute("select distinct severity from ops_change_alarm order by 1").fetchall()
    assert previous == changed.before and accepted
    absurd = {change for change in changes if "/v7.0/" in change[1]}  # of test_physical_limits.py
    assert {(kind, cause) for kind, _, cause in absurd} == {("new_result", "new input")}
    assert changes - absurd == {
        ("corrected_result", doctored["corrected"], "new input"),
        ("corrected_result", doctored["ours"], "no new input"),
        ("new_result", doctored["fresh"], "new input"),
        ("new_result", doctored["gone"], "new input"),
        ("withdrawn_result", "was here", "new input"),
        ("changed_price", doctored["changed"], "new input"),
        ("new_price", doctored["new_offer"], "no new input"),
        ("moved_best", doctored["best"], "new input"),
        ("new_source", "rocm", "no new input"),
        ("vanished_source", "a source that went", "no new input"),
    }
    n, low, high, cause, n_tco = tco
    assert n == n_tco and cause == "no new input"
    assert (low, high) == (pytest.approx(100 / 1.5 - 100), pytest.approx(100 / 1.5 - 100))
    assert ("accepted",) in alarms and ("error",) not in alarms

    table = accelmart(home, "changes").stdout
    assert f"between {previous} and {generation}" in table and "1 changed_price" in table
    ((row,),) = [json.loads(accelmart(home, "changes", "--kind", "changed_price", "--json").stdout)]
    assert row["subject"] == doctored["changed"] and row["change_pct"] == pytest.approx(-50)
    with duckdb.connect(str(home / "accelmart.duckdb"), read_only=True) as db:
        ((unit,),) = db.execute(
            "select distinct price_unit from fct_price_interval where offer_id = ?", [doctored["changed"]]
        ).fetchall()
    assert row["unit"] == f"USD per {unit.replace('_', '-')}"
    printed = accelmart(home, "changes", "--since", previous, "--limit", "0", "--format", "csv").stdout
    assert len(list(csv.DictReader(io.StringIO(printed)))) == n_rows
    published = home / "accelmart.duckdb"
    for since, n in ((generation, 0), ("2999-01-01", 0), (previous, n_rows), ("2000-01-01", n_rows)):
        assert len(find_changes(since=since, database=published).table.rows) == n, since
    kinds = ["new_source", "changed_price"]
    assert len(find_changes(since=previous, kinds=kinds, database=published).table.rows) == 2
    with pytest.raises(QuestionError, match="such as 2026-11-21"):
        find_changes(since="yesterday", database=published)

    # after a rollback the next build is compared with the restored generation
    assert accelmart(home, "rollback").returncode == 0
    place = Home(home, str(home / "landing"))
    with exclusive(place, 60):
        shutil.rmtree(place.builds, ignore_errors=True)
        build = prepare(place, select_inputs(place))
    ((compared, n_changes),) = duckdb.sql(
        f"select previous_generation_id, (select count(*) from '{build.raw}/previous_changes/*.parquet') "
        f"from '{build.raw}/build_info/build.parquet'"
    ).fetchall()
    assert (compared, n_changes) == (previous, 0)


def test_a_first_generation_has_nothing_to_compare_with(built_home, accelmart):
    done = accelmart(built_home, "changes")
    assert done.returncode == 0 and "a first generation" in done.stdout
    assert json.loads(accelmart(built_home, "changes", "--json").stdout) == []


def test_every_public_table_is_counted_and_every_layer_of_the_snapshot_balances(warehouse):
    counted = {
        t
        for (t,) in warehouse.execute(
            f"select subject from {FIGURES} where figure = 'rows' and role = 'count'"
        ).fetchall()
    }
    public = {
        t
        for (t,) in warehouse.execute(
            "select table_name from duckdb_tables() where schema_name = 'main'"
        ).fetchall()
        if not t.startswith("ops_") and t != "mart_changes"
    }
    assert counted == public
    assert warehouse.execute("select count(*), bool_and(is_balanced) from ops_layer_account").fetchone()[1]
    layers = {
        s
        for (s,) in warehouse.execute(
            "select distinct source from ops_layer_account where step > 1"
        ).fetchall()
    }
    assert layers == {
        s for (s,) in warehouse.execute("select distinct source from ops_reconciliation").fetchall()
    }
