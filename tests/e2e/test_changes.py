"""The change log and the checks against the published generation, on real data.

The published file is changed in known ways, and the next build must report exactly these differences. First dbt runs
only the comparison models on a copy of the build; then the real command runs the whole build.
"""

import csv
import io
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from home_copies import change_published, copy_home

from accelmart import QuestionError
from accelmart.changes import find_changes
from warehouse.build_folder import Build
from warehouse.dbt import list_failures
from warehouse.home import Home
from warehouse.locks import exclusive
from warehouse.prepare import prepare, select_inputs

DBT = Path(sys.executable).with_name("dbt")
COMPARISON = (
    "stg_accelmart__build", "ops_generation", "int_changes__figures", "int_changes__compared", "int_changes__found",
    "mart_changes", "ops_change_alarm", "ops_layer_account",
)  # fmt: skip
FIGURES = "intermediate.int_changes__figures"
pytestmark = pytest.mark.xdist_group("changes")


@pytest.fixture(scope="module")
def home(built_home, tmp_path_factory):
    copy = tmp_path_factory.mktemp("changes") / "home"
    copy_home(built_home, copy)
    return copy


def compare(home, *damage):
    """Prepare a build, run the comparison on a damaged copy of the published file, and return the result."""
    place = Home(home, str(home / "landing"))
    with exclusive(place, 60):
        shutil.rmtree(place.builds, ignore_errors=True)
        build = prepare(place, select_inputs(place))
        shutil.copyfile(home / "undoctored.duckdb", build.database)
        with duckdb.connect(str(build.database)) as db:
            for statement in damage:
                db.execute(statement)
        target = build.target
        done = subprocess.run(
            [
                *(DBT, "--no-use-colors", "build", "--exclude-resource-type", "unit_test"),
                *("--project-dir", build.project, "--profiles-dir", build.project),
                *("--target-path", target, "--log-path", target, "--select", *COMPARISON),
            ],
            cwd=build.project,
            capture_output=True,
            text=True,
            timeout=300,
        )
    return done, {
        reported.split(":")[0].removeprefix("test "): reported
        for reported in list_failures(Build(build.folder.resolve()))
    }


@pytest.fixture(scope="module")
def doctored(home):
    """Change one figure of each kind in the published generation."""
    shutil.copyfile(home / "accelmart.duckdb", home / "undoctored.duckdb")
    (
        ((corrected, correct),),
        ((ours,),),
        ((fresh,),),
        ((gone,),),
        ((changed, provider, accelerator, pricing),),
        ((new_offer,),),
        *_,
    ) = change_published(
        home,
        f"select subject, value from {FIGURES} where figure = 'result' and release = 'v5.1' order by subject limit 1",
        f"select subject from {FIGURES} where figure = 'result' and release = 'v4.0' order by subject limit 1",
        f"select subject from {FIGURES} where figure = 'result' and release = 'v5.1' order by subject limit 1 offset 1",
        f"select subject from {FIGURES} where figure = 'result' and release = 'v5.1' order by subject limit 1 offset 2",
        f"select subject, provider, accelerator_id, pricing_model from {FIGURES} where figure = 'hourly_price' "
        f"and accelerator_id in (select accelerator_id from {FIGURES} where relation = 'mart_price_current') "
        "and provider = 'aws' order by subject limit 1",
        f"select subject from {FIGURES} where figure = 'hourly_price' and provider = 'lambda' order by subject limit 1",
    )
    change_published(
        home,
        f"update {FIGURES} set value = value / 1.1, input_version = 'other words' where figure = 'result' and subject = '{corrected}'",
        f"update {FIGURES} set value = value * 2 where figure = 'result' and subject = '{ours}'",
        f"delete from {FIGURES} where subject = '{fresh}' and relation = 'fct_inference_result'",
        f"update {FIGURES} set subject = 'was here' where subject = '{gone}' and relation = 'fct_inference_result'",
        f"update {FIGURES} set value = value * 2, input_version = 'other words' where subject = '{changed}' and figure = 'hourly_price'",
        f"delete from {FIGURES} where subject = '{new_offer}' and figure = 'hourly_price'",
        f"""update {FIGURES} set value = value * 2 where figure = 'usd_per_accelerator_hour_min' and provider = '{provider}'
            and accelerator_id = '{accelerator}' and pricing_model = '{pricing}'""",
        f"update {FIGURES} set subject = 'a source that went' where role = 'source' and subject = 'rocm'",
        # a new payload of v5.1
        f"update {FIGURES} set input_version = 'other payloads' where role = 'input' and subject = 'inference/v5.1'",
        # blocking checks
        f"update {FIGURES} set value = value * 1.1 where figure = 'rows_of_release' and subject = 'v2.0'",
        f"update {FIGURES} set value = value * 100 where figure = 'offers_in_force' and subject = 'nebius'",
        f"update {FIGURES} set value = value * 2 where figure = 'rows' and subject = 'mart_energy'",
        f"update {FIGURES} set value = value * 1.5 where relation = 'mart_tco' and figure = 'usd_per_accelerator_hour'",
    )
    return {
        "corrected": corrected, "correct": correct, "ours": ours, "fresh": fresh, "gone": gone, "changed": changed,
        "new_offer": new_offer, "best": f"{accelerator}/{provider}/{pricing}",
    }  # fmt: skip


