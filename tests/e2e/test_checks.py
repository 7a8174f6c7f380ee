"""Checks of the dbt project that need bad input: their SQL on the built warehouse, on planted rows and with other variables."""

import json
from pathlib import Path

import duckdb
import jinja2
import pytest
import yaml

PROJECT = Path(__file__).resolve().parents[2] / "dbt_project"
REQUIRED = {"bf16_dense_tflops", "memory_gb", "memory_bandwidth_gb_s", "tdp_w"}


def statement(name, **variables):
    """The SQL of a check, with other variables than those of the project."""
    given = yaml.safe_load((PROJECT / "dbt_project.yml").read_text())["vars"] | variables
    return jinja2.Environment(autoescape=False).from_string((PROJECT / "tests" / f"{name}.sql").read_text()).render(
        var=lambda v: given[v],
        ref=lambda model: f"staging.{model}" if model.startswith("stg_") else model,
        config=lambda **_: "",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("check", "variables", "named"),
    [
        ("spec_coverage_is_kept", {}, set()),
        ("spec_coverage_is_kept", {"spec_two_sources_floor_pct": dict.fromkeys(REQUIRED, 101)}, REQUIRED),
        # an attribute nobody counts is not kept
        ("spec_coverage_is_kept", {"spec_two_sources_floor_pct": {"weight_kg": 1}}, {"weight_kg"}),
        ("spec_coverage_is_reached", {"spec_two_sources_pct": 101}, REQUIRED),
        ("spec_coverage_is_reached", {"spec_two_sources_pct": 50}, set()),
    ],
)
def test_what_has_two_sources_stays_so(warehouse, check, variables, named):
    assert {row[0] for row in warehouse.execute(statement(check, **variables)).fetchall()} == named


@pytest.mark.parametrize(
    ("check", "table", "damage"),
    [
        (
            "mfu_is_possible",
            "fct_training_result",
            "mfu_pct = 100.1 where result_id = "
            "(select min(result_id) from fct_training_result where number_format = 'fp8' and mfu_pct > 0)",
        ),
        (
            "every_layer_is_accounted_for",
            "ops_layer_account",
            "rows_out = rows_out - 1, is_balanced = false where source = 'rocm'",
        ),
    ],
)
def test_damaged_rows_fail_their_check(built_home, check, table, damage):
    with duckdb.connect() as db:
        db.execute(f"attach '{built_home / 'accelmart.duckdb'}' as w (read_only)")
        db.execute(f"create table {table} as from w.main.{table}")
        assert db.execute(statement(check)).fetchall() == []
        db.execute(f"update {table} set {damage}")
        assert db.execute(statement(check)).fetchall()


def test_nothing_that_may_not_be_is_warned_of(built_home):
    """Checks that warn, where the bundled data give no cause to."""
    (file,) = (built_home / "generations").glob("*.warnings.json")
    assert {warning["check"] for warning in json.loads(file.read_text(encoding="utf-8"))} == {
        "accelerator_count_witnesses_agree", "logs_agree_with_publication", "price_index_agrees_with_its_check",
        "prices_that_stand_out_are_seen_again", "results_are_possible", "spec_conflicts_are_listed", "spec_coverage_is_reached",
        "spec_sources_are_two", "systems_are_described", "types_and_words_name_one_accelerator",
    }  # fmt: skip
