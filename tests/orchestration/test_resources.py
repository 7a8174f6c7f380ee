"""Resources of assets: the event log that stays open, and what is kept of the dbt project."""

import json
import sqlite3
import subprocess

import dagster as dg
import pytest
from dagster._core.storage.event_log.sqlite import sqlite_event_log
from orchestration.dagster_internals import open_event_log
from warehouse.reuse import PASSED_FILE, are_rules_tested

from orchestration import settings
from orchestration.resources import dbt_resource
from warehouse import fingerprint


@pytest.fixture
def instance(tmp_path):
    with dg.DagsterInstance.local_temp(str(tmp_path)) as instance:
        yield instance


def test_an_open_event_log_is_not_checkpointed_at_every_event(instance, tmp_path):
    log = tmp_path / "history" / "runs" / "index.db-wal"
    with open_event_log(instance):
        instance.report_runless_asset_event(dg.AssetMaterialization("kept"))
        assert log.stat().st_size > 0
    instance.report_runless_asset_event(dg.AssetMaterialization("other"))
    assert not log.exists()  # avoided work: closing the last connection checkpoints and waits for the disk
    assert set(instance.all_asset_keys()) == {dg.AssetKey("kept"), dg.AssetKey("other")}


def test_an_event_log_in_memory_is_left_alone():
    with dg.DagsterInstance.ephemeral() as instance, open_event_log(instance, "a run"):
        instance.report_runless_asset_event(dg.AssetMaterialization("kept"))
        assert instance.all_asset_keys() == [dg.AssetKey("kept")]


def test_an_open_event_log_has_one_engine_per_file(instance, monkeypatch):
    """A new engine has to compile every statement again."""
    made = []
    make = sqlite_event_log.create_engine
    monkeypatch.setattr(
        sqlite_event_log, "create_engine", lambda url, **more: made.append(url) or make(url, **more)
    )
    theirs = sqlite_event_log.create_engine
    with open_event_log(instance):
        for number in range(3):
            instance.report_runless_asset_event(dg.AssetMaterialization("kept", metadata={"number": number}))
        assert len(made) == len(set(made)) > 0
    assert sqlite_event_log.create_engine is theirs
    records = instance.fetch_materializations(dg.AssetKey("kept"), limit=5).records
    assert [r.asset_materialization.metadata["number"].value for r in records] == [2, 1, 0]


def schema(path):
    with sqlite3.connect(path) as db:
        tables = db.execute("select type, name, tbl_name, sql from sqlite_master order by 1, 2").fetchall()
        return (
            tables,
            db.execute("select * from alembic_version").fetchall(),
            db.execute("pragma journal_mode").fetchall(),
        )


def test_the_file_of_a_new_run_is_as_dagster_makes_it(instance, tmp_path, monkeypatch):
    runs = tmp_path / "history" / "runs"
    migrations = []
    stamp = sqlite_event_log.stamp_alembic_rev
    monkeypatch.setattr(
        sqlite_event_log, "stamp_alembic_rev", lambda *a, **k: migrations.append(a) or stamp(*a, **k)
    )

    @dg.asset
    def made():
        return dg.MaterializeResult(metadata={"n": 1})

    with open_event_log(instance), open_event_log(instance):
        first = dg.materialize([made], instance=instance)
        instance.report_runless_asset_event(dg.AssetMaterialization("kept"))
        assert migrations == []
    second = dg.materialize([made], instance=instance)
    assert len(migrations) == 1 and first.success and second.success
    assert schema(runs / f"{first.run_id}.db") == schema(runs / f"{second.run_id}.db")
    n = [len(instance.all_logs(run.run_id)) for run in (first, second)]
    assert n[0] == n[1] > 5
    assert instance.get_latest_materialization_event(dg.AssetKey("kept"))
    assert set(vars(instance.event_log_storage)).isdisjoint({"_initdb", "has_secondary_index"})


def test_dbt_opens_no_connection_in_the_starting_process():
    assert dbt_resource()._initialize_dbt_core_adapter(["build"]) is None


# --- what is kept for a state of the dbt project -------------------------------------------------------------------


def of_another_dbt(monkeypatch):
    installed = fingerprint.version
    monkeypatch.setattr(
        fingerprint, "version", lambda package: "99" if package == "dbt-core" else installed(package)
    )


def test_the_manifest_is_parsed_again_for_another_dbt(definitions, place, monkeypatch):
    from orchestration import resources

    asked = []

    def parse(command, **_):
        asked.append(command[2])
        (place / "dbt" / "manifest.json").write_text("{}")
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(resources.subprocess, "run", parse)
    assert resources.manifest() == resources.manifest() == place / "dbt" / "manifest.json"
    assert asked == []  # as shipped
    of_another_dbt(monkeypatch)
    assert resources.manifest() == resources.manifest()
    assert asked == ["parse"]


def test_lineage_is_kept_for_one_state_of_project_and_engines(definitions, tmp_path, monkeypatch):
    from orchestration.dbt_state import read_lineage, write_lineage

    lineage = {"model.accelmart.a": {"price": [["model.accelmart.b", "price"]]}}
    assert read_lineage(tmp_path) == {}
    write_lineage(tmp_path, lineage)
    assert read_lineage(tmp_path) == lineage
    of_another_dbt(monkeypatch)
    assert read_lineage(tmp_path) == {}


def test_rules_count_as_tested_only_where_their_tests_passed(place):
    from orchestration.resources import manifest

    home, project = settings.home(), json.loads(manifest().read_text(encoding="utf-8"))
    assert are_rules_tested(home, project)  # as shipped
    (rule,) = [r for r in project["unit_tests"].values() if r["name"] == "dollars_per_million_output_tokens"]
    rule["expect"]["rows"][0]["usd_per_output_mtok"] = 2.0
    assert not are_rules_tested(home, project)
    (home.dbt_target / PASSED_FILE).unlink()
    assert not are_rules_tested(home, json.loads(manifest().read_text(encoding="utf-8")))
