"""Old runs of Dagster are removed, unless they have the latest result of an asset, partition or check."""

from datetime import timedelta

import dagster as dg
import pytest

from orchestration import run_retention as retention

releases = dg.StaticPartitionsDefinition(["v1", "v2"])


@dg.asset(partitions_def=releases)
def raw():
    return None


@dg.asset
def mart():
    print("words of a step")


@dg.asset_check(asset=mart)
def is_good():
    return dg.AssetCheckResult(passed=True)


@dg.asset
def failing():
    raise dg.Failure("no")


@pytest.fixture
def instance(tmp_path):
    with dg.DagsterInstance.local_temp(str(tmp_path)) as instance:
        yield instance


def files_of_runs(root):
    """Return names of files and folders of SQLite storage: a run has one of its events, and one of what it printed."""
    return {path.name.partition(".")[0] for path in root.rglob("*")}


def test_runs_with_the_latest_result_are_kept(instance, tmp_path):
    def run(assets, **more):
        return dg.materialize(assets, instance=instance, raise_on_error=False, **more).run_id

    first_v1 = run([raw], partition_key="v1")
    only_v2 = run([raw], partition_key="v2")
    last_v1 = run([raw], partition_key="v1")
    with_check = run([mart, is_good])
    superseded = run([mart], selection=[mart])
    last_mart = run([mart], selection=[mart])
    failed, failed_again = run([failing]), run([failing])

    assert retention.removable_runs(instance, timedelta(days=1), is_good.check_keys) == []  # no run is old
    gone = retention.removable_runs(instance, timedelta(seconds=-60), is_good.check_keys)
    # kept runs: latest of the check, last failure of an asset, latest of an asset or partition
    assert set(gone) == {first_v1, superseded, failed}
    before = instance.fetch_materializations(raw.key, limit=10).records
    for run_id in gone:
        retention.remove_run(instance, run_id)
    assert {r.run_id for r in instance.get_runs()} == {
        only_v2,
        last_v1,
        with_check,
        last_mart,
        failed_again,
    }
    assert len(before) == 3 and len(instance.fetch_materializations(raw.key, limit=10).records) == 2
    assert instance.get_latest_materialization_event(mart.key).run_id == last_mart
    assert last_mart in files_of_runs(tmp_path) and not files_of_runs(tmp_path) & set(gone)
    assert retention.removable_runs(instance, timedelta(seconds=-60), is_good.check_keys) == []
