"""The first day of a new installation: discovery lists every known MLPerf round and one with unknown names.

See `refreshed_home`. `bench/first_day.py` runs the same day under the real daemon.
"""

from collections import Counter

import duckdb
import pytest
from mlcommons import FUTURE_BENCHMARK, FUTURE_PART, FUTURE_RATE, FUTURE_RELEASE, known_rounds

from ingest.core.landing import Landing

FUTURE = f"inference_results_{FUTURE_RELEASE}"
NOT_SHIPPED = {name for name, is_shipped in known_rounds().items() if not is_shipped}
pytestmark = pytest.mark.xdist_group("refresh")


@pytest.fixture
def db(refreshed):
    with duckdb.connect(str(refreshed.home / "accelmart.duckdb"), read_only=True) as db:
        yield db


def test_rounds_missing_from_the_snapshot_are_fetched_at_once(refreshed):
    assert {"training_results_v6.0"} == NOT_SHIPPED
    assert refreshed.looks.first == NOT_SHIPPED | {FUTURE}
    assert refreshed.looks.second == set()
    # pages of the repository list, and one request per repository; GitHub allows 60 per hour without a token
    assert refreshed.looks.n_requests <= len(known_rounds()) + 1 + 3


def test_a_bundled_round_is_fetched_at_its_next_commit(refreshed):
    assert refreshed.looks.after_commit == {"training_results_v5.1"}


def test_the_first_build_publishes_every_round(refreshed, db):
    assert "Published generation" in refreshed.second.stdout, refreshed.second.stderr
    published = db.execute(
        "select distinct 'inference_results_' || release from fct_inference_result "
        "union select distinct 'training_results_' || release from fct_training_result"
    ).fetchall()
    assert {*known_rounds(), FUTURE} <= {name for (name,) in published}
    assert db.execute("select * from ops_isolated_payload").fetchall() == []
    off = db.execute("select source, payload_key from ops_reconciliation where not is_balanced").fetchall()
    assert off == []


def test_the_future_round_is_published_with_its_unknown_names(db):
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


def test_prices_of_the_day_are_published(refreshed, db):
    assert refreshed.first.returncode == 0, refreshed.first.stderr
    prices = db.execute(
        "select accelerator_count, usd_per_accelerator_hour, price_published from fct_price_interval "
        "where source = 'lambda' and valid_to is null and price_published like '%7.77%'"
    ).fetchall()
    assert [row[:2] for row in prices] == [(8, pytest.approx(7.77))], prices


def test_an_alert_is_sent_once_for_each_name_and_each_quarantined_payload(refreshed, db):
    names = db.execute("select kind, words from ops_unmapped").fetchall()
    refused = {(p.source, p.key) for p in Landing(str(refreshed.home / "landing")).quarantined()}
    assert Counter(refreshed.alerts) == Counter(
        [("failure", f"unmapped {kind}: {words}") for kind, words in names]
        + [("failure", f"quarantined payload: {source} {key}") for source, key in refused]
    )
    assert ("failure", f"unmapped accelerator: {FUTURE_PART}") in refreshed.alerts
    assert {"coreweave", "hyperstack", "vast"} <= {source for source, _ in refused}