def test_losses_and_moves_block_the_publication(home, doctored):
    """The same run also reports rows lost between layers."""
    done, reported = compare(
        home,
        "delete from fct_inference_result where result_id in "
        "(select result_id from fct_inference_result where release = 'v3.0' order by result_id limit 3)",
        "delete from fct_training_run where run_id in (select run_id from fct_training_run order by run_id limit 2)",
        "delete from fct_price_interval where offer_id in "
        "(select offer_id from fct_price_interval where provider = 'seeweb' limit 1)",
        "delete from intermediate.int_specs__published where attribute = 'memory_gb' and source = 'rocm'",
        "delete from staging.stg_mlperf_training__results where release = 'v5.0' and platform in "
        "(select min(platform) from staging.stg_mlperf_training__results where release = 'v5.0')",
    )
    assert done.returncode == 1, done.stdout
    # a missing seller, and a table that lost a third together with a new payload of v5.1, are warnings
    assert set(reported) == {
        "no_release_lost_rows", "no_mart_moved_without_new_input", "every_layer_is_accounted_for",
    }, reported  # fmt: skip
    assert "rows of v2.0 are gone" in reported["no_release_lost_rows"]
    assert "usd_per_accelerator_hour of " in reported["no_mart_moved_without_new_input"]
    assert all(
        "accelmart build --accept-changes" in reported[name] for name in reported if name.startswith("no_")
    )
    with duckdb.connect(str(home / "builds/current/build.duckdb"), read_only=True) as db:
        shown = " ".join(
            problem
            for (problem,) in db.execute(
                "select problem from ops_change_alarm where severity = 'warn'"
            ).fetchall()
        )
        lost = db.execute(
            "select layers, source, release, rows_in - rows_out - rows_excluded from ops_layer_account "
            "where not is_balanced order by all"
        ).fetchall()
    assert "offers in force of nebius are gone" in shown and "rows of mart_energy are gone" in shown
    names = {(layers, source, release) for layers, source, release, n in lost if n > 0}
    assert names == {
        ("raw → staging", "mlperf-training", "v5.0"),
        ("staging → fct_inference_result", "mlperf-inference-collection", "v3.0"),
        ("staging → fct_training_run", "mlperf-training", "v0.5"),
        ("intervals → fct_price_interval", "skypilot-catalog", ""),
        ("staging → figures of accelerators", "rocm", ""),
    }


def test_accepted_changes_are_reported_once(home, doctored, accelmart):
    before = json.loads(accelmart(home, "sql", "from ops_generation", "-f", "json").stdout)[0]
    done = accelmart(home, "build", "--force", "--accept-changes", timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"\d+ warnings. See: accelmart status --warnings", done.stdout)
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
    assert previous == before["generation_id"] and accepted
    assert changes == {
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
