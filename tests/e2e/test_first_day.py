"""The first day of a new installation: discovery lists every known MLPerf round and one with unknown names.

Discovery and alerts are evaluated in this process as by the daemon; requested runs are executed, prices are refreshed
and the warehouse is built once with the real commands. `bench/first_day.py` runs the same day under the real daemon.
"""

from collections import Counter
from dataclasses import replace

import dagster as dg
import duckdb
import pytest
import replay_server as replay
from home_copies import copy_home
from mlcommons import FUTURE_BENCHMARK, FUTURE_PART, FUTURE_RATE, FUTURE_RELEASE, MLCommons, known_rounds
from replay_world import world
from small_training import small_training_round
from webhook import Receiver

from orchestration.defs.mlperf import landing, raw
from orchestration.defs.mlperf.discovery import mlperf_discovery
from orchestration.defs.warehouse.alerts import health_alerts
from orchestration.resources import LakeResource

FUTURE = f"inference_results_{FUTURE_RELEASE}"
NOT_SHIPPED = {name for name, is_shipped in known_rounds().items() if not is_shipped}
pytestmark = pytest.mark.xdist_group("first_day")


def requested(look):
    """Return the repositories that one discovery tick requests."""
    return {request.run_key.partition("@")[0] for request in look.run_requests or ()}


def run(request, instance):
    """Run what discovery requests: fetch and parse one round."""
    assets = [landing.mlperf_inference_release, landing.mlperf_training_release]
    assets += [asset for *_, asset in raw.RAW_ASSETS]
    done = dg.materialize(
        assets,
        selection=request.asset_selection,
        partition_key=request.partition_key,
        instance=instance,
        resources={"lake": LakeResource()},
        tags=dict(request.tags),
    )
    assert done.success


def other_price(_, reply):
    """Lambda's page with a changed price of eight B200: US$ 7.77 per GPU-hour."""
    return replace(reply, body=reply.body.replace(b"$6.69", b"$7.77"))


@pytest.fixture(scope="module")
def first_day(built_home, accelmart, price_data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("first_day")
    home = folder / "home"
    copy_home(built_home, home)
    steps = {}
    with world(price_data) as upstream, Receiver() as receiver, pytest.MonkeyPatch.context() as patch:
        mlcommons = MLCommons(upstream, folder)
        mlcommons.push_every_round()
        upstream.fault("lambda.ai", "/pricing", replay.altered(other_price))
        settings = {
            **mlcommons.settings,
            "ACCELMART_MIRROR": upstream.url,
            "ACCELMART_REQUEST_INTERVAL": "0",
            "NO_PROXY": "127.0.0.1",
        }
        patch.delenv("GITHUB_TOKEN", raising=False)
        for name, value in (settings | {"ACCELMART_HOME": str(home)}).items():
            patch.setenv(name, value)
        with dg.DagsterInstance.ephemeral(tempdir=str(folder)) as instance:

            def look(cursor=None):
                return mlperf_discovery(dg.build_sensor_context(instance, cursor=cursor))

            first = look()
            steps["first look"] = requested(first)
            steps["GitHub requests"] = 60 - mlcommons.github.left
            for addition in first.dynamic_partitions_requests:
                instance.add_dynamic_partitions(addition.partitions_def_name, addition.partition_keys)
            for request in first.run_requests:
                run(request, instance)
            second = look(first.cursor)
            steps["second look"] = requested(second)
            mlcommons.push("training_results_v5.1", small_training_round() | {"README.md": "a correction"})
            steps["look after a commit"] = requested(look(second.cursor))

            steps["refresh"] = accelmart(home, "refresh", "lambda", "--no-build", settings=settings)
            steps["build"] = accelmart(home, "build", timeout=900)
            patch.setenv("ACCELMART_ALERT_WEBHOOK", receiver.url)
            for _ in range(2):
                with dg.build_sensor_context(instance=instance, definitions=dg.Definitions()) as context:
                    health_alerts(context)
            steps["alerts"] = receiver.alerts()
    with duckdb.connect(str(home / "accelmart.duckdb"), read_only=True) as db:
        yield steps, db


def test_rounds_missing_from_the_snapshot_are_fetched_at_once(first_day):
    steps, _ = first_day
    assert {"training_results_v6.0"} == NOT_SHIPPED
    assert steps["first look"] == NOT_SHIPPED | {FUTURE}
    assert steps["second look"] == set()
    # pages of the repository list, and one request per repository; GitHub allows 60 per hour without a token
    assert steps["GitHub requests"] <= len(known_rounds()) + 1 + 3


def test_a_bundled_round_is_fetched_at_its_next_commit(first_day):
    steps, _ = first_day
    assert steps["look after a commit"] == {"training_results_v5.1"}


def test_the_first_build_publishes_every_round(first_day):
    steps, db = first_day
    done = steps["build"]
    assert done.returncode == 0, done.stdout + done.stderr
    published = db.execute(
        "select distinct 'inference_results_' || release from fct_inference_result "
        "union select distinct 'training_results_' || release from fct_training_result"
    ).fetchall()
    assert {*known_rounds(), FUTURE} <= {name for (name,) in published}
    assert db.execute("select * from ops_isolated_payload").fetchall() == []
    off = db.execute("select source, payload_key from ops_reconciliation where not is_balanced").fetchall()
    assert off == []


def test_the_future_round_is_published_with_its_unknown_names(first_day):
    _, db = first_day
    rows = db.execute(
        "select platform, accelerator_id, benchmark_id, result, throughput_per_accelerator, invalid_reason is null "
        "from fct_inference_result where release = ? order by platform",
        [FUTURE_RELEASE],
    ).fetchall()
    assert rows == [
        ("good", "nvidia-h100-sxm-80gb", "resnet", 1600.0, 200.0, True),  # 1,600 ÷ 8
        ("new", f"unmapped:{FUTURE_PART}", f"unmapped:{FUTURE_BENCHMARK}", FUTURE_RATE, None, False),
    ]
    names = db.execute(
        "select kind, words, seed_file from ops_unmapped where seed_line <> '' and first_release = ?",
        [FUTURE_RELEASE],
    ).fetchall()
    assert sorted(names) == [
        ("accelerator", FUTURE_PART, "accelerator_aliases.csv"),
        ("benchmark", FUTURE_BENCHMARK, "mlperf_benchmarks.csv"),
    ]


def test_prices_of_the_day_are_published(first_day):
    steps, db = first_day
    assert steps["refresh"].returncode == 0, steps["refresh"].stderr
    prices = db.execute(
        "select accelerator_count, usd_per_accelerator_hour, price_published from fct_price_interval "
        "where source = 'lambda' and valid_to is null and price_published like '%7.77%'"
    ).fetchall()
    assert [row[:2] for row in prices] == [(8, pytest.approx(7.77))], prices


def test_an_alert_is_sent_once_for_each_name(first_day):
    steps, db = first_day
    names = db.execute("select kind, words from ops_unmapped").fetchall()
    assert Counter(steps["alerts"]) == Counter(
        ("firing", f"unmapped {kind}: {words}") for kind, words in names
    )
    assert ("firing", f"unmapped accelerator: {FUTURE_PART}") in steps["alerts"]
