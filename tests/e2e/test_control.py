"""Freeze, exclude and unfreeze a round and a price list, with the real commands on the real warehouse of the snapshot."""

import json
from types import SimpleNamespace

import pytest
from home_copies import file_rows, land_given

pytestmark = pytest.mark.xdist_group("operated")
ROUND, LIST = ("mlperf-inference", "v5.1"), ("aws-price-list",)
# without what the other stories land
FACTS = {
    "round": "select result_id, result, payload_url from fct_inference_result where release = 'v5.1' order by all",
    "list": "select offer_id, stream, valid_from, price, payload_url from fct_price_interval "
    "where source = 'aws-price-list' order by all",
    "other results": "select result_id, result, throughput_per_accelerator from fct_inference_result "
    "where release not in ('v9.9', 'v5.1') order by all",
    "other prices": "select source, offer_id, stream, valid_from, price from fct_price_interval where not (source = "
    "'skypilot-catalog' and provider = 'nebius') and source not in ('own-prices', 'aws-price-list') order by all",
    "training": "select * from fct_training_result order by result_id",
}


def changed_payloads(run, home, folder, mlperf_data, price_data):
    """Freeze a round, exclude a list, and land both changed; after a build exclude the round and unfreeze the list.

    The changed round has one figure raised by 10 %, the changed list one price raised by a dollar.
    """
    frozen = run("freeze", *ROUND).stdout
    entries = json.loads((mlperf_data / "inference_v5.1/summary_results.json").read_text(encoding="utf-8"))
    closed = next(e for e in entries if e["Category"] == "closed" and e["Performance_Units"] == "Tokens/s")
    closed["Performance_Result"] = float(closed["Performance_Result"]) * 1.1
    (folder / "summary_results.json").write_text(json.dumps(entries), encoding="utf-8")
    land_given(home, *ROUND, folder / "summary_results.json")
    text = (price_data / "aws/ec2_offer_us-east-1_excerpt.csv").read_text(encoding="utf-8")
    assert '"55.0400000000"' in text
    (folder / "index.csv").write_text(text.replace('"55.0400000000"', '"56.0400000000"'), encoding="utf-8")
    land_given(home, *LIST, "us-east-1", folder / "index.csv")
    run("exclude", *LIST)
    yield
    status, held = run("status").stdout, json.loads(run("status", "--json").stdout)["held"]
    run("exclude", *ROUND)
    earlier_name = run("release", *LIST).stderr
    yield
    yield SimpleNamespace(frozen=frozen, status=status, held=held, earlier_name=earlier_name)


@pytest.fixture(scope="module")
def facts(operated, mlperf_data, price_data):
    """Facts of each generation, by name."""
    files = (operated.before, operated.first, operated.second)
    return {name: [file_rows(file, query) for file in files] for name, query in FACTS.items()}


@pytest.mark.parametrize("name", ["other results", "other prices", "training"])
def test_nothing_else_changes(facts, name):
    before, first, second = facts[name]
    assert before and before == first == second


def test_a_frozen_round_is_landed_but_not_published_and_an_excluded_one_is_gone(operated, facts):
    before, frozen, excluded = facts["round"]
    assert frozen == before and excluded == []
    assert list((operated.home / "landing/manifest/mlperf-inference/v5.1").glob("*.json"))
    seen = operated.changed_payloads
    assert [(h["source"], h["release"], h["action"]) for h in seen.held] == [
        ("aws-price-list", None, "withdraw"),
        ("mlperf-inference", "v5.1", "hold"),
    ]
    line = "frozen: mlperf-inference v5.1 since "
    assert line in seen.frozen and line in seen.status and "excluded: aws-price-list since " in seen.status
    alarms = file_rows(operated.second, "select rule, severity, subject from ops_change_alarm")
    assert ("release_lost_rows", "warn", "v5.1") in alarms and "error" not in {alarm[1] for alarm in alarms}


def test_an_excluded_list_is_gone_and_an_unfrozen_one_is_published_with_its_origin(operated, facts):
    before, excluded, unfrozen = facts["list"]
    new = {*unfrozen} - {*before}
    assert "`accelmart release` is now `accelmart unfreeze`" in operated.changed_payloads.earlier_name
    assert excluded == [] and new and {row[-1] for row in new} == {"file:index.csv"}
    # no path of the machine is published
    paths = "select count(*) from ops_reconciliation where payload_url like '%/operated%'"
    assert file_rows(operated.second, paths) == [(0,)]
