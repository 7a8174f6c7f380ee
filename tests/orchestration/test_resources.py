"""What assets work with: the event log that stays open."""

import dagster as dg
import pytest

from orchestration.resources import open_event_log


@pytest.fixture
def instance(tmp_path):
    with dg.DagsterInstance.local_temp(str(tmp_path)) as found:
        yield found


def test_an_event_log_that_is_kept_open_is_not_written_back_with_every_event(instance, tmp_path):
    log = tmp_path / "history" / "runs" / "index.db-wal"
    with open_event_log(instance):
        instance.report_runless_asset_event(dg.AssetMaterialization("kept"))
        assert log.stat().st_size > 0
    instance.report_runless_asset_event(dg.AssetMaterialization("other"))
    assert not log.exists()  # what is spared: the last to close writes back, and waits for the disk
    assert set(instance.all_asset_keys()) == {dg.AssetKey("kept"), dg.AssetKey("other")}


def test_an_event_log_that_is_no_file_is_left_alone():
    with dg.DagsterInstance.ephemeral() as instance, open_event_log(instance, "a run"):
        instance.report_runless_asset_event(dg.AssetMaterialization("kept"))
        assert instance.all_asset_keys() == [dg.AssetKey("kept")]
