"""Seed cloud_region_us_states: states that have a grid, and one row at most for a region."""

import csv
import re
from pathlib import Path

import duckdb
import pytest

from warehouse.home import SNAPSHOT_DIR

SEEDS = Path(__file__).resolve().parents[3] / "dbt_project/seeds"
with (SEEDS / "cloud_region_us_states.csv").open(encoding="utf-8", newline="") as file:
    ROWS = list(csv.DictReader(file))


def test_every_state_has_a_grid():
    shipped = duckdb.sql(
        f"select distinct us_state from '{SNAPSHOT_DIR}/grid_intensities/*__us-states@*.parquet'"
    )
    states = {state for (state,) in shipped.fetchall()} - {None}
    assert len(states) == 51 and {r["us_state"] for r in ROWS if r["state_rule"] == "fixed"} <= states


@pytest.mark.parametrize(
    ("provider", "region", "state"),
    [
        ("aws", "us-east-1", "VA"),
        ("aws", "us-east-1c", "VA"),
        ("aws", "us-east-1-dfw-2a", "TX"),
        ("aws", "us-west-2", "OR"),
        ("aws", "us-gov-east-1", None),
        ("aws", "eu-west-1", None),
        ("azure", "eastus2", "VA"),
        ("azure", "eastus2euap", None),
        ("azure", "westus", "CA"),
        ("azure", "westus3", "AZ"),
        ("gcp", "us-central2-b", "OK"),
        ("gcp", "us-central1-b", None),
        ("runpod", "US-TX-3", "TX"),
        ("runpod", "EU-RO-1", None),
    ],
)
def test_a_region_lies_in_one_state_at_most(provider, region, state):
    matches = [
        (r, m)
        for r in ROWS
        if r["provider"] == provider and (m := re.fullmatch(r["region_regex"], region, re.I))
    ]
    assert [r["us_state"] or m[1] for r, m in matches] == ([state] if state else [])
