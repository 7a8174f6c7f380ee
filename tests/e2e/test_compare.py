"""`accelmart compare` and `accelmart evidence` on the warehouse built from real data."""

import json

import pytest

import accelmart as reader


@pytest.fixture(scope="module")
def opened(built_home):
    with reader.connect(built_home) as warehouse:
        yield warehouse


def test_every_evidence_of_a_comparison_can_be_looked_up(opened):
    kinds = {}
    for row in opened.compare("B200", "H100").records():
        if row["topic"] in ("inference", "training", "rent", "energy, modelled", "energy, measured"):
            kinds[row["topic"]] = opened.evidence(row["evidence_a"]).kind
    assert kinds["inference"] == kinds["energy, modelled"] == "inference_result"
    assert kinds["training"] == "training_result" and kinds["rent"] == "price"


def test_a_result_is_cited_as_mlcommons_asks(opened):
    row = opened.rows("from fct_inference_result where submission_id = '5.1-0001' limit 1")[0]
    basis = opened.evidence(row["result_id"])
    for word in (
        "MLPerf v5.1 Inference",
        row["submitter"],
        row["system_name"],
        row["source_url"],
        "entry 5.1-0001",
    ):
        assert word in basis.citation, word
    assert "trademarks of MLCommons" in basis.citation
    assert "official MLPerf result" in basis.standing and "Not verified by MLCommons" in basis.standing
    assert basis.licence == "Apache-2.0" and basis.record == row


def test_evidence_says_whether_an_answer_is_an_official_result(opened, accelmart, built_home):
    (offer,) = opened.words("select best_offer_id from mart_price_current order by all limit 1")
    price = opened.evidence(offer)
    assert price.kind == "price" and "not a quote of today" in price.standing
    assert price.record["source"] in price.citation
    done = accelmart(built_home, "evidence", "C004")
    assert "SemiAnalysis" in done.stdout and "not verified by MLCommons" in done.stdout, done.stderr
    assert json.loads(accelmart(built_home, "evidence", "C004", "--json").stdout)["kind"] == "claim"
    done = accelmart(built_home, "evidence", "x")
    assert done.returncode == 1 and "nothing has the id" in done.stderr
