"""Freeze, exclude and unfreeze a round and a price list, with the real commands on the real warehouse of the snapshot.

A changed payload of each is landed. The first build has the round frozen and the list excluded, the second the round
excluded and the list unfrozen; nothing else changes. See `operated_home`.
"""

import json

import pytest
from operated_home import rows

# without what the other stories land
FACTS = {
    "round": "select result_id, result, payload_url from fct_inference_result where release = 'v5.1' order by all",
    "list": "select offer_id, stream, valid_from, price, payload_url from fct_price_interval where source = 'aws-price-list' order by all",
    "other results": "select result_id, result, throughput_per_accelerator from fct_inference_result "
    "where release not in ('v9.9', 'v5.1') order by all",
    "other prices": "select source, offer_id, stream, valid_from, price from fct_price_interval where not (source = 'skypilot-catalog' "
    "and provider = 'nebius') and source not in ('own-prices', 'aws-price-list') order by all",
    "training": "select * from fct_training_result order by result_id",
}  # fmt: skip


@pytest.fixture(scope="module")
def seen(operated, mlperf_data, price_data):
    """Facts of each generation, by name."""
    files = (operated.before, operated.first, operated.second)
    return {name: [rows(file, query) for file in files] for name, query in FACTS.items()}


@pytest.mark.xdist_group("operated")
@pytest.mark.parametrize("name", ["other results", "other prices", "training"])
def test_nothing_else_changes(seen, name):
    before, first, second = seen[name]
    assert before and before == first == second


@pytest.mark.xdist_group("operated")
def test_a_held_round_is_landed_but_not_published_and_a_withdrawn_one_is_gone(operated, seen):
    before, held, withdrawn = seen["round"]
    assert held == before and withdrawn == []
    assert list((operated.home / "landing/manifest/mlperf-inference/v5.1").glob("*.json"))
    assert "frozen: mlperf-inference v5.1 since " in operated.said["hold"]
    shown = json.loads(operated.said["first json"])["held"]
    assert [(h["source"], h["release"], h["action"]) for h in shown] == [
        ("aws-price-list", None, "withdraw"),
        ("mlperf-inference", "v5.1", "hold"),
    ]
    for words in ("excluded: aws-price-list since ", "frozen: mlperf-inference v5.1 since "):
        assert words in operated.said["first status"]
    alarms = rows(operated.second, "select rule, severity, subject from ops_change_alarm")
    assert ("release_lost_rows", "warn", "v5.1") in alarms and "error" not in {alarm[1] for alarm in alarms}


@pytest.mark.xdist_group("operated")
def test_a_withdrawn_list_is_gone_and_a_released_one_is_published_with_its_origin(operated, seen):
    before, withdrawn, released = seen["list"]
    new = {*released} - {*before}
    assert "`accelmart release` is now `accelmart unfreeze`" in operated.said["earlier name"]
    assert withdrawn == [] and new and {row[-1] for row in new} == {"file:index.csv"}
    # no path of the machine is published
    assert rows(
        operated.second,
        "select count(*) from ops_reconciliation where payload_url like '%/operated%'",
    ) == [(0,)]
