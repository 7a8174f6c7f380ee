"""The change log and the checks against the published generation, on real data.

The published file is changed in known ways, and the next build must report exactly these differences (`changed_home`).
"""

import json
import re

import duckdb
import pytest
from changed_home import FIGURES

from accelmart import QuestionError
from accelmart.changes import find_changes

pytestmark = pytest.mark.xdist_group("changes")


def test_losses_and_moves_block_the_publication(changed):
    """A missing seller, and a table that lost a third together with a new payload of v5.1, do not."""
    said = changed.failed.stderr
    assert changed.failed.returncode == 1 and "accelmart build --accept-changes" in said
    assert (
        "the published warehouse is as it was" in said and changed.published_after_failure == changed.before
    )
    assert "no_release_lost_rows" in said and "rows of v2.0 are gone" in said
    assert "no_mart_moved_without_new_input" in said and "usd_per_accelerator_hour of " in said
    assert "nebius" not in said and "mart_energy" not in said
    lines = changed.after_failure.splitlines()
    assert "the last build failed" in lines[0] and "last build: FAILED" in lines[1] and len(lines) <= 15
    assert lines[2].startswith("failed: ")
    assert [line for line in lines[:6] if line.startswith("not published: mlperf-inference v7.0 of ")]


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

    assert f"between {previous} and {generation}" in accelmart(home, "changes").stdout
    (row,) = json.loads(accelmart(home, "changes", "--kind", "changed_price", "--json").stdout)
    assert row["subject"] == doctored["changed"] and row["change_pct"] == pytest.approx(-50)
    published = home / "accelmart.duckdb"
    for since, n in ((generation, 0), ("2999-01-01", 0), (previous, n_rows), ("2000-01-01", n_rows)):
        assert len(find_changes(since=since, database=published).table.rows) == n, since
    kinds = ["new_source", "changed_price"]
    assert len(find_changes(since=previous, kinds=kinds, database=published).table.rows) == 2
    with pytest.raises(QuestionError, match="such as 2026-11-21"):
        find_changes(since="yesterday", database=published)


def test_a_first_generation_has_nothing_to_compare_with(built_home, accelmart):
    done = accelmart(built_home, "changes")
    assert done.returncode == 0 and "a first generation" in done.stdout
    assert json.loads(accelmart(built_home, "changes", "--json").stdout) == []


def test_every_public_table_is_counted_and_every_source_accounted_for(warehouse):
    def names(query):
        return {name for (name,) in warehouse.execute(query).fetchall()}

    assert names(f"select subject from {FIGURES} where figure = 'rows' and role = 'count'") == names(
        "select table_name from duckdb_tables() where schema_name = 'main' and table_name not like 'ops_%' "
        "and table_name <> 'mart_changes'"
    )
    assert names("select source from ops_layer_account where step > 1") == names(
        "select source from ops_reconciliation"
    )
