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
    for run_id in gone:
        retention.remove_run(instance, run_id)
    kept = {only_v2, last_v1, with_check, last_mart, failed_again}
    assert {r.run_id for r in instance.get_runs()} == kept
    assert len(instance.fetch_materializations(raw.key, limit=10).records) == 2
    assert instance.get_latest_materialization_event(mart.key).run_id == last_mart
    # a run has a file of its events, and a folder of what it printed
    files = {path.name.partition(".")[0] for path in tmp_path.rglob("*")}
    assert last_mart in files and not files & set(gone)
    assert retention.removable_runs(instance, timedelta(seconds=-60), is_good.check_keys) == []
