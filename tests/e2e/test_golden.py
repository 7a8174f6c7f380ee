"""Figures of the built warehouse against upstream's figures, published texts and values worked out by hand (golden.csv)."""

import csv
from pathlib import Path

import duckdb
import pytest

FILE = Path(__file__).resolve().parents[1] / "golden.csv"
with FILE.open(encoding="utf-8", newline="") as file:
    GOLDEN = list(csv.DictReader(file))


@pytest.fixture(scope="module")
def opened(built_home):
    with duckdb.connect(str(built_home / "accelmart.duckdb"), read_only=True) as db:
        yield db


@pytest.mark.parametrize(
    "golden", GOLDEN, ids=[f"{row['relation'][:40]} {row['column'][:60]}" for row in GOLDEN]
)
def test_a_figure_is_that_of_its_source(opened, golden):
    """All rows of the key have this one value, within the tolerance; without a relation the column is a macro's answer."""
    of_relation = f" from {golden['relation']}" if golden["relation"] else ""
    where = f" where {golden['key']}" if golden["key"] else ""
    ((value,),) = opened.execute(f"select distinct {golden['column']}{of_relation}{where}").fetchall()
    if golden["tolerance_pct"]:
        expected = float(golden["value"])
        assert value == pytest.approx(expected, rel=float(golden["tolerance_pct"]) / 100 or 1e-9), golden[
            "source"
        ]
    else:
        assert str(value) == golden["value"], golden["source"]


def test_every_judged_claim_has_a_figure_worked_out_apart(opened):
    judged = opened.execute(
        "select claim_id from mart_claim_check where verdict not in ('not comparable', 'no data')"
    ).fetchall()
    golden = {
        row["key"]
        for row in GOLDEN
        if (row["relation"], row["column"]) == ("mart_claim_check", "measured_value")
    }
    assert len(judged) > 70 and {f"claim_id = '{claim}'" for (claim,) in judged} <= golden
