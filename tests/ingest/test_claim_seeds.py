"""The seeds of claims and published tables against the facts they were read from, and against themselves."""

from __future__ import annotations

import csv
import math
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SEEDS = ROOT / "dbt_project" / "seeds"
FACTS = ROOT.parent / "shared" / "facts"
ACCELERATOR_RATIO = re.compile(r"\((\d[\d.]*)e?\d* ?/ ?(\d[\d.]*)\)")


def rows(path: Path) -> list[dict[str, str]]:
    if not path.is_file():
        pytest.skip(f"the facts are not there ({path})")
    with path.open(encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


CLAIMS = rows(SEEDS / "claims.csv")
CHECKS = {row["metric"]: row for row in rows(SEEDS / "claim_checks.csv")}
VALUES = rows(SEEDS / "published_values.csv")
PRINTED = rows(SEEDS / "published_training_tables.csv")


@pytest.mark.parametrize(
    ("name", "seed"),
    [("claims", CLAIMS), ("reference_tables_semianalysis", PRINTED), ("reference_values_published", VALUES)],
)
def test_no_figure_of_the_facts_is_missing_or_altered(name, seed):
    facts = rows(FACTS / f"{name}.csv")
    seeded = [{column: row[column] for column in facts[0]} for row in seed]
    assert [fact for fact in facts if fact not in seeded] == []


# names that have digits; every other figure of a finding comes from the marts
NAMES = re.compile(r"\b(?:GB200|GB300|B200|B300|H100|H200|MI355X|MI325X|FP4|FP8|DeepSeek-R1)\b")
# accelerators released since May 2024
NEW_PARTS = {
    row["accelerator_id"] for row in rows(SEEDS / "accelerator_specs.csv") if row["release_date"] >= "2024-05"
}


def test_findings_hold_no_figures_and_every_claim_about_a_new_part():
    findings = rows(SEEDS / "findings.csv")
    for row in findings:
        for column in ("finding", "impact", "open_question"):
            assert not re.search(r"\d", NAMES.sub("", row[column])), (row["finding_id"], column)
    listed = [claim_id for row in findings for claim_id in row["claim_ids"].split(";")]
    assert len(listed) == len(set(listed))
    about_new_parts = {row["claim_id"] for row in CLAIMS if row["subject_accelerator_id"] in NEW_PARTS}
    assert about_new_parts <= set(listed)


PLAIN_NUMBER = re.compile(r"-?\d[\d.]*(?:e\+?\d+)?\+?")


def test_every_printed_value_is_read_as_the_number_it_is():
    for row in VALUES:
        words, where = row["value_printed"].replace(",", ""), row["value_id"]
        if PLAIN_NUMBER.fullmatch(words) and row["printed"]:
            assert float(row["printed"]) == float(words.rstrip("+")), where
            assert not row["printed_high"], where
        elif row["printed_high"] and words[0].isdigit():
            assert [row["printed"], row["printed_high"]] == words.split("-"), where
        if PLAIN_NUMBER.fullmatch(words):
            assert row["printed"] and row["cause"] != "not quantitative", where


def test_claims_say_in_columns_what_they_say_in_words():
    for row in CLAIMS:
        where = row["claim_id"]
        unit, note = row["unit"], row["statement_short"].lower()
        if "up to" in note and row["benchmark_ids"] and "ratio" in row["metric"]:
            assert row["bound"] == "up_to", where
        # a range holds the figure of the claim
        if row["claimed_low"]:
            assert float(row["claimed_low"]) <= float(row["claimed_value"]) <= float(row["claimed_high"]), (
                where
            )
        # a figure derived from two others is their quotient
        derived = ACCELERATOR_RATIO.search(unit)
        if derived:
            quotient = float(derived[1]) / float(derived[2])
            assert math.isclose(quotient, float(row["claimed_value"]), rel_tol=0.01), where
        # a scale in words is the size in columns, but for what no result can have
        if row["scale"] and row["subject_count"]:
            assert float(row["scale"]) == float(row["subject_count"]), where
        # both sides of a ratio, and nothing else has two
        if row["metric"].endswith("_ratio") and CHECKS[row["metric"]]["method"] != "none":
            assert row["baseline_accelerator_id"], where
        # a part against itself must differ in something
        if row["baseline_accelerator_id"] == row["subject_accelerator_id"] and row["benchmark_ids"]:
            differs = (
                row["baseline_release"],
                row["baseline_precision"],
                row["subject_variant"],
                row["baseline_count"],
                row["unmet_condition"],
            )
            assert any(differs), where


def test_precisions_in_the_words_are_those_in_the_columns():
    for row in CLAIMS:
        words = set(re.findall(r"\b(?:bf16|fp8|fp4|int8|fp32|fp16)\b", row["workload"]))
        columns = {row["precision"], row["baseline_precision"]} - {""}
        if words and row["suite_kind"] != "inference":
            assert words <= columns or CHECKS[row["metric"]]["method"] == "none", row["claim_id"]


def test_rounding_is_half_of_the_last_printed_digit():
    for row in PRINTED:
        if row["half_digit"]:
            steps = float(row["value"]) / (2 * float(row["half_digit"]))
            assert math.isclose(steps, round(steps), abs_tol=1e-6), row["row_id"]
