"""Resources of assets: the event log stays open."""

import dagster as dg
import pytest
from dagster._core.storage.event_log.sqlite import sqlite_event_log

from orchestration.dagster_internals import open_event_log
from orchestration.resources import dbt_resource


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


def test_dbt_opens_no_connection_in_the_starting_process():
    assert dbt_resource()._initialize_dbt_core_adapter(["build"]) is None
